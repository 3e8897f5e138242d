//! Measures a cluster, fits LMO to the readings, and predicts the time of a scatter with its
//! interval.

use std::error::Error;
use std::io::{self, Write};

use orrery::comm::lmo::LmoNetwork;
use orrery::{
    Algorithm, Bytes, CollectiveKind, Estimation, ModelKind, Precision, Processor, Query,
    SimulatedMachine,
};

/// Writes the predictions.
pub(crate) fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // Four processors, the last one slow, with 2 % noise. On processes of this host:
    // LocalMachine::start(&Options::default()).
    let network =
        LmoNetwork::new(&[10e-6, 10e-6, 10e-6, 60e-6], &[1e-9; 4], Some(&[20e-6; 6]), &[8e-9; 6]);
    let mut machine = SimulatedMachine::new(network, 0.02, 1);
    let estimation = Estimation { precision: Precision::within(0.01), ..Estimation::lmo() };
    let model = estimation.estimate(&mut machine)?.fit.model;
    for algorithm in [Algorithm::Linear, Algorithm::Binomial] {
        let query = Query::collective(
            CollectiveKind::Scatter,
            algorithm,
            Processor(0),
            4,
            Bytes::new(16 << 10),
        );
        let prediction = model.predict(ModelKind::Lmo, &query)?;
        let (low, high) =
            prediction.interval.expect("readings differ, so that parameters have intervals");
        writeln!(
            out,
            "{}: {} ({low} to {high})",
            query.operation_and_algorithm(),
            prediction.seconds
        )?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout())
}
