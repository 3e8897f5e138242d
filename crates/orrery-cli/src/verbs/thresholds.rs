//! Options for the estimation of thresholds.

use clap::Args;
use orrery::comm::thresholds::{EscalationRule, SlopeForm, ThresholdOptions};
use orrery::numeric::breakpoints::Shape;

use crate::options::described;

/// The options for the estimation of thresholds.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Thresholds")]
pub struct ThresholdArguments {
    /// Estimate no thresholds of linear scatter and gather
    #[arg(long)]
    no_thresholds: bool,
    /// Times that are subtracted from the slopes of gathers to obtain their corrections
    #[arg(long, value_parser = described::<SlopeForm>(), value_name = "FORM", default_value_t)]
    slopes: SlopeForm,
    /// Regression that finds the size at which gathers become serial
    #[arg(long, value_parser = described::<Shape>(), value_name = "SHAPE", default_value_t)]
    gather_large: Shape,
    /// Rule for the size at which gathers start to escalate
    #[arg(long, value_parser = described::<EscalationRule>(), value_name = "RULE", default_value_t)]
    gather_small: EscalationRule,
}

impl ThresholdArguments {
    /// Returns the options for estimating the size thresholds of linear scatter and gather; `None`
    /// with `--no-thresholds`.
    pub fn options(self, level: f64) -> Option<ThresholdOptions> {
        let Self { no_thresholds, slopes, gather_large: large, gather_small: small } = self;
        (!no_thresholds).then_some(ThresholdOptions { slopes, large, small, level })
    }
}
