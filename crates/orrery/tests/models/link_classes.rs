//! Several processors on a host: links within a host and links across hosts are kept apart.

use crate::prelude::*;
use crate::support::{self, Design, M};

use orrery::comm::hockney::{self, HockneyEstimator};
use orrery::machine::MachineError;
use orrery::platform::{Hosts, LinkClass};
use orrery::sample::summarise;
use rand_distr::Distribution;

/// Neighbours in number do not share a host.
const HOSTS: &str = "a b a b a b";
const PROCESSORS: usize = 6;

/// Standard deviations of readings relative to their medians.
const WITHIN: f64 = 0.01;
const ACROSS: f64 = 0.1;

fn hosts() -> Hosts {
    Hosts::new(HOSTS.split(' '))
}

/// Latency and delay per byte of a link: memory, or a network.
fn link(a: Processor, b: Processor) -> (f64, f64) {
    if hosts().class(a, b) == Some(LinkClass::WithinHost) { (1e-6, 0.1e-9) } else { (30e-6, 8e-9) }
}

fn truth() -> LmoNetwork {
    let latency = PerPair::from_fn(PROCESSORS, |a, b| link(a, b).0);
    let byte_delay = PerPair::from_fn(PROCESSORS, |a, b| link(a, b).1);
    LmoNetwork::new(
        &[5e-6; PROCESSORS],
        &[0.5e-9; PROCESSORS],
        Some(latency.values()),
        byte_delay.values(),
    )
}

/// A cluster whose network is noisy and whose memory is quiet.
struct TwoNoises {
    quiet: SimulatedMachine<LmoNetwork>,
    rng: ChaCha8Rng,
}

