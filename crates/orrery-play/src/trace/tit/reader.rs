use std::collections::BTreeMap;
use std::path::Path;

use super::line::{Dialect, Line, dialect};
use super::rank::{RankReader, rank_of_line};
use crate::trace::actions::{CollectiveAlgorithms, Communicators, RankActions, Trace};
use orrery_base::file::{Fault, FileError, Position};

/// A reader of time-independent traces: of one text that all ranks share, or of a text for each
/// rank.
///
/// It does not keep the texts; an action needs 28 bytes.
///
/// ```
/// use orrery_play::trace::tit::Reader;
/// let mut reader = Reader::default();
/// reader.shared("ping.txt", b"0 init\n0 send 1 0 1e6\n1 init\n1 recv 0 0 1e6\n")?;
/// let trace = reader.finish()?;
/// assert_eq!((trace.ranks(), trace.actions()), (2, 4));
/// # Ok::<(), orrery_base::file::FileError>(())
/// ```
#[derive(Debug, Default)]
pub struct Reader {
    files: Vec<String>,
    /// The number of the file and the reader of each rank, in the order of their first lines.
    ranks: Vec<(u32, RankReader)>,
    /// The index of each rank in `ranks`.
    indices: BTreeMap<u32, usize>,
    /// The index of the rank of the previous line.
    last: usize,
    /// The number of actions.
    actions: u64,
    /// The number of ranks, if it is known in advance.
    expected: Option<u32>,
    /// The number of ranks that the first list has numbers for, with the number of its file and of
    /// its line.
    listed: Option<(u32, u32, usize)>,
}

impl Reader {
    /// A reader of a trace with a known number of ranks.
    ///
    /// If each rank has a text of its own, lines with a number for each rank need it. In a shared
    /// text ranks are counted.
    pub fn of_ranks(ranks: u32) -> Self {
        Self { expected: Some(ranks), ..Self::default() }
    }

    /// Reads a text that ranks share.
    ///
    /// # Errors
    ///
    /// The first fault, with its line and column.
    pub fn shared(&mut self, file: &str, text: &[u8]) -> Result<(), FileError> {
        self.text(file, text, None)
    }

    /// Reads the text of one rank.
    ///
    /// # Errors
    ///
    /// The first fault, with its line and column; also a line of another rank.
    pub fn rank(&mut self, rank: u32, file: &str, text: &[u8]) -> Result<(), FileError> {
        self.text(file, text, Some(rank))
    }

    /// Reads a text, which is that of one rank if `only` names it.
    fn text(&mut self, file: &str, text: &[u8], only: Option<u32>) -> Result<(), FileError> {
        let file_number = self.files.len() as u32;
        self.files.push(file.to_owned());
        let dialect = dialect(text);
        let mut own = only.map(|rank| RankReader::new(rank, 1));
        let mut counted = self.expected;
        let mut number = 0;
        for line in text.split(|&byte| byte == b'\n') {
            number += 1;
            let mut has_list = false;
            let mut ranks = || {
                has_list = true;
                counted = counted.or_else(|| only.is_none().then(|| count_ranks(text)));
                counted
            };
            self.line(line, number, dialect, file_number, own.as_mut(), &mut ranks).map_err(
                |fault| {
                    let before = &line[..fault.byte().unwrap_or(0).min(line.len())];
                    let column = String::from_utf8_lossy(before).chars().count() + 1;
                    FileError::at(Path::new(file), Position { line: number, column }, fault)
                },
            )?;
            if has_list && self.listed.is_none() {
                self.listed = counted.map(|ranks| (ranks, file_number, number));
            }
        }
        if let Some(own) = own {
            let index = *self.indices.entry(own.rank).or_insert(self.ranks.len());
            if index == self.ranks.len() {
                self.ranks.push((file_number, own));
            } else {
                self.ranks[index] = (file_number, own);
            }
        }
        Ok(())
    }

