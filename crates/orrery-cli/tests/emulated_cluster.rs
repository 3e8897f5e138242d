//! The local machine as an emulated cluster: what all machines must do, and links and processors as
//! the file describes them. Times have lower bounds only.

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;
use std::thread::{sleep, spawn};
use std::time::Duration;

use orrery::machine::local::{Emulation, LocalMachine, Options};
use orrery::machine::{Batch, Machine, MachineError, SelectedProcessors, conformance};
use orrery::platform::{Placement, Processor, file};
use orrery::schedule::{Explicit, Operation, Program, Rank, RoundTrip};
use orrery::units::{Bytes, Seconds};

type Outcome = Result<(), Box<dyn Error>>;

fn start(text: &str) -> Result<LocalMachine, Box<dyn Error>> {
    start_several(text, 1)
}

/// A cluster with `per_host` ranks on each host.
fn start_several(text: &str, per_host: usize) -> Result<LocalMachine, Box<dyn Error>> {
    let network = file::network(text, "cluster.toml")?;
    let emulation =
        Some(Emulation::new("cluster.toml", network.topology, network.overheads, per_host)?);
    let program = Some(PathBuf::from(env!("CARGO_BIN_EXE_orrery")));
    Ok(LocalMachine::start(&Options { emulation, program, ..Options::default() })?)
}

/// Four hosts: links of 1 MB/s and 2 ms, 3 ms and 10 ns/B for each send and receive; two of them
/// behind an uplink of 500 kB/s.
const SLOW: &str = r#"
hosts = [{ names = "a,b,c,d", kind = "k", cores = 1, speed = "1Gf", fixed_delay = "3ms", byte_delay = "10ns" }]
links = { bandwidth = "1MBps", latency = "2ms" }
uplinks = [{ hosts = "c,d", bandwidth = "500kBps", latency = "1ms" }]
"#;

/// The processor time of a message of 20,000 bytes at both ends.
const OVERHEAD: f64 = 2.0 * (3e-3 + 20_000.0 * 10e-9);

fn readings(
    machine: &mut LocalMachine,
    program: Program,
    workers: &[u32],
) -> Result<Vec<f64>, MachineError> {
    let (reading, placement) =
        (program.reading(), Placement::new(workers.iter().copied().map(Processor)));
    let batch =
        Batch { program, placement, reading, warm_up: 0, first_repetition: 0, repetitions: 3 };
    Ok(machine.run(&batch)?.into_iter().map(Seconds::get).collect())
}

fn at_least(readings: &[f64], seconds: f64) {
    assert!(
        readings.iter().all(|reading| *reading >= seconds),
        "{readings:?} s are less than {seconds} s"
    );
}

#[test]
fn conforms() -> Outcome {
    let quick = r#"
        hosts = [{ names = "n[1-4]", kind = "k", cores = 1, speed = "1Gf", fixed_delay = "20us", byte_delay = "0.1ns" }]
        links = { bandwidth = "2GBps", latency = "20us" }
        uplinks = [{ hosts = "n[3-4]", bandwidth = "2GBps" }]
    "#;
    conformance::conformance(&mut start(quick)?)?;
    Ok(())
}

#[test]
fn a_message_takes_the_time_of_processors_and_links() -> Outcome {
    let mut machine = start(SLOW)?;
    let trip = |size| Program::RoundTrip(RoundTrip { out: Bytes::new(size), back: Bytes::ZERO });
    // The reply takes 3 ms at both ends and two latencies.
    let reply = 6e-3 + 4e-3;
    at_least(&readings(&mut machine, trip(20_000), &[0, 1])?, OVERHEAD + 20e-3 + 4e-3 + reply);
    // Through the uplink: 20,000 bytes at 500 kB/s, and 1 ms more in each direction.
    at_least(
        &readings(&mut machine, trip(20_000), &[0, 2])?,
        OVERHEAD + 40e-3 + 5e-3 + reply + 1e-3,
    );
    // Behind the uplink, it does not matter; an empty message takes its header's time, and this
    // must be little.
    let empty = readings(&mut machine, trip(0), &[2, 3])?;
    at_least(&empty, 2.0 * 10e-3);
    Ok(())
}

