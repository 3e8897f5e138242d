//! Choices of collective algorithms from a few of the rows that were measured on Leonardo and LUMI
//! with PICO (HLC-Lab/pico, MIT licence): `pico/collectives.csv` in the folder `ORRERY_DATA`.
//! Without the folder the tests are skipped.

mod lookup;
mod transfer;

use std::collections::{BTreeMap, BTreeSet};

use orrery::collective::measured::{
    CollectiveReadings, Design, Implementation, KeepDefault, MeasuredError, MeasuredModel,
    OPERATIONS, Point, Row, Selection, advise, counts,
};
use orrery::numeric::mean;
use orrery::sample::import::{PicoImporter, PicoSelection};
use orrery::sample::{Library, LibraryAlgorithm};

use crate::prelude::*;
use crate::public_data::public_data;
use lookup::Rule;

/// The systems with one process per node: name, nodes, library.
const SYSTEMS: [(&str, usize, &str); 6] = [
    ("leonardo", 4, OPEN_MPI),
    ("leonardo", 32, OPEN_MPI),
    ("leonardo", 64, OPEN_MPI),
    ("leonardo", 256, OPEN_MPI),
    ("lumi", 4, CRAY_MPICH),
    ("lumi", 16, CRAY_MPICH),
];
const OPEN_MPI: &str = "OMPI 4.1.6";
const CRAY_MPICH: &str = "CRAY_MPICH 8.1.29";

/// The samples of a system; `None` without public data.
fn samples((system, nodes, library): (&str, usize, &str), ppn: usize) -> Option<Samples> {
    let content = std::fs::read(public_data()?.join("pico/collectives.csv")).unwrap();
    let (system, library) = (Some(system.into()), Some(library.into()));
    let selection =
        PicoSelection { system, nodes: Some(nodes), ppn: Some(ppn), library, operation: None };
    let mut importer = PicoImporter::new(selection);
    importer.add(content, "collectives.csv").unwrap();
    Some(importer.finish().unwrap().samples)
}

/// The times of a system, without the algorithms of Bine.
fn readings(system: (&str, usize, &str)) -> Option<CollectiveReadings> {
    let mut samples = samples(system, 1)?;
    samples.retain(|experiment, _| {
        let is_bine = |algorithm| matches!(algorithm, Algorithm::Bine | Algorithm::BineDoubling);
        !matches!(experiment, Experiment::Collective { algorithm, .. } if is_bine(*algorithm))
    });
    Some(CollectiveReadings::of(&samples, &Selection::default()).unwrap())
}

/// What a choice loses against the fastest algorithm, at one point in one launch.
struct Loss {
    point: Point,
    chosen: f64,
    default: f64,
}

/// The losses of choices: each is a ranking and whether the default comes first. Where the first is
/// not available in a launch, the next one is used. Points without a default or without a choice
/// are left out.
fn losses(
    readings: &CollectiveReadings,
    choose: impl Fn(Point) -> Option<(Vec<Implementation>, bool)>,
) -> Vec<Loss> {
    let mut points: BTreeMap<(Point, u32), BTreeMap<Implementation, f64>> = BTreeMap::new();
    for (row, seconds) in &readings.times {
        points.entry((row.point, row.launch)).or_default().insert(row.implementation, *seconds);
    }
    let mut losses = Vec::new();
    for ((point, launch), times) in points {
        let Some(default) = readings.defaults.get(&(point, launch)) else { continue };
        let best = times.values().copied().fold(f64::INFINITY, f64::min);
        let (ranking, keeps_default) = choose(point).unwrap_or_default();
        let first = ranking.iter().find_map(|implementation| times.get(implementation));
        let chosen = if keeps_default { default } else { first.unwrap_or(default) };
        losses.push(Loss { point, chosen: chosen / best - 1.0, default: default / best - 1.0 });
    }
    losses
}

fn mean_loss(losses: &[Loss]) -> f64 {
    mean(&losses.iter().map(|loss| loss.chosen).collect::<Vec<_>>())
}

