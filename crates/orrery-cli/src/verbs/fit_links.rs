//! What `orrery fit` says about the machine besides the parameters of single messages: shared
//! links, half-duplex processors, the largest eager message, and the data that handshakes wait for.

use orrery::comm::Ports;
use orrery::model::{FitOutcome, HalfDuplex, ModelKind, SharedLink};
use orrery::numeric::Estimate;
use orrery::platform::{Processor, processor_name};
use orrery::units::Bytes;

use super::conditions;
use crate::context::{Context, warn};

/// The largest number of processors that a line names.
const MAX_NAMED: usize = 6;

/// The largest number of groups without an identified link that are named.
const MAX_UNIDENTIFIED: usize = 3;

/// Prints the links that were found, each with its rate, and warns of what they do not explain.
pub fn report(context: Context, fitted: &FitOutcome) {
    let ports: Option<Ports> = fitted.model.get(ModelKind::Ports);
    let name = |one: &Processor| processor_name(&fitted.model.hosts, *one);
    conditions::warn_of_fit(fitted);
    for HalfDuplex { processor, slowdown } in fitted.half_duplex.iter().flatten() {
        let delay = ports
            .as_ref()
            .and_then(|ports| ports.both_ports_byte_delay.get(processor.index()).copied());
        context.say(format!(
            "half duplex: {} sends and receives at once through {}, which slows exchanges up to \
                {slowdown:.1} times; ports-flows and \
             simulate use it",
            name(processor),
            delay.map_or(String::new(), rate)
        ));
    }
    if let Some(Estimate { value, interval, .. }) =
        ports.as_ref().and_then(|ports| ports.eager_limit)
    {
        let first = interval.map_or(value, |interval| interval.high) as u64 + 1;
        context.say(format!(
            "protocols: messages of {} wait for their receive (rendezvous), those up to {} do not; \
                ports and ports-flows use it",
            Bytes::new(first),
            Bytes::new(value as u64)
        ));
    }
    if let Some(limit) = ports.as_ref().and_then(|ports| ports.buffered_limit) {
        let first = limit.interval.map_or(limit.value, |interval| interval.high) as u64 + 1;
        context.say(format!(
            "protocols: sends of {} hold their rank until the message has arrived; ports and \
                ports-flows use it",
            Bytes::new(first)
        ));
    }
    if let Some(Estimate { value, interval, .. }) = ports.as_ref().and_then(|ports| ports.queue) {
        let kibibytes = |bytes: f64| format!("{:.0}", bytes / 1024.0);
        let interval = interval.map_or(String::new(), |one| {
            format!(" [{}, {}]", kibibytes(one.low), kibibytes(one.high))
        });
        context.say(format!(
            "protocols: the handshake of such a message follows up to {}{interval} KiB of other \
                messages; ports and ports-flows use it",
            kibibytes(value)
        ));
    }
    let Some(found) = &fitted.shared_links else { return };
    let pairs = found.pairs;
    if found.links.is_empty() && found.sets > 0 && found.unexplained.is_empty() {
        context.say(format!(
            "shared links: none; {pairs} pairs at the same time do not slow each other"
        ));
    }
    let delays = ports.iter().flat_map(|ports| ports.uplinks.byte_delay().to_vec());
    for (SharedLink { group, p_value, slowdown }, delay) in found.links.iter().zip(delays) {
        let rate = rate(delay);
        let sure =
            if *p_value < 1e-4 { "p < 0.0001".to_owned() } else { format!("p = {p_value:.4}") };
        let effect = if *slowdown > 1.0 {
            format!("which slows {pairs} pairs up to {slowdown:.1} times ({sure})")
        } else {
            format!(
                "which no set of {pairs} pairs saturates: only shares of other links show it \
                    ({sure})"
            )
        };
        context.say(format!(
            "shared links: {} reach the others through {rate}, {effect}",
            names(group.iter().map(name))
        ));
    }
    for group in found.unidentified.iter().take(MAX_UNIDENTIFIED) {
        context.say(format!(
            "shared links: not identified: {} may reach the others through a link that no set of \
                {pairs} pairs saturates",
            names(group.iter().map(name))
        ));
    }
    if found.unidentified.len() > MAX_UNIDENTIFIED {
        context.say(format!(
            "shared links: not identified: links of {} more groups",
            found.unidentified.len() - MAX_UNIDENTIFIED
        ));
    }
    if found.incomplete > 0 {
        warn(format!(
            "shared links: {} of {} sets of exchanges lack pairs or contradict themselves and are \
                not used, so that groups may be \
             missing or wrong; complete them with orrery measure comm --resume, or remove their \
             rows and measure them again",
            found.incomplete,
            found.incomplete + found.sets
        ));
    }
    if !found.unlocated.is_empty() && !found.links.is_empty() {
        warn(format!(
            "shared links: the groups of {} are not known: no link slows them, and their messages \
                do not slow others",
            names(found.unlocated.iter().map(name))
        ));
    }
    if !found.unexplained.is_empty() {
        let pair = |(i, j, ratio): &(Processor, Processor, f64)| {
            format!("{}-{} {ratio:.1} times", name(i), name(j))
        };
        let worst = found.unexplained.iter().map(pair).collect::<Vec<_>>().join(", ");
        warn(format!(
            "shared links: no tree of links explains how much some pairs slow each other \
                ({worst}); predictions of operations \
             with concurrent messages may be too short"
        ));
    }
}

/// The rate of a link with this delay per byte, with its interval.
fn rate(delay: Estimate) -> String {
    let interval = delay.interval.filter(|interval| interval.low > 0.0);
    let interval = interval.map_or(String::new(), |interval| {
        format!(" [{:.3}, {:.3}]", 1e-6 / interval.high, 1e-6 / interval.low)
    });
    format!("{:.3} MB/s{interval}", 1e-6 / delay.value)
}

/// The first names, and the number of the others.
pub fn names(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    let shown = all.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(MAX_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
