//! Made-up heterogeneous clusters: closed formulas in place of an engine, a fixed wobble in place
//! of noise.

use orrery::comm::{Hockney, Lmo};
use orrery::model::{
    Alarm, Model, ModelKind, Prediction, Query, Uncertainty, Validation, ValidationRow,
    ValidationSummary, inside,
};
use orrery::numeric::{Estimate, Interval};
use orrery::platform::{Pairs, PerPair, Processor};
use orrery::sample::{Experiment, Provenance, Sample, Samples};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, Seconds};

/// A number between −1 and 1 that looks random and never changes.
fn wobble(seed: usize) -> f64 {
    let x = (seed as f64 * 12.9898 + 4.1414).sin() * 43_758.545_3;
    2.0 * (x - x.floor()) - 1.0
}

pub fn estimate(value: f64, relative: f64, samples: u64) -> Estimate {
    let interval =
        Interval { low: value * (1.0 - relative), high: value * (1.0 + relative), level: 0.95 };
    Estimate { value, interval: Some(interval), samples: Some(samples) }
}

pub fn model(n: usize) -> Model {
    let fixed = |i: usize| 40e-6 + 6e-6 * (i % 4) as f64 + 2e-6 * wobble(i);
    let delay = |i: usize| 4e-9 + 1.5e-9 * (i % 3) as f64;
    let latency = |i: usize, j: usize| 30e-6 + 9e-6 * wobble(i * 31 + j);
    let link = |i: usize, j: usize| {
        if i % 4 == 3 || j % 4 == 3 { 1e-7 } else { 1e-8 * (1.0 + 0.2 * wobble(i * 7 + j)) }
    };
    let pair = |f: &dyn Fn(usize, usize) -> f64, relative: f64| {
        PerPair::from_fn(n, |i, j| estimate(f(i.index(), j.index()), relative, 24))
    };
    let alpha = |i: usize, j: usize| fixed(i) + fixed(j) + latency(i, j);
    let beta = |i: usize, j: usize| delay(i) + delay(j) + link(i, j);
    let mean = |f: &dyn Fn(usize, usize) -> f64| {
        let pairs = Pairs::of(n);
        pairs.iter().map(|(i, j)| f(i.index(), j.index())).sum::<f64>()
            / pairs.count().max(1) as f64
    };
    let fixed_delay: Vec<Estimate> = (0..n).map(|i| estimate(fixed(i), 0.03, 36)).collect();
    let byte_delay: Vec<Estimate> = (0..n).map(|i| estimate(delay(i), 0.05, 36)).collect();
    let link_byte_delay = pair(&link, 0.02);
    let lmo =
        Lmo { fixed_delay, byte_delay, link_latency: Some(pair(&latency, 0.08)), link_byte_delay };
    let lom_fixed = (0..n).map(|i| estimate(fixed(i) + 15e-6, 0.04, 36)).collect();
    let slower = pair(&|i, j| 1.12 * link(i, j), 0.02);
    let lom =
        Lmo { link_latency: None, fixed_delay: lom_fixed, link_byte_delay: slower, ..lmo.clone() };
    let hockney = Hockney {
        latency: pair(&alpha, 0.02),
        byte_delay: pair(&beta, 0.01),
        mean_latency: estimate(mean(&alpha), 0.01, 24),
        mean_byte_delay: estimate(mean(&beta), 0.01, 24),
    };
    Model {
        thresholds: Vec::new(),
        provenance: Provenance::new()
            .with("format", "orrery-model 1")
            .with("command", "orrery fit samples.csv"),
        measured: Some((Bytes::ZERO, Bytes::new(262_144))),
        hosts: (0..n).map(|i| format!("node{i:02}")).collect(),
        ..Model::default()
    }
    .with(ModelKind::Hockney, &hockney)
    .with(ModelKind::Lom, &lom)
    .with(ModelKind::Lmo, &lmo)
}

fn collective(
    kind: CollectiveKind,
    algorithm: Algorithm,
    root: usize,
    procs: usize,
    size: u64,
) -> Experiment {
    Experiment::Collective {
        kind,
        algorithm,
        root: Processor(root as u32),
        procs,
        size: Bytes::new(size),
    }
}

/// The kinds of models that are compared.
pub const KINDS: [ModelKind; 4] =
    [ModelKind::Hockney, ModelKind::HockneyMean, ModelKind::Lom, ModelKind::Lmo];