/// The result of the rule from a part of the rows.
struct Outcome {
    read: usize,
    rows: usize,
    losses: Vec<Loss>,
    /// For each row that was not read: the row, the log error of its prediction, and whether its
    /// interval contains the time.
    unseen: Vec<(Row, f64, bool)>,
    bought: Vec<Row>,
    /// The ranking of each point, and whether the default is kept.
    choices: Choices,
    /// The losses if the readings of the default are free.
    with_defaults: Vec<Loss>,
}

/// The ranking at each point, and whether the default is kept.
type Choices = BTreeMap<Point, (Vec<Implementation>, bool)>;

impl Outcome {
    fn regret(&self) -> f64 {
        mean_loss(&self.losses)
    }

    fn default(&self) -> f64 {
        mean(&self.losses.iter().map(|loss| loss.default).collect::<Vec<_>>())
    }

    fn coverage(&self) -> f64 {
        self.unseen.iter().filter(|(.., inside)| *inside).count() as f64 / self.unseen.len() as f64
    }
}

fn design(readings: &CollectiveReadings) -> Design {
    Design::new(readings.procs, readings.times.keys().copied(), readings.defaults.keys().copied())
        .unwrap()
}

/// Reads rows one by one, each the one with the largest gain, and judges the choices at each of the
/// parts 1/n.
fn run(readings: &CollectiveReadings, parts: &[usize]) -> Vec<Outcome> {
    let design = design(readings);
    let mut model = MeasuredModel::new(&design);
    let mut candidates: Vec<usize> =
        readings.times.keys().map(|row| design.index_of(row).unwrap()).collect();
    let rows = readings.times.len() + readings.defaults.len();
    let blind = CollectiveReadings { defaults: BTreeMap::new(), ..readings.clone() };
    let mut outcomes = Vec::new();
    for &part in parts {
        while model.rows_read().len() < rows / part {
            let next = model.next(&candidates).unwrap();
            candidates.retain(|row| *row != next.index);
            model.read([(next.index, readings.times[&next.row])]).unwrap();
        }
        let choices = |readings: &CollectiveReadings| -> Choices {
            let choices = model.choices(readings, KeepDefault::IfFaster).into_iter();
            choices
                .map(|choice| (choice.point, (choice.ranking, choice.chosen.is_none())))
                .collect()
        };
        let (choices, with_defaults) = (choices(&blind), choices(readings));
        let judge = |&index: &usize| {
            let (row, time) = (design.rows()[index], model.time(index));
            let seconds = readings.times[&row];
            let inside = (time.interval.0.get()..=time.interval.1.get()).contains(&seconds);
            (row, (seconds / time.seconds.get()).ln(), inside)
        };
        outcomes.push(Outcome {
            read: model.rows_read().len(),
            rows,
            losses: losses(readings, |point| choices.get(&point).cloned()),
            unseen: candidates.iter().map(judge).collect(),
            with_defaults: losses(readings, |point| with_defaults.get(&point).cloned()),
            choices,
            bought: model.rows_read().iter().map(|&row| design.rows()[row]).collect(),
        });
    }
    outcomes
}

/// Prints the table of the study, and the errors of predictions by operation.
fn report(name: &str, outcome: &Outcome, rival: f64) {
    println!(
        "{name}: {} of {} rows: regret {:.2} %, with read defaults {:.2} %, default {:.2} %, rival \
            {:.2} %, coverage {:.3}",
        outcome.read,
        outcome.rows,
        100.0 * outcome.regret(),
        100.0 * mean_loss(&outcome.with_defaults),
        100.0 * outcome.default(),
        100.0 * rival,
        outcome.coverage(),
    );
    let operations: BTreeSet<_> = outcome.losses.iter().map(|loss| loss.point.operation).collect();
    for operation in operations {
        let unseen: Vec<_> =
            outcome.unseen.iter().filter(|(row, ..)| row.point.operation == operation).collect();
        let of: Vec<f64> = unseen.iter().map(|(_, error, _)| error.abs()).collect();
        let lost = outcome.losses.iter().filter(|loss| loss.point.operation == operation);
        let (chosen, default): (Vec<f64>, Vec<f64>) =
            lost.map(|loss| (loss.chosen, loss.default)).unzip();
        println!(
            "  {operation}: read {}, regret {:.1} %, default {:.1} %, unseen {}, median error \
                {:.2}, coverage {:.2}",
            outcome.bought.iter().filter(|row| row.point.operation == operation).count(),
            100.0 * mean(&chosen),
            100.0 * mean(&default),
            of.len(),
            median(&of),
            unseen.iter().filter(|(.., inside)| *inside).count() as f64 / of.len() as f64,
        );
    }
}

