//! The choice of collective operations agrees with a dense prediction of every candidate.

use orrery::collective::{SizeRange, table, tables};
use orrery::comm::Hockney;
use orrery::model::{Discrepancies, MeasuredError, PredictError};

use crate::prelude::*;
use crate::support;
use crate::variants::few_or_all;

fn estimate(value: f64, relative: f64) -> Estimate {
    let interval =
        Interval { low: value * (1.0 - relative), high: value * (1.0 + relative), level: 0.95 };
    Estimate { interval: Some(interval), ..Estimate::exact(value) }
}

/// Eight processors that differ, with a threshold of the linear scatter from root 0.
fn model(relative: f64) -> Model {
    let n = 8;
    let of = |base: f64, step: f64| {
        (0..n).map(|i| estimate(base + step * f64::from(i), relative)).collect()
    };
    let lmo = Lmo {
        fixed_delay: of(20e-6, 0.3e-6),
        byte_delay: of(1e-9, 0.4e-9),
        link_latency: Some(PerPair::from_fn(8, |a, b| {
            estimate(5e-6 + 0.5e-6 * f64::from(a.0 + b.0), relative)
        })),
        link_byte_delay: PerPair::from_fn(8, |a, b| {
            estimate(8e-9 + 1e-9 * f64::from(a.0 * b.0 % 5), relative)
        }),
    };
    let threshold = Thresholds {
        scatter_threshold: Some(Estimate::exact(3000.0)),
        ..Thresholds::none(CollectiveKind::Scatter, Processor(0), 8)
    };
    Model {
        hosts: vec![String::new(); 8],
        thresholds: vec![threshold],
        discrepancies: [(ModelKind::Lmo, without_errors())].into(),
        ..Model::default()
    }
    .with(ModelKind::Lmo, &lmo)
}

/// The plain schedules are right, as measurements of them show.
fn without_errors() -> Discrepancies {
    let names = ["scatter/linear", "scatter/binomial", "gather/linear", "gather/binomial"];
    let errors = names.iter().flat_map(|name| {
        (0..=20).step_by(2).map(|power| MeasuredError {
            algorithm: name.parse().unwrap(),
            root: Processor(0),
            procs: 8,
            size: Bytes::new(1 << power),
            error: 0.0,
            noise: 0.0,
        })
    });
    Discrepancies { collectives: errors.collect(), ..Discrepancies::default() }
}

fn choice(operation: CollectiveKind, roots: u32, high: u64) -> CollectiveChoice {
    let of_root = |root| {
        [Algorithm::Linear, Algorithm::Binomial]
            .map(|algorithm| Candidate { algorithm, root: Processor(root) })
    };
    let candidates = (0..roots).flat_map(of_root).collect();
    support::choice(operation, 8, candidates, (1, high))
}

/// The fastest candidate by predicting each.
fn fastest(predictor: &mut Predictor, choice: &CollectiveChoice, size: u64) -> Candidate {
    let CollectiveChoice { operation: kind, procs, .. } = *choice;
    let time = |predictor: &mut Predictor, Candidate { algorithm, root }| {
        let experiment = support::collective(kind, algorithm, root.0, procs, size);
        predictor.predict(&Query::Experiment(experiment)).unwrap().seconds
    };
    let timed: Vec<(Seconds, Candidate)> =
        choice.candidates.iter().map(|&one| (time(predictor, one), one)).collect();
    timed.into_iter().reduce(|best, other| if other.0 < best.0 { other } else { best }).unwrap().1
}

fn range_of(ranges: &[SizeRange], size: u64) -> &SizeRange {
    ranges.iter().find(|range| range.sizes.0.get() <= size && size <= range.sizes.1.get()).unwrap()
}

#[test]
fn crossovers_equal_those_of_a_dense_prediction() {
    let model = model(0.01);
    for operation in CollectiveKind::SCATTER_GATHER {
        let choice = choice(operation, 3, 10_000);
        let ranges = choose(&model, ModelKind::Lmo, &choice).unwrap();
        assert!(
            ranges
                .iter()
                .map(|range| range.best.algorithm)
                .any(|one| one != ranges[0].best.algorithm),
            "{ranges:?}"
        );
        let mut predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
        let ends = ranges.iter().flat_map(|range| [range.sizes.0.get(), range.sizes.1.get()]);
        for size in (1..=10_000).step_by(few_or_all(10, 1)).chain(ends) {
            assert_eq!(
                range_of(&ranges, size).best,
                fastest(&mut predictor, &choice, size),
                "{operation} {size}"
            );
        }
        for pair in ranges.windows(2) {
            assert_eq!(pair[0].sizes.1.get() + 1, pair[1].sizes.0.get());
        }
    }
}

