//! The measurements that a model is compared with: samples or runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use orrery::file::FileKind;
use orrery::model::Model;
use orrery::request::RequestError;
use orrery::run::{Filter, Run, Runs, file};
use orrery::sample::file::kind_of;
use orrery::scaling::{Accuracy, Evaluation, Region, RunsOfFit};
use orrery_report::tables::lack_of_fit_sentences;

use crate::context::{Context, Usage};
use crate::refusal;

/// The kind of a file by its content, compressed or not; `None` for pipes and unreadable files,
/// whose reader reports the error.
pub fn kind(path: &Path) -> Option<FileKind> {
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    kind_of(&fs::read(path).ok().filter(|_| is_file)?)
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

/// The accuracy of the model of an application for each of its regions that the runs cover.
pub fn evaluated<'a>(
    context: Context,
    model: &'a Model,
    path: &Path,
    runs: &[Run],
    level: f64,
) -> anyhow::Result<Vec<(&'a Region, Accuracy)>> {
    let place = path.display();
    let application = super::scaling::application(model, path)?;
    if runs.is_empty() {
        anyhow::bail!("there are no runs to compare {place} with; give a file with runs");
    }
    let mut all = Vec::new();
    for region in &application.regions {
        let own: Vec<&Run> = runs.iter().filter(|run| run.region == region.name).collect();
        if !own.is_empty() {
            let whole = || place.to_string();
            let accuracy = region.accuracy(&own, level).with_context(whole)?;
            report_refused(context, &region.name, &accuracy.evaluation);
            report_unfitted(context, &region.name, &accuracy);
            report_lack_of_fit(context, &region.name, &accuracy);
            all.push((region, accuracy));
        }
    }
    let known = |name: &str| application.regions.iter().any(|region| region.name == name);
    let unknown: BTreeSet<&str> =
        runs.iter().map(|run| run.region.as_str()).filter(|name| !known(name)).collect();
    let names = |names: &mut dyn Iterator<Item = &str>| {
        names.map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
    };
    let unknown = names(&mut unknown.into_iter());
    if all.is_empty() {
        let known = names(&mut application.regions.iter().map(|region| region.name.as_str()));
        anyhow::bail!(
            "{place}: it models the regions {known}, but the runs are of {unknown}; fit a model to \
                such runs"
        );
    }
    if !unknown.is_empty() {
        context.say(format!("the regions {unknown} have no model: their runs are not compared"));
    }
    Ok(all)
}

/// Reports why there are no held-out errors.
fn report_unfitted(context: Context, region: &str, accuracy: &Accuracy) {
    let head = if region.is_empty() { String::new() } else { format!("{region}: ") };
    let why = match accuracy.runs_of_fit {
        RunsOfFit::None | RunsOfFit::All => return,
        RunsOfFit::Some { .. } if !accuracy.points(false).is_empty() => return,
        RunsOfFit::Unknown => {
            "the model does not record its runs, so it is unknown whether errors are in-sample; \
                fit it again"
                .to_owned()
        }
        RunsOfFit::Some { missing } => format!(
            "held-out errors require all runs of the fit; {missing} of its points are missing, add \
                their runs or relax the \
             conditions"
        ),
    };
    context.say(format!("{head}{why}"));
}

/// Reports the lack of fit of a model.
fn report_lack_of_fit(context: Context, region: &str, accuracy: &Accuracy) {
    let head = if region.is_empty() { String::new() } else { format!("{region}: ") };
    let sentences = accuracy.lack_of_fit.iter().flat_map(lack_of_fit_sentences);
    sentences.for_each(|sentence| context.say(format!("{head}{sentence}")));
}

/// Reports the points without an estimate, and the reason.
fn report_refused(context: Context, region: &str, evaluation: &Evaluation) {
    if let Some((first, why)) = evaluation.without_estimate.first() {
        let head = if region.is_empty() { String::new() } else { format!("{region}: ") };
        let points = match evaluation.without_estimate.len() {
            1 => format!("the point {first} has no estimate"),
            count => format!("{count} points have no estimate, the first is {first}"),
        };
        context.say(format!("{head}{points}: {why}"));
    }
}

/// Checks that a model file holds communication models, which samples are compared with.
pub fn needs_communication(model: &Model, path: &Path) -> anyhow::Result<()> {
    if model.kinds().is_empty() && model.application.is_some() {
        return Err(refusal::failure(RequestError::NoCommunication, path));
    }
    Ok(())
}
