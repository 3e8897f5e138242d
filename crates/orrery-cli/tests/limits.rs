//! Small inputs that request much memory or work: each is answered within 1 GiB, or refused with
//! the budget that it would need. The address space of the command is limited by `ulimit -v`, so
//! that a larger allocation fails the test.

use std::fs;
use std::path::Path;
use std::process::Command;

#[path = "../../orrery/tests/common/variants.rs"]
mod variants;

use variants::few_or_all;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

/// The column names of samples files.
const COLUMNS: &str = "# format: orrery-samples \
    1\nexperiment,i,j,k,procs,size,reply,segment,count,delay,launch,rep,seconds\n";

/// What a command printed, and whether it succeeded.
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs the command in a folder with an address space of this number of MiB.
fn within(mebibytes: u64, folder: &Path, arguments: &str) -> Ended {
    let script = format!(
        "ulimit -v {}; exec \"$0\" {}",
        mebibytes * 1024,
        arguments.replace("EXAMPLES", EXAMPLES)
    );
    let mut command = Command::new("sh");
    // One thread, since each reserves address space.
    command
        .args(["-c", &script, env!("CARGO_BIN_EXE_orrery")])
        .current_dir(folder)
        .env("RAYON_NUM_THREADS", "1");
    let output = command.env("RUST_BACKTRACE", "0").output().expect("sh runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// Runs the command within 1 GiB.
fn run(folder: &Path, arguments: &str) -> Ended {
    within(1024, folder, arguments)
}

impl Ended {
    /// Checks that the command succeeded.
    fn answered(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// Checks that the command refused its input with these words.
    fn refused(self, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(1), "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in: {}", self.stderr);
        }
        assert!(self.stderr.len() < 8000, "a message of {} bytes", self.stderr.len());
        self
    }
}

/// Numbered lines.
fn lines(count: u32, line: impl Fn(u32) -> String) -> String {
    (0..count).flat_map(|number| [line(number), "\n".to_owned()]).collect()
}

/// A folder with a file.
fn folder(name: &str, content: impl AsRef<[u8]>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(name), content).expect("a file");
    folder
}

/// Three readings of processors 0 and 20000 have 200 million pairs of processors.
#[test]
fn samples_of_a_distant_processor() {
    let rows = "roundtrip,0,20000,,,0,0,,,,0,0,0.0001\nroundtrip,0,20000,,,1024,1024,,,,0,0,0.0002\n\
                one-to-two,0,1,20000,,1024,,,,,0,0,0.0003\n";
    let at = folder("s.csv", format!("{COLUMNS}{rows}"));
    run(at.path(), "fit s.csv -o m.json").refused(&["lacks"]);
    run(at.path(), "fit s.csv -o m.json --models hockney")
        .refused(&["hockney lacks 200009999 experiments: round trips 0-1"]);
    run(at.path(), "fit s.csv -o m.json --models lmo")
        .refused(&["lmo lacks 400059999", "round trip 0-1 (0 out, 0 back)"]);
    run(at.path(), "fit s.csv -o m.json --estimator triplets --models lmo")
        .refused(&["lacks", "round trip 0-1"]);
    run(at.path(), "samples summary s.csv").answered();
    run(at.path(), "validate EXAMPLES/six-hosts.json s.csv").refused(&["processor"]);
}

#[test]
fn model_of_many_processors() {
    let model = |processors: u32| {
        let list: Vec<String> =
            (0..processors).map(|rank| format!("{{\"rank\":{rank}}}")).collect();
        format!(
            "{{\"format\":\"orrery-model\",\"version\":1,\"processors\":[{}],\"models\":{{\"lmo\":{{\"fixed_delay\":{{\"value\":1e-5}},\
             \"byte_delay\":{{\"value\":1e-9}},\"link_latency\":{{\"value\":2e-5}},\"link_byte_delay\":{{\"value\":8e-9}}}}}}}}",
            list.join(",")
        )
    };
    let at = folder("m.json", model(20_000));
    let needed = [
        "m.json:1:",
        "199990000 pairs",
        "61033 MiB of memory; its budget is 512 MiB; allow it with --max-memory 60G",
    ];
    for verb in ["model check", "model show"] {
        run(at.path(), &format!("{verb} m.json")).refused(&needed);
    }
    run(at.path(), "predict scatter m.json --size 1K").refused(&needed);
    let at = folder("m.json", model(500));
    run(at.path(), "model check m.json").answered();
    run(at.path(), "predict scatter m.json --size 1K").answered();
    run(at.path(), "model check m.json --max-memory 1M").refused(&["its budget is 1 MiB"]);
}

