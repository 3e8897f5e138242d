//! Collective operations on clusters that no part of a model was made for: `truths` in the folder
//! `ORRERY_DATA`. Models are fitted to messages, before any collective operation.

use std::collections::BTreeMap;
use std::path::Path;

use orrery::model::{ValidationRow, inside};
use orrery::numeric::mean;
use orrery::sample::file;

use crate::prelude::*;
use crate::public_data::public_data;
use crate::support;
use crate::variants::few_or_all;

/// The samples of a cluster in files with these endings.
fn samples(folder: &Path, name: &str, endings: &[&str]) -> Samples {
    let path = |ending: &&str| folder.join(format!("truths/{name}.{ending}.csv.zst"));
    let mut all = Samples::default();
    for path in endings.iter().map(path).filter(|path| path.exists()) {
        let read = file::read(path).unwrap().samples;
        if all.count() == 0 {
            all = read;
        } else {
            all.extend(&read);
        }
    }
    all
}

/// A model by messages and by those of the measured collective operations that `is_fitted` accepts,
/// and its predictions of all of them.
fn judged(
    folder: &Path,
    name: &str,
    is_fitted: fn(&Experiment) -> bool,
) -> (Model, Vec<ValidationRow>) {
    let collectives = samples(folder, name, &["coll"]);
    let mut fitted = collectives.clone();
    fitted.retain(|experiment, _| is_fitted(experiment));
    let mut all = samples(folder, name, &["comm", "over"]);
    all.extend(&fitted);
    let model = support::fit_kind(&all, ModelKind::Ports);
    let validation = validate(&model, &collectives, &[ModelKind::Ports], 0.95).unwrap();
    (model, validation.rows)
}

/// Linear scatters and gathers of 8K and 64K, which a user might measure first.
fn is_first(experiment: &Experiment) -> bool {
    matches!(
        experiment,
        Experiment::Collective {
            kind: CollectiveKind::Scatter | CollectiveKind::Gather,
            algorithm: Algorithm::Linear,
            ..
        }
    ) && [8 << 10, 64 << 10].contains(&experiment.size().get())
}

/// The part of intervals that contain the measured time, and the median factor of their upper ends.
fn coverage(rows: &[ValidationRow]) -> (f64, f64) {
    let ends = rows.iter().map(|row| (row, row.predicted.interval.unwrap()));
    let is_inside = |(row, (low, high)): (&ValidationRow, (Seconds, Seconds))| {
        f64::from(u8::from((low.get()..=high.get()).contains(&row.observed.value)))
    };
    let factors = ends.clone().map(|(row, (_, high))| high.get() / row.predicted.seconds.get());
    let factor = median(&factors.collect::<Vec<_>>());
    (mean(&ends.map(is_inside).collect::<Vec<_>>()), factor)
}

/// The measured time of the chosen algorithm over that of the best measured one, less 1, of each
/// operation and size with several measured algorithms.
fn regrets(model: &Model, rows: &[ValidationRow]) -> Vec<f64> {
    let mut points: BTreeMap<_, Vec<(Candidate, f64)>> = BTreeMap::new();
    for row in rows {
        let Experiment::Collective { kind, algorithm, root, procs, size } = row.experiment else {
            continue;
        };
        let candidate = Candidate { algorithm, root };
        points.entry((kind, procs, size)).or_default().push((candidate, row.observed.value));
    }
    let several = points.into_iter().filter(|(_, measured)| measured.len() > 1);
    let regret = |((kind, procs, size), measured): ((_, usize, Bytes), Vec<(Candidate, f64)>)| {
        let candidates = measured.iter().map(|(candidate, _)| *candidate).collect();
        let choice = support::choice(kind, procs, candidates, (size.get(), size.get()));
        let best = choose(model, ModelKind::Ports, &choice).unwrap().remove(0).best;
        let chosen = measured.iter().find(|(candidate, _)| *candidate == best).unwrap().1;
        chosen / measured.iter().map(|one| one.1).fold(f64::INFINITY, f64::min) - 1.0
    };
    several.map(regret).collect()
}

/// Where a set of exchanges shows that buffers hold what meets, choices take what meets there; where
/// nothing shows it, they avoid what would cost a timeout.
#[test]
fn choices_before_any_collective_operation_lose_little() {
    let Some(folder) = public_data() else { return };
    // The largest mean and the largest single regret that are accepted.
    let limits = [("leaf24", 0.05, 0.25), ("tree32", 0.08, 0.7), ("ppn4", 0.05, 0.25)];
    for (name, limit, largest) in limits {
        let (model, rows) = judged(&folder, name, |_| false);
        let regrets = regrets(&model, &rows);
        assert!(regrets.len() >= 20, "{name}: {}", regrets.len());
        let of_all = mean(&regrets);
        let most = regrets.iter().copied().fold(0.0, f64::max);
        eprintln!("{name}: mean regret {:.1} %, largest {:.0} %", 100.0 * of_all, 100.0 * most);
        assert!(of_all <= limit && most <= largest, "{name}: {of_all} {most}");
    }
}

/// What is fitted besides messages, and what is expected of intervals then.
struct Stage {
    is_fitted: fn(&Experiment) -> bool,
    /// True if experiments that the fit has seen are judged, and not the others.
    seen: bool,
    /// The least coverage of a cluster and of all.
    covered: (f64, f64),
    /// The largest median factor of the upper ends.
    factor: f64,
}

/// Intervals hold before any collective operation, of those that the fit has not seen after a few,
/// and of those that it has seen.
#[test]
fn intervals_hold_whatever_was_measured() {
    let Some(folder) = public_data() else { return };
    let clusters = ["leaf24", "tree32", "bb16", "ppn4"];
    let stages = [
        Stage { is_fitted: |_| false, seen: false, covered: (0.75, 0.88), factor: 2.2 },
        Stage { is_fitted: is_first, seen: false, covered: (0.75, 0.88), factor: 2.2 },
        Stage { is_fitted: |_| true, seen: true, covered: (0.9, 0.9), factor: 1.2 },
    ];
    for stage in few_or_all(&stages[..1], &stages[..]) {
        let &Stage { is_fitted, seen, covered: (least, of_all), factor: largest } = stage;
        let mut all = Vec::new();
        for name in clusters {
            let (_, mut rows) = judged(&folder, name, is_fitted);
            rows.retain(|row| row.seen == seen);
            let (part, factor) = coverage(&rows);
            eprintln!("{name}: {} operations, {:.1} %, {factor:.2}", rows.len(), 100.0 * part);
            assert!(part >= least, "{name}: {part}");
            all.extend(rows);
        }
        let (part, factor) = coverage(&all);
        eprintln!("all {}: {:.1} % inside, factor {factor:.2}", all.len(), 100.0 * part);
        assert!(part >= of_all && factor <= largest, "{part} {factor}");
        assert!(seen || part <= 0.99, "{part}");
        assert_eq!(inside(&all), (!seen).then_some(part));
    }
}
