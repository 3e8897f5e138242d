//! `testbed`: a heterogeneous cluster of network namespaces on one machine.
//!
//! Every host is a network namespace with one device, `eth0`. A process, the switch, carries frames
//! between the devices as one or several switches with links of the described rate, delay and queue
//! would. Nothing is changed outside the namespaces, so several testbeds can exist at the same
//! time.
//!
//! | module | content |
//! |---|---|
//! | `description` | the description of a testbed: its TOML file |
//! | `uplinks` | the links between switches in a description |
//! | `route` | the links that a frame passes from one host to another, and how flows share them |
//! | `paths` | the files, namespaces and control groups of a testbed |
//! | `lifecycle` | start and stop |
//! | `switch` | the process that carries frames; `switch::port` has the timing of links |
//! | `tap` | the devices; the only unsafe code, one call of the kernel |
//! | `share` | limits of the processor time of hosts |
//! | `launch` | programs on the hub and on hosts, files for launchers |
//! | `check` | measures whether links behave as described |
//! | `check_uplinks` | the same for the links between switches: with one pair of hosts and with several |
//! | `command` | runs other programs |

mod check;
mod check_uplinks;
mod command;
mod description;
mod launch;
mod lifecycle;
mod paths;
mod route;
mod share;
mod switch;
mod tap;
mod uplinks;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, bail};
use clap::{Parser, Subcommand};

use paths::TestbedPaths;

/// A heterogeneous cluster of network namespaces on this machine.
#[derive(Debug, Parser)]
#[command(name = "testbed", version)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