#[test]
fn a_part_of_the_rows_chooses_better_than_the_library_and_look_up() {
    for system in SYSTEMS {
        let Some(readings) = readings(system) else { return };
        for (outcome, part) in run(&readings, &[10, 5]).iter().zip([10, 5]) {
            let rules = Rule::all();
            assert_eq!(rules.len(), 544);
            let rival = rules
                .iter()
                .map(|rule| rule.regret(&readings, outcome.read))
                .fold(f64::INFINITY, f64::min);
            report(&format!("{} {}", system.0, system.1), outcome, rival);
            let (regret, default) = (outcome.regret(), outcome.default());
            assert!(part == 10 || regret <= default, "{system:?}: {regret} and {default}");
            if system.1 == 256 {
                assert!((default - 0.8706).abs() < 5e-4, "{default}");
                assert!(regret <= 0.15 && regret <= 2.0 / 3.0 * rival, "{regret} and {rival}");
                assert!((0.85..=0.99).contains(&outcome.coverage()), "{}", outcome.coverage());
            }
        }
    }
}

/// Readings that were not bought do not influence what is bought and chosen.
#[test]
fn times_that_were_not_read_have_no_influence() {
    let Some(mut readings) = readings(SYSTEMS[5]) else { return };
    let [before] = &run(&readings, &[5])[..] else { panic!("one part") };
    for (place, (row, seconds)) in readings.times.iter_mut().enumerate() {
        if !before.bought.contains(row) {
            *seconds = 1e-6 * (1 + place * 7919 % 1000) as f64;
        }
    }
    let [after] = &run(&readings, &[5])[..] else { panic!("one part") };
    assert_eq!(before.bought, after.bought);
    assert_eq!(before.choices, after.choices);
}

/// With several processes per host the choice is the fastest of the rows that were read, and nothing
/// is predicted.
#[test]
fn several_processes_per_host_are_not_predicted() {
    for per_host in [4, 32] {
        let Some(samples) = samples(("leonardo", 64, OPEN_MPI), per_host) else { return };
        let readings = CollectiveReadings::of(&samples, &Selection::default()).unwrap();
        let design = Design::of(&readings, [], []).unwrap();
        let model = MeasuredModel::of(&design, &readings).unwrap();
        let choices = model.choices(&readings, KeepDefault::IfFaster);
        let choices: Choices =
            choices.into_iter().map(|one| (one.point, (one.ranking, false))).collect();
        let regret = mean_loss(&losses(&readings, |point| choices.get(&point).cloned()));
        assert!(regret < 0.005, "{regret}");
        let refused = Err(MeasuredError::SeveralPerHost { per_host });
        let between = Some((Bytes::new(1000), Bytes::new(1001)));
        assert_eq!(readings.points(between).map(|_| ()), refused);
        let selection = Selection { procs: Some(65 * per_host), ..Selection::default() };
        assert_eq!(CollectiveReadings::of(&samples, &selection).map(|_| ()), refused);
    }
}

/// A broadcast of this many bytes.
fn broadcast(procs: usize, size: u64) -> Point {
    Point { operation: CollectiveKind::Broadcast, procs, size: Bytes::new(size) }
}

/// An implementation of Open MPI.
fn open_mpi(algorithm: Algorithm) -> Implementation {
    Implementation {
        algorithm: LibraryAlgorithm::Scheduled(algorithm),
        library: Some(Library::OpenMpi),
    }
}

/// The time of a broadcast with parameters that are twice the prior medians, in seconds.
fn double_time(row: &Row) -> f64 {
    let counts = counts(
        row.point.operation,
        row.implementation.algorithm,
        row.point.procs,
        row.point.vector(),
    )
    .unwrap();
    let parameters = [6e-6, 1.4e-6, 6e-6, 0.2e-9, 0.2e-9, 0.4e-9];
    counts.iter().zip(parameters).map(|(count, parameter)| count * parameter).sum()
}

