//! What holds of every network and all messages.

use std::collections::BTreeMap;

use orrery::simulate::{Communication, FlowModel, Outcome};
use proptest::prelude::*;

use super::{BANDWIDTH, LATENCY, Message, models, play};

fn messages() -> impl Strategy<Value = Vec<Message>> {
    let hosts = (0..6_u32, 1..6_u32).prop_map(|(from, further)| (from, (from + further) % 6));
    let message = (hosts, 1_000..1_000_000_u64, 0..8_u32);
    prop::collection::vec(message, 1..12).prop_map(|all| {
        all.into_iter()
            .map(|((from, to), size, at)| (from, to, size, f64::from(at) * 1e-3))
            .collect()
    })
}

/// The rate of a communication at an instant.
fn rate(communication: &Communication, at: f64) -> Option<f64> {
    let is_there = communication.end.get() > at;
    let step = communication.penalties.iter().rev().find(|(since, _)| since.get() <= at)?;
    is_there.then_some(BANDWIDTH / step.1)
}

/// Instants between all changes.
fn instants(outcome: &Outcome) -> Vec<f64> {
    let changes = outcome.communications.iter().flat_map(|one| {
        one.penalties
            .iter()
            .map(|(since, _)| since.get())
            .chain([one.end.get()])
            .collect::<Vec<_>>()
    });
    let mut changes: Vec<f64> = changes.collect();
    changes.sort_by(f64::total_cmp);
    changes.windows(2).map(|two| f64::midpoint(two[0], two[1])).collect()
}

fn bytes(communication: &Communication) -> f64 {
    let ends = communication.penalties.iter().skip(1).map(|step| step.0).chain([communication.end]);
    communication
        .penalties
        .iter()
        .zip(ends)
        .map(|(step, end)| (end - step.0).get() * BANDWIDTH / step.1)
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_bytes_arrive(messages in messages()) {
        for model in models() {
            let outcome = play(&messages, model.clone());
            prop_assert_eq!(outcome.communications.len(), messages.len());
            for one in &outcome.communications {
                let (asked, delivered) = (one.size.get() as f64, bytes(one));
                prop_assert!((delivered - asked).abs() < 1e-6 * asked, "{}: {} of {}", model, delivered, asked);
            }
        }
    }

    /// What is larger takes longer where the others mind it no less; a larger message may end
    /// others earlier, so only the last end is compared, of messages that all grow alike.
    #[test]
    fn time_grows_with_size(messages in messages(), more in 1.1..4.0_f64) {
        let together: Vec<Message> = messages.iter().map(|&(from, to, size, _)| (from, to, size, 0.0)).collect();
        let grown: Vec<Message> =
            together.iter().map(|&(from, to, size, at)| (from, to, (size as f64 * more).ceil() as u64, at)).collect();
        for model in models() {
            let (before, after) = (play(&together, model.clone()).end, play(&grown, model.clone()).end);
            prop_assert!(after > before, "{}: {} and {}", model, before, after);
        }
    }

    #[test]
    fn uncontended_message_takes_latency_plus_size_over_bandwidth(size in 1..100_000_000_u64, from in 0..7_u32) {
        for model in models() {
            let outcome = play(&[(from, from + 1, size, 0.0)], model.clone());
            let expected = 2.0 * LATENCY + size as f64 / BANDWIDTH;
            prop_assert!((outcome.end.get() - expected).abs() < 1e-12 + 1e-12 * expected, "{}: {}", model, outcome.end);
            prop_assert!(outcome.communications[0].lost.get().abs() < 1e-12);
            prop_assert!(outcome.communications[0].conflicts.is_empty());
        }
    }

    /// No link carries more than it can, and each message has its uncontended rate or crosses a
    /// link that is full.
    #[test]
    fn max_min_saturates_links_within_their_capacity(messages in messages()) {
        let outcome = play(&messages, FlowModel::MAXMIN);
        for at in instants(&outcome) {
            let mut load: BTreeMap<(u32, bool), f64> = BTreeMap::new();
            let ends = |one: &Communication| {
                let message = messages[one.from.index() / 2];
                [(message.0, true), (message.1, false)]
            };
            for one in &outcome.communications {
                if let Some(rate) = rate(one, at) {
                    ends(one).into_iter().for_each(|port| *load.entry(port).or_default() += rate);
                }
            }
            prop_assert!(load.values().all(|&load| load <= BANDWIDTH * (1.0 + 1e-9)));
            for one in &outcome.communications {
                let is_full = ends(one).iter().any(|port| load.get(port).is_some_and(|&l| l > BANDWIDTH * (1.0 - 1e-9)));
                prop_assert!(rate(one, at).is_none() || is_full);
            }
        }
    }

    /// The lost time equals the delay, and all of it is assigned to other messages.
    #[test]
    fn losses_sum_to_the_lost_time(messages in messages()) {
        for model in models() {
            for one in play(&messages, model.clone()).communications {
                let alone = one.size.get() as f64 / BANDWIDTH;
                let late = one.flow_duration().get() - alone;
                prop_assert!((one.lost.get() - late).abs() < 1e-9, "{}: lost {}, \
                    late {}", model, one.lost, late);
                let result: f64 = one.losses.iter().map(|loss| loss.lost.get()).sum();
                prop_assert!((result - late).abs() < 1e-9, "{}: lost {}, \
                    late {}", model, result, late);
                prop_assert!(one.mean_penalty() >= 1.0 - 1e-9 && one.largest_penalty() >= one.mean_penalty() - 1e-9);
            }
        }
    }
}
