//! Numbers that were published, or that follow from published formulas by hand.

use orrery::sharing::Conflict::{Income, IncomeOutgo, Outgoing};
use orrery::sharing::{
    GammaForm, GigabitEthernet, Infiniband, MaxMinPorts, Myrinet, PenaltyModel, conflicts,
    mean_absolute_error,
};

use crate::transfers;

/// The scheme of figure 4: a b c d e f.
const FIGURE_4: [(u32, u32); 6] = [(0, 1), (0, 2), (0, 3), (4, 2), (4, 3), (5, 3)];

/// The fifth scheme of figure 2.
const FIVE: [(u32, u32); 5] = [(0, 1), (0, 2), (0, 3), (4, 1), (5, 1)];

/// The time of a single transfer of 4 MB on the cluster of figure 4, in seconds.
const REFERENCE: f64 = 0.0475;

pub fn gige() -> GigabitEthernet {
    GigabitEthernet::new(0.75, 0.115, 0.036).unwrap()
}

fn close(found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len());
    for (found_one, expected_one) in found.iter().zip(expected) {
        assert!((found_one - expected_one).abs() <= within, "{found:?} is not {expected:?}");
    }
}

/// Figure 4 to the printed digits; where the two forms differ, only the quotient agrees with it.
#[test]
fn gige_predicts_figure_4() {
    let arcs = transfers(&FIGURE_4);
    let times = |gige: GigabitEthernet| {
        gige.penalties(&arcs).unwrap().iter().map(|p| p * REFERENCE).collect::<Vec<_>>()
    };
    close(&times(gige()), &[0.095, 0.095, 0.113, 0.069, 0.103, 0.103], 0.0005);
    close(
        &times(gige().in_form(GammaForm::Printed)),
        &[0.095, 0.095, 0.132, 0.069, 0.103, 0.103],
        0.001,
    );
    let measured = [0.095, 0.099, 0.118, 0.068, 0.099, 0.103];
    let pairs: Vec<_> = times(gige()).into_iter().zip(measured).collect();
    let error = mean_absolute_error(&pairs).unwrap();
    assert!((2.0..3.0).contains(&error), "{error} %");
}

#[test]
fn gige_predicts_figure_2() {
    close(&gige().penalties(&transfers(&FIVE)).unwrap(), &[2.38, 1.99, 1.99, 2.17, 2.17], 0.005);
}

/// β comes from here: 1.5 of two sends, 2.25 of three.
#[test]
fn gige_penalties_of_simple_conflicts_are_multiples_of_beta() {
    close(&gige().penalties(&transfers(&[(0, 1)])).unwrap(), &[1.0], 0.0);
    close(&gige().penalties(&transfers(&[(0, 1), (0, 2)])).unwrap(), &[1.5; 2], 0.0);
    close(&gige().penalties(&transfers(&[(1, 0), (2, 0), (3, 0)])).unwrap(), &[2.25; 3], 0.0);
}

/// Figures 5 and 6, exactly.
#[test]
fn myrinet_counts_figure_6() {
    let six = transfers(&[(0, 1), (0, 2), (0, 3), (4, 1), (5, 1), (5, 6)]);
    let emissions = Myrinet::default().emissions(&six).unwrap();
    assert_eq!(
        emissions.iter().map(|e| e.sets).collect::<Vec<_>>(),
        [1.0, 2.0, 2.0, 2.0, 2.0, 3.0]
    );
    assert_eq!(
        emissions.iter().map(|e| e.least).collect::<Vec<_>>(),
        [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]
    );
    assert_eq!(
        emissions.iter().map(|e| e.penalty).collect::<Vec<_>>(),
        [5.0, 5.0, 5.0, 2.5, 2.5, 2.5]
    );
    assert!(emissions.iter().all(|e| e.all_sets == 5.0 && e.interval.is_none()));
    let sets = orrery::sharing::maximal_sending_sets(&six, 5).unwrap();
    assert_eq!(sets, [vec![0, 5], vec![1, 3, 5], vec![1, 4], vec![2, 3, 5], vec![2, 4]]);
}

