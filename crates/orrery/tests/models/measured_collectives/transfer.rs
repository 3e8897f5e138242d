//! Choices at sizes and on numbers of processors that were not measured.

use std::collections::BTreeMap;

use orrery::collective::measured::{
    CollectiveReadings, DefaultTime, Design, KeepDefault, MeasuredChoice, MeasuredError,
    MeasuredModel, Point, REACH, Row, Selection,
};
use orrery::numeric::mean;

use super::{SYSTEMS, broadcast, double_time, open_mpi, readings, samples};
use crate::prelude::*;

const ALGORITHMS: [Algorithm; 3] =
    [Algorithm::Binomial, Algorithm::Linear, Algorithm::ScatterAllgather];

/// The sizes of the synthetic tables, a factor of 16 apart.
const SIZES: [u64; 5] = [64, 1 << 10, 16 << 10, 256 << 10, 4 << 20];

/// The times of broadcasts by the formulas, for a choice on `procs` processors.
fn by_formulas(
    procs: usize,
    measured: &[usize],
    times: impl Fn(&Row) -> f64,
) -> CollectiveReadings {
    let points = measured.iter().flat_map(|&procs| SIZES.map(|size| broadcast(procs, size)));
    let rows = points.flat_map(|point| {
        ALGORITHMS.map(|one| Row { point, implementation: open_mpi(one), launch: 0 })
    });
    CollectiveReadings {
        procs,
        per_host: 1,
        root: Processor(0),
        times: rows.map(|row| (row, times(&row))).collect(),
        defaults: BTreeMap::new(),
        out_of_reach: BTreeMap::new(),
    }
}

/// The design of all measured sizes on the number of processors of the choice, and of further ones.
fn design(readings: &CollectiveReadings, further: &[u64]) -> Design {
    let mut points = readings.points(None).unwrap();
    points.extend(further.iter().map(|&size| broadcast(readings.procs, size)));
    Design::of(readings, [], points).unwrap()
}

/// The width of the interval of a row as a difference of logs.
fn width(model: &MeasuredModel, design: &Design, row: &Row) -> f64 {
    let (low, high) = model.time(design.index_of(row).unwrap()).interval;
    (high.get() / low.get()).ln()
}

/// At measured points a choice is that of the measured times, and questions at further sizes change
/// nothing there.
#[test]
fn measured_points_keep_their_times() {
    // Each row deviates from its formula in its own way, by up to a factor of 1.4.
    let deviating = |row: &Row| {
        let place = row.point.size.get().trailing_zeros() as f64;
        double_time(row)
            * (0.35 * (place + row.implementation.to_string().len() as f64).sin()).exp()
    };
    let readings = by_formulas(16, &[16], deviating);
    let (alone, asked) = (design(&readings, &[]), design(&readings, &[200, 100_000]));
    let models = [&alone, &asked].map(|one| MeasuredModel::of(one, &readings).unwrap());
    for (row, seconds) in &readings.times {
        let [before, after] = [(&models[0], &alone), (&models[1], &asked)]
            .map(|(model, design)| model.time(design.index_of(row).unwrap()).seconds.get());
        assert!((before / seconds).ln().abs() < 0.05, "{row:?}: {before} and {seconds}");
        assert!((after / before - 1.0).abs() < 1e-9, "{row:?}: {after} and {before}");
    }
}

/// The interval of a transferred time is never narrower than those that it comes from, and widens
/// with the distance from measured sizes.
#[test]
fn transferred_intervals_are_wider() {
    for (procs, measured) in [(12, &[16][..]), (16, &[12]), (24, &[16, 32]), (32, &[16])] {
        let readings = by_formulas(procs, measured, double_time);
        let design = design(&readings, &[]);
        let model = MeasuredModel::of(&design, &readings).unwrap();
        for row in readings.times.keys() {
            let point = Point { procs, ..row.point };
            let [source, target] =
                [*row, Row { point, ..*row }].map(|row| width(&model, &design, &row));
            assert!(target > source, "{procs} from {row:?}: {target} and {source}");
        }
    }
    let readings = by_formulas(16, &[16], double_time);
    let further = [1 << 11, 1 << 12];
    let design = design(&readings, &further);
    let model = MeasuredModel::of(&design, &readings).unwrap();
    for one in ALGORITHMS {
        let widths = [1 << 10, further[0], further[1]].map(|size| {
            let row = Row { point: broadcast(16, size), implementation: open_mpi(one), launch: 0 };
            width(&model, &design, &row)
        });
        assert!(widths.is_sorted(), "{one}: {widths:?}");
    }
}

