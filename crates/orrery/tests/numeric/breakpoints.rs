//! Breakpoints against what R's strucchange finds (`testdata/strucchange`), and laws that hold for
//! any series.

use std::fs;
use std::path::{Path, PathBuf};

use orrery::numeric::breakpoints::{
    BreakpointError as E, OrderedSeries, Shape, breakpoints, min_segment_points, supremum_test,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::skip::skip;

struct Golden {
    x: Vec<f64>,
    y: Vec<f64>,
    shape: Shape,
    found: Value,
}

fn goldens() -> Vec<Golden> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/strucchange");
    let mut names: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|name| name.extension().is_some_and(|extension| extension == "json"));
    names.sort();
    assert_eq!(names.len(), 8);
    names.iter().map(|name| golden(name)).collect()
}

fn golden(name: &Path) -> Golden {
    let found = serde_json::from_str(&fs::read_to_string(name).unwrap()).unwrap();
    let text = fs::read_to_string(name.with_extension("csv")).unwrap();
    let mut golden = Golden { x: Vec::new(), y: Vec::new(), shape: Shape::Linear, found };
    for line in text.lines().skip(1) {
        let mut cells = line.split(',').skip(1).map(|cell| cell.parse::<f64>().unwrap());
        golden.x.push(cells.next().unwrap());
        golden.y.push(cells.next().unwrap());
    }
    if name.file_name().unwrap().to_string_lossy().starts_with("constant") {
        golden.shape = Shape::Constant;
    }
    golden
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[test]
fn partitions_equal_those_of_strucchange() {
    for golden in goldens() {
        let name = &golden.found["series"];
        let series = OrderedSeries::new(&golden.x, &golden.y, golden.shape).unwrap();
        let found = breakpoints(&series, min_segment_points(series.len(), 0.15), None).unwrap();
        let (rss, bic) = (numbers(&golden.found["rss"]), numbers(&golden.found["bic"]));
        assert_eq!(found.by_count.len(), rss.len(), "{name}");
        for (count, partition) in found.by_count.iter().enumerate() {
            let expected = numbers(&golden.found["breakpoints_by_m"][count.to_string()]);
            assert_eq!(
                partition.breaks,
                expected.iter().map(|place| *place as usize).collect::<Vec<_>>(),
                "{name}"
            );
            let off = (partition.rss / rss[count] - 1.0)
                .abs()
                .max((partition.bic / bic[count] - 1.0).abs());
            assert!(off < 1e-8, "{name}, {count} breaks: {partition:?}, off by {off}");
        }
        let chosen = found.best_by_bic();
        assert_eq!(
            chosen.breaks.len() as u64,
            golden.found["chosen_m"].as_u64().unwrap(),
            "{name}"
        );
        let (segments, coefficients) =
            (chosen.segments(&series), golden.found["coef_chosen"].as_array().unwrap());
        assert_eq!(segments.len(), coefficients.len(), "{name}");
        for (segment, expected) in segments.iter().zip(coefficients) {
            let expected = numbers(expected);
            let slope = expected.get(1).copied().unwrap_or(0.0);
            assert!(
                (segment.intercept - expected[0]).abs() < 1e-8 * expected[0].abs().max(1e-3),
                "{name}: {segment:?}"
            );
            assert!((segment.slope - slope).abs() <= 1e-8 * slope.abs(), "{name}: {segment:?}");
        }
    }
}

#[test]
fn intervals_equal_those_of_strucchange() {
    for golden in goldens() {
        let series = OrderedSeries::new(&golden.x, &golden.y, golden.shape).unwrap();
        let found = breakpoints(&series, min_segment_points(series.len(), 0.15), None).unwrap();
        let expected = golden.found["confint_95"].as_array().unwrap();
        let intervals = found.best_by_bic().intervals(&series, 0.95);
        assert!(
            intervals.len() == expected.len() && !intervals.is_empty(),
            "{}",
            golden.found["series"]
        );
        for (interval, expected) in intervals.into_iter().zip(expected) {
            let (interval, expected) = (interval.unwrap(), numbers(expected));
            let expected = [expected[0], expected[2]].map(|place| place as usize);
            assert_eq!([interval.low, interval.high], expected, "{}", golden.found["series"]);
        }
    }
}

#[test]
fn supremum_test_detects_breaks() {
    for golden in goldens() {
        let series = OrderedSeries::new(&golden.x, &golden.y, golden.shape).unwrap();
        let test = supremum_test(&series, min_segment_points(series.len(), 0.15)).unwrap();
        assert!(test.p_value < 1e-6, "{}: {test:?}", golden.found["series"]);
    }
}

/// Random series with one or two jumps, where R and strucchange are installed.
#[test]
fn partitions_of_random_series_equal_those_of_strucchange() {
    let script = "suppressPackageStartupMessages(library(strucchange)); d <- \
        read.csv(commandArgs(TRUE)[1]); b <- breakpoints(y ~ x, data = d, h = 9); s <- summary(b); \
        cat(format(s$RSS['RSS', ], digits = 17), '\n'); for (m in seq_len(ncol(s$RSS) - 1)) \
        cat(breakpoints(b, breaks = m)$breakpoints, '\n')";
    let file = tempfile::NamedTempFile::new().unwrap();
    for seed in 0..6 {
        let points = 60 + 7 * seed as usize;
        let x: Vec<f64> = (0..points).map(|k| (k * k) as f64 / 10.0 + 3.0 * k as f64).collect();
        let jump = |k: usize| if k > points / 3 { 4.0 } else { 0.0 } - if k > points / 2 { 2.5 } else { 0.0 };
        let y: Vec<f64> = noise(seed, points)
            .iter()
            .enumerate()
            .map(|(k, noise)| jump(k) + x[k] / 50.0 + noise)
            .collect();
        let rows: Vec<String> = x.iter().zip(&y).map(|(x, y)| format!("{x},{y}")).collect();
        fs::write(file.path(), format!("x,y\n{}\n", rows.join("\n"))).unwrap();
        let Ok(output) =
            std::process::Command::new("Rscript").args(["-e", script]).arg(file.path()).output()
        else {
            skip("R is not installed");
            return;
        };
        if !output.status.success() {
            skip("the package strucchange of R is not installed");
            return;
        }
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines = text
            .lines()
            .map(|line| line.split_whitespace().map(|word| word.parse::<f64>().unwrap()));
        let series = OrderedSeries::new(&x, &y, Shape::Linear).unwrap();
        let found = breakpoints(&series, 9, None).unwrap();
        let rss: Vec<f64> = lines.next().unwrap().collect();
        assert_eq!(rss.len(), found.by_count.len());
        for (partition, rss) in found.by_count.iter().zip(rss) {
            assert!((partition.rss / rss - 1.0).abs() < 1e-8, "seed {seed}: {partition:?} {rss}");
        }
        for partition in &found.by_count[1..] {
            let expected = lines.next().expect("a line for each number of breaks");
            assert_eq!(
                partition.breaks,
                expected.map(|place| place as usize).collect::<Vec<_>>(),
                "seed {seed}"
            );
        }
    }
}

/// Independent normal noise.
fn noise(seed: u64, points: usize) -> Vec<f64> {
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(seed);
    (0..points).map(|_| StandardNormal.sample(&mut rng)).collect()
}

#[test]
fn series_without_breaks_are_rarely_split() {
    let x: Vec<f64> = (0..200).map(f64::from).collect();
    let (mut rejected, mut chosen) = (0, 0);
    for seed in 0..400 {
        let y: Vec<f64> =
            x.iter().zip(noise(seed, 200)).map(|(x, noise)| 3.0 + 0.2 * x + noise).collect();
        let series = OrderedSeries::new(&x, &y, Shape::Linear).unwrap();
        rejected += u32::from(supremum_test(&series, 30).unwrap().p_value < 0.05);
        chosen +=
            u32::from(!breakpoints(&series, 30, None).unwrap().best_by_bic().breaks.is_empty());
    }
    assert!((8..=32).contains(&rejected), "{rejected} of 400 at the level of 5 %");
    assert!(chosen <= 8, "{chosen} of 400");
}

/// The fraction of intervals of a level shift that contain it.
#[test]
fn intervals_of_breaks_cover() {
    let x: Vec<f64> = (0..120).map(f64::from).collect();
    let (mut covered, mut all) = (0, 0);
    for seed in 0..300 {
        let y: Vec<f64> = x
            .iter()
            .zip(noise(seed, 120))
            .map(|(x, noise)| if *x < 60.0 { 0.0 } else { 1.2 } + noise)
            .collect();
        let series = OrderedSeries::new(&x, &y, Shape::Constant).unwrap();
        let found = breakpoints(&series, 18, Some(1)).unwrap();
        let Some(interval) = found.by_count[1].intervals(&series, 0.95)[0] else { continue };
        all += 1;
        covered += u32::from((interval.low..=interval.high).contains(&60));
    }
    let share = f64::from(covered) / f64::from(all);
    assert!(all > 290 && (0.91..=0.995).contains(&share), "{share} of {all}");
}

#[test]
fn invalid_series_are_rejected() {
    let refused = |x: &[f64], y: &[f64], shape, least| match OrderedSeries::new(x, y, shape) {
        Ok(series) => breakpoints(&series, least, None).unwrap_err(),
        Err(error) => error,
    };
    let (x, y) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [1.0; 8]);
    assert!(matches!(refused(&x, &y[..7], Shape::Linear, 3), E::Lengths { x: 8, y: 7 }));
    assert!(matches!(refused(&[2.0; 8], &y, Shape::Linear, 3), E::ConstantX { .. }));
    assert!(matches!(
        refused(&x[..5], &y[..5], Shape::Linear, 3),
        E::TooFew { points: 5, min_points: 3 }
    ));
    assert!(matches!(
        refused(&x, &y, Shape::Linear, 2),
        E::TooShort { min_points: 2, coefficients: 2 }
    ));
    let mut back = x;
    back[4] = 1.0;
    assert!(matches!(refused(&back, &y, Shape::Linear, 3), E::NotSorted { point: 5, .. }));
    let mut nan = y;
    nan[2] = f64::NAN;
    assert!(matches!(
        refused(&x, &nan, Shape::Constant, 3),
        E::NotFinite { point: 3, name: "y", .. }
    ));
    let series = OrderedSeries::new(&x, &y, Shape::Constant).unwrap();
    assert!(matches!(breakpoints(&series, 3, Some(2)), Err(E::TooMany { max_breaks: 1, .. })));
}

