//! The units for systemd: each has a folder of its own, in which its user may write.
#![cfg(all(feature = "agent", target_os = "linux"))]

#[path = "../../orrery/tests/common/skip.rs"]
mod skip;

use std::path::{Path, PathBuf};
use std::process::Command;

use orrery_monitor::AgentConfig;

type TestResult = Result<(), Box<dyn std::error::Error>>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/systemd")
}

/// The values of a key of a unit.
fn values(unit: &str, key: &str) -> std::io::Result<Vec<String>> {
    let text = std::fs::read_to_string(folder().join(unit))?;
    let value = |line: &str| Some(line.strip_prefix(key)?.strip_prefix('=')?.to_owned());
    Ok(text.lines().filter_map(value).collect())
}

const AGENT: &str = "orrery-monitor-agent.service";
const SERVICE: &str = "orrery-monitor-serve.service";

/// Two units whose dynamic users differ cannot write in one folder: systemd gives it to the one
/// that starts last.
#[test]
fn each_unit_has_its_folder() -> TestResult {
    let [agent, service] = [AGENT, SERVICE].map(|unit| values(unit, "StateDirectory"));
    let (agent, service) = (agent?, service?);
    assert!(agent.len() == 1 && service.len() == 1 && agent != service, "{agent:?} {service:?}");
    for unit in [AGENT, SERVICE] {
        assert_eq!(values(unit, "DynamicUser")?, ["yes"], "{unit}");
        assert_eq!(values(unit, "StateDirectoryMode")?, ["0700"], "{unit}");
    }
    let config = AgentConfig::read(&folder().join("agent.toml"))?;
    assert_eq!(config.store.parent(), Some(Path::new(&format!("/var/lib/{}", agent[0]))));
    assert!(values(SERVICE, "ExecStart")?[0].contains("--store ${STATE_DIRECTORY}/"));
    Ok(())
}

/// systemd finds no unknown key and no wrong value.
#[test]
fn systemd_accepts_the_units() -> TestResult {
    let copies = tempfile::tempdir()?;
    for unit in [AGENT, SERVICE] {
        // The command is not installed here.
        let text = std::fs::read_to_string(folder().join(unit))?;
        let text = text.replace("=/usr/bin/orrery", "=/bin/true");
        let text = text.replace("Documentation=man:orrery-monitor(1)\n", "");
        let copy = copies.path().join(unit);
        std::fs::write(&copy, text)?;
        let Ok(output) = Command::new("systemd-analyze").arg("verify").arg(&copy).output() else {
            skip::skip("systemd-analyze is not installed");
            return Ok(());
        };
        let remarks = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && !remarks.contains(unit), "{remarks}");
    }
    Ok(())
}
