//! `orrery predict p2p`: the times of messages.

use std::path::Path;

use clap::Args;
use orrery::model::{Model, Prediction};
use orrery::platform::Processor;
use orrery::request::{MessageRequest, Queries};
use orrery::units::SizeList;
use orrery_report::tables::{critical_path, predictions};

use super::{Common, Communication, Explanation};
use crate::output::{self, Format};
use crate::refusal;
use crate::verbs::load::PresentLoad;
use crate::verbs::samples;

/// Arguments of a message.
#[derive(Debug, Args)]
pub struct MessageArguments {
    #[command(flatten)]
    common: Common,
    /// Rank that sends
    #[arg(long, value_name = "RANK", allow_negative_numbers = true, default_value_t = 0)]
    from: u32,
    /// Rank that receives
    #[arg(long, value_name = "RANK", allow_negative_numbers = true, default_value_t = 1)]
    to: u32,
    /// Message sizes: 4K, 1K..1M (doubling), 1K..64K:4K (stepping)
    #[arg(long, value_name = "SIZES", allow_negative_numbers = true, default_value = "1K..32K")]
    size: SizeList,
    #[command(flatten)]
    communication: Communication,
    #[command(flatten)]
    explanation: Explanation,
    #[command(flatten)]
    load: PresentLoad,
}

impl MessageArguments {
    /// Prints predictions.
    pub fn run(self) -> anyhow::Result<()> {
        let path = &self.common.model;
        let (model, _) = self.load.apply(samples::model(path)?, path)?;
        let request = MessageRequest {
            models: self.communication.models.list(),
            from: Processor(self.from),
            to: Processor(self.to),
            sizes: self.size.iter().collect(),
        };
        let queries = request.queries(&model).map_err(|error| refusal::failure(error, path))?;
        print(&queries, (&model, path), self.explanation.explain, self.common.format)
    }
}

/// Prints the predictions of queries, and their terms if they are explained.
pub fn print(
    queries: &Queries,
    (model, path): (&Model, &Path),
    is_explained: bool,
    format: Format,
) -> anyhow::Result<()> {
    let answers = queries.answers(model).map_err(|error| refusal::failure(error, path))?;
    let rows: Vec<Prediction> = answers.iter().map(|(prediction, _)| prediction.clone()).collect();
    if is_explained {
        output::print_all(&[predictions(&rows), critical_path(&answers)], format)
    } else {
        output::print(&predictions(&rows), format)
    }
}