#[test]
fn equal_x_and_noise_free_series_are_handled() {
    // Five readings at each of eight sizes, a jump between the fourth and the fifth.
    let x: Vec<f64> = (0..40).map(|k| f64::from(k / 5)).collect();
    let y: Vec<f64> = x.iter().map(|x| if *x < 4.0 { *x } else { 10.0 + 2.0 * x }).collect();
    let series = OrderedSeries::new(&x, &y, Shape::Linear).unwrap();
    let found = breakpoints(&series, 6, None).unwrap();
    assert_eq!(found.by_count[1].breaks, [20]);
    assert!(
        found.by_count.iter().all(|partition| partition.bic.is_finite() && partition.rss >= 0.0)
    );
    assert_eq!(
        found.by_count[1].intervals(&series, 0.95)[0].map(|i| (i.low, i.high)),
        Some((20, 20))
    );
}

/// The least sum over all places of breaks, tried one by one.
fn tried(
    series: &OrderedSeries<'_>,
    sums: &dyn Fn(usize, usize) -> f64,
    least: usize,
    breaks: usize,
    start: usize,
) -> f64 {
    let points = series.len();
    if breaks == 0 {
        return if points - start >= least { sums(start, points) } else { f64::INFINITY };
    }
    (start + least..points)
        .map(|end| sums(start, end) + tried(series, sums, least, breaks - 1, end))
        .fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any series, with ties: the sums are those of all partitions tried one by one.
    #[test]
    fn partitions_are_optimal(
        steps in prop::collection::vec((0_u8..3, -50_i32..50), 8..22),
        least in 3_usize..7,
        constant: bool,
    ) {
        let mut at = 0.0;
        let x: Vec<f64> = steps.iter().map(|(step, _)| { at += f64::from(*step); at }).collect();
        let y: Vec<f64> = steps.iter().map(|(_, y)| f64::from(*y)).collect();
        let shape = if constant { Shape::Constant } else { Shape::Linear };
        prop_assume!(constant || x[0] < x[x.len() - 1]);
        prop_assume!(least <= x.len() / 2);
        let series = OrderedSeries::new(&x, &y, shape).unwrap();
        let found = breakpoints(&series, least, Some((x.len() / least - 1).min(2))).unwrap();
        let sums = |start: usize, end: usize| {
            let n = (end - start) as f64;
            let (x, y) = (&x[start..end], &y[start..end]);
            let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
            let xx: f64 = x.iter().map(|x| (x - mx).powi(2)).sum();
            let xy: f64 = x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum();
            let yy: f64 = y.iter().map(|y| (y - my).powi(2)).sum();
            if constant || xx == 0.0 { yy } else { yy - xy * xy / xx }
        };
        for (breaks, partition) in found.by_count.iter().enumerate() {
            let best = tried(&series, &sums, least, breaks, 0);
            prop_assert!((partition.rss - best).abs() < 1e-8 * (1.0 + sums(0, x.len())), "{partition:?}: {best}");
            let result: f64 = partition.segments(&series).iter().map(|segment| segment.rss).sum();
            prop_assert!((partition.rss - result).abs() < 1e-8 * (1.0 + sums(0, x.len())));
            prop_assert!(partition.segments(&series).iter().all(|segment| segment.points() >= least));
        }
    }
}
