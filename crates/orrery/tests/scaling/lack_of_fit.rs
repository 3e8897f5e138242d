//! Lack of fit: no remark on runs that the model describes, and the pattern of runs that it does
//! not.

use orrery::scaling::{ErrorFactor, Forecast, LackOfFit, PatternShape, lack_of_fit};
use rand::RngExt as _;

use crate::prelude::*;
use crate::variants::few_or_all;

/// Runs on a grid of values, each repeated, with a relative noise of the times.
struct Generator<'a> {
    rng: ChaCha8Rng,
    axes: Axes<'a>,
    configurations: &'a [&'a str],
    repetitions: usize,
    noise: f64,
}

impl<'a> Generator<'a> {
    fn new(seed: u64, axes: Axes<'a>) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { rng, axes, configurations: &[""], repetitions: 1, noise: 0.02 }
    }

    /// The runs, with times by a function of the run.
    fn runs(&mut self, seconds: impl Fn(&Run) -> f64) -> Vec<Run> {
        let mut points = vec![Run::new(Seconds::new(0.0))];
        for (name, values) in self.axes {
            let with = |run: &Run, value: f64| {
                let mut run = run.clone();
                run.variables.insert((*name).to_owned(), value);
                run
            };
            points = points
                .iter()
                .flat_map(|run| values.iter().map(|&value| with(run, value)))
                .collect();
        }
        let mut runs = Vec::new();
        for configuration in self.configurations.iter().filter(|text| !text.is_empty()) {
            runs.extend(
                points.iter().map(|run| Run {
                    configuration: configuration.parse().unwrap(),
                    ..run.clone()
                }),
            );
        }
        let runs = if runs.is_empty() { points } else { runs };
        let mut measured = Vec::new();
        for run in runs.iter().flat_map(|run| std::iter::repeat_n(run, self.repetitions)) {
            let mut run = run.clone();
            let word = if self.rng.random_bool(0.5) { "red" } else { "blue" };
            run.labels.insert("colour".to_owned(), word.to_owned());
            let normal: f64 = StandardNormal.sample(&mut self.rng);
            run.seconds = Seconds::new(seconds(&run) * (self.noise * normal).exp());
            measured.push(run);
        }
        measured
    }
}

/// The lack of fit of a model of this family at its runs.
fn lack_of(runs: &[Run], family: TermFamily) -> Option<LackOfFit> {
    let model = fit_terms(runs, TermOptions { family: Some(family), ..TermOptions::default() })
        .unwrap()
        .model;
    lack_of_fit(runs, |point| model.forecast(point, 0.95))
}

/// The lack of fit of the law by which the times of runs were made.
fn lack_of_truth(runs: &[Run], truth: impl Fn(&Run) -> f64) -> Option<LackOfFit> {
    lack_of_fit(runs, |point: &Point| {
        let mut run = Run::new(Seconds::new(0.0));
        (run.variables, run.configuration) = (point.variables.clone(), point.configuration.clone());
        let seconds = Seconds::new(truth(&run));
        Ok(Forecast { seconds, interval: None, extrapolated: false, slowest_kind: None })
    })
}

const SIZES: &[f64] = &[1000.0, 2000.0, 4000.0, 8000.0, 12000.0, 16000.0];

const GRIDS: Axes = &[("n", SIZES), ("p", &[1.0, 2.0, 4.0]), ("q", &[2.0, 4.0])];

const BY_KIND: Axes = &[("n", &[1000.0, 2000.0, 4000.0, 8000.0])];

const KINDS: &[&str] = &[
    "a=1x1",
    "a=1x2",
    "a=1x3",
    "a=1x4",
    "b=1x1",
    "b=2x1",
    "b=4x1",
    "b=8x1",
    "b=4x2",
    "b=8x2",
    "b=4x3",
    "b=8x3",
    "b=8x4",
    "a=1x3,b=8x1",
    "a=1x4,b=8x2",
];

/// The values of variables.
type Axes<'a> = &'a [(&'a str, &'a [f64])];

/// The time of a run.
type Law<'a> = &'a dyn Fn(&Run) -> f64;

/// A time of terms of HPL on a grid.
fn hpl(run: &Run) -> f64 {
    let [n, p, q] = ["n", "p", "q"].map(|name| run.variables[name]);
    3e-10 * n.powi(3) / (p * q) + 2e-8 * n * n / q + 3e-8 * n * n / p + 1e-5 * n
}

/// A time of terms of HPL on two kinds of elements.
fn kinds(run: &Run) -> f64 {
    let (n, processes) = (run.variables["n"], run.configuration.processes() as f64);
    let between =
        if run.configuration.elements() > 1 { 1e-7 * n * n + 1e-4 * n * processes } else { 0.0 };
    let time = |share: &Share| {
        let speed = if share.kind == "a" { 4e-10 } else { 1.5e-9 };
        speed * n.powi(3) * f64::from(share.processes) / processes + between
    };
    run.configuration.shares.iter().map(time).fold(0.0, f64::max)
}

