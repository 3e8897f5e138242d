//! The processor time that control groups grant.

use std::path::{Component, Path};

use procfs::{FromRead as _, ProcessCGroups};

/// The processors that the control groups (version 2) of this process grant: the least quota/period
/// of `cpu.max` in its group and those above. `None` without a limit, and where control groups of
/// version 2 are not used.
pub(super) fn limit(proc: &Path, sys: &Path) -> Option<f64> {
    let groups = ProcessCGroups::from_file(proc.join("self/cgroup")).ok()?;
    let path = groups.into_iter().find(|group| group.hierarchy == 0)?.pathname;
    let names = Path::new(&path).components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let mut folder = sys.join("fs/cgroup");
    let mut limits = Vec::new();
    for name in names {
        folder.push(name);
        let text = std::fs::read_to_string(folder.join("cpu.max")).unwrap_or_default();
        limits.extend(parse(&text));
    }
    limits.into_iter().min_by(f64::total_cmp)
}

/// The quota divided by the period: `50000 100000` is 0.5. `None` for `max 100000`, which is no
/// limit, and for any other text.
fn parse(text: &str) -> Option<f64> {
    let (quota, period) = text.trim().split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}
