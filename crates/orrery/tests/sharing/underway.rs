//! Penalties that follow transfers as they come and go are those of the law, which looks at all at once.

use orrery::sharing::{Form, Gige, Infiniband, Law, Myrinet, Sharing, Transfer, Underway};
use proptest::prelude::*;

/// Numbers that start (from where to where) or stop, several at a time.
fn batches() -> impl Strategy<Value = Vec<Vec<(usize, u32, u32)>>> {
    let toggle = (0..12_usize, 0..6_u32, 0..6_u32);
    prop::collection::vec(prop::collection::vec(toggle, 1..6), 1..20)
}

proptest! {
    #[test]
    fn step_by_step_is_all_at_once(batches in batches()) {
        let gige = Gige::new(0.75, 0.115, 0.036).unwrap();
        let laws = [
            Law::Fair,
            Law::Gige(gige),
            Law::Gige(gige.in_form(Form::Printed)),
            Law::Myrinet(Myrinet::default()),
            Law::Infiniband(Infiniband::SIMGRID),
            Law::Infiniband(Infiniband::new(0.9, 0.7, 0.6).unwrap()),
        ];
        for law in laws {
            let mut underway = Underway::new(law);
            let mut there: Vec<Option<Transfer>> = vec![None; 12];
            let mut told = [0.0; 12];
            for batch in &batches {
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
                let changed = underway.settle().unwrap().to_vec();
                changed.into_iter().for_each(|number| told[number] = underway.penalty(number));
                let running: Vec<usize> = (0..12).filter(|&number| there[number].is_some()).collect();
                let transfers: Vec<Transfer> = running.iter().filter_map(|&number| there[number]).collect();
                for (number, penalty) in running.into_iter().zip(law.penalties(&transfers).unwrap()) {
                    let found = underway.penalty(number);
                    prop_assert!((found - penalty).abs() <= 1e-12 * penalty, "{law:?}: {found} is not {penalty}");
                    prop_assert_eq!(found, told[number], "{:?}: a change was not told", law);
                }
            }
        }
    }
}
