//! The part of a processor that a host may use: control groups of version 1 or 2.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::description::Description;
use crate::place::Place;

/// A shorter period makes quotas too small to be kept.
const PERIOD: u32 = 20_000;

/// Where groups of processors are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tree {
    /// With files cpu.cfs_quota_us and cpu.cfs_period_us.
    One(PathBuf),
    /// With a file cpu.max.
    Two(PathBuf),
}

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

fn folder(tree: &Tree, place: &Place) -> PathBuf {
    let (Tree::One(root) | Tree::Two(root)) = tree;
    root.join("orrery-testbed").join(&place.name)
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(file, text).with_context(|| format!("cannot write {text:?} to {}", file.display()))
}

/// Makes a group for each host that has a share.
pub fn raise(description: &Description, place: &Place) -> anyhow::Result<()> {
    if description.hosts.iter().all(|host| host.share.is_none()) {
        return Ok(());
    }
    let tree = tree()?;
    let folder = folder(&tree, place);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    if let Tree::Two(root) = &tree {
        for above in [root.clone(), root.join("orrery-testbed"), folder.clone()] {
            write(&above.join("cgroup.subtree_control"), "+cpu")?;
        }
    }
    for host in &description.hosts {
        let Some(share) = host.share else { continue };
        let group = folder.join(&host.name);
        fs::create_dir_all(&group).with_context(|| format!("cannot make {}", group.display()))?;
        let quota = (f64::from(PERIOD) * share).round() as u32;
        match tree {
            Tree::One(_) => {
                write(&group.join("cpu.cfs_period_us"), &PERIOD.to_string())?;
                write(&group.join("cpu.cfs_quota_us"), &quota.to_string())?;
            }
            Tree::Two(_) => write(&group.join("cpu.max"), &format!("{quota} {PERIOD}"))?,
        }
    }
    Ok(())
}

/// This process, and all that it starts, belongs to the group of a host.
pub fn join(place: &Place, host: &str) -> anyhow::Result<()> {
    let group = folder(&tree()?, place).join(host);
    write(&group.join("cgroup.procs"), &std::process::id().to_string())
}

/// Removes the groups; what is not there is no error.
pub fn remove(place: &Place) -> anyhow::Result<()> {
    let Ok(tree) = tree() else { return Ok(()) };
    let folder = folder(&tree, place);
    let groups = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let groups = groups.filter(|path| path.is_dir()).chain([folder.clone()]);
    for group in groups {
        match fs::remove_dir(&group) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove the control group {}", group.display()));
            }
            _ => {}
        }
    }
    // The last one takes the common folder with it.
    let _ = folder.parent().map(fs::remove_dir);
    Ok(())
}
