use super::matched::MatchedCollective;
use super::matched_run::Run;
use super::matched_state::{MessageRecord, RankState, Remaining};
use super::rank_events::RankEvents;
use super::{Network, Path, SenderContention};
use crate::event_key::EventKey;
use orrery_base::units::Seconds;
use orrery_cluster::platform::Placement;

/// Plays [`MatchedCollective`]s as [`Engine`](super::Engine) does, with the same times, but without
/// the critical path.
///
/// It is several times as fast, and ends early when an operation is slower than needed. It reuses
/// its memory between runs.
///
/// Where messages of different senders cannot delay each other, or at the port of their receiver
/// only, a rank is played ahead of the others as long as their messages cannot change what it does.
/// If two events that matter to each other are simultaneous, the operation is played again in the
/// order of events.
///
/// ```
/// use orrery_play::engine::{Completion, MatchedCollective, MatchedEngine, UniformNetwork};
/// use orrery_cluster::platform::Placement;
/// use orrery_program::schedule::{Algorithm, Collective, CollectiveKind, Rank};
/// use orrery_base::units::{Bytes, Seconds, SecondsPerByte};
/// let bcast = Collective {
///     kind: CollectiveKind::Broadcast,
///     algorithm: Algorithm::Binomial,
///     root: Rank(0),
///     ranks: 8,
///     block: Bytes::new(1000),
/// };
/// let matched = MatchedCollective::new(&bcast).expect("its messages are received");
/// let (latency, byte_delay) = (Seconds::new(20e-6), SecondsPerByte::new(1e-9));
/// let mut network = UniformNetwork { processors: 8, latency, byte_delay };
/// let (placement, limit) = (Placement::identity(8), Seconds::new(1.0));
/// let Completion::At(time) = MatchedEngine::default().run(&matched, &placement, &mut network, limit) else { panic!() };
/// // lg p·(α + β·m)
/// assert!((time.get() - 3.0 * 21e-6).abs() < 1e-15);
/// ```
#[derive(Debug)]
pub struct MatchedEngine {
    /// The present event.
    pub(super) now: EventKey,
    pub(super) events: RankEvents,
    pub(super) ranks: Vec<RankState>,
    pub(super) messages: Vec<MessageRecord>,
    /// For how long each combination occupies its processor \[s\].
    pub(super) combinations: Vec<f64>,
    /// For how long resources of each rank will be occupied.
    pub(super) remaining: Vec<Remaining>,
    /// When each request of each rank is complete; infinite before.
    pub(super) requests: Vec<f64>,
    pub(super) path: Path,
    pub(super) least_time: f64,
}

/// How a played operation ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Completion {
    /// All ranks have ended, the last one at this time.
    At(Seconds),
    /// Not all ranks have ended at the limit.
    Later,
    /// This engine does not play it: a message waits for its receive, or the order of simultaneous
    /// events may differ between ranks of which only one is played.
    Unknown,
}

/// The relative tolerance of bounds for rounding errors.
const TOLERANCE: f64 = 1e-10;

impl Default for MatchedEngine {
    fn default() -> Self {
        Self {
            now: EventKey::NONE,
            events: RankEvents::default(),
            ranks: Vec::new(),
            messages: Vec::new(),
            combinations: Vec::new(),
            remaining: Vec::new(),
            requests: Vec::new(),
            path: Path::default(),
            least_time: 0.0,
        }
    }
}

impl MatchedEngine {
    /// A lower bound of the time of the operation that was played last: for how long its messages
    /// occupy the busiest resource.
    pub fn least_time(&self) -> Seconds {
        Seconds::new(self.least_time)
    }

    /// Plays an operation until `limit`; the placement has the processor of each rank.
    ///
    /// # Panics
    ///
    /// When the placement has fewer ranks than the operation, or processors that the network does
    /// not have.
    pub fn run<N: Network + ?Sized>(
        &mut self,
        matched: &MatchedCollective,
        placement: &Placement,
        network: &mut N,
        limit: Seconds,
    ) -> Completion {
        let contention = network.sender_contention();
        // Ranks on equal processors are at the same point at the same time.
        if matched.ends.len() > 1
            && contention != SenderContention::Anywhere
            && !network.is_homogeneous()
        {
            let completion = self.play(matched, placement, network, limit, Some(contention));
            if completion != Completion::Unknown {
                return completion;
            }
        }
        self.play(matched, placement, network, limit, None)
    }

    /// Plays an operation in the order of events, or with ranks ahead of each other if `ahead` says
    /// where messages of different senders delay each other.
    fn play<N: Network + ?Sized>(
        &mut self,
        matched: &MatchedCollective,
        placement: &Placement,
        network: &mut N,
        limit: Seconds,
        ahead: Option<SenderContention>,
    ) -> Completion {
        let ranks = matched.ends.len();
        self.events.restart(ranks);
        self.now = self.events.create(0.0, 0);
        self.ranks.resize_with(ranks, RankState::new);
        let mut begin = 0;
        for (state, &end) in self.ranks.iter_mut().zip(&matched.ends) {
            state.restart(begin, end);
            begin = end;
        }
        self.requests.clear();
        self.requests.resize(ranks * matched.requests, f64::INFINITY);
        self.remaining.clear();
        self.remaining.resize(ranks, Remaining::default());
        network.reset();
        let run =
            Run::new(self, matched, placement, network, limit.get() * (1.0 + TOLERANCE), ahead);
        if let Some(outcome) = run.play() {
            return outcome;
        }
        let last = self.ranks.iter().map(|rank| rank.finish).fold(0.0, f64::max);
        if last <= limit.get() && last.is_finite() {
            Completion::At(Seconds::new(last))
        } else {
            Completion::Later
        }
    }
}