impl TwoNoises {
    fn new(seed: u64) -> Self {
        Self { quiet: SimulatedMachine::new(truth(), 0.0, 0), rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    fn noise(placement: &Placement) -> f64 {
        let (root, others) = placement.processors().split_first().unwrap();
        let across =
            others.iter().any(|other| hosts().class(*root, *other) == Some(LinkClass::AcrossHosts));
        if across { ACROSS } else { WITHIN }
    }
}

impl Machine for TwoNoises {
    fn processors(&self) -> usize {
        PROCESSORS
    }

    fn provenance(&self) -> Provenance {
        self.quiet.provenance().with("hosts", HOSTS)
    }

    fn elapsed(&self) -> Seconds {
        self.quiet.elapsed()
    }

    fn run(&mut self, batch: &Batch) -> Result<Vec<Seconds>, MachineError> {
        let noise = Self::noise(&batch.placement);
        let readings = self.quiet.run(batch)?;
        let rng = &mut self.rng;
        let noisy = |time: Seconds| {
            let z: f64 = StandardNormal.sample(rng);
            time * (noise * z).exp()
        };
        Ok(readings.into_iter().map(noisy).collect())
    }
}

/// A campaign on that cluster.
fn measured(seed: u64, reps: u32) -> Samples {
    let mut machine = TwoNoises::new(seed);
    let mut samples = Samples::new(machine.provenance());
    support::measure_on(
        &mut machine,
        &mut samples,
        &round_trips(PROCESSORS, &[Bytes::ZERO, M], seed),
        reps,
        false,
    );
    let plan = one_to_twos(Design::Full, &samples, PROCESSORS, M, seed).unwrap();
    support::measure_on(&mut machine, &mut samples, &plan, reps, false);
    samples
}

/// The same readings from processors on these hosts.
fn on(hosts: &str, samples: &Samples) -> Samples {
    let mut moved = samples.clone();
    moved.provenance.set("hosts", hosts);
    moved
}

/// How many intervals of the links of a class hold the truth, and how wide they are in the mean,
/// relative to it.
fn coverage(
    class: LinkClass,
    values: &PerPair<Estimate>,
    truth: impl Fn(Processor, Processor) -> f64,
) -> (f64, f64) {
    let of_class = values
        .pairs()
        .iter()
        .zip(values.values())
        .filter(|((a, b), _)| hosts().class(*a, *b) == Some(class));
    let (mut count, mut hit, mut width) = (0.0, 0.0, 0.0);
    for ((a, b), estimate) in of_class {
        let (interval, truth) = (estimate.interval.unwrap(), truth(a, b));
        count += 1.0;
        hit += f64::from(u8::from(interval.low <= truth && truth <= interval.high));
        width += (interval.high - interval.low) / truth;
    }
    (hit / count, width / count)
}

fn mean(pairs: &[(f64, f64)]) -> (f64, f64) {
    let count = pairs.len() as f64;
    (
        pairs.iter().map(|pair| pair.0).sum::<f64>() / count,
        pairs.iter().map(|pair| pair.1).sum::<f64>() / count,
    )
}

const SEEDS: u64 = 30;

/// With the spread pooled over both classes the intervals of one are far too wide, and those of the
/// other too narrow.
#[test]
fn hockney_intervals_cover_in_both_link_classes() {
    let alpha = |a: Processor, b: Processor| 10e-6 + link(a, b).0;
    let of = |class, hosts: &str| {
        let one = |seed| {
            let samples = on(hosts, &measured(seed, 8));
            let model = hockney::fit(
                &Observations::from_samples(&samples, |_| true),
                HockneyEstimator::Regression,
                0.95,
            )
            .unwrap()
            .0;
            coverage(class, &model.latency, alpha)
        };
        mean(&(0..SEEDS).map(one).collect::<Vec<_>>())
    };
    let (within, across) = (of(LinkClass::WithinHost, HOSTS), of(LinkClass::AcrossHosts, HOSTS));
    for (covered, _) in [within, across] {
        assert!((0.9..=0.99).contains(&covered), "{within:?} {across:?}");
    }
    assert!(across.1 > 5.0 * within.1, "{within:?} {across:?}");
    let together = of(LinkClass::WithinHost, "");
    assert!(
        together.1 > 3.0 * within.1,
        "without hosts they are not distinguished: {within:?} {together:?}"
    );
}

#[test]
fn lmo_intervals_cover_in_both_link_classes() {
    let one = |seed| {
        let samples = measured(seed, 8);
        let (model, ..) =
            paths(&Observations::from_samples(&samples, |_| true), true, 0.95).unwrap();
        [LinkClass::WithinHost, LinkClass::AcrossHosts]
            .map(|class| coverage(class, &model.link_byte_delay, |a, b| link(a, b).1))
    };
    let all: Vec<[(f64, f64); 2]> = (0..SEEDS).map(one).collect();
    for class in 0..2 {
        let (covered, _) = mean(&all.iter().map(|both| both[class]).collect::<Vec<_>>());
        assert!(covered >= 0.9, "class {class}: {covered}");
    }
}

#[test]
fn one_link_class_leaves_fits_unchanged() {
    let samples = measured(1, 5);
    let fitted = |hosts: &str| {
        let samples = on(hosts, &samples);
        let FitOutcome { mut model, .. } = fit(&samples, &FitOptions::default()).unwrap();
        model.hosts = Vec::new();
        (model.point_to_point, summarise(&samples, 0.95))
    };
    let alone = fitted("a b c d e f");
    assert_eq!(fitted("a a a a a a"), alone);
    assert_eq!(fitted(""), alone);
    assert_ne!(fitted(HOSTS).0, alone.0);
}

/// A reading that is a fifth longer is usual for links across hosts, and an outlier for links
/// within a host.
#[test]
fn outliers_are_counted_within_their_link_class() {
    let mut samples = measured(3, 9);
    let trip = |j| Experiment::RoundTrip { i: Processor(0), j: Processor(j), size: M, reply: M };
    for experiment in [trip(1), trip(2)] {
        let typical = median(&samples.get(&experiment).unwrap().seconds());
        samples.push(Sample {
            experiment,
            launch: 0,
            rep: 9,
            seconds: Seconds::new(1.2 * typical),
        });
    }
    let outliers = |hosts: &str, j| {
        let summaries = summarise(&on(hosts, &samples), 0.95);
        summaries
            .into_iter()
            .find(|summary| summary.experiment == trip(j))
            .map(|summary| summary.outliers)
    };
    assert_eq!((outliers(HOSTS, 1), outliers(HOSTS, 2)), (Some(0), Some(1)));
    assert_eq!((outliers("", 1), outliers("", 2)), (Some(0), Some(0)));
}

#[test]
fn hockney_means_are_given_for_each_link_class() {
    let samples = measured(5, 20);
    let model = hockney::fit(
        &Observations::from_samples(&samples, |_| true),
        HockneyEstimator::Regression,
        0.95,
    )
    .unwrap()
    .0;
    let means = model.class_means(&hosts());
    let shown: Vec<_> = means.iter().map(|mean| (mean.class, mean.pairs)).collect();
    assert_eq!(shown, [(LinkClass::WithinHost, 6), (LinkClass::AcrossHosts, 9)]);
    for (mean, truth) in means.iter().zip([11e-6, 40e-6]) {
        let interval = mean.latency.interval.unwrap();
        assert!(interval.low < truth && truth < interval.high, "{mean:?}");
        assert!(mean.latency.samples.unwrap() > 0);
    }
    // Weighted by the numbers of pairs they make the mean of all.
    let all = (6.0 * means[0].latency.value + 9.0 * means[1].latency.value) / 15.0;
    assert!((all / model.mean_latency.value - 1.0).abs() < 1e-12);
    let squares = |mean: &hockney::ClassMean| {
        ((mean.latency.interval.unwrap().high - mean.latency.value) * mean.pairs as f64).powi(2)
    };
    let half = (squares(&means[0]) + squares(&means[1])).sqrt() / 15.0;
    let expected = model.mean_latency.interval.unwrap().high - model.mean_latency.value;
    assert!((half / expected - 1.0).abs() < 1e-9, "{half} {expected}");
    assert!(model.class_means(&Hosts::new(["a"; PROCESSORS])).is_empty());
}
