use std::fmt;

use super::{Operation, Rank, Schedule, Transfer, operations};

/// A schedule in the notation of GOAL files, for debugging.
///
/// Operations of one rank are sequential (each requires the one above it), times are in
/// nanoseconds.
///
/// ```
/// use orrery_program::schedule::{RoundTrip, GoalText};
/// use orrery_base::units::Bytes;
/// let round_trip = RoundTrip { out: Bytes::new(64), back: Bytes::ZERO };
/// let text = GoalText(&round_trip).to_string();
/// assert!(text.starts_with("num_ranks 2\nrank 0 {\n  l1: send 64b to 1 tag 0\n  l2: recv 0b from 1 tag 0\n  l2 requires l1\n}\n"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct GoalText<'a, S: ?Sized>(pub &'a S);

impl<S: Schedule + ?Sized> fmt::Display for GoalText<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "num_ranks {}", self.0.ranks())?;
        for rank in Rank::first(self.0.ranks()) {
            writeln!(f, "rank {rank} {{")?;
            for (line, operation) in operations(self.0, rank).enumerate() {
                writeln!(f, "  l{}: {operation}", line + 1)?;
                if line > 0 {
                    writeln!(f, "  l{} requires l{line}", line + 1)?;
                }
            }
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Send { to, size, tag } => write!(f, "send {}b to {to} tag {}", size.get(), tag.0),
            Self::Receive { from, size, tag } => {
                write!(f, "recv {}b from {from} tag {}", size.get(), tag.0)
            }
            Self::ReceiveAny { size, tag } => {
                write!(f, "recv {}b from -1 tag {}", size.get(), tag.0)
            }
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Do(transfer) => transfer.fmt(f),
            Self::Post(transfer, request) => write!(f, "post {} {transfer}", request.0),
            Self::Wait(request) => write!(f, "wait {}", request.0),
            Self::Test(request) => write!(f, "test {}", request.0),
            Self::Compute(time) => write!(f, "calc {:.0}", time.get() * 1e9),
            Self::Combine(size) => write!(f, "combine {}b", size.get()),
            Self::Spin(time) => write!(f, "spin {:.0}", time.get() * 1e9),
            Self::Start(timer) => write!(f, "start timer {}", timer.0),
            Self::Stop(timer) => write!(f, "stop timer {}", timer.0),
        }
    }
}
