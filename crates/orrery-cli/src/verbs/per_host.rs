//! The option `--ppn` of verbs that predict: some ranks of each host of a model.

use std::path::Path;

use clap::Args;
use orrery::model::Model;

use crate::context::Usage;

/// The number of ranks on each host.
#[derive(Debug, Clone, Copy, Args)]
pub struct PerHost {
    /// Number of ranks on each host: the first processors of each host of the model take part
    /// [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..))]
    ppn: Option<u16>,
}

impl PerHost {
    /// The model of a file, or of the first ranks of each of its hosts.
    pub fn of(self, model: Model, path: &Path) -> Result<Model, Usage> {
        let Some(ppn) = self.ppn else { return Ok(model) };
        let path = path.display();
        let advice =
            "measure with as many processes on each host as you want to predict, and fit again";
        model
            .with_ranks_per_host(ppn.into())
            .map_err(|error| Usage(format!("{path}: --ppn {ppn}: {error}; {advice}")))
    }
}
