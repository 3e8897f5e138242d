//! Which runs to make next, so that the choice of a configuration becomes certain at the least cost.
//!
//! A model is as good as it needs to be when it names the best configuration; that takes far fewer runs than knowing every
//! coefficient well. [`Advisor`] holds a *belief*: the times of all points in question, jointly normal.
//!
//! 1. **Belief.** The time of a point is f = x·c + ε. The coefficients c have the covariance Σ of the fit, x are the terms
//!    of the slowest kind, and ε is how far this point lies from any smooth model, with variance τ²T̂² ([`Uncertainty`]).
//!    Of a point that was run n times with mean t̄, f = (1 − k)·x·c + k·t̄ + η with k = τ²/(τ² + σ²/n) and var η = k·σ²T̂²/n:
//!    what was measured counts as such. This is exact for linear models (best linear unbiased prediction; Robinson,
//!    "That BLUP is a good thing", 1991).
//! 2. **Which run.** A run of a point changes the covariance by rank one (Kalman 1960). For each decision, let b be the
//!    present choice, a another configuration, d = f̂_a − f̂_b and s² the variance of the difference: what is lost on average
//!    beyond the share δ that does not matter is s·Ψ((d + δ·f̂_b)/s), Ψ(z) = φ(z) − z·Φ(−z). The run that lowers the sum of
//!    these most for each second that it takes comes next, until the answer is certain or the budget is used. Source of the
//!    bound by pairs: Chick, Inoue, "New two-stage and sequential procedures for selecting the best simulated system"
//!    (2001); with correlated beliefs: Frazier, Powell, Dayanik, "The knowledge-gradient policy for correlated normal
//!    beliefs" (2009).
//! 3. **How sure.** Worlds are drawn from the belief: coefficients, cut off at 0, the slowest kind of each point anew,
//!    misfit of every point; the scales from few degrees of freedom are drawn too, as Student's distribution has it. In each
//!    world the advised runs are made and believed, the best is chosen, and what that loses is seen. The share of worlds
//!    whose choice is within δ of the best is the probability, the mean loss the expected loss, before and after each run.
//!
//! The belief is that of the model. Terms that the fit left out count as 0 for sure, and the misfit of configurations that
//! mix kinds is taken to be that of those that were measured: where no mixed one was, the probability is too high if the
//! terms do not hold there. Fit again after some runs, and ask again.

mod advisor;
mod belief;
mod error;
mod field;
mod place;
mod plan;
mod worlds;

pub use advisor::{AdviceOptions, Advisor, DecisionStatus};
pub use error::AdviceError;
pub use field::SearchSpace;
pub use plan::{Advice, AdvisedRun, StopReason};

#[cfg(doc)]
use super::Uncertainty;
