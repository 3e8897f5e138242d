use std::collections::BTreeSet;
use std::io::BufRead;
use std::path::Path;

use super::graph::FOR_START;
use super::labels::Labels;
use super::plain::Plain;
use super::words::{Taken, Words, shown};
use super::{ANY, Fault, GoalError, GoalGraph, Operation, OperationKind};

/// The most ranks of a trace: more are a slip of the pen, since each costs memory.
const MOST_RANKS: u32 = 1 << 26;

/// So many ranks may go without a block: each costs memory in a replay, and a text of one line could ask for any amount.
const MOST_SILENT: usize = 1000;

/// Reads a text line by line. A statement stands on one line, comments may go over several.
pub(super) fn read(mut text: impl BufRead, path: &Path) -> Result<GoalGraph, GoalError> {
    let mut reader = Reader::default();
    let mut line = Vec::new();
    loop {
        // An error comes again below.
        let taken = text.fill_buf().map_or(0, |some| reader.plain_lines(some));
        text.consume(taken);
        line.clear();
        let read = text.read_until(b'\n', &mut line);
        let read = read.map_err(|reason| GoalError::System { path: path.to_owned(), reason })?;
        if read == 0 {
            break;
        }
        reader.line += 1;
        reader.take(&line).map_err(|(byte, fault)| GoalError::Line {
            path: path.to_owned(),
            line: reader.line,
            column: byte + 1,
            fault,
        })?;
    }
    let whole = |reason| GoalError::Whole { path: path.to_owned(), reason };
    if reader.ranks == Some(0) {
        return Err(whole("num_ranks is 0: nobody does anything; write how many ranks there are"));
    }
    if reader.ranks.is_none() {
        return Err(whole("there is no num_ranks in it; is it GOAL?"));
    }
    if reader.in_comment || reader.rank.is_some() {
        return Err(whole("the text ends within a comment or a rank; it may be torn, or a } is missing"));
    }
    reader.goal.ranks = reader.ranks.unwrap_or(0);
    if reader.goal.ranks as usize > reader.done.len() + MOST_SILENT {
        return Err(whole(
            "more than 1000 ranks have no block; is num_ranks right? Write \"rank 7 {}\" where nothing is done",
        ));
    }
    Ok(reader.goal)
}

#[derive(Default)]
struct Reader {
    goal: GoalGraph,
    line: u32,
    ranks: Option<u32>,
    /// The rank whose block is open.
    rank: Option<u32>,
    done: BTreeSet<u32>,
    in_comment: bool,
    labels: Labels,
    /// What waits for what in this rank: an operation, and the follower with its mark.
    edges: Vec<(u32, u32)>,
    /// The first operation of this rank.
    first: u32,
}

const SIZE: &str = "the size of the message in bytes, such as 64b";

const TAG: &str = "a tag from 0, or -1 for any of a receive";

const SMALL: &str = "a number from 0 to 254";

const STATEMENT: &str = "an operation such as \"l1: send 64b to 1 tag 7\", \"l2 requires l1\", or \"}\"";

impl Reader {
    /// Takes lines of the plainest form as long as nothing else comes and nothing is wrong; gives their length.
    fn plain_lines(&mut self, text: &[u8]) -> usize {
        let mut taken = 0;
        let Some((rank, ranks)) = self.rank.zip(self.ranks).filter(|_| !self.in_comment) else { return 0 };
        while let Some((plain, length)) = Plain::read(&text[taken..], &self.labels) {
            match plain {
                Plain::Operation { label, operation } => {
                    let place = self.goal.operations.len() as u32;
                    let is_known = self.labels.find_number(label).is_some();
                    if is_known || operation.peer >= ranks || place >= FOR_START {
                        break;
                    }
                    self.labels.define_number(label, place);
                    self.goal.operations.push(Operation { rank, line: self.line + 1, ..operation });
                }
                Plain::Requires { label, other, mark } => {
                    let known = self.labels.find_number(label).zip(self.labels.find_number(other));
                    let Some((follower, before)) = known.filter(|_| label != other) else { break };
                    self.edges.push((before, follower | mark));
                }
            }
            self.line += 1;
            taken += length;
        }
        taken
    }

