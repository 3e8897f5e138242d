use serde::{Deserialize, Serialize};

use super::{Cursor, Operation, Rank, Reading, Reducer, Schedule, Timer};
use orrery_base::units::{Bytes, Seconds};

orrery_base::named_enum! {
    /// The kinds of trains of messages between ranks 0 and 1, by what is timed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum TrainKind {
        /// Rank 0 sends `count` messages with waits between them; the time spent in the sends is
        /// read.
        SendOverhead => "send-overhead",
        /// Rank 0 repeats `count` times: it requests a message, waits until the message must have
        /// arrived, and receives it; the time spent in these receives is read.
        ReceiveOverhead => "receive-overhead",
        /// Rank 0 sends `count` messages as fast as it can and receives an empty reply; the whole
        /// time is read.
        Gap => "gap",
        /// Rank 0 sends `count` messages with waits between them and receives a reply; the whole
        /// time is read.
        Prtt => "prtt",
    }
}

/// A train of messages in one direction between ranks 0 and 1, from which overheads and gaps are
/// estimated. The time is read on the clock of rank 0.
///
/// Waits are busy waits on the clock; times of overheads do not include them. Sources: Culler, Liu,
/// Martin, Yoshikawa, "LogP performance assessment of fast network interfaces", IEEE Micro 16
/// (1996); Kielmann, Bal, Verstoep, "Fast measurement of LogP parameters for message passing
/// platforms", 2000; PRTT: Hoefler et al., "Low-overhead LogGP parameter assessment for modern
/// interconnection networks", 2007.
///
/// ```
/// use orrery_program::schedule::{Operation, Rank, Schedule, Train, TrainKind, operations};
/// use orrery_base::units::Bytes;
/// let train = Train { kind: TrainKind::Gap, size: Bytes::new(8), reply: Bytes::ZERO, count: 3, delay: 0 };
/// let all: Vec<Operation> = operations(&train, Rank(0)).collect();
/// assert_eq!(all[..3], [Operation::send(Rank(1), Bytes::new(8)); 3]);
/// assert_eq!(all[3..], [Operation::receive(Rank(1), Bytes::ZERO)]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Train {
    /// The kind of train: what is timed.
    pub kind: TrainKind,
    /// The size of each message.
    pub size: Bytes,
    /// The size of the reply; 0 except for PRTT.
    pub reply: Bytes,
    /// The number of messages.
    pub count: u32,
    /// The wait after each message, in nanoseconds.
    pub delay: u64,
}

/// The timer of the calls that are read.
const CALLS: Timer = Timer(1);

impl Train {
    /// Returns the wait after each message.
    pub fn wait(&self) -> Seconds {
        Seconds::new(self.delay as f64 / 1e9)
    }

    /// Returns the timer and the rank that are read.
    pub const fn reading(&self) -> Reading {
        let timer = match self.kind {
            TrainKind::SendOverhead | TrainKind::ReceiveOverhead => CALLS,
            TrainKind::Gap | TrainKind::Prtt => Timer::WHOLE,
        };
        Reading { timer, reducer: Reducer::At(Rank(0)) }
    }

    /// Returns operation `place` of rank 0 in a round of the train; `None` after the last one.
    fn first(&self, round: u32, place: usize) -> Option<Operation> {
        let send = Operation::send(Rank(1), self.size);
        let is_last = round + 1 == self.count;
        let (start, stop) = (Operation::Start(CALLS), Operation::Stop(CALLS));
        let wait = Operation::Spin(self.wait());
        match (self.kind, place) {
            (TrainKind::SendOverhead, 0) | (TrainKind::ReceiveOverhead, 2) => Some(start),
            (TrainKind::SendOverhead, 1) | (TrainKind::Gap | TrainKind::Prtt, 0) => Some(send),
            (TrainKind::SendOverhead, 2) | (TrainKind::ReceiveOverhead, 4) => Some(stop),
            (TrainKind::SendOverhead, 3) | (TrainKind::Prtt, 1) if !is_last => Some(wait),
            (TrainKind::ReceiveOverhead, 0) => Some(Operation::send(Rank(1), Bytes::ZERO)),
            (TrainKind::ReceiveOverhead, 1) => Some(wait),
            (TrainKind::ReceiveOverhead, 3) => Some(Operation::receive(Rank(1), self.size)),
            (TrainKind::Gap | TrainKind::Prtt, _) if is_last && place == 1 => {
                Some(Operation::receive(Rank(1), self.reply))
            }
            _ => None,
        }
    }

    /// Returns operation `place` of rank 1 in a round of the train; `None` after the last one.
    fn second(&self, round: u32, place: usize) -> Option<Operation> {
        let is_last = round + 1 == self.count;
        match (self.kind, place) {
            (TrainKind::ReceiveOverhead, 0) => Some(Operation::receive(Rank(0), Bytes::ZERO)),
            (TrainKind::ReceiveOverhead, 1) => Some(Operation::send(Rank(0), self.size)),
            (_, 0) => Some(Operation::receive(Rank(0), self.size)),
            (TrainKind::Gap | TrainKind::Prtt, 1) if is_last => {
                Some(Operation::send(Rank(0), self.reply))
            }
            _ => None,
        }
    }
}

impl Schedule for Train {
    fn ranks(&self) -> usize {
        2
    }

    /// The statement of the cursor is the number of the round.
    fn next(&self, rank: Rank, cursor: &mut Cursor) -> Option<Operation> {
        while cursor.statement < self.count {
            let (round, place) = (cursor.statement, cursor.advance());
            let operation = match rank {
                Rank(0) => self.first(round, place),
                Rank(1) => self.second(round, place),
                _ => None,
            };
            if operation.is_some() {
                return operation;
            }
            *cursor = Cursor { statement: round + 1, step: 0 };
        }
        None
    }
}
