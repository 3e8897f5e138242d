//! Alarms of predictions: a cell for each row, and one line for each measurement that settles them.

use super::table::Cell;
use orrery::model::{Alarm, LoadDoubt, ModelKind, Sweep};
use orrery::units::Bytes;

/// The largest block that a sweep for thresholds has by default.
const DEFAULT_SWEEP: Bytes = Bytes::new(200 << 10);

/// The largest number of hosts that an action names.
const MAX_HOSTS: usize = 5;

/// The cell with the alarms of a row: their keywords for people, records with `alarm`, `message`
/// and `settle` for programs.
pub(crate) fn alarm_cell(alarms: &[Alarm]) -> Cell {
    Cell::List(alarms.iter().map(|alarm| shown(alarm).cell()).collect())
}

/// An alarm of any kind of prediction, as tables show it.
pub(super) struct ShownAlarm {
    /// Its keyword.
    pub(super) name: &'static str,
    pub(super) message: String,
    /// What settles it: a command, or a change.
    pub(super) settle: String,
}

impl ShownAlarm {
    /// The keyword for people; the message and what settles it, too, for programs.
    pub(super) fn cell(self) -> Cell {
        let Self { name, message, settle } = self;
        let fields =
            vec![("alarm", name.into()), ("message", message.into()), ("settle", settle.into())];
        Cell::Record { fields, display: name.to_owned() }
    }

    /// The line below a table.
    pub(super) fn line(&self) -> String {
        format!("{}: {}: {}", self.name, self.message, self.settle)
    }
}

/// What settles the doubts about the load of hosts: an agent, a clock, or time.
pub(super) fn settled_load(hosts: &[(String, LoadDoubt)]) -> String {
    let named = |is_meant: fn(&LoadDoubt) -> bool| {
        let meant: Vec<_> = hosts.iter().filter(|(_, doubt)| is_meant(doubt)).collect();
        let names = meant.iter().take(MAX_HOSTS).map(|(host, _)| host.as_str());
        let mut names = names.collect::<Vec<_>>().join(", ");
        if meant.len() > MAX_HOSTS {
            names = format!("{names} and {} more", meant.len() - MAX_HOSTS);
        }
        names
    };
    let missing = named(|doubt| matches!(doubt, LoadDoubt::Unmonitored | LoadDoubt::Stale { .. }));
    let ahead = named(|doubt| matches!(doubt, LoadDoubt::Ahead { .. }));
    let actions = [("orrery monitor agent on", missing), ("set the clock of", ahead)];
    let actions = actions.iter().filter(|(_, names)| !names.is_empty());
    let actions: Vec<String> = actions.map(|(action, names)| format!("{action} {names}")).collect();
    if actions.is_empty() { "wait for more samples".to_owned() } else { actions.join(", and ") }
}

/// An alarm with the command whose measurement settles it.
fn shown(alarm: &Alarm) -> ShownAlarm {
    ShownAlarm { name: alarm.name(), message: alarm.to_string(), settle: command(alarm) }
}

/// One line for each measurement that settles alarms:
/// `size: messages of 1M are outside …: orrery measure comm --sizes 1M`.
pub fn alarm_lines<'a>(alarms: impl IntoIterator<Item = &'a Alarm>) -> Vec<String> {
    let mut merged: Vec<Alarm> = Vec::new();
    alarms.into_iter().for_each(|alarm| alarm.add_to(&mut merged));
    merged.iter().map(|alarm| shown(alarm).line()).collect()
}

/// The remark below a table: its own text, then the lines of alarms.
pub(crate) fn note_with_alarms<'a>(
    note: &str,
    alarms: impl IntoIterator<Item = &'a Alarm>,
) -> String {
    let lines = (!note.is_empty()).then(|| note.to_owned()).into_iter().chain(alarm_lines(alarms));
    lines.collect::<Vec<_>>().join("\n")
}

/// The command whose measurement settles an alarm.
fn command(alarm: &Alarm) -> String {
    match alarm {
        Alarm::Size { sizes: (low, high), measured: (smallest, largest) } => {
            let sizes = [low, high].into_iter().filter(|size| *size < smallest || *size > largest);
            let mut sizes: Vec<String> = sizes.map(ToString::to_string).collect();
            sizes.dedup();
            format!("orrery measure comm --sizes {}", sizes.join(","))
        }
        Alarm::Unmeasured { algorithm, root, processors, sizes: (low, high), per_host, .. } => {
            let per_host = per_host.map(|ranks| format!(" --ppn {ranks}")).unwrap_or_default();
            let which = match algorithm.library {
                None => format!("--algorithms {}", algorithm.algorithm),
                Some(_) => "--native".to_owned(),
            };
            let mut options = vec![format!("--operations {} {which}", algorithm.operation)];
            let mut sizes = vec![low.to_string(), high.to_string()];
            sizes.dedup();
            options.push(format!("--sizes {}", sizes.join(",")));
            if algorithm.operation.has_root() && root.0 > 0 {
                options.push(format!("--root {root}"));
            }
            format!(
                "orrery measure collectives {} --procs {processors}{per_host}",
                options.join(" ")
            )
        }
        Alarm::Protocol { sweep: Sweep { root, procs, largest, .. }, .. } => {
            let sizes = if *largest > DEFAULT_SWEEP {
                format!(" --sizes adaptive:0..{largest}:1K")
            } else {
                String::new()
            };
            format!("orrery measure thresholds --root {root} --procs {procs}{sizes}")
        }
        Alarm::Launches(difference) => {
            format!("orrery measure comm --launches {}", 2 * difference.launches)
        }
        Alarm::HalfDuplex { .. } | Alarm::SharedHost { is_known: true, .. } => {
            format!("orrery predict --models {}", ModelKind::PortsFlows)
        }
        Alarm::SharedHost { .. } => "orrery measure comm".to_owned(),
        Alarm::NoEffect { .. } | Alarm::MixedLinks { .. } => "orrery fit --models lmo".to_owned(),
        Alarm::Losses { is_probed: true, .. } => "orrery measure comm --incast".to_owned(),
        Alarm::Losses { algorithm, size, .. } => {
            let which = match algorithm.library {
                None => format!("--algorithms {}", algorithm.algorithm),
                Some(_) => "--native".to_owned(),
            };
            let operation = algorithm.operation;
            format!("orrery measure collectives --operations {operation} {which} --sizes {size}")
        }
        Alarm::UnmeasuredHosts { .. } => "orrery measure comm, without --classes".to_owned(),
        Alarm::Combination => "orrery measure collectives --operations allreduce".to_owned(),
        Alarm::Handshakes => "orrery measure overheads".to_owned(),
    }
}
