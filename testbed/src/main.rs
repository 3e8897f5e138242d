//! `testbed`: a heterogeneous cluster of network namespaces on one machine.
//!
//! Every host is a network namespace with one device, `eth0`; a process, the switch, carries the frames between the devices
//! as links with rate, delay and queue would. Nothing is changed outside the namespaces, so that several testbeds stand side
//! by side.
//!
//! | module | what lives there |
//! |---|---|
//! | `description` | what a testbed is to be: its TOML file |
//! | `place` | the names of everything that it is made of |
//! | `lifecycle` | raising and taking down |
//! | `switch` | the process that carries frames; `switch::port` has the arithmetic of links |
//! | `tap` | the devices; the only unsafe code, one call of the kernel |
//! | `share` | the part of a processor that a host may use |
//! | `launch` | programs on the hub and on hosts, files for launchers |
//! | `check` | whether links do what was described |
//! | `command` | other programs |

mod check;
mod command;
mod description;
mod launch;
mod lifecycle;
mod place;
mod share;
mod switch;
mod tap;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail};
use clap::{Parser, Subcommand};

use place::Place;

/// A heterogeneous cluster of network namespaces on this machine.
#[derive(Debug, Parser)]
#[command(name = "testbed", version)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Raise the testbed that a file describes
    Up {
        /// The description
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Take a testbed down, also one that was raised in part
    Down {
        /// The testbed
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Run a command on the hub; mpirun finds hosts, network and launcher by itself
    Run {
        /// The testbed
        #[arg(value_name = "NAME")]
        name: String,
        /// Only on a testbed that passed its check
        #[arg(long)]
        accurate: bool,
        /// The command, behind --
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Measure bare TCP on every link: m/rate + latency within 5 % from 4 KiB up, idle and back to back
    Check {
        /// The testbed
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Run a command on a host, as ssh would; without one a shell
    Enter {
        /// The testbed
        #[arg(value_name = "NAME")]
        name: String,
        /// The host, and the command
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "HOST COMMAND")]
        words: Vec<String>,
    },
    /// List the testbeds that are up
    List,
    /// The process that carries the frames
    #[command(hide = true)]
    Switch {
        /// The testbed
        name: String,
    },
}

fn main() -> ExitCode {
    match act(Arguments::parse().verb) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("testbed: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn act(verb: Verb) -> anyhow::Result<ExitCode> {
    match verb {
        Verb::Up { file } => {
            let description = lifecycle::up(&file)?;
            let (name, hosts) = (&description.name, description.hosts.len());
            eprintln!("testbed {name} is up with {hosts} hosts; try: testbed run {name} -- mpirun -n {hosts} hostname");
        }
        Verb::Down { name } => {
            let place = Place::of(&name);
            let known = place.folder().exists();
            lifecycle::down(&place)?;
            eprintln!("testbed {name} is {}", if known { "down" } else { "not up; nothing was left of it" });
        }
        Verb::Run { name, accurate, command } => {
            let place = Place::of(&name);
            place.description()?;
            lifecycle::possible()?;
            if accurate && !check::is_passed(&place) {
                bail!("testbed {name} has not passed its check, so its times say nothing; run: testbed check {name}");
            }
            launch::on_hub(&place, &command)?;
        }
        Verb::Check { name } => return checked(&Place::of(&name)),
        Verb::Enter { name, words } => launch::on_host(&Place::of(&name), &words)?,
        Verb::List => {
            let mut out = std::io::stdout().lock();
            for name in Place::all() {
                let place = Place::of(&name);
                let state = if lifecycle::switch_pid(&place).is_some() { "up" } else { "broken; take it down" };
                let hosts = place.description().map_or(0, |description| description.hosts.len());
                writeln!(out, "{name}\t{hosts} hosts\t{state}").context("cannot write the list")?;
            }
        }
        Verb::Switch { name } => {
            let place = Place::of(&name);
            let ready = || {
                let mut out = std::io::stdout().lock();
                writeln!(out, "ready {}", std::process::id())?;
                out.flush()
            };
            switch::run(&place.description()?, &place, ready).context("the switch cannot go on")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks all links and tells each; fails where one does not do what was described.
fn checked(place: &Place) -> anyhow::Result<ExitCode> {
    let description = place.description()?;
    lifecycle::possible()?;
    check::keep(place, false)?;
    // Processors that sleep take long to wake, and those of a job do not sleep: links are to be idle, not processors.
    let done = Arc::new(AtomicBool::new(false));
    for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
        let done = Arc::clone(&done);
        std::thread::spawn(move || {
            while !done.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
    }
    // What else runs here is not what is checked; where there is no such priority, times are those of the others too.
    let _ = command::run("chrt", &["--fifo", "--pid", "40", &std::process::id().to_string()]);
    let found = check::links(&description, place);
    done.store(true, Ordering::Relaxed);
    let found = found?;
    let mut out = std::io::stdout().lock();
    let mut line = |text: String| writeln!(out, "{text}").context("cannot write the outcome");
    line("host            way    latency in us   time over m/rate + latency, each idle / back to back".to_owned())?;
    for link in &found {
        let way = if link.is_down { "down" } else { "up" };
        let ratio = |&(size, idle, busy): &(usize, f64, f64)| format!("{}K {idle:.3}/{busy:.3}", size >> 10);
        let (idle, busy) = link.latency;
        let ratios: Vec<String> = link.ratios.iter().map(ratio).collect();
        line(format!("{:<15} {way:<5} {:>6.1}/{:<6.1}   {}", link.host, idle * 1e6, busy * 1e6, ratios.join("  ")))?;
    }
    let worst = found.iter().map(check::Checked::worst).fold(0.0, f64::max);
    let passed = worst <= check::TOLERANCE;
    check::keep(place, passed)?;
    line(format!(
        "{}: the greatest difference is {:.1} % of {:.0} % that are allowed",
        if passed { "accurate" } else { "not accurate" },
        worst * 100.0,
        check::TOLERANCE * 100.0
    ))?;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
