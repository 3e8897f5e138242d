//! Import of other benchmarks: readings, remarks on skipped parts, and errors with their position.

use std::path::Path;

use orrery::comm::Hockney;
use orrery::file::FileError;
use orrery::model::{FitOptions, ModelKind, fit};
use orrery::platform::Processor;
use orrery::sample::file::{parse, to_text};
use orrery::sample::import::{Imported, Importer, Source};
use orrery::sample::{Experiment, Samples};
use orrery::schedule::CollectiveKind;
use orrery::units::Bytes;
use proptest::prelude::*;

pub fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/import").join(name);
    std::fs::read_to_string(path).unwrap()
}

fn import(names: &[&str], processors: Option<u32>) -> Imported {
    let mut importer = Importer::new(None, processors.map(|n| (0..n).map(Processor).collect()));
    for name in names {
        importer.add(text(name), name).unwrap();
    }
    importer.finish()
}

fn refused(text: &str) -> FileError {
    Importer::new(None, None).add(text, "f").unwrap_err()
}

fn microseconds(samples: &Samples, experiment: Experiment) -> Vec<f64> {
    let series = samples.get(&experiment).unwrap_or_else(|| panic!("no {experiment}"));
    series.seconds().iter().map(|seconds| (seconds * 1e8).round() / 100.0).collect()
}

fn round_trip(size: u64) -> Experiment {
    let size = Bytes::new(size);
    Experiment::RoundTrip { i: Processor(0), j: Processor(1), size, reply: size }
}

fn native(kind: CollectiveKind, procs: usize, size: u64) -> Experiment {
    Experiment::Native { kind, algorithm: None, root: Processor(0), procs, size: Bytes::new(size) }
}

fn remarks(imported: &Imported) -> Vec<(usize, String)> {
    imported.remarks.iter().map(|remark| (remark.line, remark.kind.clone())).collect()
}

#[test]
fn latencies_become_round_trips_of_twice_the_time() {
    let Imported { samples, remarks, .. } = import(&["osu-latency-5.txt"], None);
    assert_eq!((samples.count(), samples.series().len(), remarks), (8, 8, vec![]));
    assert_eq!(microseconds(&samples, round_trip(0)), [3.0]);
    assert_eq!(
        samples.get(&round_trip(8)).unwrap().seconds(),
        [3.06e-6],
        "as exact as it is printed"
    );
    assert_eq!(
        samples.provenance.get("imported"),
        Some("OSU MPI Latency Test v5.9 from osu-latency-5.txt")
    );
    assert!(samples.provenance.get("timing").unwrap().contains("an unknown number of iterations"));
}

#[test]
fn repeated_runs_become_launches() {
    let Imported { samples, .. } = import(&["osu-latency-5.txt", "osu-latency-7.txt"], None);
    assert_eq!(microseconds(&samples, round_trip(1024)), [4.68, 4.82]);
    let launches: Vec<_> =
        samples.get(&round_trip(1)).unwrap().readings.iter().map(|r| (r.launch, r.rep)).collect();
    assert_eq!(launches, [(0, 0), (1, 0)]);
}

#[test]
fn collectives_become_native_experiments() {
    let Imported { samples, remarks, .. } = import(&["osu-scatter-full.txt"], Some(16));
    assert_eq!(
        microseconds(&samples, native(CollectiveKind::Scatter, 16, 1024)),
        [7.58],
        "the slowest rank"
    );
    assert_eq!(remarks, []);
    assert!(samples.provenance.get("timing").unwrap().ends_with("100 to 1000 iterations"));
    let written = to_text(&samples).unwrap();
    assert!(written.ends_with("native/scatter,0,,,16,65536,,,,,,0,0,0.0001487\n"), "{written}");
    assert_eq!(parse(&written, "x").unwrap().samples, samples);
}

#[test]
fn missing_numbers_of_processes_must_be_given() {
    let error =
        Importer::new(None, None).add(text("osu-scatter-full.txt"), "scatter.txt").unwrap_err();
    let words = error.to_string();
    assert!(
        words.starts_with("scatter.txt:3:1: OSU MPI Scatter Latency Test v5.9 does not print"),
        "{words}"
    );
    let others = Some(vec![Processor(3), Processor(5)]);
    let mut importer = Importer::new(None, others);
    importer.add(text("osu-latency-5.txt"), "a").unwrap();
    importer.add(text("osu-scatter-full.txt"), "b").unwrap();
    let imported = importer.finish();
    assert!(matches!(
        imported.samples.series()[0].experiment,
        Experiment::RoundTrip { i: Processor(3), j: Processor(5), .. }
    ));
    assert!(imported.remarks[0].kind.contains("run on processors 0 to n − 1"));
}

