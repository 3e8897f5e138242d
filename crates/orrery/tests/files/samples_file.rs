//! The samples file: written files read back, truncation is reported, invalid content is rejected
//! with its position.

use std::fs;
use std::path::Path;

use orrery::file::{Fault, FaultKind, FileError};
use orrery::platform::Processor;
use orrery::sample::file::{Warning, Writer, parse, read, to_text};
use orrery::sample::{
    Experiment, Library, LibraryAlgorithm, NativeAlgorithm, Provenance, Sample, Samples,
};
use orrery::schedule::{Algorithm, CollectiveKind, Train, TrainKind};
use orrery::units::{Bytes, Seconds};
use proptest::prelude::*;

/// The columns of files without concurrent exchanges, as earlier versions wrote them.
const HEADER: &str = "experiment,i,j,k,procs,size,reply,segment,count,delay,launch,rep,seconds";

const NEW_HEADER: &str =
    "experiment,i,j,k,procs,size,reply,segment,count,delay,set,launch,rep,seconds";

fn round_trip(i: u32, j: u32, size: u64) -> Experiment {
    Experiment::RoundTrip {
        i: Processor(i),
        j: Processor(j),
        size: Bytes::new(size),
        reply: Bytes::new(size),
    }
}

fn sample(experiment: Experiment, rep: u32, seconds: f64) -> Sample {
    Sample { experiment, launch: 0, rep, seconds: Seconds::new(seconds) }
}

fn a_few() -> Vec<Sample> {
    let (i, j, k) = (Processor(0), Processor(1), Processor(2));
    let one_to_two = Experiment::OneToTwo { i, j, k, size: Bytes::new(4096) };
    let scatter = Experiment::Collective {
        kind: CollectiveKind::Scatter,
        algorithm: Algorithm::Linear,
        root: Processor(3),
        procs: 16,
        size: Bytes::new(4096),
    };
    let exchange = Experiment::Exchange { i: j, j: k, size: Bytes::new(8) };
    let native = Experiment::Native {
        kind: CollectiveKind::Gather,
        algorithm: None,
        root: i,
        procs: 3,
        size: Bytes::ZERO,
    };
    let mut samples =
        vec![sample(round_trip(0, 1, 4096), 0, 4.12e-5), sample(one_to_two, 0, 7.18e-5)];
    samples.extend([sample(scatter, 7, 1.5), sample(exchange, 0, 1e-5), sample(native, 0, 1e-3)]);
    samples.extend(TrainKind::ALL.map(|kind| {
        let delay = if kind == TrainKind::Gap { 0 } else { 262_144 };
        let train = Train { kind, size: Bytes::new(4096), reply: Bytes::ZERO, count: 10, delay };
        sample(Experiment::Train { i, j, train }, 0, 1e-5)
    }));
    samples
}

fn provenance() -> Provenance {
    Provenance::new()
        .with("command", "orrery measure comm: all")
        .with("hosts", "a a b")
        .with("binding", "")
}

#[test]
fn a_campaign_is_written_as_designed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("samples.csv");
    let mut writer = Writer::create(&path, &provenance(), false).unwrap();
    for sample in a_few() {
        writer.append(&[sample]).unwrap();
    }
    let expected = format!(
        "# format: orrery-samples 1\n# command: orrery measure comm: all\n# hosts: a a b\n# \
            binding:\n{NEW_HEADER}\n\
         roundtrip,0,1,,,4096,4096,,,,,0,0,0.0000412\n\
         one-to-two,0,1,2,,4096,0,,,,,0,0,0.0000718\n\
         scatter/linear,3,,,16,4096,,,,,,0,7,1.5\n\
         exchange,1,2,,,8,,,,,,0,0,0.00001\n\
         native/gather,0,,,3,0,,,,,,0,0,0.001\n\
         send-overhead,0,1,,,4096,,,10,0.000262144,,0,0,0.00001\n\
         receive-overhead,0,1,,,4096,,,10,0.000262144,,0,0,0.00001\n\
         gap,0,1,,,4096,,,10,,,0,0,0.00001\n\
         prtt,0,1,,,4096,0,,10,0.000262144,,0,0,0.00001\n"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    let loaded = read(&path).unwrap();
    assert_eq!(loaded.warnings, []);
    assert_eq!(loaded.samples.provenance, provenance());
    assert_eq!(to_text(&loaded.samples).unwrap(), expected);
}

