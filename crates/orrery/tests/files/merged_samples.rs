//! Samples of several launches in one file, and readings that newer ones replace.

use orrery::platform::Processor;
use orrery::sample::{
    Experiment, JoinRemark, Joined, Merged, Provenance, REMEASURED, Sample, Samples, file, join,
    machine_differences, merge, supersede,
};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, Seconds};

fn round_trip(i: u32, j: u32) -> Experiment {
    Experiment::RoundTrip {
        i: Processor(i),
        j: Processor(j),
        size: Bytes::ZERO,
        reply: Bytes::ZERO,
    }
}

/// A launch with these times of each experiment.
fn launch(
    provenance: Provenance,
    number: u32,
    experiments: &[Experiment],
    times: &[f64],
) -> Samples {
    let mut samples = Samples::new(provenance);
    add(&mut samples, number, experiments, times);
    samples
}

fn add(samples: &mut Samples, launch: u32, experiments: &[Experiment], times: &[f64]) {
    for &experiment in experiments {
        for (rep, &time) in (0..).zip(times) {
            samples.push(Sample { experiment, launch, rep, seconds: Seconds::new(time) });
        }
    }
}

fn on(date: &str) -> Provenance {
    Provenance::new().with("hosts", "a b c").with("date", date).with("machine", "mpi")
}

/// The launches and times of an experiment.
fn times(samples: &Samples, experiment: Experiment) -> Vec<(u32, f64)> {
    let readings = samples.get(&experiment).map_or(&[][..], |series| &series.readings);
    readings.iter().map(|reading| (reading.launch, reading.seconds.get())).collect()
}

#[test]
fn launches_are_numbered_anew_with_their_provenance() {
    let trip = round_trip(0, 1);
    let mut monday = launch(on("Monday"), 0, &[trip], &[1.0]);
    add(&mut monday, 3, &[trip], &[2.0]);
    let tuesday = launch(on("Tuesday").with("hosts", "a b c d"), 0, &[trip], &[3.0, 4.0]);
    let Merged { samples, launches, duplicates } = merge(&[monday, tuesday]).unwrap();
    assert_eq!((launches, duplicates), (3, 0));
    assert_eq!(times(&samples, trip), [(0, 1.0), (1, 2.0), (2, 3.0), (2, 4.0)]);
    let provenance = &samples.provenance;
    assert_eq!(
        (provenance.get("machine"), provenance.get("hosts")),
        (Some("mpi"), Some("a b c d"))
    );
    assert_eq!(provenance.get("date"), None);
    assert_eq!(
        [0, 1, 2].map(|launch| provenance.of_launch(launch, "date")),
        ["Monday", "Monday", "Tuesday"].map(Some)
    );
    // What was merged can be written, read and merged again.
    let text = file::to_text(&samples).unwrap();
    assert!(text.contains("\n# launch-2 date: Tuesday\n"), "{text}");
    let read = file::parse(text, "merged.csv").unwrap().samples;
    assert_eq!(read, samples);
    let wednesday = launch(on("Wednesday"), 0, &[trip], &[5.0]);
    let Merged { samples, launches, .. } = merge(&[wednesday, read]).unwrap();
    assert_eq!(launches, 4);
    let dates: Vec<_> =
        (0..4).map(|launch| samples.provenance.of_launch(launch, "date").unwrap()).collect();
    assert_eq!(dates, ["Wednesday", "Monday", "Monday", "Tuesday"]);
}

#[test]
fn a_launch_that_occurs_twice_counts_once() {
    let (trip, other) = (round_trip(0, 1), round_trip(0, 2));
    let copy = launch(on("Monday"), 0, &[trip], &[1.0, 2.0]);
    // The file from which the copy was made has grown.
    let mut grown = launch(on("Monday"), 0, &[trip], &[1.0, 2.0, 3.0]);
    add(&mut grown, 0, &[other], &[4.0]);
    for parts in [[copy.clone(), grown.clone()], [grown, copy]] {
        let Merged { samples, launches, duplicates } = merge(&parts).unwrap();
        assert_eq!((launches, duplicates, samples.count()), (1, 2, 4));
        assert_eq!(times(&samples, trip), [(0, 1.0), (0, 2.0), (0, 3.0)]);
    }
    // Another launch with the same number, of which one reading agrees by chance.
    let chance = launch(on("Tuesday"), 0, &[trip], &[1.0, 7.0]);
    let first = launch(on("Monday"), 0, &[trip], &[1.0, 2.0]);
    assert_eq!(
        merge(&[first, chance]).map(|merged| (merged.launches, merged.duplicates)),
        Ok((2, 0))
    );
}

