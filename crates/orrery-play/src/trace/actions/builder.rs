use super::action::{Action, CollectiveKind};
use super::collective::CollectiveAlgorithms;
use super::communicators::Communicators;
use super::loops::{Loop, MAX_ACTIONS, Segment, mark_silent};
use super::trace::{RankActions, Trace};
use orrery_base::file::{Fault, Result};
use orrery_base::units::Bytes;
use orrery_program::schedule::{Rank, Request, Tag, Transfer};

/// The maximum depth of nested loops.
const MAX_DEPTH: usize = 16;

/// The maximum size of a message in bytes.
const MAX_BYTES: u64 = 1 << 53;

/// A loop that is being recorded; the first one is the whole list of a rank.
#[derive(Debug, Default)]
struct OpenLoop {
    iterations: u32,
    /// The index of its first stored action.
    first: u32,
    /// The segments of its body so far.
    body: Vec<Segment>,
    /// The length of its body so far, with repetitions of inner loops counted.
    length: u64,
    /// The requests that were posted or waited for in it, once for each time.
    toggled: Vec<Request>,
}

/// Records a trace: rank after rank, action by action.
///
/// ```
/// use orrery_program::schedule::{Rank, Tag, Transfer};
/// use orrery_play::trace::actions::{Action, TraceBuilder};
/// use orrery_base::units::Bytes;
/// let mut builder = TraceBuilder::new(2);
/// let (tag, size) = (Tag(0), Bytes::new(8));
/// builder.begin_rank(None)?;
/// builder.begin_loop(1_000_000)?;
/// builder.push(Action::Do(Transfer::Send { to: Rank(1), tag, size }), 0)?;
/// builder.end_loop()?;
/// builder.begin_rank(None)?;
/// builder.begin_loop(1_000_000)?;
/// builder.push(Action::Do(Transfer::Receive { from: Rank(0), tag, size }), 0)?;
/// builder.end_loop()?;
/// assert_eq!(builder.finish()?.actions(), 2_000_000);
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
#[derive(Debug)]
pub struct TraceBuilder {
    /// The number of ranks of the trace.
    ranks: u32,
    /// The trace of the ranks that are finished.
    trace: Trace,
    /// The actions of the current rank.
    current: RankActions,
    /// The open loops of the current rank, the innermost last; empty before the first rank.
    loops: Vec<OpenLoop>,
    /// For each request of the current rank: true if it is posted and not yet waited for.
    posted: Vec<bool>,
}

impl TraceBuilder {
    /// Starts a trace with a number of ranks.
    pub fn new(ranks: u32) -> Self {
        let communicators = Communicators::new(ranks);
        let trace = Trace {
            files: Vec::new(),
            file_of_rank: Vec::new(),
            ranks: Vec::new(),
            communicators,
            actions: 0,
            algorithms: CollectiveAlgorithms::default(),
        };
        Self {
            ranks,
            trace,
            current: RankActions::default(),
            loops: Vec::new(),
            posted: Vec::new(),
        }
    }

    /// Adds a source file and returns its number.
    pub fn add_file(&mut self, name: &str) -> u32 {
        self.trace.files.push(name.to_owned());
        self.trace.files.len() as u32 - 1
    }

    /// Adds a communicator of ranks, in the order of their numbers in it, and returns its number.
    ///
    /// # Errors
    ///
    /// An empty list, a rank that does not exist, or a rank that is named twice.
    pub fn add_communicator(&mut self, members: &[Rank]) -> Result<u32> {
        self.trace.communicators.add(members)
    }

    /// Returns true if these are all ranks in order.
    pub(in crate::trace) fn is_world(&self, members: &[u32]) -> bool {
        members.iter().copied().eq(0..self.ranks)
    }

    /// The number of a rank in a communicator; `None` if it is not a member.
    pub(in crate::trace) fn number_in(&self, communicator: u32, rank: Rank) -> Option<usize> {
        self.trace.communicators.number(communicator, rank)
    }