#[test]
fn wide_intervals_make_margins_insignificant() {
    let choice = choice(CollectiveKind::Scatter, 1, 1 << 20);
    let ranges = |relative| choose(&model(relative), ModelKind::Lmo, &choice).unwrap();
    let far_from_crossovers =
        CollectiveChoice { sizes: (Bytes::new(1), Bytes::new(64)), ..choice.clone() };
    let sharp = choose(&model(1e-6), ModelKind::Lmo, &far_from_crossovers).unwrap();
    assert!(sharp.iter().all(|range| range.distinct == Some(true)), "{sharp:?}");
    assert!(ranges(0.9).iter().any(|range| range.distinct == Some(false)));
    for range in ranges(0.9) {
        let (low, high) = range.first.interval.unwrap();
        assert!(low <= range.first.margin && range.first.margin <= high, "{range:?}");
        assert_eq!(range.distinct, Some(low > Seconds::ZERO), "{range:?}");
    }
}

#[test]
fn a_step_bounds_the_error_of_crossovers() {
    let model = model(0.01);
    let fine = choice(CollectiveKind::Gather, 1, 100_000);
    let coarse = CollectiveChoice { step: 512, ..fine.clone() };
    let ends = |choice: &CollectiveChoice| -> Vec<u64> {
        let ranges = choose(&model, ModelKind::Lmo, choice).unwrap();
        ranges
            .windows(2)
            .filter(|two| two[0].best != two[1].best)
            .map(|two| two[1].sizes.0.get())
            .collect()
    };
    let (fine, coarse) = (ends(&fine), ends(&coarse));
    assert_eq!(fine.len(), coarse.len());
    assert!(fine.iter().zip(&coarse).all(|(a, b)| a.abs_diff(*b) <= 512), "{fine:?} {coarse:?}");
}

/// Between two processors every root takes the same time up to rounding errors, which decide
/// nothing.
#[test]
fn equally_fast_candidates_do_not_alternate() {
    let model = model(0.01);
    for operation in CollectiveKind::SCATTER_GATHER {
        let candidates =
            [0, 1].map(|root| Candidate { algorithm: Algorithm::Binomial, root: Processor(root) });
        let choice = CollectiveChoice {
            procs: 2,
            candidates: candidates.to_vec(),
            ..choice(operation, 1, 100_000)
        };
        let ranges = choose(&model, ModelKind::Lmo, &choice).unwrap();
        let found: Vec<(u32, Option<bool>)> =
            ranges.iter().map(|range| (range.best.root.0, range.distinct)).collect();
        assert_eq!(found, [(0, Some(false))], "{operation}");
    }
}

/// Processors that combine data at different rates, and links that differ, by two kinds of models.
fn heterogeneous() -> Model {
    let byte_delay =
        PerPair::from_fn(8, |a, b| Estimate::exact(6e-9 + 2e-9 * f64::from((a.0 * 3 + b.0) % 7)));
    let latency =
        PerPair::from_fn(8, |a, b| Estimate::exact(30e-6 + 7e-6 * f64::from((a.0 + 5 * b.0) % 6)));
    let (mean_latency, mean_byte_delay) = (Estimate::exact(45e-6), Estimate::exact(12e-9));
    let combination = (0..8).map(|i| Estimate::exact(0.2e-9 * f64::from(i % 3 + 1))).collect();
    let hockney = Hockney { latency, byte_delay, mean_latency, mean_byte_delay };
    Model { combination, ..model(0.01) }.with(ModelKind::Hockney, &hockney)
}

/// Predictions of all candidates at a size by the engine, and the tables of the fastest ones,
/// agree.
#[test]
fn tables_equal_predictions_of_all_candidates() {
    let model = heterogeneous();
    let sizes: Vec<Bytes> = (0..22).step_by(3).map(|k| Bytes::new(1 << k)).collect();
    let candidate = |algorithm| Candidate { algorithm, root: Processor(0) };
    let of = |operation: CollectiveKind, procs| {
        let candidates = operation.algorithms_on(procs).map(candidate).collect();
        CollectiveChoice { procs, candidates, ..choice(operation, 1, 1 << 21) }
    };
    let operations = CollectiveKind::ALL.into_iter();
    let choices: Vec<_> =
        operations.flat_map(|operation| (2..=8).map(move |procs| of(operation, procs))).collect();
    for kind in [ModelKind::Lmo, ModelKind::Hockney] {
        let mut predictor = Predictor::new(&model, kind).unwrap();
        let all = tables(&model, kind, &choices, &sizes).unwrap();
        for (choice, decisions) in choices.iter().zip(&all) {
            assert_eq!(*decisions, table(&model, kind, choice, &sizes).unwrap());
            for (decision, &size) in decisions.iter().zip(&sizes) {
                let mut time = |Candidate { algorithm, root }| {
                    let (kind, procs) = (choice.operation, choice.procs);
                    let experiment = Experiment::Collective { kind, algorithm, root, procs, size };
                    predictor.predict(&Query::Experiment(experiment)).unwrap().seconds
                };
                let times: Vec<Seconds> = choice.candidates.iter().map(|&one| time(one)).collect();
                let shortest = times.iter().copied().reduce(Seconds::min).unwrap();
                let is_fastest = |seconds: &Seconds| seconds.get() <= shortest.get() * (1.0 + 1e-9);
                let first = times.iter().position(is_fastest).unwrap();
                let place = (kind, choice.operation, choice.procs, size);
                assert_eq!(
                    (decision.best, decision.seconds),
                    (choice.candidates[first], times[first]),
                    "{place:?}"
                );
            }
            assert_eq!(decisions.len(), sizes.len());
        }
    }
}

