//! Lines of collective operations.

use super::line::{Line, bytes, shown};
use super::rank::{RankReader, unknown_action};
use crate::trace::actions::{Action, CollectiveKind, WORLD};
use orrery_base::file::{Fault, Result};
use orrery_base::units::Bytes;

/// The expected form of a count.
const COUNT: &str = "a count of elements from 0 up";

/// The expected form of an amount of computation.
const FLOPS: &str = "a number of floating-point operations from 0 up";

impl RankReader {
    /// Reads a collective operation; `ranks` returns the number of ranks, for lines with a number
    /// for each.
    pub(super) fn collective(
        &mut self,
        name: &[u8],
        line: &mut Line<'_>,
        number: usize,
        byte: usize,
        ranks: &mut dyn FnMut() -> Option<u32>,
    ) -> Result<()> {
        let kind = CollectiveKind::ALL
            .into_iter()
            .find(|kind| kind.name().as_bytes() == name)
            .ok_or_else(|| unknown_action(byte, name))?;
        let arguments = if kind.size_count(1) > 0 {
            let fault = || {
                Fault::new(format!(
                    "{action} has a number for each rank, and the number \
                of ranks is unknown; use Reader::of_ranks",
                    action = shown(name)
                ))
                .at(byte)
            };
            let ranks = ranks().ok_or_else(fault)? as usize;
            self.arguments_with_list(kind, line, number, ranks)?
        } else {
            self.arguments(kind, line, number)?
        };
        let sizes = self.actions.add_sizes(&arguments.sizes);
        let Arguments { root, size, flops, .. } = arguments;
        self.push(Action::Collective { kind, communicator: WORLD, root, sizes, size }, number);
        if flops > 0.0 {
            self.push(Action::Compute { flops }, number);
        }
        Ok(())
    }

    /// Reads `COUNT [FLOPS | COUNT] [ROOT] [DATATYPES]`.
    fn arguments(
        &mut self,
        kind: CollectiveKind,
        line: &mut Line<'_>,
        number: usize,
    ) -> Result<Arguments> {
        if kind == CollectiveKind::Barrier {
            return Ok(Arguments::default());
        }
        let count = line.count(COUNT)?;
        let combines = matches!(
            kind,
            CollectiveKind::Reduce
                | CollectiveKind::Allreduce
                | CollectiveKind::Scan
                | CollectiveKind::ExclusiveScan
        );
        let flops = if combines { line.amount(FLOPS)? } else { 0.0 };
        let has_two = matches!(
            kind,
            CollectiveKind::Gather
                | CollectiveKind::Scatter
                | CollectiveKind::Allgather
                | CollectiveKind::Alltoall
        );
        if has_two {
            line.count("a count of elements to receive")?;
        }
        let root = self.root(kind, line, number)?;
        let size = bytes(count, line.datatype(self.element)?)?;
        if has_two {
            line.datatype(self.element)?;
        }
        Ok(Arguments { root, size, sizes: Vec::new(), flops })
    }

    /// Reads the arguments of an operation with a count for each rank.
    fn arguments_with_list(
        &mut self,
        kind: CollectiveKind,
        line: &mut Line<'_>,
        number: usize,
        ranks: usize,
    ) -> Result<Arguments> {
        let has_own_count = matches!(
            kind,
            CollectiveKind::GatherV | CollectiveKind::AllgatherV | CollectiveKind::AlltoallV
        );
        let own = if has_own_count { line.count("a count of elements to send")? } else { 0 };
        let mut counts = Vec::new();
        for _ in 0..ranks {
            counts.push(line.count("a count of elements for each rank")?);
        }
        let (mut expected, mut received, mut flops) = (Vec::new(), 0, 0.0);
        match kind {
            CollectiveKind::AlltoallV => {
                line.count("a count of elements to receive")?;
                for _ in 0..ranks {
                    expected.push(line.count("a count of elements from each rank")?);
                }
            }
            CollectiveKind::ScatterV => received = line.count("a count of elements to receive")?,
            CollectiveKind::ReduceScatter => flops = line.amount(FLOPS)?,
            _ => {}
        }
        let root = self.root(kind, line, number)?;
        let has_types = !(kind == CollectiveKind::AllgatherV && line.left() == ranks && ranks > 2);
        let sent_type = if has_types { line.datatype(self.element)? } else { self.element };
        let is_one_type = kind == CollectiveKind::ReduceScatter || !has_types;
        let received_type = if is_one_type { sent_type } else { line.datatype(self.element)? };
        if kind == CollectiveKind::AllgatherV && line.left() > 0 {
            for _ in 0..ranks {
                line.count("a displacement for each rank")?;
            }
        }
        let sized =
            |counts: Vec<u64>, element| counts.into_iter().map(move |count| bytes(count, element));
        let (listed, size) = match kind {
            CollectiveKind::GatherV | CollectiveKind::AllgatherV => {
                (received_type, bytes(own, sent_type)?)
            }
            CollectiveKind::ScatterV => (sent_type, bytes(received, received_type)?),
            CollectiveKind::ReduceScatter => (sent_type, Bytes::new(sent_type)),
            _ => (sent_type, Bytes::ZERO),
        };
        let sizes = sized(counts, listed)
            .chain(sized(expected, received_type))
            .collect::<Result<Vec<_>>>()?;
        let sum = sizes.iter().try_fold(0_u64, |sum, size| sum.checked_add(size.get()));
        bytes(sum.unwrap_or(u64::MAX), 1)?;
        Ok(Arguments { root, size, sizes, flops })
    }

    /// Reads the root; 0 if the operation has none or the line names none.
    fn root(&mut self, kind: CollectiveKind, line: &mut Line<'_>, number: usize) -> Result<u32> {
        if !kind.is_rooted() || line.left() == 0 {
            return Ok(0);
        }
        Ok(self.peer(line, number, "the rank of the root")?.0)
    }
}

/// The arguments of a collective operation.
#[derive(Default)]
struct Arguments {
    root: u32,
    /// The size of the rank's own block.
    size: Bytes,
    /// The size of the block of each rank.
    sizes: Vec<Bytes>,
    /// The computation of a reduction.
    flops: f64,
}
