//! Categories in execution-time models: factorials with effects and interactions, against plain
//! one-hot regression.

use nalgebra::{DMatrix, DVector};
use orrery::scaling::{FittedTerms, Levels};
use rand::seq::SliceRandom;

use crate::prelude::*;
use crate::variants::few_or_all;

const BLOCKS: [f64; 5] = [64.0, 96.0, 128.0, 192.0, 256.0];
const BROADCASTS: [&str; 6] = ["1ring", "1ringM", "2ring", "2ringM", "long", "longM"];
const SWAPS: [&str; 3] = ["binary", "spread", "mix"];

/// A factorial of block, broadcast, depth and swap with known effects.
struct Factorial {
    sizes: Vec<f64>,
    /// True if broadcast and swap are numeric codes instead of texts.
    has_codes: bool,
    noise: f64,
    /// ln effect of each level of block, broadcast, depth and swap.
    main: [Vec<f64>; 4],
    /// Pairs of factors with the ln effect of each pair of levels.
    interactions: Vec<([usize; 2], Vec<Vec<f64>>)>,
    rng: ChaCha8Rng,
}

/// The indices of the levels of a combination.
type Combination = [usize; 4];

impl Factorial {
    fn draw(seed: u64, sizes: &[f64], has_codes: bool, spread: f64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let main = [5, 6, 2, 3].map(|levels| {
            let range = rng.random_range(0.02..0.10);
            let mut effects: Vec<f64> =
                (0..levels).map(|level| range * level as f64 / (levels - 1) as f64).collect();
            effects.shuffle(&mut rng);
            effects
        });
        let count = rng.random_range(1..3);
        let pairs = [[1, 2], [0, 1], [2, 3], [0, 3]];
        let interaction = |_| {
            let pair: [usize; 2] = pairs[rng.random_range(0..4)];
            let draw =
                |rng: &mut ChaCha8Rng| spread * Distribution::<f64>::sample(&StandardNormal, rng);
            let table = main[pair[0]]
                .iter()
                .map(|_| main[pair[1]].iter().map(|_| draw(&mut rng)).collect());
            (pair, table.collect())
        };
        let interactions = (0..count).map(interaction).collect();
        Self { sizes: sizes.to_vec(), has_codes, noise: 0.03, main, interactions, rng }
    }

    fn combinations() -> Vec<Combination> {
        let mut all = Vec::new();
        for block in 0..5 {
            for broadcast in 0..6 {
                for depth in 0..2 {
                    all.extend((0..3).map(|swap| [block, broadcast, depth, swap]));
                }
            }
        }
        all
    }

    fn effect(&self, levels: Combination) -> f64 {
        let main: f64 = self.main.iter().zip(levels).map(|(effects, level)| effects[level]).sum();
        let pairs = self.interactions.iter().map(|([a, b], table)| table[levels[*a]][levels[*b]]);
        main + pairs.sum::<f64>()
    }

    fn truth(&self, n: f64, levels: Combination) -> f64 {
        (2e-10 * n.powi(3) + 1e-6 * n * n) * self.effect(levels).exp()
    }

    /// The variables and labels of a combination.
    fn point(&self, n: f64, [block, broadcast, depth, swap]: Combination) -> Point {
        let variables = [("block", BLOCKS[block]), ("depth", depth as f64)]
            .map(|(k, v)| (k.to_owned(), v))
            .into();
        let mut point = Point { variables, ..Point::default() };
        if self.sizes.len() > 1 {
            point.variables.insert("n".to_owned(), n);
        }
        if self.has_codes {
            point.variables.insert("broadcast".to_owned(), broadcast as f64);
            point.variables.insert("swap".to_owned(), swap as f64);
        } else {
            point.labels.insert("broadcast".to_owned(), BROADCASTS[broadcast].to_owned());
            point.labels.insert("swap".to_owned(), SWAPS[swap].to_owned());
        }
        point
    }

