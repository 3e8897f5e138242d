use std::collections::BTreeSet;
use std::io::{BufRead, Read};
use std::path::Path;

use super::graph::{ANY, GoalGraph, GoalOperation, MAX_OPERATIONS, OperationKind, START_FLAG};
use super::labels::Labels;
use super::tokens::{UsualLine, Words, shown};
use orrery_base::file::{Fault, FileError, Position, Result};
use orrery_base::names::nearest;

/// The maximum number of ranks: each needs memory, and a text of one line could name any number.
const MAX_RANKS: u32 = 1 << 26;

/// The maximum number of ranks without a section: each needs memory in a replay.
const MAX_RANKS_WITHOUT_SECTION: usize = 1000;

/// The maximum length of a line [B]: a text without line breaks, such as a device, must not fill the
/// memory.
const MAX_LINE: u64 = 1 << 20;

impl GoalGraph {
    /// Reads a text in GOAL line by line; `name` is its name in errors.
    ///
    /// A statement is on one line; comments may extend over several.
    ///
    /// # Errors
    ///
    /// The first fault, with its line and column.
    pub fn read(text: impl BufRead, name: impl AsRef<Path>) -> Result<Self, FileError> {
        read(text, name.as_ref())
    }
}

/// Reads a text; `path` is its name in errors.
fn read(mut text: impl BufRead, path: &Path) -> Result<GoalGraph, FileError> {
    let mut reader = Reader::default();
    let mut line = Vec::new();
    loop {
        // `read_until` returns an error of `fill_buf` again.
        let length = text.fill_buf().map_or(0, |buffer| reader.read_usual_lines(buffer));
        text.consume(length);
        line.clear();
        let read = text.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if read.map_err(FileError::system(path, "trace", "read"))? == 0 {
            break;
        }
        reader.line += 1;
        let is_bounded = line.len() < MAX_LINE as usize || line.ends_with(b"\n");
        let checked = if is_bounded { Ok(()) } else { Err(Fault::from(LONG_LINE)) };
        checked.and_then(|()| reader.read_line(&line)).map_err(|fault| {
            let column = fault.byte().unwrap_or_default() + 1;
            FileError::at(path, Position { line: reader.line as usize, column }, fault)
        })?;
    }
    let whole = |fault: &str| FileError::whole(path, fault.into());
    if reader.ranks == Some(0) {
        return Err(whole("num_ranks is 0; write the number of ranks, such as num_ranks 16"));
    }
    if reader.ranks.is_none() {
        return Err(whole(
            "there is no num_ranks; a text in GOAL begins with a line such as num_ranks 16",
        ));
    }
    if reader.in_comment || reader.rank.is_some() {
        return Err(whole(
            "the text ends within a comment or a rank; add the missing */ or }, or copy the file \
                again",
        ));
    }
    reader.graph.ranks = reader.ranks.unwrap_or(0);
    if reader.graph.ranks as usize > reader.done.len() + MAX_RANKS_WITHOUT_SECTION {
        return Err(whole(
            "more than 1000 ranks have no section; correct num_ranks, or write \"rank 7 {}\" for a \
                rank without operations",
        ));
    }
    Ok(reader.graph)
}

/// The state of reading a text.
#[derive(Default)]
struct Reader {
    graph: GoalGraph,
    /// The number of the current line.
    line: u32,
    /// The number of ranks, once `num_ranks` is read.
    ranks: Option<u32>,
    /// The rank whose section is open.
    rank: Option<u32>,
    /// The ranks with a section.
    done: BTreeSet<u32>,
    in_comment: bool,
    /// The labels of the current rank.
    labels: Labels,
    /// The dependencies of the current rank: an operation, and its dependent with the flag.
    dependencies: Vec<(u32, u32)>,
    /// The first operation of the current rank.
    first: u32,
}

/// The fault of a line without an end.
const LONG_LINE: &str = "the line has more than 1 MiB; a trace in GOAL is a text with one statement \
    per line, so this is another file";

/// The expected form of a size.
const SIZE: &str = "the size of the message in bytes, such as 64b";

/// The expected form of a tag.
const TAG: &str = "a tag from 0, or -1 for any tag of a receive";

/// The range of `cpu` and `nic`.
const UNIT: &str = "a number from 0 to 254";

/// The expected form of a statement.
const STATEMENT: &str =
    "an operation such as \"l1: send 64b to 1 tag 7\", \"l2 requires l1\", or \"}\"";

