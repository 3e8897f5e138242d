//! Import of collective operations: sizes, forced algorithms, remarks; real output of the
//! benchmarks up to rules for Open MPI.

use orrery::platform::Processor;
use orrery::sample::import::{Imported, Importer};
use orrery::sample::{Experiment, Library, NativeAlgorithm, PROCESSES_PER_HOST, Samples};
use orrery::schedule::CollectiveKind;
use orrery::tuning::mpi::{Rules, Target, TooFewLaunches, by_samples, open_mpi_rules};

use crate::import::text;

fn importer(procs: usize) -> Importer {
    Importer::new(None, Some(Processor::first(procs).collect()))
}

fn algorithm(name: &str) -> NativeAlgorithm {
    name.parse().unwrap()
}

/// Imports texts by the library's own choice, or by an algorithm.
fn import(procs: usize, texts: &[(&str, Option<&str>)]) -> Imported {
    let mut importer = importer(procs);
    for (place, (text, forced)) in texts.iter().enumerate() {
        let name = format!("file {place}");
        match forced {
            None => importer.add(text, name).unwrap(),
            Some(forced) => importer.add_forced(text, name, algorithm(forced)).unwrap(),
        }
    }
    importer.finish()
}

/// The name, the size and the microseconds of each reading of an operation.
fn readings(samples: &Samples, kind: CollectiveKind) -> Vec<(String, u64, f64)> {
    let of_kind = samples.iter().filter(|reading| {
        matches!(reading.experiment, Experiment::Native { kind: found, root: Processor(0), .. } if found == kind)
    });
    let row = of_kind.map(|reading| {
        let microseconds = (reading.seconds.get() * 1e8).round() / 100.0;
        (reading.experiment.name(), reading.experiment.size().get(), microseconds)
    });
    row.collect()
}

/// The sizes of the readings of an operation.
fn sizes(samples: &Samples, kind: CollectiveKind) -> Vec<u64> {
    readings(samples, kind).into_iter().map(|(_, size, _)| size).collect()
}

fn remarks(imported: &Imported) -> Vec<String> {
    imported.remarks.iter().map(|remark| remark.kind.clone()).collect()
}

#[test]
fn osu_output_of_all_operations_is_imported() {
    let imported = import(4, &[(&text("osu-collectives-7.txt"), None)]);
    let samples = &imported.samples;
    for kind in CollectiveKind::ALL {
        let expected: &[u64] = match kind {
            CollectiveKind::Scan | CollectiveKind::Exscan => &[],
            CollectiveKind::Barrier => &[0],
            // The vector of 4 ranks.
            CollectiveKind::ReduceScatter => &[1, 2, 4, 8, 16],
            _ => &[4, 8, 16, 32, 64],
        };
        assert_eq!(sizes(samples, kind), expected, "{kind}");
        assert!(samples.iter().all(|reading| reading.experiment.procs() == 4));
    }
    // The maximum over the ranks.
    assert_eq!(
        readings(samples, CollectiveKind::Broadcast)[0],
        ("native/bcast".to_owned(), 4, 80.85)
    );
    let found = remarks(&imported);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0]
            .starts_with("OSU MPI Reduce_scatter Latency Test v7.4 is skipped: libraries choose"),
        "{found:?}"
    );
    assert!(
        found[1].starts_with("OSU MPI Non-blocking Allreduce Latency Test v7.4 is skipped: only"),
        "{found:?}"
    );
}

#[test]
fn means_over_the_ranks_are_remarked_once_for_each_benchmark() {
    let log = text("osu-collectives-5.txt");
    let imported = import(4, &[(&log, None), (&log.replace("4.73", "4.74"), None)]);
    assert_eq!(sizes(&imported.samples, CollectiveKind::Broadcast).len(), 2 * 7);
    assert_eq!(
        readings(&imported.samples, CollectiveKind::Barrier),
        vec![("native/barrier".into(), 0, 1040.69); 2]
    );
    let means = imported
        .remarks
        .iter()
        .filter(|remark| remark.kind.contains("only the mean over the ranks"));
    assert_eq!(means.count(), 5);
}

#[test]
fn titles_without_mpi_and_times_at_the_root_are_imported() {
    let old = "# OSU Broadcast Latency Test v3.4\n# Size            Latency \
        (us)\n1                       1.50\n";
    let newer = "# OSU Gather Latency Test v3.6\n# Size       Avg \
        Latency(us)\n1                       2.50\n";
    let imported = import(4, &[(old, None), (newer, None)]);
    assert_eq!(
        readings(&imported.samples, CollectiveKind::Broadcast),
        [("native/bcast".to_owned(), 1, 1.5)]
    );
    assert_eq!(
        readings(&imported.samples, CollectiveKind::Gather),
        [("native/gather".to_owned(), 1, 2.5)]
    );
    assert_eq!(
        remarks(&imported).len(),
        1,
        "the root of the old broadcast waits for the last rank"
    );
}