#[test]
fn an_existing_file_is_kept_unless_force_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("samples.csv");
    fs::write(&path, "").unwrap(); // as mktemp leaves it: there is nothing to lose
    Writer::create(&path, &provenance(), false).unwrap().append(&a_few()).unwrap();
    let error = Writer::create(&path, &Provenance::new(), false).unwrap_err();
    assert!(matches!(error, FileError::Exists { .. }));
    assert!(error.to_string().ends_with("samples.csv: this file already exists"), "{error}");
    assert_eq!(read(&path).unwrap().samples.count(), a_few().len());
    let mut writer = Writer::create(&path, &Provenance::new(), true).unwrap();
    assert_eq!(read(&path).unwrap().samples.count(), a_few().len(), "nothing is measured yet");
    writer.append(&a_few()[..1]).unwrap();
    assert_eq!(read(&path).unwrap().samples.count(), 1);
    writer.append(&a_few()[1..]).unwrap();
    assert_eq!(read(&path).unwrap().samples.count(), a_few().len());
    assert!(
        matches!(Writer::resume(&path).unwrap_err(), FileError::InUse { .. }),
        "the new file is locked"
    );
}

#[test]
fn two_campaigns_cannot_write_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("samples.csv");
    let first = Writer::create(&path, &provenance(), false).unwrap();
    assert!(matches!(Writer::resume(&path).unwrap_err(), FileError::InUse { .. }));
    assert!(matches!(
        Writer::create(&path, &provenance(), true).unwrap_err(),
        FileError::InUse { .. }
    ));
    drop(first);
    Writer::resume(&path).unwrap();
}

#[test]
fn truncated_line_is_removed_with_a_warning_on_resume() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("samples.csv");
    let whole = format!("# format: orrery-samples 1\n{HEADER}\nroundtrip,0,1,,,8,8,,,,0,0,0.05\n");
    for torn in [
        "r",
        "roundtrip,0,1,,,8,8,,,,0,1,0.0",
        "roundtrip,0,1,,,8,8,,,,0,1,0.025",
        "\0\0\0\0",
        "# a rem",
    ] {
        fs::write(&path, format!("{whole}{torn}")).unwrap();
        let loaded = read(&path).unwrap();
        assert_eq!(loaded.samples.count(), 1);
        assert_eq!(loaded.warnings, [Warning::TornLine { path: path.clone(), line: 4 }]);
        let (mut writer, resumed) = Writer::resume(&path).unwrap();
        assert_eq!(resumed, loaded);
        writer.append(&[sample(round_trip(0, 1, 8), 1, 0.025)]).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            format!("{whole}roundtrip,0,1,,,8,8,,,,0,1,0.025\n")
        );
    }
}

#[test]
fn resumed_file_keeps_its_rows_and_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("samples.csv");
    let text = "# format: orrery-samples 1\r\n# by hand\nseconds,who,experiment,j,i,size,reply\n\
                0.5,me,roundtrip,1,0,8,0\n# in between\n\n0.75,\"me, \
                too\",teleport,,,,\n0.5,,roundtrip,1,0,8,\n";
    fs::write(&path, text).unwrap();
    let (mut writer, loaded) = Writer::resume(&path).unwrap();
    assert_eq!(loaded.samples.count(), 2);
    assert_eq!(loaded.samples.unknown[0].experiment, "teleport");
    let reply = Bytes::new(16);
    let experiment =
        Experiment::RoundTrip { i: Processor(0), j: Processor(1), size: Bytes::new(8), reply };
    writer.append(&[sample(experiment, 0, 1e-7)]).unwrap();
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        format!("{text}0.0000001,,roundtrip,1,0,8,16\n")
    );
    let error = writer.append(&a_few()[1..]).unwrap_err();
    assert!(error.to_string().contains("there is no column \"k\""), "{error}");
}

