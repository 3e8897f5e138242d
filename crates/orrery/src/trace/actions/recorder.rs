use super::action::{Action, CollectiveKind};
use super::blocks::{Block, MOST_ACTIONS, Round, mark_silent};
use super::communicators::Communicators;
use super::mistake::RecordError;
use super::replay::TraceSchedule;
use super::trace::{RankActions, Trace};
use crate::schedule::{Rank, Request, Tag};
use crate::units::{Bytes, Seconds};

/// Blocks may stand in blocks so often.
const DEEPEST: usize = 16;

/// No amount of bytes is larger.
const MOST_BYTES: u64 = 1 << 53;

/// A block that is being recorded; the lowest is the whole list of a rank.
#[derive(Debug, Default)]
struct Level {
    times: u32,
    first: u32,
    parts: Vec<Block>,
    /// How long it is so far, repetitions inside counted.
    length: u64,
    /// Requests that were posted or waited for in it.
    toggled: Vec<Request>,
}

/// Makes a trace action by action, rank after rank.
///
/// ```
/// use orrery::schedule::{Rank, Tag};
/// use orrery::trace::actions::{Action, TraceBuilder};
/// use orrery::units::Bytes;
/// let mut builder = TraceBuilder::new(2);
/// let (tag, size) = (Tag(0), Bytes::new(8));
/// builder.begin_rank(None)?;
/// builder.begin_loop(1_000_000)?;
/// builder.push(Action::Send { to: Rank(1), tag, size }, 0)?;
/// builder.end_loop()?;
/// builder.begin_rank(None)?;
/// builder.begin_loop(1_000_000)?;
/// builder.push(Action::Receive { from: Rank(0), tag, size }, 0)?;
/// builder.end_loop()?;
/// assert_eq!(builder.finish()?.actions(), 2_000_000);
/// # Ok::<(), orrery::trace::actions::RecordError>(())
/// ```
#[derive(Debug)]
pub struct TraceBuilder {
    world: u32,
    trace: Trace,
    told: RankActions,
    levels: Vec<Level>,
    /// Whether a request is posted.
    open: Vec<bool>,
}

impl TraceBuilder {
    /// A trace of so many ranks.
    pub fn new(ranks: u32) -> Self {
        let communicators = Communicators::new(ranks);
        let trace = Trace { files: Vec::new(), origins: Vec::new(), ranks: Vec::new(), communicators, actions: 0 };
        Self { world: ranks, trace, told: RankActions::default(), levels: Vec::new(), open: Vec::new() }
    }

    /// A file that lines stand in; gives its number.
    pub fn add_file(&mut self, name: &str) -> u32 {
        self.trace.files.push(name.to_owned());
        self.trace.files.len() as u32 - 1
    }

    /// A communicator of ranks in the order of their numbers in it; gives its own.
    ///
    /// # Errors
    ///
    /// When nobody is named, or somebody twice or who does not take part.
    pub fn add_communicator(&mut self, members: &[Rank]) -> Result<u32, RecordError> {
        self.trace.communicators.add(members).ok_or(RecordError::Members)
    }

    /// Begins the next rank, whose lines stand in a file, if they are known.
    ///
    /// # Errors
    ///
    /// When the rank before it has an open block, when there are no more ranks, or no such file.
    pub fn begin_rank(&mut self, file: Option<u32>) -> Result<(), RecordError> {
        self.end_rank()?;
        let told = self.trace.origins.len();
        let has_file = file.is_none_or(|file| (file as usize) < self.trace.files.len());
        if told >= self.world as usize || !has_file {
            return Err(RecordError::Ranks { told: told + 1, ranks: self.world });
        }
        self.trace.origins.push(file.unwrap_or(u32::MAX));
        self.levels.push(Level::default());
        Ok(())
    }

    fn end_rank(&mut self) -> Result<(), RecordError> {
        let Some(mut level) = self.levels.pop() else { return Ok(()) };
        if !self.levels.is_empty() {
            return Err(RecordError::Block { problem: "does not end" });
        }
        self.trace.actions += level.length;
        self.told.requests = self.open.len() as u32;
        let rank = Rank(self.trace.ranks.len() as u32);
        self.trace.ranks.push(std::mem::take(&mut self.told));
        if level.parts.iter().any(|part| part.round.is_some()) {
            let replay = TraceSchedule { trace: &self.trace, speeds: &[], test: Seconds::ZERO };
            mark_silent(&mut level.parts, &|place| replay.is_silent(rank, place));
            self.trace.ranks[rank.index()].parts = level.parts;
        }
        self.open.clear();
        Ok(())
    }

