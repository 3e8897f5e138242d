//! Round trips on the MPI machine, to be compared with `pingpong.c`; `scripts/bench-mpi` does that.
//!
//! usage: pingpong SIZE REPETITIONS [SIZE REPETITIONS …], on two ranks. For each size rank 0 prints
//! the size and the median time in seconds.

use std::error::Error;

use orrery::machine::{Batch, Machine};
use orrery::platform::Placement;
use orrery::schedule::{Program, RoundTrip};
use orrery::units::{Bytes, Seconds};
use orrery_mpi::{Job, MpiMachine, Options, ThreadLevel};

const WARM_UP: u32 = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let numbers: Vec<u32> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if numbers.is_empty() {
        println!("scripts/bench-mpi starts this benchmark");
        return Ok(());
    }
    let job = Job::join(ThreadLevel::Single)?;
    if job.rank() == 0 {
        let mut machine = MpiMachine::start(&job, Options::default())?;
        for case in numbers.chunks_exact(2) {
            let (size, repetitions) = (case[0], case[1]);
            println!("{size} {:.9}", round_trip(&mut machine, size, repetitions)?);
        }
    } else {
        job.serve()?;
    }
    job.end()?;
    Ok(())
}

/// The median time of a round trip in seconds.
fn round_trip(
    machine: &mut MpiMachine,
    size: u32,
    repetitions: u32,
) -> Result<f64, Box<dyn Error>> {
    let size = Bytes::new(size.into());
    let program = Program::RoundTrip(RoundTrip { out: size, back: size });
    let (reading, placement) = (program.reading(), Placement::identity(2));
    let batch =
        Batch { program, placement, reading, warm_up: WARM_UP, first_repetition: 0, repetitions };
    let mut seconds: Vec<f64> = machine.run(&batch)?.into_iter().map(Seconds::get).collect();
    seconds.sort_unstable_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}
