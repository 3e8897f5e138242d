//! The memory that cases need, and that hosts have.

use std::collections::BTreeMap;
use std::fs;

use crate::calls::{Comm, GridPosition, MpiError};
use crate::case::{Case, Routine};
use crate::matrix::local_shape;
use crate::operands::shapes;

/// The largest share of the available memory that operands may use.
const MAX_SHARE: f64 = 0.8;

/// The bytes that a case needs on a rank: its matrices, and the buffers of ScaLAPACK.
pub(crate) fn needed(case: &Case, rank: usize) -> u64 {
    let [a, b, c] = shapes(case);
    let on = |shape, grid: crate::case::Grid| {
        if rank >= grid.processes() {
            return 0;
        }
        let position =
            GridPosition { row: rank as i32 / grid.columns, column: rank as i32 % grid.columns };
        let (rows, columns) = local_shape(shape, case.block, grid.shape(), position);
        8 * rows as u64 * columns as u64
    };
    let matrices = on(a, case.grid) + on(b, case.to.unwrap_or(case.grid)) + on(c, case.grid);
    // A redistribution packs all elements; other routines have panels.
    let buffers = if case.routine == Routine::Gemr2d { matrices } else { matrices / 4 };
    matrices + buffers
}

/// The memory of the hosts of a job.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The identifier of the kernel of each rank, whose memory its ranks share.
    kernels: Vec<String>,
    /// The available bytes for each rank; `None` if unknown.
    available: Vec<Option<u64>>,
    /// The name of the host of each rank.
    hosts: Vec<String>,
}

impl Memory {
    /// Collects the memory of all ranks; all must call this.
    pub fn collect(
        world: &Comm,
        hosts: Vec<String>,
        kernels: Vec<String>,
    ) -> Result<Self, MpiError> {
        let own = available().map(|bytes| bytes.to_string()).unwrap_or_default();
        let available = world.all_gather(&own)?.iter().map(|bytes| bytes.parse().ok()).collect();
        Ok(Self { kernels, available, hosts })
    }

    /// Checks that hosts have the memory of a case.
    ///
    /// # Errors
    ///
    /// When a host has too little.
    pub fn check(&self, case: &Case) -> Result<(), String> {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for (rank, kernel) in self.kernels.iter().enumerate() {
            *sums.entry(kernel).or_default() += needed(case, rank);
        }
        for (rank, kernel) in self.kernels.iter().enumerate() {
            let (needed, host) = (sums[kernel.as_str()], &self.hosts[rank]);
            if let Some(available) =
                self.available[rank].filter(|&bytes| needed as f64 > MAX_SHARE * bytes as f64)
            {
                let [needed, available] =
                    [needed, available].map(|bytes| bytes as f64 / f64::from(1 << 30));
                return Err(format!(
                    "{case} needs {needed:.1} GiB on host {host}; {available:.1} GiB are \
                        available; choose smaller sizes"
                ));
            }
        }
        Ok(())
    }
}

/// The bytes that can be used on this host without swapping; `None` if unknown.
fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let entry = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(entry.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Request;

    fn case(routine: Routine, grids: &[&str]) -> Case {
        let grids = grids.iter().map(|grid| grid.parse().expect("a grid")).collect();
        let sizes = vec!["100000".parse().expect("a size")];
        let request = Request {
            routines: vec![routine],
            variants: Vec::new(),
            grids,
            sizes,
            blocks: vec![64],
        };
        request.cases(4).expect("cases")[0]
    }

    #[test]
    fn hosts_have_the_memory_of_all_their_ranks() {
        let names = |names: [&str; 4]| names.map(str::to_owned).to_vec();
        let two = case(Routine::Gemm, &["1x2"]);
        assert!(needed(&two, 0) > 3 * 8 * 100_000 * 50_000 && needed(&two, 2) == 0);
        let enough = 2 * (needed(&two, 0) + needed(&two, 1));
        let of = |kernels, available| Memory {
            kernels: names(kernels),
            available: vec![Some(available); 4],
            hosts: names(["a"; 4]),
        };
        assert_eq!(of(["x"; 4], enough).check(&two), Ok(()));
        assert_eq!(of(["x", "y", "x", "y"], enough / 2).check(&two), Ok(()));
        let error = of(["x"; 4], enough / 2).check(&two).expect_err("too little");
        assert!(error.contains("on host a") && error.contains("choose smaller sizes"), "{error}");
    }

    #[test]
    fn redistributions_need_memory_on_both_grids() {
        let both = case(Routine::Gemr2d, &["1x1", "1x2"]);
        assert!(needed(&both, 1) > 0 && needed(&both, 0) > needed(&both, 1));
    }
}
