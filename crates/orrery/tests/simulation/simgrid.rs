//! Replays take the times of SimGrid 3.32 (testdata/simgrid).

use crate::traces;

use std::fmt::Write as _;
use std::path::Path;

use orrery::comm::Ports;
use orrery::model::{ModelKind, file};
use orrery::platform::{HostId, MappingPolicy, xml};
use orrery::simulate::{FlowModel, Outcome, SettingEffect, Simulation, SimulationError};
use orrery::trace::tit::{Reader, Trace};
use orrery::units::Bytes;

const CLUSTER_OF_TWO: &str = r#"<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-1" core="2" speed="1Gf" bw="125MBps" lat="50us"/>
</platform>"#;

fn read(texts: &[String]) -> Trace {
    let mut reader = Reader::default();
    for (rank, text) in texts.iter().enumerate() {
        reader
            .rank(rank as u32, &format!("rank-{rank}.txt"), text.as_bytes())
            .expect("the trace can be read");
    }
    reader.finish().expect("it is whole")
}

fn replay(
    trace: &Trace,
    cluster: &str,
    seating: MappingPolicy,
    model: FlowModel,
) -> Result<Outcome, SimulationError> {
    let topology = xml::parse(cluster, "cluster.xml").expect("the platform can be read").topology;
    let hosts = seating.hosts(&topology, trace.ranks());
    let speeds: Vec<f64> = hosts.iter().map(|host| topology.hosts[host.index()].speed).collect();
    let schedule = trace.schedule(&speeds, model.test_time());
    Simulation::new(&topology, &hosts, model).run(&schedule)
}

fn shared(text: &str) -> Trace {
    let mut reader = Reader::default();
    reader.shared("trace.txt", text.as_bytes()).expect("the trace can be read");
    reader.finish().expect("it is whole")
}

/// The lines of actions separated by semicolons; `RANK:` precedes actions of only one rank.
fn lines(actions: &str, ranks: usize) -> String {
    let mut text = String::new();
    for rank in 0..ranks {
        for action in actions.split(';').map(str::trim) {
            let (only, action) = action.split_once(':').unwrap_or(("", action));
            if only.is_empty() || only == rank.to_string() {
                writeln!(text, "{rank} {action}").expect("writing to a string does not fail");
            }
        }
    }
    text
}

/// Golden times have twelve decimals.
fn is_close(simulated: f64, golden: f64) -> bool {
    (simulated - golden).abs() <= 1e-9 * golden + 1e-12
}

fn model(word: &str) -> FlowModel {
    format!("simgrid-{}", word.to_lowercase()).parse().expect("it is a model")
}

#[test]
fn large_replays_equal_simgrid() {
    let golden = include_str!("../../../../testdata/simgrid/simulated_times.csv");
    let mut compared = 0;
    for name in ["stencil64", "stencil64_imb", "ring64", "stencil1024"] {
        let trace = read(&traces::named(name));
        for line in golden.lines().filter(|line| line.split(',').next() == Some(name)) {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(trace.actions().to_string(), fields[2], "{name}");
            let cluster = traces::cluster(trace.ranks());
            let outcome = replay(&trace, &cluster, MappingPolicy::RoundRobinNode, model(fields[3]))
                .expect("it ends");
            let (end, golden) = (outcome.end.get(), fields[4].parse().expect("a time"));
            // SimGrid leaves some penalties of InfiniBand as they were, which shows where ranks are
            // uneven.
            let is_close =
                is_close(end, golden) || fields[3] == "IB" && (end - golden).abs() <= 1e-5 * golden;
            assert!(is_close, "{line}: {end}");
            compared += 1;
        }
    }
    assert_eq!(compared, 16);
}

