//! Binary traces: written traces read back, loops are compact, invalid files are rejected with
//! their byte.

use orrery::file::Fault;
use orrery::schedule::{Cursor, Operation, Rank, Request, Schedule, Tag, Transfer, operations};
use orrery::simulate::{FlowModel, Simulation, SimulationError};
use orrery::trace::actions::{Action, CollectiveKind, Trace, TraceBuilder, WORLD, WriteError};
use orrery::trace::file::{self, TraceFormat};
use orrery::trace::{binary, tit};
use orrery::units::{Bytes, Seconds};

fn read(text: &str) -> Trace {
    let mut reader = tit::Reader::default();
    reader.shared("t.tit", text.as_bytes()).unwrap();
    reader.finish().unwrap()
}

fn operations_of(trace: &Trace) -> Vec<Vec<Operation>> {
    let speeds = vec![1e9; trace.ranks()];
    let schedule = trace.schedule(&speeds, Seconds::new(1e-4));
    Rank::first(trace.ranks()).map(|rank| operations(&schedule, rank).collect()).collect()
}

fn as_tit(trace: &Trace) -> String {
    let mut text = Vec::new();
    tit::write(trace, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// A text with every action there is, for two ranks.
const ALL: &str = "0 init\n0 compute 1e6\n0 compute 0.5\n0 compute 1e300\n0 sleep 0.25\n0 send 1 7 \
    100\n0 isend 1 8 200\n\
    0 irecv 1 9 300\n0 irecv -1 9 300\n0 test 1 0 9\n0 wait 0 1 8\n0 waitall\n0 recv -1 3 5\n0 \
    recv 1 3 -1\n\
    0 irecv 1 3 -1\n0 sendRecv 5 1 6 1\n0 barrier\n0 bcast 9 1\n0 reduce 9 5 1\n0 allreduce 9 5\n0 \
    gather 3 3 1\n\
    0 scatter 3 3 1\n0 allgather 4 4\n0 alltoall 5 5\n0 scan 6 1\n0 exscan 6 0\n0 gatherv 1 2 3 \
    1\n0 scatterv 1 2 3 1\n\
    0 allgatherv 1 2 3\n0 alltoallv 9 1 2 9 3 4\n0 reducescatter 300000 300001 9\n0 reducescatter \
    3 4 9 0\n1 init\n";

#[test]
fn written_traces_read_back() {
    let trace = read(ALL);
    let bytes = binary::write(&trace);
    let again = binary::read(&bytes, "t.orrt").unwrap();
    assert_eq!(operations_of(&again), operations_of(&trace));
    assert_eq!(again.profile(), trace.profile());
    assert_eq!(again.location(Rank(0), 4).unwrap().to_string(), "t.tit:6:1");
    assert_eq!(binary::write(&again), bytes);
    assert!(bytes.len() < ALL.len() / 2, "{} bytes for {}", bytes.len(), ALL.len());
    // And as a text: the same operations, and then the same text.
    let text = as_tit(&again);
    assert_eq!(operations_of(&read(&text)), operations_of(&trace));
    assert_eq!(as_tit(&read(&text)), text);
}

/// A pair of ranks that exchange `times` messages in a block, with a request in each direction.
fn exchanges(times: u32) -> Result<Trace, Fault> {
    let mut builder = TraceBuilder::new(2);
    let (tag, size, request) = (Tag(0), Bytes::new(8), Request(0));
    for rank in 0..2 {
        let peer = Rank(1 - rank);
        builder.begin_rank(None)?;
        builder.push(Action::Compute { flops: 5.0 }, 0)?;
        builder.begin_loop(times)?;
        builder.push(Action::Post(Transfer::Receive { from: peer, tag, size }, request), 0)?;
        builder.begin_loop(3)?;
        builder.push(Action::Compute { flops: 1e6 }, 0)?;
        builder.end_loop()?;
        builder.push(Action::Do(Transfer::Send { to: peer, tag, size }), 0)?;
        builder.push(Action::Wait(request), 0)?;
        builder.end_loop()?;
        builder.collective(CollectiveKind::Barrier, WORLD, 0, Bytes::ZERO, &[], 0)?;
    }
    builder.finish()
}

#[test]
fn loops_of_a_billion_iterations_are_compact() {
    assert!(
        exchanges(1_000_000_000)
            .is_err_and(|error| error.to_string().contains("the rank has 6000000001 actions"))
    );
    let trace = exchanges(700_000_000).unwrap();
    let bytes = binary::write(&trace);
    assert!(bytes.len() < 100, "{}", bytes.len());
    let again = binary::read(&bytes, "t").unwrap();
    assert_eq!((again.actions(), binary::write(&again)), (trace.actions(), bytes));
    assert_eq!(again.profile()[1]["send"].sent_bytes, 5_600_000_000);
    let speeds = [1e9; 2];
    let schedule = again.schedule(&speeds, Seconds::ZERO);
    let first: Vec<String> =
        operations(&schedule, Rank(0)).take(9).map(|operation| operation.to_string()).collect();
    let round = [
        "post 0 recv 8b from 1 tag 0",
        "calc 1000000",
        "calc 1000000",
        "calc 1000000",
        "send 8b to 1 tag 0",
        "wait 0",
    ];
    assert_eq!(first[1..7], round);
    assert_eq!(first[7..], round[..2]);
    // From its end, too.
    let mut cursor = Cursor { statement: 1 + 700_000_000 * 6 - 1, step: 0 };
    assert_eq!(
        schedule.next(Rank(0), &mut cursor).map(|operation| operation.to_string()).as_deref(),
        Some("wait 0")
    );
    assert!(schedule.next(Rank(0), &mut cursor).is_some());
}

#[test]
fn loops_are_equivalent_to_written_out_actions() {
    let trace = exchanges(4).unwrap();
    let written_out = read(&as_tit(&trace));
    assert_eq!(operations_of(&written_out), operations_of(&trace));
    assert_eq!(written_out.profile(), trace.profile());
    orrery::engine::check(&trace.schedule(&[1.0; 2], Seconds::ZERO)).unwrap();
}

#[test]
fn loops_without_operations_are_skipped() {
    let (tag, size) = (Tag(0), Bytes::new(8));
    let mut builder = TraceBuilder::new(2);
    let alone = builder.add_communicator(&[Rank(0)]).unwrap();
    builder.begin_rank(None).unwrap();
    builder.begin_loop(2).unwrap();
    builder.begin_loop(1_000_000_000).unwrap();
    builder.wait_all(&[], 0).unwrap();
    builder.collective(CollectiveKind::Barrier, alone, 0, Bytes::ZERO, &[], 0).unwrap();
    builder.end_loop().unwrap();
    builder.push(Action::Do(Transfer::Send { to: Rank(1), tag, size }), 0).unwrap();
    builder.end_loop().unwrap();
    builder.begin_loop(20_000).unwrap();
    builder.begin_loop(10_000).unwrap();
    builder.wait_all(&[], 0).unwrap();
    builder.end_loop().unwrap();
    builder.end_loop().unwrap();
    builder.begin_rank(None).unwrap();
    builder.begin_loop(2).unwrap();
    builder.push(Action::Do(Transfer::Receive { from: Rank(0), tag, size }), 0).unwrap();
    builder.end_loop().unwrap();
    let trace = binary::read(&binary::write(&builder.finish().unwrap()), "t").unwrap();
    assert_eq!(trace.actions(), 2 * 2_000_000_001 + 200_000_000 + 2);
    let schedule = trace.schedule(&[1.0; 2], Seconds::ZERO);
    let sends =
        |cursor: &mut Cursor| schedule.next(Rank(0), cursor).map(|operation| operation.to_string());
    let mut cursor = Cursor::default();
    for statement in [2_000_000_000, 4_000_000_001] {
        assert_eq!(sends(&mut cursor).as_deref(), Some("send 8b to 1 tag 0"));
        assert_eq!(cursor.statement, statement);
    }
    assert_eq!(sends(&mut cursor), None);
    // Found by fuzzing: a billion rounds without waits.
    let found =
        [0, 1, 58, 7, 0, 22, 0, 1, 254, 255, 255, 255, 3, 13, 0, 0, 3, 9, 0, 0, 0, 3, 1, 0, 2];
    let trace = binary::read(&sealed(&[1, 0, 0], &[&found]), "t").unwrap();
    assert_eq!(operations(&trace.schedule(&[1.0], Seconds::ZERO), Rank(0)).count(), 59);
}

/// The length is computed without a walk through the loops; the first action beyond the limit is
/// the one that a walk would find.
#[test]
fn traces_beyond_a_limit_are_counted_and_not_written() {
    let trace = exchanges(700_000_000).unwrap();
    let error = |max| trace.check_length(max).unwrap_err();
    // A barrier of two ranks has four operations of rank 0 and two of rank 1.
    let operations = trace.actions() + 3 + 1;
    assert!(trace.check_length(operations).is_ok());
    let beyond = |most| (error(most).rank, error(most).statement);
    assert_eq!(error(1000).operations, operations);
    assert_eq!([beyond(0), beyond(999)], [(Rank(0), 0), (Rank(0), 999)]);
    assert_eq!(beyond(trace.actions() / 2 + 3 + 17), (Rank(1), 17));
    assert_eq!(beyond(operations - 1), (Rank(1), 4_200_000_001));
    // Waits are no operations of GOAL, a barrier is a message to rank 0 and one from it.
    let path = std::env::temp_dir().join(format!("orrery-bound-{}.out", std::process::id()));
    let save = |trace: &Trace, format, most| match file::save(trace, &path, format, most) {
        Err(WriteError::TooMany(error)) => {
            assert!(!path.exists());
            Err((error.operations, error.rank, error.statement))
        }
        other => {
            other.unwrap();
            let text = std::fs::read(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            Ok(text.len())
        }
    };
    let goal = 2 * (1 + 700_000_000 * 5 + 2);
    assert_eq!(save(&trace, TraceFormat::Goal(1e9), u64::MAX), Err((goal, Rank(0), 2_576_980_377)));
    assert_eq!(save(&trace, TraceFormat::Goal(1e9), 10), Err((goal, Rank(0), 11)));
    assert_eq!(save(&trace, TraceFormat::TimeIndependent, 10), Err((8_400_000_004, Rank(0), 10)));
    assert!(save(&trace, TraceFormat::Binary, 10).is_ok());
    let short = exchanges(2).unwrap();
    assert!(
        save(&short, TraceFormat::Goal(1e9), 26).is_ok()
            && save(&short, TraceFormat::TimeIndependent, 28).is_ok()
    );
    assert_eq!(save(&short, TraceFormat::Goal(1e9), 25), Err((26, Rank(1), 13)));
    assert_eq!(save(&short, TraceFormat::TimeIndependent, 27), Err((28, Rank(1), 13)));
    // In a group collective operations are messages.
    assert_eq!(
        save(&in_a_group(), TraceFormat::TimeIndependent, 20).map_err(|(_, rank, _)| rank),
        Err(Rank(2))
    );
}

/// All collective operations among ranks 5, 2 and 4 of six, whose order is not theirs in the world.
fn in_a_group() -> Trace {
    let mut builder = TraceBuilder::new(6);
    let group = builder.add_communicator(&[Rank(5), Rank(2), Rank(4)]).unwrap();
    let file = builder.add_file("a.out");
    for rank in 0..6_u32 {
        builder.begin_rank(Some(file)).unwrap();
        let Some(place) = [5, 2, 4].iter().position(|&member| member == rank) else { continue };
        let own = Bytes::new(10 + place as u64);
        for kind in CollectiveKind::ALL {
            let size = match kind {
                CollectiveKind::ReduceScatter => Bytes::new(1),
                CollectiveKind::GatherV | CollectiveKind::ScatterV | CollectiveKind::AllgatherV => {
                    own
                }
                _ => Bytes::new(20),
            };
            let mut sizes: Vec<Bytes> =
                (0..kind.size_count(3)).map(|k| Bytes::new(10 + k as u64)).collect();
            if kind == CollectiveKind::AlltoallV {
                sizes[3..].fill(own);
            }
            let root = u32::from(kind.is_rooted());
            builder.collective(kind, group, root, size, &sizes, rank).unwrap();
        }
    }
    builder.finish().unwrap()
}

#[test]
fn communicators_number_their_ranks() {
    let trace = in_a_group();
    let again = binary::read(&binary::write(&trace), "t").unwrap();
    assert_eq!(again, trace);
    orrery::engine::check(&again.schedule(&[1.0; 6], Seconds::ZERO)).unwrap();
    // The broadcast comes from number 1, which is rank 2.
    let words: Vec<String> = operations_of(&again)[2].iter().map(Operation::to_string).collect();
    assert_eq!(words[2], "send 20b to 5 tag 4294967293");
    // A trace of SimGrid has no communicators: there they are messages, which match up.
    let text = as_tit(&again);
    orrery::engine::check(&read(&text).schedule(&[1.0; 6], Seconds::ZERO)).unwrap();
    assert_eq!(
        read(&text).profile()[2].values().map(|totals| totals.sent_bytes).sum::<u64>(),
        again.profile()[2].values().map(|totals| totals.sent_bytes).sum::<u64>()
    );
}

#[test]
fn truncated_and_damaged_files_are_rejected() {
    let bytes = binary::write(&exchanges(70).unwrap());
    for end in 0..bytes.len() {
        let error = binary::read(&bytes[..end], "t.orrt").unwrap_err();
        let byte = error.fault().and_then(Fault::byte).unwrap();
        assert!(
            byte <= end && error.to_string().starts_with(&format!("t.orrt: byte {byte}: ")),
            "{error}"
        );
    }
    for byte in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[byte] ^= 1 << bit;
            assert!(binary::read(&damaged, "t.orrt").is_err(), "byte {byte}, bit {bit}");
        }
    }
    let longer = [&bytes[..], &[0]].concat();
    let error = binary::read(&longer, "t.orrt").unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "t.orrt: byte {}: 1 bytes follow the section of the last rank; remove them",
            bytes.len()
        )
    );
}