#[test]
fn means_over_several_pairs_are_skipped() {
    let imported = import(&["osu-multi-lat-7.txt"], Some(2));
    assert_eq!(microseconds(&imported.samples, round_trip(1)), [3.76]);
    let imported = import(&["osu-multi-lat-7.txt"], Some(8));
    assert_eq!(imported.samples.count(), 0);
    assert!(imported.remarks[0].kind.contains("several concurrent pairs"));
    let error = Importer::new(None, None).add(text("osu-multi-lat-7.txt"), "f").unwrap_err();
    let error = error.to_string();
    assert!(
        error.starts_with("f:3:") && error.contains("does not print the number of processes"),
        "{error}"
    );
}

#[test]
fn other_output_of_a_batch_job_is_ignored() {
    let imported = import(&["osu-batch.log"], Some(2));
    assert_eq!(microseconds(&imported.samples, round_trip(8)), [3.06, 3.18]);
    assert_eq!(microseconds(&imported.samples, native(CollectiveKind::Gather, 2, 1024)), [3.87]);
    assert_eq!(imported.samples.count(), 6);
    let found = remarks(&imported);
    assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [16, 22], "{found:?}");
    assert!(found[0].1.starts_with("OSU MPI Bandwidth Test v5.9 is skipped"), "{found:?}");
    assert!(found[1].1.contains("mean over the ranks") && found[1].1.contains("-f"), "{found:?}");
}

#[test]
fn imb_output_contains_the_number_of_processes() {
    let imported = import(&["imb-2021.txt"], None);
    let samples = &imported.samples;
    assert_eq!(microseconds(samples, round_trip(1024)), [5.02]);
    let exchange =
        Experiment::Exchange { i: Processor(0), j: Processor(1), size: Bytes::new(1024) };
    assert_eq!(microseconds(samples, exchange), [2.8]);
    assert_eq!(microseconds(samples, native(CollectiveKind::Scatter, 2, 1024)), [2.33]);
    assert_eq!(microseconds(samples, native(CollectiveKind::Scatter, 4, 1024)), [4.71]);
    assert_eq!(microseconds(samples, native(CollectiveKind::Gather, 4, 1024)), [5.02]);
    assert_eq!(microseconds(samples, native(CollectiveKind::Allreduce, 4, 4)), [3.19]);
    assert_eq!(samples.count(), 5 + 2 + 1 + 1 + 1 + 1);
    let found = remarks(&imported);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0]
            .1
            .contains("Scatter of 4, 4194304 bytes is skipped: the benchmark did not measure it"),
        "{found:?}"
    );
    assert_eq!(
        found[1],
        (61, "collective operations of 0 bytes are skipped: nothing is sent".to_owned())
    );
    let timing = samples.provenance.get("timing").unwrap();
    assert!(timing.ends_with("the mean of 10 to 1000 iterations"), "{timing}");
}

#[test]
fn collectives_with_changing_roots_are_skipped() {
    let imported = import(&["imb-4.txt"], None);
    assert_eq!(imported.samples.count(), 2);
    assert!(
        matches!(&imported.remarks[..], [remark] if remark.kind.starts_with("IMB 4.0 Scatter is skipped: its root changes"))
    );
    let shifted =
        text("imb-2021.txt").replace("IMB-MPI1 PingPong", "IMB-MPI1 -root_shift on PingPong");
    let mut importer = Importer::new(None, None);
    importer.add(shifted, "x").unwrap();
    assert_eq!(
        importer.finish().samples.count(),
        8,
        "round trips, exchanges and the allreduce, which has no root"
    );
}

#[test]
fn import_can_be_restricted_to_one_suite() {
    let both = text("osu-latency-5.txt") + &text("imb-2021.txt");
    for (only, count) in [(Some(Source::Osu), 8), (Some(Source::Imb), 11), (None, 19)] {
        let mut importer = Importer::new(only, None);
        importer.add(&both, "both").unwrap();
        assert_eq!(importer.finish().samples.count(), count, "{only:?}");
    }
    let error =
        Importer::new(Some(Source::Imb), None).add(text("osu-latency-5.txt"), "osu").unwrap_err();
    assert!(error.to_string().contains("# Benchmarking PingPong"), "{error}");
}