#[test]
fn timing_methods_are_not_mixed() {
    let collective = Experiment::Collective {
        kind: CollectiveKind::Scatter,
        algorithm: Algorithm::Linear,
        root: Processor(0),
        procs: 3,
        size: Bytes::new(8),
    };
    let by = |timing: &str| Provenance::new().with("timing", timing);
    let points = launch(by("max: "), 0, &[round_trip(0, 1)], &[1.0]);
    let (root, global) = (
        launch(by("root: "), 0, &[collective], &[1.0]),
        launch(by("global: "), 0, &[collective], &[1.0]),
    );
    let merged = merge(&[points, root.clone()]).unwrap();
    assert_eq!(merged.samples.provenance.timing(), root.provenance.timing());
    let error = merge(&[root, global]).unwrap_err().to_string();
    assert_eq!(
        error,
        "its collectives are timed by global, those before it by root; leave it out, and merge \
            those of each timing method by themselves"
    );
    assert_eq!(merge(&[]).map(|merged| merged.launches), Ok(0));
}

/// A whole campaign and a later one of host c, which does not repeat the round trip 1-2 and has no
/// collective.
fn old_and_new(old_date: &str, new_date: &str) -> (Samples, Samples) {
    let all = [round_trip(0, 1), round_trip(0, 2), round_trip(1, 2)];
    let date = |text: &str| {
        if text.is_empty() { Provenance::new().with("hosts", "a b c") } else { on(text) }
    };
    let mut old = launch(date(old_date), 0, &all, &[1.0]);
    let native = Experiment::Native {
        kind: CollectiveKind::Scatter,
        algorithm: None,
        root: Processor(0),
        procs: 3,
        size: Bytes::new(8),
    };
    add(&mut old, 0, &[native], &[1.0]);
    (old, launch(date(new_date).with(REMEASURED, "c"), 0, &all[1..2], &[2.0]))
}

#[test]
fn remeasured_hosts_replace_older_readings_in_any_order() {
    for (old_date, new_date) in [("2026-01-01", "2026-02-01"), ("", "")] {
        let (old, new) = old_and_new(old_date, new_date);
        for (parts, whole) in [(vec![old.clone(), new.clone()], 0), (vec![new, old], 1)] {
            let provenance = parts[whole].provenance.clone();
            let Joined { samples, superseded, remarks } = join(parts);
            assert_eq!((superseded.replaced, superseded.dropped), (1, 1));
            assert_eq!(superseded.hosts.into_iter().collect::<Vec<_>>(), ["c"]);
            // The round trip 0-1, the collective, and the new reading.
            assert_eq!((samples.count(), times(&samples, round_trip(0, 2))), (3, vec![(0, 2.0)]));
            assert_eq!((samples.provenance, remarks), (provenance, Vec::new()));
        }
    }
}

#[test]
fn remarks_of_joined_files_name_the_file() {
    let (old, _) = old_and_new("", "");
    let mut other = old.clone();
    other.provenance.set("hosts", "a b x");
    let readings = old.count();
    assert_eq!(
        join(vec![old.clone(), other.clone()]).remarks,
        [(1, JoinRemark::Duplicates(readings))]
    );
    let differences = machine_differences(&[old.clone(), old.clone(), other.clone(), old]);
    let files: Vec<usize> = differences.iter().map(|(file, _)| *file).collect();
    assert_eq!(files, [2]);
}

#[test]
fn a_later_campaign_is_not_replaced() {
    let (old, new) = old_and_new("2026-03-01", "2026-02-01");
    let mut parts = [old, new];
    assert_eq!(supersede(&mut parts).replaced, 0);
    assert_eq!(parts[0].count() + parts[1].count(), 5);
    // The later of two remeasurements counts.
    let (old, first) = old_and_new("2026-01-01", "2026-02-01");
    let second = launch(on("2026-02-02").with(REMEASURED, "c"), 0, &[round_trip(0, 2)], &[3.0]);
    let mut parts = [second, old, first];
    supersede(&mut parts);
    let all: Vec<_> = parts.iter().flat_map(|part| times(part, round_trip(0, 2))).collect();
    assert_eq!(all, [(0, 3.0)]);
}

#[test]
fn merged_files_keep_their_marks() {
    let (old, new) = old_and_new("2026-01-01", "2026-02-01");
    let merged = merge(&[new, old]).unwrap().samples;
    assert_eq!(
        (merged.provenance.get(REMEASURED), merged.provenance.of_launch(0, REMEASURED)),
        (None, Some("c"))
    );
    let mut parts = [merged];
    let superseded = supersede(&mut parts);
    assert_eq!((superseded.replaced, superseded.dropped, parts[0].count()), (1, 1, 3));
    assert_eq!(times(&parts[0], round_trip(0, 2)), [(0, 2.0)]);
}

#[test]
fn samples_without_marks_stay() {
    let (old, _) = old_and_new("", "");
    let mut parts = [old.clone()];
    assert_eq!(supersede(&mut parts), orrery::sample::Superseded::default());
    assert_eq!(parts[0], old);
}
