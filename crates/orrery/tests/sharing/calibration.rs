//! Parameters come back from what a law with known parameters would measure.

use orrery::sharing::calibrate::MeasuredSlowdowns;
use orrery::sharing::{GammaForm, GigabitEthernet, Infiniband, PenaltyModel, task_error};
use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::transfers;

const TWO: &[(u32, u32)] = &[(0, 1), (0, 2)];
const TWO_TO_ONE: &[(u32, u32)] = &[(1, 0), (2, 0)];
const FIGURE_4: &[(u32, u32)] = &[(0, 1), (0, 2), (0, 3), (4, 2), (4, 3), (5, 3)];
const CROWDED: &[(u32, u32)] = &[(0, 1), (0, 2), (0, 3), (4, 1), (5, 1)];

/// Simulated readings of some schemes, with a number of repetitions and relative errors of up to
/// `noise`.
fn measured(
    law: &dyn PenaltyModel,
    schemes: &[&[(u32, u32)]],
    times: usize,
    noise: f64,
    seed: u64,
) -> Vec<MeasuredSlowdowns> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut of = |arcs: &&[(u32, u32)]| {
        let transfers = transfers(arcs);
        let mut reading = |penalty: f64| penalty * (1.0 + noise * rng.random_range(-1.0..1.0));
        let penalties = law.penalties(&transfers).unwrap();
        let slowdowns =
            penalties.iter().map(|&p| (0..times).map(|_| reading(p)).collect()).collect();
        MeasuredSlowdowns { transfers, slowdowns }
    };
    schemes.iter().map(&mut of).collect()
}

fn near(found: [f64; 3], expected: [f64; 3], within: f64) {
    assert!(
        found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= within),
        "{found:?} is not {expected:?}"
    );
}

proptest! {
    #[test]
    fn closed_formulas_recover_gige(beta in 0.6..1.2_f64, out in 0.0..0.4_f64, into in 0.0..0.4_f64) {
        let law = GigabitEthernet::new(beta, out, into).unwrap();
        let two = law.penalties(&transfers(TWO)).unwrap()[0];
        let six = law.penalties(&transfers(FIGURE_4)).unwrap();
        // a is slowed least of its source, f least of its destination.
        near(GigabitEthernet::from_slowdowns(&[(2, two)], six[0], six[5]).unwrap().parameters(), law.parameters(), 1e-9);
    }

    #[test]
    fn closed_formulas_recover_infiniband(out in 0.5..1.2_f64, into in 0.5..1.2_f64, gamma in 1.0..1.9_f64) {
        let law = Infiniband::new(out, into, gamma).unwrap();
        let [two, one] = [TWO, TWO_TO_ONE].map(|arcs| law.penalties(&transfers(arcs)).unwrap()[0]);
        let crowded = law.penalties(&transfers(CROWDED)).unwrap()[1];
        near(Infiniband::from_slowdowns(two, one, (3, crowded)).unwrap().parameters(), law.parameters(), 1e-9);
    }

    #[test]
    fn fits_recover_gige(beta in 0.6..1.1_f64, out in -0.05..0.4_f64, into in -0.05..0.4_f64) {
        for form in [GammaForm::Quotient, GammaForm::Printed] {
            let law = GigabitEthernet::new(beta, out, into).unwrap().in_form(form);
            let found = GigabitEthernet::fit(&measured(&law, &[TWO, FIGURE_4], 1, 0.0, 0), form, 0.95).unwrap();
            near(found.map(|estimate| estimate.value), law.parameters(), 1e-7);
            prop_assert!(found[0].interval.is_none() && found[0].samples == Some(8));
        }
    }

    #[test]
    fn fits_recover_infiniband(out in 0.6..1.1_f64, into in 0.6..1.1_f64, gamma in 1.1..1.9_f64) {
        let law = Infiniband::new(out, into, gamma).unwrap();
        let found = Infiniband::fit(&measured(&law, &[TWO, TWO_TO_ONE, CROWDED], 1, 0.0, 0), 0.95).unwrap();
        near(found.map(|estimate| estimate.value), law.parameters(), 1e-7);
    }
}

/// The published measurements: β from two and three sends, both γ from a and f of figure 4.
#[test]
fn calibration_of_the_paper_is_reproduced() {
    // T_ref that is within what the printed digits allow.
    let (a, f) = (0.095 / 0.0477, 0.103 / 0.0475);
    near(
        GigabitEthernet::from_slowdowns(&[(2, 1.5), (3, 2.25)], a, f).unwrap().parameters(),
        [0.75, 0.115, 0.036],
        0.001,
    );
    assert!(GigabitEthernet::from_slowdowns(&[], a, f).is_err());
}

/// Nearly all 95 % intervals contain the true value.
#[test]
fn intervals_cover_the_truth() {
    let law = GigabitEthernet::new(0.75, 0.115, 0.036).unwrap();
    let mut covered = 0;
    for seed in 0..100 {
        let found = GigabitEthernet::fit(
            &measured(&law, &[TWO, FIGURE_4], 5, 0.02, seed),
            GammaForm::Quotient,
            0.95,
        )
        .unwrap();
        let holds = |(estimate, truth): (&orrery::numeric::Estimate, f64)| {
            estimate.interval.is_some_and(|i| i.low <= truth && truth <= i.high)
        };
        covered += found.iter().zip(law.parameters()).filter(|&pair| holds(pair)).count();
    }
    assert!((270..=300).contains(&covered), "{covered} of 300");
}

#[test]
fn unidentified_parameters_are_named() {
    let law = GigabitEthernet::new(0.75, 0.115, 0.036).unwrap();
    let error = GigabitEthernet::fit(&measured(&law, &[TWO], 1, 0.0, 0), GammaForm::Quotient, 0.95)
        .unwrap_err();
    assert!(error.to_string().contains("do not identify gamma_out;"), "{error}");
    assert!(
        GigabitEthernet::fit(&[], GammaForm::Quotient, 0.95)
            .unwrap_err()
            .to_string()
            .contains("beta")
    );
    let law = Infiniband::new(0.925, 0.965, 1.35).unwrap();
    let error = Infiniband::fit(&measured(&law, &[TWO, TWO_TO_ONE], 1, 0.0, 0), 0.95).unwrap_err();
    assert!(error.to_string().contains("do not identify gamma;"), "{error}");
    let broken =
        MeasuredSlowdowns { transfers: transfers(TWO), slowdowns: vec![vec![1.5], vec![f64::NAN]] };
    let error = Infiniband::fit(&[broken], 0.95).unwrap_err().to_string();
    assert!(error.contains("divided by the time alone is NaN, not a finite"), "{error}");
}

#[test]
fn task_error_is_computed_from_summed_times() {
    assert_eq!(task_error(&[(1.0, 2.0), (3.0, 2.0)]), Some(0.0));
    assert_eq!(task_error(&[]), None);
}
