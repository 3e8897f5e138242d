//! The measurements that a model is compared with: samples or runs.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use orrery::model::Model;
use orrery::run::{Filter, Run, Runs, file};
use orrery::scaling::{Accuracy, Evaluation, Region, RunsOfFit};
use orrery::units::Bytes;
use orrery_report::tables::lack_of_fit_sentences;

use crate::context::{Context, Usage};

/// Returns true if the files hold runs, false if they hold samples.
pub fn are_runs(paths: &[PathBuf]) -> anyhow::Result<bool> {
    let kinds = paths.iter().map(|path| is_runs(path)).collect::<anyhow::Result<Vec<bool>>>()?;
    let first = |runs: bool| {
        kinds.iter().position(|kind| *kind == runs).map(|place| paths[place].display())
    };
    match (first(true), first(false)) {
        (Some(runs), Some(samples)) => Err(Usage(format!(
            "{runs} holds runs of an application and {samples} does not; name files of one kind at \
                a time"
        ))
        .into()),
        (runs, _) => Ok(runs.is_some()),
    }
}

/// Returns true if a file starts like a runs file: JSON that names its format.
fn is_runs(path: &Path) -> anyhow::Result<bool> {
    /// The number of bytes that are searched for the name of the format.
    const BYTES_READ: u64 = 4096;
    let cannot = || format!("cannot read {}", path.display());
    let mut beginning = Vec::new();
    File::open(path)
        .and_then(|file| file.take(BYTES_READ).read_to_end(&mut beginning))
        .with_context(cannot)?;
    let text = String::from_utf8_lossy(&beginning);
    Ok(text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
        && text.contains("\"orrery-runs\""))
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
        anyhow::bail!("there are no runs to compare with");
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
pub fn needs_communication(model: &Model, path: &Path) -> Result<(), Usage> {
    if model.kinds().is_empty() && model.application.is_some() {
        let place = path.display();
        return Err(Usage(format!(
            "{place}: this file holds a model of an application and no communication model; \
                compare it with a runs file, \
             such as orrery scaling import writes"
        )));
    }
    Ok(())
}

/// The limit of memory in words: `--memory`, or that of the hosts, which this option replaces.
pub fn memory(given: Option<Bytes>) -> String {
    given.map_or_else(
        || "the memory of the hosts (--memory gives another limit)".into(),
        |memory| format!("--memory {memory}"),
    )
}