/// Every action on a small cluster: one rank per host, several, and more than there are cores.
#[test]
fn actions_equal_simgrid() {
    let golden = include_str!("../../../../testdata/simgrid/actions.csv");
    let (mut compared, mut differing) = (0, Vec::new());
    for line in golden.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (name, ranks) = (fields[0], fields[1].parse::<usize>().expect("a number of ranks"));
        let cluster = traces::cluster(ranks.max(2));
        let cluster = if fields[2] == "2x2" { CLUSTER_OF_TWO } else { &cluster };
        let outcome = replay(
            &shared(&lines(fields[3], ranks)),
            cluster,
            MappingPolicy::RoundRobinNode,
            FlowModel::SMPI,
        );
        let end = outcome.expect(name).end.get();
        compared += 1;
        if !is_close(end, fields[4].parse().expect("a time")) {
            differing.push(format!("{line}: {end}"));
        }
    }
    assert!(compared > 10 && differing.is_empty(), "{}", differing.join("\n"));
}

/// The platform of a fitted machine, as exported and as simulated without export. SimGrid adds 16
/// bytes to each message, and messages from one host to another flow at the same time. In order,
/// none ends later: in small rings ranks send ahead.
#[test]
fn machines_with_ports_equal_simgrid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/simgrid");
    let model = file::read(folder.join("ports.json")).expect("the model can be read").model;
    let ports: Ports = model.get(ModelKind::Ports).expect("it has ports");
    let speeds = vec![1e9; ports.processors()];
    let exported = include_str!("../../../../testdata/simgrid/ports.xml");
    assert_eq!(ports.to_simgrid(&model.hosts, &speeds, Bytes::new(65_536)), exported);
    let (topology, overheads) = ports.platform(&model.hosts, &speeds);
    let hosts: Vec<HostId> = (0..speeds.len() as u32).map(HostId).collect();
    let golden = include_str!("../../../../testdata/simgrid/ports.csv");
    for line in golden.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let trace = shared(&lines(fields[1], speeds.len()));
        let time = fields[2].parse::<f64>().expect("a time");
        let model = FlowModel::PORTS.with_parallel_messages();
        let schedule = trace.schedule(&speeds, model.test_time());
        let simulation = Simulation::new(&topology, &hosts, model).with_overheads(&overheads);
        let end = simulation.run(&schedule).expect(fields[0]).end.get();
        assert!((end / time - 1.0).abs() < 0.03, "{}: {end}, {time}", fields[0]);
        let in_order =
            Simulation::new(&topology, &hosts, FlowModel::PORTS).with_overheads(&overheads);
        let in_order = in_order.run(&schedule).expect(fields[0]).end.get();
        let sends_ahead = fields[0].starts_with("ring");
        assert!(
            in_order <= 1.001 * end && (sends_ahead || in_order >= 0.999 * end),
            "{}: {in_order}, {end}",
            fields[0]
        );
    }
    assert_eq!(golden.lines().count(), 57);
}

/// Loopback links, settings of `<config>` and properties of hosts, each with the networks that use
/// them.
#[test]
fn platforms_with_settings_equal_simgrid() {
    let golden = include_str!("../../../../testdata/simgrid/platforms.csv");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/simgrid/platforms");
    let (mut compared, mut differing) = (0, Vec::new());
    for line in golden.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (name, network, hosts, actions) = (fields[0], fields[1], fields[3], fields[4]);
        let text = std::fs::read_to_string(folder.join(format!("{name}.xml")))
            .expect("the platform is there");
        let platform = xml::parse(&text, name).expect("the platform can be read");
        let mut model = model(network);
        for setting in &platform.settings {
            assert_ne!(model.apply(&setting.setting), SettingEffect::Unsupported, "{setting:?}");
        }
        let hosts: Vec<HostId> =
            hosts.split(' ').map(|host| platform.topology.host(host).expect("a host")).collect();
        let trace = shared(&lines(actions, hosts.len()));
        let speeds: Vec<f64> =
            hosts.iter().map(|host| platform.topology.hosts[host.index()].speed).collect();
        let schedule = trace.schedule(&speeds, model.test_time());
        let simulation =
            Simulation::new(&platform.topology, &hosts, model).with_overheads(&platform.overheads);
        let end = simulation.run(&schedule).expect(name).end.get();
        compared += 1;
        let golden = fields[5].parse().expect("a time");
        // SimGrid keeps some penalties of InfiniBand after their messages have ended.
        let is_close =
            is_close(end, golden) || network == "IB" && (end - golden).abs() <= 1e-4 * golden;
        if !is_close {
            differing.push(format!("{name} {network} {}: {end} and not {}", fields[2], fields[5]));
        }
    }
    assert!(compared > 150 && differing.is_empty(), "{}", differing.join("\n"));
}

