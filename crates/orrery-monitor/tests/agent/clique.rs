//! Cliques of agents on the loopback interface.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};

use super::*;

/// A member of a clique: its name, its folder and its address.
struct Member {
    host: &'static str,
    folder: tempfile::TempDir,
    address: SocketAddr,
    secret: &'static str,
}

/// Members with addresses that are free.
fn members(hosts: &[&'static str]) -> Result<Vec<Member>, Box<dyn std::error::Error>> {
    // All ports are taken at the same time, so that they differ.
    let listeners =
        hosts.iter().map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<Vec<_>, _>>()?;
    let member =
        |(host, listener): (&&'static str, &TcpListener)| -> Result<_, Box<dyn std::error::Error>> {
            Ok(Member {
                host,
                folder: tempfile::tempdir()?,
                address: listener.local_addr()?,
                secret: "the-secret-of-the-clique",
            })
        };
    hosts.iter().zip(&listeners).map(member).collect()
}

impl Member {
    fn store(&self) -> std::path::PathBuf {
        self.folder.path().join("series.db")
    }

    /// Starts the agent of this member, with these further keys of its probes.
    fn start(&self, members: &[Member], keys: &str) -> Result<Running, Box<dyn std::error::Error>> {
        use std::os::unix::fs::PermissionsExt as _;
        let secret = self.folder.path().join("secret");
        std::fs::write(&secret, self.secret)?;
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600))?;
        let others = members.iter().filter(|other| other.host != self.host);
        let peers: Vec<String> = others
            .map(|peer| format!("{{ host = '{}', address = '{}' }}", peer.host, peer.address))
            .collect();
        let text = format!(
            "{}[probe]\nlisten = '{}'\nsecret_file = '{}'\ninterval = '0.1s'\npeers = \
                [{}]\n{keys}\n",
            config(&self.store(), self.host),
            self.address,
            secret.display(),
            peers.join(", ")
        );
        Running::start(self.folder.path(), &text)
    }

    fn count(&self, quantity: &str, peer: &str) -> usize {
        samples(&self.store(), &format!("{}/{quantity}/{peer}", self.host)).len()
    }
}

#[test]
fn all_links_of_a_clique_are_measured() -> TestResult {
    let members = members(&["a", "b", "c"])?;
    let running =
        members.iter().map(|member| member.start(&members, "")).collect::<Result<Vec<_>, _>>()?;
    for member in &members {
        for peer in members.iter().filter(|peer| peer.host != member.host) {
            for quantity in ["latency", "bandwidth"] {
                let what = format!("{}/{quantity}/{}", member.host, peer.host);
                until(&what, || member.count(quantity, peer.host) >= 2);
                let all = samples(&member.store(), &what);
                assert!(all.iter().all(|(_, value)| *value > 0.0), "{what}: {all:?}");
            }
        }
    }
    for agent in running {
        let events = agent.end()?;
        assert!(
            !events.iter().any(|event| matches!(event, Event::Unauthenticated { .. })),
            "{events:?}"
        );
    }
    Ok(())
}

#[test]
fn a_peer_that_vanishes_with_the_token_and_returns_is_measured_again() -> TestResult {
    let members = members(&["a", "b"])?;
    let a = members[0].start(&members, "")?;
    let b = members[1].start(&members, "")?;
    until("probes", || {
        members[0].count("latency", "b") >= 2 && members[1].count("latency", "a") >= 2
    });
    b.end()?;
    until("the loss", || {
        a.has(|event| matches!(event, Event::PeerLost { host, .. } if host == "b"))
    });
    let before = members[0].count("latency", "b");
    let b = members[1].start(&members, "")?;
    until("the return", || {
        a.has(|event| matches!(event, Event::PeerReturned { host } if host == "b"))
    });
    until("probes again", || {
        members[0].count("latency", "b") > before && members[1].count("latency", "a") >= 4
    });
    a.end()?;
    b.end()?;
    Ok(())
}

#[test]
fn other_secrets_and_garbage_are_refused() -> TestResult {
    let mut members = members(&["a", "b", "c"])?;
    members[2].secret = "another-secret";
    let running =
        members.iter().map(|member| member.start(&members, "")).collect::<Result<Vec<_>, _>>()?;
    let is_stranger = |event: &Event| matches!(event, Event::Unauthenticated { reason, .. } if reason.contains("same secret"));
    until("c is refused", || running[0].has(is_stranger) && running[1].has(is_stranger));
    until("c is lost", || {
        running[0].has(|event| matches!(event, Event::PeerLost { host, .. } if host == "c"))
    });
    // Garbage, silence, and connections that are not used.
    let mut garbage = TcpStream::connect(members[0].address)?;
    garbage.write_all(&[0xff; 4096])?;
    let mut rest = Vec::new();
    // The agent closes the connection; a reset is as good.
    let _ = garbage.read_to_end(&mut rest);
    let _silent: Vec<TcpStream> =
        (0..20).map(|_| TcpStream::connect(members[0].address)).collect::<Result<_, _>>()?;
    let before = members[0].count("latency", "b");
    until("a and b go on", || {
        members[0].count("latency", "b") > before + 2 && members[1].count("latency", "a") > 2
    });
    assert_eq!((members[0].count("latency", "c"), members[2].count("latency", "a")), (0, 0));
    for agent in running {
        agent.end()?;
    }
    Ok(())
}

