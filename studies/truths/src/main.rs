//! Runs the campaigns of Orrery on a simulator that was written by others: its command plays the
//! programs that this program writes to it, and answers with times.

mod arguments;
mod campaigns;
mod lines;
mod player;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;

fn main() -> ExitCode {
    match campaigns::run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let mut cause: Option<&dyn std::error::Error> = Some(&*error);
            let mut words = Vec::new();
            while let Some(present) = cause {
                words.push(present.to_string());
                cause = present.source();
            }
            eprintln!("orrery-truths: {}", words.join(": "));
            ExitCode::FAILURE
        }
    }
}
