//! Collective operations played with their blocks: in the end every rank holds what MPI requires.
//!
//! The state of a rank is a set of contributing ranks for each block. A message carries the sets of
//! its blocks at the time of the send. A combination requires that no rank contributes twice.

use std::collections::{BTreeMap, VecDeque};

use orrery::schedule::{Arrival, Data, Step, operations};

use crate::prelude::*;
use crate::variants::few_or_all;

/// The contributing ranks of a block, by bit; none if a rank does not have the block.
type Contributors = u64;

/// The blocks of a message with their contributors.
type Payload = Vec<(usize, Contributors)>;

/// One rank while the operation is played.
#[derive(Default)]
struct Player {
    index: usize,
    blocks: BTreeMap<usize, Contributors>,
    /// What a rank of a scan has received from lower ranks.
    lower: BTreeMap<usize, Contributors>,
    /// The ranks that are known to have begun.
    begun: Contributors,
    /// Posted receives by request; a request of a send is `None`.
    posted: BTreeMap<u32, Option<Arrival>>,
    /// Payloads that are received and not combined, by sender.
    received: BTreeMap<usize, VecDeque<Payload>>,
}

/// A message in flight: its payload, and the ranks that the sender knows to have begun.
struct Message {
    payload: Payload,
    begun: Contributors,
    size: Bytes,
}

struct Play<'a> {
    collective: &'a Collective,
    players: Vec<Player>,
    /// By sender and receiver.
    messages: BTreeMap<(usize, usize), VecDeque<Message>>,
}

impl Play<'_> {
    fn send(&mut self, rank: usize, to: usize, data: Data) {
        let player = &self.players[rank];
        let blocks = self.collective.blocks(data);
        let payload = blocks.iter().map(|block| {
            let contributors = player.blocks.get(block);
            (
                *block,
                *contributors.unwrap_or_else(|| {
                    panic!("{:?}: rank {rank} lacks block {block}", self.collective)
                }),
            )
        });
        let message = Message {
            payload: payload.collect(),
            begun: player.begun,
            size: self.collective.bytes(data),
        };
        self.messages.entry((rank, to)).or_default().push_back(message);
    }

    /// Receives a message if it has been sent.
    fn receive(&mut self, rank: usize, arrival: Arrival) -> bool {
        let Arrival { from, data, is_combined } = arrival;
        let Some(message) = self.messages.get_mut(&(from, rank)).and_then(VecDeque::pop_front)
        else {
            return false;
        };
        let mut expected = self.collective.blocks(data);
        let mut sent: Vec<usize> = message.payload.iter().map(|(block, _)| *block).collect();
        expected.sort_unstable();
        sent.sort_unstable();
        assert_eq!(
            (sent, message.size),
            (expected, self.collective.bytes(data)),
            "{:?}: {rank} from {from}",
            self.collective
        );
        let is_scan = matches!(self.collective.kind, CollectiveKind::Scan | CollectiveKind::Exscan);
        let player = &mut self.players[rank];
        player.begun |= message.begun;
        if is_scan && from < rank {
            for (block, contributors) in &message.payload {
                merge(&mut player.lower, *block, *contributors);
            }
        }
        if is_combined {
            player.received.entry(from).or_default().push_back(message.payload);
        } else {
            player.blocks.extend(message.payload);
        }
        true
    }

    /// Executes one step of a rank; returns false if it is blocked or at its end.
    fn advance(&mut self, rank: usize) -> bool {
        let Some(step) = self.collective.step(Rank(rank as u32), self.players[rank].index) else {
            return false;
        };
        match step {
            Step::Send { to, data } => self.send(rank, to, data),
            Step::PassOn { to, data, origin } => {
                let player = &self.players[rank];
                let payload =
                    player.received[&origin].back().expect("a payload to pass on").clone();
                let message =
                    Message { payload, begun: player.begun, size: self.collective.bytes(data) };
                self.messages.entry((rank, to)).or_default().push_back(message);
            }
            Step::Receive(arrival) => {
                if !self.receive(rank, arrival) {
                    return false;
                }
            }
            Step::PostSend { to, data, request } => {
                self.send(rank, to, data);
                assert_eq!(
                    self.players[rank].posted.insert(request, None),
                    None,
                    "request {request} is in use"
                );
            }
            Step::PostReceive(arrival, request) => {
                let before = self.players[rank].posted.insert(request, Some(arrival));
                assert_eq!(before, None, "request {request} is in use");
            }
            Step::Wait(request) => match self.players[rank].posted.get(&request).copied().flatten()
            {
                Some(arrival) if !self.receive(rank, arrival) => return false,
                _ => {
                    self.players[rank].posted.remove(&request);
                }
            },
            Step::Combine { from, data } => {
                let player = &mut self.players[rank];
                let payload = player.received.get_mut(&from).and_then(VecDeque::pop_front);
                let is_second =
                    matches!(self.collective.kind, CollectiveKind::Scan | CollectiveKind::Exscan);
                assert!(
                    payload.is_some() || is_second,
                    "{:?}: nothing to combine",
                    self.collective
                );
                assert_eq!(
                    payload.as_ref().map_or(self.collective.blocks(data).len(), Vec::len),
                    self.collective.blocks(data).len()
                );
                for (block, contributors) in payload.into_iter().flatten() {
                    merge(&mut player.blocks, block, contributors);
                }
            }
        }
        self.players[rank].index += 1;
        true
    }
}

