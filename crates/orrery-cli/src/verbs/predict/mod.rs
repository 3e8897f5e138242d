mod application;
mod collective;
mod routine;
mod subject;

use std::path::PathBuf;

use clap::Args;

pub use self::routine::shape;
use self::subject::Subject;
pub use self::subject::is_subject;
use crate::output::Format;
use crate::verbs::kinds::{self, Kinds};

/// Arguments of `orrery predict`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery predict bcast model.json --size 1K..1M --segments 8K,64K
  orrery predict bcast model.json --size 1K..1M --library ompi --algorithms binomial
  orrery predict dgemm model.json --m 1000 --n 1000 --k 64..512:64
  orrery predict pdgemm model.json --n 1024,2048 --grid 2x2,1x4 --block 64
  orrery predict pdgemr2d model.json --n 1024 --grid 2x2 --to 1x4
  orrery predict pdgemm model.json --n 1024 --grid 2x2 --now http://127.0.0.1:7410
  orrery predict application app.json --n 9600 --configuration athlon=1x2,pentium-ii=8x1
Kernels and parallel routines also have names with s, c or z in place of d.")]
pub struct Predict {
    #[command(subcommand)]
    subject: Subject,
}

/// What all subjects have.
#[derive(Debug, Args)]
struct Common {
    /// Model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t, display_order = 899)]
    format: Format,
}

/// What subjects with messages have.
#[derive(Debug, Args)]
struct Communication {
    #[arg(long, value_name = "LIST", default_value = "all", help = kinds::model_help())]
    models: Kinds,
}

/// What subjects with a critical path have.
#[derive(Debug, Args)]
struct Explanation {
    /// Print the terms of the time along the critical path
    #[arg(long)]
    explain: bool,
}

impl Predict {
    /// Prints predictions.
    pub fn run(self) -> anyhow::Result<()> {
        self.subject.run()
    }
}