/// The simulated time of a case of deviations.csv, and the time that SimGrid gives.
fn deviation(name: &str, network: &str, optimisation: &str) -> (f64, f64) {
    let golden = include_str!("../../../../testdata/simgrid/deviations.csv");
    let fields: Vec<Vec<&str>> = golden.lines().map(|line| line.split(',').collect()).collect();
    let fields = fields
        .iter()
        .find(|fields| fields[0] == name && fields[2] == network && fields[3] == optimisation);
    let fields = fields.expect("it is recorded");
    let ranks = fields[1].parse().expect("a number of ranks");
    let trace = shared(&lines(fields[4], ranks));
    let outcome =
        replay(&trace, &traces::cluster(ranks), MappingPolicy::RoundRobinNode, model(network));
    (outcome.expect("it ends").end.get(), fields[5].parse().expect("a time"))
}

/// SimGrid's lazy updates of rates miss changes in an exchange by blocking sends; its full updates
/// do not.
#[test]
fn rates_equal_simgrid_with_full_updates() {
    for network in ["SMPI", "CM02", "LV08"] {
        let (simulated, full) = deviation("jacobi", network, "Full");
        assert!(is_close(simulated, full), "{network}: {simulated} and not {full}");
    }
    let (simulated, lazy) = deviation("jacobi", "CM02", "Lazy");
    assert!((simulated / lazy - 0.910).abs() < 1e-3, "{simulated} and {lazy}");
}

/// Two messages of m and 2 m bytes to one host: the last m bytes of the second are uncontended.
/// SimGrid keeps its penalty.
#[test]
fn uncontended_message_on_infiniband_has_no_penalty_unlike_in_simgrid() {
    let (latency, bandwidth) = (1e-4 * 11.6436, 125e6 * 0.940_694);
    let (shared, alone) = (2.0 * 1_000_016.0 / bandwidth, 1e6 / bandwidth);
    let (simulated, simgrid) = deviation("two-to-one", "IB", "Full");
    assert!(is_close(simulated, latency + shared + alone), "{simulated}");
    assert!(is_close(simgrid, latency + shared + 2.0 * 0.965 * alone), "{simgrid}");
    // Without the law both are the same.
    let (without_law, recorded) = deviation("two-to-one", "SMPI", "Full");
    assert!(
        is_close(without_law, recorded) && is_close(simulated, recorded),
        "{without_law} and {recorded}"
    );
}

/// An exchange with neighbours. SimGrid's model IB keeps penalties of messages that have ended; its
/// model SMPI, which has the same factors and no penalties, agrees. The difference is 2 %, and not
/// 4·10⁻⁶ as for an uneven halo exchange.
#[test]
fn exchange_with_neighbours_on_infiniband_takes_less_than_in_simgrid() {
    let (simulated, simgrid) = deviation("jacobi", "IB", "Full");
    assert!((simulated / simgrid - 0.9779).abs() < 1e-4, "{simulated} and {simgrid}");
    // Penalties of the active messages only: more than without the law, less than with kept
    // penalties.
    let (without_law, recorded) = deviation("jacobi", "SMPI", "Full");
    assert!(
        is_close(without_law, recorded) && simulated > without_law,
        "{simulated} and {without_law}"
    );
}

#[test]
fn a_deadlock_names_the_lines() {
    let trace = shared("0 init\n1 init\n0 recv 1 0 8\n1 recv 0 0 8\n");
    let error =
        replay(&trace, CLUSTER_OF_TWO, MappingPolicy::RoundRobinNode, FlowModel::SMPI).unwrap_err();
    let SimulationError::Deadlock(deadlock) = error else { panic!("{error}") };
    let result = deadlock.describe(|blocked| {
        trace.location(blocked.rank, blocked.statement).expect("it stands").to_string()
    });
    assert_eq!(
        result,
        "rank 0 waits at trace.txt:3:1 (recv 8b from 1 tag 0); rank 1 waits at trace.txt:4:1 (recv \
            8b from 0 tag 0)"
    );
}
