//! Rules by measured times of collective operations.

use super::Target;
use super::by_model::within_compared;
use super::rules::{CommunicatorRules, Reason, Rule};
use crate::collective::measured::{CollectiveReadings, DefaultTime, Design, KeepDefault, MeasuredError, MeasuredModel};
use crate::schedule::CollectiveKind;
use crate::units::Bytes;

/// The rules by measured times of the library's algorithms and of its own choice.
///
/// Algorithms of other libraries, and those that are made of messages, are left out. An algorithm replaces the own choice at measured
/// sizes where the interval of the ratio of their times, over the launches, excludes that it is slower, and between two such sizes.
/// Where the own choice was not measured nothing is replaced.
///
/// # Errors
///
/// When no algorithm of the library was measured.
pub fn by_samples(readings: &CollectiveReadings, target: Target) -> Result<Vec<CommunicatorRules>, MeasuredError> {
    let mut readings = readings.clone();
    readings.times.retain(|row, _| {
        row.implementation.library == Some(target.library())
            && target.can_name(row.point.operation, row.implementation.algorithm)
    });
    let design = Design::of(&readings, [])?;
    let choices = MeasuredModel::of(&design, &readings)?.choices(&readings, KeepDefault::UnlessSlower);
    let mut all = Vec::new();
    for operation in CollectiveKind::ALL {
        let mut rules = Vec::new();
        for choice in choices.iter().filter(|choice| choice.point.operation == operation) {
            let reason = match (choice.chosen, choice.default) {
                (_, DefaultTime::Assumed(_)) => Reason::UnknownDefault,
                (None, _) => Reason::Default,
                (Some(_), DefaultTime::Measured { time, margin: (low, _) }) => {
                    let saved = low / (1.0 + low);
                    Reason::Faster { seconds: choice.predicted.seconds, default: time.seconds, saved }
                }
            };
            let algorithm = choice.chosen.map(|chosen| chosen.algorithm);
            rules.push(Rule { from: choice.point.size, algorithm, default: None, reason });
        }
        let (Some(first), Some(last)) = (rules.first().map(|rule| rule.from), rules.last().map(|rule| rule.from))
        else {
            continue;
        };
        let beside = |from| Rule { from, algorithm: None, default: None, reason: Reason::NotCompared };
        rules = within_compared(rules);
        if first > Bytes::ZERO {
            rules.insert(0, beside(Bytes::ZERO));
        }
        rules.push(beside(Bytes::new(last.get() + 1)));
        let rules = CommunicatorRules { operation, procs: readings.procs, rules };
        all.push(if target.has_one_size(operation) { rules.of_one_size() } else { rules }.merged());
    }
    Ok(all)
}
