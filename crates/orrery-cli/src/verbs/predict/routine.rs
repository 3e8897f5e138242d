//! `orrery predict MODEL pdgemm`: the times of calls of a parallel routine.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use orrery::model::{Availability, KernelChoice, Model, RoutinePredictor};
use orrery::platform::Placement;
use orrery::routine::{Grid, Routine, RoutineCall, RoutineCollectives};
use orrery::schedule::{Algorithm, AlgorithmError, CollectiveKind};
use orrery::units::NumberList;
use orrery_report::tables::{routine_critical_path, routine_predictions};

use super::kernel::dimension;
use crate::context::Usage;
use crate::output::{self, Format};
use crate::verbs::given;
use crate::verbs::kinds::Kinds;

/// The grids of `orrery predict MODEL pdgemm`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Parallel routine")]
pub struct RoutineQuery {
    /// Grids of processes, rows by columns, row by row on the processors of the model: 2x2,1x4
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = shape)]
    grid: Vec<[u32; 2]>,
    /// Algorithm of the broadcasts of panels, such as binomial (a tree), pipeline (a ring) or
    /// pipeline:64K (in segments) [default: a ring, as in ScaLAPACK]
    #[arg(long, value_name = "ALGORITHM", value_parser = broadcast)]
    broadcast: Option<Algorithm>,
    /// Rows and columns of a block of pdgemr2d after the copy [default: those of --block]
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    to_block: Option<NumberList>,
}

/// The dimensions, variant and kernels of a call, as they are given for kernels, too.
pub struct RoutineDimensions<'a> {
    pub m: Option<&'a NumberList>,
    pub n: Option<&'a NumberList>,
    pub k: Option<&'a NumberList>,
    pub block: Option<&'a NumberList>,
    pub variant: Option<&'a str>,
    pub kernels: KernelChoice,
    pub availability: Availability,
}

/// The largest number of predictions in one call.
pub(super) const MAX_PREDICTIONS: usize = 10_000;

/// The default block.
pub(super) const BLOCK: u64 = 64;

/// Parses the shape of a grid: `2x4`.
pub fn shape(text: &str) -> Result<[u32; 2], String> {
    let both = text
        .split_once('x')
        .and_then(|(p, q)| Some([p.trim().parse().ok()?, q.trim().parse().ok()?]));
    both.filter(|both| !both.contains(&0))
        .ok_or_else(|| "rows and columns are expected, such as 2x4".into())
}

/// Parses an algorithm of broadcasts.
fn broadcast(text: &str) -> Result<Algorithm, String> {
    let algorithm: Algorithm = text.parse().map_err(|error: AlgorithmError| error.to_string())?;
    let is_known = CollectiveKind::Broadcast.has(algorithm);
    if is_known { Ok(algorithm) } else { Err(format!("{algorithm} is no algorithm of broadcasts")) }
}

impl RoutineQuery {
    /// Returns true if a grid is given.
    pub fn is_given(&self) -> bool {
        !self.grid.is_empty() || self.broadcast.is_some() || self.to_block.is_some()
    }

    /// Refuses the option that applies to redistributions only.
    pub fn refuse_block_after(&self, subject: &str) -> Result<(), Usage> {
        match self.to_block {
            Some(_) => {
                Err(Usage(format!("--to-block applies to pdgemr2d only, and not to {subject}")))
            }
            None => Ok(()),
        }
    }

    /// Refuses the option that applies to routines with panels only.
    pub fn refuse_broadcast(&self, subject: &str) -> Result<(), Usage> {
        match self.broadcast {
            Some(_) => Err(Usage(format!(
                "--broadcast does not apply to {subject}, which broadcasts no panels"
            ))),
            None => Ok(()),
        }
    }

    /// The grids, and the blocks after a redistribution.
    pub fn parts(&self) -> (&[[u32; 2]], Option<&NumberList>) {
        (&self.grid, self.to_block.as_ref())
    }

