//! Search for the best configuration of a cluster: elements that take part, processes on each, grid
//! and block size.
//!
//! A cluster has n_k elements of kind k, of which a_k take part with m_k processes each, 1 ≤ m_k ≤
//! M_k; a kind may be left out. The number of processes is P = Σ a_k·m_k, the time T = max T_k(m_k,
//! layout) over the kinds that take part. There are Π (1 + n_k·M_k) − 1 selections, each with every
//! grid of P and every block size. The search minimizes the time, the core-hours T·Σ a_k or the
//! cost T·Σ a_k·price_k, subject to a deadline and to the memory of the hosts.
//!
//! [`Search::best`] finds the optimum by branch and bound, without enumerating selections:
//!
//! 1. In one layout, T takes at most Σ M_k values. For each value τ, the options (k, m) with a time
//!    of at most τ remain. A lower bound of Σ a_k·weight_k for P processes follows by linear
//!    relaxation: the kinds with the lowest weight per process take as many processes as they can,
//!    on fractions of elements.
//! 2. Nodes (layout, τ) are expanded in the order of these bounds. A bit set of attainable process
//!    counts decides whether a node is feasible; a dynamic program over the kinds then gives the
//!    least Σ a_k·weight_k.
//! 3. If the next bound is above the incumbent, the incumbent is the optimum. [`OptimalityProof`]
//!    records the bound.
//!
//! A configuration with a known time ([`Search::known`]), such as a measured one, counts with that
//! time. The dynamic program then finds the best of the others: the set of selections without those
//! with known times is partitioned until the least Σ a_k·weight_k belongs to none of them (Lawler
//! 1972).
//!
//! Ties are broken by the shorter time, then by fewer elements, then by the order of
//! [`Layout`](super::Layout), then by fewer elements and fewer processes on each of the first kind
//! that differs. Prices are integers in billionths, so that their sums are exact.
//!
//! A selection fits in memory if its elements can be placed on hosts such that the processes of
//! each host need at most its memory, see [`Kind::room`](orrery_cluster::platform::Kind::room).

mod bounds;
mod branch_and_bound;
mod dynamic_program;
mod optimum;
mod problem;
mod solution;
mod space;

pub use optimum::{Optimum, Ranking, RankingScope};
pub use problem::{Grids, GridsError, KnownTime, Objective, Search, matrix_bytes};
pub use solution::{Candidate, OptimalityProof};
pub use space::SearchSpace;
