//! Significant patterns of errors: rank tests of each factor, and signs of neighbours.

use std::collections::BTreeMap;

use super::factor::{ErrorFactor, ErrorsByFactor, Value, factors, without};
use super::{Residual, error};
use crate::run::Run;
use crate::scaling::point::size_variable;
use orrery_base::numeric::{
    kruskal_wallis, mean, median, rank_correlation, relative_half_width, sign_test,
};

/// The probability that errors without a pattern are reported, over all tests.
const SIGNIFICANCE_LEVEL: f64 = 0.05;

/// The least difference of errors that is reported: smaller ones do not matter for choices.
const MIN_DIFFERENCE: f64 = 0.03;

/// The least number of points with an effect that a test can find.
const MIN_POINTS: usize = 6;

/// The largest number of groups of a number; more values are divided into groups of equal size.
const MAX_GROUPS: usize = 8;

/// The least number of points of a group.
const MIN_GROUP: usize = 2;

/// The least number of points of a group that is tested by itself.
const MIN_EXTREME_GROUP: usize = 3;

/// The level at which the mean error of a group that is tested by itself must differ from zero by
/// Student's interval.
const EXTREME_GROUP_LEVEL: f64 = 0.99;

/// The factor by which the p-value of a difference between configurations must be less than that of
/// a difference between values of one variable, which explains more.
const CONFIGURATION_FACTOR: f64 = 1e3;

/// The ratio of the errors of one group to those of all others from which the pattern is that of
/// this group only.
const ONLY_RATIO: f64 = 3.0;

/// The pattern of the errors of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// What the errors depend on.
    pub factor: ErrorFactor,
    /// How they depend on it.
    pub shape: PatternShape,
    /// The probability of such a pattern without a dependence, over all tests that were made.
    pub p_value: f64,
}

/// How errors depend on a factor.
#[derive(Debug, Clone, PartialEq)]
pub enum PatternShape {
    /// They grow or fall with it: the errors at its lowest and at its highest values.
    Trend {
        /// The lowest values.
        low: GroupError,
        /// The highest values.
        high: GroupError,
    },
    /// One group differs from all others, which are alike.
    OneGroup {
        /// The group.
        group: GroupError,
        /// The errors of all other points.
        others: f64,
    },
    /// Groups differ: the groups with the smallest and the largest errors.
    Groups {
        /// The group with the smallest error.
        least: GroupError,
        /// The group with the largest error.
        most: GroupError,
    },
    /// Neighbours along a variable have errors of equal sign.
    Neighbours {
        /// The number of pairs with equal signs.
        equal: usize,
        /// The number of pairs.
        pairs: usize,
    },
}

/// The error of a group of points.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupError {
    /// The values of the group: `500`, `500 to 900`, or a name.
    pub name: String,
    /// The median error, (estimate − measured)/measured.
    pub error: f64,
}

/// The most significant pattern of the errors; `None` if none is significant.
///
/// The errors are compared as logarithms of estimate/measured. Numbers are tested for a trend by
/// Spearman's rank correlation, and all factors for differences between groups by the test of
/// Kruskal and Wallis and for a single extreme group. Without such a pattern, equal signs of
/// neighbours along the size are tested as independent signs. p-values are multiplied by the number
/// of tests (Bonferroni).
pub(super) fn significant(residuals: &[Residual], runs: &[&Run]) -> Option<Pattern> {
    let tests: Vec<Test> = factors(residuals, runs).iter().flat_map(of_factor).collect();
    let neighbours = neighbours(residuals);
    let count = (tests.len() + neighbours.iter().len()) as f64;
    let is_significant = |test: &Test| {
        test.pattern.p_value * count < SIGNIFICANCE_LEVEL && test.difference > MIN_DIFFERENCE
    };
    let found =
        tests.into_iter().filter(is_significant).min_by(|a, b| a.order().total_cmp(&b.order()));
    let pattern = found.or_else(|| neighbours.filter(is_significant))?.pattern;
    Some(Pattern { p_value: (pattern.p_value * count).min(1.0), ..pattern })
}

/// A test with its result.
struct Test {
    /// The difference of errors that it is about.
    difference: f64,
    /// The pattern with the p-value of this test only.
    pattern: Pattern,
    /// The number of groups.
    groups: usize,
}

