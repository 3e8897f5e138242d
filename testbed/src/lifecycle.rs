//! A testbed is raised and taken down.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use rustix::process::{Pid, Signal, kill_process};

use crate::command::{is_there, run};
use crate::description::{self, Description};
use crate::place::Place;
use crate::switch::hardware_address;
use crate::{launch, share};

/// Raises the testbed that a file describes; gives its description. After a failure nothing is left.
pub fn up(file: &Path) -> anyhow::Result<Description> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let description = description::parse(&text, &stem).with_context(|| file.display().to_string())?;
    possible()?;
    let place = Place::of(&description.name);
    place.take()?;
    let raised = raise(&description, &place, &text);
    if let Err(error) = raised {
        return Err(match down(&place) {
            Ok(()) => error,
            Err(other) => error.context(format!("and taking it down failed: {other:#}")),
        });
    }
    Ok(description)
}

/// Whether testbeds can be raised here.
pub fn possible() -> anyhow::Result<()> {
    if !rustix::process::geteuid().is_root() {
        bail!("a testbed needs root: it makes namespaces, devices and control groups; run this as root");
    }
    for (program, package) in [("ip", "iproute2"), ("nsenter", "util-linux"), ("unshare", "util-linux")] {
        if !is_there(program) {
            bail!("the program {program} is not there; install the package {package}");
        }
    }
    if !Path::new("/dev/net/tun").exists() {
        bail!("this kernel has no /dev/net/tun, from which hosts get their devices");
    }
    Ok(())
}

fn raise(description: &Description, place: &Place, text: &str) -> anyhow::Result<()> {
    let hosts = || description.hosts.iter().map(|host| host.name.as_str()).chain(["hub"]).enumerate();
    for (_, host) in hosts() {
        run("ip", &["netns", "add", &place.namespace(host)])?;
    }
    fs::write(place.file("description.toml"), text).context("cannot keep the description")?;
    start_switch(place)?;
    for (number, host) in hosts() {
        let namespace = place.namespace(host);
        let ip = |words: &[&str]| run("ip", &[&["-n", &namespace], words].concat());
        let address = format!("{}/24", description.address(number));
        ip(&["link", "set", "lo", "up"])?;
        ip(&["link", "set", "eth0", "address", &hardware_address(number)])?;
        ip(&["address", "add", &address, "dev", "eth0"])?;
        // Nobody asks who has an address, no other protocol takes part, and TCP sends as its window allows, not by a clock.
        let settings = "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6; \
                        echo 0 > /proc/sys/net/ipv4/tcp_slow_start_after_idle; \
                        echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save; \
                        echo cubic > /proc/sys/net/ipv4/tcp_congestion_control; true";
        let inside = format!("--net={}", place.namespace_file(host).display());
        run("nsenter", &[&inside, "sh", "-c", settings])?;
        ip(&["link", "set", "eth0", "arp", "off", "up"])?;
        for (other, _) in hosts().filter(|(other, _)| *other != number) {
            let (address, hardware) = (description.address(other).to_string(), hardware_address(other));
            ip(&["neighbour", "replace", &address, "lladdr", &hardware, "dev", "eth0", "nud", "permanent"])?;
        }
    }
    share::raise(description, place)?;
    launch::write_files(description, place)
}

/// Starts the switch as a process of its own, before others where that is allowed, and waits until its devices are there.
fn start_switch(place: &Place) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("cannot find this program")?;
    let mut command = Command::new("setsid");
    if is_there("chrt") {
        command.args(["chrt", "--fifo", "50"]);
    }
    let log = fs::File::create(place.file("switch.log")).context("cannot make the log of the switch")?;
    command.arg(own).args(["switch", &place.name]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut child = command.spawn().context("cannot start the switch; install the package util-linux")?;
    let mut line = String::new();
    let output = child.stdout.take().ok_or_else(|| anyhow!("the switch has no output"))?;
    BufReader::new(output).read_line(&mut line).context("cannot hear from the switch")?;
    let Some(pid) = line.strip_prefix("ready ") else {
        let words = fs::read_to_string(place.file("switch.log")).unwrap_or_default();
        bail!("the switch did not start: {}", words.trim());
    };
    fs::write(place.file("switch.pid"), pid.trim()).context("cannot keep the number of the switch")
}

/// Takes a testbed down: its processes, its switch, its namespaces, its groups and files. What is not there is no error.
pub fn down(place: &Place) -> anyhow::Result<()> {
    possible()?;
    let list = run("ip", &["netns", "list"])?;
    let namespaces: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let namespaces: Vec<&str> = namespaces.into_iter().filter(|name| name.starts_with(&place.prefix())).collect();
    let mut problems = Vec::new();
    let mut pids = Vec::new();
    for namespace in &namespaces {
        match run("ip", &["netns", "pids", namespace]) {
            Ok(text) => pids.extend(text.lines().filter_map(|line| line.trim().parse::<i32>().ok())),
            Err(error) => problems.push(error),
        }
    }
    let own = std::process::id() as i32;
    pids.retain(|pid| *pid != own);
    pids.extend(switch_pid(place));
    end(&pids);
    for namespace in namespaces {
        problems.extend(run("ip", &["netns", "delete", namespace]).err());
    }
    problems.extend(share::remove(place).err());
    if place.folder().exists() {
        problems.extend(fs::remove_dir_all(place.folder()).err().map(anyhow::Error::from));
    }
    match problems.into_iter().next() {
        None => Ok(()),
        Some(problem) => Err(problem.context(format!("testbed {} is not wholly down", place.name))),
    }
}

/// The process of the switch, where it is one.
pub fn switch_pid(place: &Place) -> Option<i32> {
    let pid: i32 = fs::read_to_string(place.file("switch.pid")).ok()?.trim().parse().ok()?;
    let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
    words.windows(2).any(|pair| pair == [b"switch".as_slice(), place.name.as_bytes()]).then_some(pid)
}

/// Ends processes, by force those that do not end by themselves within two seconds.
fn end(pids: &[i32]) {
    let pids: Vec<Pid> = pids.iter().filter_map(|pid| Pid::from_raw(*pid)).collect();
    let is_there = |pid: &&Pid| {
        let state = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
    };
    for signal in [Signal::TERM, Signal::KILL] {
        for pid in pids.iter().filter(is_there) {
            let _ = kill_process(*pid, signal);
        }
        let start = Instant::now();
        while pids.iter().any(|pid| is_there(&pid)) && start.elapsed() < Duration::from_secs(2) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
