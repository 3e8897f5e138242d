//! Measurements on other hosts than earlier files or the model.

use std::path::{Path, PathBuf};

use orrery::sample::MachineDifference;

use crate::context::warn;
use crate::inputs;

/// The response to files that name different hosts for one processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherHosts {
    /// A warning.
    Warn,
    /// An error: the parameters of one link would be fitted to times of several.
    Refuse,
}

impl OtherHosts {
    /// Reports a difference between a file and earlier files.
    pub fn check(self, path: &Path, difference: &MachineDifference) -> anyhow::Result<()> {
        let path = path.display();
        let words = format!(
            "{path}: {difference} (compared with earlier files); fit one model per machine"
        );
        if self == Self::Refuse && difference.concerns_hosts() {
            anyhow::bail!("{words}, or fit the files together with --mixed-hosts");
        }
        warn(words);
        Ok(())
    }
}

/// Warns of the differences between the machine of a model and that of measurements.
pub fn warn_of(
    model: &Path,
    measurements: &[PathBuf],
    differences: impl IntoIterator<Item = MachineDifference>,
) {
    for difference in differences {
        let (files, model) = (inputs::names(measurements), model.display());
        warn(format_args!(
            "{files}: {difference} (compared with {model}); the model may not apply"
        ));
    }
}
