//! Samples that the service refuses for good, in a file beside the store.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::sample::Sample;

/// The size in bytes beyond which the file becomes the old one and a new one is begun.
pub const MAX_DISCARDED_BYTES: u64 = 1 << 20;

/// The end of the name of the file.
const END: &str = ".discarded.jsonl";

/// The end of the name of the old file.
const OLD_END: &str = ".discarded.old.jsonl";

/// A file with discarded samples, one in a line of JSON: series, time, value, and the reason of the
/// service. The samples before the last ones are in an old file, and those before it nowhere.
#[derive(Debug)]
pub struct Discarded {
    path: PathBuf,
    old: PathBuf,
}

impl Discarded {
    /// The file beside a store; it is created with the first sample.
    pub fn beside(store: &Path) -> Self {
        let with = |end| {
            let mut name = store.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        Self { path: with(END), old: with(OLD_END) }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends samples; they are on the disk when it returns.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if they cannot be written.
    pub fn append(&self, samples: &[Sample], reason: &str) -> io::Result<()> {
        let mut lines = String::new();
        for Sample { series, time, value } in samples {
            let (series, time) = (series.to_string(), time.seconds().get());
            let line = json!({"series": series, "time": time, "value": value, "reason": reason});
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
        let mut file = self.open()?;
        if file.metadata()?.len() + lines.len() as u64 > MAX_DISCARDED_BYTES {
            std::fs::rename(&self.path, &self.old)?;
            file = self.open()?;
        }
        file.write_all(lines.as_bytes())?;
        file.sync_data()
    }

    fn open(&self) -> io::Result<File> {
        OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;
    use crate::timestamp::Timestamp;

    #[test]
    fn the_file_is_bounded_and_private() {
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let discarded = Discarded::beside(&folder.path().join("series.db"));
        let series: crate::name::SeriesName = "a/load".parse().expect("it is valid");
        let one = |number: i64| Sample {
            series: series.clone(),
            time: Timestamp::from_micros(number * 1_000_000),
            value: 0.5,
        };
        let reason = "x".repeat(10_000);
        for number in 0..300 {
            discarded.append(&[one(number)], &reason).expect("there is space");
        }
        let text = std::fs::read_to_string(discarded.path()).expect("it is there");
        let last = text.lines().last().expect("it has a line");
        assert!(last.contains(r#""series":"a/load""#) && last.contains(r#""time":299.0"#));
        let mut files = 0;
        for file in std::fs::read_dir(folder.path()).expect("it is readable") {
            let metadata = file.and_then(|file| file.metadata()).expect("it is readable");
            assert!(metadata.len() <= MAX_DISCARDED_BYTES && metadata.mode() & 0o777 == 0o600);
            files += 1;
        }
        assert_eq!(files, 2);
    }
}
