//! The options of `--method paper`, and the report of its fit.

use std::collections::BTreeMap;

use clap::Args;
use orrery::run::Configuration;
use orrery::scaling::paper::{
    AdjustmentRule, CompositionRule, MemoryLimits, MemoryRanges, PaperModel, PaperOptions,
};
use orrery::units::{Bytes, Seconds};

use crate::context::Context;

/// The names of the options of `--method paper`.
pub const OPTIONS: [&str; 4] = ["--memory-range", "--compose", "--adjust", "--undivided"];

/// The options of `--method paper`.
#[derive(Debug, Args)]
#[command(next_help_heading = "With --method paper")]
pub struct PaperArguments {
    /// Fit separate models for memory ranges: one (a single range), search (detect a break of the
    /// computation times), or the upper limits in bytes per element, such as
    /// athlon:256K,athlon:768M [default: one]
    #[arg(long, value_name = "RANGES", value_parser = memory_ranges)]
    memory_range: Option<MemoryRanges>,
    /// Compose the missing P-T models of a kind from another: athlon=pentium-ii, or with factors of
    /// computation and communication athlon=pentium-ii:0.27:0.85; may be repeated [default: from
    /// the kind that has the most]
    #[arg(long, value_name = "KIND=FROM[:TA:TC]", value_parser = composition)]
    compose: Vec<CompositionRule>,
    /// Adjust estimates linearly: athlon:3@6400+pentium-ii=8x1 adjusts athlon with 3 or more
    /// processes per element to the runs of n = 6400 together with pentium-ii=8x1
    #[arg(long, value_name = "KIND:M@N+OTHERS", value_parser = adjustment)]
    adjust: Option<AdjustmentRule>,
    /// Count the time of a run without computation and communication times as computation
    #[arg(long)]
    undivided: bool,
}

impl PaperArguments {
    /// The options for the library.
    pub fn options(&self) -> PaperOptions {
        PaperOptions {
            memory: self.memory_range.clone().unwrap_or_default(),
            compositions: self.compose.clone(),
            adjustment: self.adjust.clone(),
            undivided: self.undivided,
        }
    }
}

/// Parses `one`, `search` or a list of KIND:BYTES.
fn memory_ranges(text: &str) -> Result<MemoryRanges, String> {
    match text {
        "one" => return Ok(MemoryRanges::One),
        "search" => return Ok(MemoryRanges::Search),
        _ => {}
    }
    let mut all: Vec<MemoryLimits> = Vec::new();
    for part in text.split(',') {
        let wrong = || format!("{part:?} is not one, search or KIND:BYTES, such as athlon:768M");
        let (kind, bytes) =
            part.trim().rsplit_once(':').filter(|(kind, _)| !kind.is_empty()).ok_or_else(wrong)?;
        let bytes: Bytes =
            bytes.parse().map_err(|error: orrery::units::UnitError| error.to_string())?;
        let bytes = bytes.get() as f64;
        match all.iter_mut().find(|limits| limits.kind == kind) {
            Some(limits) => limits.bytes.push(bytes),
            None => all.push(MemoryLimits { kind: kind.to_owned(), bytes: vec![bytes] }),
        }
    }
    Ok(MemoryRanges::At(all))
}

/// Parses KIND=FROM[:TA:TC].
fn composition(text: &str) -> Result<CompositionRule, String> {
    let wrong =
        || "write KIND=FROM or KIND=FROM:TA:TC, such as athlon=pentium-ii:0.27:0.85".to_owned();
    let (kind, from) = text
        .split_once('=')
        .filter(|(kind, from)| !kind.is_empty() && !from.is_empty())
        .ok_or_else(wrong)?;
    let factor =
        |text: &str| text.parse().ok().filter(|factor: &f64| factor.is_finite() && *factor > 0.0);
    let (from, scales) = match from.split(':').collect::<Vec<_>>()[..] {
        [from] => (from, None),
        [from, work, talk] => (
            from,
            Some((
                factor(work).ok_or("the factor of computation must be a number above 0")?,
                factor(talk).ok_or("the factor of communication must be a number above 0")?,
            )),
        ),
        _ => return Err(wrong()),
    };
    Ok(CompositionRule { kind: kind.to_owned(), from: from.to_owned(), scales })
}

/// Parses KIND:M@N+OTHERS.
fn adjustment(text: &str) -> Result<AdjustmentRule, String> {
    let wrong = || "write KIND:M@N+OTHERS, such as athlon:3@6400+pentium-ii=8x1".to_owned();
    let (elements, runs) = text.split_once('@').ok_or_else(wrong)?;
    let (kind, from_processes) =
        elements.rsplit_once(':').filter(|(kind, _)| !kind.is_empty()).ok_or_else(wrong)?;
    let (size, beside) = runs.split_once('+').ok_or_else(wrong)?;
    let from_processes = from_processes
        .parse()
        .map_err(|_| format!("{from_processes:?} is not a number of processes per element"))?;
    let size: f64 = size.parse().map_err(|_| format!("{size:?} is not a problem size"))?;
    let beside: Configuration =
        beside.parse().map_err(|error: orrery::file::Fault| error.to_string())?;
    Ok(AdjustmentRule { kind: kind.to_owned(), from_processes, size, beside })
}

/// The largest number of run names in a message.
const MAX_NAMED_RUNS: usize = 3;

/// Reports the fitted models.
pub fn report(context: Context, head: &str, model: &PaperModel) {
    let counted = |kinds: &mut dyn Iterator<Item = &str>| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        kinds.for_each(|kind| *counts.entry(kind).or_default() += 1);
        let words: Vec<String> =
            counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        if words.is_empty() { "none".to_owned() } else { words.join(", ") }
    };
    context.say(format!(
        "{head}{} homogeneous runs; N-T models: {}; P-T models: {}",
        model.runs,
        counted(&mut model.nt_models.iter().map(|model| model.kind.as_str())),
        counted(&mut model.pt_models.iter().map(|model| model.kind.as_str())),
    ));
    for limits in &model.limits {
        let bytes: Vec<String> =
            limits.bytes.iter().map(|bytes| Bytes::new(*bytes as u64).to_string()).collect();
        context.say(format!(
            "{head}{}: memory range limits {} per element",
            limits.kind,
            bytes.join(", ")
        ));
    }
    for composition in &model.compositions {
        let how = if composition.estimated {
            "estimated from runs on single elements"
        } else {
            "as given"
        };
        let (own, other) = composition.per_element.map_or_else(Default::default, |(own, other)| {
            (format!(" with {own} processes per element"), format!(" with {other}"))
        });
        context.say(format!(
            "{head}P-T models of {}{own} composed from {}{other}: computation × {:.3}, \
                communication × {:.3}, {how}",
            composition.kind, composition.from, composition.computation, composition.communication
        ));
    }
    if let Some(a) = &model.adjustment {
        context.say(format!(
            "{head}adjustment of {} from {} processes per element: {} + {:.3} × estimate, fitted \
                to {} runs",
            a.kind,
            a.from_processes,
            Seconds::new(a.intercept),
            a.slope,
            a.runs
        ));
    }
    if !model.constants.is_empty() {
        let constants: Vec<String> =
            model.constants.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        context.say(format!("{head}constant in all runs: {}", constants.join(", ")));
    }
    if !model.unused.is_empty() {
        let more = model.unused.len().saturating_sub(MAX_NAMED_RUNS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        context.say(format!(
            "{head}{} runs are in no model because their memory range has too few sizes: {}{more}",
            model.unused.len(),
            model.unused[..model.unused.len().min(MAX_NAMED_RUNS)].join(", ")
        ));
    }
}