/// Adds contributors to a block.
fn merge(blocks: &mut BTreeMap<usize, Contributors>, block: usize, contributors: Contributors) {
    let own = blocks.entry(block).or_default();
    assert_eq!(*own & contributors, 0, "block {block}: a rank contributes twice");
    *own |= contributors;
}

/// The segments of the block of one rank, counted from the root on: one if blocks are not divided.
fn segments(collective: &Collective, relative: usize) -> std::ops::Range<usize> {
    let count = collective.block_count() / collective.ranks;
    relative * count..(relative + 1) * count
}

/// The blocks that a rank has at the start.
fn initial(collective: &Collective, rank: usize) -> BTreeMap<usize, Contributors> {
    let Collective { kind, ranks, root, .. } = *collective;
    let own = 1_u64 << rank;
    let (count, relative) = (collective.block_count(), (rank + ranks - root.index()) % ranks);
    match kind {
        CollectiveKind::Barrier => BTreeMap::new(),
        CollectiveKind::Broadcast | CollectiveKind::Scatter if rank != root.index() => {
            BTreeMap::new()
        }
        CollectiveKind::Gather | CollectiveKind::Allgather => {
            segments(collective, relative).map(|block| (block, own)).collect()
        }
        CollectiveKind::Alltoall => (0..ranks).map(|to| (rank * ranks + to, own)).collect(),
        _ => (0..count).map(|block| (block, own)).collect(),
    }
}

/// Checks what a rank has in the end.
fn check(collective: &Collective, rank: usize, player: &Player) {
    let Collective { kind, ranks, root, .. } = *collective;
    let (count, all) = (collective.block_count(), u64::MAX >> (64 - ranks));
    let relative = |rank: usize| (rank + ranks - root.index()) % ranks;
    let expected: Vec<(usize, Contributors)> = match kind {
        CollectiveKind::Barrier => {
            assert_eq!(player.begun, all, "{collective:?}: rank {rank} continues too early");
            return;
        }
        CollectiveKind::Broadcast => (0..count).map(|block| (block, 1 << root.index())).collect(),
        CollectiveKind::Scatter => {
            segments(collective, relative(rank)).map(|part| (part, 1 << root.index())).collect()
        }
        CollectiveKind::Gather | CollectiveKind::Reduce if rank != root.index() => vec![],
        CollectiveKind::Gather | CollectiveKind::Allgather => {
            let of = |rank: usize| {
                segments(collective, relative(rank)).map(move |part| (part, 1 << rank))
            };
            (0..ranks).flat_map(of).collect()
        }
        CollectiveKind::Alltoall => {
            (0..ranks).map(|from| (from * ranks + rank, 1 << from)).collect()
        }
        CollectiveKind::Reduce | CollectiveKind::Allreduce => {
            (0..count).map(|block| (block, all)).collect()
        }
        CollectiveKind::ReduceScatter => vec![(relative(rank), all)],
        CollectiveKind::Scan | CollectiveKind::Exscan => {
            let lower = (1_u64 << rank) - 1;
            let received: Vec<_> = player.lower.values().copied().collect();
            assert_eq!(
                received,
                vec![lower; if rank == 0 { 0 } else { count }],
                "{collective:?}: rank {rank}"
            );
            return;
        }
    };
    for (block, contributors) in expected {
        assert_eq!(
            player.blocks.get(&block),
            Some(&contributors),
            "{collective:?}: rank {rank}, block {block}"
        );
    }
}