impl Reader {
    /// Reads lines in the usual form at the beginning of a text, up to the first other or wrong
    /// line; returns their length.
    fn read_usual_lines(&mut self, text: &[u8]) -> usize {
        let mut read = 0;
        let Some((rank, ranks)) = self.rank.zip(self.ranks).filter(|_| !self.in_comment) else {
            return 0;
        };
        while let Some((line, length)) = UsualLine::read(&text[read..], &self.labels) {
            match line {
                UsualLine::Operation { label, operation } => {
                    let number = self.graph.operations.len() as u32;
                    let is_defined = self.labels.find_number(label).is_some();
                    if is_defined || operation.peer >= ranks || number >= MAX_OPERATIONS {
                        break;
                    }
                    self.labels.define_number(label, number);
                    self.graph.operations.push(GoalOperation {
                        rank,
                        line: self.line + 1,
                        ..operation
                    });
                }
                UsualLine::Requires { label, other, flag } => {
                    let defined =
                        self.labels.find_number(label).zip(self.labels.find_number(other));
                    let Some((dependent, before)) = defined.filter(|_| label != other) else {
                        break;
                    };
                    self.dependencies.push((before, dependent | flag));
                }
            }
            self.line += 1;
            read += length;
        }
        read
    }

    /// Reads a line, with comments replaced by blanks.
    fn read_line(&mut self, line: &[u8]) -> Result<()> {
        if !self.in_comment && !line.contains(&b'/') {
            return self.statements(line);
        }
        let mut code = line.to_vec();
        let mut offset = 0;
        while offset < code.len() {
            let two = &code[offset..code.len().min(offset + 2)];
            if self.in_comment {
                let ends = two == b"*/";
                let end = offset + if ends { 2 } else { 1 };
                code[offset..end].fill(b' ');
                (self.in_comment, offset) = (!ends, end);
            } else if two == b"//" {
                code.truncate(offset);
            } else {
                self.in_comment = two == b"/*";
                offset += usize::from(!self.in_comment);
            }
        }
        self.statements(&code)
    }

    /// Reads the statements of a line without comments.
    fn statements(&mut self, line: &[u8]) -> Result<()> {
        let mut words = Words::new(line);
        while let Some((begin, word)) = words.next() {
            match (word, self.rank) {
                (b"num_ranks", None) if self.ranks.is_none() => {
                    let (begin, ranks) = words.number(b"", "the number of ranks, such as 16")?;
                    let fits = u32::try_from(ranks).ok().filter(|ranks| *ranks <= MAX_RANKS);
                    let too_many = || too_many("ranks", MAX_RANKS).at(begin);
                    self.ranks = Some(fits.ok_or_else(too_many)?);
                }
                (b"rank", None) => self.begin_rank(&mut words)?,
                (b"}", Some(_)) => self.end_rank(),
                (b"send" | b"recv" | b"calc", Some(rank)) => {
                    self.operation(&mut words, (begin, word), rank, None)?;
                }
                (label, Some(rank)) if label[0].is_ascii_alphabetic() || label[0] == b'_' => {
                    match words.next() {
                        Some((_, b":")) => {
                            let operation = words.next().unwrap_or((words.line.len(), b""));
                            self.operation(&mut words, operation, rank, Some((begin, label)))?;
                        }
                        Some((_, b"requires")) => self.requires(&mut words, (begin, label), 0)?,
                        Some((_, b"irequires")) => {
                            self.requires(&mut words, (begin, label), START_FLAG)?;
                        }
                        found => {
                            return Err(words.expected(
                                found,
                                "\":\", \"requires\" or \"irequires\" after a label",
                            ));
                        }
                    }
                }
                (_, None) => {
                    let expected = if self.ranks.is_none() {
                        "num_ranks and the number of ranks"
                    } else {
                        "\"rank 0 {\""
                    };
                    return Err(words.expected(Some((begin, word)), expected));
                }
                (_, Some(_)) => return Err(words.expected(Some((begin, word)), STATEMENT)),
            }
        }
        Ok(())
    }

    /// Begins the section of a rank, after the word `rank`.
    fn begin_rank(&mut self, words: &mut Words) -> Result<()> {
        let (begin, rank) = words.number(b"", "the number of a rank")?;
        let ranks = self.ranks.unwrap_or(0);
        let rank = u32::try_from(rank)
            .ok()
            .filter(|rank| *rank < ranks)
            .ok_or_else(|| no_such_rank(rank, ranks).at(begin))?;
        words.skip(b"{", "\"{\" after the rank")?;
        if !self.done.insert(rank) {
            return Err(
                Fault::new(format_args!("rank {rank} has two sections; join them")).at(begin)
            );
        }
        self.rank = Some(rank);
        self.first = self.graph.operations.len() as u32;
        self.labels.clear();
        self.dependencies.clear();
        Ok(())
    }