#[test]
fn unsupported_rows_are_kept_as_unknown_experiments() {
    let text = format!(
        "# format: orrery-samples \
            1\n{HEADER}\nscatter/linear,0,,,4,8,,1024,,,0,0,1\nscatter/linear,0,,,4,8,,1024,,,0,1,1\n\
         native/bcastv,0,,,4,8,,,,,0,0,1\none-to-two,0,1,2,,8,64,,,,0,0,1\nscatter/ring,0,,,4,8,,,,,0,0,1\n"
    );
    let samples = parse(text, "x").unwrap().samples;
    assert_eq!(samples.count(), 0);
    let unknown: Vec<_> = samples.unknown.iter().map(|u| (u.experiment.as_str(), u.rows)).collect();
    let expected = [
        ("scatter/linear with segment", 2),
        ("native/bcastv", 1),
        ("one-to-two with reply", 1),
        ("scatter/ring", 1),
    ];
    assert_eq!(unknown, expected);
}

#[test]
fn truncated_compressed_files_are_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("samples.csv.zst");
    let mut writer = Writer::create(&path, &provenance(), false).unwrap();
    let head = fs::metadata(&path).unwrap().len() as usize;
    let mut counts = vec![(head, 0)];
    for (count, sample) in a_few().into_iter().enumerate() {
        writer.append(&[sample]).unwrap();
        counts.push((fs::metadata(&path).unwrap().len() as usize, count + 1));
    }
    drop(writer);
    let whole = fs::read(&path).unwrap();
    assert_eq!(parse(&whole, "x").unwrap().warnings, []);
    for cut in head..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let kept = counts.iter().rev().find(|(end, _)| *end <= cut).unwrap().1;
        let (mut writer, loaded) = Writer::resume(&path).unwrap();
        assert!(loaded.samples.count() >= kept);
        writer.append(&[sample(round_trip(4, 5, 6), 0, 0.007)]).unwrap();
        drop(writer);
        let again = read(&path).unwrap();
        assert_eq!((again.samples.count(), again.warnings.len()), (loaded.samples.count() + 1, 0));
    }
}

