//! A fit reports how far it is off, which parameters are at their bounds, and the cause that the
//! residuals suggest.

use orrery::model::{FitDiagnostics, MISFIT, Misfit, diagnose};
use orrery::sample::ExperimentFields;
use orrery::sample::import::Importer;

use crate::prelude::*;
use crate::support::{Design, campaign};

fn diagnosed(samples: &Samples, options: &FitOptions) -> Vec<FitDiagnostics> {
    let model = fit(samples, options).unwrap().model;
    diagnose(&model, samples, options).unwrap()
}

fn of(all: &[FitDiagnostics], kind: ModelKind) -> &FitDiagnostics {
    all.iter().find(|one| one.kind == kind).unwrap()
}

/// Latencies of the OSU benchmarks: messages beyond 8 KiB use the rendezvous protocol.
const OSU_WITH_EAGER_LIMIT: &str = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n\
    0 1.50\n1 1.52\n8 1.53\n64 1.61\n256 1.80\n1024 2.34\n2048 2.90\n4096 3.70\n8192 5.21\n16384 \
    12.90\n32768 17.10\n\
    65536 26.80\n131072 44.00\n262144 79.00\n524288 149.00\n1048576 290.00\n";

fn osu() -> Samples {
    let mut importer = Importer::new(None, None);
    importer.add(OSU_WITH_EAGER_LIMIT, "osu.txt").unwrap();
    importer.finish().samples
}

#[test]
fn sign_changes_of_residuals_suggest_a_protocol_change() {
    let all = diagnosed(&osu(), &FitOptions::default());
    let hockney = of(&all, ModelKind::Hockney);
    assert!(hockney.mean_error > MISFIT, "{hockney:?}");
    assert!(hockney.largest.error.abs() > 0.4, "{hockney:?}");
    let [residuals] = &hockney.residuals[..] else { panic!("round trips alone: {hockney:?}") };
    assert_eq!((residuals.operation.as_str(), residuals.sizes.len()), ("roundtrip", 16));
    let expected = Misfit::ProtocolChange { last: Bytes::new(8192), first: Bytes::new(16384) };
    assert!(hockney.misfits.contains(&expected), "{:?}", hockney.misfits);
}

#[test]
fn a_range_of_sizes_fits_one_protocol() {
    let range = Some((Bytes::new(16384), Bytes::new(1 << 20)));
    let options = FitOptions { sizes: range, ..FitOptions::default() };
    let outcome = fit(&osu(), &options).unwrap();
    assert_eq!((outcome.observations, outcome.model.measured), (7, range));
    let all = diagnose(&outcome.model, &osu(), &options).unwrap();
    let hockney = of(&all, ModelKind::Hockney);
    assert!(hockney.mean_error < 0.1 && hockney.misfits.is_empty(), "{hockney:?}");
}

fn lmo(processors: usize, link_latency: f64) -> Lmo {
    Hlmo::from_estimates([20e-6, 4e-9, link_latency, 8e-9].map(Estimate::exact)).as_lmo(processors)
}

#[test]
fn a_good_fit_has_no_misfit() {
    let samples = campaign(lmo(5, 30e-6).network(), 0.03, 4, 10, Design::Full);
    for one in diagnosed(&samples, &FitOptions::default()) {
        assert!(
            one.mean_error < 0.05 && one.misfits.is_empty() && one.at_bounds.is_empty(),
            "{one:?}"
        );
    }
}

/// Round trips of all pairs of four processors at three sizes, with the time changed for some.
fn round_trips(provenance: Provenance, time: impl Fn(u32, u32, u64) -> f64) -> Samples {
    let mut samples = Samples::new(provenance);
    for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        for size in [0, 1024, 4096, 16384, 65536] {
            for rep in 0..5 {
                let bytes = Bytes::new(size);
                let experiment = Experiment::RoundTrip {
                    i: Processor(i),
                    j: Processor(j),
                    size: bytes,
                    reply: bytes,
                };
                let seconds = Seconds::new(time(i, j, size) * (1.0 + 0.01 * f64::from(rep % 3)));
                samples.push(Sample { experiment, launch: 0, rep, seconds });
            }
        }
    }
    samples
}