    /// A random half of all combinations, each with one run.
    fn runs(&mut self) -> (Vec<Run>, Vec<(f64, Combination)>) {
        let each = Self::combinations();
        let mut all: Vec<(f64, Combination)> =
            self.sizes.iter().flat_map(|&n| each.iter().map(move |&levels| (n, levels))).collect();
        all.shuffle(&mut self.rng);
        all.truncate(all.len() / 2);
        let run = |(index, &(n, levels)): (usize, &(f64, Combination))| {
            let normal: f64 = StandardNormal.sample(&mut self.rng);
            let mut run =
                Run::new(Seconds::new(self.truth(n, levels) * (self.noise * normal).exp()));
            let Point { variables, labels, .. } = self.point(n, levels);
            (run.variables, run.labels) = (variables, labels);
            run.labels.insert("job".to_owned(), format!("job-{index}"));
            run.labels.insert("host".to_owned(), format!("node{}", self.rng.random_range(0..4)));
            run
        };
        let runs = all.iter().enumerate().map(run).collect();
        (runs, all)
    }

    /// The excess of the time of the chosen combination over the best of all.
    fn regret(&self, levels: Combination) -> f64 {
        let best =
            Self::combinations().into_iter().map(|c| self.effect(c)).fold(f64::INFINITY, f64::min);
        (self.effect(levels) - best).exp() - 1.0
    }

    /// The combination of the model's best levels; a category without effect has its first level.
    fn choice(&self, model: &TermModel) -> Combination {
        let levels = model.effects.best_levels(&Levels::new());
        let mut best = ([0; 4], f64::INFINITY);
        for combination in Self::combinations() {
            let point = self.point(self.sizes[0], combination);
            let mut own: Levels = point
                .variables
                .iter()
                .map(|(name, value)| (name.clone(), value.to_string()))
                .collect();
            own.extend(point.labels.clone());
            if levels.iter().all(|(name, level)| own.get(name).is_none_or(|own| own == level)) {
                let point = Point { labels: levels.clone(), ..point };
                let time = model.forecast(&point, 0.95).unwrap().seconds.get();
                if time < best.1 {
                    best = (combination, time);
                }
            }
        }
        best.0
    }
}

/// The combination with the least sum of effects of plain least squares of ln t on the levels (and
/// ln n).
fn one_hot_choice(runs: &[Run], combinations: &[(f64, Combination)], sizes: &[f64]) -> Combination {
    let columns = |n: f64, levels: Combination| {
        let mut row = vec![1.0];
        row.extend(sizes.iter().skip(1).map(|&size| f64::from(u8::from((size - n).abs() < 0.5))));
        for (level, count) in levels.into_iter().zip([5, 6, 2, 3]) {
            row.extend((1..count).map(|k| f64::from(u8::from(k == level))));
        }
        row
    };
    let rows: Vec<f64> = combinations.iter().flat_map(|&(n, levels)| columns(n, levels)).collect();
    let rows = DMatrix::from_row_slice(runs.len(), rows.len() / runs.len(), &rows);
    let times = DVector::from_iterator(runs.len(), runs.iter().map(|run| run.seconds.get().ln()));
    let solution = (rows.transpose() * &rows).lu().solve(&(rows.transpose() * times)).unwrap();
    let mut first = solution.len() - 12;
    [5, 6, 2, 3].map(|levels| {
        let effects: Vec<f64> =
            std::iter::once(0.0).chain((first..first + levels - 1).map(|k| solution[k])).collect();
        first += levels - 1;
        (0..levels).min_by(|&a, &b| effects[a].total_cmp(&effects[b])).unwrap()
    })
}

fn fit(runs: &[Run]) -> FittedTerms {
    fit_terms(runs, TermOptions::default()).unwrap()
}

/// The mean regrets of the model and of plain one-hot regression over the seeds, in percent.
fn mean_regrets(sizes: &[f64], has_codes: bool, spread: f64) -> [f64; 2] {
    let seeds = few_or_all(8, 20);
    let mut sums = [0.0; 2];
    for seed in 0..seeds {
        let mut factorial = Factorial::draw(seed, sizes, has_codes, spread);
        let (runs, combinations) = factorial.runs();
        let fitted = fit(&runs);
        let choices =
            [factorial.choice(&fitted.model), one_hot_choice(&runs, &combinations, sizes)];
        let regrets = choices.map(|choice| factorial.regret(choice));
        sums.iter_mut()
            .zip(regrets)
            .for_each(|(sum, regret)| *sum += 100.0 * regret / seeds as f64);
    }
    sums
}

