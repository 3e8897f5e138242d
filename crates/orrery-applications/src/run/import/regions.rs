//! Nested regions of a profile, and their times by process and thread.

use std::collections::BTreeMap;

use orrery_base::file::{Fault, Result};

/// A path of nested regions: a region, and the path around it.
struct Path {
    /// The number of the path around it; 0 is the empty path.
    parent: usize,
    name: String,
}

/// The paths of nested regions by number; 0 is the empty one.
#[derive(Default)]
pub(super) struct RegionTree {
    /// The paths behind the empty one: each after its parent.
    paths: Vec<Path>,
    places: BTreeMap<(usize, String), usize>,
}

impl RegionTree {
    /// The path of a region within another one.
    pub(super) fn extend(&mut self, parent: usize, name: &str) -> usize {
        let paths = &mut self.paths;
        *self.places.entry((parent, name.to_owned())).or_insert_with(|| {
            paths.push(Path { parent, name: name.to_owned() });
            paths.len()
        })
    }

    /// The number of paths, with the empty one.
    pub(super) fn len(&self) -> usize {
        self.paths.len() + 1
    }

    /// The path around a path; `None` for the empty one and those in it.
    fn parent(&self, path: usize) -> Option<usize> {
        self.paths.get(path.checked_sub(1)?).map(|path| path.parent).filter(|parent| *parent > 0)
    }

    /// The names of paths, such as `main->solve`, of `budget` bytes at most together.
    pub(super) fn names(&self, budget: usize) -> Result<Vec<String>> {
        let mut names = vec![String::new()];
        let mut bytes = 0;
        for Path { parent, name } in &self.paths {
            bytes += names[*parent].len() + name.len() + 2;
            if bytes > budget {
                return Err(too_long(budget));
            }
            names.push(if *parent == 0 {
                name.clone()
            } else {
                format!("{}->{name}", names[*parent])
            });
        }
        Ok(names)
    }
}

/// The values of a metric by path and location.
pub(super) struct RegionTimes {
    /// The sums of the values of a path at a location, by path, then by location.
    sums: BTreeMap<(usize, usize), f64>,
    /// The byte of the first value of each path.
    pub(super) first: Vec<usize>,
    /// The number of sums that there may be.
    max_sums: usize,
}

/// The bytes of a sum.
const BYTES: usize = 64;

impl RegionTimes {
    /// No values of the paths of a tree; those of `budget` bytes at most are kept.
    pub(super) fn new(tree: &RegionTree, budget: usize) -> Self {
        Self { sums: BTreeMap::new(), first: vec![0; tree.len()], max_sums: budget / BYTES }
    }

    /// Adds a value, which begins at a byte, to the sum of its path and location.
    pub(super) fn add(
        &mut self,
        path: usize,
        location: usize,
        time: f64,
        byte: usize,
    ) -> Result<()> {
        self.first[path] = if self.first[path] == 0 { byte } else { self.first[path] };
        *self.sums.entry((path, location)).or_default() += time;
        let limit = self.max_sums.saturating_mul(BYTES);
        if self.sums.len() > self.max_sums { Err(too_long(limit).at(0)) } else { Ok(()) }
    }

    /// Adds exclusive times to those of the paths around them.
    pub(super) fn include_nested(&mut self, tree: &RegionTree) -> Result<()> {
        // Paths are after those around them.
        for path in (1..tree.len()).rev() {
            let Some(parent) = tree.parent(path) else { continue };
            let own: Vec<_> = self
                .sums
                .range((path, 0)..(path + 1, 0))
                .map(|((_, l), time)| (*l, *time))
                .collect();
            for (location, time) in own {
                self.add(parent, location, time, self.first[path])?;
            }
        }
        Ok(())
    }

    /// The maximum of each path over the locations; `None` for a path without values.
    pub(super) fn maxima(&self) -> Vec<Option<f64>> {
        let mut maxima: Vec<Option<f64>> = vec![None; self.first.len()];
        for ((path, _), time) in &self.sums {
            maxima[*path] = Some(maxima[*path].map_or(*time, |most| most.max(*time)));
        }
        maxima
    }
}

/// Regions that need more memory than their profile explains.
pub(super) fn too_long(limit: usize) -> Fault {
    Fault::new(format!(
        "the regions of the profile expand to more than {limit} bytes, far more \
        than those of any program; copy the profile again"
    ))
}
