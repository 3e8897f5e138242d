use std::fmt;
use std::str::FromStr;

use crate::comm::thresholds::SlopeCorrection;

/// A kind of communication model, by its key in the model file and on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelKind {
    /// Hockney with parameters for each pair.
    Hockney,
    /// Hockney with the mean parameters for every pair.
    HockneyMean,
    /// LMO without link latency.
    Lom,
    /// LMO.
    Lmo,
    /// LMO of alike processors and links.
    Hlmo,
    /// LogP.
    LogP,
    /// LogGP.
    LogGp,
    /// PLogP.
    PLogP,
}

impl ModelKind {
    /// All kinds.
    pub const ALL: [Self; 8] =
        [Self::Hockney, Self::HockneyMean, Self::Lom, Self::Lmo, Self::Hlmo, Self::LogP, Self::LogGp, Self::PLogP];

    /// Whose corrections of slopes of gathers it takes; `None` for models that do not tell the delays of processors from
    /// those of links.
    pub const fn slope_correction(self) -> Option<SlopeCorrection> {
        match self {
            Self::Lom | Self::Lmo => Some(SlopeCorrection::Lmo),
            Self::Hlmo => Some(SlopeCorrection::Hlmo),
            Self::Hockney | Self::HockneyMean | Self::LogP | Self::LogGp | Self::PLogP => None,
        }
    }

    /// The word in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hockney => "hockney",
            Self::HockneyMean => "hockney-mean",
            Self::Lom => "lom",
            Self::Lmo => "lmo",
            Self::Hlmo => "hlmo",
            Self::LogP => "logp",
            Self::LogGp => "loggp",
            Self::PLogP => "plogp",
        }
    }
}

impl fmt::Display for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ModelKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|kind| kind.name()).collect();
            format!("unknown kind of model {text:?}; known are {}", known.join(", "))
        })
    }
}
