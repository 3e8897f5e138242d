//! Files that campaigns write: locks, and changes by other programs.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use orrery::file::{FileChange, FileError};
use orrery::platform::Processor;
use orrery::run::file::RunsWriter;
use orrery::run::{Run, Runs};
use orrery::sample::file::{self, TimingsWriter, Writer};
use orrery::sample::{
    Experiment, NodeMessage, Provenance, Repetition, Sample, TimingRow, TimingSubject, Timings,
};
use orrery::units::{Bytes, Seconds};

fn reading(rep: u32) -> Sample {
    let (i, j, size) = (Processor(0), Processor(1), Bytes::new(64));
    let experiment = Experiment::RoundTrip { i, j, size, reply: Bytes::ZERO };
    Sample { experiment, launch: 0, rep, seconds: Seconds::new(1e-5) }
}

fn append_to(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// The change that a campaign reports before its next piece and at its end; the file is not written
/// to.
fn change_after(action: impl Fn(&Path, &Path)) -> (FileChange, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let (path, other) = (folder.join("samples.csv"), folder.join("other.csv"));
    let mut writer = Writer::create(&path, &Provenance::new(), false).unwrap();
    writer.append(&[reading(0)]).unwrap();
    writer.finish().unwrap();
    action(&path, &other);
    let contents = || [fs::read(&path).ok(), fs::read(&other).ok()];
    let before = contents();
    let change = |error: FileError| match error {
        FileError::Changed { change, path: named } if named == path => change,
        other => panic!("{other}"),
    };
    let found = change(writer.append(&[reading(1)]).unwrap_err());
    assert_eq!(change(writer.finish().unwrap_err()), found);
    assert_eq!(contents(), before);
    (found, other)
}

#[test]
fn changes_by_other_programs_are_reported() {
    let length = |path: &Path| fs::metadata(path).unwrap().len();
    assert_eq!(change_after(|path, _| fs::remove_file(path).unwrap()).0, FileChange::Removed);
    assert_eq!(
        change_after(|path, _| append_to(path, "# note\n")).0,
        FileChange::Extended { by: 7 }
    );
    let (change, other) = change_after(|path, other| fs::rename(path, other).unwrap());
    assert_eq!(change, FileChange::Moved { to: Some(other) });
    let (change, other) = change_after(|path, other| {
        fs::rename(path, other).unwrap();
        fs::write(path, "another").unwrap();
    });
    assert_eq!(change, FileChange::Moved { to: Some(other) });
    let replaced = change_after(|path, other| {
        fs::copy(path, other).unwrap();
        fs::rename(other, path).unwrap();
    });
    assert_eq!(replaced.0, FileChange::Replaced);
    let (change, _) = change_after(|path, _| fs::write(path, "").unwrap());
    assert!(matches!(change, FileChange::Truncated { from, to: 0 } if from > 0), "{change:?}");
    let (change, _) = change_after(|path, _| {
        let half = length(path) / 2;
        OpenOptions::new().write(true).open(path).unwrap().set_len(half).unwrap();
    });
    assert!(matches!(change, FileChange::Truncated { from, to } if to == from / 2), "{change:?}");
}

#[test]
fn declared_schemes_replace_no_readings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("timings.csv");
    let message = NodeMessage { source: 0, destination: 1, size: Bytes::new(64) };
    let declared = TimingRow {
        subject: TimingSubject::Concurrent {
            scheme: "two".into(),
            communication: "a".into(),
            message,
            delay: Seconds::ZERO,
        },
        reading: None,
    };
    let reading = Some(Repetition { launch: 0, rep: 0, seconds: Seconds::new(1e-5) });
    let measured = TimingRow { reading, ..declared.clone() };
    let old = "# format: orrery-timings 1\n";
    fs::write(&path, old).unwrap();
    let mut writer = TimingsWriter::create(&path, &Provenance::new(), true).unwrap();
    writer.append(&[declared]).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), old);
    writer.append(&[measured]).unwrap();
    writer.finish().unwrap();
    assert_eq!(file::read_table::<Timings>(&path).unwrap().samples.count(), 1);
}

#[test]
fn a_campaign_writes_through_links() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("samples.csv"), folder.path().join("link.csv"));
    symlink("samples.csv", &link).unwrap();
    let nothing = Writer::create(&link, &Provenance::new(), false).unwrap_err().to_string();
    assert!(nothing.contains("link to a file that does not exist"), "{nothing}");
    fs::write(&path, "").unwrap();
    Writer::create(&link, &Provenance::new(), false)
        .unwrap()
        .append(&[reading(0), reading(1)])
        .unwrap();
    let mut writer = Writer::create(&link, &Provenance::new(), true).unwrap();
    writer.append(&[reading(0)]).unwrap();
    writer.append(&[reading(1), reading(2)]).unwrap();
    writer.finish().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(file::read(&path).unwrap().samples.count(), 3);
}

#[test]
fn a_runs_file_has_one_campaign() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.json");
    let mut runs = Runs::default();
    let run = || Run::new(Seconds::new(1.0));
    let locked = |result: Result<RunsWriter, FileError>| {
        matches!(result.unwrap_err(), FileError::InUse { .. })
    };

    let first = RunsWriter::create(&path, false).unwrap();
    assert!(locked(RunsWriter::create(&path, true)));
    drop(first);
    assert!(!path.exists(), "a campaign without runs leaves no file");

    let mut first = RunsWriter::create(&path, false).unwrap();
    for _ in 0..2 {
        runs.runs.push(run());
        first.write(&runs).unwrap();
        assert!(locked(RunsWriter::create(&path, true)));
        assert!(locked(RunsWriter::resume(&path).map(|(writer, _)| writer)));
    }
    drop(first);
    assert_eq!(RunsWriter::resume(&path).unwrap().1, runs);
    assert!(matches!(RunsWriter::create(&path, false).unwrap_err(), FileError::Exists { .. }));

    let mut second = RunsWriter::create(&path, true).unwrap();
    assert_eq!(
        orrery::run::file::read(&path).unwrap(),
        runs,
        "the old runs stay until there are new ones"
    );
    orrery::run::file::write(&path, &runs, true).unwrap();
    let error = second.write(&Runs::default()).unwrap_err();
    assert!(matches!(error, FileError::Changed { change: FileChange::Replaced, .. }), "{error}");
    assert_eq!(orrery::run::file::read(&path).unwrap(), runs);
}
