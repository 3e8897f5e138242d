//! Options for the estimation of thresholds.

use clap::{Args, ValueEnum};
use orrery::comm::thresholds::{SlopeForm, ThresholdOptions};
use orrery::numeric::breakpoints::Shape;

/// The options for the estimation of thresholds.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Thresholds")]
pub struct ThresholdArguments {
    /// Estimate no thresholds of linear scatter and gather
    #[arg(long)]
    no_thresholds: bool,
    /// Times that are subtracted from the slopes of gathers to obtain their corrections
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    slopes: SlopeWord,
    /// Regression that finds the size at which gathers become serial
    #[arg(long, value_enum, value_name = "SHAPE", default_value_t)]
    gather_large: ShapeWord,
    /// Rule for the size at which gathers start to escalate
    #[arg(long, value_enum, value_name = "RULE", default_value_t)]
    gather_small: SmallWord,
}

/// The keyword of a [`SlopeForm`].
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum SlopeWord {
    /// The prediction of the model at the same sizes
    #[default]
    Played,
    /// The closed formula
    Closed,
    /// The closed formula without the bytes of the root, as printed in the paper
    Printed,
}

/// The keyword of a [`Shape`].
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum ShapeWord {
    /// Lines in the size M: T ~ M
    #[default]
    Linear,
    /// Constants: T ~ 1, as in the CPM module
    Constant,
}

/// The rule for the size at which gathers start to escalate.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum SmallWord {
    /// Before the first size whose readings escalate tenfold, apart from growth with the size
    #[default]
    Escalations,
    /// Before the first size whose median is ten times that of the smallest, as printed in the
    /// paper
    Printed,
}

impl ThresholdArguments {
    /// Returns the options for estimating the size thresholds of linear scatter and gather; `None`
    /// with `--no-thresholds`.
    pub fn options(self, level: f64) -> Option<ThresholdOptions> {
        let slopes = match self.slopes {
            SlopeWord::Played => SlopeForm::Played,
            SlopeWord::Closed => SlopeForm::Closed,
            SlopeWord::Printed => SlopeForm::Printed,
        };
        let large = match self.gather_large {
            ShapeWord::Linear => Shape::Linear,
            ShapeWord::Constant => Shape::Constant,
        };
        let printed_small = matches!(self.gather_small, SmallWord::Printed);
        (!self.no_thresholds).then_some(ThresholdOptions { slopes, large, printed_small, level })
    }
}
