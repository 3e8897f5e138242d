use std::collections::BTreeMap;

use super::dialect::{Dialect, dialect};
use super::error::{Fault, TraceError};
use super::line::{Line, Refused};
use super::rank::{RankReader, head};
use crate::trace::actions::{Communicators, Location, RankActions, Trace};

/// Reads traces text by text: one that all ranks share, or one for each.
///
/// Nothing of the texts is kept: an action takes 28 bytes.
///
/// ```
/// use orrery::trace::tit::Reader;
/// let mut reader = Reader::default();
/// reader.shared("ping.txt", b"0 init\n0 send 1 0 1e6\n1 init\n1 recv 0 0 1e6\n")?;
/// let trace = reader.finish()?;
/// assert_eq!((trace.ranks(), trace.actions()), (2, 4));
/// # Ok::<(), orrery::trace::tit::TraceError>(())
/// ```
#[derive(Debug, Default)]
pub struct Reader {
    files: Vec<String>,
    /// Of each rank its file and what is read of it, in the order in which they are first told of.
    ranks: Vec<(u32, RankReader)>,
    /// The place of each rank in that list.
    places: BTreeMap<u32, usize>,
    /// The place of the rank of the line before.
    last: usize,
    actions: u64,
    /// How many ranks there are, if that is known before all is read.
    expected: Option<u32>,
    /// For how many ranks lists had numbers, and where the first of them stands.
    listed: Option<(u32, u32, usize)>,
}

impl Reader {
    /// Reads a trace of so many ranks. They are counted where they share a text; where each has its own, lines that list
    /// a number for each rank can be read only so.
    pub fn of_ranks(ranks: u32) -> Self {
        Self { expected: Some(ranks), ..Self::default() }
    }

    /// Reads a text that ranks share.
    ///
    /// # Errors
    ///
    /// What is wrong with a line, and where.
    pub fn shared(&mut self, file: &str, text: &[u8]) -> Result<(), TraceError> {
        self.text(file, text, None)
    }

    /// Reads the text of one rank.
    ///
    /// # Errors
    ///
    /// As [`Reader::shared`]; besides, a line of another rank.
    pub fn rank(&mut self, rank: u32, file: &str, text: &[u8]) -> Result<(), TraceError> {
        self.text(file, text, Some(rank))
    }

    fn text(&mut self, file: &str, text: &[u8], only: Option<u32>) -> Result<(), TraceError> {
        let number_of_file = self.files.len() as u32;
        self.files.push(file.to_owned());
        let dialect = dialect(text);
        let mut own = only.map(|rank| RankReader::new(rank, 1));
        let mut counted = self.expected;
        let mut number = 0;
        for line in text.split(|&byte| byte == b'\n') {
            number += 1;
            let mut is_listed = false;
            let mut ranks = || {
                is_listed = true;
                counted = counted.or_else(|| only.is_none().then(|| ranks_of(text)));
                counted
            };
            self.line(line, number, dialect, number_of_file, own.as_mut(), &mut ranks).map_err(|refused| {
                TraceError { place: place(file, number, line, refused.byte), fault: refused.fault }
            })?;
            if is_listed && self.listed.is_none() {
                self.listed = counted.map(|ranks| (ranks, number_of_file, number));
            }
        }
        if let Some(own) = own {
            let place = *self.places.entry(own.rank).or_insert(self.ranks.len());
            if place == self.ranks.len() {
                self.ranks.push((number_of_file, own));
            } else {
                self.ranks[place] = (number_of_file, own);
            }
        }
        Ok(())
    }

    fn line(
        &mut self,
        text: &[u8],
        number: usize,
        dialect: Dialect,
        file: u32,
        own: Option<&mut RankReader>,
        ranks: &mut dyn FnMut() -> Option<u32>,
    ) -> Result<(), Refused> {
        let mut line = Line::new(text);
        if line.is_blank_or_comment() {
            return Ok(());
        }
        let rank = head(&mut line)
            .map_err(|refused| if text.contains(&0) { Refused { byte: 0, fault: Fault::NotText } } else { refused })?;
        self.actions += 1;
        match own {
            Some(own) if own.rank == rank => own.line(line, number, dialect, ranks),
            Some(own) => Err(Refused { byte: 0, fault: Fault::OtherRank { found: rank, expected: own.rank } }),
            None => {
                // Mostly the lines of a rank stand together.
                if self.ranks.get(self.last).is_none_or(|(_, last)| last.rank != rank) {
                    self.last = *self.places.entry(rank).or_insert(self.ranks.len());
                    if self.last == self.ranks.len() {
                        self.ranks.push((file, RankReader::new(rank, number)));
                    }
                }
                self.ranks[self.last].1.line(line, number, dialect, ranks)
            }
        }
    }

    /// The trace of all that was read.
    ///
    /// # Errors
    ///
    /// No line at all, a gap in the numbers of ranks, and a rank that is named and does not take part.
    pub fn finish(mut self) -> Result<Trace, TraceError> {
        let count = self.ranks.len();
        let file = |number: u32| self.files.get(number as usize).cloned().unwrap_or_default();
        let at = |file: String, line, column| Location { file, line, column };
        if self.actions == 0 {
            return Err(TraceError { place: at(file(0), 1, 1), fault: Fault::Empty });
        }
        if let Some((listed, of, line)) = self.listed.filter(|(listed, ..)| *listed as usize != count) {
            return Err(TraceError { place: at(file(of), line, 1), fault: Fault::Listed { listed, ranks: count } });
        }
        let (mut ranks, mut origins): (Vec<RankActions>, Vec<u32>) = Default::default();
        self.ranks.sort_unstable_by_key(|(_, reader)| reader.rank);
        for (expected, (origin, mut reader)) in self.ranks.into_iter().enumerate() {
            let rank = reader.rank;
            let last = reader.told.lines.last().map_or(1, |&line| line as usize);
            if rank != expected as u32 {
                let fault = Fault::Gap { rank, lacking: expected as u32 };
                return Err(TraceError { place: at(file(origin), reader.first, 1), fault });
            }
            let (farthest, line, byte) = reader.farthest;
            if farthest as usize >= count {
                let fault = Fault::NoSuchRank { rank: farthest, last: count - 1 };
                return Err(TraceError { place: at(file(origin), line, byte + 1), fault });
            }
            reader.end(last);
            ranks.push(reader.told);
            origins.push(origin);
        }
        let communicators = Communicators::new(count as u32);
        Ok(Trace { files: self.files, origins, ranks, communicators, actions: self.actions })
    }
}

/// One more than the highest rank that a text tells of.
fn ranks_of(text: &[u8]) -> u32 {
    let heads = text.split(|&byte| byte == b'\n').filter_map(|line| head(&mut Line::new(line)).ok());
    heads.max().map_or(0, |rank| rank + 1)
}

/// The place of a byte of a line; the column counts characters.
fn place(file: &str, line: usize, text: &[u8], byte: usize) -> Location {
    let before = String::from_utf8_lossy(&text[..byte.min(text.len())]);
    Location { file: file.to_owned(), line, column: before.chars().count() + 1 }
}