    /// Begins the next rank; `file` is the number of its source file, if its lines are known.
    ///
    /// # Errors
    ///
    /// An open loop of the rank before, a rank beyond the number of ranks, and a file that does not
    /// exist.
    pub fn begin_rank(&mut self, file: Option<u32>) -> Result<()> {
        self.end_rank()?;
        let recorded = self.trace.file_of_rank.len();
        let has_file = file.is_none_or(|file| (file as usize) < self.trace.files.len());
        if recorded >= self.ranks as usize || !has_file {
            return Err(incomplete(recorded + 1, self.ranks));
        }
        self.trace.file_of_rank.push(file.unwrap_or(u32::MAX));
        self.loops.push(OpenLoop::default());
        Ok(())
    }

    /// Moves the current rank to the trace.
    fn end_rank(&mut self) -> Result<()> {
        let Some(mut list) = self.loops.pop() else { return Ok(()) };
        if !self.loops.is_empty() {
            return Err("this loop has no end; write the trace again".into());
        }
        self.trace.actions += list.length;
        self.current.requests = self.posted.len() as u32;
        let rank = Rank(self.trace.ranks.len() as u32);
        self.trace.ranks.push(std::mem::take(&mut self.current));
        if list.body.iter().any(|segment| segment.repeated.is_some()) {
            let schedule = self.trace.schedule_without_times();
            mark_silent(&mut list.body, &|index| schedule.is_silent(rank, index));
            self.trace.ranks[rank.index()].segments = list.body;
        }
        self.posted.clear();
        Ok(())
    }

    /// Returns the trace of all ranks.
    ///
    /// # Errors
    ///
    /// An open loop, missing ranks, and a trace without ranks.
    pub fn finish(mut self) -> Result<Trace> {
        self.end_rank()?;
        let recorded = self.trace.ranks.len();
        if self.ranks == 0 {
            return Err("the trace has no ranks; record at least one".into());
        }
        if recorded < self.ranks as usize {
            return Err(incomplete(recorded, self.ranks));
        }
        Ok(self.trace)
    }

    /// Begins a loop with a number of iterations.
    ///
    /// # Errors
    ///
    /// A loop of 0 iterations, and loops that are nested too deeply.
    pub fn begin_loop(&mut self, iterations: u32) -> Result<()> {
        if iterations == 0 {
            return Err("this loop has 0 iterations; leave it out".into());
        }
        if self.loops.len() > MAX_DEPTH {
            return Err("this loop is nested in 16 others; that is the maximum".into());
        }
        let first = self.current.actions.len() as u32;
        self.loops.push(OpenLoop { iterations, first, ..OpenLoop::default() });
        Ok(())
    }

    /// Ends the loop that began last.
    ///
    /// # Errors
    ///
    /// An empty loop, one that leaves a request posted that was not posted before it or the
    /// reverse, and too many actions.
    pub fn end_loop(&mut self) -> Result<()> {
        if self.loops.len() < 2 {
            return Err("this loop ends without a beginning; write the trace again".into());
        }
        let Some(mut inner) = self.loops.pop() else { return Ok(()) };
        if inner.length == 0 {
            return Err("this loop is empty; leave it out".into());
        }
        inner.toggled.sort_unstable_by_key(|request| request.0);
        if let Some(odd) = inner.toggled.chunk_by(|a, b| a == b).find(|same| same.len() % 2 == 1) {
            let problem = "is in another state after an iteration than before it; post it and wait \
                for it within the loop";
            return Err(request_fault(odd[0], problem));
        }
        let stored = self.current.actions.len() as u32 - inner.first;
        let OpenLoop { iterations, first, body, length, .. } = inner;
        let repeated = Loop { iterations, length: length as u32, body, is_silent: false };
        let outer = self.innermost()?;
        let start = outer.length as u32;
        let actions = outer.length + length * u64::from(iterations);
        if actions > MAX_ACTIONS {
            return Err(too_many(actions));
        }
        outer.length = actions;
        outer.body.push(Segment { start, first, stored, repeated: Some(repeated) });
        Ok(())
    }