/// The runs of a generator with this noise and number of repetitions.
fn noisy(
    mut generator: Generator,
    noise: f64,
    repetitions: usize,
    seconds: impl Fn(&Run) -> f64,
) -> Vec<Run> {
    (generator.noise, generator.repetitions) = (noise, repetitions);
    generator.runs(seconds)
}

#[test]
fn runs_that_follow_the_model_rarely_show_a_pattern() {
    let trials = few_or_all(150, 400);
    let one = |run: &Run| 3.0 + 0.1 * run.variables["x"].powf(1.5);
    let two = |run: &Run| 3.0 + 0.1 * run.variables["x"] * run.variables["y"].powi(2);
    let (y, x): (&[f64], &[f64]) =
        (&[10.0, 20.0, 30.0, 40.0, 50.0], &[4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0]);
    let designs: [(Axes, &[&str], Law); 4] = [
        (GRIDS, &[""], &hpl),
        (&[("x", x)], &[""], &one),
        (&[("x", &x[..5]), ("y", y)], &[""], &two),
        (BY_KIND, KINDS, &kinds),
    ];
    let noises: &[(f64, usize)] =
        few_or_all(&[(0.1, 1), (0.02, 3)], &[(0.005, 1), (0.02, 1), (0.1, 1), (0.02, 3), (0.1, 5)]);
    for &(noise, repetitions) in noises {
        for (design, (axes, configurations, truth)) in designs.iter().enumerate() {
            let found = (0..trials).filter(|&seed| {
                let generator = Generator { configurations, ..Generator::new(seed, axes) };
                lack_of_truth(&noisy(generator, noise, repetitions, truth), truth).is_some()
            });
            let found = found.count();
            // 5 % and two standard deviations of a count.
            let most = 0.05 * trials as f64 + 2.0 * (0.0475 * trials as f64).sqrt();
            assert!(
                found as f64 <= most,
                "design {design}, noise {noise}, {repetitions} runs per point: {found} of {trials}"
            );
        }
    }
}

#[test]
fn fitted_models_of_their_runs_show_no_lack_of_fit() {
    for seed in 0..few_or_all(3, 10) {
        for (noise, repetitions) in [(0.0, 1), (0.02, 1), (0.1, 3)] {
            let found = lack_of(
                &noisy(Generator::new(seed, GRIDS), noise, repetitions, hpl),
                TermFamily::Hpl,
            );
            assert_eq!(found, None, "grids, seed {seed}, noise {noise}");
            let generator = Generator { configurations: KINDS, ..Generator::new(seed, BY_KIND) };
            let found = lack_of(&noisy(generator, noise, repetitions, kinds), TermFamily::Hpl);
            assert_eq!(found, None, "kinds, seed {seed}, noise {noise}");
        }
    }
}

#[test]
fn outliers_and_noise_that_depends_on_the_size_are_no_lack_of_fit() {
    let found = (0..200).filter(|&seed| {
        let mut runs = Generator::new(seed, GRIDS).runs(hpl);
        for (index, run) in runs.iter_mut().enumerate() {
            // Noise of 20 % at the smallest size, and one run of 12 takes three times as long.
            let wide = if run.variables["n"] < 1500.0 { run.seconds.get() / hpl(run) } else { 1.0 };
            let late = if (index + seed as usize).is_multiple_of(12) { 3.0 } else { 1.0 };
            run.seconds = Seconds::new(run.seconds.get() * wide.powi(9) * late);
        }
        lack_of_truth(&runs, hpl).is_some()
    });
    let found = found.count();
    assert!(found <= 15, "{found} of 200");
}

/// The pattern of a law that the family of HPL does not describe, for each of three seeds.
fn patterns(axes: Axes, configurations: &[&str], law: impl Fn(&Run) -> f64) -> Vec<LackOfFit> {
    let found = (0..3).map(|seed| {
        let mut generator = Generator { configurations, ..Generator::new(seed, axes) };
        lack_of(&generator.runs(&law), TermFamily::Hpl)
            .unwrap_or_else(|| panic!("seed {seed} shows nothing"))
    });
    found.collect()
}

/// The factors of the patterns.
fn factors(found: &[LackOfFit]) -> Vec<&ErrorFactor> {
    found.iter().map(|lack| &lack.pattern.as_ref().expect("a pattern").factor).collect()
}

#[test]
fn a_label_that_changes_the_time_is_named() {
    let slow = |factor: f64| {
        move |run: &Run| hpl(run) * if run.labels["colour"] == "red" { factor } else { 1.0 }
    };
    for factor in [1.06, 1.15] {
        let found = patterns(GRIDS, &[""], slow(factor));
        assert_eq!(factors(&found), [&ErrorFactor::Label("colour".to_owned()); 3]);
        let PatternShape::Groups { least, most } = &found[0].pattern.as_ref().unwrap().shape else {
            panic!()
        };
        assert_eq!((least.name.as_str(), most.name.as_str()), ("red", "blue"));
        let ratio = (1.0 + most.error) / (1.0 + least.error);
        assert!((ratio / factor - 1.0).abs() < 0.06, "{ratio}");
    }
}