#[test]
fn message_times_are_those_of_predictions() {
    let model = model(0.01);
    let mut predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
    let (from, to) = (Processor(5), Processor(2));
    for size in [0, 1, 1000, 1 << 20].map(Bytes::new) {
        let predicted = predictor.predict(&Query::PointToPoint { from, to, size }).unwrap().seconds;
        assert_eq!(predictor.message_time(from, to, size), Ok(predicted));
    }
    assert!(matches!(
        predictor.message_time(from, from, Bytes::ZERO),
        Err(PredictError::Oneself(_))
    ));
    let error = predictor.message_time(from, Processor(8), Bytes::ZERO).unwrap_err();
    assert_eq!(error.to_string(), "there is no processor 8: the model has 8, numbered from 0");
}

/// The chosen and the next candidate are those of predictions of all candidates.
#[test]
fn comparisons_equal_predictions_of_all_candidates() {
    let model = model(0.05);
    for operation in
        [CollectiveKind::Broadcast, CollectiveKind::Allreduce, CollectiveKind::Alltoall]
    {
        let candidate = |algorithm| Candidate { algorithm, root: Processor(0) };
        // A segmented ring without segments consists of the messages of a ring.
        let algorithms =
            operation.algorithms_on(8).filter(|one| *one != Algorithm::SegmentedRing(Bytes::ZERO));
        let candidates = algorithms.map(candidate).collect();
        let choice = CollectiveChoice { candidates, merges: true, ..choice(operation, 1, 1 << 18) };
        let ranges = choose(&model, ModelKind::Lmo, &choice).unwrap();
        let mut predictor = Predictor::new(&model, ModelKind::Lmo).unwrap();
        for range in &ranges {
            for (size, comparison) in
                [(range.sizes.0, &range.first), (range.last.size, &range.last)]
            {
                let time = |predictor: &mut Predictor, Candidate { algorithm, root }| {
                    let experiment =
                        Experiment::Collective { kind: operation, algorithm, root, procs: 8, size };
                    predictor.predict(&Query::Experiment(experiment)).unwrap().seconds
                };
                let own = time(&mut predictor, range.best);
                assert_eq!(own, comparison.seconds);
                let others = choice.candidates.iter().filter(|one| **one != range.best);
                let next =
                    others.map(|&one| time(&mut predictor, one)).reduce(Seconds::min).unwrap();
                let margin = next - own;
                assert!(
                    (comparison.margin - margin).get().abs() <= 1e-9 * own.get(),
                    "{operation} {comparison:?} {margin:?}"
                );
            }
        }
    }
}

#[test]
fn the_candidate_in_use_stays_wherever_no_other_is_faster_beyond_doubt() {
    let model = model(0.05);
    for algorithm in [Algorithm::Linear, Algorithm::Binomial] {
        let kept = Candidate { algorithm, root: Processor(0) };
        let all = CollectiveChoice {
            merges: true,
            kept: Some(kept),
            ..choice(CollectiveKind::Gather, 1, 1 << 16)
        };
        let ranges = choose(&model, ModelKind::Lmo, &all).unwrap();
        let stays = |power: u32| {
            let size = Bytes::new(1 << power);
            let alone = CollectiveChoice { sizes: (size, size), ..all.clone() };
            let of_size = choose(&model, ModelKind::Lmo, &alone).unwrap();
            let found = of_size[0].best == kept;
            assert_eq!(range_of(&ranges, size.get()).best == kept, found, "{algorithm} {size}");
            found
        };
        let found: Vec<bool> = (0..=16).map(stays).collect();
        assert!(found.contains(&true) && found.contains(&false), "{algorithm} {found:?}");
    }
}
