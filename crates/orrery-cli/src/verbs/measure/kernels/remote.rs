//! The campaigns of other hosts: tasks of ranks of an MPI job, whose texts are remarks and
//! readings.
//!
//! A text is a word on the first line, then the content: [`READY`] when the libraries are loaded,
//! [`SAY`], [`WARN`], and [`READINGS`] with a kernel timings file.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use orrery::kernel::Kernel;
use orrery::sample::file::{parse_table, to_text};
use orrery::sample::{KernelReading, KernelTimings};
use orrery_mpi::{MpiError, TaskEvent, TaskLink, Tasks};

use super::KernelArguments;
use super::campaign::{HostCampaign, Kernels, Listener};
use super::collector::Collector;
use crate::context::Context;
use crate::host_classes::Host;

/// The first word of the text of a rank that has loaded its libraries.
const READY: &str = "ready";
/// The first word of a remark of a rank.
const SAY: &str = "say";
/// The first word of a warning of a rank.
const WARN: &str = "warn";
/// The first word of readings of a rank.
const READINGS: &str = "readings";

/// Runs the campaign of this host, on a rank other than 0; `text` is the file with the readings of
/// earlier campaigns.
pub fn serve(arguments: &KernelArguments, link: &TaskLink, text: &str) -> Result<(), String> {
    let measure = || -> anyhow::Result<()> {
        let known = parse_table::<KernelTimings>(text, "the readings of rank 0")?.samples.readings;
        let kernels = Kernels::new(arguments)?;
        let mut campaign = HostCampaign::open(arguments, kernels)?;
        for words in campaign.descriptions() {
            link.send(format!("{SAY}\n{words}"))?;
        }
        link.send(format!("{READY}\n"))?;
        let mut member = Member { link, failure: None };
        let measured = campaign.measure(&known, &mut member);
        member.failure.map_or(measured, |error| Err(error.into()))
    };
    measure().map_err(|error| format!("{error:#}"))
}

/// The campaign of a rank other than 0.
struct Member<'a> {
    link: &'a TaskLink,
    failure: Option<MpiError>,
}

impl Listener for Member<'_> {
    fn warn(&mut self, words: String) -> anyhow::Result<()> {
        Ok(self.link.send(format!("{WARN}\n{words}"))?)
    }

    fn store(&mut self, readings: &[KernelReading]) -> anyhow::Result<()> {
        let timings = KernelTimings { readings: readings.to_vec(), ..KernelTimings::default() };
        Ok(self.link.send(format!("{READINGS}\n{}", to_text(&timings)?))?)
    }

    fn is_over(&mut self, _: Kernel) -> bool {
        self.link.is_cancelled().unwrap_or_else(|error| {
            self.failure = Some(error);
            true
        })
    }
}

/// The campaigns of other hosts, on rank 0.
pub struct Remote<'a> {
    tasks: Option<Tasks<'a>>,
    names: BTreeMap<usize, String>,
    /// The ranks whose libraries are not loaded yet.
    loading: BTreeSet<usize>,
    /// The ranks whose campaigns have not begun.
    waiting: VecDeque<usize>,
    is_one_by_one: bool,
    /// The readings of earlier campaigns.
    known: KernelTimings,
}

impl Remote<'_> {
    /// The campaigns of these hosts; none has begun.
    pub fn new(context: Context, hosts: Vec<Host>, is_one_by_one: bool) -> Self {
        let waiting = hosts.iter().map(|host| host.rank).collect();
        let names = hosts.into_iter().map(|host| (host.rank, host.name)).collect();
        let (tasks, loading, known) =
            (context.job.map(Tasks::new), BTreeSet::new(), KernelTimings::default());
        Self { tasks, names, loading, waiting, is_one_by_one, known }
    }

    /// The number of hosts.
    pub fn hosts(&self) -> usize {
        self.names.len()
    }

    /// Begins all campaigns, or the first one when that of this host has ended.
    pub fn start(&mut self, known: KernelTimings) -> anyhow::Result<()> {
        self.known = known;
        while !self.is_one_by_one && self.start_next()? {}
        Ok(())
    }

    /// Begins the next campaign; returns false if there is none.
    fn start_next(&mut self) -> anyhow::Result<bool> {
        let (Some(tasks), Some(rank)) = (&mut self.tasks, self.waiting.pop_front()) else {
            return Ok(false);
        };
        let is_own = |one: &&KernelReading| self.names.get(&rank) == Some(&one.conditions.host);
        let readings = self.known.readings.iter().filter(is_own).cloned().collect();
        tasks.start(rank, &to_text(&KernelTimings { readings, ..KernelTimings::default() })?)?;
        self.loading.insert(rank);
        Ok(true)
    }

    /// Returns true if all begun campaigns have loaded their libraries.
    pub fn is_ready(&self) -> bool {
        self.loading.is_empty()
    }

    /// The hosts that measure; `None` if all have ended. Begins the next campaign if they run one
    /// by one.
    pub fn running(&mut self) -> anyhow::Result<Option<String>> {
        let is_idle = self.tasks.as_ref().is_none_or(|tasks| tasks.running().is_empty());
        if is_idle && !self.start_next()? {
            return Ok(None);
        }
        let running = self.tasks.iter().flat_map(Tasks::running);
        let names: Vec<&str> =
            running.filter_map(|rank| self.names.get(rank)).map(String::as_str).collect();
        Ok(Some(names.join(" ")))
    }

    /// Takes what has arrived from the hosts.
    pub fn poll(&mut self, collector: &mut Collector) -> anyhow::Result<()> {
        let Some(tasks) = &mut self.tasks else { return Ok(()) };
        while let Some((rank, event)) = tasks.next_event()? {
            let host =
                self.names.get(&rank).context("a rank without a campaign has sent a report")?;
            match event {
                TaskEvent::Text(text) if text.starts_with(READY) => {
                    self.loading.remove(&rank);
                }
                TaskEvent::Text(text) => take(host, &text, collector)?,
                TaskEvent::Complete => drop(self.loading.remove(&rank)),
                TaskEvent::Failed(reason) => bail!("{host}: {reason}"),
            }
        }
        Ok(())
    }

    /// Ends all campaigns after their present calls, at most after a time; the readings until then
    /// are stored.
    pub fn cancel(&mut self, collector: &mut Collector, timeout: Duration) -> anyhow::Result<()> {
        self.waiting.clear();
        let Some(mut tasks) = self.tasks.take() else { return Ok(()) };
        let mut outcome = Ok(());
        let has_ended = tasks.cancel(timeout, &mut |rank, event| {
            if let (TaskEvent::Text(text), Some(host)) = (event, self.names.get(&rank))
                && outcome.is_ok()
                && !text.starts_with(READY)
            {
                outcome = take(host, &text, collector);
            }
        })?;
        outcome?;
        if has_ended {
            return Ok(());
        }
        let silent =
            tasks.running().iter().filter_map(|rank| self.names.get(rank)).map(String::as_str);
        let names = silent.collect::<Vec<_>>().join(", ");
        Err(anyhow!("{names}: a call did not end; the job is aborted, --resume continues"))
    }
}

/// Takes a text of a host: remarks and warnings are printed, readings stored.
fn take(host: &str, text: &str, collector: &mut Collector) -> anyhow::Result<()> {
    match text.split_once('\n') {
        Some((SAY, words)) => collector.say(host, words),
        Some((WARN, words)) => collector.warn(host, words),
        Some((READINGS, text)) => {
            collector.store(&parse_table::<KernelTimings>(text, host)?.samples.readings)?;
        }
        _ => bail!("{host}: its rank sent an unknown text"),
    }
    Ok(())
}