/// The checksum of the format, bit by bit.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    let bit = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    (!bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), bit))).to_le_bytes()
}

/// A file with valid checksums: the header after the version up to the lengths, and the section of
/// each rank.
fn sealed(head: &[u8], ranks: &[&[u8]]) -> Vec<u8> {
    let mut file = [&b"\x89ORT\r\n\x1a\n\x01"[..], head].concat();
    file.extend(ranks.iter().map(|rank| rank.len() as u8 + 4));
    file.extend(checksum(&file));
    for rank in ranks {
        file.extend(*rank);
        file.extend(checksum(rank));
    }
    file
}

#[test]
fn invalid_files_are_rejected_with_their_byte() {
    // Two ranks, no files, no communicators, two lengths and a checksum: the first rank begins at
    // byte 18.
    let said = |rank: &[u8]| {
        binary::read(&sealed(&[2, 0, 0], &[rank, &[0]]), "t").unwrap_err().to_string()
    };
    for (rank, wanted) in [
        (&[0, 99][..], "t: byte 19: 99 is not the code of an action"),
        (&[1], "t: byte 18: 1 of 2 ranks are recorded"),
        (&[0, 5, 2, 0, 8], "t: byte 19: rank 2 does not exist; the trace has 2 ranks"),
        (&[0, 5, 1, 0], "t: byte 22: a number of bytes is missing: the file is truncated"),
        (
            &[0, 5, 1, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20],
            "t: byte 19: a size of at most 2^53 bytes",
        ),
        (
            &[0, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
            "t: byte 20: a number of operations is expected",
        ),
        (&[0, 3, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F], "t: byte 19: a number of operations is expected"),
        (&[0, 4, 0, 0, 0, 0, 0, 0, 0xF0, 0xBF], "t: byte 19: a number of seconds is expected"),
        (&[0, 11, 0], "t: byte 19: request 0 is not posted"),
        (&[0, 8, 7, 1, 0, 8], "t: byte 19: request 7 is out of order"),
        (&[0, 8, 0, 1, 0, 8, 8, 0, 1, 0, 8], "t: byte 24: request 0 is posted again"),
        (
            &[0, 1, 9, 8, 0, 1, 0, 8, 0],
            "t: byte 26: request 0 is in another state after an iteration",
        ),
        (&[0, 1, 0, 14, 0], "t: byte 19: this loop has 0 iterations"),
        (&[0, 1, 9, 0], "t: byte 21: this loop is empty"),
        (&[0, 0], "t: byte 19: this loop ends without a beginning"),
        (&[0, 1, 9, 14], "t: byte 22: the end of a loop"),
        (&[0, 16, 3, 0], "t: byte 19: communicator 3 does not exist; the trace has 1"),
        (&[0, 17, 0, 2, 0], "t: byte 19: the root 2 is not in the communicator"),
        (&[0, 26, 0, 0, 5, 1], "t: byte 24: a number of bytes is missing: the file is truncated"),
        (
            &[0, 13, 255, 255, 255, 255, 15],
            "t: byte 25: the number of a request is missing: the file is truncated",
        ),
    ] {
        let said = said(rank);
        assert!(said.starts_with(wanted), "{rank:?}: {said}");
    }
    let deep = [&[0][..], &[1, 2].repeat(17), &[14]].concat();
    assert_eq!(said(&deep), "t: byte 51: this loop is nested in 16 others; that is the maximum");
    let endless = [&[0][..], &[1, 255, 255, 255, 255, 15].repeat(3), &[14, 0, 0, 0]].concat();
    assert!(said(&endless).starts_with("t: byte 38: the rank has"), "{}", said(&endless));
    let head = |head: &[u8]| binary::read(&sealed(head, &[]), "t").unwrap_err().to_string();
    for (bytes, wanted) in [
        (&[0, 0, 0][..], "t: byte 16: the trace has no ranks"),
        (
            &[255, 255, 255, 255, 15, 0, 0],
            "t: byte 20: the length of a rank's section is missing: the file is truncated",
        ),
        (
            &[1, 255, 255, 255, 255, 15],
            "t: byte 19: the name of a file is missing: the file is truncated",
        ),
        (&[1, 1, 1, 0xFF], "t: byte 12: the name of this source file is not UTF-8"),
        (
            &[1, 0, 1, 1, 2],
            "t: byte 12: a communicator has rank 1, but the ranks of the trace are 0 to 0",
        ),
        (&[1, 0, 1, 2, 0, 0], "t: byte 12: a communicator has rank 0 twice; name it once"),
        (
            &[1, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 127],
            "t: byte 25: the section of a rank is missing: the file is truncated",
        ),
    ] {
        let said = head(bytes);
        assert!(said.starts_with(wanted), "{bytes:?}: {said}");
    }
    let said = binary::read(b"\x89ORT\n\x1a\n\x01", "t").unwrap_err().to_string();
    assert_eq!(
        said,
        "t: byte 0: this is not a binary trace of Orrery, or a transfer in text mode altered it; \
            copy it in binary mode"
    );
}

/// A block whose operations are compared with those of the documentation.
#[test]
fn the_documented_example_is_correct() {
    let mut builder = TraceBuilder::new(1);
    builder.begin_rank(None).unwrap();
    builder.begin_loop(1000).unwrap();
    builder.push(Action::Compute { flops: 1e6 }, 0).unwrap();
    builder.end_loop().unwrap();
    let bytes = binary::write(&builder.finish().unwrap());
    let words: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let document = include_str!("../../../../docs/file-formats.md");
    assert!(
        document.contains(&words[..12].join(" ")) && document.contains(&words[17..26].join(" ")),
        "{}",
        words.join(" ")
    );
}

#[test]
fn unreceived_messages_are_reported_with_their_action() {
    let cluster = r#"<platform version="4.1"><cluster id="c" prefix="" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us"/></platform>"#;
    let topology = orrery::platform::xml::parse(cluster, "c.xml").unwrap().topology;
    let hosts = [orrery::platform::HostId(0), orrery::platform::HostId(1)];
    let trace = read("0 init\n0 compute 5\n0 send 1 4 8\n1 init\n");
    let schedule = trace.schedule(&[1e9; 2], Seconds::ZERO);
    let error = Simulation::new(&topology, &hosts, FlowModel::SMPI).run(&schedule).unwrap_err();
    assert_eq!(error, SimulationError::Unreceived { from: Rank(0), statement: 1, to: Rank(1) });
    assert_eq!(trace.location(Rank(0), 1).unwrap().to_string(), "t.tit:3:1");
}