    /// Ends the section of a rank: stores the dependents of each operation in the order of their
    /// lines.
    fn end_rank(&mut self) {
        self.rank = None;
        let count = self.graph.operations.len() - self.first as usize;
        let begin = self.graph.dependents.len() as u32;
        let mut ends = vec![0; count + 1];
        self.dependencies
            .iter()
            .for_each(|&(before, _)| ends[(before - self.first) as usize + 1] += 1);
        (1..=count).for_each(|index| ends[index] += ends[index - 1]);
        self.graph.ends.extend(ends[1..].iter().map(|end| begin + end));
        self.graph.dependents.resize(begin as usize + self.dependencies.len(), 0);
        for &(before, dependent) in &self.dependencies {
            let next = &mut ends[(before - self.first) as usize];
            self.graph.dependents[(begin + *next) as usize] = dependent;
            *next += 1;
        }
    }

    /// Reads an operation after its first word.
    fn operation(
        &mut self,
        words: &mut Words,
        (begin, word): (usize, &[u8]),
        rank: u32,
        label: Option<(usize, &[u8])>,
    ) -> Result<()> {
        let ranks = self.ranks.unwrap_or(0);
        let peer = |(begin, peer): (usize, u64)| {
            u32::try_from(peer)
                .ok()
                .filter(|peer| *peer < ranks)
                .ok_or_else(|| no_such_rank(peer, ranks).at(begin))
        };
        let (kind, size, peer) = match word {
            b"send" => {
                let (_, size) = words.number(b"b", SIZE)?;
                words.skip(b"to", "\"to\" and a rank")?;
                (OperationKind::Send, size, peer(words.number(b"", "the rank of the receiver")?)?)
            }
            b"recv" => {
                let (_, size) = words.number(b"b", SIZE)?;
                words.skip(b"from", "\"from\" and a rank")?;
                let from = words.number_or_any("the rank of the sender, or -1 for any")?;
                (OperationKind::Receive, size, from.map_or(Ok(ANY), peer)?)
            }
            b"calc" => (
                OperationKind::Calculate,
                words.number(b"", "the time in nanoseconds, such as 500")?.1,
                0,
            ),
            _ => {
                let near = nearest(&shown(word), ["send", "recv", "calc"]);
                let near = near.map(|near| format!("; did you mean {near:?}?"));
                let fault = words.expected(Some((begin, word)), "send, recv or calc");
                return Err(Fault::new(format!("{fault}{}", near.unwrap_or_default())).at(begin));
            }
        };
        let operation = GoalOperation::new(kind, peer, 0, size);
        let mut operation = GoalOperation { rank, line: self.line, ..operation };
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
                        fits.ok_or_else(|| too_many("tags", ANY - 1).at(begin))
                    };
                    operation.tag = tag.map_or(Ok(ANY), fits)?;
                }
                which @ (b"cpu" | b"nic") => {
                    words.next();
                    let (begin, number) = words.number(b"", UNIT)?;
                    let number = u8::try_from(number).ok().filter(|number| *number < u8::MAX);
                    let too_many = || too_many("processors or interfaces", 254).at(begin);
                    let number = number.ok_or_else(too_many)?;
                    if which == b"cpu" { operation.cpu = number } else { operation.nic = number }
                }
                _ => break,
            }
        }
        let number = self.graph.operations.len() as u32;
        if number >= MAX_OPERATIONS {
            return Err(too_many("operations", MAX_OPERATIONS - 1).at(begin));
        }
        if let Some((begin, label)) = label.filter(|(_, label)| !self.labels.define(label, number))
        {
            let label = shown(label);
            let fault = format!("label {label:?} is defined twice in this rank; rename one");
            return Err(Fault::new(fault).at(begin));
        }
        self.graph.operations.push(operation);
        Ok(())
    }

    /// Reads a dependency after `requires` or `irequires`.
    fn requires(
        &mut self,
        words: &mut Words,
        (begin, label): (usize, &[u8]),
        flag: u32,
    ) -> Result<()> {
        let missing = |begin, label| {
            let label = shown(label);
            Fault::new(format_args!(
                "label {label:?} is not defined above in this rank; define it before it is required"
            ))
            .at(begin)
        };
        let dependent = self.labels.find(label).ok_or_else(|| missing(begin, label))?;
        let Some((at, other)) = words.next() else {
            return Err(words.expected(None, "the label of the operation to wait for"));
        };
        let before = self.labels.find(other).ok_or_else(|| missing(at, other))?;
        if before == dependent {
            let label = shown(label);
            let fault = format!("operation {label:?} requires itself; remove the line");
            return Err(Fault::new(fault).at(at));
        }
        self.dependencies.push((before, dependent | flag));
        Ok(())
    }
}

/// The fault of a rank out of range.
fn no_such_rank(rank: u64, ranks: u32) -> Fault {
    Fault::new(format_args!(
        "rank {rank} does not exist: num_ranks is {ranks}, and ranks are numbered from 0; correct \
            one of them"
    ))
}

/// The fault of a number beyond a limit.
fn too_many(item: &str, max: u32) -> Fault {
    Fault::new(format_args!(
        "more than {max} {item} are not supported; correct the number or split the trace"
    ))
}
