//! Campaigns on a simulated host.

use std::cell::Cell;
use std::convert::Infallible;
use std::rc::Rc;

use orrery::file::FileKind;
use orrery::kernel::{
    KernelCall, KernelMachine, KernelReadings, KernelRunError, KernelTime, Operands, fit,
};
use orrery::measure::{KernelCampaign, KernelCampaignError};
use orrery::numeric::mean;
use orrery::sample::file::{kind_of, parse_table, to_text};
use orrery::sample::{KernelConditions, KernelReading, KernelTimings, Provenance};
use orrery::units::Seconds;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

/// A host with 10 Gflop/s whose small calls are slower.
struct Host {
    rng: ChaCha8Rng,
    /// The time that it has computed in seconds, which can be read while a campaign runs.
    used: Rc<Cell<f64>>,
}

impl Host {
    fn new() -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(1), used: Rc::default() }
    }
}

const NOISE: f64 = 0.01;

fn truth(call: &KernelCall) -> f64 {
    let [m, n, k] = call.dimensions().map(|one| one as f64);
    let rate = if call.smallest_dimension() < 100 { 5e9 } else { 10e9 };
    2.0 * m * n * k / rate + 4e-10 * (m * n + n * k) + 1e-6
}

impl KernelMachine for Host {
    fn run(
        &mut self,
        call: &KernelCall,
        _: Operands,
        repetitions: u32,
    ) -> Result<KernelReadings, KernelRunError> {
        let mut reading = || {
            let error: f64 = StandardNormal.sample(&mut self.rng);
            truth(call) * (1.0 + NOISE * error)
        };
        let seconds: Vec<f64> = (0..repetitions).map(|_| reading()).collect();
        self.used.set(self.used.get() + seconds.iter().sum::<f64>());
        Ok(KernelReadings {
            seconds: seconds.into_iter().map(Seconds::new).collect(),
            memory: Some(call.space()),
        })
    }
}

fn campaign() -> KernelCampaign {
    KernelCampaign {
        conditions: KernelConditions {
            host: "a".into(),
            library: "simulated".into(),
            threads: 1,
            operands: Operands::Warm,
        },
        kernel: "dgemm".parse().unwrap(),
        variant: "nn",
        dimensions: [32, 2000],
        repetitions: [3, 5],
        precision: 0.02,
    }
}

/// The readings of a campaign of this many simulated seconds, after earlier ones.
fn measured(seconds: f64, known: &[KernelReading]) -> Vec<KernelReading> {
    let mut host = Host::new();
    let used = Rc::clone(&host.used);
    let mut all = Vec::new();
    let mut remaining = || Seconds::new(seconds - used.get());
    let mut store = |readings: &[KernelReading]| {
        all.extend_from_slice(readings);
        Ok::<(), Infallible>(())
    };
    campaign().run(&mut host, known, &mut remaining, &mut store).unwrap();
    assert!(used.get() <= seconds);
    all
}

#[test]
fn a_minute_predicts_unseen_dimensions() {
    let readings = measured(60.0, &[]);
    let times: Vec<KernelTime> =
        readings.iter().map(|one| KernelTime { call: one.call, seconds: one.seconds }).collect();
    let model = fit(&times, 0.95).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut error = || {
        let dimensions = [0; 3].map(|_| rng.random_range(32..=2000));
        let call = KernelCall::new("dgemm".parse().unwrap(), "nn", dimensions).unwrap();
        (model.predict(&call).unwrap().value / truth(&call) - 1.0).abs()
    };
    let errors: Vec<f64> = (0..200).map(|_| error()).collect();
    assert!(mean(&errors) < 0.03, "{} from {} readings", mean(&errors), times.len());
}

#[test]
fn a_resumed_campaign_measures_other_calls() {
    let first = measured(5.0, &[]);
    let second = measured(5.0, &first);
    let calls = |readings: &[KernelReading]| {
        readings.iter().map(|one| one.call).collect::<std::collections::BTreeSet<_>>()
    };
    assert!(!first.is_empty() && !second.is_empty());
    assert_eq!(calls(&first).intersection(&calls(&second)).count(), 0);
}

#[test]
fn readings_return_from_their_file() {
    let provenance = Provenance::new().with("machine", "local");
    let timings = KernelTimings { provenance, readings: measured(1.0, &[]) };
    let text = to_text(&timings).unwrap();
    let loaded = parse_table::<KernelTimings>(&text, "kernels.csv").unwrap();
    assert_eq!((&loaded.samples, loaded.warnings.len()), (&timings, 0));
    assert_eq!(kind_of(text.as_bytes()), Some(FileKind::Kernels));
    // All cuts are read, or refused with a position.
    for end in 0..text.len().min(2000) {
        let _ = parse_table::<KernelTimings>(&text[..end], "cut.csv");
    }
    for (row, words) in [
        ("xgemm,nn,1,1,1,warm,1", "f.csv:3:1"),
        ("dgemm,nn,1,,1,warm,1", "column \"n\""),
        ("dgemm,nn,1,0,1,warm,1", "n is 0"),
        ("dgemm,nn,1,1,1,hot,1", "warm or cold"),
        ("dgemm,nn,1,1,1,warm,-1", "seconds"),
    ] {
        let text =
            format!("# format: orrery-kernels 1\nkernel,variant,m,n,k,operands,seconds\n{row}\n");
        let error = parse_table::<KernelTimings>(text, "f.csv").unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn given_calls_are_measured_once() {
    let calls: Vec<KernelCall> = ["dgemm 9 8 7", "dgemm nt 1 2 3", "dgemm 3 2 1", "dgemm nn 9 8 7"]
        .map(|text| text.parse().unwrap())
        .to_vec();
    let mut host = Host::new();
    let mut all = Vec::new();
    for expected in [2, 0] {
        let known = all.clone();
        let mut store = |readings: &[KernelReading]| {
            all.extend_from_slice(readings);
            Ok::<(), Infallible>(())
        };
        let measured =
            campaign().run_calls(&mut host, &calls, &known, &mut || Seconds::new(1.0), &mut store);
        assert_eq!(measured.unwrap(), expected);
    }
    let measured: Vec<[u64; 3]> =
        all.iter().filter(|one| one.rep == 0).map(|one| one.call.dimensions()).collect();
    assert_eq!(measured, [[9, 8, 7], [3, 2, 1]]);
    let none = campaign().run_calls(&mut host, &calls, &[], &mut || Seconds::ZERO, &mut |_| {
        Ok::<(), Infallible>(())
    });
    assert_eq!(none.unwrap(), 0);
}

#[test]
fn an_empty_range_is_refused() {
    let mut host = Host::new();
    let empty = KernelCampaign { dimensions: [100, 10], ..campaign() };
    let run =
        empty.run(&mut host, &[], &mut || Seconds::new(1.0), &mut |_| Ok::<(), Infallible>(()));
    assert!(matches!(run, Err(KernelCampaignError::Range(100, 10))));
}
