//! Limits of the processor time of hosts: control groups of version 1 or 2.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::description::Description;
use crate::paths::TestbedPaths;

/// The period of quotas in microseconds; the kernel does not enforce quotas of shorter periods
/// accurately.
const PERIOD_MICROSECONDS: u32 = 20_000;

/// The hierarchy of control groups, by version.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tree {
    /// Version 1, with the files cpu.cfs_quota_us and cpu.cfs_period_us.
    One(PathBuf),
    /// Version 2, with the file cpu.max.
    Two(PathBuf),
}

/// The hierarchy of control groups of this system.
fn tree() -> anyhow::Result<Tree> {
    let one = Path::new("/sys/fs/cgroup/cpu");
    if one.join("cpu.cfs_quota_us").exists() || one.join("cpu.shares").exists() {
        return Ok(Tree::One(one.to_owned()));
    }
    let two = Path::new("/sys/fs/cgroup");
    let controllers = fs::read_to_string(two.join("cgroup.controllers")).unwrap_or_default();
    if controllers.split_whitespace().any(|controller| controller == "cpu") {
        return Ok(Tree::Two(two.to_owned()));
    }
    bail!("this system has no control groups for processors; leave out share")
}

/// The folder of the control groups of a testbed.
fn folder(tree: &Tree, place: &TestbedPaths) -> PathBuf {
    let (Tree::One(root) | Tree::Two(root)) = tree;
    root.join("orrery-testbed").join(&place.name)
}

/// Writes a text to a file of a control group.
fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(file, text).with_context(|| format!("cannot write {text:?} to {}", file.display()))
}

/// Creates a control group for each host with a share.
pub fn create(description: &Description, place: &TestbedPaths) -> anyhow::Result<()> {
    if description.hosts.iter().all(|host| host.share.is_none()) {
        return Ok(());
    }
    let tree = tree()?;
    let folder = folder(&tree, place);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    if let Tree::Two(root) = &tree {
        for above in [root.clone(), root.join("orrery-testbed"), folder.clone()] {
            write(&above.join("cgroup.subtree_control"), "+cpu")?;
        }
    }
    for host in &description.hosts {
        let Some(share) = host.share else { continue };
        let group = folder.join(&host.name);
        fs::create_dir_all(&group).with_context(|| format!("cannot create {}", group.display()))?;
        let quota = (f64::from(PERIOD_MICROSECONDS) * share).round() as u32;
        match tree {
            Tree::One(_) => {
                write(&group.join("cpu.cfs_period_us"), &PERIOD_MICROSECONDS.to_string())?;
                write(&group.join("cpu.cfs_quota_us"), &quota.to_string())?;
            }
            Tree::Two(_) => {
                write(&group.join("cpu.max"), &format!("{quota} {PERIOD_MICROSECONDS}"))?;
            }
        }
    }
    Ok(())
}

/// Moves this process, with its future children, into the control group of a host.
pub fn join(place: &TestbedPaths, host: &str) -> anyhow::Result<()> {
    let group = folder(&tree()?, place).join(host);
    write(&group.join("cgroup.procs"), &std::process::id().to_string())
}

/// Removes the control groups; missing ones are no error.
pub fn remove(place: &TestbedPaths) -> anyhow::Result<()> {
    let Ok(tree) = tree() else { return Ok(()) };
    let folder = folder(&tree, place);
    let groups = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let groups = groups.filter(|path| path.is_dir()).chain([folder.clone()]);
    for group in groups {
        match fs::remove_dir(&group) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| {
                    format!("cannot remove the control group {}", group.display())
                });
            }
            _ => {}
        }
    }
    // The common folder can be removed when the last testbed is down.
    let _ = folder.parent().map(fs::remove_dir);
    Ok(())
}