fn line(size: u64) -> f64 {
    2.0 * (30e-6 + size as f64 * 1e-9)
}

#[test]
fn parameters_at_their_bounds_are_named() {
    // Larger messages take no longer: no delay per byte can express that they take a little less.
    let samples = round_trips(Provenance::new(), |i, _, size| {
        60e-6 * if i == 0 && size > 4096 { 0.99 } else { 1.0 }
    });
    let all = diagnosed(
        &samples,
        &FitOptions { kinds: Some(vec![ModelKind::Hockney]), ..FitOptions::default() },
    );
    let [bound] = &of(&all, ModelKind::Hockney).at_bounds[..] else { panic!("{all:?}") };
    assert_eq!((bound.parameter, bound.total), ("byte_delay", 6));
    assert!(bound.count >= 3, "{bound:?}");
}

#[test]
fn an_outlier_is_named() {
    let samples = round_trips(Provenance::new(), |i, j, size| {
        line(size) * if (i, j, size) == (1, 3, 4096) { 3.0 } else { 1.0 }
    });
    let all = diagnosed(&samples, &FitOptions::default());
    let misfits = &of(&all, ModelKind::Hockney).misfits;
    let is_it = |misfit: &Misfit| match misfit {
        Misfit::Outliers(found) => matches!(
            found[..],
            [Experiment::RoundTrip { i: Processor(1), j: Processor(3), size, .. }] if size.get() == 4096
        ),
        _ => false,
    };
    assert!(misfits.iter().any(is_it), "{misfits:?}");
}

/// The misfits of Hockney's model of ten processors, whose first pairs take three times as long at
/// 4 KiB; readings differ by this part.
fn with_slow_pairs(slow: usize, noise: f64) -> Vec<Misfit> {
    let mut samples = Samples::new(Provenance::new());
    for (place, (i, j)) in Pairs::of(10).iter().enumerate() {
        for size in [0, 1024, 4096, 16384, 65536].map(Bytes::new) {
            let times = if place < slow && size.get() == 4096 { 3.0 } else { 1.0 };
            for rep in 0..5 {
                let seconds = line(size.get()) * times * (1.0 + noise * f64::from(rep % 3));
                let experiment = Experiment::RoundTrip { i, j, size, reply: size };
                let seconds = Seconds::new(seconds);
                samples.push(Sample { experiment, launch: 0, rep, seconds });
            }
        }
    }
    of(&diagnosed(&samples, &FitOptions::default()), ModelKind::Hockney).misfits.clone()
}

