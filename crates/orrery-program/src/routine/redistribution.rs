//! Redistribution of a matrix from one block-cyclic layout to another.

use super::matching::{MAX_VERTICES, Steps, matchings};
use super::{Layout, Overlaps};
use crate::schedule::{Cursor, Operation, Rank, Request, Schedule, Tag, Transfer};
use orrery_base::file::Fault;
use orrery_base::units::Bytes;

/// What each process of a layout has to send to each process of another one.
///
/// Process (i, j) of the first grid sends R(i, i′)·C(j, j′) elements to process (i′, j′) of the
/// second one in one message, where R and C are the numbers of rows and columns that both have
/// ([`Cyclic::overlaps`](super::Cyclic::overlaps)).
///
/// Source: F. Desprez et al., *Scheduling block-cyclic array redistribution*, TPDS 9(2), 1998.
///
/// ```
/// use orrery_program::routine::{Layout, ProcessGrid, Redistribution};
/// use orrery_base::units::Bytes;
/// let layout = |rows, columns| Layout::new(ProcessGrid::new(rows, columns)?, (1000, 1000), (100, 100));
/// let redistribution = Redistribution::new(layout(2, 2)?, layout(1, 4)?, Bytes::new(8))?;
/// // Process (1, 0) has five blocks of rows and five of columns; three of these are for process (0, 0).
/// assert_eq!(redistribution.bytes(2, 0), Bytes::new(500 * 300 * 8));
/// // Each process has parts for two processes; one of them is itself.
/// assert_eq!(redistribution.messages().count(), 4);
/// # Ok::<(), orrery_base::file::Fault>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redistribution {
    from: Layout,
    to: Layout,
    rows: Overlaps,
    columns: Overlaps,
    element: Bytes,
    places: Places,
}

impl Redistribution {
    /// The redistribution of a matrix whose elements have this size.
    ///
    /// # Errors
    ///
    /// When the layouts have different numbers of rows or columns, or repeat after too many blocks.
    pub fn new(from: Layout, to: Layout, element: Bytes) -> Result<Self, Fault> {
        let rows = from.rows.overlaps(&to.rows)?;
        let columns = from.columns.overlaps(&to.columns)?;
        let places = Places::new(&from, &to);
        Ok(Self { from, to, rows, columns, element, places })
    }

    /// The layout before.
    pub fn from(&self) -> &Layout {
        &self.from
    }

    /// The layout after.
    pub fn to(&self) -> &Layout {
        &self.to
    }

    /// The number of bytes that a process of the first grid has for one of the second, by their
    /// numbers in the grids; it is copied if both are the same rank.
    pub fn bytes(&self, from: usize, to: usize) -> Bytes {
        let (sources, targets) =
            (self.from.grid.columns() as usize, self.to.grid.columns() as usize);
        let rows = self.rows.get((from / sources) as u32, (to / targets) as u32);
        let columns = self.columns.get((from % sources) as u32, (to % targets) as u32);
        Bytes::new(rows * columns * self.element.get())
    }

