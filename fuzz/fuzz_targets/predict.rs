//! What a model file predicts: messages and collective operations of each of its network models,
//! forecasts of each region of its application at the points that were measured. No prediction
//! panics or is NaN.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orrery::model::file::parse;
use orrery::model::{Model, Predictor, Query};
use orrery::platform::Processor;
use orrery::sample::Experiment;
use orrery::scaling::{Layout, Point, Region};
use orrery::schedule::CollectiveKind;
use orrery::units::Bytes;

/// The number of processors up to which messages, and collective operations, are predicted.
const MAX_PROCESSORS: usize = 256;
const MAX_RANKS: usize = 64;

/// Predicts messages and collective operations by each network model.
fn communication(model: &Model) {
    let procs = model.processors();
    if procs > MAX_PROCESSORS {
        return;
    }
    let root = Processor(0);
    let sizes = [0, 1, 100_000, u64::MAX].map(Bytes::new);
    for kind in model.kinds() {
        let Ok(mut predictor) = Predictor::new(model, kind) else { continue };
        for size in sizes {
            let collective = |kind, algorithm| {
                Query::Experiment(Experiment::Collective { kind, algorithm, root, procs, size })
            };
            let mut queries = vec![Query::PointToPoint { from: root, to: Processor(1), size }];
            if procs <= MAX_RANKS {
                for kind in CollectiveKind::ALL {
                    queries.extend(
                        kind.algorithms().iter().map(|&algorithm| collective(kind, algorithm)),
                    );
                }
            }
            for query in queries {
                if let Ok(prediction) = predictor.predict(&query) {
                    assert!(!prediction.seconds.get().is_nan(), "{query}");
                }
            }
        }
    }
}

/// Forecasts the measured points of a region, and a point that was not measured, at all levels and
/// at the best ones.
fn forecasts(region: &Region) {
    let levels = region.best_levels(&Default::default());
    let at_levels = region.at_levels(&levels);
    let measured = region.measured.iter().take(5).map(|measured| measured.point.clone());
    let layout = Layout { processes: 4, grid: Some((2, 2)), block: Some(64) };
    let fixed = [("n".to_owned(), 1000.0)].into();
    let other =
        Point::of_configuration(&"a=2x1,b=2x1".parse().expect("a configuration"), layout, &fixed);
    let plain = Point {
        variables: [("n".to_owned(), 1e3), ("processes".to_owned(), 8.0)].into(),
        ..Point::default()
    };
    for point in measured.chain([other, plain]) {
        for region in [Some(region), at_levels.as_ref().ok()].into_iter().flatten() {
            if let Ok(forecast) = region.forecast(&point, 0.95) {
                assert!(!forecast.seconds.get().is_nan(), "{point}");
            }
        }
    }
}

fuzz_target!(|content: &[u8]| {
    let Ok(loaded) = parse(content, "fuzz") else { return };
    communication(&loaded.model);
    if let Some(application) = &loaded.model.application {
        application.regions.iter().take(5).for_each(forecasts);
    }
});