/// A zstd frame of one block of 128 KiB after the other, each of one repeated byte: 32,768 times
/// its length.
#[test]
fn compressed_text_that_is_far_larger_than_its_file() {
    const BLOCK: u32 = 1 << 17;
    let block = |last: u32| [&(BLOCK << 3 | 1 << 1 | last).to_le_bytes()[..3], b"#"].concat();
    let mut bomb = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
    (0..27_000).for_each(|_| bomb.extend(block(0)));
    bomb.extend(block(1));
    let at = folder("s.csv.zst", bomb);
    let needed = [
        "s.csv.zst: the decompressed text takes",
        "its budget is 512 MiB; allow it with --max-memory 14G",
    ];
    run(at.path(), "fit s.csv.zst -o m.json").refused(&needed);
    run(at.path(), "samples summary s.csv.zst").refused(&needed);
}

/// The critical path of a train with n timed calls is visited once, not once for each call.
#[test]
fn trains_of_many_messages() {
    let rows = |count: u32| {
        let of = |kind: &&str| {
            let row = |size: u32| format!("{kind},0,1,,,{size},,,{count},,0,0,0.001\n");
            row(0) + &row(1024)
        };
        let trains: String = ["send-overhead", "receive-overhead", "gap"].iter().map(of).collect();
        format!(
            "{COLUMNS}{trains}roundtrip,0,1,,,0,0,,,,0,0,0.0001\nroundtrip,0,1,,,1024,1024,,,,0,0,0.0002\n"
        )
    };
    let at = folder("s.csv", rows(20_000));
    run(at.path(), "fit s.csv -o m.json").answered();
    run(at.path(), "validate EXAMPLES/alike-hosts.json s.csv").answered();
    let at = folder("s.csv", rows(1_000_000));
    let needed =
        ["s.csv: one run of each experiment takes 24000008 operations; its budget is 10000000; \
            allow them with --max-operations 24000008"];
    run(at.path(), "fit s.csv -o m.json").refused(&needed);
    run(at.path(), "validate EXAMPLES/alike-hosts.json s.csv").refused(&needed);
}

/// A call of a library names a schedule by a short row, which is played for its correction only
/// within the budget.
#[test]
fn calls_of_a_library_with_many_messages() {
    let trips = "roundtrip,0,1,,,0,0,,,,0,0,0.0001\nroundtrip,0,1,,,1024,1024,,,,0,0,0.0002\n";
    let calls = lines(4, |k| {
        format!("native/bcast/ompi/pipeline:1,0,,,2,{},,,,,0,0,0.001", 2_000_000_000 + k)
    });
    let at = folder("s.csv", format!("{COLUMNS}{trips}{calls}"));
    run(at.path(), "fit s.csv -o m.json").answered();
}

/// The losses of n concurrent messages to each other are not recorded, as they are not printed.
#[test]
fn schemes_of_many_messages() {
    let at = folder("s.scheme", "0 -> 2 x10000\n");
    for law in ["maxmin", "gige --beta 0.75 --gamma-out 0.04 --gamma-in 0.04"] {
        let ended = run(
            at.path(),
            &format!("share s.scheme --dynamic --bandwidth 125e6 --format csv --sharing {law}"),
        );
        assert_eq!(ended.answered().stdout.lines().count(), 10_001);
    }
    // Each of n messages that end one after the other changes the rates of all others.
    let text = lines(5000, |k| format!("0 -> 2 {}", 1000 + k));
    let at = folder("s.scheme", text);
    let needed = [
        "s.scheme: the simulation of 5000 transfers takes 50000000 operations",
        "--max-operations 50000000",
    ];
    run(at.path(), "share s.scheme --dynamic --bandwidth 125e6 --sharing maxmin").refused(&needed);
}