/// Only readings that may change are to be measured again.
#[test]
fn readings_that_agree_are_no_outliers() {
    let counts = |misfits: &[Misfit]| {
        let of = |misfit: &Misfit| match misfit {
            Misfit::Outliers(found) => (found.len(), 0),
            Misfit::Repeatable(found) => (0, found.len()),
            _ => (0, 0),
        };
        misfits.iter().map(of).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    let counted = |slow, noise| counts(&with_slow_pairs(slow, noise));
    assert_eq!(counted(1, 0.01), (1, 0));
    // Without noise, each measurement returns the same.
    assert_eq!(counted(1, 0.0), (0, 1));
    assert_eq!(counted(9, 0.0), (0, 9));
    // Nine of 45 pairs do not differ by chance alike in all of their readings.
    assert_eq!(counted(9, 0.01), (0, 9));
    // Noise as large as the distance may be the reason.
    assert_eq!(counted(1, 0.4), (1, 0));
    let words = with_slow_pairs(9, 0.0).iter().map(ToString::to_string).collect::<String>();
    assert!(!words.contains("measure again"), "{words}");
}

#[test]
fn ranks_on_one_core_are_a_cause() {
    let provenance = Provenance::new().with("hosts", "a a a a").with("cores", "0 1 0 1");
    // A pair on one core waits for the scheduler: its times do not lie on a line.
    let samples = round_trips(provenance, |i, j, size| {
        let same_core = (i + j) % 2 == 0;
        line(size) * if same_core && size > 1024 { 0.3 } else { 1.0 }
    });
    let all = diagnosed(&samples, &FitOptions::default());
    let misfits = &of(&all, ModelKind::Hockney).misfits;
    assert!(
        misfits
            .iter()
            .any(|misfit| matches!(misfit, Misfit::SharedCores(groups) if groups.len() == 2)),
        "{misfits:?}"
    );
}

#[test]
fn slow_concurrent_messages_suggest_a_shared_link() {
    let mut samples = campaign(lmo(4, 30e-6).network(), 0.01, 3, 10, Design::Full);
    // Collective operations and exchanges share the link of the root: they take three times as
    // long.
    for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        for rep in 0..5 {
            let experiment = Experiment::Exchange {
                i: Processor(i),
                j: Processor(j),
                size: Bytes::new(32 * 1024),
            };
            let seconds = Seconds::new(
                3.0 * (70e-6 + 16e-9 * 32.0 * 1024.0) * (1.0 + 0.01 * f64::from(rep % 3)),
            );
            samples.push(Sample { experiment, launch: 0, rep, seconds });
        }
    }
    let options = FitOptions {
        collectives: true,
        kinds: Some(vec![ModelKind::Lmo]),
        ..FitOptions::default()
    };
    let all = diagnosed(&samples, &options);
    let misfits = &of(&all, ModelKind::Lmo).misfits;
    assert!(
        misfits.iter().any(|misfit| matches!(misfit, Misfit::SharedLink { .. })),
        "{:?}",
        of(&all, ModelKind::Lmo)
    );
}

#[test]
fn unequal_pairs_are_a_cause_for_homogeneous_models() {
    let mut truth = lmo(4, 30e-6);
    truth.fixed_delay[3] = Estimate::exact(200e-6);
    let samples = campaign(truth.network(), 0.01, 3, 10, Design::Full);
    let all = diagnosed(&samples, &FitOptions::default());
    let hlmo = of(&all, ModelKind::Hlmo);
    assert!(hlmo.misfits.contains(&Misfit::UnequalPairs), "{hlmo:?}");
    assert!(of(&all, ModelKind::Lmo).misfits.is_empty(), "{:?}", of(&all, ModelKind::Lmo));
}

#[test]
fn parts_that_fail_are_named_with_their_error() {
    let mut samples = round_trips(Provenance::new(), |_, _, size| line(size));
    // No schedule has a root that takes no part; files with such rows are refused.
    let experiment = Experiment::collective_template("bcast/binomial").unwrap();
    let fields = ExperimentFields {
        root: Some(Processor(3)),
        procs: Some(3),
        size: Bytes::new(1024),
        ..experiment.fields()
    };
    let experiment = experiment.with_fields(&fields);
    samples.push(Sample { experiment, launch: 0, rep: 0, seconds: Seconds::new(1e-3) });
    let options = FitOptions { kinds: Some(vec![ModelKind::Hockney]), ..FitOptions::default() };
    let outcome = fit(&samples, &options).unwrap();
    let parts: Vec<&str> = outcome.failed.iter().map(|failed| failed.part.as_str()).collect();
    let expected = [
        "discrepancies of hockney",
        "discrepancies of hockney-mean",
        "errors of hockney in collective operations",
        "errors of hockney-mean in collective operations",
    ];
    assert_eq!(parts, expected, "{:?}", outcome.failed);
    let words = "discrepancies of hockney: not estimated: there is no processor 3: ";
    assert!(outcome.failed[0].to_string().starts_with(words), "{}", outcome.failed[0]);
}
