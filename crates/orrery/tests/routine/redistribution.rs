//! Redistribution between block-cyclic layouts: what each process sends, against all elements one
//! by one.

use std::collections::BTreeMap;

use orrery::engine::Engine;
use orrery::kernel::Precision;
use orrery::platform::Placement;
use orrery::routine::{
    Cyclic, Grid, Layout, ProcessGrid, Redistribution, RedistributionCall, RedistributionProgram,
    StepSchedule,
};
use orrery::schedule::{Operation, Rank, Schedule, Transfer, operations};
use orrery::units::Bytes;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

const ELEMENT: Bytes = Bytes::new(8);

/// A random layout of an m×n matrix on some of the first 20 ranks.
fn random_layout(matrix: (u64, u64), rng: &mut ChaCha8Rng) -> Layout {
    let (rows, columns) = (rng.random_range(1..=4), rng.random_range(1..=5));
    let mut ranks: Vec<Rank> = Rank::first(20).collect();
    ranks.shuffle(rng);
    ranks.truncate(rows as usize * columns as usize);
    let grid = ProcessGrid::with_ranks(rows, columns, ranks).unwrap();
    let mut cyclic = |extent, processes| {
        Cyclic::new(extent, rng.random_range(1..=9), processes, rng.random_range(0..processes))
            .unwrap()
    };
    let (rows, columns) = (cyclic(matrix.0, rows), cyclic(matrix.1, columns));
    Layout { grid, rows, columns }
}

/// The rank of an element.
fn owner(layout: &Layout, row: u64, column: u64) -> Rank {
    layout.grid.rank(layout.rows.owner(row), layout.columns.owner(column))
}

/// The elements that each rank has to send to each other one, one by one.
fn by_elements(from: &Layout, to: &Layout) -> BTreeMap<(Rank, Rank), u64> {
    let mut bytes = BTreeMap::new();
    for row in 0..from.rows.extent() {
        for column in 0..from.columns.extent() {
            let pair = (owner(from, row, column), owner(to, row, column));
            if pair.0 != pair.1 {
                *bytes.entry(pair).or_default() += ELEMENT.get();
            }
        }
    }
    bytes
}

/// The messages that the ranks of a schedule send, and the largest numbers of them per rank.
fn sent(schedule: &impl Schedule) -> BTreeMap<(Rank, Rank), u64> {
    let mut bytes = BTreeMap::new();
    for rank in Rank::first(schedule.ranks()) {
        for operation in operations(schedule, rank) {
            if let Operation::Do(Transfer::Send { to, size, .. })
            | Operation::Post(Transfer::Send { to, size, .. }, _) = operation
            {
                assert_eq!(bytes.insert((rank, to), size.get()), None, "one message for each pair");
            }
        }
    }
    bytes
}

#[test]
fn messages_are_those_of_all_elements_one_by_one() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut engine = Engine::new();
    for number in 0..1000 {
        let matrix = (rng.random_range(0..60), rng.random_range(0..60));
        let (from, to) = (random_layout(matrix, &mut rng), random_layout(matrix, &mut rng));
        let expected = by_elements(&from, &to);
        let redistribution = Redistribution::new(from, to, ELEMENT).unwrap();
        let messages: BTreeMap<_, _> =
            redistribution.messages().map(|(from, to, size)| ((from, to), size.get())).collect();
        assert_eq!(messages, expected, "{number}");
        assert_eq!(redistribution.volume().get(), expected.values().sum::<u64>());
        let total = |end: fn(&(Rank, Rank)) -> Rank, rank: Rank| {
            expected.iter().filter(|(pair, _)| end(pair) == rank).map(|(_, size)| size).sum::<u64>()
        };
        let busiest = Rank::first(20)
            .map(|rank| total(|pair| pair.0, rank).max(total(|pair| pair.1, rank)))
            .max();
        assert_eq!(Some(redistribution.largest_volume().get()), busiest);
        // Both schedules send these messages and run to their end.
        let (caterpillar, matching) =
            (redistribution.caterpillar(), redistribution.matching().unwrap());
        assert_eq!(sent(&caterpillar), expected, "{number}");
        assert_eq!(sent(&matching), expected, "{number}");
        let mut network = orrery::comm::ports::PortsNetwork::new(
            orrery::comm::ports::Layout::new(20),
            vec![1e-9; orrery::comm::ports::Layout::new(20).count()],
        );
        let placement = |ranks| Placement::identity(ranks);
        engine.run(&caterpillar, &placement(caterpillar.ranks()), &mut network).unwrap();
        engine.run(&matching, &placement(matching.ranks()), &mut network).unwrap();
        // Sends that wait for their receive do not block each other.
        let mut network = orrery::engine::Synchronous(&mut network);
        engine.run(&caterpillar, &placement(caterpillar.ranks()), &mut network).unwrap();
        engine.run(&matching, &placement(matching.ranks()), &mut network).unwrap();
    }
}

/// The numbers of messages of the busiest rank, sent or received, copies included.
fn largest_degree(redistribution: &Redistribution) -> usize {
    let (from, to) = (redistribution.from().grid.processes(), redistribution.to().grid.processes());
    let is_sent = |from, to| redistribution.bytes(from, to) > Bytes::ZERO;
    let sends = (0..from).map(|one| (0..to).filter(|&other| is_sent(one, other)).count());
    let receives = (0..to).map(|one| (0..from).filter(|&other| is_sent(other, one)).count());
    sends.chain(receives).max().unwrap_or(0)
}