    /// Takes a line without its comments.
    fn take(&mut self, line: &[u8]) -> Taken<()> {
        if !self.in_comment && !line.contains(&b'/') {
            return self.statements(line);
        }
        let mut plain = line.to_vec();
        let mut place = 0;
        while place < plain.len() {
            let two = &plain[place..plain.len().min(place + 2)];
            if self.in_comment {
                let ends = two == b"*/";
                let end = place + if ends { 2 } else { 1 };
                plain[place..end].fill(b' ');
                (self.in_comment, place) = (!ends, end);
            } else if two == b"//" {
                plain.truncate(place);
            } else {
                self.in_comment = two == b"/*";
                place += usize::from(!self.in_comment);
            }
        }
        self.statements(&plain)
    }

    fn statements(&mut self, line: &[u8]) -> Taken<()> {
        let mut words = Words::new(line);
        while let Some((begin, word)) = words.next() {
            match (word, self.rank) {
                (b"num_ranks", None) if self.ranks.is_none() => {
                    let (begin, ranks) = words.number(b"", "the number of ranks, such as 16")?;
                    let fits = u32::try_from(ranks).ok().filter(|ranks| *ranks <= MOST_RANKS);
                    let ranks = fits.ok_or((begin, Fault::TooMany { what: "ranks", most: MOST_RANKS }))?;
                    self.ranks = Some(ranks);
                }
                (b"rank", None) => self.open(&mut words)?,
                (b"}", Some(_)) => self.close(),
                (b"send" | b"recv" | b"calc", Some(rank)) => self.operation(&mut words, (begin, word), rank, None)?,
                (label, Some(rank)) if label[0].is_ascii_alphabetic() || label[0] == b'_' => match words.next() {
                    Some((_, b":")) => {
                        let operation = words.next().unwrap_or((words.line.len(), b""));
                        self.operation(&mut words, operation, rank, Some((begin, label)))?;
                    }
                    Some((_, b"requires")) => self.requires(&mut words, (begin, label), 0)?,
                    Some((_, b"irequires")) => self.requires(&mut words, (begin, label), FOR_START)?,
                    found => return Err(words.expected(found, "\":\", \"requires\" or \"irequires\" behind a label")),
                },
                (_, None) => {
                    let expected = if self.ranks.is_none() { "num_ranks and their number" } else { "\"rank 0 {\"" };
                    return Err(words.expected(Some((begin, word)), expected));
                }
                (_, Some(_)) => return Err(words.expected(Some((begin, word)), STATEMENT)),
            }
        }
        Ok(())
    }

    fn open(&mut self, words: &mut Words) -> Taken<()> {
        let (begin, rank) = words.number(b"", "the number of a rank")?;
        let ranks = self.ranks.unwrap_or(0);
        let rank = u32::try_from(rank).ok().filter(|rank| *rank < ranks).ok_or((begin, Fault::Rank { rank, ranks }))?;
        words.needed(b"{", "\"{\" behind the rank")?;
        if !self.done.insert(rank) {
            return Err((begin, Fault::RankTwice { rank }));
        }
        self.rank = Some(rank);
        self.first = self.goal.operations.len() as u32;
        self.labels.clear();
        self.edges.clear();
        Ok(())
    }

    /// Ends a rank: what waits for an operation is put together, in the order in which it was written.
    fn close(&mut self) {
        self.rank = None;
        let count = self.goal.operations.len() - self.first as usize;
        let begin = self.goal.followers.len() as u32;
        let mut ends = vec![0; count + 1];
        self.edges.iter().for_each(|&(before, _)| ends[(before - self.first) as usize + 1] += 1);
        (1..=count).for_each(|place| ends[place] += ends[place - 1]);
        self.goal.ends.extend(ends[1..].iter().map(|end| begin + end));
        self.goal.followers.resize(begin as usize + self.edges.len(), 0);
        for &(before, follower) in &self.edges {
            let place = &mut ends[(before - self.first) as usize];
            self.goal.followers[(begin + *place) as usize] = follower;
            *place += 1;
        }
    }

