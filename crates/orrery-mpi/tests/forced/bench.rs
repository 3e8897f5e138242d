//! The messages of measured calls.

use orrery::machine::{Machine, NativeCalls};
use orrery::platform::Placement;
use orrery::sample::NativeAlgorithm;
use orrery::schedule::{CollectiveKind, Rank};
use orrery::units::Bytes;
use orrery_mpi::{Job, MpiMachine, Options};

use super::RANKS;
use super::counter::{Counter, Messages};

/// The number of calls of which messages are counted.
const CALLS: u32 = 8;

/// Measured calls and the messages that they cause.
pub struct Bench<'a> {
    job: &'a Job,
    counter: &'a Counter,
    /// The messages of all ranks so far.
    sent: Messages,
    /// The messages of the barrier before a call.
    barrier: Messages,
}

impl<'a> Bench<'a> {
    /// Measures the messages of the barrier, on rank 0.
    pub fn start(job: &'a Job, counter: &'a Counter) -> Result<Self, String> {
        let mut bench =
            Self { job, counter, sent: Messages::default(), barrier: Messages::default() };
        // The first calls follow messages of the start of the job. A broadcast of nothing has no
        // messages.
        bench.sent_during(CollectiveKind::Broadcast, None, Bytes::ZERO, CALLS)?;
        bench.barrier = bench.messages(CollectiveKind::Broadcast, None, Bytes::ZERO)?;
        Ok(bench)
    }

    /// The messages of each rank in a call.
    pub fn messages(
        &mut self,
        kind: CollectiveKind,
        algorithm: Option<NativeAlgorithm>,
        size: Bytes,
    ) -> Result<Messages, String> {
        // The messages to start and end the calls do not depend on their number.
        let once = self.sent_during(kind, algorithm, size, CALLS)?;
        let twice = self.sent_during(kind, algorithm, size, 2 * CALLS)?;
        let mut messages = Messages::default();
        for rank in 0..RANKS {
            let difference = twice[rank] - once[rank];
            if !difference.is_multiple_of(CALLS.into()) {
                return Err(format!(
                    "{kind}: {difference} messages of rank {rank} in {CALLS} calls"
                ));
            }
            messages[rank] = difference / u64::from(CALLS) - self.barrier[rank];
        }
        Ok(messages)
    }

    /// The messages of all ranks while calls run.
    fn sent_during(
        &mut self,
        kind: CollectiveKind,
        algorithm: Option<NativeAlgorithm>,
        size: Bytes,
        repetitions: u32,
    ) -> Result<Messages, String> {
        let mut machine =
            MpiMachine::start(self.job, Options::default()).map_err(|error| error.to_string())?;
        let calls = NativeCalls {
            kind,
            algorithm,
            root: Rank(0),
            placement: Placement::identity(RANKS),
            size,
            warm_up: 0,
            repetitions,
        };
        machine.run_native(&calls).map_err(|error| format!("{kind}: {error}"))?;
        self.job.stop_serving().map_err(|error| error.to_string())?;
        let (sent, _) = self.counter.share(false)?;
        let mut during = sent;
        during.iter_mut().zip(self.sent).for_each(|(sent, before)| *sent -= before);
        self.sent = sent;
        Ok(during)
    }
}