    /// The innermost open loop of the current rank; an error before the first rank.
    fn innermost(&mut self) -> Result<&mut OpenLoop> {
        let ranks = self.ranks;
        self.loops.last_mut().ok_or_else(|| incomplete(0, ranks))
    }

    /// Records an action without a list; `line` is stored if the rank has a file.
    ///
    /// # Errors
    ///
    /// A rank, a request, an amount or a tag that is not allowed; [`Action::WaitAll`] and
    /// [`Action::Collective`], which have methods of their own.
    pub fn push(&mut self, action: Action, line: u32) -> Result<()> {
        self.check(action)?;
        self.store(action, line)
    }

    /// Stores a checked action.
    fn store(&mut self, action: Action, line: u32) -> Result<()> {
        let index = self.current.actions.len() as u32;
        let has_file = self.trace.file_of_rank.last().is_some_and(|&file| file != u32::MAX);
        let innermost = self.innermost()?;
        if innermost.length >= MAX_ACTIONS {
            return Err(too_many(innermost.length + 1));
        }
        match innermost.body.last_mut() {
            Some(segment) if segment.repeated.is_none() => segment.stored += 1,
            _ => innermost.body.push(Segment::plain(innermost.length as u32, index, 1)),
        }
        innermost.length += 1;
        self.current.actions.push(action);
        if has_file {
            self.current.lines.push(line);
        }
        Ok(())
    }

    /// Records a wait for several requests.
    ///
    /// # Errors
    ///
    /// A request that is not posted.
    pub fn wait_all(&mut self, requests: &[Request], line: u32) -> Result<()> {
        for &request in requests {
            self.set_posted(request, false)?;
        }
        let first = self.current.add_awaited(requests);
        self.store(Action::WaitAll { first, count: requests.len() as u32 }, line)
    }

    /// Records a collective operation: the number of its root in the communicator, the size of the
    /// rank's own block (of [`CollectiveKind::ReduceScatter`] that of an element), and its list of
    /// sizes.
    ///
    /// # Errors
    ///
    /// A communicator without this rank, a root that is not in it, a size out of range, and a list
    /// with the wrong length.
    pub fn collective(
        &mut self,
        kind: CollectiveKind,
        communicator: u32,
        root: u32,
        size: Bytes,
        sizes: &[Bytes],
        line: u32,
    ) -> Result<()> {
        let ranks = self.communicator_size(communicator)?;
        if root as usize >= ranks {
            return Err(Fault::new(format_args!(
                "the root {root} is not in the communicator, which has {ranks} ranks numbered \
                    from 0"
            )));
        }
        let (needed, found) = (kind.size_count(ranks), sizes.len());
        if needed != found {
            let kind = kind.name();
            return Err(Fault::new(format_args!(
                "the number of sizes of {kind} is {found}, but must be {needed} in this \
                    communicator"
            )));
        }
        check_size(size)?;
        let sum = sizes.iter().try_fold(0, |sum: u64, size| sum.checked_add(size.get()));
        check_size(sum.map_or(Bytes::new(u64::MAX), Bytes::new))?;
        let sizes = self.current.add_sizes(sizes);
        self.store(Action::Collective { kind, communicator, root, sizes, size }, line)
    }

    /// The number of ranks of a communicator, which must contain the current rank.
    pub(in crate::trace) fn communicator_size(&self, communicator: u32) -> Result<usize> {
        let communicators = &self.trace.communicators;
        if communicator >= communicators.count() {
            let count = communicators.count();
            return Err(Fault::new(format_args!(
                "communicator {communicator} does not exist; the trace has {count}, numbered \
                    from 0"
            )));
        }
        let rank = self.trace.ranks.len() as u32;
        if communicators.number(communicator, Rank(rank)).is_none() {
            return Err(Fault::new(format_args!(
                "rank {rank} is not a member of communicator {communicator}; write the trace again"
            )));
        }
        Ok(communicators.size(communicator))
    }

