use serde::{Deserialize, Serialize};

use super::routine::{check_count, or_block};
use super::{RequestError, kinds};
use crate::kernel::Precision;
use crate::model::{Model, ModelKind, RedistributionPrediction, RoutinePredictor};
use crate::routine::{Grid, RedistributionCall};

/// The times of copies of a matrix from one grid of processes to another one: all combinations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedistributionRequest {
    /// The precision of the elements, as the letter of the routine.
    pub precision: Precision,
    /// The kinds of models; all for an empty list.
    #[serde(default)]
    pub models: Vec<ModelKind>,
    /// Rows of the matrix; n by default.
    #[serde(default)]
    pub m: Vec<u64>,
    /// Columns of the matrix.
    pub n: Vec<u64>,
    /// The grids before the copy.
    pub grids: Vec<[u32; 2]>,
    /// The grids after the copy.
    pub to: Vec<[u32; 2]>,
    /// Rows and columns of a block before the copy; 64 by default.
    #[serde(default)]
    pub blocks: Vec<u64>,
    /// Rows and columns of a block after the copy; those before by default.
    #[serde(default)]
    pub to_blocks: Vec<u64>,
}

impl RedistributionRequest {
    /// Returns the calls.
    ///
    /// # Errors
    ///
    /// When n or a grid is missing, or when a copy is impossible.
    pub fn calls(&self) -> Result<Vec<RedistributionCall>, RequestError> {
        let name = RedistributionCall::name(self.precision);
        let needed =
            [("n", self.n.is_empty()), ("grid", self.grids.is_empty()), ("to", self.to.is_empty())];
        let missing = needed.into_iter().filter(|(_, is_missing)| *is_missing);
        let fields: Vec<&str> = missing.map(|(field, _)| field).collect();
        if !fields.is_empty() {
            let content = if self.n.is_empty() { "such as 1000 and 2x2" } else { "such as 2x2" };
            return Err(RequestError::Missing { fields, subject: name, content });
        }
        let blocks = or_block(&self.blocks);
        let optional = [&self.m, &self.to_blocks].map(|list| list.len().max(1));
        let lengths = [self.grids.len(), self.to.len(), self.n.len(), blocks.len()];
        check_count(lengths.into_iter().chain(optional))?;
        let or = |values: &[u64], default: u64| {
            if values.is_empty() { vec![default] } else { values.to_vec() }
        };
        let grid = |&[rows, columns]: &[u32; 2], block| Grid { rows, columns, block };
        let mut calls = Vec::new();
        for (from, to) in
            self.grids.iter().flat_map(|from| self.to.iter().map(move |to| (from, to)))
        {
            for &block in &blocks {
                for block_after in or(&self.to_blocks, block) {
                    let grids = [grid(from, block), grid(to, block_after)];
                    for &n in &self.n {
                        for m in or(&self.m, n) {
                            let [from, to] = grids;
                            calls.push(RedistributionCall::new(self.precision, [m, n], from, to)?);
                        }
                    }
                }
            }
        }
        Ok(calls)
    }

    /// Returns a prediction for each kind of model and call.
    ///
    /// # Errors
    ///
    /// As [`RedistributionRequest::calls`], and when the model lacks processors.
    pub fn answers(&self, model: &Model) -> Result<Vec<RedistributionPrediction>, RequestError> {
        let (kinds, calls) = (kinds(&self.models, model)?, self.calls()?);
        let mut all = Vec::with_capacity(kinds.len() * calls.len());
        for kind in kinds {
            let mut predictor = RoutinePredictor::new(model, kind)?;
            for call in &calls {
                all.push(predictor.predict_redistribution(call)?);
            }
        }
        Ok(all)
    }
}
