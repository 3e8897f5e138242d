//! A change of the law of the time at a value of a variable, as in the segmented series with which
//! Extra-P tests its models.

use crate::prelude::*;

fn fitted(series: &[(f64, f64)]) -> TermModel {
    let run = |&(x, seconds): &(f64, f64)| {
        let mut run = Run::new(Seconds::new(seconds));
        run.variables.insert("x".to_owned(), x);
        run
    };
    let runs: Vec<Run> = series.iter().map(run).collect();
    fit_terms(&runs, TermOptions::default()).unwrap().model
}

fn at(x: f64) -> Point {
    Point { variables: [("x".to_owned(), x)].into(), ..Point::default() }
}

/// A series at x = step, 2·step, … by a law up to the last x of the first, and another beyond.
fn series(step: f64, last: f64, first: fn(f64) -> f64, second: fn(f64) -> f64) -> Vec<(f64, f64)> {
    let law = |x: f64| if x <= last { first(x) } else { second(x) };
    (1..=10).map(|k| step * f64::from(k)).map(|x| (x, law(x))).collect()
}

#[test]
fn the_model_is_that_of_the_upper_law() {
    for (step, last, first, second) in [
        (1.0, 6.0, (|x| x * x) as fn(f64) -> f64, (|x| x + 30.0) as fn(f64) -> f64),
        (4.0, 20.0, |x| x.log2(), |x| x * x),
        (1e3, 5e3, |_| 4.0, |x| 9.0 + x / 1e3),
    ] {
        let model = fitted(&series(step, last, first, second));
        let change = model.law_change.clone().unwrap();
        assert_eq!((change.below, change.from), (last, last + step));
        let far = model.forecast(&at(20.0 * step), 0.95).unwrap().seconds.get();
        assert!((far / second(20.0 * step) - 1.0).abs() < 0.05, "{far}");
        // The other law is refused, not extrapolated.
        let refused = model.forecast(&at(step), 0.95).unwrap_err().to_string();
        assert!(refused.contains("changes between x = "), "{refused}");
    }
}

/// Noise of 2 to 10 % about one law is no change, in 200 series.
#[test]
fn noise_is_no_change() {
    let laws: [fn(f64) -> f64; 4] =
        [|x| 1.0 + x, |x| 100.0 / x + 0.1 * x, |x| x * x, |x| 5.0 + x.log2()];
    let mut changes = 0;
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let deviation = [0.02, 0.05, 0.1][seed as usize % 3];
        let law = laws[seed as usize % 4];
        let noisy = |k: i32| {
            let normal: f64 = StandardNormal.sample(&mut rng);
            let x = f64::from(1 << k);
            (x, law(x) * (deviation * normal).exp())
        };
        changes +=
            usize::from(fitted(&(0..10).map(noisy).collect::<Vec<_>>()).law_change.is_some());
    }
    assert!(changes <= 4, "{changes} of 200");
}