    /// The messages: sender, receiver and size; empty ones and copies within a process are left
    /// out.
    pub fn messages(&self) -> impl Iterator<Item = (Rank, Rank, Bytes)> + '_ {
        let (from, to) = (self.from.grid.ranks(), self.to.grid.ranks());
        let of = move |source: usize| {
            let message =
                move |target: usize| (from[source], to[target], self.bytes(source, target));
            (0..to.len()).map(message)
        };
        (0..from.len()).flat_map(of).filter(|(from, to, size)| from != to && *size > Bytes::ZERO)
    }

    /// The number of bytes of all messages.
    pub fn volume(&self) -> Bytes {
        let of = |layout: &Layout, number: usize| self.part(layout, number);
        let parts: u64 = (0..self.from.grid.processes()).map(|number| of(&self.from, number)).sum();
        let copies: u64 = (0..self.from.grid.processes()).map(|number| self.copied(number)).sum();
        Bytes::new(parts - copies)
    }

    /// The number of bytes that the busiest process sends or receives. With one message at a time
    /// in each direction, no schedule is shorter than these bytes at the rate of a port.
    pub fn largest_volume(&self) -> Bytes {
        let sent = (0..self.from.grid.processes())
            .map(|number| self.part(&self.from, number) - self.copied(number));
        let received = self.to.grid.ranks().iter().enumerate().map(|(number, rank)| {
            let source = self.places.from[rank.index()];
            let copied = source.map_or(0, |source| self.bytes(source, number).get());
            self.part(&self.to, number) - copied
        });
        Bytes::new(sent.chain(received).max().unwrap_or(0))
    }

    /// The number of bytes of the matrix that a process, by its number in the grid, has in a
    /// layout.
    fn part(&self, layout: &Layout, number: usize) -> u64 {
        let columns = layout.grid.columns() as usize;
        let (row, column) = ((number / columns) as u32, (number % columns) as u32);
        layout.rows.count(row) * layout.columns.count(column) * self.element.get()
    }

    /// The number of bytes that a process of the first grid keeps, since it is in the second one,
    /// too.
    fn copied(&self, from: usize) -> u64 {
        let rank = self.from.grid.ranks()[from];
        self.places.to[rank.index()].map_or(0, |to| self.bytes(from, to).get())
    }

    /// The schedule of `pdgemr2d`: processes meet each other in turn with posted sends, in
    /// max(p₀·q₀, p₁·q₁) steps; empty messages are left out.
    pub fn caterpillar(&self) -> Caterpillar<'_> {
        Caterpillar::new(self)
    }

    /// The schedule by matchings: in each step a process sends at most one message and receives at
    /// most one. Steps with large messages come first, so that the messages of a step have similar
    /// sizes.
    ///
    /// A step of the whole matrix is one of the rows with one of the columns if no schedule has
    /// fewer steps than these, or if a grid has more than 128 processes; otherwise the messages of
    /// whole processes are divided, into the fewest possible steps.
    ///
    /// # Errors
    ///
    /// When a dimension of a grid has more than 128 processes.
    pub fn matching(&self) -> Result<Matching<'_>, Fault> {
        let of = |overlaps: &Overlaps| {
            let shape = overlaps.shape();
            let steps = matchings(shape, |from, to| overlaps.get(from as u32, to as u32));
            steps.ok_or_else(|| {
                let most = shape.0.max(shape.1);
                Fault::new(format!(
                    "a grid has {most} processes in a dimension, but schedules by matchings have \
                        at most {MAX_VERTICES}; use the schedule caterpillar"
                ))
            })
        };
        let (rows, columns) = (of(&self.rows)?, of(&self.columns)?);
        let processes = (self.from.grid.processes(), self.to.grid.processes());
        let is_least = rows.count() * columns.count() == self.largest_degree();
        let whole = if is_least {
            None
        } else {
            matchings(processes, |from, to| self.bytes(from, to).get())
        };
        let plan = whole.map_or(Plan::Product { rows, columns }, Plan::Whole);
        Ok(Matching { redistribution: self, plan })
    }

    /// The largest number of messages and copies that a process sends or receives.
    fn largest_degree(&self) -> usize {
        let of_grid = |degrees: fn(&Overlaps) -> Vec<usize>| {
            let largest = |overlaps| degrees(overlaps).into_iter().max().unwrap_or(0);
            largest(&self.rows) * largest(&self.columns)
        };
        of_grid(Overlaps::targets).max(of_grid(Overlaps::sources))
    }
}

/// The numbers of each rank in both grids.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Places {
    from: Vec<Option<usize>>,
    to: Vec<Option<usize>>,
}

impl Places {
    /// The numbers of the ranks in the grids of both layouts.
    fn new(from: &Layout, to: &Layout) -> Self {
        let all = from.grid.ranks().iter().chain(to.grid.ranks());
        let ranks = all.map(|rank| rank.index() + 1).max().unwrap_or(0);
        let of = |layout: &Layout| {
            let mut places = vec![None; ranks];
            layout
                .grid
                .ranks()
                .iter()
                .enumerate()
                .for_each(|(number, rank)| places[rank.index()] = Some(number));
            places
        };
        Self { from: of(from), to: of(to) }
    }

    /// The number of ranks of a program: one more than the largest of both grids.
    fn ranks(&self) -> usize {
        self.from.len()
    }
}

/// A schedule of a redistribution in steps.
pub trait StepSchedule: Schedule {
    /// The number of steps.
    fn steps(&self) -> usize;
}