/// Plays a collective operation and checks the end.
fn play(collective: &Collective) {
    let player = |rank: usize| Player {
        blocks: initial(collective, rank),
        begun: 1 << rank,
        ..Player::default()
    };
    let players: Vec<Player> = (0..collective.ranks).map(player).collect();
    let mut play = Play { collective, players, messages: BTreeMap::new() };
    loop {
        let moves = (0..collective.ranks).filter(|&rank| {
            let mut moved = false;
            while play.advance(rank) {
                moved = true;
            }
            moved
        });
        if moves.count() == 0 {
            break;
        }
    }
    for (rank, player) in play.players.iter().enumerate() {
        assert_eq!(
            collective.step(Rank(rank as u32), player.index),
            None,
            "{collective:?}: rank {rank} is blocked"
        );
        assert!(
            player.posted.is_empty(),
            "{collective:?}: rank {rank} does not wait for {:?}",
            player.posted
        );
        check(collective, rank, player);
    }
    let in_flight = play.messages.values().map(VecDeque::len).sum::<usize>();
    assert_eq!(in_flight, 0, "{collective:?}: messages without a receive");
}

/// Every operation with each of its algorithms, with other fan-outs and with segments.
fn algorithms() -> impl Iterator<Item = (CollectiveKind, Algorithm)> {
    let variants = |algorithm: Algorithm| {
        let others =
            [1, 2, 3, 7].into_iter().filter_map(move |fanout| algorithm.with_fanout(fanout));
        others.chain([algorithm]).flat_map(|algorithm| {
            let segmented = [5, 64]
                .into_iter()
                .filter_map(move |size| algorithm.with_segment(Bytes::new(size)));
            segmented.chain([algorithm])
        })
    };
    let of = move |kind: CollectiveKind| {
        kind.algorithms().iter().flat_map(move |&algorithm| variants(algorithm))
    };
    let all = CollectiveKind::ALL
        .into_iter()
        .flat_map(move |kind| of(kind).map(move |algorithm| (kind, algorithm)));
    // Only trees of vectors divide them.
    all.filter(|(kind, algorithm)| kind.has(*algorithm))
}

/// Plays all algorithms of some operations with up to 33 ranks, from all roots or some of them.
fn play_all(kinds: &[CollectiveKind]) {
    let step = few_or_all(5, 1);
    for (kind, algorithm) in algorithms().filter(|(kind, _)| kinds.contains(kind)) {
        for ranks in (1..=33).filter(|&ranks| algorithm.runs_on(ranks)) {
            for root in Rank::first(if kind.has_root() { ranks } else { 1 }).step_by(step) {
                let collective = Collective { kind, algorithm, root, ranks, block: Bytes::new(37) };
                if ranks > 1 {
                    play(&collective);
                } else {
                    assert_eq!(collective.step(Rank(0), 0), None);
                }
            }
        }
    }
}

// Every rank receives the blocks that MPI requires; several tests run at the same time.
#[test]
fn vectors_of_the_root_reach_all_ranks() {
    play_all(&[CollectiveKind::Broadcast]);
}

#[test]
fn reductions_reach_the_root() {
    play_all(&[CollectiveKind::Reduce]);
}

#[test]
fn blocks_reach_their_ranks() {
    use CollectiveKind::{Allgather, Alltoall, Gather, Scatter};
    play_all(&[Scatter, Gather, Allgather, Alltoall]);
}

#[test]
fn results_of_reductions_reach_all_ranks() {
    use CollectiveKind::{Allreduce, Barrier, Exscan, ReduceScatter, Scan};
    play_all(&[Allreduce, ReduceScatter, Scan, Exscan, Barrier]);
}