/// Figure 2, last scheme, measured on Myrinet 2000: three errors of 0.5 in 4.5, one of 1.2 in 1.3.
#[test]
fn myrinet_errors_equal_the_published_ones() {
    let six = transfers(&[(0, 1), (0, 2), (0, 3), (4, 1), (5, 1), (5, 6)]);
    let predicted = Myrinet::default().penalties(&six).unwrap();
    let pairs: Vec<_> = predicted.into_iter().zip([4.5, 4.5, 4.5, 2.5, 2.5, 1.3]).collect();
    close(
        &[mean_absolute_error(&pairs).unwrap()],
        &[(3.0 * 50.0 / 4.5 + 120.0 / 1.3) / 6.0],
        1e-12,
    );
}

#[test]
fn infiniband_equals_tabulated_penalties() {
    type Case = (&'static [(u32, u32)], &'static [f64]);
    let infiniband = Infiniband::new(0.925, 0.965, 1.35).unwrap();
    let cases: [Case; 8] = [
        (&[(0, 1), (0, 2)], &[1.85, 1.85]),
        (&[(0, 1), (0, 2), (0, 3)], &[2.775; 3]),
        (&[(1, 0), (2, 0)], &[1.93; 2]),
        (&[(1, 0), (2, 0), (3, 0)], &[2.895; 3]),
        (&[(0, 1), (0, 2), (3, 1), (4, 1)], &[2.895, 2.4975, 2.895, 2.895]),
        (&[(0, 1), (0, 1)], &[1.93; 2]),
        (&[(0, 1), (0, 2), (1, 0)], &[1.85, 1.85, 1.0]),
        (&[(0, 1), (0, 2), (3, 1)], &[1.93, 1.85, 1.93]),
    ];
    for (arcs, expected) in cases {
        close(&infiniband.penalties(&transfers(arcs)).unwrap(), expected, 1e-12);
    }
}

#[test]
fn max_min_penalties_equal_hand_computed_ones() {
    // 0 sends three, so each has a third; what that leaves of the way into 1 is shared by two.
    close(&MaxMinPorts.penalties(&transfers(&FIVE)).unwrap(), &[3.0; 5], 1e-12);
    close(
        &MaxMinPorts.penalties(&transfers(&[(0, 1), (0, 2), (0, 3), (4, 3)])).unwrap(),
        &[3.0, 3.0, 3.0, 1.5],
        1e-12,
    );
    close(&MaxMinPorts.penalties(&transfers(&[(0, 1), (1, 0), (2, 2)])).unwrap(), &[1.0; 3], 0.0);
}

/// Figure 1: node 0 has an outgoing conflict, node 1 an income one, node 2 both directions.
#[test]
fn conflicts_are_classified_by_kind() {
    let met = conflicts(&transfers(&[(0, 1), (0, 2), (3, 1), (2, 4), (5, 6), (7, 7)]));
    assert_eq!(
        met,
        [
            vec![Outgoing, Income],
            vec![Outgoing, IncomeOutgo],
            vec![Income],
            vec![IncomeOutgo],
            vec![],
            vec![]
        ]
    );
}

#[test]
fn invalid_law_parameters_are_rejected() {
    assert!(GigabitEthernet::new(0.0, 0.1, 0.1).unwrap_err().to_string().contains("beta is 0"));
    assert!(
        GigabitEthernet::new(0.75, 1.0, 0.1).unwrap_err().to_string().contains("gamma_out is 1")
    );
    assert!(
        GigabitEthernet::new(0.75, 0.1, f64::NAN).unwrap_err().to_string().contains("gamma_in")
    );
    assert!(Infiniband::new(0.9, -1.0, 1.3).unwrap_err().to_string().contains("beta_in is -1"));
}
