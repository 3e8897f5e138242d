//! The network of a cluster file: equal to a platform in XML, and its errors.

use std::fmt::Write as _;

use orrery::platform::file::{SIMGRID_NETWORKS, network};
use orrery::platform::{HostId, MappingPolicy, xml};
use orrery::sharing::LawKind;
use orrery::simulate::{FlowModel, Simulation};
use orrery::trace::tit::Reader;
use orrery::units::Bytes;

use crate::table::assert_errors;

const TOML: &str = r#"
[[hosts]]
names = "fast-[0-1]"
kind = "fast"
cores = 2
speed = "2Gf"
link = { bandwidth = "1GBps" }

[[hosts]]
names = "slow-[0-3]"
kind = "slow"
cores = 1
speed = 1e9

[links]
bandwidth = "1Gbps"
latency = "50us"
eager = "32K"

[links.backbone]
bandwidth = "300MBps"
latency = 2e-6

[links.memory]
bandwidth = "5GBps"
latency = "1us"

[sharing]
law = "gige"
beta = 1.5
gamma_out = 0.04
gamma_in = 0.036
"#;

/// The same cluster with its links listed one by one, since flat clusters have links of one kind.
fn xml() -> String {
    let hosts = [("fast-0", 2, 2, 1e9), ("fast-1", 2, 2, 1e9)]
        .into_iter()
        .map(|(n, c, s, b)| (n.to_owned(), c, s, b));
    let slow = (0..4).map(|k| (format!("slow-{k}"), 1, 1, 125e6));
    let hosts: Vec<(String, u32, u32, f64)> = hosts.chain(slow).collect();
    let mut text = "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n".to_owned();
    for (name, cores, speed, _) in &hosts {
        writeln!(text, "<host id=\"{name}\" speed=\"{speed}Gf\" core=\"{cores}\"/>").unwrap();
    }
    text += "<link id=\"bb\" bandwidth=\"300MBps\" latency=\"2us\"/>\n";
    for (name, .., bandwidth) in &hosts {
        writeln!(
            text,
            "<link id=\"{name}\" bandwidth=\"{bandwidth}\" latency=\"50us\" \
                sharing_policy=\"SPLITDUPLEX\"/>"
        )
        .unwrap();
        writeln!(
            text,
            "<link id=\"m-{name}\" bandwidth=\"5GBps\" latency=\"1us\" sharing_policy=\"FATPIPE\"/>"
        )
        .unwrap();
        writeln!(text, "<route src=\"{name}\" dst=\"{name}\"><link_ctn id=\"m-{name}\"/></route>")
            .unwrap();
    }
    for (a, ..) in &hosts {
        for (b, ..) in hosts.iter().filter(|(b, ..)| a < b) {
            writeln!(
                text,
                "<route src=\"{a}\" dst=\"{b}\"><link_ctn id=\"{a}\" direction=\"UP\"/><link_ctn \
                    id=\"bb\"/><link_ctn id=\"{b}\" direction=\"DOWN\"/></route>"
            )
            .unwrap();
        }
    }
    text + "</zone></platform>"
}

/// Eight ranks compute, exchange with neighbours, and gather.
fn trace() -> String {
    let mut text = String::new();
    for rank in 0..8 {
        let (next, last) = ((rank + 1) % 8, (rank + 7) % 8);
        let compute = 1_000_000 * (1 + rank * rank);
        writeln!(
            text,
            "{rank} init\n{rank} compute {compute}\n{rank} irecv {last} 7 300000\n{rank} send \
                {next} 7 300000\n{rank} wait {last} {rank} 7\n{rank} gather 50000 50000 0\n{rank} \
                allreduce 1000 1e6\n{rank} finalize"
        )
        .unwrap();
    }
    text
}

