use std::cmp::Ordering;

use super::uncertainty::Variance;
use super::{Point, ScalingError, TermModel};
use crate::numeric::{normal_quantile, student_quantile};
use crate::run::variable;
use crate::units::Seconds;

/// The time of a run that was not made.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The best single value: the typical time.
    pub seconds: Seconds,
    /// A single run lies between these with the probability that was asked for; `None` where the model knows no errors.
    pub interval: Option<(Seconds, Seconds)>,
    /// Whether a variable or the configuration lies outside of what was measured.
    pub extrapolated: bool,
    /// The kind of elements that all others wait for; `None` where all are alike.
    pub slowest_kind: Option<String>,
}

impl TermModel {
    /// How long a run at this point takes; `level` is the probability of its interval.
    ///
    /// The interval is T̂·exp(±t·s): s² is the relative variance of [`super::Uncertainty`], t the quantile of Student's
    /// distribution for its degrees of freedom.
    ///
    /// # Errors
    ///
    /// When a variable is missing that the model needs, a kind is unknown, or the grid does not have as many places as
    /// there are processes.
    pub fn forecast(&self, point: &Point, level: f64) -> Result<Forecast, ScalingError> {
        self.check(point)?;
        let slowest = self.slowest(point).ok_or_else(|| self.missing(point))?;
        let half_width =
            self.uncertainty.as_ref().map(|u| half_width(u.of_run(&slowest.terms, slowest.seconds), level));
        let seconds = slowest.seconds;
        let interval = half_width.filter(|half| half.is_finite());
        let interval = interval.map(|half| (Seconds::new(seconds * (-half).exp()), Seconds::new(seconds * half.exp())));
        let interval = interval.filter(|(_, high)| high.get().is_finite());
        let extrapolated = self.extrapolates(point);
        Ok(Forecast { seconds: Seconds::new(seconds), interval, extrapolated, slowest_kind: slowest.kind })
    }

    /// Which of two points is faster, where the model is sure at this level; `None` where they cannot be told apart.
    ///
    /// Errors of coefficients that bear on both are the same error: the difference is often surer than either time.
    ///
    /// # Errors
    ///
    /// As [`TermModel::forecast`].
    pub fn compare(&self, one: &Point, other: &Point, level: f64) -> Result<Option<Ordering>, ScalingError> {
        self.compare_at_rates((one, 1.0), (other, 1.0), level)
    }

    /// The same for time × rate, such as a price per second.
    ///
    /// # Errors
    ///
    /// As [`TermModel::forecast`].
    pub fn compare_at_rates(
        &self,
        (one, rate): (&Point, f64),
        (other, other_rate): (&Point, f64),
        level: f64,
    ) -> Result<Option<Ordering>, ScalingError> {
        self.check(one)?;
        self.check(other)?;
        let (a, b) = (self.slowest(one), self.slowest(other));
        let mut a = a.ok_or_else(|| self.missing(one))?;
        let mut b = b.ok_or_else(|| self.missing(other))?;
        for (slowest, rate) in [(&mut a, rate), (&mut b, other_rate)] {
            slowest.seconds *= rate;
            slowest.terms.iter_mut().for_each(|term| *term *= rate);
        }
        let Some(uncertainty) = &self.uncertainty else { return Ok(None) };
        let variance = uncertainty.of_difference(&a.terms, &b.terms, (a.seconds, b.seconds));
        let difference = (a.seconds - b.seconds) / a.seconds.max(b.seconds);
        let sure = difference.abs() > half_width(variance, level);
        Ok(sure.then(|| a.seconds.total_cmp(&b.seconds)))
    }

    fn check(&self, point: &Point) -> Result<(), ScalingError> {
        let shares = &point.configuration.shares;
        if let Some(share) = shares.iter().find(|share| !self.kinds.is_empty() && !self.kinds.contains(&share.kind)) {
            return Err(ScalingError::UnknownKind { kind: share.kind.clone(), kinds: self.kinds.clone() });
        }
        let run = || "the question".to_owned();
        let value = point.variables.iter().find(|(_, value)| !value.is_finite());
        if let Some((name, &value)) = value {
            return Err(ScalingError::Value { run: run(), name: name.clone(), value });
        }
        // Sizes and numbers of processes are above 0; so is what always was when it was measured.
        let known = [
            variable::PROBLEM_SIZE,
            variable::PROCESSES,
            variable::GRID_ROWS,
            variable::GRID_COLUMNS,
            variable::BLOCK_SIZE,
        ];
        let below = |(name, value): &(&String, &f64)| {
            let positive = self.ranges.get(*name).is_some_and(|(low, _)| *low > 0.0);
            **value <= 0.0 && (positive || known.contains(&name.as_str()))
        };
        if let Some((name, &value)) = point.variables.iter().find(below) {
            return Err(ScalingError::Value { run: run(), name: name.clone(), value });
        }
        self.check_kept(point)?;
        let get = |name: &str| point.variables.get(name).copied();
        let configured = Some(point.configuration.processes() as f64).filter(|&processes| processes > 0.0);
        let processes = configured.or(get(variable::PROCESSES));
        match (get(variable::GRID_ROWS).zip(get(variable::GRID_COLUMNS)), processes) {
            (Some((rows, columns)), Some(processes)) if (rows * columns - processes).abs() > 0.5 => {
                Err(ScalingError::Grid { run: run(), rows, columns, processes })
            }
            _ => Ok(()),
        }
    }

    /// Refuses other values of what never varied, and a grid that is not told where grids make a difference.
    fn check_kept(&self, point: &Point) -> Result<(), ScalingError> {
        let rows = self.ranges.get(variable::GRID_ROWS).filter(|_| self.ranges.contains_key(variable::GRID_COLUMNS));
        let told = [variable::GRID_ROWS, variable::GRID_COLUMNS].map(|name| point.variables.contains_key(name));
        if rows.is_some_and(|(low, high)| low < high) && told != [true, true] {
            let name = if told[0] { variable::GRID_COLUMNS } else { variable::GRID_ROWS };
            return Err(ScalingError::NotGiven { name: name.to_owned() });
        }
        let views = point.views();
        for (name, &(kept, most)) in self.ranges.iter().filter(|(_, (low, high))| low >= high) {
            let other = |value: &f64| (value - kept).abs() > 1e-9 * most.abs();
            if let Some(asked) = views.iter().filter_map(|view| view.get(name)).find(other) {
                return Err(ScalingError::NeverVaried { name: name.clone(), kept, asked });
            }
        }
        Ok(())
    }

    /// The first variable that the model needs and the point does not have.
    fn missing(&self, point: &Point) -> ScalingError {
        let view = point.view(point.configuration.shares.first());
        let name = self.variables().into_iter().find(|name| view.get(name).is_none()).unwrap_or(variable::PROBLEM_SIZE);
        ScalingError::NotGiven { name: name.to_owned() }
    }

    fn extrapolates(&self, point: &Point) -> bool {
        let views = point.views();
        let outside = |(name, &(low, high)): (&String, &(f64, f64))| {
            views.iter().filter_map(|view| view.get(name)).any(|value| value < low || value > high)
        };
        self.ranges.iter().any(outside)
    }
}

/// Half the width of an interval, relative to the time.
fn half_width(variance: Variance, level: f64) -> f64 {
    let quantile = if variance.degrees.is_finite() {
        student_quantile(variance.degrees.max(1.0), level)
    } else {
        normal_quantile(level)
    };
    quantile * variance.value.sqrt()
}
