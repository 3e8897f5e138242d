//! Weighted max-min fairness with bounds.
//!
//! A flow f of rate ρ_f takes w·ρ_f of the capacity of each link that it uses; w is 1 on its way and may be a fraction
//! elsewhere (acknowledgements). Its *level* is λ_f = φ_f·ρ_f, where φ_f (its round trip, or 1) says how much of a
//! contested link it gets: rates on one link are as 1/φ. The allocation is the only one in which every flow has its
//! bound or crosses a saturated link on which no other flow has a higher level.
//!
//! Source: D. Bertsekas, R. Gallager, *Data Networks*, 1992, section 6.5.2; the weights are those of SimGrid.
//!
//! [`progressive_filling`] says it in the plainest way, from nothing; [`MaxMin`] keeps an allocation up to date.

mod demand;
mod filling;
mod link;
mod solver;

pub use demand::Demand;
pub use filling::progressive_filling;
pub use solver::MaxMin;