/// The same in a trace; the number of changes is known when they have happened.
#[test]
fn many_rates_that_change() {
    let message = |end: &'static str| move |k: u32| format!("{end} {k} {}", 1000 + k);
    let text = |messages| {
        let sends = lines(messages, message("0 isend 1")) + "0 waitall\n";
        sends + &lines(messages, message("1 irecv 0")) + "1 waitall\n"
    };
    let at = folder("t.tit", text(1200));
    let simulate = "simulate t.tit --cluster EXAMPLES/cluster.toml";
    run(at.path(), simulate).answered();
    let needed = [
        "rates of messages changed 500000 times, which is the budget of 10000 operations",
        "--max-operations 100000",
    ];
    run(at.path(), &format!("{simulate} --max-operations 10000")).refused(&needed);
}

/// The time of a search grows with the square of the points, and its memory with the number of
/// breaks, too.
#[test]
fn breakpoints_of_many_points() {
    let series =
        |points: u32| format!("x,y\n{}", lines(points, |k| format!("{k},{}", (k * 7919) % 1000)));
    let at = folder("s.csv", series(20_000));
    run(at.path(), "breakpoints s.csv --x x --y y").answered();
    run(at.path(), "breakpoints s.csv --x x --y y --min-segment 3")
        .refused(&["the search for breakpoints among 20000 points takes 1526 MiB of memory; its \
            budget is 512 MiB"]);
    let at = folder("s.csv", series(100_000));
    run(at.path(), "breakpoints s.csv --x x --y y").refused(&[
        "takes 30000000 operations; its budget is",
        "allow them with --max-operations 30000000",
    ]);
}

/// An entry of a few bytes names 100,000 hosts.
#[test]
fn clusters_of_many_hosts() {
    let entry = |k| format!("[[hosts]]\nnames = \"n{k}-[1-100000]\"\nkind = \"a\"\ncores = 1");
    let at = folder("c.toml", lines(20, entry));
    let needed =
        ["the list of hosts up to here takes", "its budget is 512 MiB; allow it with --max-memory"];
    run(at.path(), "simulate EXAMPLES/ring.tit --cluster c.toml").refused(&needed);
    let cluster = format!(
        "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"{}\" suffix=\"\" \
            radical=\"0-1000000\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/></platform>",
        "n".repeat(100_000)
    );
    let at = folder("c.xml", cluster);
    let needed = ["the platform up to here takes", "allow it with --max-memory"];
    run(at.path(), "simulate EXAMPLES/ring.tit --platform c.xml").refused(&needed);
}

#[test]
fn billions_of_repetitions() {
    let at = tempfile::tempdir().expect("a folder");
    let measure = "measure comm --machine sim:EXAMPLES/six-hosts.json -o s.csv";
    let needed = ["one experiment with 4294967295 readings takes", "--max-memory 384G"];
    run(at.path(), &format!("{measure} --min-reps 4294967295")).refused(&needed);
    run(at.path(), &format!("{measure} --max-reps 4294967295 --eps 1e-300")).refused(&needed);
    let needed = [
        "one experiment with 4294967295 repetitions before its first reading",
        "--max-operations 4294967295",
    ];
    run(at.path(), &format!("{measure} --warm-up 4294967295")).refused(&needed);
    assert!(!at.path().join("s.csv").exists());
    // They take no time on the simulated cluster.
    run(
        at.path(),
        &format!("{measure} --size 1K --warm-up 4294967295 --max-operations 5000000000"),
    )
    .answered();
}

