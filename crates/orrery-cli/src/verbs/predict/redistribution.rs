//! `orrery predict MODEL pdgemr2d`: the times of copies of a matrix from one grid of processes to
//! another one.

use std::path::Path;

use anyhow::Context as _;
use orrery::kernel::Precision;
use orrery::model::{Model, RoutinePredictor};
use orrery::routine::{Grid, RedistributionCall};
use orrery::units::NumberList;
use orrery_report::tables::redistribution_predictions;

use super::routine::{BLOCK, MAX_PREDICTIONS, shape, whole};
use crate::context::Usage;
use crate::output::{self, Format};
use crate::verbs::given;
use crate::verbs::kinds::Kinds;

/// The query: all combinations of the dimensions, grids and blocks.
pub struct Redistributions<'a> {
    pub precision: Precision,
    pub m: Option<&'a NumberList>,
    pub n: Option<&'a NumberList>,
    pub from: &'a [[u32; 2]],
    pub block: Option<&'a NumberList>,
    /// The grids after the copy, separated by commas.
    pub to: Option<&'a str>,
    pub to_block: Option<&'a NumberList>,
}

impl Redistributions<'_> {
    /// Prints a table of predictions.
    pub fn print(
        &self,
        (model, path): (&Model, &Path),
        models: &Kinds,
        format: Format,
    ) -> anyhow::Result<()> {
        given::needs_communication(model, path)?;
        let place = || path.display().to_string();
        let calls = self.calls()?;
        let mut all = Vec::new();
        for kind in models.of(model) {
            let mut predictor = RoutinePredictor::new(model, kind).with_context(place)?;
            for call in &calls {
                all.push(predictor.predict_redistribution(call).with_context(place)?);
            }
        }
        output::print(&redistribution_predictions(&all), format)
    }

    /// All combinations; m is n, and the blocks after the copy are those before, unless they are
    /// given.
    fn calls(&self) -> Result<Vec<RedistributionCall>, Usage> {
        let name = RedistributionCall::name(self.precision);
        let (false, Some(to)) = (self.from.is_empty(), self.to) else {
            return Err(Usage(format!(
                "{name} needs --grid and --to, the grids before and after: --grid 2x2 --to 1x4"
            )));
        };
        let to = to
            .split(',')
            .map(|text| shape(text).map_err(|why| Usage(format!("--to {text}: {why}"))));
        let to = to.collect::<Result<Vec<_>, _>>()?;
        let n = whole("--n", self.n)?
            .ok_or_else(|| Usage(format!("{name} needs --n, a list of dimensions")))?;
        let m = whole("--m", self.m)?;
        let blocks = whole("--block", self.block)?.unwrap_or_else(|| vec![BLOCK]);
        let blocks_after = whole("--to-block", self.to_block)?;
        let lengths = [self.from.len(), to.len(), n.len(), blocks.len()];
        let optional = [&m, &blocks_after].map(|list| list.as_ref().map_or(1, Vec::len));
        let count = lengths.into_iter().chain(optional).fold(1, usize::saturating_mul);
        if count > MAX_PREDICTIONS {
            return Err(Usage(format!(
                "there are more than {MAX_PREDICTIONS} combinations; give fewer"
            )));
        }
        let mut calls = Vec::new();
        for (from, to) in self.from.iter().flat_map(|from| to.iter().map(move |to| (from, to))) {
            for &block in &blocks {
                for &block_after in blocks_after.as_deref().unwrap_or(&[block]) {
                    let grid = |&[rows, columns]: &[u32; 2], block| Grid { rows, columns, block };
                    let grids = [grid(from, block), grid(to, block_after)];
                    for (m, n) in n.iter().flat_map(|n| {
                        m.as_deref().unwrap_or(&[*n]).iter().map(|m| (*m, *n)).collect::<Vec<_>>()
                    }) {
                        let call =
                            RedistributionCall::new(self.precision, [m, n], grids[0], grids[1]);
                        calls.push(call.map_err(|error| Usage(error.to_string()))?);
                    }
                }
            }
        }
        Ok(calls)
    }
}
