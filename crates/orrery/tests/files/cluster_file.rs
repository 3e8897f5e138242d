//! The cluster file: its content and its errors.

use orrery::file::{FileError, Position};
use orrery::platform::file::{network, parse, read};
use orrery::platform::{HostId, PiecewiseTime};
use orrery::units::Bytes;
use proptest::prelude::*;

use crate::table::assert_errors;

const PAPER: &str = r#"
# One fast host and four slow ones with two processors each.
[[hosts]]
names = "node1"
kind = "athlon"
cores = 1
memory = "768M"
processes = 6
price = 0.05

[[hosts]]
names = "node[2-5]"
kind = "pentium-ii"
cores = 2
memory = "768M"
"#;

#[test]
fn hosts_are_parsed() {
    let loaded = parse(PAPER, "cluster.toml").unwrap();
    assert_eq!(loaded.unused_keys, []);
    let kinds = loaded.cluster.kinds();
    assert_eq!(
        kinds.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>(),
        ["athlon", "pentium-ii"]
    );
    assert_eq!(
        kinds.iter().map(|kind| (kind.elements(), kind.processes)).collect::<Vec<_>>(),
        [(1, 6), (8, 1)]
    );
    assert_eq!((kinds[0].price, kinds[1].price), (Some(0.05), None));
    assert_eq!(kinds[1].hosts[0].memory, Some(Bytes::new(768 << 20)));
    assert_eq!(kinds[1].hosts[0].names, ["node2", "node3", "node4", "node5"]);
    assert_eq!(loaded.cluster.kind("athlon"), Some(&kinds[0]));
}

#[test]
fn hosts_of_one_kind_may_differ_in_cores_and_memory() {
    let text = "hosts = [{names = \"a\", kind = \"k\", cores = 2}, {names = \"b\", kind = \"k\", cores = 4, memory = \"1G\"}]";
    let cluster = parse(text, "c.toml").unwrap().cluster;
    assert_eq!((cluster.kinds().len(), cluster.kinds()[0].elements()), (1, 6));
}

#[test]
fn network_keys_are_reported_as_unused() {
    let text =
        format!("{PAPER}speed = 1e9\n\n[links]\nlatency = 1e-5\n\n[sharing]\nlaw = \"maxmin\"\n");
    let loaded = parse(&text, "cluster.toml").unwrap();
    assert_eq!(loaded.cluster, parse(PAPER, "cluster.toml").unwrap().cluster);
    let unused_keys: Vec<_> =
        loaded.unused_keys.iter().map(|over| (over.key.as_str(), over.line)).collect();
    assert_eq!(unused_keys, [("speed", 16), ("links", 18), ("sharing", 21)]);
}

/// Changes of [`PAPER`] and their errors.
const PAPER_ERRORS: &str = r#"
cores = 1 => core = 1 => c.toml:6:1: unknown key "core"; did you mean "cores"?
[[hosts]]\nnames = "node1" => [[nodes]]\nnames = "node1" => c.toml:3:3: unknown key "nodes"; valid
    keys are hosts, links, uplinks, sharing
cores = 1\n =>  => c.toml:3:1: "cores" is missing here; add it: the number of processing elements of
    each host
cores = 1 => cores = 0 => c.toml:6:9: 0 is not allowed here; expected a whole number from 1 to
    1000000
cores = 1 => cores = "1" => c.toml:6:9: "1" is not allowed here; expected a whole number from 1 to
    1000000
memory = "768M"\nprocesses => memory = 768\nprocesses => c.toml:7:10: 768 is not allowed here;
    expected a size in quotes, such as "768M" or "64G"
price = 0.05 => price = -1 => c.toml:9:9: -1 is not allowed here; expected what an hour of one core
    costs, a number from 0 to 1000000
price = 0.05 => price = nan => c.toml:9:9: nan is not allowed here; expected what an hour of one
    core costs, a number from 0 to 1000000
kind = "athlon" => kind = "a=b" => c.toml:5:8: "a=b" is not allowed here; expected the name of a
    kind in quotes, without blanks, "," and "="
