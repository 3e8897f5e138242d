//! Chooses the algorithm of a broadcast for each range of sizes, by a model that is written down.

use std::error::Error;
use std::io::{self, Write};

use orrery::collective::choose;
use orrery::comm::LogGp;
use orrery::{CollectiveChoice, CollectiveKind, Estimate, Model, ModelKind};

/// Writes the ranges of sizes.
pub(crate) fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // Latency, overheads of send and receive, gap [s], and gap per byte [s/B].
    let loggp = LogGp::from_estimates(&[12e-6, 2e-6, 3e-6, 5e-6, 0.8e-9].map(Estimate::exact))
        .expect("five parameters");
    let model = Model::new(16).with(ModelKind::LogGp, &loggp);
    let choice = CollectiveChoice::new(CollectiveKind::Broadcast, 16);
    for range in choose(&model, ModelKind::LogGp, &choice)? {
        let (smallest, largest) = range.sizes;
        writeln!(
            out,
            "{smallest} to {largest}: {}, {}",
            range.best.algorithm, range.first.seconds
        )?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout())
}