impl Test {
    /// The order in which significant patterns are reported: by their p-values, but a variable
    /// explains more than a configuration, and any factor more than the many values of a label,
    /// such as dates.
    fn order(&self) -> f64 {
        match self.pattern.factor {
            ErrorFactor::Configuration => CONFIGURATION_FACTOR * self.pattern.p_value,
            ErrorFactor::Label(_) if self.groups > MAX_GROUPS => 1.0 + self.pattern.p_value,
            _ => self.pattern.p_value,
        }
    }
}

/// The tests of a factor.
fn of_factor(errors: &ErrorsByFactor) -> Vec<Test> {
    let groups = groups(&errors.errors);
    if errors.errors.len() < MIN_POINTS || groups.len() < 2 {
        return Vec::new();
    }
    let mut tests = Vec::new();
    let mut push = |difference, shape, p_value| {
        let pattern = Pattern { factor: errors.factor.clone(), shape, p_value };
        tests.push(Test { difference, pattern, groups: groups.len() });
    };
    let numbers: Vec<f64> = errors.errors.iter().filter_map(|(value, _)| value.number()).collect();
    if numbers.len() == errors.errors.len() && groups.len() > 2 {
        let own: Vec<f64> = errors.errors.iter().map(|(_, logarithm)| *logarithm).collect();
        let [low, high] = [&groups[0], &groups[groups.len() - 1]].map(Group::error);
        let difference = (high.error - low.error).abs();
        push(difference, PatternShape::Trend { low, high }, rank_correlation(&numbers, &own).1);
    }
    let compared: Vec<&Group> =
        groups.iter().filter(|group| group.errors.len() >= MIN_GROUP).collect();
    if let Some((difference, shape)) = group_shape(&compared) {
        let values: Vec<Vec<f64>> = compared.iter().map(|group| group.errors.clone()).collect();
        push(difference, shape, kruskal_wallis(&values));
    }
    if let Some((difference, shape, p_value)) = extreme_group(&compared) {
        push(difference, shape, p_value);
    }
    tests
}

/// The test of a single group whose errors are all larger or all smaller than most others: the
/// difference, its shape and the p-value; `None` for two groups, or if its errors may be noise of
/// that group.
///
/// The probability that g given values of n are all among the R largest is Π (R−i)/(n−i) over i <
/// g; it is multiplied by two sides and the number of groups. Kruskal–Wallis does not find one of
/// many small groups.
fn extreme_group(groups: &[&Group]) -> Option<(f64, PatternShape, f64)> {
    let mut all: Vec<f64> = groups.iter().flat_map(|group| group.errors.iter().copied()).collect();
    all.sort_by(f64::total_cmp);
    let chance = |group: &Group| {
        let low = group.errors.iter().copied().fold(f64::INFINITY, f64::min);
        let high = group.errors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let beyond =
            [all.len() - all.partition_point(|e| *e < low), all.partition_point(|e| *e <= high)];
        let among = |count: usize| {
            (0..group.errors.len())
                .map(|i| (count - i) as f64 / (all.len() - i) as f64)
                .product::<f64>()
        };
        let p_value = 2.0 * groups.len() as f64 * beyond.into_iter().map(among).fold(1.0, f64::min);
        p_value.min(1.0)
    };
    let candidates = groups
        .iter()
        .filter(|group| group.errors.len() >= MIN_EXTREME_GROUP)
        .map(|group| (group, chance(group)));
    let (group, p_value) =
        candidates.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| groups.len() > 2)?;
    let centre = mean(&group.errors);
    let others: Vec<f64> = groups
        .iter()
        .filter(|other| other.name != group.name)
        .flat_map(|other| other.errors.iter().copied())
        .collect();
    let others = error(median(&others));
    // Larger errors of either sign would be noise of the group.
    let is_shifted =
        relative_half_width(&group.errors, EXTREME_GROUP_LEVEL) < 1.0 && centre.abs() > 0.0;
    let group = group.error();
    let difference = (group.error - others).abs();
    is_shifted.then_some((difference, PatternShape::OneGroup { group, others }, p_value))
}

/// Errors of points with equal or neighbouring values.
struct Group {
    name: String,
    errors: Vec<f64>,
}