/// The verbs of the command line.
#[derive(Debug, Subcommand)]
enum Verb {
    /// Start the testbed that a file describes
    Up {
        /// Description of the testbed
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Stop a testbed, even if it was started only in part
    Down {
        /// Name of the testbed
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Run a command on the hub, with hosts, network and launcher of mpirun configured
    Run {
        /// Name of the testbed
        #[arg(value_name = "NAME")]
        name: String,
        /// Refuse to run on a testbed that has not passed its check
        #[arg(long)]
        accurate: bool,
        /// Command, after --
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Check that TCP on every link takes m/rate + latency within 5 % from 4 KiB up, idle and back
    /// to back, and that one pair and several pairs at the same time reach the rate of each uplink
    /// within 5 %
    Check {
        /// Name of the testbed
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Run a command on a host as ssh would, or a shell without a command
    Enter {
        /// Name of the testbed
        #[arg(value_name = "NAME")]
        name: String,
        /// Host and command
        #[arg(
            required = true,
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "HOST COMMAND"
        )]
        words: Vec<String>,
    },
    /// List the testbeds that are up
    List,
    /// Run the switch (internal)
    #[command(hide = true)]
    Switch {
        /// Name of the testbed
        name: String,
    },
}

/// Runs the verb and prints its error.
fn main() -> ExitCode {
    match run(Arguments::parse().verb) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("testbed: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a verb.
fn run(verb: Verb) -> anyhow::Result<ExitCode> {
    match verb {
        Verb::Up { file } => {
            let description = lifecycle::up(&file)?;
            let (name, hosts) = (&description.name, description.hosts.len());
            eprintln!(
                "testbed {name} is up with {hosts} hosts; try: testbed run {name} -- mpirun -n \
                    {hosts} hostname"
            );
        }
        Verb::Down { name } => {
            let place = TestbedPaths::of(&name);
            let known = place.folder().exists();
            lifecycle::down(&place)?;
            eprintln!(
                "testbed {name} is {}",
                if known { "down" } else { "not up; nothing remained of it" }
            );
        }
        Verb::Run { name, accurate, command } => {
            let place = TestbedPaths::of(&name);
            place.description()?;
            lifecycle::check_system()?;
            if accurate && !check::is_passed(&place) {
                bail!(
                    "testbed {name} has not passed its check, so its times are not reliable; run: \
                        testbed check {name}"
                );
            }
            launch::on_hub(&place, &command)?;
        }
        Verb::Check { name } => return checked(&TestbedPaths::of(&name)),
        Verb::Enter { name, words } => launch::on_host(&TestbedPaths::of(&name), &words)?,
        Verb::List => {
            let mut out = std::io::stdout().lock();
            for name in TestbedPaths::all() {
                let place = TestbedPaths::of(&name);
                let state = if lifecycle::switch_pid(&place).is_some() {
                    "up"
                } else {
                    "broken; take it down"
                };
                let hosts = place.description().map_or(0, |description| description.hosts.len());
                writeln!(out, "{name}\t{hosts} hosts\t{state}").context("cannot write the list")?;
            }
        }
        Verb::Switch { name } => {
            let place = TestbedPaths::of(&name);
            let ready = || {
                let mut out = std::io::stdout().lock();
                writeln!(out, "ready {}", std::process::id())?;
                out.flush()
            };
            switch::run(&place.description()?, &place, ready).context("the switch failed")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks all links and prints the result of each; the exit status is a failure if one does not
/// behave as described.
fn checked(place: &TestbedPaths) -> anyhow::Result<ExitCode> {
    let description = place.description()?;
    lifecycle::check_system()?;
    check::store_result(place, false)?;
    // Idle cores take long to wake up, and those of a job are not idle, so all cores are kept busy.
    let done = Arc::new(AtomicBool::new(false));
    for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
        let done = Arc::clone(&done);
        std::thread::spawn(move || {
            while !done.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
    }
    // Real-time priority keeps other processes from disturbing the check, where it is allowed.
    let _ = command::run("chrt", &["--fifo", "--pid", "40", &std::process::id().to_string()]);
    let found = check::links(&description, place);
    done.store(true, Ordering::Relaxed);
    let found = found?;
    let uplinks = check_uplinks::uplinks(&description, place)?;
    let mut out = std::io::stdout().lock();
    let mut line = |text: String| writeln!(out, "{text}").context("cannot write the result");
    line(
        "host            way    latency in us   time over m/rate + latency, each idle / back to \
        back"
            .to_owned(),
    )?;
    for link in &found {
        let way = if link.is_down { "down" } else { "up" };
        let ratio = |&(size, idle, busy): &(usize, f64, f64)| {
            format!("{}K {idle:.3}/{busy:.3}", size >> 10)
        };
        let (idle, busy) = link.latency;
        let ratios: Vec<String> = link.ratios.iter().map(ratio).collect();
        line(format!(
            "{:<15} {way:<5} {:>6.1}/{:<6.1}   {}",
            link.host,
            idle * 1e6,
            busy * 1e6,
            ratios.join("  ")
        ))?;
    }
    if !uplinks.is_empty() {
        line(
            "uplink of       way    pairs   expected in Mbit   rate of all pairs over the expected"
                .to_owned(),
        )?;
    }
    for uplink in &uplinks {
        let way = if uplink.is_down { "down" } else { "up" };
        let hosts = if uplink.hosts.0 == uplink.hosts.1 {
            uplink.hosts.0.clone()
        } else {
            format!("{} to {}", uplink.hosts.0, uplink.hosts.1)
        };
        line(format!(
            "{hosts:<15} {way:<5} {:>6} {:>15.1} {:>13.3}",
            uplink.pairs,
            uplink.expected / 1e6,
            uplink.ratio
        ))?;
    }
    let of_links = found.iter().map(check::LinkCheck::largest_difference);
    let of_uplinks = uplinks.iter().map(check_uplinks::UplinkCheck::difference);
    let largest = of_links.chain(of_uplinks).fold(0.0, f64::max);
    let passed = largest <= check::TOLERANCE;
    check::store_result(place, passed)?;
    line(format!(
        "{}: the largest difference is {:.1} %, allowed are {:.0} %",
        if passed { "accurate" } else { "not accurate" },
        largest * 100.0,
        check::TOLERANCE * 100.0
    ))?;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
