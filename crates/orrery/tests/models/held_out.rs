//! What a fit has seen is marked, and what it holds out changes nothing in its model.

use orrery::model::{RankingBasis, SeenExperiments, file};
use orrery::units::SizeList;

use crate::prelude::*;
use crate::support::{Design, campaign, collective, differing};

/// The number of processors.
const N: usize = 4;

/// The sizes of broadcasts.
const SIZES: [u64; 5] = [1024, 2048, 4096, 8192, 16384];

/// A broadcast from a root.
fn bcast(root: u32, size: u64) -> Experiment {
    collective(CollectiveKind::Broadcast, Algorithm::Binomial, root, N, size)
}

/// Messages, and broadcasts that take 1.3 times their schedule, and more at larger sizes.
fn samples() -> Samples {
    let (layout, truth) = differing(N, true, 4.0, 3);
    let mut network = LmoNetwork::from_parameters(layout, truth);
    let mut samples = campaign(network.clone(), 0.02, 3, 5, Design::Full);
    for (root, size) in (0..2).flat_map(|root| SIZES.map(|size| (root, size))) {
        let experiment = bcast(root, size);
        let (program, placement, reading) = Query::Experiment(experiment).program().unwrap();
        let mut engine = Engine::new();
        let schedule = engine.run(&program, &placement, &mut network).unwrap();
        let factor = 1.3 + size as f64 * 2e-6;
        for rep in 0..3 {
            let noise = 1.0 + 0.01 * f64::from(rep);
            let seconds = Seconds::new(schedule.read(reading).get() * factor * noise);
            samples.push(Sample { experiment, launch: 0, rep, seconds });
        }
    }
    samples
}

fn fitted(samples: &Samples, held_out: SizeList) -> Model {
    let kinds = Some(vec![ModelKind::Lmo, ModelKind::Hockney]);
    fit(samples, &FitOptions { kinds, held_out, ..FitOptions::default() }).unwrap().model
}

/// The errors at the held-out size by both models, and whether all of them are marked as unseen.
fn errors_at(model: &Model, samples: &Samples, size: u64) -> (Vec<f64>, bool) {
    let validation = validate(model, samples, &model.kinds(), 0.95).unwrap();
    let of_size =
        |experiment: &Experiment| experiment.is_collective() && experiment.size().get() == size;
    let rows: Vec<_> = validation.rows.iter().filter(|row| of_size(&row.experiment)).collect();
    (rows.iter().map(|row| row.error).collect(), rows.iter().all(|row| !row.seen))
}

#[test]
fn a_refit_without_the_held_out_rows_is_the_same_model() {
    let all = samples();
    let held_out = fitted(&all, SizeList::from_iter([Bytes::new(4096)]));
    let mut others = all.clone();
    others.retain(|experiment, _| *experiment != bcast(0, 4096) && *experiment != bcast(1, 4096));
    let refitted = fitted(&others, SizeList::default());
    assert_eq!(held_out.provenance.get("held_out_sizes"), Some("4K"));
    let provenance = held_out.provenance.clone();
    assert_eq!(held_out, Model { provenance, ..refitted.clone() });

    let (errors, are_held_out) = errors_at(&held_out, &all, 4096);
    assert_eq!((errors.clone(), are_held_out), errors_at(&refitted, &all, 4096));
    assert!(are_held_out && errors.len() == 2 * 3, "two roots, three kinds: {errors:?}");
    // A fit that sees the size corrects the algorithm by it, too.
    let (seen, are_held_out) = errors_at(&fitted(&all, SizeList::default()), &all, 4096);
    assert!(!are_held_out && seen != errors, "{seen:?}");
}

#[test]
fn predictions_are_ranked_by_what_the_fit_has_not_seen() {
    let all = samples();
    let basis = |model: &Model, samples: &Samples| {
        validate(model, samples, &model.kinds(), 0.95).unwrap().basis()
    };
    let model = fitted(&all, SizeList::from_iter([Bytes::new(4096)]));
    let read = file::parse(file::to_text(&model).unwrap(), "m.json").unwrap().model;
    assert_eq!(read, model);
    assert_eq!(basis(&model, &all), RankingBasis { collectives: true, seen: false });

    // Of the samples of the fit all errors are residuals, also of other launches of them.
    let mut later = Samples::default();
    for sample in all.iter().filter(|sample| sample.experiment.size().get() != 4096) {
        later.push(Sample { launch: 1, seconds: sample.seconds * 1.1, ..sample });
    }
    let residuals = RankingBasis { collectives: true, seen: true };
    assert_eq!(basis(&model, &later), residuals);
    let validation = validate(&model, &later, &model.kinds(), 0.95).unwrap();
    assert!(validation.rows.iter().all(|row| row.seen));
    assert!(validation.ranking(|row| !row.seen).is_empty());

    // A file without a record: a fit has seen everything, a model by hand nothing.
    let mut older = model.clone();
    older.measurements.seen = SeenExperiments::default();
    assert_eq!(basis(&older, &all), residuals);
    let by_hand = Model { provenance: Provenance::new(), ..older };
    assert_eq!(basis(&by_hand, &all), RankingBasis { collectives: true, seen: false });

    // Summaries do not mix both.
    let validation = validate(&model, &all, &[ModelKind::Lmo], 0.95).unwrap();
    let bcasts = validation.summary.iter().filter(|one| one.operation == "bcast/binomial");
    let counts: Vec<_> = bcasts.map(|one| (one.seen, one.rows)).collect();
    assert_eq!(counts, [(false, 2), (true, 8)]);
}
