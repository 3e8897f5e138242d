//! Experiment design: which runs to make next so that the best configuration is known with
//! confidence at the least cost.
//!
//! The model only has to be accurate enough to identify the best configuration, which takes far
//! fewer runs than accurate coefficients. [`Advisor`] holds a posterior: the times of all candidate
//! points, jointly normal.
//!
//! 1. **Posterior.** The time of a point is f = x·c + ε. The coefficients c have the covariance Σ
//!    of the fit, x are the terms of the slowest kind, and ε is the lack of fit of this point, with
//!    variance τ²T̂² ([`Uncertainty`]). For a point with n runs of median t̄, f = (1 − k)·x·c +
//!    k·t̄ + η with k = τ²/(τ² + σ²/n) and var η = k·σ²T̂²/n. This is the best linear unbiased
//!    prediction (Robinson, "That BLUP is a good thing", 1991); τ² of the point takes its own runs
//!    into account. Mixes of kinds, and alternative sums of terms, add covariance that points have
//!    in common. The choice is the first of the search that all choices use
//!    ([`SearchSpace`](super::search::SearchSpace)).
//! 2. **Value of a run.** A run changes the covariance by rank one (Kalman 1960). For each
//!    decision, let b be the current choice, a another configuration, d = f̂_a − f̂_b and s² the
//!    variance of the difference. The expected loss beyond the tolerance δ is s·Ψ((d + δ·f̂_b)/s),
//!    Ψ(z) = φ(z) − z·Φ(−z). The run with the largest reduction of the summed losses per second
//!    comes next, until the decisions are certain or the budget is used. Source of the pairwise
//!    bound: Chick, Inoue, "New two-stage and sequential procedures for selecting the best
//!    simulated system" (2001); with correlated beliefs: Frazier, Powell, Dayanik, "The
//!    knowledge-gradient policy for correlated normal beliefs" (2009).
//! 3. **Probability of a correct choice.** Monte Carlo draws from the posterior: coefficients,
//!    truncated at 0, the slowest kind of each point, the lack of fit of every point, with Student
//!    scales for few degrees of freedom. In each draw the advised runs are simulated, the posterior
//!    is updated and the best configuration is chosen. The share of draws whose choice is within δ
//!    of the true best is the probability, the mean loss is the expected loss.
//!
//! 4. **End.** A plan ends where the expected saving of the production runs exceeds the cost of the
//!    runs by the largest amount, if decisions are not certain before. With the expected loss E in
//!    seconds and the number of uses u, the saving of runs is u·(E before − E after).
//!
//! Kinds that are never the slowest of their runs have no known cost: plans then consist of a run
//! of each alone ([`Advice::new`]).
//!
//! The probabilities are conditional on the model. Terms that the fit left out count as exactly 0,
//! and configurations that mix kinds are assumed to have the lack of fit of the measured ones. If
//! no mixed configuration was measured, the probability can be too high: a choice of a mix is then
//! not certain, and the plan begins with a mixed run. Refit after some runs and ask again.

mod advisor;
mod draws;
mod identify;
mod plan;
mod posterior;
mod search_space;

pub use advisor::{AdviceOptions, Advisor, DecisionStatus};
pub use plan::{Advice, AdvisedRun, Outlook, PlanLimits, StopReason};

#[cfg(doc)]
use super::Uncertainty;