#[test]
fn options_of_osu_are_known() {
    let imported = import(4, &[(&text("osu-options-7.txt"), None)]);
    assert_eq!(sizes(&imported.samples, CollectiveKind::Allreduce), [4, 8]);
    assert_eq!(imported.samples.count(), 2);
    let found = remarks(&imported);
    assert_eq!(
        found,
        [
            "OSU MPI Allreduce Latency Test v7.4, 16 bytes is skipped: its validation failed",
            "OSU MPI Allreduce Latency Test v7.4 of MPI_INT is skipped: only the first data type of \
                a run is imported; run the benchmark with one data type",
            "OSU MPI Broadcast Latency Test v7.4 is skipped: its data have a derived data type",
        ]
    );
}

#[test]
fn imb_output_of_all_operations_is_imported() {
    let mut importer = Importer::new(None, None).with_processes_per_host(2);
    importer.add(text("imb-collectives-2021.txt"), "imb.txt").unwrap();
    let imported = importer.finish();
    for kind in CollectiveKind::ALL {
        let expected: &[u64] = match kind {
            CollectiveKind::Scan | CollectiveKind::Exscan => &[],
            CollectiveKind::Barrier => &[0],
            _ => &[8, 16],
        };
        assert_eq!(sizes(&imported.samples, kind), expected, "{kind}");
    }
    let found = remarks(&imported);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found[0].starts_with("IMB 2021.11 Reduce_scatter is skipped: libraries choose"),
        "{found:?}"
    );
    assert!(found[1].starts_with("IMB 2021.11 Allgatherv is skipped"), "{found:?}");
    assert_eq!(imported.samples.provenance.get(PROCESSES_PER_HOST), Some("2"));
}

#[test]
fn overlapping_calls_are_remarked_for_operations_that_ranks_leave_early() {
    let found = remarks(&import(4, &[(&text("imb-unsynchronised-2021.txt"), None)]));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with("IMB 2021.11 Bcast: no barrier is between the calls"),
        "{found:?}"
    );
    let old = text("imb-collectives-2021.txt")
        .replace("2021.11", "4.1")
        .replace("-npmin 4", "-npmin 4 -root_shift off");
    let found = remarks(&import(4, &[(&old, None)]));
    let overlapping: Vec<_> = found.iter().filter(|words| words.contains("overlap")).collect();
    assert_eq!(overlapping.len(), 4, "bcast, reduce, scatter and gather: {found:?}");
}

#[test]
fn vectors_are_divided_into_equal_blocks_of_whole_elements() {
    let table = |datatype: &str| {
        let rows = [4, 8, 12, 16, 24].map(|size| format!("{size} 5.00 4.00 6.00 100\n")).concat();
        format!(
            "# OSU MPI Reduce_scatter_block Latency Test v7.4\n# Datatype: {datatype}.\n\
             # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n{rows}"
        )
    };
    let characters = import(3, &[(&table("MPI_CHAR"), None)]);
    assert_eq!(sizes(&characters.samples, CollectiveKind::ReduceScatter), [4, 8]);
    let found = remarks(&characters);
    assert_eq!(
        found,
        ["native/reduce-scatter of 3 processes at 3 sizes from 4 to 16 bytes is skipped: its \
                buffer is not divided into equal blocks"]
    );
    let floats = import(3, &[(&table("MPI_FLOAT"), None)]);
    assert_eq!(sizes(&floats.samples, CollectiveKind::ReduceScatter), [4, 8]);
    let found = remarks(&floats);
    assert!(
        found[0].starts_with(
            "native/reduce-scatter of 3 processes at 2 sizes from 4 to 8 bytes is \
            skipped: the block"
        ),
        "{found:?}"
    );
    assert!(
        found[1]
            .starts_with("native/reduce-scatter of 3 processes at 16 bytes is skipped: its buffer"),
        "{found:?}"
    );
}