node[2-5] => node[2- => c.toml:12:9: cannot read "node[2-" as host names: a bracket is not closed;
    write names as Slurm does, such as node[2-5,7] or a,b
node[2-5] => node[1-5] => c.toml:12:1: the host "node1" is named twice; name each host once
kind = "pentium-ii" => kind = "athlon" => c.toml:11:1: processes differs from that of earlier hosts
    of the kind "athlon"; make them agree, or give these hosts a kind of their own
cores = 2 => cores = 1000000\nprocesses = 1000000 => c.toml:14:1: the cluster can run more than
    2147483648 processes; reduce "cores" or "processes"
"#;

#[test]
fn errors_have_position_and_advice() {
    assert_errors(PAPER, PAPER_ERRORS, |text| parse(text, "c.toml").unwrap_err().to_string());
    let empty = parse("", "c.toml").unwrap_err().to_string();
    assert_eq!(
        empty,
        "c.toml:1:1: \"hosts\" is missing here; add it: [[hosts]] with names, kind and cores"
    );
    let none = parse("hosts = []", "c.toml").unwrap_err().to_string();
    assert_eq!(none, "c.toml:1:1: there is no host; describe one or more in [[hosts]]");
    let syntax = parse("[[hosts]]\nnames = \n", "c.toml").unwrap_err().to_string();
    assert!(syntax.starts_with("c.toml:2:") && syntax.contains("invalid TOML"), "{syntax}");
}

/// Three hosts, two of them behind an uplink; the first has delays.
const UPLINK: &str = r#"
[[hosts]]
names = "a"
kind = "k"
cores = 1
speed = 1e9
fixed_delay = "500us"
byte_delay = "50ns"

[[hosts]]
names = "b,c"
kind = "l"
cores = 1
speed = 1e9

[links]
bandwidth = "10MBps"
latency = "100us"

[[uplinks]]
hosts = "b,c"
bandwidth = "5MBps"
latency = "1ms"
"#;

#[test]
fn messages_to_a_group_cross_its_uplink() {
    let read = network(UPLINK, "c.toml").unwrap();
    let names = |from, to| {
        let route = read.topology.route(HostId(from), HostId(to)).unwrap();
        route
            .into_iter()
            .map(|link| read.topology.links[link.index()].name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(0, 1), ["a_up", "b,c_down", "b_down"]);
    assert_eq!(names(2, 0), ["c_up", "b,c_up", "a_down"]);
    assert_eq!(names(1, 2), ["b_up", "c_down"]);
    let uplink = read.topology.links.iter().find(|link| link.name == "b,c_up").unwrap();
    assert_eq!((uplink.bandwidth.get(), uplink.latency.get()), (5e6, 1e-3));
}

#[test]
fn values_that_are_missing_are_assumed_by_name() {
    let assumed = |text: &str| {
        let all = network(text, "c.toml").unwrap().assumed;
        all.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let memory =
        "links.memory is missing: messages within a host take its links to the switch and back";
    assert_eq!(assumed(UPLINK), [memory]);
    let complete = format!("{UPLINK}[links.memory]\nbandwidth = 1e9\nlatency = 0\n");
    assert_eq!(assumed(&complete), [""; 0]);
    let without = complete
        .replace("latency = \"100us\"", "backbone = { bandwidth = 1e9 }")
        .replace("latency = \"1ms\"", "")
        .replace("bandwidth = 1e9\nlatency = 0", "bandwidth = 1e9");
    assert_eq!(
        assumed(&without),
        ["links.backbone", "links.memory", "the link of a", "the link of b,c", "the uplink of b,c"]
            .map(|links| format!("{links} has no latency: 0 is taken"))
    );
}

#[test]
fn delays_of_hosts_are_overheads_of_messages() {
    let read = network(UPLINK, "c.toml").unwrap();
    for time in read.overheads.of(HostId(0)) {
        assert!(
            (time.seconds(0) - 5e-4).abs() < 1e-15 && (time.seconds(1000) - 5.5e-4).abs() < 1e-15
        );
    }
    assert!(read.overheads.of(HostId(1)).iter().all(PiecewiseTime::is_zero));
    let plain = UPLINK.replace("fixed_delay = \"500us\"\nbyte_delay = \"50ns\"\n", "");
    assert!(network(&plain, "c.toml").unwrap().overheads.are_zero());
}

/// Changes of [`UPLINK`] and their errors.
const UPLINK_ERRORS: &str = r#"
hosts = "b,c" => hosts = "b,d" => c.toml:21:9: the host "d" is not described; name hosts of
    [[hosts]]
hosts = "b,c"\n =>  => c.toml:20:1: "hosts" is missing here; add it: hosts of [[hosts]] in quotes,
    such as "node[2-5]"
bandwidth = "5MBps"\n =>  => c.toml:20:1: "bandwidth" is missing here; add it: a rate above 0, such
    as "125MBps", "1Gbps" or 125e6 (bytes per second)
latency = "1ms" => delay = 1 => c.toml:23:1: unknown key "delay"; valid keys are hosts, bandwidth,
    latency
latency = "1ms" => \n[[uplinks]]\nhosts = "c"\nbandwidth = 1e6 => c.toml:25:9: the host "c" is
    behind another uplink already; name each host once
byte_delay = "50ns" => byte_delay = -1 => c.toml:8:14: -1 is not allowed here; expected a time per
    byte from 0 up, such as "50ns" or 50e-9 (seconds)
fixed_delay = "500us" => fixed_delay = "5 parsecs" => c.toml:7:15: "5 parsecs" is not allowed here;
    expected a time from 0 up, such as "500us" or 5e-4 (seconds)
"#;

#[test]
fn invalid_uplinks_and_delays_are_errors() {
    assert_errors(UPLINK, UPLINK_ERRORS, |text| network(text, "c.toml").unwrap_err().to_string());
}

#[test]
fn binary_and_missing_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cluster.toml");
    assert!(matches!(read(&path), Err(FileError::System { .. })));
    std::fs::write(&path, b"# \xff\n").unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains(":1:3: the file is not UTF-8 text"), "{error}");
    std::fs::write(&path, PAPER).unwrap();
    assert_eq!(read(&path).unwrap(), parse(PAPER, "x").unwrap());
}

/// A few bytes can name many hosts.
#[test]
fn hosts_beyond_the_memory_of_their_text_are_an_error() {
    let entry = |k: u32| {
        format!(
            "[[hosts]]\nnames = \"{}-{k}-[1-100000]\"\nkind = \"a\"\ncores = 1\n",
            "node".repeat(20)
        )
    };
    let text: String = (0..5).map(entry).collect();
    let error = parse(&text, "c.toml").unwrap_err();
    assert!(error.over_budget().is_some());
    let message = error.to_string();
    let expected =
        "c.toml:14:1: the list of hosts up to here takes 549 MiB of memory; its budget is 512 MiB";
    assert_eq!(message, expected);
    for names in [
        format!("{}[1-100000]", "n".repeat(300)),
        format!("n[{}-99999]", "0".repeat(300)),
        "n".repeat(300),
    ] {
        let text = format!("[[hosts]]\nnames = \"{names}\"\nkind = \"a\"\ncores = 1\n");
        let message = parse(&text, "c.toml").unwrap_err().to_string();
        assert!(message.contains("a name has more than 253 bytes"), "{message}");
    }
}

proptest! {
    #[test]
    fn errors_of_any_text_have_a_position(
        at in 0..PAPER.len(),
        end in 0..PAPER.len(),
        text in "[\\[\\]{}\"'=,.#\n\\-0-9a-zé]{0,12}",
    ) {
        let (begin, end) = (at.min(end), at.max(end).min(at.min(end) + 12));
        let changed = format!("{}{text}{}", &PAPER[..begin], &PAPER[end..]);
        match parse(&changed, "c.toml") {
            Ok(loaded) => prop_assert!(loaded.cluster.kinds().iter().all(|kind| kind.elements() > 0)),
            Err(FileError::Content { position: Some(Position { line, column }), .. }) => {
                let lines: Vec<_> = changed.split('\n').collect();
                prop_assert!(line <= lines.len() && column <= lines[line - 1].chars().count() + 1);
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