#[test]
fn breaks_over_the_size_are_named() {
    let n = ErrorFactor::Variable("n".to_owned());
    let cache = |run: &Run| hpl(run) * if run.variables["n"] < 1500.0 { 0.7 } else { 1.0 };
    assert_eq!(factors(&patterns(GRIDS, &[""], cache)), [&n; 3]);
    let start = |run: &Run| hpl(run) * if run.variables["n"] < 2500.0 { 1.3 } else { 1.0 };
    assert_eq!(factors(&patterns(GRIDS, &[""], start)), [&n; 3]);
    let waves = |run: &Run| hpl(run) * (1.0 + 0.15 * (run.variables["n"].log2() * 2.0).sin());
    assert_eq!(factors(&patterns(GRIDS, &[""], waves)), [&n; 3]);
}

#[test]
fn one_configuration_that_is_slow_is_named() {
    let slow =
        |run: &Run| kinds(run) * if run.configuration.to_string() == "b=8x1" { 1.3 } else { 1.0 };
    for lack in patterns(BY_KIND, KINDS, slow) {
        let pattern = lack.pattern.unwrap();
        let PatternShape::OneGroup { group, others } = pattern.shape else { panic!() };
        assert_eq!((pattern.factor, group.name.as_str()), (ErrorFactor::Configuration, "b=8x1"));
        assert!(
            (group.error + 0.23).abs() < 0.03 && others.abs() < 0.02,
            "{} {others}",
            group.error
        );
        assert_eq!(lack.worst.configuration.to_string(), "b=8x1");
    }
}

#[test]
fn kinds_that_are_slow_together_are_named() {
    let slow = |run: &Run| kinds(run) * if run.configuration.shares.len() > 1 { 1.3 } else { 1.0 };
    assert_eq!(factors(&patterns(BY_KIND, KINDS, slow)), [&ErrorFactor::Kinds; 3]);
}

#[test]
fn a_number_of_processes_per_element_that_is_slow_is_named() {
    let slow = |run: &Run| {
        let most = run.configuration.shares.iter().map(|share| share.processes).max().unwrap();
        kinds(run) * if most == 3 { 1.5 } else { 1.0 }
    };
    for lack in patterns(BY_KIND, KINDS, slow) {
        let pattern = lack.pattern.unwrap();
        assert!(
            matches!(pattern.factor, ErrorFactor::ProcessesPerElement(_)),
            "{:?}",
            pattern.factor
        );
        assert!(pattern.p_value < 1e-3, "{}", pattern.p_value);
    }
}

#[test]
fn smooth_errors_that_differ_by_configuration_have_signs_of_neighbours() {
    // The errors bend over n, up for half of the grids and down for the others.
    let bend = |run: &Run| {
        let sign = if run.variables["p"] * run.variables["q"] % 3.0 > 1.5 { 1.0 } else { -1.0 };
        hpl(run) * (sign * 0.2 * (run.variables["n"].log2() * 1.5).sin()).exp()
    };
    let sizes: Vec<f64> = (0..20).map(|k| 1000.0 * 1.15_f64.powi(k)).collect();
    let axes: [(&str, &[f64]); 3] = [("n", &sizes), GRIDS[1], GRIDS[2]];
    let runs = noisy(Generator::new(1, &axes), 0.05, 1, bend);
    let lack = lack_of_truth(&runs, hpl).unwrap();
    let pattern = lack.pattern.unwrap();
    assert!(matches!(pattern.shape, PatternShape::Neighbours { .. }), "{pattern:?}");
    assert_eq!(pattern.factor, ErrorFactor::Variable("n".to_owned()));
}

#[test]
fn large_errors_without_a_pattern_are_lack_of_fit_unless_they_are_noise() {
    let grid: [(&str, &[f64]); 2] = [("x", &[1.0, 2.0]), ("y", &[1.0, 2.0])];
    let product = |run: &Run| run.variables["x"] * run.variables["y"];
    let constant = |_: &Run| 2.0;
    let lack = lack_of_truth(&noisy(Generator::new(1, &grid), 0.0, 1, product), constant).unwrap();
    assert_eq!((lack.pattern, lack.spread), (None, None));
    assert_eq!((lack.typical_error, lack.worst_error), (0.25, 1.0));
    assert_eq!(lack.worst.to_string(), "x = 1, y = 1");
    let lack = lack_of_truth(&noisy(Generator::new(1, &grid), 0.01, 5, product), constant).unwrap();
    assert!(lack.spread.is_some_and(|spread| (0.003..0.03).contains(&spread)), "{:?}", lack.spread);
    // Repeated runs that differ by as much explain the errors.
    let found = (0..50).filter(|&seed| {
        lack_of_truth(&noisy(Generator::new(seed, &grid), 0.4, 3, constant), constant).is_some()
    });
    assert!(found.count() <= 3);
}
