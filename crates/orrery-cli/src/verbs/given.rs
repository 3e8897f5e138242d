//! The measurements that a model is compared with: samples or runs.

use std::fs;
use std::path::{Path, PathBuf};

use orrery::file::{FileKind, read_bytes};
use orrery::request::ValidatedRuns;
use orrery::run::{Filter, Runs, file};
use orrery::sample::file::kind_of;
use orrery::scaling::{Accuracy, Evaluation, RunsOfFit};
use orrery_report::tables::lack_of_fit_sentences;

use crate::context::{Context, Usage};

/// The kind of a file by its content, compressed or not; `None` for pipes and unreadable files,
/// whose reader reports the error.
pub fn kind(path: &Path) -> Option<FileKind> {
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    is_file.then(|| read_bytes(path).ok()).flatten().as_deref().and_then(kind_of)
}

/// The kind of files that hold runs, or times of schemes, kernels or routines; `None` for all
/// others, such as samples. An error if only some of the files are of such a kind.
pub fn kind_of_all(paths: &[PathBuf]) -> Result<Option<FileKind>, Usage> {
    const KINDS: [FileKind; 4] =
        [FileKind::Runs, FileKind::Timings, FileKind::Kernels, FileKind::Routines];
    let kinds: Vec<Option<FileKind>> = paths.iter().map(|path| kind(path)).collect();
    let known = kinds.iter().zip(paths).find_map(|(kind, path)| {
        KINDS.into_iter().find(|known| Some(*known) == *kind).map(|kind| (kind, path))
    });
    let Some((kind, path)) = known else { return Ok(None) };
    match kinds.iter().position(|other| *other != Some(kind)) {
        Some(other) => Err(Usage(format!(
            "{} holds {} and {} does not; name files of one kind at a time",
            path.display(),
            kind.name(),
            paths[other].display()
        ))),
        None => Ok(Some(kind)),
    }
}

/// Reads all runs of the files that meet the conditions.
pub fn runs(paths: &[PathBuf], conditions: &[Filter]) -> anyhow::Result<Runs> {
    let mut all = Runs::default();
    for path in paths {
        let Runs { provenance, runs } = file::read(path)?;
        provenance
            .iter()
            .filter(|(key, _)| *key != "command")
            .for_each(|(key, value)| all.provenance.set(key, value));
        all.runs.extend(runs);
    }
    all.runs = super::scaling::filtered(all.runs, conditions)?;
    Ok(all)
}

/// Reports what a comparison with runs leaves out, and the lack of fit of the models.
pub fn report(context: Context, validated: &ValidatedRuns<'_>) {
    for (region, accuracy) in &validated.regions {
        let name = &region.name;
        let head = if name.is_empty() { String::new() } else { format!("{name}: ") };
        let lack_of_fit = accuracy.lack_of_fit.iter().flat_map(lack_of_fit_sentences);
        let remarks = without_estimate(&accuracy.evaluation).into_iter().chain(unfitted(accuracy));
        for remark in remarks.chain(lack_of_fit) {
            context.say(format!("{head}{remark}"));
        }
    }
    if !validated.unknown.is_empty() {
        let unknown = validated.unknown.iter().map(|name| format!("{name:?}"));
        let unknown = unknown.collect::<Vec<_>>().join(", ");
        context.say(format!("the regions {unknown} have no model: their runs are not compared"));
    }
}

/// The reason why there are no held-out errors.
fn unfitted(accuracy: &Accuracy) -> Option<String> {
    match accuracy.runs_of_fit {
        RunsOfFit::None | RunsOfFit::All => None,
        RunsOfFit::Some { .. } if !accuracy.points(false).is_empty() => None,
        RunsOfFit::Unknown => Some(
            "the model does not record its runs, so it is unknown whether errors are in-sample; \
                fit it again"
                .to_owned(),
        ),
        RunsOfFit::Some { missing } => Some(format!(
            "held-out errors require all runs of the fit; {missing} of its points are missing, add \
                their runs or relax the conditions"
        )),
    }
}

/// The points without an estimate, and the reason.
fn without_estimate(evaluation: &Evaluation) -> Option<String> {
    let (first, why) = evaluation.without_estimate.first()?;
    let points = match evaluation.without_estimate.len() {
        1 => format!("the point {first} has no estimate"),
        count => format!("{count} points have no estimate, the first is {first}"),
    };
    Some(format!("{points}: {why}"))
}