#[test]
fn half_a_factorial_chooses_as_well_as_one_hot_regression() {
    let one: &[f64] = &[8e3];
    let three: &[f64] = &[4e3, 8e3, 16e3];
    let cases = few_or_all(
        vec![(one, true, 0.03)],
        vec![
            (one, false, 0.0),
            (one, false, 0.02),
            (one, false, 0.03),
            (one, true, 0.03),
            (three, false, 0.03),
        ],
    );
    for (sizes, has_codes, spread) in cases {
        let [own, one_hot] = mean_regrets(sizes, has_codes, spread);
        let which = format!("{} sizes, codes {has_codes}, interactions of {spread}", sizes.len());
        assert!(
            own <= 1.0 && own <= one_hot + 0.2,
            "{which}: {own} %, one-hot regression {one_hot} %"
        );
    }
}

/// Runs of 2e-9·n² seconds by size, and by levels of `mode` and `depth` with exact effects.
fn exact_runs() -> Vec<Run> {
    let mut runs = Vec::new();
    for n in [1e3, 2e3, 4e3, 8e3, 16e3] {
        for (mode, effect) in [("slow", 1.25), ("fast", 0.8)] {
            for depth in [0.0, 1.0] {
                let both = if mode == "slow" && depth > 0.0 { 1.1 } else { 1.0 };
                let mut run = Run::new(Seconds::new(2e-9 * n * n * effect * both));
                run.variables = [("x".to_owned(), n), ("depth".to_owned(), depth)].into();
                run.labels.insert("mode".to_owned(), mode.to_owned());
                runs.push(run);
            }
        }
    }
    runs
}

fn at(n: f64, depth: Option<f64>, mode: Option<&str>) -> Point {
    let mut point = Point::default();
    point.variables.insert("x".to_owned(), n);
    point.variables.extend(depth.map(|depth| ("depth".to_owned(), depth)));
    point.labels.extend(mode.map(|mode| ("mode".to_owned(), mode.to_owned())));
    point
}

#[test]
fn exact_effects_and_their_interaction_are_recovered() {
    let fitted = fit(&exact_runs());
    let names: Vec<String> =
        fitted.model.effects.effects.iter().map(|effect| effect.categories.join(" × ")).collect();
    assert_eq!(names, ["depth", "mode", "depth × mode"]);
    assert!(fitted.unused_variables.is_empty());
    let seconds = |depth, mode| {
        fitted.model.forecast(&at(1e4, Some(depth), Some(mode)), 0.95).unwrap().seconds.get()
    };
    for (depth, mode, factor) in
        [(0.0, "slow", 1.25), (1.0, "slow", 1.375), (0.0, "fast", 0.8), (1.0, "fast", 0.8)]
    {
        let exact = 0.2 * factor;
        assert!(
            (seconds(depth, mode) / exact - 1.0).abs() < 1e-3,
            "{} {exact}",
            seconds(depth, mode)
        );
    }
}

#[test]
fn a_point_without_levels_has_their_mean_and_their_spread() {
    let model = fit(&exact_runs()).model;
    let [all, none] = [at(1e4, Some(0.0), Some("fast")), at(1e4, None, None)];
    let width = |point: &Point| {
        let (low, high) = model.forecast(point, 0.95).unwrap().interval.unwrap();
        (high / low).ln()
    };
    assert_eq!(model.unnamed_categories(&none), ["depth", "mode"]);
    assert!(model.unnamed_categories(&all).is_empty());
    // ln 1.25 is the standard deviation of the effect of the mode.
    assert!(width(&none) > 0.7 && width(&all) < 0.05, "{} {}", width(&none), width(&all));
    let (low, high) = model.forecast(&none, 0.95).unwrap().interval.unwrap();
    assert!(low.get() < 0.16 && high.get() > 0.275);
}

#[test]
fn a_point_with_one_level_has_the_mean_of_its_pairs() {
    let model = fit(&exact_runs()).model;
    for (mode, factor) in [("slow", 1.25 * 1.1_f64.sqrt()), ("fast", 0.8)] {
        let forecast = model.forecast(&at(1e4, None, Some(mode)), 0.95).unwrap();
        assert!(
            (forecast.seconds.get() / (0.2 * factor) - 1.0).abs() < 1e-3,
            "{mode}: {}",
            forecast.seconds
        );
        let (low, high) = forecast.interval.unwrap();
        // The depth changes the slow mode by 10 %, and the fast one not at all.
        assert_eq!((high / low).ln() > 0.1, mode == "slow", "{mode}: {low} to {high}");
    }
}

