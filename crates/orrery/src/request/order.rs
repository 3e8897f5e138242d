use serde::{Deserialize, Serialize};

use super::message::collective_sizes;
use super::{AlgorithmSelection, RequestError, check_rank, kinds, procs, request_of};
use crate::budget::Budget;
use crate::collective::{Order, order, order_operations};
use crate::model::{Model, ModelKind};
use crate::platform::Processor;
use crate::schedule::{Algorithm, Collective, CollectiveKind, Rank};
use crate::units::Bytes;

/// The order of the processors in the tree of a collective operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderRequest {
    /// The operation.
    pub operation: CollectiveKind,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The kinds of models; all for an empty list.
    #[serde(default)]
    pub models: Vec<ModelKind>,
    /// The root, whose processor stays; rank 0 by default.
    pub root: Option<Processor>,
    /// The number of processors that take part; all by default.
    pub procs: Option<usize>,
    /// The sizes of the block of one processor, or of the vector; barriers have none.
    #[serde(default)]
    pub sizes: Vec<Bytes>,
}

/// The order that one model finds for an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectiveOrder {
    /// The model.
    pub model: ModelKind,
    /// The operation.
    pub collective: Collective,
    /// The order with its times.
    pub found: Order,
}

impl OrderRequest {
    /// Returns the orders, by kind of model, then by size.
    ///
    /// # Errors
    ///
    /// When a field does not fit the model or the other fields.
    pub fn orders(&self, model: &Model) -> Result<Vec<CollectiveOrder>, RequestError> {
        let Self { operation, algorithm, .. } = *self;
        let kinds = kinds(&self.models, model)?;
        let ranks = procs(self.procs, model.processors())?;
        if self.root.is_some() && !operation.has_root() {
            return Err(RequestError::inapplicable("root", operation));
        }
        let root = self.root.unwrap_or(Processor(0));
        check_rank("root", root, ranks)?;
        let runs = AlgorithmSelection::single(algorithm).of(operation, ranks);
        runs.map_err(|error| error.of_field("algorithm"))?;
        let sizes = collective_sizes(operation, &self.sizes)?;
        let collective = |&block: &Bytes| {
            let root = Rank(root.0);
            Collective { kind: operation, algorithm, root, ranks, block }
        };
        let searches = kinds.len() * sizes.len();
        let each = sizes.iter().map(|size| order_operations(&collective(size), searches));
        let all = each.fold(0, u64::saturating_add).saturating_mul(kinds.len() as u64);
        let what = request_of(searches as u64, "order");
        Budget::of_input(0).check_operations(what, all)?;
        let mut rows = Vec::new();
        for kind in kinds {
            for size in &sizes {
                let collective = collective(size);
                let found = order(model, kind, &collective, searches)?;
                rows.push(CollectiveOrder { model: kind, collective, found });
            }
        }
        Ok(rows)
    }
}
