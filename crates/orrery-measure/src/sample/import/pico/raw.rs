//! Files of single readings: one line for each iteration with the maximum over the ranks and, if
//! recorded, the time of each rank, in nanoseconds. The name of the file contains the number of
//! elements, the algorithm, perhaps the size of segments, and the type.

use std::path::Path;

use super::names;
use crate::sample::import::invalid_value;
use orrery_base::file::{Fault, Result, lines};

/// The part of the iterations, from the first on, that PICO discards as warm-up. Source:
/// plot/summarize_data.py of PICO.
const WARM_UP: f64 = 0.2;

/// The largest number of elements.
const MAX_ELEMENTS: u64 = 1 << 40;

/// The content of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RawFile {
    pub(super) algorithm: String,
    /// The size of the whole buffer in bytes.
    pub(super) bytes: u64,
    /// The bytes of an element.
    pub(super) element: u64,
    /// The number of ranks, if their times are recorded.
    pub(super) ranks: Option<usize>,
    /// The times after the warm-up.
    pub(super) nanoseconds: Vec<f64>,
}

/// Returns true for the first line of such a file.
pub(super) fn is_header(line: &str) -> bool {
    line.trim_end().split(',').next() == Some("highest")
}

impl RawFile {
    /// Parses a file.
    pub(super) fn of(text: &str, path: &Path) -> Result<Self> {
        let (algorithm, elements, element) = name(path).ok_or_else(|| {
            Fault::new(
                "the name of this file does not contain its size, algorithm and type, such as \
                    1048576_ring_ompi_int32.csv; restore its name",
            )
            .at(0)
        })?;
        let header = text.lines().next().unwrap_or_default();
        let ranks = Some(header.trim_end().split(',').count() - 1).filter(|ranks| *ranks > 0);
        let mut nanoseconds = Vec::new();
        for (start, line, _) in lines(text).skip(1).filter(|(.., is_whole)| *is_whole) {
            let first = line.split(',').next().unwrap_or_default().trim();
            let time = first.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
            nanoseconds.push(time.ok_or_else(|| {
                let expected = "a time in nanoseconds, such as 4120";
                Fault::new(invalid_value("highest", first, expected)).at(start)
            })?);
        }
        let warm_up = (nanoseconds.len() as f64 * WARM_UP) as usize;
        nanoseconds.drain(..warm_up);
        Ok(Self { algorithm, bytes: elements.saturating_mul(element), element, ranks, nanoseconds })
    }
}

/// The algorithm, the number of elements and the bytes of one in the name of a file; `None` for
/// names of another form.
fn name(path: &Path) -> Option<(String, u64, u64)> {
    let stem = path.file_stem()?.to_str()?;
    let (elements, rest) = stem.split_once('_')?;
    let (algorithm, element) = rest.rsplit_once('_')?;
    let elements = elements.parse().ok().filter(|elements| *elements <= MAX_ELEMENTS)?;
    Some((algorithm.to_owned(), elements, names::element(element)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_contain_the_size() {
        let expected = Some(("bine_bdw_over_16384".to_owned(), 64, 4));
        assert_eq!(name(Path::new("3/64_bine_bdw_over_16384_int32.csv")), expected);
        assert_eq!(name(Path::new("alloc.csv")), None);
        assert_eq!(name(Path::new("64_ring_over_uint128.csv")), None);
    }

    #[test]
    fn the_first_fifth_is_discarded() {
        let text = "highest,rank0,rank1\n9000,9000,1\n1,1,1\n2,2,1\n3,3,1\n4,4,1\n5";
        let file = RawFile::of(text, Path::new("8_ring_ompi_int32.csv")).unwrap();
        assert_eq!(
            (file.ranks, file.bytes, &file.nanoseconds[..]),
            (Some(2), 32, &[1.0, 2.0, 3.0, 4.0][..])
        );
    }
}
