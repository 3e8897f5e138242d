//! A fitted model as a machine: campaigns on a cluster whose true parameters are known.
//!
//! ```
//! use orrery_models::comm::Lmo;
//! use orrery_measure::machine::Machine;
//! use orrery_models::model::{Model, ModelKind};
//! use orrery_base::numeric::Estimate;
//! use orrery_cluster::platform::PerPair;
//! use orrery_models::simulated_cluster::{Options, SimulatedCluster};
//! let lmo = Lmo {
//!     fixed_delay: vec![Estimate::exact(10e-6); 3],
//!     byte_delay: vec![Estimate::exact(1e-9); 3],
//!     link_latency: Some(PerPair::from_fn(3, |_, _| Estimate::exact(20e-6))),
//!     link_byte_delay: PerPair::from_fn(3, |_, _| Estimate::exact(8e-9)),
//! };
//! let model = Model { hosts: vec![String::new(); 3], ..Model::default() }.with(ModelKind::Lmo, &lmo);
//! let machine = SimulatedCluster::new(&model, "truth.json", Options { noise: 0.02, ..Options::default() })?;
//! assert_eq!(machine.provenance().get("truth"), Some("truth.json,model=lmo"));
//! # Ok::<(), orrery_models::simulated_cluster::SimulatedClusterError>(())
//! ```

mod flows;
mod law;
mod machine;
mod thresholds;

pub use machine::{Options, SimulatedCluster, SimulatedClusterError};
