//! Messages whose sizes lie outside the range that a fitted model was measured with.

use std::path::Path;

use orrery::request::SimulatedApplication;
use orrery::schedule::{Operation, Rank, Transfer, operations};
use orrery::trace::goal::OperationKind;
use orrery::units::{Bytes, Seconds};

use crate::context::warn;

/// The sizes of the smallest and the largest measured message of a model.
pub type MeasuredRange = (Bytes, Bytes);

/// Warns of messages of applications whose times the model at `path` extrapolates.
pub fn check(
    (smallest, largest): MeasuredRange,
    path: &Path,
    applications: &[SimulatedApplication],
) {
    let (mut all, mut outside, mut farthest) = (0_u64, 0_u64, Bytes::ZERO);
    for application in applications {
        each_message(application, |size| {
            all += 1;
            if !(smallest..=largest).contains(&size) {
                outside += 1;
                farthest = farthest.max(size);
            }
        });
    }
    if outside > 0 {
        let path = path.display();
        let of = if all == 1 { "message is" } else { "messages are" };
        warn(format_args!(
            "{outside} of {all} {of} outside the sizes that {path} was measured with, {smallest} \
                to {largest}, the largest \
             of them {farthest}: these times are extrapolated"
        ));
    }
}

/// Passes the size of each message of an application, with repetitions.
fn each_message(application: &SimulatedApplication, mut message: impl FnMut(Bytes)) {
    if let Some(goal) = application.graph() {
        let sends = goal.operations().iter().filter(|one| one.kind == OperationKind::Send);
        return sends.for_each(|send| message(Bytes::new(send.size)));
    }
    // The sizes do not depend on the speeds.
    let speeds = vec![1.0; application.ranks()];
    let schedule = application.schedule(&speeds, Seconds::ZERO);
    for operation in Rank::first(application.ranks()).flat_map(|rank| operations(&*schedule, rank))
    {
        if let Operation::Do(Transfer::Send { size, .. })
        | Operation::Post(Transfer::Send { size, .. }, _) = operation
        {
            message(size);
        }
    }
}