#[test]
fn compressed_files_of_other_programs_are_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("renamed.csv");
    let text =
        format!("# format: orrery-samples 1\n{HEADER}\nroundtrip,0,1,,,8,8,,,,0,0,0.05\nroundtr");
    fs::write(&path, zstd::bulk::compress(text.as_bytes(), 1).unwrap()).unwrap();
    let (mut writer, loaded) = Writer::resume(&path).unwrap();
    assert_eq!((loaded.samples.count(), loaded.warnings.len()), (1, 1));
    writer.append(&a_few()).unwrap();
    let again = read(&path).unwrap();
    assert_eq!((again.samples.count(), again.warnings.len()), (a_few().len() + 1, 0));

    let mut damaged = fs::read(&path).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    let error = parse(&damaged, "x").unwrap_err();
    assert!(error.to_string().contains("the compressed frame at byte"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_reported() {
    let error = Writer::create("/dev/full", &provenance(), false).unwrap_err();
    assert!(error.to_string().starts_with("/dev/full: cannot write the samples file: "), "{error}");
}

/// An invalid row below a valid header, and a part of its error.
const BROKEN_ROWS: &[(&str, usize, &str)] = &[
    ("roundtrip,0,1,,,8,8,,,,0,0", 1, "12 fields, but there are 13"),
    ("roundtrip,0,1,,,8,8,,,,0,0,", 28, "\"seconds\" is empty"),
    ("roundtrip,0,1,,,8,8,,,,0,0,NaN", 28, "\"NaN\" is not a time"),
    ("roundtrip,0,1,,,8,8,,,,0,0,inf", 28, "\"inf\" is not a time"),
    ("roundtrip,0,1,,,8,8,,,,0,0,1e999", 28, "\"1e999\" is not a time"),
    ("roundtrip,0,1,,,8,8,,,,0,0,-1", 28, "\"-1\" is not a time"),
    ("roundtrip,0,1,,,8,8,,,,0,x,1", 26, "\"rep\": \"x\" is not an integer"),
    ("roundtrip,0,1,,,-8,8,,,,0,0,1", 17, "\"-8\" is not a size"),
    ("roundtrip,0,1,,,8.5,8,,,,0,0,1", 17, "\"8.5\" is not a size"),
    ("roundtrip,0,1,,,4K,8,,,,0,0,1", 17, "\"4K\" is not a size"),
    ("roundtrip,0,1,,,18446744073709551615,8,,,,0,0,1", 17, "up to 1 TiB"),
    ("roundtrip,0,1,,,,8,,,,0,0,1", 17, "\"size\" is empty, but roundtrip requires it"),
    ("roundtrip,,1,,,8,8,,,,0,0,1", 11, "\"i\" is empty"),
    ("roundtrip,0,,,,8,8,,,,0,0,1", 13, "\"j\" is empty"),
    ("roundtrip,0,-1,,,8,8,,,,0,0,1", 13, "\"-1\" is not the number of a processor"),
    (
        "roundtrip,0,4000000000,,,8,8,,,,0,0,1",
        13,
        "\"4000000000\" is not the number of a processor",
    ),
    ("roundtrip,1,1,,,8,8,,,,0,0,1", 13, "processor 1 appears twice"),
    ("one-to-two,0,1,1,,8,0,,,,0,0,1", 16, "processor 1 appears twice"),
    ("one-to-two,0,1,,,8,0,,,,0,0,1", 16, "\"k\" is empty"),
    ("scatter/linear,16,,,16,8,,,,,0,0,1", 16, "root 16 is not among 16"),
    ("scatter/linear,0,,,0,8,,,,,0,0,1", 20, "\"0\" is not a number of processors"),
    ("scatter/linear,0,,,,8,,,,,0,0,1", 20, "\"procs\" is empty"),
    (",0,1,,,8,8,,,,0,0,1", 1, "\"experiment\" is empty"),
    ("\"roundtrip,0,1,,,8,8,,,,0,0,1", 1, "not closed"),
    ("\"roundtrip\"x,0,1,,,8,8,,,,0,0,1", 12, "a comma must follow"),
    ("roundtrip,0,1,,,8,8,,,\0,0,0,1", 1, "UTF-8"),
];

#[test]
fn invalid_rows_are_rejected_with_their_position() {
    for (row, column, words) in BROKEN_ROWS {
        let text = format!("# format: orrery-samples 1\n{HEADER}\n{row}\n");
        let error = parse(&text, "samples.csv").unwrap_err().to_string();
        assert!(error.starts_with(&format!("samples.csv:3:{column}: ")), "{row}: {error}");
        assert!(error.contains(words), "{row}: {error}");
    }
}

#[test]
fn invalid_files_are_rejected() {
    let cases: &[(&[u8], &str)] = &[
        (b"", "f: the file is empty"),
        (b"\x7fELF\x02\x01\x01\0\0\0", "f: this is not text"),
        (b"a\xff\nb\n", "f:1:1: this is not text"),
        (b"# format: orrery-samples 1\n# machine: sim\n", "f: there is no line of column names"),
        (b"# format: orrery-samples 1\nexperiment,i", "f: there is no line of column names"),
        (b"# format: orrery-samples 2\n", "f:1:1: the format is \"orrery-samples 2\""),
        (b"0,1,4096,0.1\n", "f:1:1: there is no line of column names"),
        (b"{\n", "f:1:1: this does not look like a samples file"),
        (b"{\"format\":1}", "f:1:1: this does not look like a samples file"),
        (b"experiment,i,j,size\n", "f:1:1: there is no column \"seconds\""),
        (b"i,j,size,seconds\n", "f:1:1: there is no column \"experiment\""),
        (b"experiment,i,j,size,i,seconds\n", "f:1:21: column \"i\" is named twice"),
    ];
    for (content, words) in cases {
        let error = parse(content, "f").unwrap_err().to_string();
        assert!(error.starts_with(words), "{error}");
    }
    let error = read("/no/such/file.csv").unwrap_err().to_string();
    assert!(error.starts_with("/no/such/file.csv: cannot read the samples file: "), "{error}");
}

#[test]
fn unreadable_values_are_not_written() {
    let bad = [
        sample(round_trip(0, 1, 8), 0, f64::NAN),
        sample(round_trip(0, 1, 8), 0, f64::INFINITY),
        sample(round_trip(0, 1, 8), 0, -1.0),
        sample(round_trip(1, 1, 8), 0, 1.0),
        sample(round_trip(0, 1, u64::MAX), 0, 1.0),
    ];
    for bad in bad {
        let mut samples = Samples::default();
        samples.push(bad);
        assert!(to_text(&samples).is_err(), "{bad:?}");
    }
    for key in ["", "a: b", "a\nb", " a", "format", "#a"] {
        let error = to_text(&Samples::new(Provenance::new().with(key, "x"))).unwrap_err();
        assert!(
            error.to_string().contains("cannot be a key of the provenance"),
            "{key:?}: {error}"
        );
    }
}

#[test]
fn a_file_without_format_line_is_read_with_a_warning() {
    let loaded = parse("experiment,i,j,size,seconds\nroundtrip,0,1,8,1e-5\n", "f").unwrap();
    assert_eq!(loaded.samples.count(), 1);
    assert_eq!(
        loaded.warnings,
        [Warning::NoFormat { path: Path::new("f").into(), format: "orrery-samples 1" }]
    );
}

fn any_operation() -> impl Strategy<Value = (CollectiveKind, Algorithm)> {
    prop::sample::select(orrery::measure::CollectiveDesign::usual(&CollectiveKind::ALL))
}

fn any_experiment() -> impl Strategy<Value = Experiment> {
    let size = || prop_oneof![0..100_000_u64, Just(1 << 40)].prop_map(Bytes::new);
    let processors = || Just((0..40).map(Processor).collect::<Vec<_>>()).prop_shuffle();
    let few = (processors(), size(), size(), 0..5_usize).prop_map(|(p, size, reply, which)| {
        let (i, j, k) = (p[0], p[1], p[2]);
        [
            Experiment::RoundTrip { i, j, size, reply },
            Experiment::OneToTwo { i, j, k, size },
            Experiment::TwoToOne { i, j, k, size },
            Experiment::SendReceive { i, j, k, size },
            Experiment::Exchange { i, j, size },
        ][which]
    });
    let kinds = prop::sample::select(&TrainKind::ALL[..]);
    let train = (processors(), size(), size(), kinds, 1..1_000_000_u32, 0..1_000_000_000_000_u64)
        .prop_map(|(p, size, reply, kind, count, delay)| {
            let reply = if kind == TrainKind::Prtt { reply } else { Bytes::ZERO };
            let delay = if kind == TrainKind::Gap { 0 } else { delay };
            let train = Train { kind, size, reply, count, delay };
            Experiment::Train { i: p[0], j: p[1], train }
        });
    let collective =
        (1..2000_usize, any::<prop::sample::Index>(), any_operation(), size(), 0..6_usize)
            .prop_map(|(procs, root, (kind, algorithm), size, library)| {
                let root = Processor(if kind.has_root() { root.index(procs) as u32 } else { 0 });
                if library > 2 {
                    return Experiment::Collective { kind, algorithm, root, procs, size };
                }
                let algorithm = LibraryAlgorithm::Scheduled(algorithm);
                let library = Library::ALL.get(library);
                let algorithm = library.map(|&library| NativeAlgorithm { library, algorithm });
                Experiment::Native { kind, algorithm, root, procs, size }
            });
    prop_oneof![5 => few, 1 => train, 2 => collective]
}

fn any_time() -> impl Strategy<Value = f64> {
    prop_oneof![
        1e-7..1e-2_f64,
        any::<f64>().prop_filter_map("a time", |t| t.is_finite().then(|| t.abs()))
    ]
}

fn any_samples() -> impl Strategy<Value = Samples> {
    let entry = ("[a-zA-Z_éß][a-zA-Z_ ./-]{0,8}[a-zA-Z_]", any::<String>());
    let sample = (any_experiment(), any::<u32>(), any::<u32>(), any_time());
    (prop::collection::vec(entry, 0..5), prop::collection::vec(sample, 0..40)).prop_map(
        |(entries, rows)| {
            let mut provenance = Provenance::new();
            for (key, value) in entries {
                provenance.set(key, value);
            }
            let mut samples = Samples::new(provenance);
            for (experiment, launch, rep, seconds) in rows {
                samples.push(Sample { experiment, launch, rep, seconds: Seconds::new(seconds) });
            }
            samples
        },
    )
}

proptest! {
    #[test]
    fn written_text_reads_back(samples in any_samples()) {
        let text = to_text(&samples).unwrap();
        let loaded = parse(&text, "f").unwrap();
        prop_assert_eq!(&loaded.samples, &samples);
        // Any finite time is read, also one that is too long for its message.
        let is_expected = |warning: &Warning| matches!(warning, Warning::ImplausibleTimes { .. });
        prop_assert!(loaded.warnings.iter().all(is_expected), "{:?}", loaded.warnings);
        prop_assert_eq!(to_text(&loaded.samples).unwrap(), text);
    }

    #[test]
    fn truncated_files_are_read_or_rejected(samples in any_samples(), cut in any::<prop::sample::Index>()) {
        let text = to_text(&samples).unwrap().into_bytes();
        let cut = cut.index(text.len() + 1);
        match parse(&text[..cut], "f") {
            Ok(loaded) => prop_assert!(loaded.samples.count() <= samples.count()),
            Err(error) => {
                let kind = error.fault().map(Fault::kind);
                prop_assert!(
                    matches!(kind, Some(FaultKind::NoHeader | FaultKind::Empty)),
                    "{}",
                    error
                );
            }
        }
    }

    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&bytes, "f");
        let mut magic = vec![0x28, 0xb5, 0x2f, 0xfd];
        magic.extend(&bytes);
        let _ = parse(&magic, "f");
    }

    #[test]
    fn mutated_files_do_not_panic(
        samples in any_samples(),
        compress in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = to_text(&samples).unwrap().into_bytes();
        if compress {
            bytes = zstd::bulk::compress(&bytes, 1).unwrap();
        }
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(loaded) = parse(&bytes, "f") {
            // Whatever is read can be written and read again.
            let again = parse(to_text(&loaded.samples).unwrap(), "f").unwrap();
            prop_assert_eq!(again.samples.count(), loaded.samples.count());
        }
    }
}

#[test]
fn only_unknown_timing_methods_are_reported() {
    let warnings = |timing: &str| {
        let text = format!(
            "# format: orrery-samples 1\n# timing: \
                {timing}\nexperiment,i,j,size,seconds\nroundtrip,0,1,8,1e-5\n"
        );
        let loaded = parse(text, "s.csv").unwrap();
        loaded.warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let warned = warnings("fastest: collectives by the fastest rank");
    assert_eq!(warned.len(), 1, "{warned:?}");
    let parts = ["s.csv:2: ", "fastest: collectives by the fastest rank", "max, root, global"];
    assert!(parts.iter().all(|part| warned[0].contains(part)), "{warned:?}");
    for known in [
        "max: collectives by maximum over the ranks, own clocks",
        "root: collectives by clock of the root",
        "global: collectives by one clock",
        "maximum over the ranks, own clocks",
        "means of a benchmark: each reading is the mean of 1000 iterations",
    ] {
        assert_eq!(warnings(known), [] as [String; 0], "{known}");
    }
}
