//! Incrementally updated penalties equal those of the law for all active transfers.

use orrery::sharing::{
    ActiveTransfers, GammaForm, GigabitEthernet, Infiniband, Myrinet, PenaltyModel, SharingLaw,
    Transfer,
};
use proptest::prelude::*;

/// Batches of starts (source, destination) and stops by transfer number, for given numbers of
/// transfers and nodes.
fn batches(
    numbers: usize,
    nodes: u32,
    length: usize,
) -> impl Strategy<Value = Vec<Vec<(usize, u32, u32)>>> {
    let toggle = (0..numbers, 0..nodes, 0..nodes);
    prop::collection::vec(prop::collection::vec(toggle, 1..length), 1..20)
}

/// Starts and stops transfers batch by batch and compares the penalties after each batch with
/// recomputed ones.
fn assert_incremental_equals_recomputed(
    law: SharingLaw,
    numbers: usize,
    batches: &[Vec<(usize, u32, u32)>],
) -> Result<(), TestCaseError> {
    let mut underway = ActiveTransfers::new(law);
    let mut there: Vec<Option<Transfer>> = vec![None; numbers];
    let mut result = vec![0.0; numbers];
    for batch in batches {
        for &(number, from, to) in batch {
            if there[number].take().is_some() {
                underway.stop(number);
            } else {
                let transfer = Transfer::between(from, to);
                there[number] = Some(transfer);
                underway.start(number, transfer);
                result[number] = 1.0;
            }
        }
        underway.update_penalties().unwrap();
        underway.changed().for_each(|number| result[number] = underway.penalty(number));
        let running: Vec<usize> = (0..numbers).filter(|&number| there[number].is_some()).collect();
        let transfers: Vec<Transfer> = running.iter().filter_map(|&number| there[number]).collect();
        for (number, penalty) in running.into_iter().zip(law.penalties(&transfers).unwrap()) {
            let found = underway.penalty(number);
            prop_assert!(
                (found - penalty).abs() <= 1e-12 * penalty,
                "{law:?}: {found} is not {penalty}"
            );
            prop_assert_eq!(found, result[number], "{:?}: a change was not reported", law);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn incremental_penalties_equal_recomputed_ones(batches in batches(12, 6, 6)) {
        let gige = GigabitEthernet::new(0.75, 0.115, 0.036).unwrap();
        let laws = [
            SharingLaw::MaxMinPorts,
            SharingLaw::GigabitEthernet(gige),
            SharingLaw::GigabitEthernet(gige.in_form(GammaForm::Printed)),
            SharingLaw::Myrinet(Myrinet::default()),
            SharingLaw::Infiniband(Infiniband::SIMGRID),
            SharingLaw::Infiniband(Infiniband::new(0.9, 0.7, 0.6).unwrap()),
        ];
        for law in laws {
            assert_incremental_equals_recomputed(law, 12, &batches)?;
        }
    }

    /// Up to a hundred transfers between three nodes, with degrees that exceed tables of degrees.
    #[test]
    fn incremental_penalties_are_exact_with_many_parallel_transfers(batches in batches(100, 3, 60)) {
        for law in [SharingLaw::GigabitEthernet(GigabitEthernet::new(0.75, 0.115, 0.036).unwrap()), SharingLaw::Infiniband(Infiniband::SIMGRID)] {
            assert_incremental_equals_recomputed(law, 100, &batches)?;
        }
    }
}

/// In the printed form, the penalty of a port can be negative; the other port then determines the
/// penalty.
#[test]
fn negative_port_penalty_is_not_the_maximum() {
    let law = SharingLaw::GigabitEthernet(
        GigabitEthernet::new(0.75, -0.5, 0.036).unwrap().in_form(GammaForm::Printed),
    );
    assert_incremental_equals_recomputed(
        law,
        5,
        &[vec![(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 4), (4, 5, 1)]],
    )
    .unwrap();
}
