//! Predictions of messages of many sizes: `predict MODEL KIND SIZES` prints the seconds of one pass
//! over the sizes.
//!
//! Without arguments, those of a model of eight processors. `scripts/bench-python` compares it with
//! the Python module.

use std::hint::black_box;
use std::time::Instant;

use orrery::comm::Hlmo;
use orrery::model::{Model, ModelKind, Prediction, Predictor, Query, file};
use orrery::numeric::Estimate;
use orrery::platform::Processor;
use orrery::units::Bytes;

/// The number of sizes by default.
const SIZES: u64 = 100_000;

/// A model of eight processors.
fn example() -> Model {
    let lmo = Hlmo::from_estimates([10e-6, 1e-9, 20e-6, 8e-9].map(Estimate::exact)).as_lmo(8);
    Model::new(8).with(ModelKind::Lmo, &lmo)
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let (model, kind, sizes) = match &arguments[..] {
        [path, kind, sizes] => {
            let model = file::read(path).expect("a model file").model;
            (model, kind.parse().expect("a kind of model"), sizes.parse().expect("a number"))
        }
        _ => (example(), ModelKind::Lmo, SIZES),
    };
    let mut predictor = Predictor::new(&model, kind).expect("the model has the kind");
    let begin = Instant::now();
    let mut columns: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::with_capacity(sizes as usize));
    for size in 0..sizes {
        let query =
            Query::PointToPoint { from: Processor(0), to: Processor(1), size: Bytes::new(size) };
        let Prediction { seconds, interval, .. } = predictor.predict(&query).expect("a prediction");
        let (low, high) =
            interval.map_or((f64::NAN, f64::NAN), |(low, high)| (low.get(), high.get()));
        columns
            .iter_mut()
            .zip([seconds.get(), low, high])
            .for_each(|(column, value)| column.push(value));
    }
    let seconds = begin.elapsed().as_secs_f64();
    black_box(columns);
    println!("{seconds}");
}