    /// The trace of all ranks.
    ///
    /// # Errors
    ///
    /// When ranks or the end of a block are lacking, and when there are no ranks at all.
    pub fn finish(mut self) -> Result<Trace, RecordError> {
        self.end_rank()?;
        let told = self.trace.ranks.len();
        if self.world == 0 {
            return Err(RecordError::Empty);
        }
        if told < self.world as usize {
            return Err(RecordError::Ranks { told, ranks: self.world });
        }
        Ok(self.trace)
    }

    /// Begins a block that is repeated so often.
    ///
    /// # Errors
    ///
    /// When it is repeated never, or blocks stand in blocks too deep.
    pub fn begin_loop(&mut self, times: u32) -> Result<(), RecordError> {
        if times == 0 {
            return Err(RecordError::Block { problem: "is repeated 0 times; leave it out" });
        }
        if self.levels.len() > DEEPEST {
            return Err(RecordError::Block { problem: "stands in 16 others; no more can" });
        }
        self.levels.push(Level { times, first: self.told.actions.len() as u32, ..Level::default() });
        Ok(())
    }

    /// Ends the block that began last.
    ///
    /// # Errors
    ///
    /// When nothing is in it, when it leaves requests as it did not find them, or when the rank gets too long.
    pub fn end_loop(&mut self) -> Result<(), RecordError> {
        if self.levels.len() < 2 {
            return Err(RecordError::Block { problem: "ends and did not begin" });
        }
        let Some(mut level) = self.levels.pop() else { return Ok(()) };
        if level.length == 0 {
            return Err(RecordError::Block { problem: "is empty; leave it out" });
        }
        level.toggled.sort_unstable_by_key(|request| request.0);
        if let Some(odd) = level.toggled.chunk_by(|a, b| a == b).find(|same| same.len() % 2 == 1) {
            let problem = "is not as before at the end of a block that is repeated: post and wait for it in the block";
            return Err(RecordError::Request { request: odd[0].0, problem });
        }
        let stored = self.told.actions.len() as u32 - level.first;
        let round = Round { times: level.times, length: level.length as u32, parts: level.parts, is_silent: false };
        let above = self.level()?;
        let at = above.length as u32;
        let actions = above.length + level.length * u64::from(level.times);
        if actions > MOST_ACTIONS {
            return Err(RecordError::TooMany { actions });
        }
        above.length = actions;
        above.parts.push(Block { at, first: level.first, stored, round: Some(round) });
        Ok(())
    }

    fn level(&mut self) -> Result<&mut Level, RecordError> {
        let ranks = self.world;
        self.levels.last_mut().ok_or(RecordError::Ranks { told: 0, ranks })
    }

    /// Records an action, of one size at most; its line is remembered when the rank has a file.
    ///
    /// # Errors
    ///
    /// When it names who or what is not there.
    pub fn push(&mut self, action: Action, line: u32) -> Result<(), RecordError> {
        self.check(action)?;
        self.stored(action, line)
    }

    fn stored(&mut self, action: Action, line: u32) -> Result<(), RecordError> {
        let place = self.told.actions.len() as u32;
        let has_file = self.trace.origins.last().is_some_and(|&file| file != u32::MAX);
        let level = self.level()?;
        if level.length >= MOST_ACTIONS {
            return Err(RecordError::TooMany { actions: level.length + 1 });
        }
        match level.parts.last_mut() {
            Some(part) if part.round.is_none() => part.stored += 1,
            _ => level.parts.push(Block::plain(level.length as u32, place, 1)),
        }
        level.length += 1;
        self.told.actions.push(action);
        if has_file {
            self.told.lines.push(line);
        }
        Ok(())
    }

    /// Records a wait for several requests.
    ///
    /// # Errors
    ///
    /// When one is not posted.
    pub fn wait_all(&mut self, requests: &[Request], line: u32) -> Result<(), RecordError> {
        for &request in requests {
            self.toggle(request, false)?;
        }
        let first = self.told.remember_awaited(requests);
        self.stored(Action::WaitAll { first, count: requests.len() as u32 }, line)
    }

