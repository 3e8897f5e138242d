//! Strangers that connect to the workers of the local machine while they start.

use std::fs;
use std::io::Write as _;
use std::net::{Ipv4Addr, TcpStream};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rand::RngExt;

use crate::common::{Folder, Outcome};
use crate::{number, random};

/// The time after which a campaign hangs.
const HANG: Duration = Duration::from_secs(60);

#[test]
#[ignore = "takes minutes, run by make soak"]
fn floods_of_connections() -> Outcome {
    let (rounds, mut connections) = (number("SOAK_FLOODS", 20), 0);
    // On a loaded machine, workers connect before a stranger finds their port.
    for round in 0..10 * rounds {
        if round >= rounds && connections > rounds {
            break;
        }
        let mut rng = random(round);
        let folder = Folder::new()?;
        let before = listening_ports()?;
        let mut command =
            folder.command("measure comm --machine local:3 -o s.csv --sizes 1K --max-reps 10");
        let mut campaign = command.stderr(Stdio::null()).spawn()?;
        let begin = Instant::now();
        let mut open = Vec::new();
        let status = loop {
            if let Some(status) = campaign.try_wait()? {
                break status;
            }
            assert!(begin.elapsed() < HANG, "round {round}: the campaign hangs");
            for port in listening_ports()?.into_iter().filter(|port| !before.contains(port)) {
                let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else {
                    continue;
                };
                let noise: Vec<u8> =
                    (0..rng.random_range(0..200)).map(|_| rng.random_range(0..=255)).collect();
                // The worker may have closed the connection.
                let _ = stream.write_all(&noise);
                connections += 1;
                // Some strangers stay and say nothing more.
                if rng.random_bool(0.5) && open.len() < 200 {
                    open.push(stream);
                }
            }
        };
        assert!(status.success(), "round {round}: {status}");
    }
    eprintln!("{connections} connections of strangers in at least {rounds} campaigns");
    assert!(connections > rounds, "no connection reached a worker");
    Ok(())
}

/// The ports of IPv4 on which any process listens.
fn listening_ports() -> std::io::Result<Vec<u16>> {
    let table = fs::read_to_string("/proc/net/tcp")?;
    let port = |line: &str| {
        let mut fields = line.split_whitespace().skip(1);
        let (address, state) = (fields.next()?, fields.nth(1)?);
        if state != "0A" {
            return None;
        }
        u16::from_str_radix(address.split_once(':')?.1, 16).ok()
    };
    Ok(table.lines().skip(1).filter_map(port).collect())
}
