//! Estimation of shared links and of the other parameters in turn.

use super::estimation::{AGAIN, SMALL_PART, Solution, estimate};
use super::pruning::without_idle;
use super::trials::Measured;
use crate::comm::ports::{are_uplinks_idle, values_with_uplinks};
use crate::comm::{FitError, Observations, Ports};

/// The largest number of times that the parameters of processors and pairs are estimated again.
const MAX_REFITS: usize = 24;

/// The relative change of delays at which iterations end.
const CONVERGED: f64 = 1e-9;

/// Estimates the parameters of processors and pairs with the links of a solution, then the links
/// with these parameters, and so on; returns the last of both. Parameters that the links do not
/// change are not estimated again. Messages one after the other share links, too: one-to-two
/// experiments contain them. If the others cannot be estimated with the links, those known before
/// stay, and `failure` is the reason.
pub(super) fn alternate(
    mut solution: Solution,
    observations: &Observations,
    measured: &Measured<'_>,
    failure: &mut Option<FitError>,
) -> (Solution, Option<Ports>) {
    let mut history = History::default();
    let mut ports = None;
    for _ in 0..MAX_REFITS {
        if solution.uplinks.is_empty() || history.has_converged(&solution) {
            break;
        }
        let uplinks = solution.trial_uplinks();
        if ports.is_none() && are_uplinks_idle(observations, measured.ports, &uplinks) {
            break;
        }
        let refitted = match values_with_uplinks(observations, &uplinks, ports.as_ref()) {
            Ok(refitted) => refitted,
            Err(error) => {
                *failure = Some(error);
                break;
            }
        };
        // Exchanges show what both directions share; the observations do not contain them.
        let both_ports_byte_delay = measured.ports.both_ports_byte_delay.clone();
        let refitted = Ports { both_ports_byte_delay, ..refitted };
        let groups = solution.selection.groups.len();
        let measured = Measured { ports: &refitted, ..*measured };
        solution = without_idle(estimate(solution.selection, &measured, AGAIN), &measured);
        // Delays of fewer links do not continue the sequence of those before.
        if solution.selection.groups.len() < groups {
            history = History::default();
        } else {
            history.accelerate(&mut solution.selection.delays);
        }
        ports = Some(refitted);
    }
    (solution, ports)
}

/// The delays after each estimation of the other parameters, which approach their limits by a
/// constant factor.
#[derive(Default)]
struct History {
    plain: Vec<Vec<f64>>,
    last: Vec<f64>,
}

impl History {
    /// Returns true if the delays no longer change, or by less than a small part of their
    /// intervals.
    fn has_converged(&mut self, solution: &Solution) -> bool {
        let delays = &solution.selection.delays;
        let before = std::mem::replace(&mut self.last, delays.clone());
        let widths = solution.uplinks.byte_delay().iter();
        let widths = widths
            .map(|estimate| estimate.interval.map_or(0.0, |interval| interval.high - interval.low));
        let is_close = |((a, b), width): ((&f64, &f64), f64)| {
            (a - b).abs() <= (CONVERGED * b).max(SMALL_PART * width)
        };
        before.len() == delays.len() && before.iter().zip(delays).zip(widths).all(is_close)
    }

    /// Moves the delays to the limit of a geometric sequence after every third step (Aitken's
    /// method).
    fn accelerate(&mut self, delays: &mut [f64]) {
        self.plain.push(delays.to_vec());
        if let [first, second, third] = self.plain.as_slice() {
            for (link, delay) in delays.iter_mut().enumerate() {
                let (before, last) = (second[link] - first[link], third[link] - second[link]);
                let ratio = last / before;
                let limit = *delay + last * ratio / (1.0 - ratio);
                // A sequence that has not settled may point below 0, where no delay is.
                if (-0.9..0.9).contains(&ratio) && limit > 0.0 {
                    *delay = limit;
                }
            }
            self.plain = vec![delays.to_vec()];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::estimation::FIRST;
    use super::super::selection::Selection;
    use super::*;
    use crate::comm::ports::{SizeLaw, Uplinks};
    use orrery_base::numeric::Estimate;
    use orrery_base::units::{Bytes, Seconds};
    use orrery_cluster::platform::{PerPair, Processor};
    use orrery_measure::sample::{
        ExchangeSet, ExchangeTime, Experiment, MeasuredSet, Provenance, Sample, Samples,
    };

    #[test]
    fn extrapolated_delays_are_above_0() {
        let limit = |steps: [f64; 3]| {
            let (mut history, mut delays) = (History::default(), Vec::new());
            for step in steps {
                delays = vec![step];
                history.accelerate(&mut delays);
            }
            delays[0]
        };
        assert!((limit([3.0, 2.0, 1.5]) - 1.0).abs() < 1e-12);
        assert!((limit([3.0, 2.0, 1.2]) - 1.2).abs() < 1e-12);
    }

    #[test]
    fn the_reason_of_a_failed_estimation_is_returned() {
        let (size, small) = (Bytes::new(100_000), Estimate::exact(1e-9));
        let ports = Ports {
            fixed_delay: vec![small; 4],
            byte_delay: vec![small; 4],
            port_byte_delay: vec![small; 4],
            in_port_byte_delay: Vec::new(),
            both_ports_byte_delay: Vec::new(),
            link_latency: PerPair::from_fn(4, |_, _| small),
            flow_byte_delay: PerPair::from_fn(4, |_, _| small),
            size_law: SizeLaw::default(),
            uplinks: Uplinks::default(),
            within_host: None,
            eager_limit: None,
            buffered_limit: None,
            queue: None,
        };
        // Two processors share a link that is slower than all ports.
        let [a, b, c, d] = [0, 1, 2, 3].map(Processor);
        let times = |seconds| vec![ExchangeTime { seconds, deviation: 1e-6, readings: 9 }; 2];
        let set = ExchangeSet::new([(a, c), (b, d)], size);
        let sets = [MeasuredSet { set, alone: times(1e-3), together: times(2e-3) }];
        let measured = Measured { sets: &sets, ports: &ports, level: 0.95 };
        let selection = Selection::new(vec![vec![a, b]], &sets, &ports);
        let solution = estimate(selection, &measured, FIRST);
        // One round trip over the link does not determine the other parameters.
        let experiment = Experiment::RoundTrip { i: a, j: d, size, reply: size };
        let mut samples = Samples::new(Provenance::new());
        samples.push(Sample { experiment, launch: 0, rep: 0, seconds: Seconds::new(2e-3) });
        let observations = Observations::from_samples(&samples, |_| true);
        let mut failure = None;
        let (solution, refitted) = alternate(solution, &observations, &measured, &mut failure);
        assert!(matches!(failure, Some(FitError::Missing { .. })), "{failure:?}");
        assert_eq!((solution.selection.groups.len(), refitted), (1, None));
    }
}
