//! Sensors on given files of the kernel and on those of this host.
#![cfg(all(feature = "agent", target_os = "linux"))]

use std::fs;
use std::path::Path;
use std::time::Duration;

use orrery_monitor::sensor::{Cpus, Group, Measurement, SensorError, Sensors, Sources, spin};

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// Given files: processors 0, 2 and 3 are in use, with these idle times in ticks of 10 ms.
fn write(sources: &Sources, idle: [u64; 3], stalled: u64) -> std::io::Result<()> {
    let line = |(cpu, idle): (u32, u64)| format!("cpu{cpu} 7 0 9 {idle} 0 0 0 0 0 0\n");
    let stat: Vec<String> = [0, 2, 3].into_iter().zip(idle).map(line).collect();
    let stat = stat.concat();
    let put = |folder: &Path, name: &str, text: &str| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, text)
    };
    put(
        &sources.proc,
        "stat",
        &format!("cpu  21 0 27 0 0 0 0 0 0 0\n{stat}ctxt 1\nbtime 1\nprocesses 1\n"),
    )?;
    put(&sources.proc, "loadavg", "1.25 0.50 0.25 2/300 4711\n")?;
    put(&sources.proc, "self/cgroup", "0::/jobs/one\n")?;
    put(&sources.sys, "devices/system/cpu/online", "0,2-3\n")?;
    for name in ["cpu", "memory", "io"] {
        let line = format!("avg10=0.00 avg60=0.00 avg300=0.00 total={stalled}");
        put(&sources.proc, &format!("pressure/{name}"), &format!("some {line}\nfull {line}\n"))?;
    }
    put(&sources.proc, "meminfo", MEMINFO)
}

const MEMINFO: &str = include_str!("meminfo");

fn values(found: &[Measurement]) -> Vec<(&str, f64)> {
    found.iter().map(|one| (one.quantity.name(), one.value)).collect()
}

#[test]
fn given_files_are_read() -> TestResult {
    let folder = tempfile::tempdir()?;
    let sources = Sources { proc: folder.path().join("proc"), sys: folder.path().join("sys") };
    write(&sources, [1000, 5000, 1000], 0)?;
    let mut sensors = Sensors::new(sources.clone(), "2".parse()?, Vec::new());
    let (found, faults) = sensors.measure(Group::Processor, Duration::from_secs(100));
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(values(&found), [("load", 1.25)]);
    // Ten seconds later, processor 2 was idle for 10 s, and some process waited for 1 s.
    write(&sources, [1000, 6000, 1000], 1_000_000)?;
    let (found, faults) = sensors.measure(Group::Processor, Duration::from_secs(110));
    assert!(faults.is_empty(), "{faults:?}");
    let pressures = [("cpu_pressure", 0.1), ("memory_pressure", 0.1), ("io_pressure", 0.1)];
    assert_eq!(values(&found)[..2], [("availability", 1.0), ("load", 1.25)]);
    assert_eq!(values(&found)[2..], pressures);
    let (found, _) = sensors.measure(Group::Memory, Duration::ZERO);
    assert_eq!(values(&found), [("memory_free", 2048.0 * 1024.0), ("swap_free", 512.0 * 1024.0)]);
    Ok(())
}

#[test]
fn control_groups_limit_the_availability() -> TestResult {
    let folder = tempfile::tempdir()?;
    let sources = Sources { proc: folder.path().join("proc"), sys: folder.path().join("sys") };
    write(&sources, [0, 0, 0], 0)?;
    fs::create_dir_all(sources.sys.join("fs/cgroup/jobs/one"))?;
    fs::write(sources.sys.join("fs/cgroup/jobs/cpu.max"), "25000 100000\n")?;
    fs::write(sources.sys.join("fs/cgroup/jobs/one/cpu.max"), "max 100000\n")?;
    let mut sensors = Sensors::new(sources.clone(), "0".parse()?, Vec::new());
    sensors.measure(Group::Processor, Duration::ZERO);
    write(&sources, [100, 0, 0], 0)?;
    let (found, _) = sensors.measure(Group::Processor, Duration::from_secs(1));
    assert_eq!(values(&found)[0], ("availability", 0.25));
    Ok(())
}

#[test]
fn what_is_missing_is_an_error_beside_the_rest() -> TestResult {
    let folder = tempfile::tempdir()?;
    let sources = Sources { proc: folder.path().join("proc"), sys: folder.path().join("sys") };
    write(&sources, [0, 0, 0], 0)?;
    let mut sensors =
        Sensors::new(sources.clone(), "1".parse()?, vec!["/".into(), "/no such folder".into()]);
    let (found, faults) = sensors.measure(Group::Processor, Duration::ZERO);
    assert_eq!(values(&found), [("load", 1.25)]);
    assert!(matches!(faults[..], [SensorError::Offline { cpu: 1, .. }]), "{faults:?}");
    fs::write(sources.proc.join("meminfo"), "garbage")?;
    let (found, faults) = sensors.measure(Group::Memory, Duration::ZERO);
    assert_eq!((found.len(), faults.len()), (0, 1));
    let (found, faults) = sensors.measure(Group::Disk, Duration::ZERO);
    assert_eq!(found[0].target.as_deref(), Some("/"));
    assert!(matches!(faults[..], [SensorError::Disk { .. }]), "{faults:?}");
    fs::remove_dir_all(&sources.proc)?;
    assert_eq!(sensors.measure(Group::Processor, Duration::ZERO).1.len(), 2);
    Ok(())
}

#[test]
fn this_host_is_measured() -> TestResult {
    let cpus = Cpus::allowed()?;
    let first: Cpus = cpus.iter().next().ok_or("no processor")?.to_string().parse()?;
    let mut sensors = Sensors::new(Sources::default(), first.clone(), vec!["/".into()]);
    let begin = std::time::Instant::now();
    sensors.measure(Group::Processor, Duration::ZERO);
    let part = spin(&first, Duration::from_millis(50))?;
    assert!((0.0..=1.0).contains(&part) && part > 0.0, "{part}");
    let (found, faults) = sensors.measure(Group::Processor, begin.elapsed());
    assert!(faults.is_empty(), "{faults:?}");
    let availability = values(&found)[0];
    assert!(
        availability.0 == "availability" && (0.0..=1.0).contains(&availability.1),
        "{availability:?}"
    );
    for group in [Group::Memory, Group::Disk] {
        let (found, faults) = sensors.measure(group, Duration::ZERO);
        assert!(faults.is_empty() && found[0].value > 0.0, "{found:?} {faults:?}");
    }
    let none: Cpus = "1023".parse()?;
    assert!(matches!(spin(&none, Duration::from_millis(1)), Err(SensorError::Affinity { .. })));
    Ok(())
}

#[test]
fn sets_of_processors_are_checked() {
    for text in ["", "x", "3-1", "1,,2", "0-99999", "-1", "1-"] {
        assert!(text.parse::<Cpus>().is_err(), "{text}");
    }
}