#[test]
fn toml_and_xml_give_the_same_times() {
    let toml = network(TOML, "c.toml").unwrap().topology;
    let xml = xml::parse(&xml(), "c.xml").unwrap().topology;
    let names = |topology: &orrery::platform::Topology| {
        topology
            .hosts
            .iter()
            .map(|host| (host.name.clone(), host.cores, host.speed as u64))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&toml), names(&xml));
    let mut reader = Reader::default();
    reader.shared("t", trace().as_bytes()).unwrap();
    let trace = reader.finish().unwrap();
    for seating in [
        MappingPolicy::RoundRobinNode,
        MappingPolicy::RoundRobinProcessor,
        MappingPolicy::Random(3),
    ] {
        let hosts: Vec<HostId> = seating.hosts(&toml, trace.ranks());
        let speeds: Vec<f64> = hosts.iter().map(|host| toml.hosts[host.index()].speed).collect();
        for model in FlowModel::ALL {
            let schedule = trace.schedule(&speeds, model.test_time());
            let result = Simulation::new(&toml, &hosts, model.clone()).run(&schedule).unwrap();
            let known = Simulation::new(&xml, &hosts, model.clone()).run(&schedule).unwrap();
            assert!(result.end.get() > 0.0);
            for (result, known) in result.tasks.iter().zip(&known.tasks) {
                let (result, known) = (result.end.get(), known.end.get());
                assert!(
                    (result - known).abs() <= 1e-12 * known,
                    "{model} {seating}: {result} for {known}"
                );
            }
        }
    }
}

#[test]
fn law_and_eager_limit_are_read() {
    let read = network(TOML, "c.toml").unwrap();
    assert_eq!(read.eager, Some(Bytes::new(32 << 10)));
    let sharing = read.sharing.unwrap();
    assert_eq!(sharing.law, "gige");
    assert_eq!(sharing.parameters, [("beta", 1.5), ("gamma_out", 0.04), ("gamma_in", 0.036)]);
    let port = read.topology.ports[0].unwrap();
    assert_ne!(port.up, port.down);
    assert_eq!(read.topology.links[port.up.index()].bandwidth.get() as u64, 1_000_000_000);
    assert!((read.topology.links[port.up.index()].latency.get() - 50e-6).abs() < 1e-18);
    let bare = network(
        "[links]\nbandwidth = 1\n[[hosts]]\nnames='a'\nkind='k'\ncores=1\nspeed=1\n",
        "c.toml",
    )
    .unwrap();
    assert_eq!((bare.sharing, bare.eager), (None, None));
    assert_eq!(bare.topology.links.len(), 2);
}

#[test]
fn every_flow_model_has_a_name_in_cluster_files() {
    for model in FlowModel::ALL {
        let is_law = LawKind::from_name(model.name()).is_ok();
        assert!(is_law || SIMGRID_NETWORKS.contains(&model.name()), "{model}");
    }
}

/// Changes of [`TOML`] and their errors.
const ERRORS: &str = r#"
speed = 1e9\n =>  => c.toml:10:1: "speed" is missing here; add it: a speed above 0, such as "2Gf"
speed = 1e9 => speed = "fast" => c.toml:13:9: "fast" is not allowed here; expected a speed above 0
bandwidth = "1Gbps"\n =>  => c.toml:10:1: "link" is missing here; add it: bandwidth and latency,
    here or
bandwidth = "1Gbps" => bandwith = "1Gbps" => c.toml:16:1: unknown key "bandwith"; did you mean
    "bandwidth"?
latency = "50us" => latency = "50µs" => c.toml:17:11: "50µs" is not allowed here; expected a time
    from 0 up
latency = 2e-6 => latency = -2e-6 => c.toml:22:11: -2e-6 is not allowed here; expected a time from 0
    up
{ bandwidth = "1GBps" } => "1GBps" => c.toml:7:8: "1GBps" is not allowed here; expected a table with
    bandwidth and latency
eager = "32K" => eager = 32 => c.toml:18:9: 32 is not allowed here; expected a size in quotes
law = "gige" => law = "quadrics" => c.toml:29:7: "quadrics" is no law of sharing; laws are
    maxmin, gige, myrinet
law = "gige"\n =>  => c.toml:28:1: "law" is missing here; add it
beta = 1.5\n =>  => c.toml:28:1: "beta" is missing here; add it: the law takes all its parameters,
    or none
gamma_in => gamma_inn => c.toml:32:1: unknown key "gamma_inn"; did you mean "gamma_in"?
beta = 1.5 => beta = "1.5" => c.toml:30:8: "1.5" is not allowed here; expected a number
[sharing] => [sharin] => c.toml:28:2: unknown key "sharin"; did you mean "sharing"?
"#;

#[test]
fn errors_have_position_and_advice() {
    assert_errors(TOML, ERRORS, |text| network(text, "c.toml").unwrap_err().to_string());
}
