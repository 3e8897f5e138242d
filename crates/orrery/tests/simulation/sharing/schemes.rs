//! Schemes played in time.

use orrery::sharing::{Infiniband, MaxMinPorts, Myrinet, PenaltyModel, SharingLaw, scheme};
use orrery::simulate::{Communication, SimulationError, replay_scheme};
use orrery::units::BytesPerSecond;

use super::gige;

fn replay(text: &str, law: SharingLaw) -> Vec<Option<Communication>> {
    let scheme = scheme::parse(text).expect("it is a scheme");
    replay_scheme(&scheme, BytesPerSecond::new(1e6), law).expect("the law can be evaluated")
}

fn seconds(text: &str, law: SharingLaw) -> Vec<f64> {
    replay(text, law).iter().flatten().map(|one| (one.end - one.start).get()).collect()
}

fn close(found: &[f64], expected: &[f64]) {
    let is_close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(is_close && found.len() == expected.len(), "{found:?} is not {expected:?}");
}

/// 1 MB takes 1 s uncontended. Three transfers leave a node, the last one second late.
#[test]
fn scheme_times_equal_hand_computed_ones() {
    let text = "0 -> 1 1000000B\n0 -> 2 2000000B\n0 -> 3 1000000B after 1s";
    // With γ out of play, k transfers of a node take 0.75·k times as long: two go at 2/3 MB/s,
    // three at 4/9 MB/s. Until 1 s: 2/3 and 2/3 MB done. Then 1/3 MB of the first takes 3/4 s: 1.75
    // s; the third has done 1/3 MB, the second 1 MB. Two are left: the third's 2/3 MB take 1 s,
    // until 2.75 s; the second has then 1/3 MB left, alone: 3.0833 s.
    close(&seconds(text, gige()), &[1.75, 2.75 + 1.0 / 3.0, 1.75]);
}

/// Equal sizes in a symmetric conflict end together, so that static and dynamic predictions agree.
#[test]
fn symmetric_conflicts_take_penalty_times_reference() {
    let text = "0 -> 1 1000000B\n0 -> 2 1000000B\n3 -> 1 1000000B\n3 -> 2 1000000B";
    let transfers = scheme::parse(text).unwrap().transfers();
    for law in [
        SharingLaw::MaxMinPorts,
        gige(),
        SharingLaw::Myrinet(Myrinet::default()),
        SharingLaw::Infiniband(Infiniband::SIMGRID),
    ] {
        close(&seconds(text, law), &law.penalties(&transfers).unwrap());
    }
    close(&seconds(text, SharingLaw::MaxMinPorts), &MaxMinPorts.penalties(&transfers).unwrap());
}

/// The published sets of states: the three of node 0 at 5, the others at 2.5, until these end.
#[test]
fn remaining_transfers_speed_up() {
    let text = "0 -> 1 1000000B\n0 -> 2 1000000B\n0 -> 3 1000000B\n4 -> 1 1000000B\n5 -> 1 \
        1000000B\n5 -> 6 1000000B";
    // At 2.5 s half of each of the three is left, now among themselves: three times as long.
    close(&seconds(text, SharingLaw::Myrinet(Myrinet::default())), &[4.0, 4.0, 4.0, 2.5, 2.5, 2.5]);
}

#[test]
fn local_transfers_are_not_replayed() {
    let result = replay("0 -> 0 1M\n0 -> 1 1000000B", gige());
    assert!(result[0].is_none());
    assert!((result[1].as_ref().unwrap().end.get() - 1.0).abs() < 1e-12);
}

#[test]
fn uncountable_components_are_reported() {
    let text: String =
        (0..40).flat_map(|from| (40..80).map(move |to| format!("{from} -> {to}\n"))).collect();
    let scheme = scheme::parse(&text).unwrap();
    let error =
        replay_scheme(&scheme, BytesPerSecond::new(1e6), SharingLaw::Myrinet(Myrinet::default()))
            .unwrap_err();
    assert!(matches!(error, SimulationError::Sharing { .. }), "{error}");
    assert!(
        error.to_string().contains("1600 transfers from 40 sources to 40 destinations"),
        "{error}"
    );
}