#[test]
fn forced_algorithms_run_where_the_library_uses_them() {
    let log = text("osu-collectives-7.txt");
    let imported = import(4, &[(&log, Some("ompi/ring"))]);
    let samples = &imported.samples;
    let names: Vec<String> =
        samples.series().iter().map(|series| series.experiment.name()).collect();
    assert!(names.iter().all(|name| {
        ["native/allreduce/ompi/ring", "native/allgather/ompi/ring"].contains(&&**name)
    }));
    assert_eq!(
        sizes(samples, CollectiveKind::Allreduce),
        [4, 8, 16, 32, 64],
        "4 characters for 4 ranks"
    );
    let skipped =
        imported.remarks.iter().filter(|remark| remark.kind.contains("does not carry it out"));
    assert_eq!(skipped.count(), 7);

    let floats = import(4, &[(&log.replace("MPI_CHAR", "MPI_FLOAT"), Some("ompi/ring"))]);
    assert_eq!(
        sizes(&floats.samples, CollectiveKind::Allreduce),
        [16, 32, 64],
        "one float for each rank"
    );
    let skipped: Vec<String> =
        remarks(&floats).into_iter().filter(|words| words.contains("another algorithm")).collect();
    assert_eq!(
        skipped,
        ["native/allreduce/ompi/ring of 4 processes at 2 sizes from 4 to 8 bytes is skipped: \
                the library uses another algorithm there"]
    );
}

#[test]
fn each_text_has_one_algorithm() {
    let log = text("osu-bcast/linear-1.txt");
    let mut importer = importer(4);
    importer.add_forced(&log, "a.txt", algorithm("ompi/linear")).unwrap();
    importer.add_forced(&log, "again.txt", algorithm("ompi/linear")).unwrap();
    let error = importer.add(&log, "b.txt").unwrap_err().to_string();
    assert_eq!(
        error,
        "b.txt: this is the text of a.txt again, as the times of the library's own choice, not of \
            ompi/linear; give each file once"
    );
    let error = importer.add_forced(&log, "c.txt", algorithm("ompi/bine")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("c.txt: ompi has no algorithm bine; known are binary, binomial"),
        "{error}"
    );
    let error = importer.add_forced(&log, "d.txt", algorithm("pico/linear")).unwrap_err();
    assert_eq!(error.to_string(), "d.txt: pico has no algorithm linear");
    let imported = importer.finish();
    assert_eq!(imported.samples.count(), 5);
    assert!(
        matches!(&imported.warnings[..], [warning] if warning.kind.contains("text of a.txt again"))
    );
}

/// The output of four launches of the OSU benchmark, by the own choice and by some algorithms.
fn broadcasts(algorithms: &[&str]) -> Samples {
    let mut importer = importer(4);
    for launch in 1..=4 {
        importer
            .add(text(&format!("osu-bcast/own-{launch}.txt")), format!("own-{launch}"))
            .unwrap();
        for name in algorithms {
            let forced = algorithm(&format!("ompi/{name}"));
            let file = format!("{name}-{launch}");
            importer.add_forced(text(&format!("osu-bcast/{file}.txt")), file, forced).unwrap();
        }
    }
    let imported = importer.finish();
    assert_eq!((imported.remarks, imported.warnings), (vec![], vec![]));
    imported.samples
}

#[test]
fn output_of_osu_gives_rules_for_open_mpi() {
    let found = by_samples(&broadcasts(&["linear"]), Target::OpenMpi41).unwrap();
    assert_eq!((found.launches, found.too_few), (4, None));
    let text =
        open_mpi_rules(&Rules { target: Target::OpenMpi41, communicators: found.rules }, "of OSU");
    let rules: Vec<&str> = text.lines().filter(|line| line.contains("linear")).collect();
    assert!(
        matches!(rules[..], [rule] if rule.starts_with("512 1 0 0 # linear: 126 µs instead of \
            335 µs")),
        "{text}"
    );
}

#[test]
fn too_few_launches_are_named_with_the_number_that_is_enough() {
    let found = by_samples(&broadcasts(&["linear", "binomial"]), Target::OpenMpi41).unwrap();
    assert_eq!(found.too_few, Some(TooFewLaunches { needed: 5, launches: 4, algorithms: 2 }));
    assert!(found.rules.iter().all(|all| all.rules.iter().all(|rule| rule.algorithm.is_none())));
}

#[test]
fn the_document_lists_the_numbers_of_open_mpi() {
    const PAGE: &str = include_str!("../../../../docs/tuning.md");
    for kind in CollectiveKind::ALL {
        let numbered = Library::OpenMpi.algorithm_names(kind).iter().zip(1..).filter_map(
            |((_, algorithm), number)| algorithm.map(|algorithm| format!("{number} {algorithm}")),
        );
        let row = format!("| {kind} | {} |", numbered.collect::<Vec<_>>().join(", "));
        assert!(PAGE.contains(&row), "docs/tuning.md lacks {row}");
    }
}
