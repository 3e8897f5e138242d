//! The covariance of errors of models in collective operations, as estimated on clusters of other
//! kinds for the model `ports`: 10 to 32 ranks and 1 to 256 KiB.

use std::mem::discriminant;

use super::MeasuredError;
use crate::model::{CollectiveAlgorithm, Query};
use orrery_base::units::Bytes;
use orrery_cluster::platform::Processor;
use orrery_program::schedule::{Algorithm, CollectiveKind};

/// The degrees of freedom of errors before any is measured: clusters differ in how well models fit
/// them.
pub(super) const DEGREES: f64 = 4.0;

/// A part of the errors: its variance, and the difference of log₂ of sizes at which its correlation
/// falls to 1/e.
struct Part {
    variance: f64,
    sizes: f64,
}

/// The part that all operations have in common.
const COMMON: Part = Part { variance: 0.01, sizes: 2.07 };

/// The part of operations whose data go the same way.
const WAY: Part = Part { variance: 0.0017, sizes: 12.5 };

/// The part of an algorithm for all operations whose data go the same way.
const ALGORITHM: Part = Part { variance: 0.0252, sizes: 3.69 };

/// The part of an algorithm of one operation.
const OPERATION: Part = Part { variance: 0.0171, sizes: 2.06 };

/// The variance of a single size.
const SIZE_VARIANCE: f64 = 0.0001;

/// The correlation of the parts of an algorithm for two roots.
const ROOTS: f64 = 0.925;

/// The difference of log₂ of the numbers of processors at which the correlation falls to 1/e.
const PROCESSORS: f64 = 4.48;

/// The factor of the errors of algorithms in which a rank exchanges messages with all others, along
/// trees, and over growing distances, relative to those with one partner after the other.
const AMPLITUDES: [f64; 3] = [0.845, 0.765, 0.839];

/// The logarithm of the factor of errors for each factor of 1,024 in the size.
const GROWTH: f64 = 0.399;

/// The range of log₂ of the size, beyond which errors count as those at its ends.
const SIZES: (f64, f64) = (6.0, 20.0);

/// Where the data of an operation go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// From the root.
    Out,
    /// To the root.
    In,
    /// From all to all.
    All,
}

/// The features of an operation on which its error depends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    algorithm: CollectiveAlgorithm,
    way: Way,
    root: Processor,
    procs: usize,
    size: Bytes,
    /// log₂ of the size and of the number of processors.
    logarithms: (f64, f64),
}

impl Place {
    /// The features of a measured operation.
    pub(super) fn of(one: &MeasuredError) -> Self {
        Self::new(one.algorithm, one.root, one.procs, one.size)
    }

    /// The features of a query; `None` if it is no collective operation with an algorithm.
    pub(super) fn of_query(query: &Query) -> Option<Self> {
        let Query::Experiment(experiment) = query else { return None };
        let algorithm = CollectiveAlgorithm::of(experiment)?;
        Some(Self::new(algorithm, query.root(), query.procs(), query.size()))
    }

    fn new(algorithm: CollectiveAlgorithm, root: Processor, procs: usize, size: Bytes) -> Self {
        let way = match algorithm.operation {
            CollectiveKind::Scatter | CollectiveKind::Broadcast => Way::Out,
            CollectiveKind::Gather | CollectiveKind::Reduce => Way::In,
            _ => Way::All,
        };
        let of_size = (size.get().max(1) as f64).log2().clamp(SIZES.0, SIZES.1);
        let logarithms = (of_size, (procs.max(1) as f64).log2());
        Self { algorithm, way, root, procs, size, logarithms }
    }

    /// Returns true for the same operation.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (self.algorithm, self.root, self.procs, self.size)
            == (other.algorithm, other.root, other.procs, other.size)
    }

    /// The covariance of the errors of two operations.
    pub(super) fn covariance(&self, other: &Self) -> f64 {
        // A library and Orrery's own messages, or two libraries, have nothing in common but names.
        if self.algorithm.library != other.algorithm.library {
            return 0.0;
        }
        let sizes = (self.logarithms.0 - other.logarithms.0).abs();
        let processors = (self.logarithms.1 - other.logarithms.1).abs();
        let of = |part: Part| part.variance * (-sizes / part.sizes).exp();
        let roots = if self.root == other.root { 1.0 } else { ROOTS };
        let is_same_algorithm =
            discriminant(&self.algorithm.algorithm) == discriminant(&other.algorithm.algorithm);
        let mut sum = of(COMMON);
        if self.way == other.way {
            sum += of(WAY);
            if is_same_algorithm {
                sum += roots * of(ALGORITHM);
            }
        }
        if is_same_algorithm && self.algorithm.operation == other.algorithm.operation {
            sum += roots * of(OPERATION);
        }
        sum *= (-processors / PROCESSORS).exp();
        if self.is_same(other) {
            sum += SIZE_VARIANCE;
        }
        sum * self.amplitude() * other.amplitude()
    }

    /// The factor of the errors of an algorithm at a size.
    fn amplitude(&self) -> f64 {
        let [of_linear, of_trees, of_distances] = AMPLITUDES;
        let of_algorithm = match self.algorithm.algorithm {
            Algorithm::Linear | Algorithm::LinearNonblocking | Algorithm::LinearSync => of_linear,
            Algorithm::Binomial
            | Algorithm::Binary(_)
            | Algorithm::SplitBinary(_)
            | Algorithm::InOrderBinary(_)
            | Algorithm::KNomial(..)
            | Algorithm::Tree => of_trees,
            Algorithm::Ring
            | Algorithm::Pairwise
            | Algorithm::Chain(..)
            | Algorithm::Pipeline(_)
            | Algorithm::SegmentedRing(_)
            | Algorithm::NeighborExchange
            | Algorithm::DoubleRing
            | Algorithm::ExclusiveOr => 1.0,
            _ => of_distances,
        };
        of_algorithm * (GROWTH * (self.logarithms.0 - 13.0) / 10.0).exp()
    }
}