    /// Reads a line, which must be of the rank of `own` if that is not `None`.
    fn line(
        &mut self,
        text: &[u8],
        number: usize,
        dialect: Dialect,
        file: u32,
        own: Option<&mut RankReader>,
        ranks: &mut dyn FnMut() -> Option<u32>,
    ) -> Result<(), Fault> {
        let mut line = Line::new(text);
        if line.is_blank_or_comment() {
            return Ok(());
        }
        let is_binary = |located| {
            if text.contains(&0) {
                Fault::new(
                    "this is not text; name a trace with lines such as \
                \"0 compute 1e6\"",
                )
                .at(0)
            } else {
                located
            }
        };
        let rank = rank_of_line(&mut line).map_err(is_binary)?;
        self.actions += 1;
        match own {
            Some(own) if own.rank == rank => own.line(line, number, dialect, ranks),
            Some(own) => Err(Fault::new(format!(
                "this line is of rank {rank}, but the file is that \
                of rank {expected}; move the line",
                expected = own.rank
            ))
            .at(0)),
            None => {
                // The lines of a rank are usually consecutive.
                if self.ranks.get(self.last).is_none_or(|(_, last)| last.rank != rank) {
                    self.last = *self.indices.entry(rank).or_insert(self.ranks.len());
                    if self.last == self.ranks.len() {
                        self.ranks.push((file, RankReader::new(rank, number)));
                    }
                }
                self.ranks[self.last].1.line(line, number, dialect, ranks)
            }
        }
    }

    /// Returns the trace of all texts.
    ///
    /// # Errors
    ///
    /// A trace without actions, a gap in the numbers of ranks, and a peer or root without actions.
    pub fn finish(mut self) -> Result<Trace, FileError> {
        let count = self.ranks.len();
        let at = |file: u32, line, column, fault| {
            let file = self.files.get(file as usize).map_or("", String::as_str);
            FileError::at(Path::new(file), Position { line, column }, fault)
        };
        if self.actions == 0 {
            let fault = "the trace is empty; a trace has lines such as \"0 compute 1e6\"";
            return Err(at(0, 1, 1, fault.into()));
        }
        if let Some((listed, of, line)) =
            self.listed.filter(|(listed, ..)| *listed as usize != count)
        {
            let fault = format!(
                "this line has numbers for {listed} ranks, but the trace has {count}; name all \
                    files of the trace in an index"
            );
            return Err(at(of, line, 1, fault.into()));
        }
        let (mut ranks, mut file_of_rank): (Vec<RankActions>, Vec<u32>) = Default::default();
        self.ranks.sort_unstable_by_key(|(_, reader)| reader.rank);
        for (expected, (file_number, mut reader)) in self.ranks.into_iter().enumerate() {
            let rank = reader.rank;
            let last = reader.actions.lines.last().map_or(1, |&line| line as usize);
            if rank != expected as u32 {
                let fault = Fault::new(format!(
                    "rank {rank} has actions, but rank {missing} has \
                    none; ranks are numbered from 0 without gaps",
                    missing = expected as u32
                ));
                return Err(at(file_number, reader.first_line, 1, fault));
            }
            let (highest, line, byte) = reader.highest_peer;
            if highest as usize >= count {
                let fault = Fault::new(format!(
                    "rank {highest} has no actions; the trace has ranks \
                    0 to {last}",
                    last = count - 1
                ));
                return Err(at(file_number, line, byte + 1, fault));
            }
            reader.end(last);
            ranks.push(reader.actions);
            file_of_rank.push(file_number);
        }
        let communicators = Communicators::new(count as u32);
        Ok(Trace {
            files: self.files,
            file_of_rank,
            ranks,
            communicators,
            actions: self.actions,
            algorithms: CollectiveAlgorithms::default(),
        })
    }
}

/// One more than the highest rank with a line in a text.
fn count_ranks(text: &[u8]) -> u32 {
    let ranks = text
        .split(|&byte| byte == b'\n')
        .filter_map(|line| rank_of_line(&mut Line::new(line)).ok());
    ranks.max().map_or(0, |rank| rank + 1)
}
