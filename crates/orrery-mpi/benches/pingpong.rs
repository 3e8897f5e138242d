//! The MPI machine against a ping-pong in C: what do its plans, its timers and its barrier cost?
//!
//! `scripts/bench-mpi` builds the rival into a shared library and starts this program with mpirun on two ranks. Both run
//! in the same processes and take turns, in turn the one and the other first. Each turn is represented by its median,
//! the ratio by the median over the rounds with its 95 % interval from order statistics.

#![allow(unsafe_code)]

use std::error::Error;
use std::ffi::c_int;
use std::process::ExitCode;

use libloading::{Library, Symbol};
use orrery::machine::{Batch, Machine};
use orrery::platform::Placement;
use orrery::schedule::{Program, RoundTrip};
use orrery::units::{Bytes, Seconds};
use orrery_mpi::{Job, MpiMachine, Options};

/// Names the shared library with the rival.
const RIVAL: &str = "ORRERY_PINGPONG";

type Pingpong = unsafe extern "C" fn(c_int, c_int, c_int, *mut f64) -> c_int;

fn main() -> ExitCode {
    let Some(rival) = std::env::var_os(RIVAL) else {
        println!("scripts/bench-mpi starts this benchmark");
        return ExitCode::SUCCESS;
    };
    match compare(&rival) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

struct Case {
    what: &'static str,
    size: u32,
    repetitions: u32,
    rounds: usize,
}

const CASES: [Case; 2] = [
    Case { what: "1 byte", size: 1, repetitions: 1000, rounds: 81 },
    Case { what: "1 MiB", size: 1 << 20, repetitions: 40, rounds: 61 },
];

const WARM_UP: u32 = 20;

/// The largest ratio of times that is allowed.
const BAR: f64 = 1.05;

fn compare(rival: &std::ffi::OsStr) -> Result<(), Box<dyn Error>> {
    let job = Job::join()?;
    // SAFETY: a library of ours, whose loading runs no code.
    let library = unsafe { Library::new(rival)? };
    // SAFETY: this is how pingpong.c declares it.
    let pingpong: Symbol<Pingpong> = unsafe { library.get(b"orrery_pingpong")? };
    if job.rank() == 0 {
        println!("{}", job.library());
        println!("{:<10} {:>11} {:>11} {:>7} {:>15}", "round trip", "ours", "C", "ratio", "95 % interval");
    }
    for case in &CASES {
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..case.rounds {
            let (x, y) = if round % 2 == 0 {
                let x = measure_ours(&job, case)?;
                (x, measure_theirs(&pingpong, case)?)
            } else {
                let y = measure_theirs(&pingpong, case)?;
                (measure_ours(&job, case)?, y)
            };
            ours.push(x);
            theirs.push(y);
            ratios.push(x / y);
        }
        if job.rank() == 0 {
            let (x, y, ratio) = (median(&mut ours), median(&mut theirs), median(&mut ratios));
            let (low, high) = interval(&ratios);
            let verdict = if ratio <= BAR { format!("≤ {BAR} ok") } else { format!("≤ {BAR} MISSED") };
            let [x, y] = [x, y].map(|time| Seconds::new(time).to_string());
            let between = format!("{low:.3} – {high:.3}");
            println!("{:<10} {x:>11} {y:>11} {ratio:>7.3} {between:>15} {verdict}", case.what);
        }
    }
    job.end()?;
    Ok(())
}

/// The median of one turn, at rank 0.
fn measure_ours(job: &Job, case: &Case) -> Result<f64, Box<dyn Error>> {
    if job.rank() != 0 {
        job.serve()?;
        return Ok(1.0);
    }
    let mut machine = MpiMachine::start(job, Options::default())?;
    let size = Bytes::new(case.size.into());
    let program = Program::RoundTrip(RoundTrip { out: size, back: size });
    let (reading, placement) = (program.reading(), Placement::identity(2));
    let batch =
        Batch { program, placement, reading, warm_up: WARM_UP, first_repetition: 0, repetitions: case.repetitions };
    let mut seconds: Vec<f64> = machine.run(&batch)?.into_iter().map(Seconds::get).collect();
    job.stop_serving()?;
    Ok(median(&mut seconds))
}

fn measure_theirs(pingpong: &Symbol<Pingpong>, case: &Case) -> Result<f64, Box<dyn Error>> {
    let mut seconds = vec![0.0; case.repetitions as usize];
    let (size, warm_up, repetitions) = (case.size as c_int, WARM_UP as c_int, case.repetitions as c_int);
    // SAFETY: there is room for all readings; all ranks call it.
    let code = unsafe { pingpong(size, warm_up, repetitions, seconds.as_mut_ptr()) };
    if code == 0 { Ok(median(&mut seconds)) } else { Err(format!("the rival: error code {code} of MPI").into()) }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The 95 % interval of the median of sorted values: the order statistics (n ± 1.96 √n) / 2.
fn interval(sorted: &[f64]) -> (f64, f64) {
    let n = sorted.len() as f64;
    let half = 0.98 * n.sqrt();
    let low = (n / 2.0 - half).floor().max(0.0) as usize;
    let high = ((n / 2.0 + half).ceil() as usize).min(sorted.len() - 1);
    (sorted[low], sorted[high])
}
