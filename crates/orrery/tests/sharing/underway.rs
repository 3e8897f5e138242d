//! Penalties that follow transfers as they come and go are those of the law, which looks at all at once.

use orrery::sharing::{
    ActiveTransfers, GammaForm, GigabitEthernet, Infiniband, Myrinet, PenaltyModel, SharingLaw, Transfer,
};
use proptest::prelude::*;

/// Numbers that start (from where to where) or stop, several at a time: so many numbers, so many nodes.
fn batches(numbers: usize, nodes: u32, length: usize) -> impl Strategy<Value = Vec<Vec<(usize, u32, u32)>>> {
    let toggle = (0..numbers, 0..nodes, 0..nodes);
    prop::collection::vec(prop::collection::vec(toggle, 1..length), 1..20)
}

/// Starts and stops transfers step by step, and holds the penalties after each batch to those of all at once.
fn follow(law: SharingLaw, numbers: usize, batches: &[Vec<(usize, u32, u32)>]) -> Result<(), TestCaseError> {
    let mut underway = ActiveTransfers::new(law);
    let mut there: Vec<Option<Transfer>> = vec![None; numbers];
    let mut told = vec![0.0; numbers];
    for batch in batches {
        for &(number, from, to) in batch {
            if there[number].take().is_some() {
                underway.stop(number);
            } else {
                let transfer = Transfer::between(from, to);
                there[number] = Some(transfer);
                underway.start(number, transfer);
                told[number] = 1.0;
            }
        }
        underway.update_penalties().unwrap();
        underway.changed().for_each(|number| told[number] = underway.penalty(number));
        let running: Vec<usize> = (0..numbers).filter(|&number| there[number].is_some()).collect();
        let transfers: Vec<Transfer> = running.iter().filter_map(|&number| there[number]).collect();
        for (number, penalty) in running.into_iter().zip(law.penalties(&transfers).unwrap()) {
            let found = underway.penalty(number);
            prop_assert!((found - penalty).abs() <= 1e-12 * penalty, "{law:?}: {found} is not {penalty}");
            prop_assert_eq!(found, told[number], "{:?}: a change was not told", law);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn step_by_step_is_all_at_once(batches in batches(12, 6, 6)) {
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
            follow(law, 12, &batches)?;
        }
    }

    /// Up to a hundred transfers between three nodes: degrees come and go that are too large for a table.
    #[test]
    fn crowds_are_followed_too(batches in batches(100, 3, 60)) {
        for law in [SharingLaw::GigabitEthernet(GigabitEthernet::new(0.75, 0.115, 0.036).unwrap()), SharingLaw::Infiniband(Infiniband::SIMGRID)] {
            follow(law, 100, &batches)?;
        }
    }
}

/// As printed, a law can take more than all from one side of a transfer; the other side is the greater one then.
#[test]
fn a_side_below_zero_is_not_the_greater_one() {
    let law = SharingLaw::GigabitEthernet(GigabitEthernet::new(0.75, -0.5, 0.036).unwrap().in_form(GammaForm::Printed));
    follow(law, 5, &[vec![(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 4), (4, 5, 1)]]).unwrap();
}