    /// Checks an action, and records that its request is posted or waited for.
    fn check(&mut self, action: Action) -> Result<()> {
        match action {
            Action::Compute { flops } => check_amount(flops, "a number of operations"),
            Action::Sleep { seconds } => check_amount(seconds, "a number of seconds"),
            Action::Probe => Ok(()),
            Action::Do(transfer) => self.check_transfer(transfer),
            Action::Post(transfer, request) => {
                self.check_transfer(transfer)?;
                self.set_posted(request, true)
            }
            Action::Wait(request) => self.set_posted(request, false),
            Action::Test(request) if self.is_posted(request) => Ok(()),
            Action::Test(request) => Err(request_fault(request, NOT_POSTED)),
            Action::WaitAll { .. } | Action::Collective { .. } => {
                Err(expected("an action without a list"))
            }
        }
    }

    /// Checks the peer, the tag and the size of a message.
    fn check_transfer(&self, transfer: Transfer) -> Result<()> {
        let (peer, tag, size) = match transfer {
            Transfer::Send { to: peer, tag, size }
            | Transfer::Receive { from: peer, tag, size } => (Some(peer), tag, size),
            Transfer::ReceiveAny { tag, size } => (None, tag, size),
        };
        if let Some(peer) = peer.filter(|peer| peer.0 >= self.ranks) {
            return Err(Fault::new(format_args!(
                "rank {peer} does not exist; the trace has {} ranks, numbered from 0",
                self.ranks
            )));
        }
        if tag.0 >= Tag::COLLECTIVE {
            return Err(expected("a tag from 0 to 2147483647"));
        }
        check_size(size)
    }

    /// Returns true if a request is posted and not yet waited for.
    fn is_posted(&self, request: Request) -> bool {
        self.posted.get(request.0 as usize).copied().unwrap_or(false)
    }

    /// Records that a request is posted or waited for; an error if it was before, or is too high.
    fn set_posted(&mut self, request: Request, posted: bool) -> Result<()> {
        if self.is_posted(request) == posted {
            let problem = if posted { "is posted again before a wait for it" } else { NOT_POSTED };
            return Err(request_fault(request, problem));
        }
        let index = request.0 as usize;
        if index > self.posted.len() {
            let problem = "is out of order; requests are numbered from 0 in the order in which \
                they are first posted";
            return Err(request_fault(request, problem));
        }
        if index == self.posted.len() {
            self.posted.push(false);
        }
        self.posted[index] = posted;
        if self.loops.len() > 1 {
            self.innermost()?.toggled.push(request);
        }
        Ok(())
    }
}

/// The fault of a trace without the records of some ranks.
fn incomplete(recorded: usize, ranks: u32) -> Fault {
    Fault::new(format_args!("{recorded} of {ranks} ranks are recorded; record all of them"))
}

/// The fault of an amount, a size or a tag out of range.
fn expected(what: &str) -> Fault {
    Fault::new(format_args!("{what} is expected here"))
}

/// The fault of a request that is used out of order.
fn request_fault(request: Request, problem: &str) -> Fault {
    Fault::new(format_args!("request {} {problem}", request.0))
}

/// The fault of a rank with more actions than positions.
fn too_many(actions: u64) -> Fault {
    Fault::new(format_args!(
        "the rank has {actions} actions with repetitions, but at most {MAX_ACTIONS} can be \
            replayed; trace fewer iterations"
    ))
}

/// The problem of a request that is not posted.
const NOT_POSTED: &str = "is not posted";

/// Checks that an amount is finite and not negative.
fn check_amount(amount: f64, what: &str) -> Result<()> {
    if (0.0..f64::INFINITY).contains(&amount) { Ok(()) } else { Err(expected(what)) }
}

/// Checks the size of a message.
fn check_size(size: Bytes) -> Result<()> {
    if size.get() > MAX_BYTES { Err(expected("a size of at most 2^53 bytes")) } else { Ok(()) }
}