impl Group {
    /// The median error with the name.
    fn error(&self) -> GroupError {
        GroupError { name: self.name.clone(), error: error(median(&self.errors)) }
    }
}

impl Value {
    /// The number; `None` for a name.
    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Name(_) => None,
        }
    }
}

/// The groups of equal values in ascending order; many numbers are divided into groups of
/// neighbouring values.
fn groups(errors: &[(Value, f64)]) -> Vec<Group> {
    let mut sorted: Vec<&(Value, f64)> = errors.iter().collect();
    let compare = |a: &Value, b: &Value| match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
        (Value::Name(a), Value::Name(b)) => a.cmp(b),
        (Value::Number(_), Value::Name(_)) => std::cmp::Ordering::Less,
        (Value::Name(_), Value::Number(_)) => std::cmp::Ordering::Greater,
    };
    sorted.sort_by(|a, b| compare(&a.0, &b.0));
    let equal: Vec<&[&(Value, f64)]> =
        sorted.chunk_by(|a, b| compare(&a.0, &b.0).is_eq()).collect();
    let name = |value: &Value| match value {
        Value::Number(number) => number.to_string(),
        Value::Name(name) => name.clone(),
    };
    let is_number = equal.first().is_some_and(|own| own[0].0.number().is_some());
    let per_group = if is_number { equal.len().div_ceil(MAX_GROUPS) } else { 1 };
    let group = |own: &[&[&(Value, f64)]]| {
        let [first, last] = [&own[0][0].0, &own[own.len() - 1][0].0].map(name);
        let name = if own.len() == 1 { first } else { format!("{first} to {last}") };
        Group { name, errors: own.concat().into_iter().map(|(_, logarithm)| *logarithm).collect() }
    };
    equal.chunks(per_group.max(1)).map(group).collect()
}

/// How groups differ, with the difference; `None` for fewer than two groups.
fn group_shape(groups: &[&Group]) -> Option<(f64, PatternShape)> {
    let errors: Vec<GroupError> = groups.iter().map(|group| group.error()).collect();
    let by_error = |a: &&GroupError, b: &&GroupError| a.error.total_cmp(&b.error);
    let (least, most) = (errors.iter().min_by(by_error)?, errors.iter().max_by(by_error)?);
    let worst = if most.error.abs() >= least.error.abs() { most } else { least };
    let is_alike =
        |other: &GroupError| other == worst || other.error.abs() * ONLY_RATIO <= worst.error.abs();
    let shape = if errors.len() > 2 && errors.iter().all(is_alike) {
        let others =
            groups.iter().filter(|group| group.name != worst.name).flat_map(|group| &group.errors);
        let others = error(median(&others.copied().collect::<Vec<f64>>()));
        PatternShape::OneGroup { group: worst.clone(), others }
    } else {
        PatternShape::Groups { least: least.clone(), most: most.clone() }
    };
    (errors.len() > 1).then_some((most.error - least.error, shape))
}

/// The test of the signs of neighbours along the size; `None` without such neighbours.
///
/// Independent errors have equal signs in half of the pairs. More equal signs show that the errors
/// depend on the size.
fn neighbours(residuals: &[Residual]) -> Option<Test> {
    let size = size_variable(residuals.iter().map(|residual| &residual.point))?;
    let mut lines: BTreeMap<_, Vec<(f64, f64)>> = BTreeMap::new();
    for residual in residuals {
        let Some(&value) = residual.point.variables.get(&size) else { continue };
        lines
            .entry(without(&residual.point, &size).key())
            .or_default()
            .push((value, residual.logarithm()));
    }
    let (mut equal, mut pairs, mut sizes) = (0, 0, Vec::new());
    for line in lines.values_mut() {
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
        for pair in line.windows(2) {
            let is_equal = pair[0].1 * pair[1].1 > 0.0;
            pairs += 1;
            equal += usize::from(is_equal);
            sizes.push(error(pair[0].1.abs().max(pair[1].1.abs())));
        }
    }
    let (factor, shape) = (ErrorFactor::Variable(size), PatternShape::Neighbours { equal, pairs });
    let pattern = Pattern { factor, shape, p_value: sign_test(equal, pairs) };
    (pairs >= MIN_POINTS).then(|| Test { difference: median(&sizes), pattern, groups: 1 })
}