#[test]
fn concurrent_messages_share_ports_and_uplinks() -> Outcome {
    let mut machine = start(SLOW)?;
    let size = Bytes::new(20_000);
    // One rank starts the others by an empty message and waits for the end of all, so that its time
    // is the whole.
    let (go, message) =
        (|to| Operation::send(Rank(to), Bytes::ZERO), |to| Operation::send(Rank(to), size));
    let (told, received) = (
        |from| Operation::receive(Rank(from), Bytes::ZERO),
        |from| Operation::receive(Rank(from), size),
    );
    let mut run = |ranks: Vec<Vec<Operation>>| {
        let workers: Vec<u32> = (0..ranks.len() as u32).collect();
        readings(&mut machine, Program::Explicit(Explicit::new(ranks)), &workers)
    };
    // From a and b to c and d: 40,000 bytes through 500 kB/s.
    let starter = vec![go(0), go(1), received(0), told(3)];
    let times = run(vec![
        vec![told(2), message(2)],
        vec![told(2), message(3)],
        starter,
        vec![received(1), go(2)],
    ])?;
    at_least(&times, OVERHEAD + 80e-3 + 5e-3);
    // From b and c to a: both share the port of a, and c alone needs 40 ms.
    let starter = vec![go(1), go(2), received(1), received(2)];
    let times = run(vec![starter, vec![told(0), message(0)], vec![told(0), message(0)]])?;
    at_least(&times, OVERHEAD + 40e-3 + 5e-3);
    // From a to b, twice: the port of a takes 20 ms for each.
    let starter = vec![message(1), message(1), told(1)];
    at_least(&run(vec![starter, vec![received(0), received(0), go(0)]])?, OVERHEAD + 40e-3 + 4e-3);
    // A computation takes its time.
    at_least(&run(vec![vec![Operation::Compute(Seconds::new(0.05))]])?, 0.05);
    Ok(())
}

#[test]
fn ranks_of_a_host_share_its_port_and_have_memory() -> Outcome {
    let memory = r#"links = { memory = { bandwidth = "2MBps", latency = "1ms" },"#;
    let with_memory = SLOW.replace("links = {", memory);
    let mut machine = start_several(&with_memory, 2)?;
    assert_eq!(machine.provenance().hosts(), ["a", "a", "b", "b", "c", "c", "d", "d"]);
    let trip = Program::RoundTrip(RoundTrip { out: Bytes::new(20_000), back: Bytes::ZERO });
    // Within a host through memory, otherwise as with one rank on each host.
    at_least(
        &readings(&mut machine, trip.clone(), &[0, 1])?,
        OVERHEAD + 10e-3 + 1e-3 + 6e-3 + 1e-3,
    );
    at_least(&readings(&mut machine, trip, &[0, 2])?, OVERHEAD + 20e-3 + 4e-3 + 6e-3 + 4e-3);
    // Ranks 0 and 1 of host a send to host b at the same time: 40,000 bytes through its port.
    let size = Bytes::new(20_000);
    let sends =
        |to| vec![Operation::receive(Rank(2), Bytes::ZERO), Operation::send(Rank(to), size)];
    let go = |to| Operation::send(Rank(to), Bytes::ZERO);
    let starter = vec![
        go(0),
        go(1),
        Operation::receive(Rank(0), size),
        Operation::receive(Rank(3), Bytes::ZERO),
    ];
    let other = vec![Operation::receive(Rank(1), size), go(2)];
    let together = Program::Explicit(Explicit::new(vec![sends(2), sends(3), starter, other]));
    at_least(&readings(&mut machine, together, &[0, 1, 2, 3])?, OVERHEAD + 40e-3 + 4e-3);
    Ok(())
}

