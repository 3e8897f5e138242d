use super::{Cursor, Operation, Rank, Schedule, Transfer};
use orrery_base::units::Seconds;

/// One of several programs that run at the same time.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The program; its ranks are numbered from 0.
    pub schedule: &'a dyn Schedule,
    /// The start time.
    pub start: Seconds,
}

/// Programs that run at the same time: the ranks of each job follow those of the job before it.
///
/// Messages stay within a job, whatever their tags, since a rank communicates only with ranks of
/// its own job. A job with a later start begins with a wait.
///
/// ```
/// use orrery_program::schedule::{Job, Jobs, Operation, Rank, RoundTrip, Schedule, Transfer, operations};
/// use orrery_base::units::{Bytes, Seconds};
/// let trip = RoundTrip { out: Bytes::new(8), back: Bytes::ZERO };
/// let later = Job { schedule: &trip, start: Seconds::new(2.0) };
/// let both = Jobs::new(vec![Job { schedule: &trip, start: Seconds::ZERO }, later]);
/// assert_eq!(both.ranks(), 4);
/// let third: Vec<Operation> = operations(&both, Rank(2)).collect();
/// assert_eq!(third[0], Operation::Spin(Seconds::new(2.0)));
/// assert_eq!(third[1], Operation::send(Rank(3), Bytes::new(8)));
/// ```
#[derive(Clone)]
pub struct Jobs<'a> {
    all: Vec<Job<'a>>,
    /// The first rank of each job, followed by the total number of ranks.
    firsts: Vec<u32>,
    /// The job of each rank.
    owners: Vec<u32>,
}

impl<'a> Jobs<'a> {
    /// Creates the schedule of these jobs.
    pub fn new(jobs: Vec<Job<'a>>) -> Self {
        let (mut firsts, mut owners) = (vec![0], Vec::new());
        for (number, job) in jobs.iter().enumerate() {
            owners.resize(owners.len() + job.schedule.ranks(), number as u32);
            firsts.push(owners.len() as u32);
        }
        Self { all: jobs, firsts, owners }
    }

    /// Returns the job of a rank and its number within that job; `None` for a rank that does not
    /// exist.
    pub fn owner(&self, rank: Rank) -> Option<(usize, Rank)> {
        let job = *self.owners.get(rank.index())? as usize;
        Some((job, Rank(rank.0 - self.firsts[job])))
    }

    /// Returns the ranks of a job in the combined schedule.
    ///
    /// # Panics
    ///
    /// When there is no such job.
    pub fn ranks_of(&self, job: usize) -> std::ops::Range<usize> {
        self.firsts[job] as usize..self.firsts[job + 1] as usize
    }

    /// Returns the number of the statement in the job's own schedule for a number in the combined
    /// one; `None` for the wait until the job starts.
    pub const fn statement(statement: u32) -> Option<u32> {
        statement.checked_sub(1)
    }
}

impl Schedule for Jobs<'_> {
    fn ranks(&self) -> usize {
        self.owners.len()
    }

    /// Statement 0 is the wait until the job starts; the statements of the job follow.
    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        let (job, own) = self.owner(rank)?;
        let Job { schedule, start } = self.all[job];
        if *cursor == Cursor::default() {
            cursor.step = 1;
            if start > Seconds::ZERO {
                return Some(Operation::Spin(start));
            }
        }
        let mut inner = match cursor.statement {
            0 => Cursor::default(),
            statement => Cursor { statement: statement - 1, step: cursor.step },
        };
        let operation = schedule.next(own, &mut inner);
        *cursor = Cursor { statement: inner.statement + 1, step: inner.step };
        // A rank that does not exist in the job does not exist in another job either.
        let (first, ranks) = (self.firsts[job], schedule.ranks());
        let global =
            |peer: Rank| if peer.index() < ranks { Rank(first + peer.0) } else { Rank(u32::MAX) };
        operation.map(|operation| operation.map_ranks(global))
    }
}

impl Operation {
    /// Returns the operation with ranks renamed by `name`.
    #[must_use]
    pub fn map_ranks(self, name: impl Fn(Rank) -> Rank) -> Self {
        match self {
            Self::Do(transfer) => Self::Do(with_ranks(transfer, name)),
            Self::Post(transfer, request) => Self::Post(with_ranks(transfer, name), request),
            other => other,
        }
    }
}

/// Returns the transfer with its rank renamed by `to_global`.
fn with_ranks(transfer: Transfer, to_global: impl Fn(Rank) -> Rank) -> Transfer {
    match transfer {
        Transfer::Send { to, size, tag } => Transfer::Send { to: to_global(to), size, tag },
        Transfer::Receive { from, size, tag } => {
            Transfer::Receive { from: to_global(from), size, tag }
        }
        any @ Transfer::ReceiveAny { .. } => any,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Explicit, operations};
    use super::*;
    use orrery_base::units::Bytes;

    #[test]
    fn each_job_does_what_it_does_alone() {
        let size = Bytes::new(8);
        let any = Operation::Do(Transfer::ReceiveAny { size, tag: super::super::Tag(0) });
        let one = Explicit::new(vec![vec![Operation::send(Rank(1), size)], vec![any, any]]);
        let two =
            Explicit::new(vec![vec![Operation::receive(Rank(9), size)], Vec::new(), vec![any]]);
        let start = |schedule, start| Job { schedule, start: Seconds::new(start) };
        let jobs = Jobs::new(vec![start(&one, 0.0), start(&two, 1.5), start(&one, 0.0)]);
        assert_eq!((jobs.ranks(), jobs.ranks_of(1)), (7, 2..5));
        assert_eq!((jobs.owner(Rank(4)), jobs.owner(Rank(7))), (Some((1, Rank(2))), None));
        let told = |rank| operations(&jobs, Rank(rank)).collect::<Vec<_>>();
        assert_eq!(told(0), [Operation::send(Rank(1), size)]);
        assert_eq!(told(1), [any, any]);
        let wait = Operation::Spin(Seconds::new(1.5));
        assert_eq!(told(2), [wait, Operation::receive(Rank(u32::MAX), size)]);
        assert_eq!(told(3), [wait]);
        assert_eq!(told(5), [Operation::send(Rank(6), size)]);
        assert_eq!((Jobs::statement(0), Jobs::statement(3)), (None, Some(2)));
    }
}