/// A binary trace of ranks that repeat one operation each.
fn loops(ranks: &[(u32, &[u8])]) -> Vec<u8> {
    fn number(mut number: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number > 127 {
            bytes.push(number as u8 | 128);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }
    let sealed = |mut part: Vec<u8>| {
        part.extend(crc32(&part).to_le_bytes());
        part
    };
    let part = |(count, operation): &(u32, &[u8])| {
        sealed([&[0, 1][..], &number(*count), operation, &[0]].concat())
    };
    let parts: Vec<Vec<u8>> = ranks.iter().map(part).collect();
    let mut head = b"\x89ORT\r\n\x1a\n\x01".to_vec();
    head.extend([parts.len() as u8, 0, 0]);
    parts.iter().for_each(|part| head.extend(number(part.len() as u32)));
    [sealed(head), parts.concat()].concat()
}

/// The checksum of binary traces, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), bit))
}

/// Operations are written as they happen.
#[test]
fn list_of_many_operations() {
    // In MiB; the operations in memory would take more.
    const LIMIT: u64 = 120;
    let at = folder("t.orrt", loops(&[(500_000, &[2, 100])]));
    let simulate = "simulate t.orrt --cluster EXAMPLES/cluster.toml --network maxmin --events";
    let csv = within(LIMIT, at.path(), &format!("{simulate} --format csv")).answered().stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 2 + 1 + 1 + 500_000);
    assert_eq!(lines[3], "task,place,operation,start,seconds");
    assert!(
        lines[4].starts_with("0,,compute,0,") && lines[500_003].starts_with("0,,compute,0.049"),
        "{}",
        lines[4]
    );
    let json = within(LIMIT, at.path(), &format!("{simulate} --format json | tail -c 60"))
        .answered()
        .stdout;
    assert!(json.ends_with("}\n]}\n"), "{json}");
    let people = within(LIMIT, at.path(), simulate).answered().stdout;
    assert!(people.contains("10000 of 500000 operations; --format csv or json lists all"));
    run(at.path(), &format!("{simulate} --chrome t.json --max-memory 50M"))
        .refused(&["--max-memory 123M"]);
}

/// An all-to-all of n ranks has 4 n² operations, which are counted before they are simulated.
#[test]
fn collective_operations_of_many_ranks() {
    let text = lines(20_000, |rank| format!("{rank} alltoall 3000 3000"));
    let at = folder("t.tit", text);
    let needed = [
        "t.tit: the trace takes 1599920000 operations",
        "rank 125 exceeds",
        "--max-operations 1599920000",
    ];
    run(at.path(), "simulate t.tit --cluster EXAMPLES/cluster.toml").refused(&needed);
    run(at.path(), "trace convert t.tit t.goal").refused(&["takes 799960000 operations"]);
}

/// Sizes, segments and their number are counted before a prediction, a choice or an order is made.
#[test]
fn options_that_request_many_operations() {
    let at = tempfile::tempdir().expect("a folder");
    let model = "EXAMPLES/six-hosts.json";
    let refused = |arguments: &str, words: &[&str]| {
        run(at.path(), &arguments.replace("MODEL", model)).refused(words);
    };
    refused(
        "predict bcast MODEL --algorithms pipeline:1K --size 16G",
        &["a request of 1 prediction takes 251658240 operations; its budget is 10000000", "allow"],
    );
    refused(
        "predict bcast MODEL --algorithms binary:1 --size 500K",
        &["one run of bcast/binary:1 of 6, root 0 (500K) takes 1055 MiB of memory"],
    );
    for arguments in [
        "predict bcast MODEL --algorithms binary:1 --size 10M",
        "choose order MODEL --operation bcast --algorithm binary:1 --size 16G",
        "choose collective MODEL --operation bcast --algorithms pipeline:1 --size 1..16G",
        "choose collective MODEL --operation bcast --segments 1..10000:1",
        "predict p2p MODEL --size 1..100000:1",
        "predict bcast MODEL --algorithms all --size 1..10000:1",
        "predict bcast MODEL --algorithms pipeline --size 1M --segments 1..10000:1",
        "predict dgemm FOUR --m 1000 --n 1..1000:1 --k 1..1000:1",
        "predict pdgemm FOUR --n 1..10000:1 --grid 2x2",
        "predict pdgetrf FOUR --n 1000 --block 128 --grid 4x1 --broadcast binary:1",
        "choose grid FOUR --routine pdgemm --n 1..10000:1",
        "choose plan FOUR --n 1..10000:1 --a 1x2 --b 1x2",
    ] {
        let arguments = arguments.replace("FOUR", "EXAMPLES/four-hosts.json");
        refused(&arguments, &["; its budget is ", "; allow "]);
    }
    run(at.path(), &format!("predict p2p {model} --size 1..10000:1 --format csv")).answered();
}

