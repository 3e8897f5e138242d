//! Programs on a testbed: on the hub, which starts jobs, and on hosts, where launchers start ranks.

use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use anyhow::{Context as _, bail};

use crate::command::{is_installed, run};
use crate::description::Description;
use crate::paths::TestbedPaths;
use crate::share;

/// The source of a library that is preloaded into programs: waiting ranks yield the core to others.
const IDLE: &str = include_str!("idle.c");

/// Writes the files for launchers: hosts, hostfiles, the agent that replaces ssh, and the preloaded
/// library.
pub fn write_files(description: &Description, place: &TestbedPaths) -> anyhow::Result<()> {
    let write = |name: &str, text: &str| {
        let file = place.file(name);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
    };
    let mut hosts = "127.0.0.1 localhost\n".to_owned();
    for (number, host) in
        description.hosts.iter().map(|host| host.name.as_str()).chain(["hub"]).enumerate()
    {
        let _ = writeln!(hosts, "{} {host}", description.address(number));
    }
    write("hosts", &hosts)?;
    let names: Vec<String> =
        description.hosts.iter().map(|host| format!("{} slots=1\n", host.name)).collect();
    write("hostfile", &names.concat())?;
    write("hosts.hydra", &names.concat().replace(" slots=1", ":1"))?;
    let own = std::env::current_exe().context("cannot find this program")?;
    write("agent", &format!("#!/bin/sh\nexec '{}' enter {} \"$@\"\n", own.display(), place.name))?;
    let agent = place.file("agent");
    fs::set_permissions(&agent, Permissions::from_mode(0o755))
        .context("cannot make the agent executable")?;
    if is_installed("cc") {
        write("idle.c", IDLE)?;
        let [source, library] =
            ["idle.c", "idle.so"].map(|name| place.file(name).display().to_string());
        run("cc", &["-O2", "-shared", "-fPIC", "-o", &library, &source])?;
    }
    Ok(())
}

/// The environment variables for Open MPI and MPICH: agent, hosts of the testbed, and TCP as the
/// only transport.
fn environment(description: &Description, place: &TestbedPaths) -> Vec<(&'static str, String)> {
    let [agent, hostfile, hydra] =
        ["agent", "hostfile", "hosts.hydra"].map(|name| place.file(name).display().to_string());
    let net = description.subnet();
    vec![
        ("OMPI_MCA_plm", "rsh".into()),
        ("OMPI_MCA_plm_rsh_agent", agent.clone()),
        ("OMPI_MCA_plm_rsh_no_tree_spawn", "1".into()),
        ("OMPI_MCA_rtc", "^hwloc".into()),
        ("OMPI_MCA_hwloc_base_binding_policy", "none".into()),
        ("OMPI_MCA_orte_default_hostfile", hostfile.clone()),
        ("OMPI_MCA_oob_tcp_if_include", net.clone()),
        ("OMPI_MCA_btl_tcp_if_include", net.clone()),
        ("OMPI_MCA_btl", "tcp,self".into()),
        ("OMPI_MCA_pml", "ob1".into()),
        ("OMPI_MCA_mpi_yield_when_idle", "1".into()),
        ("OMPI_ALLOW_RUN_AS_ROOT", "1".into()),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1".into()),
        // Open MPI 5 starts programs by PRRTE.
        ("PRTE_MCA_plm", "ssh".into()),
        ("PRTE_MCA_plm_ssh_agent", agent.clone()),
        ("PRTE_MCA_plm_ssh_no_tree_spawn", "1".into()),
        ("PRTE_MCA_hwloc_default_binding_policy", "none".into()),
        ("PRTE_MCA_prte_default_hostfile", hostfile.clone()),
        ("PRTE_MCA_prte_if_include", net),
        ("PRTE_ALLOW_RUN_AS_ROOT", "1".into()),
        ("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1".into()),
        ("HYDRA_LAUNCHER", "ssh".into()),
        ("HYDRA_LAUNCHER_EXEC", agent),
        ("HYDRA_HOST_FILE", hydra),
        ("HYDRA_IFACE", "eth0".into()),
        ("HYDRA_BINDING", "none".into()),
        ("UCX_TLS", "tcp,self".into()),
        ("UCX_NET_DEVICES", "eth0".into()),
        ("FI_PROVIDER", "tcp".into()),
        ("FI_TCP_IFACE", "eth0".into()),
        ("MPIR_CVAR_NOLOCAL", "1".into()),
    ]
}

/// Replaces this process by a command on the hub with the environment for launchers; returns only
/// on failure.
pub fn on_hub(place: &TestbedPaths, command: &[String]) -> anyhow::Result<()> {
    let description = place.description()?;
    let mut started = inside(place, "hub");
    started.args(command).envs(environment(&description, place));
    Err(started.exec()).context("cannot run nsenter; install the package util-linux")
}

/// Replaces this process by a command on a host, as a remote shell does: its options are ignored,
/// and a shell runs the joined words. Returns only on failure.
pub fn on_host(place: &TestbedPaths, words: &[String]) -> anyhow::Result<()> {
    let description = place.description()?;
    let mut words = words.iter();
    let host = loop {
        match words.next() {
            None => bail!("name a host"),
            Some(option) if option == "-l" || option == "-p" => drop(words.next()),
            Some(option) if option.starts_with('-') => {}
            Some(host) => break host,
        }
    };
    let Some(number) = description.host(host) else {
        let known: Vec<&str> = description.hosts.iter().map(|host| host.name.as_str()).collect();
        bail!("testbed {} has no host {host}; it has {}", place.name, known.join(", "));
    };
    let mut started = inside(place, host);
    if description.hosts[number].share.is_some() {
        share::join(place, host)?;
        started.env("TESTBED_SHARE", "1");
    }
    let library = place.file("idle.so");
    if library.exists() {
        started.env("LD_PRELOAD", library);
    }
    let command: Vec<&str> = words.map(String::as_str).collect();
    let command = if command.is_empty() { "exec sh".to_owned() } else { command.join(" ") };
    started.args(["sh", "-c", &command]);
    Err(started.exec()).context("cannot run nsenter; install the package util-linux")
}

/// A command that runs in the network of a host, with its host name and the names of all hosts.
fn inside(place: &TestbedPaths, host: &str) -> Command {
    let mut command = Command::new("nsenter");
    command.arg(format!("--net={}", place.namespace_file(host).display()));
    command.args(["unshare", "--mount", "--uts", "--"]);
    command.args([
        "sh",
        "-c",
        "mount --bind \"$1\" /etc/hosts && hostname \"$2\" && shift 2 && exec \"$@\"",
        "sh",
    ]);
    command.arg(place.file("hosts")).arg(host);
    command
}
