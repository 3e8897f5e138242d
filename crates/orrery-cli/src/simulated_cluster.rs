//! The simulated machine of the command line: a cluster whose parameters are those of a model file.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use orrery::machine::Machine;
use orrery::model::{ModelKind, file};
use orrery::sharing::LawKind;
use orrery::simulated_cluster::{Options, SimulatedCluster, SimulatedClusterError};
use orrery::units::UnknownName;

use crate::context::{Usage, warn};

/// The specification of a simulated machine: `FILE[,model=KEY][,sharing=LAW][,noise=σ][,seed=N]`.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedSpec {
    file: PathBuf,
    model: Option<ModelKind>,
    sharing: Option<&'static LawKind>,
    /// The standard deviation of the noise.
    noise: f64,
    seed: u64,
}

/// The largest standard deviation of the noise.
const MAX_NOISE: f64 = 10.0;

impl FromStr for SimulatedSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let file = parts
            .next()
            .filter(|file| !file.is_empty())
            .ok_or("sim: needs a model file, as in sim:model.json")?;
        let (mut model, mut sharing, mut noise, mut seed) = (None, None, 0.0, 1);
        for part in parts {
            let (key, value) = part.split_once('=').ok_or_else(|| {
                format!("{part:?} is not of the form key=value, as in noise=0.05")
            })?;
            match key {
                "model" => {
                    model = Some(value.parse().map_err(|error: UnknownName| error.to_string())?);
                }
                "sharing" => {
                    sharing = Some(LawKind::from_name(value).map_err(|error| error.to_string())?);
                }
                "noise" => {
                    noise = value
                        .parse()
                        .ok()
                        .filter(|noise: &f64| (0.0..=MAX_NOISE).contains(noise))
                        .ok_or("noise is a standard deviation from 0 to 10, such as 0.05")?;
                }
                "seed" => {
                    seed = value
                        .parse()
                        .map_err(|_| "seed is a whole number, as in seed=1".to_owned())?
                }
                _ => {
                    return Err(format!(
                        "unknown option {key:?} of sim; known are model, sharing, noise and seed"
                    ));
                }
            }
        }
        Ok(Self { file: file.into(), model, sharing, noise, seed })
    }
}

impl SimulatedSpec {
    /// Starts the machine; `launch` is the number of the launch, `interrupt` stops a running batch.
    pub fn start(
        &self,
        launch: u32,
        interrupt: Arc<AtomicBool>,
    ) -> anyhow::Result<Box<dyn Machine>> {
        let loaded = file::read(&self.file)?;
        loaded.warnings.iter().for_each(warn);
        // Each launch has different noise.
        let seed = self.seed.wrapping_add(u64::from(launch) << 32);
        let (noise, interrupt) = (self.noise, Some(interrupt));
        let options = Options { kind: self.model, sharing: self.sharing, noise, seed, interrupt };
        let file = self.file.display();
        match SimulatedCluster::new(&loaded.model, &file.to_string(), options) {
            Ok(machine) => Ok(Box::new(machine)),
            Err(SimulatedClusterError::SeveralModels(several)) => {
                let words = several.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
                Err(Usage(format!(
                    "{file}: there are several models; choose one with sim:{file},model=KEY, where \
                        KEY is one of {words}"
                ))
                .into())
            }
            Err(error) => Err(anyhow::Error::new(error).context(file.to_string())),
        }
    }
}
