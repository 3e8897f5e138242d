use super::Hockney;
use orrery_base::numeric::{Estimate, Interval};
use orrery_cluster::platform::{Hosts, LinkClass};

/// Mean parameters of Hockney over the pairs of one class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassMean {
    /// The class of the pairs: within a host or across hosts.
    pub class: LinkClass,
    /// The number of pairs.
    pub pairs: usize,
    /// Mean of α over these pairs \[s\].
    pub latency: Estimate,
    /// Mean of β over these pairs \[s/B\].
    pub byte_delay: Estimate,
}

impl Hockney {
    /// Returns the mean parameters of the pairs within a host and of the pairs across hosts; empty
    /// if all pairs are of one class.
    ///
    /// With both classes, the mean over all pairs ([`Hockney::mean_latency`]) describes neither
    /// kind of link.
    pub fn class_means(&self, hosts: &Hosts) -> Vec<ClassMean> {
        let of_class = |class| {
            let chosen = |values: &[Estimate]| -> Vec<Estimate> {
                let pairs = self.latency.pairs().iter().zip(values);
                pairs
                    .filter(|((a, b), _)| hosts.class(*a, *b) == Some(class))
                    .map(|(_, estimate)| *estimate)
                    .collect()
            };
            let (latency, byte_delay) =
                (chosen(self.latency.values()), chosen(self.byte_delay.values()));
            (!latency.is_empty()).then(|| ClassMean {
                class,
                pairs: latency.len(),
                latency: mean(&latency),
                byte_delay: mean(&byte_delay),
            })
        };
        [LinkClass::WithinHost, LinkClass::AcrossHosts].into_iter().filter_map(of_class).collect()
    }
}

/// Returns the mean of independent estimates; if h_i are the half-widths of their intervals, the
/// half-width of the mean is √(Σ h_i²) / n.
fn mean(estimates: &[Estimate]) -> Estimate {
    let count = estimates.len() as f64;
    let value = estimates.iter().map(|estimate| estimate.value).sum::<f64>() / count;
    // The upper half-width is used, because the lower end may have been cut off at zero.
    let half = |estimate: &Estimate| {
        estimate.interval.map(|interval| (interval.high - estimate.value).powi(2))
    };
    let squares: Option<f64> = estimates.iter().map(half).sum();
    let level =
        estimates.iter().filter_map(|estimate| estimate.interval).map(|i| i.level).reduce(f64::min);
    let interval = squares.zip(level).map(|(squares, level)| {
        let half = squares.sqrt() / count;
        Interval { low: (value - half).max(0.0), high: value + half, level }
    });
    Estimate { value, interval, samples: estimates.iter().map(|estimate| estimate.samples).sum() }
}
