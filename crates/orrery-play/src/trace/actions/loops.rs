//! Loops in the actions of a rank.
//!
//! A loop is stored once. Positions count the actions as if all loops were written out; they are
//! mapped to indices of stored actions.

/// The maximum number of actions of a rank, with repetitions counted: positions are 32-bit numbers.
pub(in crate::trace) const MAX_ACTIONS: u64 = u32::MAX as u64 - 1;

/// A loop, or consecutive actions outside of loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::trace) struct Segment {
    /// Its position in the list or loop body that contains it.
    pub(in crate::trace) start: u32,
    /// The index of its first stored action.
    pub(in crate::trace) first: u32,
    /// The number of its stored actions.
    pub(in crate::trace) stored: u32,
    /// The loop; `None` for actions outside of loops.
    pub(in crate::trace) repeated: Option<Loop>,
}

/// A sequence of actions that is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::trace) struct Loop {
    /// The number of iterations.
    pub(in crate::trace) iterations: u32,
    /// The number of actions of one iteration, with inner loops written out.
    pub(in crate::trace) length: u32,
    /// The segments of one iteration.
    pub(in crate::trace) body: Vec<Segment>,
    /// True if no action of the body has an operation; a schedule skips such a loop.
    pub(super) is_silent: bool,
}

impl Segment {
    /// A segment of actions outside of loops.
    pub(super) fn plain(start: u32, first: u32, stored: u32) -> Self {
        Self { start, first, stored, repeated: None }
    }

    /// The number of actions, with repetitions counted.
    pub(super) fn length(&self) -> u64 {
        match &self.repeated {
            Some(repeated) => u64::from(repeated.iterations) * u64::from(repeated.length),
            None => u64::from(self.stored),
        }
    }
}

/// The segment at a position and the offset in it; `None` beyond the end.
fn segment_at(segments: &[Segment], position: u32) -> Option<(&Segment, u32)> {
    let index = segments.partition_point(|segment| segment.start <= position).checked_sub(1)?;
    let offset = position - segments[index].start;
    (u64::from(offset) < segments[index].length()).then_some((&segments[index], offset))
}

/// The index of the stored action at a position; `None` beyond the end.
pub(super) fn stored_index(mut segments: &[Segment], mut position: u32) -> Option<u32> {
    loop {
        let (segment, offset) = segment_at(segments, position)?;
        let Some(repeated) = &segment.repeated else { return Some(segment.first + offset) };
        (position, segments) = (offset % repeated.length, &repeated.body);
    }
}

/// The position after an action without operations: after the outermost silent loop that contains
/// it.
pub(super) fn next_position(mut segments: &[Segment], position: u32) -> u32 {
    let mut inner = position;
    while let Some((segment, offset)) = segment_at(segments, inner) {
        let Some(repeated) = &segment.repeated else { break };
        if repeated.is_silent {
            return position + (segment.length() - u64::from(offset)) as u32;
        }
        (inner, segments) = (offset % repeated.length, &repeated.body);
    }
    position + 1
}

/// Sets `is_silent` of all loops; returns true if no action of the segments has an operation.
pub(super) fn mark_silent(segments: &mut [Segment], is_silent: &impl Fn(u32) -> bool) -> bool {
    let mut all_silent = true;
    for segment in segments {
        all_silent &= match &mut segment.repeated {
            Some(repeated) => {
                repeated.is_silent = mark_silent(&mut repeated.body, is_silent);
                repeated.is_silent
            }
            None => (segment.first..segment.first + segment.stored).all(is_silent),
        };
    }
    all_silent
}
