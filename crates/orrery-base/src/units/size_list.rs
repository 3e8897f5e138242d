use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Bytes, UnitError};

/// A list of sizes in the notation of the command line: `1K..1M` doubles, `1K..1M:4K` has steps of
/// 4K; commas separate parts.
///
/// ```
/// use orrery_base::units::{Bytes, SizeList};
/// let sizes: SizeList = "0,1K..4K,10K..12K:1K".parse()?;
/// let kib: Vec<f64> = sizes.iter().map(|s| s.get() as f64 / 1024.0).collect();
/// assert_eq!(kib, [0.0, 1.0, 2.0, 4.0, 10.0, 11.0, 12.0]);
/// # Ok::<(), orrery_base::units::UnitError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Bytes>")]
pub struct SizeList(Vec<Bytes>);

/// The largest number of sizes of a list; longer lists are probably typing errors.
const MAX_SIZES: usize = 100_000;

impl SizeList {
    /// Returns the sizes, ascending, without repetitions.
    pub fn iter(&self) -> impl Iterator<Item = Bytes> + '_ {
        self.0.iter().copied()
    }

    /// Returns the sizes as a slice, ascending, without repetitions.
    pub fn as_slice(&self) -> &[Bytes] {
        &self.0
    }
}

impl FromIterator<Bytes> for SizeList {
    fn from_iter<I: IntoIterator<Item = Bytes>>(sizes: I) -> Self {
        let mut list: Vec<Bytes> = sizes.into_iter().collect();
        list.sort_unstable();
        list.dedup();
        Self(list)
    }
}

impl From<Vec<Bytes>> for SizeList {
    fn from(sizes: Vec<Bytes>) -> Self {
        sizes.into_iter().collect()
    }
}

impl FromStr for SizeList {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let mut sizes = Vec::new();
        for part in text.split(',') {
            range(text, part.trim(), &mut sizes)?;
        }
        Ok(sizes.into_iter().collect())
    }
}

/// Appends to `sizes` those of one part of the list, a size or a range; `text` is the whole list,
/// for the error.
fn range(text: &str, part: &str, sizes: &mut Vec<Bytes>) -> Result<(), UnitError> {
    let fail = |reason: &str| UnitError {
        text: text.to_owned(),
        expected: "sizes, such as 4K, 1K..1M (doubling), 1K..1M:4K (stepping) or a list with \
            commas",
        reason: reason.to_owned(),
    };
    let Some((from, rest)) = part.split_once("..") else {
        sizes.push(part.parse()?);
        return Ok(());
    };
    let (to, step) = match rest.split_once(':') {
        Some((to, step)) => (to, Some(step.parse::<Bytes>()?)),
        None => (rest, None),
    };
    let (from, to): (Bytes, Bytes) = (from.parse()?, to.parse()?);
    if from > to {
        return Err(fail("the range ends before it begins"));
    }
    if step == Some(Bytes::ZERO) {
        return Err(fail("a step of 0 never ends"));
    }
    let mut size = from;
    while size <= to {
        sizes.push(size);
        if sizes.len() > MAX_SIZES {
            return Err(fail("that is more than 100,000 sizes"));
        }
        let next = match step {
            Some(step) => size.get().checked_add(step.get()),
            None => size.get().max(1).checked_mul(if size == Bytes::ZERO { 1 } else { 2 }),
        };
        match next {
            Some(next) => size = Bytes::new(next),
            None => break,
        }
    }
    Ok(())
}

impl fmt::Display for SizeList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&words.join(","))
    }
}
