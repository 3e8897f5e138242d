//! What holds of every law and every set of transfers.

use std::collections::BTreeMap;

use orrery::sharing::{
    GigabitEthernet, Infiniband, MaxMinPorts, Myrinet, PenaltyModel, Transfer, components,
};
use proptest::prelude::*;

use crate::transfers;

fn laws() -> Vec<(&'static str, Box<dyn PenaltyModel>)> {
    vec![
        ("max-min", Box::new(MaxMinPorts)),
        ("gige", Box::new(GigabitEthernet::new(0.75, 0.115, 0.036).unwrap())),
        ("myrinet", Box::new(Myrinet::default())),
        ("infiniband", Box::new(Infiniband::new(0.925, 0.965, 1.35).unwrap())),
    ]
}

fn arcs(nodes: u32) -> impl Strategy<Value = Vec<Transfer>> {
    prop::collection::vec((0..nodes, 0..nodes), 0..14).prop_map(|arcs| transfers(&arcs))
}

fn alike(name: &str, one: &[f64], other: &[f64]) {
    for (a, b) in one.iter().zip(other) {
        assert!((a - b).abs() <= 1e-12 * a.abs(), "{name}: {one:?} and {other:?}");
    }
    assert_eq!(one.len(), other.len());
}

proptest! {
    #[test]
    fn uncontended_transfer_has_penalty_one(arcs in arcs(7)) {
        for (name, law) in laws() {
            let penalties = law.penalties(&arcs).unwrap();
            for (transfer, penalty) in arcs.iter().zip(penalties) {
                let others = arcs.iter().filter(|o| {
                    !o.is_local() && (o.source == transfer.source || o.destination == transfer.destination)
                });
                if transfer.is_local() || others.count() == 1 {
                    prop_assert_eq!(penalty, 1.0, "{}", name);
                } else {
                    prop_assert!(penalty > 1.0, "{}: {}", name, penalty);
                }
            }
        }
    }

    /// By max-min no port carries more than its bandwidth, and every transfer uses a saturated
    /// port.
    #[test]
    fn max_min_saturates_a_port_of_each_transfer(arcs in arcs(6)) {
        let penalties = MaxMinPorts.penalties(&arcs).unwrap();
        let mut load = BTreeMap::new();
        let ends = |t: &Transfer| [(t.source, true), (t.destination, false)];
        for (transfer, penalty) in arcs.iter().zip(&penalties).filter(|(t, _)| !t.is_local()) {
            ends(transfer).into_iter().for_each(|end| *load.entry(end).or_insert(0.0) += 1.0 / penalty);
        }
        prop_assert!(load.values().all(|&load| load <= 1.0 + 1e-9));
        for transfer in arcs.iter().filter(|t| !t.is_local()) {
            prop_assert!(ends(transfer).iter().any(|end| load[end] > 1.0 - 1e-9));
        }
    }

    /// A transfer of Myrinet waits for all others of its source, and sends in no more than its
    /// share.
    #[test]
    fn myrinet_is_no_faster_than_its_source_allows(arcs in arcs(5)) {
        for (transfer, penalty) in arcs.iter().zip(Myrinet::default().penalties(&arcs).unwrap()) {
            let degree = arcs.iter().filter(|o| o.source == transfer.source && !o.is_local()).count();
            prop_assert!(transfer.is_local() || penalty >= degree as f64);
        }
    }

    #[test]
    fn penalties_do_not_depend_on_node_numbers(arcs in arcs(6), by in 1..1000_u32) {
        let other: Vec<_> = arcs.iter().map(|t| Transfer::between(by * (9 - t.source.0), by * (9 - t.destination.0))).collect();
        for (name, law) in laws() {
            alike(name, &law.penalties(&arcs).unwrap(), &law.penalties(&other).unwrap());
        }
    }

    #[test]
    fn penalties_do_not_depend_on_the_order_of_transfers(arcs in arcs(6)) {
        let reversed: Vec<_> = arcs.iter().copied().rev().collect();
        for (name, law) in laws() {
            let mut penalties = law.penalties(&reversed).unwrap();
            penalties.reverse();
            alike(name, &law.penalties(&arcs).unwrap(), &penalties);
        }
    }

    #[test]
    fn components_do_not_affect_each_other(arcs in arcs(7)) {
        for (name, law) in laws() {
            let together = law.penalties(&arcs).unwrap();
            for component in components(&arcs) {
                let members: Vec<_> = component.iter().map(|&k| arcs[k]).collect();
                let expected: Vec<_> = component.iter().map(|&k| together[k]).collect();
                alike(name, &law.penalties(&members).unwrap(), &expected);
            }
        }
    }

    /// Components are a partition, and no two of them share a port.
    #[test]
    fn components_share_no_port(arcs in arcs(9)) {
        let all = components(&arcs);
        let mut of = vec![None; arcs.len()];
        for (which, component) in all.iter().enumerate() {
            component.iter().for_each(|&k| assert_eq!(of[k].replace(which), None));
        }
        for (k, a) in arcs.iter().enumerate() {
            prop_assert_eq!(of[k].is_none(), a.is_local());
            for (l, b) in arcs.iter().enumerate().filter(|(_, b)| !b.is_local() && !a.is_local()) {
                prop_assert!(of[k] == of[l] || (a.source != b.source && a.destination != b.destination));
            }
        }
    }
}