    /// Prints a table of predictions.
    pub fn print(
        &self,
        (model, path): (&Model, &Path),
        routine: Routine,
        given: &RoutineDimensions,
        models: &Kinds,
        (is_explained, format): (bool, Format),
    ) -> anyhow::Result<()> {
        given::needs_communication(model, path)?;
        if self.grid.is_empty() {
            return Err(Usage(format!("{routine} needs --grid, such as 2x2")).into());
        }
        let place = || path.display().to_string();
        let (mut all, mut explained) = (Vec::new(), Vec::new());
        for kind in models.of(model) {
            let mut predictor = RoutinePredictor::new(model, kind).with_context(place)?;
            predictor = predictor.with_availability(given.availability.clone());
            if let Some(ring) = self.broadcast {
                predictor = predictor
                    .with_collectives(RoutineCollectives { ring, ..RoutineCollectives::default() });
            }
            for call in self.calls(routine, given)? {
                if is_explained {
                    let placement = Placement::identity(call.grid().processes() as usize);
                    explained.push(
                        predictor
                            .explain_on(&call, &placement, &given.kernels)
                            .with_context(place)?,
                    );
                } else {
                    all.push(predictor.predict(&call, &given.kernels).with_context(place)?);
                }
            }
        }
        if !is_explained {
            return output::print(&routine_predictions(&all), format);
        }
        all.extend(explained.iter().map(|(prediction, _)| prediction.clone()));
        output::print_all(&[routine_predictions(&all), routine_critical_path(&explained)], format)
    }

    /// All combinations of the grids, blocks and dimensions.
    fn calls(
        &self,
        routine: Routine,
        given: &RoutineDimensions,
    ) -> Result<Vec<RoutineCall>, Usage> {
        let blocks = whole("--block", given.block)?.unwrap_or_else(|| vec![BLOCK]);
        let dimensions = dimensions(routine, given)?;
        if self.grid.len() * blocks.len() * dimensions.len() > MAX_PREDICTIONS {
            return Err(Usage(format!(
                "there are more than {MAX_PREDICTIONS} combinations; give fewer"
            )));
        }
        let variant = given.variant.unwrap_or(routine.kind.variants()[0]);
        let mut calls = Vec::new();
        for &[rows, columns] in &self.grid {
            for &block in &blocks {
                for &dimensions in &dimensions {
                    let call = RoutineCall::new(
                        routine,
                        variant,
                        dimensions,
                        Grid { rows, columns, block },
                    );
                    calls.push(call.map_err(|error| Usage(error.to_string()))?);
                }
            }
        }
        Ok(calls)
    }
}

/// The values of a list of whole numbers; `None` if it is not given.
pub(super) fn whole(name: &str, list: Option<&NumberList>) -> Result<Option<Vec<u64>>, Usage> {
    let of =
        |list: &NumberList| list.as_slice().iter().map(|&value| dimension(name, value)).collect();
    list.map(of).transpose()
}

/// All combinations of the dimensions; m and k are n unless they are given.
pub fn dimensions(routine: Routine, given: &RoutineDimensions) -> Result<Vec<[u64; 3]>, Usage> {
    let lists = [("--m", given.m), ("--n", given.n), ("--k", given.k)];
    for ((name, list), exists) in lists.into_iter().zip(routine.kind.dimensions()) {
        if list.is_some() && !exists {
            return Err(Usage(format!("{name} does not apply to {routine}")));
        }
    }
    let n = whole("--n", given.n)?
        .ok_or_else(|| Usage(format!("{routine} needs --n, a list of dimensions")))?;
    let (m, k) = (whole("--m", given.m)?, whole("--k", given.k)?);
    let mut all = Vec::new();
    for n in n {
        for &m in m.as_deref().unwrap_or(&[n]) {
            all.extend(k.as_deref().unwrap_or(&[n]).iter().map(|&k| [m, n, k]));
        }
    }
    Ok(all)
}
