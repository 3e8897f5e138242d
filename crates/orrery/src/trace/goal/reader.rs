use std::collections::BTreeSet;
use std::io::BufRead;
use std::path::Path;

use super::graph::FOR_START;
use super::labels::Labels;
use super::{ANY, Fault, Goal, GoalError, Kind, Operation};

/// The most ranks of a trace: more are a slip of the pen, since each costs memory.
const MOST_RANKS: u32 = 1 << 26;

/// So many ranks may go without a block: each costs memory in a replay, and a text of one line could ask for any amount.
const MOST_SILENT: usize = 1000;

/// Reads a text line by line. A statement stands on one line, comments may go over several.
pub(super) fn read(mut text: impl BufRead, path: &Path) -> Result<Goal, GoalError> {
    let mut reader = Reader::default();
    let mut line = Vec::new();
    loop {
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

/// A fault and the byte of the line where it stands.
type Taken<T> = Result<T, (usize, Fault)>;

#[derive(Default)]
struct Reader {
    goal: Goal,
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

/// The words of a line, one after the other.
struct Words<'a> {
    line: &'a [u8],
    place: usize,
}

impl<'a> Words<'a> {
    /// The next word and where it begins; a word is a run of letters, digits and signs, or a single other character.
    fn next(&mut self) -> Option<(usize, &'a [u8])> {
        while self.line.get(self.place).is_some_and(u8::is_ascii_whitespace) {
            self.place += 1;
        }
        let begin = self.place;
        let first = *self.line.get(begin)?;
        self.place += 1;
        let of_word = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_' || *c == b'-' || *c == b'.';
        if of_word(&first) {
            while self.line.get(self.place).is_some_and(of_word) {
                self.place += 1;
            }
        }
        Some((begin, &self.line[begin..self.place]))
    }

    /// The next word without taking it.
    fn peek(&mut self) -> &'a [u8] {
        let before = self.place;
        let word = self.next().map_or(&b""[..], |(_, word)| word);
        self.place = before;
        word
    }

    /// The next word, which must be this one.
    fn needed(&mut self, word: &[u8], expected: &'static str) -> Taken<()> {
        match self.next() {
            Some((_, found)) if found == word => Ok(()),
            found => Err(self.expected(found, expected)),
        }
    }

    /// A whole number, with these letters behind it.
    fn number(&mut self, suffix: &[u8], expected: &'static str) -> Taken<(usize, u64)> {
        let found = self.next();
        let digits = found.and_then(|(begin, word)| Some((begin, word.strip_suffix(suffix)?)));
        let number = digits.and_then(|(begin, digits)| Some((begin, whole(digits)?)));
        number.ok_or_else(|| self.expected(found, expected))
    }

    /// A number, or -1 for any.
    fn number_or_any(&mut self, expected: &'static str) -> Taken<Option<(usize, u64)>> {
        if self.peek() == b"-1" {
            self.next();
            return Ok(None);
        }
        self.number(b"", expected).map(Some)
    }

    fn expected(&self, found: Option<(usize, &[u8])>, expected: &'static str) -> (usize, Fault) {
        let (begin, word) = found.unwrap_or((self.line.trim_ascii_end().len(), b"the end of the line"));
        (begin, Fault::Expected { found: words(word), expected })
    }
}

/// A whole number below 2⁶³.
fn whole(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    digits.iter().try_fold(0, |number, c| c.is_ascii_digit().then(|| number * 10 + u64::from(c - b'0')))
}

/// A word for a message: short, and readable whatever it is.
fn words(word: &[u8]) -> String {
    String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned()
}

const SIZE: &str = "the size of the message in bytes, such as 64b";

const TAG: &str = "a tag from 0, or -1 for any of a receive";

const SMALL: &str = "a number from 0 to 254";

const STATEMENT: &str = "an operation such as \"l1: send 64b to 1 tag 7\", \"l2 requires l1\", or \"}\"";

impl Reader {
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
        let mut words = Words { line, place: 0 };
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
                (Kind::Send, size, peer(words.number(b"", "the rank that it is sent to")?)?)
            }
            b"recv" => {
                let (_, size) = words.number(b"b", SIZE)?;
                words.needed(b"from", "\"from\" and a rank")?;
                let from = words.number_or_any("the rank that it comes from, or -1 for any")?;
                (Kind::Receive, size, from.map_or(Ok(ANY), peer)?)
            }
            b"calc" => (Kind::Calculate, words.number(b"", "the time in nanoseconds, such as 500")?.1, 0),
            _ => return Err(words.expected(Some((begin, word)), "send, recv or calc")),
        };
        let mut operation = Operation { size, rank, peer, tag: 0, line: self.line, cpu: 0, nic: 0, kind };
        loop {
            match words.peek() {
                b"tag" if kind != Kind::Calculate => {
                    words.next();
                    let tag =
                        if kind == Kind::Receive { words.number_or_any(TAG)? } else { Some(words.number(b"", TAG)?) };
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
            return Err((begin, Fault::LabelTwice { label: self::words(label) }));
        }
        self.goal.operations.push(operation);
        Ok(())
    }

    fn requires(&mut self, words: &mut Words, (begin, label): (usize, &[u8]), mark: u32) -> Taken<()> {
        let missing = |begin, label| (begin, Fault::Label { label: self::words(label) });
        let follower = self.labels.find(label).ok_or_else(|| missing(begin, label))?;
        let Some((at, other)) = words.next() else {
            return Err(words.expected(None, "the label that is waited for"));
        };
        let before = self.labels.find(other).ok_or_else(|| missing(at, other))?;
        if before == follower {
            return Err((at, Fault::Itself { label: self::words(label) }));
        }
        self.edges.push((before, follower | mark));
        Ok(())
    }
}