/// A device or a pipe without an end is refused when the memory for it ends.
#[test]
fn inputs_without_an_end() {
    let at = tempfile::tempdir().expect("a folder");
    for arguments in [
        "fit /dev/zero -o m.json",
        "model check /dev/zero",
        "samples summary /dev/zero",
        "simulate EXAMPLES/ring.tit --cluster /dev/zero",
        "scaling fit - -o m.json < /dev/zero",
        "share /dev/zero --bandwidth 1e9 --sharing maxmin",
        "breakpoints /dev/zero --x x --y y",
    ] {
        run(at.path(), &format!("{arguments} --max-memory 64M"))
            .refused(&["it has more than 64 MiB, the limit of pipes and devices"]);
    }
    let ended = run(at.path(), "validate EXAMPLES/six-hosts.json /dev/zero --max-memory 64M");
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
}

/// Time and memory for XML grow with its length.
#[test]
fn xml_of_many_attributes_name_spaces_and_entities() {
    let simulate = "simulate EXAMPLES/ring.tit --platform p.xml";
    let attributes = lines(200_000, |k| format!(" a{k}=\"1\""));
    let at = folder("p.xml", format!("<platform version=\"4.1\"><host{attributes}/></platform>"));
    run(at.path(), simulate).refused(&["p.xml:1:", "more than 1000 attributes"]);
    let zones = |k| format!("<zone id=\"z{k}\" xmlns:n{k}=\"u{k}\">");
    let nested = format!("{}{}", lines(20_000, zones), "</zone>".repeat(20_000));
    let at = folder("p.xml", format!("<platform version=\"4.1\">{nested}</platform>"));
    run(at.path(), simulate).refused(&["p.xml:101:", "more than 100 declarations of name spaces"]);
    let zones = "<zone id=\"&a;\"/>".repeat(25_000);
    let entity = format!("<!DOCTYPE platform [<!ENTITY a \"{}\">]>", "x".repeat(500_000));
    let at = folder("p.xml", format!("{entity}<platform version=\"4.1\">{zones}</platform>"));
    run(at.path(), simulate).refused(&["p.xml:1:21: entities are not supported"]);
}

/// Layouts that repeat after many blocks are refused before their common parts are counted.
#[test]
fn redistributions_of_many_blocks() {
    let at = tempfile::tempdir().expect("a folder");
    let predict = "predict pdgemr2d EXAMPLES/six-hosts.json --n 500000000 --grid 2x3 --to 3x2";
    run(at.path(), &format!("{predict} --block 1 --to-block 2147483647"))
        .refused(&["repeat only after"]);
    let ended = run(at.path(), &predict.replace("500000000", "2147483648"));
    assert!(
        ended.code == Some(2) && ended.stderr.contains("at most 576460752303423488 elements"),
        "{}",
        ended.stderr
    );
    run(at.path(), &format!("{predict} --block 100000000 --models lmo")).answered();
}

/// A search that is too large ends at its work limit and says so.
#[test]
fn search_of_many_configurations() {
    let at = tempfile::tempdir().expect("a folder");
    let map = "--map n=matrix,seconds=time --map \
        elements:athlon=athlons,processes:athlon=per_athlon --map \
               elements:pentium-ii=pentiums,processes:pentium-ii=per_pentium";
    run(at.path(), &format!("scaling import EXAMPLES/two-kinds.csv {map} -o runs.json")).answered();
    run(at.path(), "scaling fit runs.json -o app.json").answered();
    let cluster = fs::read_to_string(format!("{EXAMPLES}/two-kinds.toml")).expect("the cluster");
    fs::write(at.path().join("c.toml"), cluster.replace("processes = 6", "processes = 4000"))
        .expect("a file");
    let choose = "choose configuration app.json --cluster c.toml --n 9600 --max-operations 10000";
    let ended = run(at.path(), choose).answered();
    assert!(
        ended.stderr.contains("work limit reached") && ended.stderr.contains("--max-operations"),
        "{}",
        ended.stderr
    );
    assert!(ended.stdout.contains("athlon=1x4,pentium-ii=8x1"), "{}", ended.stdout);
}