/// Where the formulas hold, the choice on another number of processors and between sizes is the
/// fastest algorithm, and its interval contains the time.
#[test]
fn formulas_transfer() {
    for (procs, measured) in [(24, &[16_usize][..]), (20, &[12, 32]), (9, &[16])] {
        let is_alike = measured.iter().any(|one| !one.is_power_of_two());
        let readings = by_formulas(procs, measured, double_time);
        let further: Vec<u64> = SIZES.windows(2).map(|pair| pair[0] * 4).collect();
        let design = design(&readings, &further);
        let model = MeasuredModel::of(&design, &readings).unwrap();
        let choices = model.choices(&readings, KeepDefault::IfFaster);
        assert_eq!(choices.len(), SIZES.len() + further.len());
        for MeasuredChoice { point, origin, ranking, predicted, probability, .. } in choices {
            let time = |implementation| double_time(&Row { point, implementation, launch: 0 });
            let best = ranking.iter().map(|one| time(*one)).fold(f64::INFINITY, f64::min);
            let chosen = time(ranking[0]);
            assert!(chosen <= 1.2 * best, "{point:?}: {chosen} and {best}");
            let (low, high) = predicted.interval;
            assert!((low.get()..=high.get()).contains(&chosen), "{point:?}");
            assert!(origin.is_transferred && origin.procs == measured, "{origin:?}");
            assert_eq!(origin.is_alike, is_alike);
            let least = if is_alike { 0.7 } else { 0.5 };
            assert!(probability.is_some_and(|one| (least..1.0).contains(&one)), "{probability:?}");
        }
    }
}

/// Where the library's own choice beat all measured algorithms, it is kept nearby, too.
#[test]
fn a_default_that_was_faster_nearby_is_kept() {
    for (part, is_kept) in [(0.5, true), (0.95, false), (2.0, false)] {
        let mut readings = by_formulas(24, &[16], double_time);
        for (row, seconds) in readings.times.clone() {
            let best = readings.defaults.entry((row.point, 0)).or_insert(f64::INFINITY);
            *best = best.min(part * seconds);
        }
        let design = design(&readings, &[]);
        let model = MeasuredModel::of(&design, &readings).unwrap();
        for choice in model.choices(&readings, KeepDefault::IfFaster) {
            assert_eq!(choice.chosen.is_none(), is_kept, "{part}: {choice:?}");
            let is_faster = matches!(choice.default, DefaultTime::FasterNearby(time)
                if time.seconds < choice.predicted.seconds);
            assert_eq!(is_faster, is_kept, "{part}: {choice:?}");
        }
    }
}

/// A question at most [`REACH`] away from what was measured is answered; a farther one names what
/// to measure.
#[test]
fn far_questions_are_refused() {
    let mut text =
        "# format: orrery-samples 1\n".to_owned() + "experiment,i,procs,size,launch,rep,seconds\n";
    for (operation, procs) in [("bcast", 16), ("bcast", 64), ("allreduce", 16)] {
        for algorithm in ["binomial", "linear"].map(|one| match operation {
            "bcast" => one,
            _ if one == "binomial" => "ring",
            _ => "recursive-doubling",
        }) {
            let root = if operation == "bcast" { "0" } else { "" };
            let row = format!("native/{operation}/ompi/{algorithm},{root},{procs},1024,0,0,1e-5\n");
            text.push_str(&row);
        }
    }
    let samples = orrery::sample::file::parse(&text, "s.csv").unwrap().samples;
    let of = |procs| {
        CollectiveReadings::of(&samples, &Selection { procs: Some(procs), ..Selection::default() })
    };
    let sources = |procs| {
        let readings = of(procs).unwrap();
        let mut counts: Vec<usize> = readings.times.keys().map(|row| row.point.procs).collect();
        counts.dedup();
        (counts, readings.out_of_reach.keys().map(ToString::to_string).collect::<Vec<_>>())
    };
    assert_eq!(sources(16), (vec![16], vec![]), "bcast and allreduce, by their own times");
    assert_eq!(sources(8), (vec![16], vec![]));
    assert_eq!(sources(32), (vec![16, 64, 16], vec![]), "bcast by both");
    assert_eq!(sources(33), (vec![64], vec!["allreduce".to_owned()]));
    for far in [7, 129, usize::MAX] {
        let error = of(far).unwrap_err();
        assert_eq!(error, MeasuredError::OutOfReach { procs: far, found: vec![16, 64] });
        let text = error.to_string();
        assert!(text.contains("16, 64 processors") && text.contains("measure on"), "{text}");
    }
    let readings = of(32).unwrap();
    let at = |low, high| readings.points(Some((Bytes::new(low), Bytes::new(high))));
    let sizes = |low, high| -> Vec<u64> {
        at(low, high).unwrap().iter().map(|point| point.size.get()).collect()
    };
    assert_eq!(sizes(1, 1 << 20), [1024, 1024], "both operations, without far ends");
    assert_eq!(sizes(512, 600), [512, 600, 512, 600]);
    let error = at(2049, 4096).unwrap_err().to_string();
    assert!(error.contains("from 1K to 1K") && error.contains(&REACH.to_string()), "{error}");
}