    fn operation(
        &mut self,
        words: &mut Words,
        (begin, word): (usize, &[u8]),
        rank: u32,
        label: Option<(usize, &[u8])>,
    ) -> Taken<()> {
        let ranks = self.ranks.unwrap_or(0);
        let peer = |(begin, peer): (usize, u64)| {
            u32::try_from(peer).ok().filter(|peer| *peer < ranks).ok_or((begin, Fault::Rank { rank: peer, ranks }))
        };
        let (kind, size, peer) = match word {
            b"send" => {
                let (_, size) = words.number(b"b", SIZE)?;
                words.needed(b"to", "\"to\" and a rank")?;
                (OperationKind::Send, size, peer(words.number(b"", "the rank that it is sent to")?)?)
            }
            b"recv" => {
                let (_, size) = words.number(b"b", SIZE)?;
                words.needed(b"from", "\"from\" and a rank")?;
                let from = words.number_or_any("the rank that it comes from, or -1 for any")?;
                (OperationKind::Receive, size, from.map_or(Ok(ANY), peer)?)
            }
            b"calc" => (OperationKind::Calculate, words.number(b"", "the time in nanoseconds, such as 500")?.1, 0),
            _ => return Err(words.expected(Some((begin, word)), "send, recv or calc")),
        };
        let mut operation = Operation { size, rank, peer, tag: 0, line: self.line, cpu: 0, nic: 0, kind };
        loop {
            match words.peek() {
                b"tag" if kind != OperationKind::Calculate => {
                    words.next();
                    let tag = if kind == OperationKind::Receive {
                        words.number_or_any(TAG)?
                    } else {
                        Some(words.number(b"", TAG)?)
                    };
                    let fits = |(begin, tag): (usize, u64)| {
                        let fits = u32::try_from(tag).ok().filter(|tag| *tag < ANY);
                        fits.ok_or((begin, Fault::TooMany { what: "tags", most: ANY - 1 }))
                    };
                    operation.tag = tag.map_or(Ok(ANY), fits)?;
                }
                which @ (b"cpu" | b"nic") => {
                    words.next();
                    let (begin, number) = words.number(b"", SMALL)?;
                    let number = u8::try_from(number).ok().filter(|number| *number < u8::MAX);
                    let number =
                        number.ok_or((begin, Fault::TooMany { what: "processors or interfaces", most: 254 }))?;
                    if which == b"cpu" { operation.cpu = number } else { operation.nic = number }
                }
                _ => break,
            }
        }
        let place = self.goal.operations.len() as u32;
        if place >= FOR_START {
            return Err((begin, Fault::TooMany { what: "operations", most: FOR_START - 1 }));
        }
        if let Some((begin, label)) = label.filter(|(_, label)| !self.labels.define(label, place)) {
            return Err((begin, Fault::LabelTwice { label: shown(label) }));
        }
        self.goal.operations.push(operation);
        Ok(())
    }

    fn requires(&mut self, words: &mut Words, (begin, label): (usize, &[u8]), mark: u32) -> Taken<()> {
        let missing = |begin, label| (begin, Fault::Label { label: shown(label) });
        let follower = self.labels.find(label).ok_or_else(|| missing(begin, label))?;
        let Some((at, other)) = words.next() else {
            return Err(words.expected(None, "the label that is waited for"));
        };
        let before = self.labels.find(other).ok_or_else(|| missing(at, other))?;
        if before == follower {
            return Err((at, Fault::Itself { label: shown(label) }));
        }
        self.edges.push((before, follower | mark));
        Ok(())
    }
}
