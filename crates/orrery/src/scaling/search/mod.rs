//! The best configuration of a cluster: which of its elements take part, with how many processes, grid and block size.
//!
//! Of kind k there are n_k elements, and a_k of them take part with m_k processes each, 1 ≤ m_k ≤ M_k; a kind may be left
//! out. The number of processes is P = Σ a_k·m_k, the time T = max T_k(m_k, layout) over the kinds that take part, so
//! there are Π (1 + n_k·M_k) − 1 selections, each with every grid of P and every block size. Sought is the selection and
//! layout with the least time, the fewest core-hours T·Σ a_k or the lowest cost T·Σ a_k·price_k, within a deadline and
//! the memory of the hosts.
//!
//! [`Search::best`] finds it exactly, without looking at selections one by one:
//!
//! 1. In one layout, T can only be one of the at most Σ M_k times of an element. For each such time τ, those choices
//!    (k, m) are left whose time is at most τ, and the least possible Σ a_k·weight_k for P processes is bounded by letting
//!    the kinds with the lowest weight per process take as many as they have room for, in fractions if need be.
//! 2. The pairs (layout, τ) are taken in the order of these bounds. For each, a bit set of the numbers of processes that
//!    can be reached tells whether P can be; if so, a dynamic programme over the kinds gives the least Σ a_k·weight_k.
//! 3. When the next bound is above the best that was found, that is the optimum: [`Proof`] says what it rests on.
//!
//! Where two configurations are equally good, the one with the shorter time is taken, then the one with fewer elements,
//! then the first in the order of [`Layout`](super::Layout), then the one with fewer elements, then fewer processes on
//! each, of the first kind in which they differ. Prices count in billionths, so that sums of them are exact.
//!
//! Memory: a selection fits when its elements can be put on hosts so that the processes of each host need no more than
//! its memory, see [`Kind::room`](crate::platform::Kind::room).

mod best;
mod candidate;
mod choices;
mod error;
mod exhaustive;
mod least;
mod levels;
mod memory;
mod objective;
mod problem;
mod proof;
mod reach;
mod run;

pub use best::{Optimum, Ranking, RankingScope};
pub use candidate::Candidate;
pub use error::SearchError;
pub use memory::matrix_bytes;
pub use objective::Objective;
pub use problem::{Grids, Search};
pub use proof::OptimalityProof;
