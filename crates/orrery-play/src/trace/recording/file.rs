//! Recorded runs on disk: a folder with a file for each rank.

use std::fs;
use std::path::{Path, PathBuf};

use super::rank::RankRecording;
use orrery_base::file::{Fault, FaultKind, FileError, read};

/// The extension of the file of a rank.
pub const EXTENSION: &str = "orre";

/// The name of such a run in errors.
const FORMAT: &str = "recorded run";

/// The name of the file of a rank.
///
/// ```
/// assert_eq!(orrery_play::trace::recording::file::name(12), "rank-12.orre");
/// ```
pub fn name(rank: u32) -> String {
    format!("rank-{rank}.{EXTENSION}")
}

/// The rank whose file has this name; `None` for other files.
fn rank_of(path: &Path) -> Option<u32> {
    let digits = path.file_name()?.to_str()?.strip_prefix("rank-")?.strip_suffix(".orre")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The files of ranks in a folder, by rank.
///
/// # Errors
///
/// A folder that cannot be read.
pub fn paths(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let system = FileError::system(folder, FORMAT, "read");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(&system)? {
        let path = entry.map_err(&system)?.path();
        found.extend(rank_of(&path).map(|rank| (rank, path)));
    }
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Calls `take` with each rank of a folder in order, one at a time; returns the number of ranks of
/// the run. Ranks that were killed before they recorded anything are left out, as those without a
/// file.
///
/// # Errors
///
/// A folder without recorded ranks, a file that cannot be read, files of different runs, and errors
/// of `take`.
pub fn for_each(
    folder: &Path,
    mut take: impl FnMut(RankRecording) -> Result<(), FileError>,
) -> Result<u32, FileError> {
    let mut expected = None;
    for path in paths(folder)? {
        let content = read(&path, FORMAT)?;
        // The first byte of the head is written last: the rank was killed before it recorded.
        if content.first().is_none_or(|&first| first == 0) {
            continue;
        }
        let rank = RankRecording::new(content, &path.display().to_string())?;
        let ranks = rank.header.ranks;
        let expected = *expected.get_or_insert(ranks);
        if ranks != expected || rank_of(&path) != Some(rank.header.rank) {
            let fault = format!(
                "this is rank {} of {ranks}, but the first file is of a run of {expected} ranks; \
                    remove the files of other runs",
                rank.header.rank
            );
            return Err(FileError::whole(&path, fault.into()));
        }
        take(rank)?;
    }
    expected.ok_or_else(|| {
        let fault = Fault::new("no rank has recorded its calls here").of_kind(FaultKind::NoRecord);
        FileError::whole(folder, fault)
    })
}

/// Reads all ranks of a folder.
///
/// # Errors
///
/// As [`for_each`], and ranks without a record.
pub fn load(folder: &Path) -> Result<Vec<RankRecording>, FileError> {
    let mut ranks = Vec::new();
    let expected = for_each(folder, |rank| {
        ranks.push(rank);
        Ok(())
    })?;
    if ranks.len() < expected as usize {
        let missing = (0..expected)
            .find(|&rank| ranks.get(rank as usize).is_none_or(|one| one.header.rank != rank));
        let problem = format!(
            "{} of {expected} ranks have recorded their calls; {} is missing or has no record, copy \
                it from its host or record the run again",
            ranks.len(),
            name(missing.unwrap_or_default())
        );
        return Err(FileError::whole(folder, problem.into()));
    }
    Ok(ranks)
}

/// The number of bytes of the files of all ranks in a folder.
///
/// # Errors
///
/// A folder or a file that cannot be read.
pub fn total_bytes(folder: &Path) -> Result<u64, FileError> {
    let size = |path: PathBuf| {
        fs::metadata(&path)
            .map(|found| found.len())
            .map_err(FileError::system(&path, FORMAT, "read"))
    };
    paths(folder)?.into_iter().map(size).sum()
}