    /// Records a collective operation: its root by its number in the communicator, the size of the rank's own block
    /// (of [`CollectiveKind::ReduceScatter`] that of an element), and the sizes of those that have several.
    ///
    /// # Errors
    ///
    /// When the communicator, the rank in it, the root or a size is not there.
    pub fn collective(
        &mut self,
        kind: CollectiveKind,
        communicator: u32,
        root: u32,
        size: Bytes,
        sizes: &[Bytes],
        line: u32,
    ) -> Result<(), RecordError> {
        let ranks = self.members(communicator)?;
        if root as usize >= ranks {
            return Err(RecordError::Root { root, ranks });
        }
        let (needed, found) = (kind.sizes(ranks), sizes.len());
        if needed != found {
            return Err(RecordError::Sizes { kind: kind.name(), needed, found });
        }
        check_size(size)?;
        let all = sizes.iter().try_fold(0, |all: u64, size| all.checked_add(size.get()));
        check_size(all.map_or(Bytes::new(u64::MAX), Bytes::new))?;
        let sizes = self.told.remember_sizes(sizes);
        self.stored(Action::Collective { kind, communicator, root, sizes, size }, line)
    }

    /// How many ranks a communicator has, in which the present one must be.
    pub(in crate::trace) fn members(&self, communicator: u32) -> Result<usize, RecordError> {
        let communicators = &self.trace.communicators;
        if communicator >= communicators.count() {
            return Err(RecordError::Communicator { communicator, count: communicators.count() });
        }
        let rank = self.trace.ranks.len() as u32;
        communicators.place(communicator, Rank(rank)).ok_or(RecordError::NotMember { rank, communicator })?;
        Ok(communicators.size(communicator))
    }

    fn check(&mut self, action: Action) -> Result<(), RecordError> {
        let ranks = self.world;
        let peer = |rank: Rank| if rank.0 < ranks { Ok(()) } else { Err(RecordError::Rank { rank: rank.0, ranks }) };
        let from = |rank| if rank == Action::ANY_SOURCE { Ok(()) } else { peer(rank) };
        let amount = |amount: f64| (0.0..f64::INFINITY).contains(&amount);
        match action {
            Action::Compute { flops } if !amount(flops) => Err(RecordError::Amount { what: "a number of operations" }),
            Action::Sleep { seconds } if !amount(seconds) => Err(RecordError::Amount { what: "a number of seconds" }),
            Action::Compute { .. } | Action::Sleep { .. } | Action::Probe => Ok(()),
            Action::Send { to, tag, size } => peer(to).and_then(|()| check_message(tag, size)),
            Action::Receive { from: sender, tag, size } => from(sender).and_then(|()| check_message(tag, size)),
            Action::PostSend { to, tag, request, size } => {
                peer(to).and_then(|()| check_message(tag, size))?;
                self.toggle(request, true)
            }
            Action::PostReceive { from: sender, tag, request, size } => {
                from(sender).and_then(|()| check_message(tag, size))?;
                self.toggle(request, true)
            }
            Action::Wait { request } => self.toggle(request, false),
            Action::Test { request } if self.is_open(request) => Ok(()),
            Action::Test { request } => Err(RecordError::Request { request: request.0, problem: NOT_POSTED }),
            Action::WaitAll { .. } | Action::Collective { .. } => {
                Err(RecordError::Amount { what: "an action without a list: record it by its own method" })
            }
        }
    }

    fn is_open(&self, request: Request) -> bool {
        self.open.get(request.0 as usize).copied().unwrap_or(false)
    }

    /// A request is posted, or waited for.
    fn toggle(&mut self, request: Request, posts: bool) -> Result<(), RecordError> {
        if self.is_open(request) == posts {
            let problem = if posts { "is posted again before it was waited for" } else { NOT_POSTED };
            return Err(RecordError::Request { request: request.0, problem });
        }
        let place = request.0 as usize;
        if place > self.open.len() {
            let problem = "is not the next: requests are numbered from 0 without gaps, as they are first posted";
            return Err(RecordError::Request { request: request.0, problem });
        }
        if place == self.open.len() {
            self.open.push(false);
        }
        self.open[place] = posts;
        if self.levels.len() > 1 {
            self.level()?.toggled.push(request);
        }
        Ok(())
    }
}

const NOT_POSTED: &str = "is not posted";

fn check_message(tag: Tag, size: Bytes) -> Result<(), RecordError> {
    if tag.0 >= 1 << 31 {
        return Err(RecordError::Amount { what: "a tag from 0 to 2147483647" });
    }
    check_size(size)
}

fn check_size(size: Bytes) -> Result<(), RecordError> {
    if size.get() > MOST_BYTES { Err(RecordError::Amount { what: "a size of at most 2^53 bytes" }) } else { Ok(()) }
}