#[test]
fn bytes_of_blocks_are_the_sum_over_single_blocks() {
    for (kind, algorithm) in algorithms().filter(|(kind, _)| *kind != CollectiveKind::Barrier) {
        for ranks in [2, 3, 4, 7, 8, 16, 19].into_iter().filter(|&ranks| algorithm.runs_on(ranks)) {
            for block in [0, 1, 1000] {
                let collective =
                    Collective { kind, algorithm, root: Rank(0), ranks, block: Bytes::new(block) };
                let single = |number: usize| match kind {
                    CollectiveKind::Alltoall => {
                        Data::Pair { from: number / ranks, to: number % ranks }
                    }
                    _ => Data::Blocks { first: number, count: 1 },
                };
                for rank in Rank::first(ranks) {
                    let steps = (0..).map_while(|index| collective.step(rank, index));
                    for step in steps {
                        let (Step::Send { data, .. } | Step::PostSend { data, .. }) = step else {
                            continue;
                        };
                        let sum: Bytes = collective
                            .blocks(data)
                            .into_iter()
                            .map(|one| collective.bytes(single(one)))
                            .sum();
                        assert_eq!(collective.bytes(data), sum, "{collective:?}: {data:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn algorithms_send_no_more_bytes_and_messages_than_their_formulas() {
    let block = 1 << 16;
    // The number of messages and of bytes that the busiest rank sends, for p = 2^q, as the formulas
    // of the literature.
    let p = 16_u64;
    let (lg, rest) = (4, p - 1);
    let cases = [
        (CollectiveKind::Broadcast, Algorithm::ScatterAllgather, 2 * lg, block * (rest * 2) / p),
        (
            CollectiveKind::Broadcast,
            Algorithm::ScatterAllgatherRing,
            lg + rest,
            block * (rest * 2) / p,
        ),
        (CollectiveKind::Allgather, Algorithm::Ring, rest, block * rest),
        (CollectiveKind::Allgather, Algorithm::Bruck, lg, block * rest),
        (CollectiveKind::Allgather, Algorithm::RecursiveDoubling, lg, block * rest),
        (CollectiveKind::Allgather, Algorithm::NeighborExchange, p / 2, block * rest),
        (CollectiveKind::Allgather, Algorithm::Bine, lg, block * rest),
        (CollectiveKind::Allgather, Algorithm::Sparbit, rest, block * rest),
        (CollectiveKind::Allreduce, Algorithm::RecursiveDoubling, lg, block * lg),
        (CollectiveKind::Allreduce, Algorithm::Ring, 2 * rest, 2 * block * rest / p),
        (CollectiveKind::Allreduce, Algorithm::Rabenseifner, 2 * lg, 2 * block * rest / p),
        (CollectiveKind::Allreduce, Algorithm::Bine, 2 * lg, 2 * block * rest / p),
        (CollectiveKind::ReduceScatter, Algorithm::RecursiveHalving, lg, block * rest),
        (CollectiveKind::ReduceScatter, Algorithm::Pairwise, rest, block * rest),
        (CollectiveKind::Alltoall, Algorithm::Bruck, lg, block * lg * p / 2),
        (CollectiveKind::Alltoall, Algorithm::Pairwise, rest, block * rest),
        (CollectiveKind::Barrier, Algorithm::Dissemination, lg, 0),
        (CollectiveKind::Barrier, Algorithm::DoubleRing, 2, 0),
    ];
    for (kind, algorithm, messages, bytes) in cases {
        let (root, block) = (Rank(0), Bytes::new(block));
        let collective = Collective { kind, algorithm, root, ranks: p as usize, block };
        let sent = |rank| {
            let sizes = operations(&collective, rank).filter_map(|operation| match operation {
                Operation::Do(Transfer::Send { size, .. })
                | Operation::Post(Transfer::Send { size, .. }, _) => Some(size.get()),
                _ => None,
            });
            sizes.fold((0, 0), |(count, sum), size| (count + 1, sum + size))
        };
        let busiest = Rank::first(collective.ranks()).map(sent).max();
        assert_eq!(busiest, Some((messages, bytes)), "{kind} {algorithm}");
    }
}
