use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::{
    AlgorithmSelection, RequestError, check_answers, check_ends, check_rank, kinds, procs,
    request_of,
};
use crate::budget::Budget;
use crate::comm::Predicted;
use crate::model::{CollectiveAlgorithm, Model, ModelKind, Prediction, Predictor, Query};
use crate::platform::Processor;
use crate::sample::Library;
use crate::schedule::CollectiveKind;
use crate::units::Bytes;

/// The times of messages between two processors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MessageRequest {
    /// The kinds of models; all for an empty list.
    pub models: Vec<ModelKind>,
    /// The sender.
    pub from: Processor,
    /// The receiver.
    pub to: Processor,
    /// The sizes of the messages.
    pub sizes: Vec<Bytes>,
}

impl Default for MessageRequest {
    fn default() -> Self {
        let (from, to) = (Processor(0), Processor(1));
        Self { models: Vec::new(), from, to, sizes: Vec::new() }
    }
}

impl MessageRequest {
    /// Returns the queries.
    ///
    /// # Errors
    ///
    /// When the model has no such processors, when they are the same, or without sizes.
    pub fn queries(&self, model: &Model) -> Result<Queries, RequestError> {
        let Self { from, to, .. } = *self;
        let kinds = kinds(&self.models, model)?;
        check_ends(from, to, model.processors())?;
        let sizes = given(&self.sizes, "p2p")?;
        Queries { kinds, queries: vec![SizedQuery::Message { from, to }], sizes }.within_budget()
    }
}

/// The times of a collective operation by several algorithms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectiveRequest {
    /// The operation.
    pub operation: CollectiveKind,
    /// The kinds of models; all for an empty list.
    #[serde(default)]
    pub models: Vec<ModelKind>,
    /// The MPI library whose calls are predicted; `None` for messages of Orrery.
    #[serde(default)]
    pub library: Option<Library>,
    /// The algorithms.
    #[serde(default)]
    pub algorithms: AlgorithmSelection,
    /// The root; rank 0 by default.
    pub root: Option<Processor>,
    /// The number of processors that take part; all by default.
    pub procs: Option<usize>,
    /// The sizes of the block of one processor, or of the vector of bcast, reduce, allreduce and
    /// scans.
    #[serde(default)]
    pub sizes: Vec<Bytes>,
}

impl CollectiveRequest {
    /// The request for an operation of all processors with root 0.
    pub fn new(operation: CollectiveKind) -> Self {
        Self {
            operation,
            models: Vec::new(),
            library: None,
            algorithms: AlgorithmSelection::default(),
            root: None,
            procs: None,
            sizes: Vec::new(),
        }
    }

    /// Returns the queries.
    ///
    /// # Errors
    ///
    /// When the model has no such processors, when the operation has no such algorithms, no root or
    /// no size, or without sizes.
    pub fn queries(&self, model: &Model) -> Result<Queries, RequestError> {
        let Self { operation, library, .. } = *self;
        let kinds = kinds(&self.models, model)?;
        let procs = procs(self.procs, model.processors())?;
        if self.root.is_some() && !operation.has_root() {
            return Err(RequestError::inapplicable("root", operation));
        }
        let root = self.root.unwrap_or(Processor(0));
        check_rank("root", root, procs)?;
        let algorithms = match library {
            None => self.algorithms.of(operation, procs)?,
            Some(library) => self.algorithms.of_library(library, operation, procs)?,
        };
        let sizes = collective_sizes(operation, &self.sizes)?;
        let query = |algorithm| SizedQuery::Collective {
            algorithm: CollectiveAlgorithm { operation, library, algorithm },
            root,
            procs,
        };
        let queries = algorithms.into_iter().map(query).collect();
        Queries { kinds, queries, sizes }.within_budget()
    }
}

/// Returns the sizes of an operation; barriers have none, and all others need some.
pub(super) fn collective_sizes(
    operation: CollectiveKind,
    sizes: &[Bytes],
) -> Result<Vec<Bytes>, RequestError> {
    if operation != CollectiveKind::Barrier {
        given(sizes, operation.name())
    } else if sizes.is_empty() {
        Ok(vec![Bytes::ZERO])
    } else {
        Err(RequestError::inapplicable("sizes", operation))
    }
}

/// Returns the sizes; an error without any, which names the subject that needs them.
fn given(sizes: &[Bytes], subject: &str) -> Result<Vec<Bytes>, RequestError> {
    if sizes.is_empty() {
        return Err(RequestError::missing("sizes", subject, "such as 1K..1M"));
    }
    Ok(sizes.to_vec())
}

/// A query without its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizedQuery {
    /// A message.
    Message {
        /// The sender.
        from: Processor,
        /// The receiver.
        to: Processor,
    },
    /// A collective operation.
    Collective {
        /// The operation and its algorithm.
        algorithm: CollectiveAlgorithm,
        /// The root.
        root: Processor,
        /// The number of processors.
        procs: usize,
    },
}

impl SizedQuery {
    /// The query for a size.
    pub fn of_size(self, size: Bytes) -> Query {
        match self {
            Self::Message { from, to } => Query::PointToPoint { from, to, size },
            Self::Collective { algorithm, root, procs } => {
                Query::Experiment(algorithm.experiment(root, procs, size))
            }
        }
    }
}

/// The checked queries of a request: each kind of model predicts each query at each size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queries {
    /// The kinds of models.
    pub kinds: Vec<ModelKind>,
    /// The queries.
    pub queries: Vec<SizedQuery>,
    /// The sizes.
    pub sizes: Vec<Bytes>,
}

/// A prediction, and the terms of its time along the critical path.
pub type Answer = (Prediction, Predicted);

impl Queries {
    /// Returns the queries if their predictions take no more operations than an input may request.
    fn within_budget(self) -> Result<Self, RequestError> {
        /// The operations of the shortest prediction, with its interval.
        const MIN_OPERATIONS: u64 = 100;
        let count = check_answers(
            [self.kinds.len(), self.queries.len(), self.sizes.len()],
            "prediction",
            MIN_OPERATIONS,
        )?;
        let of_size = |query: SizedQuery| {
            self.sizes.iter().map(move |&size| query.of_size(size).operations().max(MIN_OPERATIONS))
        };
        let all = self.queries.iter().flat_map(|&query| of_size(query));
        let all = all.fold(0, u64::saturating_add).saturating_mul(self.kinds.len() as u64);
        Budget::of_input(0).check_operations(request_of(count, "prediction"), all)?;
        Ok(self)
    }

    /// Returns all predictions: by kind of model, then by query, then by size.
    ///
    /// # Errors
    ///
    /// When the model does not contain a kind.
    pub fn answers(&self, model: &Model) -> Result<Vec<Answer>, RequestError> {
        let mut all = Vec::new();
        self.for_each(model, |answer| {
            all.push(answer);
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// Passes each prediction on, in the order of [`Queries::answers`], until `each` breaks.
    ///
    /// # Errors
    ///
    /// As [`Queries::answers`].
    pub fn for_each(
        &self,
        model: &Model,
        mut each: impl FnMut(Answer) -> ControlFlow<()>,
    ) -> Result<(), RequestError> {
        for &kind in &self.kinds {
            let mut predictor = Predictor::new(model, kind)?;
            for query in &self.queries {
                for &size in &self.sizes {
                    if each(predictor.explain(&query.of_size(size))?).is_break() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}