/// What the models say, roughly.
fn time(model: &Model, kind: ModelKind, experiment: &Experiment) -> f64 {
    let point = |i: usize, j: usize, m: f64| -> f64 {
        let (a, b) = (Processor(i as u32), Processor(j as u32));
        let hockney: Hockney = model.get(ModelKind::Hockney).unwrap();
        match kind {
            ModelKind::Hockney => {
                hockney.latency.get(a, b).value + m * hockney.byte_delay.get(a, b).value
            }
            ModelKind::HockneyMean => {
                hockney.mean_latency.value + m * hockney.mean_byte_delay.value
            }
            _ => {
                let lmo: Lmo =
                    model.get(if kind == ModelKind::Lom { kind } else { ModelKind::Lmo }).unwrap();
                let latency =
                    lmo.link_latency.as_ref().map_or(0.0, |latency| latency.get(a, b).value);
                lmo.fixed_delay[j].value
                    + latency
                    + m * (lmo.byte_delay[j].value + lmo.link_byte_delay.get(a, b).value)
            }
        }
    };
    match *experiment {
        Experiment::Collective { algorithm, root, procs, size, .. } => {
            let (m, root) = (size.get() as f64, root.index());
            let others = || (0..procs).filter(|&other| other != root);
            let lmo = matches!(kind, ModelKind::Lom | ModelKind::Lmo);
            let at_root = model
                .get::<Lmo>(ModelKind::Lmo)
                .map_or(0.0, |l| l.fixed_delay[root].value + m * l.byte_delay[root].value);
            match (algorithm, lmo) {
                (Algorithm::Linear, true) => {
                    at_root * (procs - 1) as f64
                        + others().map(|o| point(root, o, m)).fold(0.0, f64::max)
                }
                (Algorithm::Linear, false) => others().map(|o| point(root, o, m)).sum(),

                (Algorithm::Binomial, _) => {
                    let levels = (procs as f64).log2().ceil();
                    let worst = others().map(|o| point(root, o, m)).fold(0.0, f64::max);
                    levels * (at_root * f64::from(u8::from(lmo)) + worst * 0.7)
                        + m * (procs as f64) * 8e-9
                }
                _ => f64::NAN,
            }
        }
        _ => f64::NAN,
    }
}

/// Samples and a validation: scatter and gather, linear and binomial, from several roots, 1K to 1M.
pub fn measured(model: &Model) -> (Samples, Validation) {
    let n = model.processors();
    let provenance = Provenance::new()
        .with("format", "orrery-samples 1")
        .with("command", "mpirun -n 16 orrery measure comm -o samples.csv --seed 7")
        .with("seed", "7")
        .with("date", "2026-11-20T21:14:03Z")
        .with("machine", "mpi")
        .with("hosts", model.hosts.join(" "))
        .with("clock", "CLOCK_MONOTONIC_RAW");
    let mut samples = Samples::new(provenance);
    let mut experiments = Vec::new();
    for kind in CollectiveKind::SCATTER_GATHER {
        for algorithm in [Algorithm::Linear, Algorithm::Binomial] {
            for root in (0..n).step_by(n.div_ceil(3)) {
                experiments.extend(
                    (10..=20).map(|power| collective(kind, algorithm, root, n, 1 << power)),
                );
            }
        }
    }
    let mut rows = Vec::new();
    for (place, experiment) in experiments.into_iter().enumerate() {
        let truth = time(model, ModelKind::Lmo, &experiment) * (1.0 + 0.06 * wobble(place));
        for rep in 0..5 {
            let seconds = Seconds::new(truth * (1.0 + 0.02 * wobble(place * 5 + rep as usize)));
            samples.push(Sample { experiment, launch: 0, rep, seconds });
        }
        let observed = estimate(truth, 0.015 + 0.1 * wobble(place).powi(8), 5);
        rows.extend(KINDS.map(|kind| row(model, kind, experiment, observed)));
    }
    let summary = summaries(&rows);
    (samples, Validation { rows, summary })
}

fn row(
    model: &Model,
    kind: ModelKind,
    experiment: Experiment,
    observed: Estimate,
) -> ValidationRow {
    let seconds = time(model, kind, &experiment);
    let interval = Some((Seconds::new(seconds * 0.97), Seconds::new(seconds * 1.03)));
    let alarms = outside(model, experiment.size());
    let query = Query::Experiment(experiment);
    let predicted = Prediction {
        query,
        model: kind,
        seconds: Seconds::new(seconds),
        interval,
        uncertainty: Uncertainty::default(),
        escalation: None,
        alarms,
    };
    ValidationRow {
        experiment,
        seen: !experiment.is_collective(),
        class: None,
        observed,
        predicted,
        error: seconds / observed.value - 1.0,
    }
}

/// The alarm of a message outside the measured sizes.
pub fn outside(model: &Model, size: Bytes) -> Vec<Alarm> {
    let measured = model.measured.filter(|_| model.extrapolates(size));
    measured.map(|measured| Alarm::Size { sizes: (size, size), measured }).into_iter().collect()
}

pub fn summaries(rows: &[ValidationRow]) -> Vec<ValidationSummary> {
    let mut summary = Vec::new();
    for (model, seen) in KINDS.iter().flat_map(|&kind| [(kind, false), (kind, true)]) {
        let of_model = rows.iter().filter(|row| row.predicted.model == model && row.seen == seen);
        let of_model: Vec<_> = of_model.collect();
        let mut operations: Vec<String> =
            of_model.iter().map(|row| row.experiment.name()).collect();
        operations.dedup();
        operations.extend((!of_model.is_empty()).then(|| "all".into()));
        for operation in operations {
            let is_it =
                |row: &&&ValidationRow| operation == "all" || row.experiment.name() == operation;
            let chosen = of_model.iter().filter(is_it);
            let mut errors: Vec<f64> = chosen.map(|row| row.error.abs()).collect();
            errors.sort_by(f64::total_cmp);
            let (rows, sum) = (errors.len(), errors.iter().sum::<f64>());
            let part = inside(of_model.iter().filter(is_it).copied());
            summary.push(ValidationSummary {
                model,
                operation,
                seen,
                class: None,
                rows,
                mean_error: sum / rows as f64,
                median_error: errors[rows / 2],
                max_error: errors[rows - 1],
                inside: part,
            });
        }
    }
    summary
}