/// The schedule of `pdgemr2d`.
///
/// Processes of both grids have a position each, those of both grids the first ones. In step k,
/// position x meets position (t − 1 − x − k) mod t, where t is the number of positions. The lower
/// position of a pair sends first. Sends are posted, as `dgesd2d` of BLACS does, and awaited after
/// the last step only, so that the messages of several steps are under way at the same time.
///
/// Source: `REDIST/SRC/pdgemr.c` and `BLACS/SRC/BI_Asend.c` of ScaLAPACK 2.2.
#[derive(Debug, Clone)]
pub struct Caterpillar<'a> {
    redistribution: &'a Redistribution,
    /// The position of each rank.
    positions: Vec<Option<usize>>,
    /// The processes of the first and of the second grid, by position.
    senders: Vec<Option<usize>>,
    receivers: Vec<Option<usize>>,
    steps: usize,
}

impl<'a> Caterpillar<'a> {
    /// Gives the processes their positions, those of both grids the first ones.
    fn new(redistribution: &'a Redistribution) -> Self {
        let places = &redistribution.places;
        let ranks = places.ranks();
        let steps = redistribution.from.grid.processes().max(redistribution.to.grid.processes());
        let mut positions = vec![None; ranks];
        let (mut senders, mut receivers) = (Vec::new(), Vec::new());
        let is_in = |places: &[Option<usize>], rank: &usize| places[*rank].is_some();
        for rank in (0..ranks).filter(|rank| is_in(&places.from, rank) && is_in(&places.to, rank)) {
            positions[rank] = Some(senders.len());
            senders.push(places.from[rank]);
            receivers.push(places.to[rank]);
        }
        for rank in (0..ranks).filter(|rank| positions[*rank].is_none()).collect::<Vec<_>>() {
            if is_in(&places.from, &rank) {
                positions[rank] = Some(senders.len());
                senders.push(places.from[rank]);
            } else if is_in(&places.to, &rank) {
                positions[rank] = Some(receivers.len());
                receivers.push(places.to[rank]);
            }
        }
        senders.resize(steps, None);
        receivers.resize(steps, None);
        Self { redistribution, positions, senders, receivers, steps }
    }

    /// The size of the message of a process of the first grid to one of the second; `None` if it is
    /// empty or a rank is not in the grid.
    fn message(&self, from: Option<usize>, to: Option<usize>) -> Option<Bytes> {
        Some(self.redistribution.bytes(from?, to?)).filter(|size| *size > Bytes::ZERO)
    }

    /// The message that a rank at a position sends in a step: receiver and size.
    fn sent(&self, rank: Rank, own: usize, step: usize) -> Option<(Rank, Bytes)> {
        let (from, to) = (&self.redistribution.from.grid, &self.redistribution.to.grid);
        self.senders[own].filter(|number| from.ranks()[*number] == rank)?;
        let number = self.receivers[self.met(own, step)]?;
        let to_rank = to.ranks()[number];
        let size = self.message(self.senders[own], Some(number)).filter(|_| to_rank != rank)?;
        Some((to_rank, size))
    }

    /// The message that a rank at a position receives in a step: sender and size.
    fn received(&self, rank: Rank, own: usize, step: usize) -> Option<(Rank, Bytes)> {
        let (from, to) = (&self.redistribution.from.grid, &self.redistribution.to.grid);
        self.receivers[own].filter(|number| to.ranks()[*number] == rank)?;
        let number = self.senders[self.met(own, step)]?;
        let from_rank = from.ranks()[number];
        let size = self.message(Some(number), self.receivers[own]).filter(|_| from_rank != rank)?;
        Some((from_rank, size))
    }

    /// The position that a position meets in a step.
    fn met(&self, own: usize, step: usize) -> usize {
        (2 * self.steps - 1 - own - step) % self.steps
    }
}