#[test]
fn unknown_levels_and_categories_are_refused() {
    let model = fit(&exact_runs()).model;
    let refused = |point: Point| model.forecast(&point, 0.95).unwrap_err().to_string();
    assert_eq!(
        refused(at(1e4, Some(0.0), Some("turbo"))),
        "no run of the model has mode = \"turbo\"; its levels are fast, slow"
    );
    assert_eq!(
        refused(at(1e4, Some(2.0), None)),
        "no run of the model has depth = \"2\"; its levels are 0, 1"
    );
    let mut point = at(1e4, None, None);
    point.labels.insert("cooling".to_owned(), "good".to_owned());
    assert!(refused(point).contains("does not depend on a category \"cooling\""));
}

#[test]
fn labels_without_effect_change_nothing() {
    for seed in 0..8 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut runs = exact_runs();
        for run in &mut runs {
            run.labels.clear();
            run.variables.remove("depth");
            let normal: f64 = StandardNormal.sample(&mut rng);
            run.seconds = Seconds::new(2e-9 * run.variables["x"].powi(2) * (0.03 * normal).exp());
        }
        let plain = fit(&runs);
        for (index, run) in runs.iter_mut().enumerate() {
            run.labels.insert("job".to_owned(), index.to_string());
            run.labels.insert("host".to_owned(), format!("node{}", rng.random_range(0..3)));
            run.labels.insert("date".to_owned(), format!("2026-{:02}", index / 4));
        }
        assert_eq!(fit(&runs), plain, "seed {seed}");
    }
}

#[test]
fn levels_are_chosen_that_were_never_run_together() {
    let mut runs = exact_runs();
    // The fastest pair of levels is left out; depth 1 is faster by 5 % here.
    for run in &mut runs {
        if run.variables["depth"] > 0.0 {
            run.seconds = Seconds::new(
                run.seconds.get() / if run.labels["mode"] == "slow" { 1.1 } else { 1.0 } * 0.95,
            );
        }
    }
    runs.retain(|run| run.labels["mode"] == "slow" || run.variables["depth"] < 0.5);
    let model: ExecutionTimeModel = fit(&runs).model.into();
    let measured = MeasuredPoint::of_model(&runs, &model);
    let region = Region { name: String::new(), model, measured };
    let levels = region.best_levels(&Levels::new());
    assert_eq!(
        levels,
        [("depth", "1"), ("mode", "fast")].map(|(k, v)| (k.to_owned(), v.to_owned())).into()
    );
    assert!(!region.has_run(&levels));
    let given = region.best_levels(&[("mode".to_owned(), "slow".to_owned())].into());
    assert!(region.has_run(&given) && given["depth"] == "1");
    // At these levels, the measured points have the times that runs with these levels would take.
    let there = region.at_levels(&levels).unwrap();
    for measured in &there.measured {
        let exact = 2e-9 * measured.point.variables["x"].powi(2) * 0.8 * 0.95;
        let fine = measured.seconds.iter().all(|seconds| (seconds / exact - 1.0).abs() < 0.01);
        assert!(fine && measured.variant["mode"] == "fast", "{measured:?}");
        let forecast = there.forecast(&measured.point, 0.95).unwrap().seconds.get();
        assert!((forecast / exact - 1.0).abs() < 0.01, "{forecast} {exact}");
    }
}

#[test]
fn texts_alone_have_effects_on_a_constant() {
    let mut runs = exact_runs();
    runs.retain(|run| run.variables["x"] < 1.5e3);
    let mut twice = runs.clone();
    twice.extend(
        runs.iter()
            .map(|run| Run { seconds: Seconds::new(run.seconds.get() * 1.01), ..run.clone() }),
    );
    let model = fit(&twice).model;
    let seconds = |depth, mode| {
        model.forecast(&at(1e3, Some(depth), Some(mode)), 0.95).unwrap().seconds.get()
    };
    assert!((seconds(1.0, "slow") / (2e-3 * 1.375) - 1.0).abs() < 0.05, "{}", seconds(1.0, "slow"));
    assert!(seconds(0.0, "fast") < 0.7 * seconds(0.0, "slow"));
}
