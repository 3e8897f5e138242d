//! Fits to times with known polynomials.

use orrery::kernel::{Kernel, KernelCall, KernelCallError, KernelModel, KernelTime, Term, fit};
use orrery::units::Seconds;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

/// The times of random calls by a function of m, n and k, with a relative noise.
fn times(
    kernel: &str,
    count: usize,
    noise: f64,
    seed: u64,
    time: impl Fn([f64; 3]) -> f64,
) -> Vec<KernelTime> {
    let kernel: Kernel = kernel.parse().unwrap();
    let variant = kernel.routine.variants()[0];
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut one = || {
        let dimensions = [0; 3].map(|_| 2.0_f64.powf(rng.random_range(3.0..12.0)) as u64);
        let call = KernelCall::new(kernel, variant, dimensions).unwrap();
        let error: f64 = StandardNormal.sample(&mut rng);
        let seconds = time(call.dimensions().map(|one| one as f64)) * (1.0 + noise * error);
        KernelTime { call, seconds: Seconds::new(seconds) }
    };
    (0..count).map(|_| one()).collect()
}

fn coefficient(model: &KernelModel, piece: usize, term: &str) -> f64 {
    let term: Term = term.parse().unwrap();
    let found = model.pieces[piece].terms.iter().find(|one| one.term == term);
    found.map_or(0.0, |one| one.coefficient.value)
}

#[test]
fn polynomials_return_without_noise() {
    let dgemm = times("dgemm", 60, 0.0, 1, |[m, n, k]| 1e-10 * m * n * k + 3e-10 * m * n + 2e-6);
    let model = fit(&dgemm, 0.95).unwrap();
    assert_eq!(model.pieces.len(), 1);
    for (term, value) in [("mnk", 1e-10), ("mn", 3e-10), ("1", 2e-6)] {
        assert!((coefficient(&model, 0, term) / value - 1.0).abs() < 1e-6, "{term}");
    }
    assert_eq!(model.pieces[0].terms.len(), 3);
    let potrf = times("dpotrf", 30, 0.0, 2, |[_, n, _]| 2e-11 * n.powi(3) + 1e-9 * n.powi(2));
    let model = fit(&potrf, 0.95).unwrap();
    assert!((coefficient(&model, 0, "n3") / 2e-11 - 1.0).abs() < 1e-6);
    // Other kernels have no prediction.
    let other = KernelCall::new("spotrf".parse().unwrap(), "l", [1, 100, 1]).unwrap();
    assert_eq!(model.predict(&other), None);
}

#[test]
fn a_break_of_the_smallest_dimension_returns() {
    let time = |[m, n, k]: [f64; 3]| {
        let smallest = m.min(n).min(k);
        m * n * k * if smallest < 64.0 { 3e-10 } else { 1e-10 } + 1e-6
    };
    let model = fit(&times("dgemm", 400, 0.02, 3, time), 0.95).unwrap();
    assert_eq!(model.pieces.len(), 2);
    assert!((60..=70).contains(&model.pieces[1].from), "{}", model.pieces[1].from);
    for (piece, value) in [(0, 3e-10), (1, 1e-10)] {
        assert!((coefficient(&model, piece, "mnk") / value - 1.0).abs() < 0.02);
    }
}

/// Intervals of predictions contain new readings as often as they say.
#[test]
fn intervals_cover_readings() {
    let time = |[m, n, k]: [f64; 3]| 1e-10 * m * n * k + 2e-10 * (m * n + n * k) + 2e-6;
    let (mut covered, mut count) = (0, 0);
    for seed in 0..40 {
        let model = fit(&times("dgemm", 60, 0.05, seed, time), 0.95).unwrap();
        for KernelTime { call, seconds } in times("dgemm", 50, 0.05, 1000 + seed, time) {
            let interval = model.predict(&call).unwrap().interval.unwrap();
            covered += usize::from(interval.low <= seconds.get() && seconds.get() <= interval.high);
            count += 1;
        }
    }
    let part = f64::from(covered as u32) / f64::from(count);
    assert!((0.92..=0.98).contains(&part), "{part}");
}

#[test]
fn impossible_calls_and_readings_are_refused() {
    let kernel: Kernel = "dgemm".parse().unwrap();
    assert!(
        "xgemm"
            .parse::<Kernel>()
            .unwrap_err()
            .to_string()
            .contains("did you mean \"dgemm\"? known are dgemm, ")
    );
    let refused =
        |variant, dimensions| KernelCall::new(kernel, variant, dimensions).unwrap_err().to_string();
    assert_eq!(refused("xy", [1; 3]), "dgemm has no variant 'xy'; it has nn, nt, tn, tt");
    assert_eq!(refused("nn", [4, 0, 4]), "n is 0; dimensions of dgemm must be 1 to 2147483648");
    assert!(matches!(
        KernelCall::new(kernel, "nn", [1 << 40, 1, 1]),
        Err(KernelCallError::Dimension { name: 'm', .. })
    ));
    let unfit = |times: &[KernelTime]| fit(times, 0.95).unwrap_err().to_string();
    assert_eq!(unfit(&[]), "there are no times of kernels");
    let few = times("dgemm", 10, 0.0, 1, |_| 1.0);
    let error = unfit(&few);
    assert!(error.contains("only 10 of the 15 different calls"), "{error}");
    let mixed = [few, times("dtrsm", 10, 0.0, 1, |_| 1.0)].concat();
    assert!(unfit(&mixed).contains("dgemm nn and dtrsm lln"));
    let none = times("dgemm", 20, 0.0, 1, |_| 0.0);
    assert!(unfit(&none).contains("takes no time"));
}

#[test]
fn calls_are_parsed() {
    let parse = |text: &str| text.parse::<KernelCall>();
    assert_eq!(
        parse(" dtrsm  lun 3 4 ").unwrap(),
        KernelCall::new("dtrsm".parse().unwrap(), "lun", [3, 4, 1]).unwrap()
    );
    assert_eq!(parse("sgetrf 5 6").unwrap().dimensions(), [5, 6, 1]);
    let refused = |text: &str| parse(text).unwrap_err().to_string();
    let form = "write its dimensions after the kernel and a variant: dgemm nn 100 200 50";
    for text in ["dgemm 1 2", "dgemm nn", "dgemm nn 1 2 3 4", "dgemm 1 2 x", "dgemm nn 1 -2 3"] {
        assert_eq!(refused(text), format!("'{text}' is no call of dgemm; {form}"));
    }
    assert!(refused("dpotrf 1 2").ends_with("variant: dpotrf l 200"), "{}", refused("dpotrf 1 2"));
    assert!(refused("dgemm xx 1 2 3").contains("no variant 'xx'"));
    assert!(refused("dgemm 1 0 3").contains("n is 0"));
    assert!(refused("gemm 1 2 3").contains("gemm") && refused("").contains("kernel"));
}