/// Keeps connections open that send nothing, and makes new ones for those that are closed.
fn occupy(addresses: &[SocketAddr], pause: Duration, stop: &AtomicBool) {
    let mut open: Vec<(SocketAddr, Option<TcpStream>)> =
        addresses.iter().flat_map(|address| (0..40).map(|_| (*address, None))).collect();
    let is_open = |mut stream: &TcpStream| {
        let mut bytes = [0; 64];
        loop {
            match stream.read(&mut bytes) {
                Ok(0) => return false,
                Ok(_) => {}
                Err(error) => return error.kind() == std::io::ErrorKind::WouldBlock,
            }
        }
    };
    while !stop.load(Ordering::SeqCst) {
        for (address, stream) in &mut open {
            if !stream.as_ref().is_some_and(is_open) {
                *stream = TcpStream::connect_timeout(address, Duration::from_secs(1)).ok();
                stream.iter().for_each(|stream| drop(stream.set_nonblocking(true)));
            }
        }
        std::thread::sleep(pause);
    }
}

#[test]
fn connections_without_the_secret_do_not_stop_a_clique() -> TestResult {
    probe_beside_strangers(1, Duration::from_millis(2), 10)
}

#[test]
#[ignore = "takes a minute: make soak"]
fn many_connections_without_the_secret_do_not_stop_a_clique() -> TestResult {
    probe_beside_strangers(2, Duration::ZERO, 50)
}

/// Two members go on with `probes` more probes each while threads occupy their ports.
fn probe_beside_strangers(threads: usize, pause: Duration, probes: usize) -> TestResult {
    let members = members(&["a", "b"])?;
    let running =
        members.iter().map(|member| member.start(&members, "")).collect::<Result<Vec<_>, _>>()?;
    let counts = || [members[0].count("latency", "b"), members[1].count("latency", "a")];
    until("probes", || counts().iter().all(|count| *count >= 2));
    let stop = AtomicBool::new(false);
    let addresses: Vec<SocketAddr> = members.iter().map(|member| member.address).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| occupy(&addresses, pause, &stop));
        }
        std::thread::sleep(Duration::from_secs(1));
        let before = counts();
        let begin = Instant::now();
        // A failed assertion must not leave the thread running.
        while begin.elapsed() < HANG && (0..2).any(|at| counts()[at] < before[at] + probes) {
            std::thread::sleep(Duration::from_millis(50));
        }
        stop.store(true, Ordering::SeqCst);
        let after = counts();
        assert!((0..2).all(|at| after[at] >= before[at] + probes), "{before:?} {after:?}");
    });
    for agent in running {
        agent.end()?;
    }
    Ok(())
}

#[test]
fn bytes_are_bounded() -> TestResult {
    let members = members(&["a", "b"])?;
    // Five transfers in an hour.
    let running = [0, 1]
        .map(|at| members[at].start(&members, "bandwidth_bytes = '10K'\nbytes_per_hour = '50K'"));
    let [a, b] = running;
    let (a, b) = (a?, b?);
    let is_spent = |event: &Event| matches!(event, Event::BudgetSpent { .. });
    until("the ends of the budgets", || a.has(is_spent) && b.has(is_spent));
    let before = [0, 1].map(|at| members[at].count("latency", ["b", "a"][at]));
    until("more probes", || {
        [0, 1].iter().all(|&at| members[at].count("latency", ["b", "a"][at]) >= before[at] + 4)
    });
    for (member, peer) in members.iter().zip(["b", "a"]) {
        // A transfer that a busy machine delays for too long costs its bytes and gives no sample.
        let transfers = member.count("bandwidth", peer);
        assert!((1..=5).contains(&transfers), "{}: {transfers}", member.host);
    }
    assert_eq!(a.end()?.into_iter().filter(is_spent).count(), 1);
    assert_eq!(b.end()?.into_iter().filter(is_spent).count(), 1);
    Ok(())
}

#[test]
fn an_address_in_use_is_an_error() -> TestResult {
    let members = members(&["a", "b"])?;
    let _other = TcpListener::bind(members[0].address)?;
    let agent = members[0].start(&members, "")?;
    let error = agent.end().expect_err("the address is in use").to_string();
    assert!(error.contains("peers cannot reach this address"), "{error}");
    Ok(())
}