#[test]
fn steps_are_as_few_as_the_messages_of_the_busiest_process() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..200 {
        let matrix = (rng.random_range(1..200), rng.random_range(1..200));
        let (from, to) = (random_layout(matrix, &mut rng), random_layout(matrix, &mut rng));
        let redistribution = Redistribution::new(from, to, ELEMENT).unwrap();
        let matching = redistribution.matching().unwrap();
        assert_eq!(matching.steps(), largest_degree(&redistribution));
        let processes =
            redistribution.from().grid.processes().max(redistribution.to().grid.processes());
        assert_eq!(redistribution.caterpillar().steps(), processes);
        assert!(matching.length() >= redistribution.largest_volume());
    }
}

#[test]
fn equal_blocks_have_steps_of_equal_messages() {
    // Blocks of 4 on 6 and on 4 processes: each sends to 4 / gcd(6, 4) = 2 others.
    let layout =
        |columns| Layout::new(ProcessGrid::new(1, columns).unwrap(), (1, 4 * 24), (1, 4)).unwrap();
    let redistribution = Redistribution::new(layout(6), layout(4), ELEMENT).unwrap();
    let matching = redistribution.matching().unwrap();
    // The four receive three messages of two blocks each.
    assert_eq!((matching.steps(), matching.length()), (3, Bytes::new(3 * 2 * 4 * 8)));
}

#[test]
fn large_matrices_take_no_longer_than_their_period() {
    let layout = |rows, columns, block| {
        let grid = ProcessGrid::new(rows, columns).unwrap();
        Layout::new(grid, (1_000_000, 1_000_000), (block, block)).unwrap()
    };
    let redistribution =
        Redistribution::new(layout(64, 64, 64), layout(48, 72, 96), ELEMENT).unwrap();
    let total: u64 = redistribution.messages().map(|(.., size)| size.get()).sum();
    assert_eq!(total, redistribution.volume().get());
    assert!(redistribution.volume().get() > 7 * 1_000_000_000_000);
}

#[test]
fn impossible_layouts_are_refused() {
    let grid = || ProcessGrid::new(2, 2).unwrap();
    let layout = |rows| Layout::new(grid(), (rows, 10), (1, 1)).unwrap();
    let many = |block, processes| Cyclic::new(1 << 39, block, processes, 0).unwrap();
    for (refused, words) in [
        (ProcessGrid::new(0, 4).err(), "the grid 0x4 is impossible"),
        (ProcessGrid::new(1 << 16, 1 << 16).err(), "the grid 65536x65536 is impossible"),
        (
            ProcessGrid::with_ranks(1, 2, vec![Rank(3); 2]).err(),
            "the number of different ranks is 1, but a grid of 1x2 needs 2",
        ),
        (Layout::new(grid(), (10, 10), (0, 4)).err(), "the size of a block is 0"),
        (Cyclic::new(10, 1, 2, 2).err(), "the first block is on process 2; it must be below 2"),
        (Cyclic::new(1 << 50, 1, 2, 0).err(), "there are 1125899906842624 rows or columns"),
        (
            Redistribution::new(layout(10), layout(11), ELEMENT).err(),
            "there are 10 rows or columns before the redistribution and 11 after it",
        ),
        (many(1, 100_003).overlaps(&many(1, 99_991)).err(), "the layouts repeat only after"),
    ] {
        let error = refused.expect("it is impossible").to_string();
        assert!(error.starts_with(words), "{error}");
    }
}

#[test]
fn programs_send_what_the_library_does() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scalapack/redistributions.csv");
    let mut reader = csv::Reader::from_path(path).unwrap();
    let names: Vec<String> = reader.headers().unwrap().iter().map(ToOwned::to_owned).collect();
    let place = |name: &str| names.iter().position(|one| one == name).unwrap();
    // The sent and the received messages and bytes of each rank.
    let mut calls: BTreeMap<[u64; 7], Vec<[u64; 4]>> = BTreeMap::new();
    for row in reader.records().map(Result::unwrap) {
        let number = |name| row[place(name)].parse::<u64>().unwrap();
        let call = ["m", "n", "block", "rows", "columns", "to_rows", "to_columns"].map(number);
        calls
            .entry(call)
            .or_default()
            .push(["send", "send_bytes", "receive", "receive_bytes"].map(number));
    }
    assert_eq!(calls.len(), 12);
    for ([m, n, block, rows, columns, to_rows, to_columns], ranks) in calls {
        let grid = |rows, columns| Grid { rows: rows as u32, columns: columns as u32, block };
        let call = RedistributionCall::new(
            Precision::Double,
            [m, n],
            grid(rows, columns),
            grid(to_rows, to_columns),
        );
        let call = call.unwrap();
        let redistribution = call.redistribution().unwrap();
        let program = RedistributionProgram::new(&redistribution);
        let counts = |rank| {
            let mut counts = [0; 4];
            for operation in operations(&program, rank) {
                let (place, size) = match operation {
                    Operation::Do(Transfer::Send { size, .. })
                    | Operation::Post(Transfer::Send { size, .. }, _) => (0, size),
                    Operation::Do(Transfer::Receive { size, .. })
                    | Operation::Post(Transfer::Receive { size, .. }, _) => (2, size),
                    _ => continue,
                };
                counts[place] += 1;
                counts[place + 1] += size.get();
            }
            counts
        };
        let found: Vec<[u64; 4]> = Rank::first(program.ranks()).map(counts).collect();
        if ranks.len().is_power_of_two() {
            assert_eq!(found, ranks, "{call:?}");
        }
        // With other numbers of processes, other pairs of them begin the agreement.
        let sum = |all: &[[u64; 4]]| {
            [0, 1, 2, 3].map(|place| all.iter().map(|one| one[place]).sum::<u64>())
        };
        assert_eq!(sum(&found), sum(&ranks), "{call:?}");
    }
}