#[test]
fn several_ranks_on_each_host_conform() -> Outcome {
    let quick = r#"
        hosts = [{ names = "a,b", kind = "k", cores = 1, speed = "1Gf", fixed_delay = "20us", byte_delay = "0.1ns" }]
        links = { bandwidth = "2GBps", latency = "20us", memory = { bandwidth = "4GBps" } }
    "#;
    conformance::conformance(&mut start_several(quick, 2)?)?;
    // Two ranks of the first host and one of the second: the others are idle.
    let machine = Box::new(start_several(quick, 3)?);
    conformance::conformance(&mut SelectedProcessors::new(
        machine,
        [0, 2, 4].map(Processor).to_vec(),
    )?)?;
    let per_host = SelectedProcessors::per_host(Box::new(start_several(quick, 3)?), 2)?;
    assert_eq!(per_host.provenance().hosts(), ["a", "a", "b", "b"]);
    assert_eq!(per_host.provenance().get("processes per host"), Some("2"));
    Ok(())
}

#[test]
fn provenance_names_the_cluster_and_its_hosts() -> Outcome {
    let provenance = start(SLOW)?.provenance();
    assert_eq!(
        (provenance.get("machine"), provenance.get("cluster")),
        (Some("local"), Some("cluster.toml"))
    );
    assert_eq!(provenance.hosts(), ["a", "b", "c", "d"]);
    assert_eq!(provenance.shared_cores(), []);
    assert_eq!(provenance.get("binding"), Some("none"));
    Ok(())
}

#[test]
fn a_killed_worker_is_named() -> Outcome {
    let mut machine = start(SLOW)?;
    let victim = machine.worker_ids()[1].to_string();
    let killer = spawn(move || {
        sleep(Duration::from_millis(100));
        Command::new("kill").args(["-KILL", &victim]).status()
    });
    let waits = vec![Operation::receive(Rank(1), Bytes::ZERO)];
    let computes =
        vec![Operation::Compute(Seconds::new(20.0)), Operation::send(Rank(0), Bytes::ZERO)];
    let outcome =
        readings(&mut machine, Program::Explicit(Explicit::new(vec![waits, computes])), &[0, 1]);
    assert!(killer.join().is_ok_and(|status| status.is_ok()));
    assert!(
        matches!(&outcome, Err(MachineError::WorkerDied { worker: 1, how }) if how.contains("signal 9")),
        "{outcome:?}"
    );
    assert!(machine.worker_ids().is_empty());
    Ok(())
}

#[test]
fn clusters_that_cannot_be_emulated() -> Outcome {
    let emulated = |names: &str| -> Result<Emulation, Box<dyn Error>> {
        let text = SLOW.replace("a,b,c,d", names).replace("uplinks", "# uplinks");
        let network = file::network(&text, "cluster.toml")?;
        Ok(Emulation::new("cluster.toml", network.topology, network.overheads, 1)?)
    };
    for (names, hosts) in [("a", 1), ("n[1-25]", 25)] {
        let error = emulated(names).map_err(|error| error.to_string());
        let expected = format!("the number of hosts is {hosts}; an emulated cluster has 2 to 24");
        assert_eq!(error, Err(expected));
    }
    assert_eq!(emulated("n[1-24]")?.workers(), 24);
    let mut network = file::network(SLOW, "cluster.toml")?;
    for per_host in [0, 7, usize::MAX] {
        let error =
            Emulation::new("x", network.topology.clone(), network.overheads.clone(), per_host);
        let words = format!("{per_host} ranks on each of 4 hosts; ");
        assert!(error.unwrap_err().to_string().starts_with(&words));
    }
    network.topology.ports[3] = None;
    let error = Emulation::new("x", network.topology, network.overheads, 1)
        .map_err(|error| error.to_string());
    assert_eq!(
        error,
        Err(r#"there is no route from host "a" to host "d"; connect them by links"#.to_owned())
    );
    Ok(())
}