#[test]
fn counts_grow_with_the_size() {
    for kind in OPERATIONS {
        for &algorithm in kind.algorithms() {
            for procs in [2, 3, 16, 100] {
                let of =
                    |size: f64| counts(kind, LibraryAlgorithm::Scheduled(algorithm), procs, size);
                let (Some(small), Some(large)) = (of(4096.0), of(1e9)) else { continue };
                let grows =
                    small.iter().zip(large).all(|(small, large)| (0.0..=large).contains(small));
                assert!(
                    grows && small[0] >= 1.0 && small[3] > 0.0,
                    "{kind} {algorithm} {procs}: {small:?} {large:?}"
                );
            }
        }
    }
}

/// Rows whose times follow the formulas are predicted from a few of them, and the choice is the
/// fastest row.
#[test]
fn times_by_the_formulas_are_predicted() {
    let procs = 16;
    let algorithms = [
        Algorithm::Binomial,
        Algorithm::Linear,
        Algorithm::ScatterAllgather,
        Algorithm::Pipeline(Bytes::ZERO),
    ];
    let rows: Vec<Row> = (0..10)
        .map(|k| broadcast(procs, 64 << (2 * k)))
        .flat_map(|point| {
            algorithms.map(|one| Row { point, implementation: open_mpi(one), launch: 0 })
        })
        .collect();
    let design = Design::new(procs, rows.iter().copied(), []).unwrap();
    let mut model = MeasuredModel::new(&design);
    let mut candidates: Vec<usize> = (0..design.rows().len()).collect();
    while model.rows_read().len() < 16 {
        let next = model.next(&candidates).unwrap();
        candidates.retain(|row| *row != next.index);
        model.read([(next.index, double_time(&next.row))]).unwrap();
    }
    let inside = candidates.iter().filter(|&&index| {
        let (low, high) = model.time(index).interval;
        (low.get()..=high.get()).contains(&double_time(&design.rows()[index]))
    });
    assert!(inside.count() * 10 >= candidates.len() * 9);
    let none = CollectiveReadings {
        procs,
        per_host: 1,
        root: Processor(0),
        times: BTreeMap::new(),
        defaults: BTreeMap::new(),
        out_of_reach: BTreeMap::new(),
    };
    for choice in model.choices(&none, KeepDefault::IfFaster) {
        let time =
            |implementation| double_time(&Row { point: choice.point, implementation, launch: 0 });
        let best =
            algorithms.map(|one| time(open_mpi(one))).into_iter().fold(f64::INFINITY, f64::min);
        assert!(time(choice.ranking[0]) <= 1.05 * best, "{choice:?}");
    }
    // Nothing is gained by reading what is known: advice ends, and never repeats a row.
    let advised = advise(&model, 1000);
    let places: BTreeSet<usize> = advised.iter().map(|one| one.index).collect();
    assert!(places.len() == advised.len() && places.iter().all(|place| candidates.contains(place)));
}

/// A default that was measured is kept where it is faster, and with `UnlessSlower` where a loss is
/// not excluded.
#[test]
fn measured_defaults_are_kept() {
    let point = broadcast(16, 1024);
    let row = |one| Row { point, implementation: open_mpi(one), launch: 0 };
    let times = BTreeMap::from([(row(Algorithm::Binomial), 1e-5), (row(Algorithm::Linear), 3e-5)]);
    for (default, expected) in
        [(0.5e-5, [true, true]), (1.05e-5, [false, true]), (2e-5, [false, false])]
    {
        let defaults = BTreeMap::from([((point, 0), default)]);
        let readings = CollectiveReadings {
            procs: 16,
            per_host: 1,
            root: Processor(0),
            times: times.clone(),
            defaults,
            out_of_reach: BTreeMap::new(),
        };
        let design = Design::of(&readings, [], []).unwrap();
        let model = MeasuredModel::of(&design, &readings).unwrap();
        for (keep, is_kept) in
            [KeepDefault::IfFaster, KeepDefault::UnlessSlower].into_iter().zip(expected)
        {
            assert_eq!(
                model.choices(&readings, keep)[0].chosen.is_none(),
                is_kept,
                "{default} {keep:?}"
            );
        }
    }
}
