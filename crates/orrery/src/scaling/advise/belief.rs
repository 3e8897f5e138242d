use super::place::{Place, dot};
use crate::numeric::expected_excess;
use crate::scaling::Uncertainty;

/// What is believed of the times of some points, in seconds, and of the coefficients: jointly normal.
#[derive(Debug, Clone)]
pub(super) struct Belief {
    /// Of the places.
    means: Vec<f64>,
    /// Of the places, and behind them of the coefficients.
    covariance: Vec<Vec<f64>>,
    /// The variance of what a run of a point shows, about the time of the point.
    noise: Vec<f64>,
}

impl Belief {
    /// Of places, each of which would be run so often.
    pub(super) fn of(places: &[Place], uncertainty: &Uncertainty, repetitions: u32) -> Self {
        let times_covariance =
            |place: &Place| uncertainty.covariance.iter().map(|row| dot(row, &place.terms)).collect::<Vec<f64>>();
        let halves: Vec<Vec<f64>> = places.iter().map(times_covariance).collect();
        let count = places.len();
        let entry = |i: usize, j: usize| match (i.checked_sub(count), j.checked_sub(count)) {
            (Some(k), Some(l)) => uncertainty.covariance[k][l],
            (Some(k), None) => (1.0 - places[j].own) * halves[j][k],
            (None, Some(l)) => (1.0 - places[i].own) * halves[i][l],
            (None, None) => {
                let (a, b) = (&places[i], &places[j]);
                let own = if i == j { a.misfit } else { 0.0 };
                (1.0 - a.own) * (1.0 - b.own) * dot(&a.terms, &halves[j]) + own
            }
        };
        let size = count + uncertainty.covariance.len();
        Self {
            means: places.iter().map(Place::seconds).collect(),
            covariance: (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect(),
            noise: places.iter().map(|place| place.spread / f64::from(repetitions)).collect(),
        }
    }

    pub(super) fn mean(&self, place: usize) -> f64 {
        self.means[place]
    }

    /// The standard deviation of what a run of a place shows, about the time of the place.
    pub(super) fn noise(&self, place: usize) -> f64 {
        self.noise[place].sqrt()
    }

    /// The gain of Kalman: by how much the mean of each place, and behind them of each coefficient, changes for a second by
    /// which a run differs from what was believed of it. `None` where the run can show nothing new.
    pub(super) fn gain(&self, run: usize) -> Option<Vec<f64>> {
        let whole = self.covariance[run][run] + self.noise[run];
        (whole > 0.0 && self.covariance[run][run] > 0.0)
            .then(|| self.covariance[run].iter().map(|shared| shared / whole).collect())
    }

    /// What the run of a place leaves unknown: C − C_r C_rᵀ/(C_rr + v_r).
    pub(super) fn observe(&mut self, run: usize) {
        let Some(gain) = self.gain(run) else { return };
        let shared = self.covariance[run].clone();
        for (row, gain) in self.covariance.iter_mut().zip(gain) {
            row.iter_mut().zip(&shared).for_each(|(entry, shared)| *entry -= gain * shared);
        }
    }

    /// By how much the run of a place lowers what a decision is expected to lose, relative to the time of the choice: the
    /// sum over the other alternatives of E max(0, f_choice − f_other − δ·f_choice).
    pub(super) fn relief(&self, run: usize, choice: usize, alternatives: &[usize], within: f64) -> f64 {
        let (own, time) = (&self.covariance[run], self.means[choice]);
        let whole = own[run] + self.noise[run];
        if whole <= 0.0 {
            return 0.0;
        }
        let of_pair = |&other: &usize| {
            let variance =
                self.covariance[choice][choice] + self.covariance[other][other] - 2.0 * self.covariance[choice][other];
            let left = variance - (own[choice] - own[other]).powi(2) / whole;
            let behind = self.means[other] - time + within * time;
            let loss = |variance: f64| expected_excess(behind, variance.max(0.0).sqrt());
            loss(variance) - loss(left)
        };
        alternatives.iter().filter(|&&other| other != choice).map(of_pair).sum::<f64>() / time
    }
}