impl Schedule for Caterpillar<'_> {
    fn ranks(&self) -> usize {
        self.positions.len()
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        let own = self.positions[rank.index()]?;
        while (cursor.statement as usize) < 2 * self.steps {
            let statement = cursor.statement as usize;
            // Each step has two halves; the waits for its send follow after all steps.
            let (step, is_wait) = (statement % self.steps, statement >= self.steps);
            let half = cursor.advance();
            if half > 1 {
                *cursor = Cursor { statement: cursor.statement + 1, step: 0 };
                continue;
            }
            let request = Request(step as u32);
            let sends = (half == 0) == (own <= self.met(own, step));
            let operation = match (is_wait, sends) {
                (true, true) => self.sent(rank, own, step).map(|_| Operation::Wait(request)),
                (true, false) => None,
                (false, true) => self.sent(rank, own, step).map(|(to, size)| {
                    Operation::Post(Transfer::Send { to, size, tag: Tag(0) }, request)
                }),
                (false, false) => self
                    .received(rank, own, step)
                    .map(|(from, size)| Operation::receive(from, size)),
            };
            if operation.is_some() {
                return operation;
            }
        }
        None
    }
}

impl StepSchedule for Caterpillar<'_> {
    fn steps(&self) -> usize {
        self.steps
    }
}

/// A schedule by matchings ([`Redistribution::matching`]).
#[derive(Debug, Clone)]
pub struct Matching<'a> {
    redistribution: &'a Redistribution,
    plan: Plan,
}

/// The messages of each step.
#[derive(Debug, Clone)]
enum Plan {
    /// Each step of the rows with each step of the columns.
    Product { rows: Steps, columns: Steps },
    /// The steps of whole processes.
    Whole(Steps),
}

impl Matching<'_> {
    /// The process of the second grid to which a process of the first one sends in a step; `None`
    /// if it sends nothing.
    fn target(&self, step: usize, from: usize) -> Option<usize> {
        let (rows, columns) = match &self.plan {
            Plan::Whole(steps) => return steps.target(step, from),
            Plan::Product { rows, columns } => (rows, columns),
        };
        let width = self.redistribution.from.grid.columns() as usize;
        let row = rows.target(step / columns.count(), from / width)?;
        let column = columns.target(step % columns.count(), from % width)?;
        Some(row * self.redistribution.to.grid.columns() as usize + column)
    }

    /// The process of the first grid from which a process of the second one receives in a step;
    /// `None` if it receives nothing.
    fn source(&self, step: usize, to: usize) -> Option<usize> {
        let (rows, columns) = match &self.plan {
            Plan::Whole(steps) => return steps.source(step, to),
            Plan::Product { rows, columns } => (rows, columns),
        };
        let width = self.redistribution.to.grid.columns() as usize;
        let row = rows.source(step / columns.count(), to / width)?;
        let column = columns.source(step % columns.count(), to % width)?;
        Some(row * self.redistribution.from.grid.columns() as usize + column)
    }

    /// The sum over the steps of the largest message or copy of each.
    pub fn length(&self) -> Bytes {
        Bytes::new(match &self.plan {
            Plan::Whole(steps) => steps.length(),
            Plan::Product { rows, columns } => {
                rows.length() * columns.length() * self.redistribution.element.get()
            }
        })
    }
}

impl Schedule for Matching<'_> {
    fn ranks(&self) -> usize {
        self.redistribution.places.ranks()
    }

    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        let of = self.redistribution;
        let (from, to) = (of.places.from[rank.index()], of.places.to[rank.index()]);
        while (cursor.statement as usize) < self.steps() {
            let step = cursor.statement as usize;
            let source = to.and_then(|to| {
                self.source(step, to).map(|from| (of.from.grid.ranks()[from], of.bytes(from, to)))
            });
            let target = from.and_then(|from| {
                self.target(step, from).map(|to| (of.to.grid.ranks()[to], of.bytes(from, to)))
            });
            let (source, target) =
                (source.filter(|one| one.0 != rank), target.filter(|one| one.0 != rank));
            let operation = match cursor.advance() {
                0 => source.map(|(from, size)| {
                    Operation::Post(Transfer::Receive { from, size, tag: Tag(0) }, Request(0))
                }),
                1 => {
                    target.map(|(to, size)| Operation::Do(Transfer::Send { to, size, tag: Tag(0) }))
                }
                2 => source.map(|_| Operation::Wait(Request(0))),
                _ => {
                    *cursor = Cursor { statement: cursor.statement + 1, step: 0 };
                    None
                }
            };
            if operation.is_some() {
                return operation;
            }
        }
        None
    }
}

impl StepSchedule for Matching<'_> {
    fn steps(&self) -> usize {
        match &self.plan {
            Plan::Whole(steps) => steps.count(),
            Plan::Product { rows, columns } => rows.count() * columns.count(),
        }
    }
}
