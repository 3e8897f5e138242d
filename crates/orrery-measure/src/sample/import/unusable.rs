use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Remark;
use super::quantity::{Quantity, Unusable};
use orrery_base::units::Bytes;

/// The sizes that are not imported: one remark for each operation, algorithm and reason.
#[derive(Debug, Default)]
pub(super) struct UnusableSizes(BTreeMap<(Unusable, String), Occurrences>);

/// Sizes with the place of the first one.
#[derive(Debug)]
struct Occurrences {
    path: PathBuf,
    line: usize,
    sizes: BTreeSet<Bytes>,
}

impl UnusableSizes {
    /// Adds a size that a line of a file contains.
    pub(super) fn add(
        &mut self,
        reason: Unusable,
        quantity: Quantity,
        size: Bytes,
        (path, line): (&Path, usize),
    ) {
        // What has no data needs no names.
        let words = if reason == Unusable::Empty { String::new() } else { quantity.words() };
        let first = || Occurrences { path: path.to_owned(), line, sizes: BTreeSet::new() };
        self.0.entry((reason, words)).or_insert_with(first).sizes.insert(size);
    }

    /// The remarks, one for each reason and operation.
    pub(super) fn remarks(self) -> impl Iterator<Item = Remark> {
        self.0.into_iter().map(|((reason, words), Occurrences { path, line, sizes })| {
            let least = sizes.first().map_or(0, |size| size.get());
            let most = sizes.last().map_or(0, |size| size.get());
            let at = match sizes.len() {
                1 => format!("{words} at {least} bytes"),
                several => format!("{words} at {several} sizes from {least} to {most} bytes"),
            };
            let kind = match reason {
                Unusable::Empty => {
                    "collective operations of 0 bytes are skipped: nothing is sent".to_owned()
                }
                Unusable::NoElement => no_element(&at),
                Unusable::UnequalBlocks => unequal_blocks(&at),
                Unusable::OtherAlgorithm => {
                    format!("{at} is skipped: the library uses another algorithm there")
                }
            };
            Remark { path, line, kind }
        })
    }
}

/// The remark on blocks of an operation that are smaller than an element.
pub(super) fn no_element(name: &str) -> String {
    format!(
        "{name} is skipped: the block of each rank is less than one element, so that nothing is \
            sent"
    )
}

/// The remark on a buffer that is no multiple of the number of ranks.
pub(super) fn unequal_blocks(name: &str) -> String {
    format!("{name} is skipped: its buffer is not divided into equal blocks")
}