/// Messages do not repeat a whole file, and do not pass its control characters to the terminal.
#[test]
fn messages_are_short_and_plain() {
    let at =
        folder("s.csv", format!("{COLUMNS}roundtrip,0,{},,,0,0,,,,0,0,1\n", "x".repeat(2_000_000)));
    run(at.path(), "fit s.csv -o m.json").refused(&["s.csv:3:13: ", "characters) …", "is not"]);
    let at = folder(
        "s.csv",
        format!("{COLUMNS}\u{1b}]0;title\u{7},0,1,,,0,0,,,,0,0,1\nroundtrip,0,1,,,0,0,,,,0,0,1\n"),
    );
    let ended = run(at.path(), "samples summary s.csv").answered();
    assert!(!(ended.stdout + &ended.stderr).contains(['\u{1b}', '\u{7}']));
    let table = format!("x,\u{1b}[31mred\n{}", lines(40, |k| format!("{k},{k}")));
    let at = folder("b.csv", table);
    let ended = run(at.path(), "breakpoints b.csv --y red");
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("\\u001b[31mred") && !ended.stderr.contains('\u{1b}'),
        "{}",
        ended.stderr
    );
    // The hint at the end of a message names the variable, too.
    let runs =
        lines(18, |k| format!("{},{},{}", 1 + k % 6, 1 + k / 6, 1 + (1 + k % 6) * (1 + k / 6)));
    let at = folder("r.csv", format!("x,\u{1b}[31mred,seconds\n{runs}"));
    run(at.path(), "scaling import r.csv -o r.json").answered();
    run(at.path(), "scaling fit r.json -o m.json").answered();
    let ended = run(at.path(), "predict application m.json --set x=1");
    assert!(ended.stderr.contains("--set \\u001b[31mred=VALUE"), "{}", ended.stderr);
}

/// Many messages that are not received yet are matched in seconds on every network: a search among
/// all of them would take minutes.
#[test]
fn unreceived_messages_are_found_at_once() {
    let messages = few_or_all(100_000, 1_000_000);
    let text: String = "0 send 1 1 100\n".repeat(messages) + "0 send 1 2 1\n1 recv 0 2 1\n";
    let at = folder("t.tit", text.clone() + &"1 recv 0 1 100\n".repeat(messages));
    fs::write(at.path().join("any.tit"), text + &"1 recv -1 1 100\n".repeat(messages))
        .expect("a file");
    let goal = |line: &str| line.repeat(messages);
    let goal = format!(
        "num_ranks 2\nrank 0 {{\n{}}}\nrank 1 {{\n{}}}\n",
        goal("send 100b to 1 tag 7\n"),
        goal("recv 100b from 0 tag 7\n")
    );
    fs::write(at.path().join("t.goal"), goal).expect("a file");
    let cluster = "--cluster EXAMPLES/cluster.toml";
    let model = "--parameters EXAMPLES/six-hosts.json --speed 1e9";
    for arguments in [
        format!("t.tit {cluster} --network maxmin"),
        format!("any.tit {cluster} --network maxmin"),
        format!("t.tit {cluster} --network simgrid-smpi"),
        format!("t.tit --network lmo {model}"),
        format!("any.tit --network lmo {model}"),
        "t.goal --network loggp -L 2500 -o 1500 -g 1000 -G 6".to_owned(),
    ] {
        let start = std::time::Instant::now();
        run(at.path(), &format!("simulate {arguments}")).answered();
        let took = start.elapsed().as_secs_f64();
        assert!(took <= few_or_all(20.0, 200.0), "{arguments}: {took} s");
    }
}