/// The public times of Leonardo and LUMI: each size between others is left out and chosen by them.
#[test]
fn left_out_sizes_are_chosen_better_than_by_the_library() {
    let (mut all, mut all_defaults, mut inside) = (Vec::new(), Vec::new(), Vec::new());
    for system in SYSTEMS {
        let Some(readings) = readings(system) else { return };
        let (mut lost, mut defaults) = (Vec::new(), Vec::new());
        let mut points: Vec<Point> = readings.times.keys().map(|row| row.point).collect();
        points.dedup();
        for sizes in points.chunk_by(|a, b| a.operation == b.operation) {
            for &point in &sizes[1..sizes.len().max(2) - 1] {
                let is_other = |one: Point| one.operation == point.operation && one != point;
                let mut others = readings.clone();
                others.times.retain(|row, _| is_other(row.point));
                others.defaults.retain(|(one, _), _| is_other(*one));
                let design = Design::of(&others, [], [point]).unwrap();
                let model = MeasuredModel::of(&design, &others).unwrap();
                let choices = model.choices(&others, KeepDefault::IfFaster);
                let choice = choices.iter().find(|one| one.point == point).unwrap();
                for (row, seconds) in readings.times.iter().filter(|(row, _)| row.point == point) {
                    let Some(index) = design.index_of(row) else { continue };
                    let time = model.time(index);
                    // The half-widths of intervals of 90 and 95 % are 1.645 and 1.96 deviations.
                    let deviation = (time.interval.1.get() / time.seconds.get()).ln() / 1.645;
                    let error = (seconds / time.seconds.get()).ln();
                    inside.push(if error.abs() <= 1.96 * deviation { 1.0 } else { 0.0 });
                }
                let chosen = |_| Some((choice.ranking.clone(), choice.chosen.is_none()));
                let mut only = readings.clone();
                only.times.retain(|row, _| row.point == point);
                for loss in super::losses(&only, chosen) {
                    lost.push(loss.chosen);
                    defaults.push(loss.default);
                }
            }
        }
        println!(
            "{} {}: {} points left out: regret {:.2} %, default {:.2} %",
            system.0,
            system.1,
            lost.len(),
            100.0 * mean(&lost),
            100.0 * mean(&defaults)
        );
        assert!(mean(&lost) <= mean(&defaults).max(0.08), "{system:?}");
        all.extend(lost);
        all_defaults.extend(defaults);
    }
    let (regret, default, coverage) = (mean(&all), mean(&all_defaults), mean(&inside));
    println!("all: regret {regret:.4}, default {default:.4}, coverage of 95 % {coverage:.3}");
    assert!(regret <= 0.08 && regret < default, "{regret} and {default}");
    assert!((0.90..=0.99).contains(&coverage), "{coverage}");
}

/// The public tables of one number of nodes do not answer for far ones.
#[test]
fn far_tables_of_public_times_are_refused() {
    let Some(of_four) = samples(SYSTEMS[0], 1) else { return };
    let selection = Selection { procs: Some(32), ..Selection::default() };
    let refused = CollectiveReadings::of(&of_four, &selection).unwrap_err();
    assert_eq!(refused, MeasuredError::OutOfReach { procs: 32, found: vec![4] });
}