#[test]
fn import_errors_have_line_and_column() {
    let head = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n";
    for (text, place) in [
        (format!("{head}8 1.5\n 16   x\n"), "f:4:7: column \"latency\": \"x\" is not a time"),
        (format!("{head}8 -1.5\n"), "f:3:3: column \"latency\": \"-1.5\" is not a time"),
        (format!("{head}8 nan\n"), "f:3:3: "),
        (format!("{head}8\n"), "f:3:2: column \"latency\" is missing"),
        (format!("{head}8K 1.5\n"), "f:3:1: column \"size\": \"8K\" is not a size"),
        ("# OSU MPI Latency Test v5.9\n8 1.5\n".into(), "f:2:1: this row precedes"),
        (
            "# OSU MPI Latency Test v5.9\n# Size   Latency (ms)\n".into(),
            "f:2:3: none of these columns",
        ),
        ("# Benchmarking PingPong\n#bytes t[sec]\n".into(), "f:2:1: none of these columns"),
        (format!("{head}8\0 1.5\n"), "f:3:1: this is not text"),
        ("anything\n".into(), "f: there is no output of OSU"),
        (String::new(), "f: there is no output of OSU"),
    ] {
        let words = refused(&text).to_string();
        assert!(words.starts_with(place), "{words}");
    }
}

#[test]
fn truncated_last_line_is_dropped_with_a_remark() {
    let torn = text("osu-latency-5.txt");
    let mut importer = Importer::new(None, None);
    importer.add(torn.trim_end(), "f").unwrap();
    let imported = importer.finish();
    assert_eq!(imported.samples.count(), 7);
    assert!(
        matches!(&imported.warnings[..], [warning] if warning.kind.contains("no line break") && warning.line == 10)
    );
}

#[test]
fn single_readings_are_fitted_without_spread() {
    let samples = import(&["osu-latency-5.txt", "osu-scatter-full.txt"], Some(16)).samples;
    let fitted = fit(&samples, &FitOptions::default()).unwrap();
    assert!(!fitted.spread);
    assert_eq!(fitted.model.kinds(), [ModelKind::Hockney, ModelKind::HockneyMean]);
    assert_eq!(fitted.model.processors(), 2, "the library's own collectives do not bear on a fit");
    let hockney = fitted.model.get::<Hockney>(ModelKind::Hockney).unwrap();
    let latency = hockney.latency.values()[0];
    let interval =
        latency.interval.expect("the residuals of eight sizes say how far off a straight line is");
    assert!(interval.low < latency.value && latency.value < interval.high);
    let two: Vec<&str> = "# OSU MPI Latency Test v5\n# Size Latency (us)\n0 1\n1000 2\n"
        .split_inclusive('\n')
        .collect();
    let mut importer = Importer::new(None, None);
    importer.add(two.concat(), "f").unwrap();
    let hockney = fit(&importer.finish().samples, &FitOptions::default())
        .unwrap()
        .model
        .get::<Hockney>(ModelKind::Hockney)
        .unwrap();
    let latency = hockney.latency.values()[0];
    assert!((latency.value - 1e-6).abs() < 1e-12 && latency.interval.is_none(), "{latency:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn mutated_outputs_do_not_panic(
        file in 0..4_usize,
        named in prop::option::of(0..5_u32),
        changes in prop::collection::vec((any::<prop::sample::Index>(), "\\PC{0,3}|\n|[0-9. \
            #]{1,4}"), 1..8),
    ) {
        let name = ["osu-batch.log", "osu-scatter-full.txt", "imb-2021.txt", "osu-latency-7.txt"][file];
        let mut text = text(name);
        for (place, insert) in changes {
            let mut at = place.index(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            text.insert_str(at, &insert);
        }
        let mut importer = Importer::new(None, named.map(|n| Processor::first(n as usize).collect()));
        if importer.add(&text, "f").is_ok() {
            let samples = importer.finish().samples;
            let again = parse(to_text(&samples).unwrap(), "f").unwrap().samples;
            prop_assert_eq!(again.series(), samples.series());
        }
    }

    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut content = b"# OSU MPI Latency Test v5\n# Size Latency (us)\n".to_vec();
        content.extend(&bytes);
        let _ = Importer::new(None, None).add(&content, "f");
        let _ = Importer::new(None, None).add(&bytes, "f");
    }
}
