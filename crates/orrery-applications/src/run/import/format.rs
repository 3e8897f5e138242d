use super::{cubex, experiment, table};
use orrery_base::file::{FileKind, kind_of};
use orrery_base::json::{Node, Object};

orrery_base::named_enum! {
    /// A format of imported texts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ImportFormat: "format" {
        /// Output of High-Performance Linpack and its variants.
        Hpl => "hpl",
        /// Text input of Extra-P.
        Extrap => "extrap",
        /// JSON lines of Extra-P or TaLPas.
        JsonLines => "jsonl",
        /// JSON of Extra-P.
        Json => "json",
        /// An experiment that Extra-P saves.
        ExtrapExperiment => "extra-p",
        /// A table with column names, whose fields are separated by commas, semicolons, tabs or
        /// blanks.
        Csv => "csv",
        /// A profile of Score-P or Scalasca.
        Cubex => "cubex",
        /// A profile of Caliper.
        Caliper => "caliper",
        /// A graph frame of Hatchet or Thicket.
        Hatchet => "hatchet",
        /// A runs file.
        Runs => "runs",
    }
}

impl ImportFormat {
    /// Returns true for formats of profiles: each file is one run.
    pub(super) fn is_profile(self) -> bool {
        matches!(self, Self::Cubex | Self::Caliper | Self::Hatchet)
    }

    /// The format of an archive by its content; `None` for other files.
    pub(super) fn detect_archive(content: &[u8]) -> Option<Self> {
        if cubex::is_profile(content) {
            Some(Self::Cubex)
        } else {
            experiment::is_experiment(content).then_some(Self::ExtrapExperiment)
        }
    }

    /// The format of a text by its content; `None` if it is not recognised.
    pub fn detect(text: &str) -> Option<Self> {
        let first = text.lines().find(|line| !line.trim().is_empty())?;
        let is_json = first.trim_start().starts_with(['{', '[']);
        match kind_of(text.as_bytes()) {
            // The reader of runs files names the other format.
            Some(FileKind::Runs | FileKind::Model | FileKind::Plan) => Some(Self::Runs),
            Some(FileKind::Caliper) => Some(Self::Caliper),
            Some(FileKind::GraphFrame) => Some(Self::Hatchet),
            Some(FileKind::Hpl) => Some(Self::Hpl),
            Some(FileKind::ExtraP) if !is_json => Some(Self::Extrap),
            _ if is_json => Self::of_json(text, first),
            _ => table::is_table(text).then_some(Self::Csv),
        }
    }

    /// The format of JSON, or of JSON lines with this first line; `None` for an object that has the
    /// keys of neither.
    fn of_json(text: &str, first: &str) -> Option<Self> {
        let has = |object: &Object, key: &str| object.get(key).is_some();
        match Node::root(text).and_then(|root| root.object("an object")) {
            Ok(object) if has(&object, "params") || has(&object, "value") => Some(Self::JsonLines),
            Ok(object) if has(&object, "measurements") || has(&object, "parameters") => {
                Some(Self::Json)
            }
            Ok(_) => None,
            Err(_) if first.contains("\"params\"") || is_talpas(first) => Some(Self::JsonLines),
            Err(_) => Some(Self::Json),
        }
    }
}

/// Returns true for a line of TaLPas, whose keys are separated by semicolons or commas.
fn is_talpas(line: &str) -> bool {
    line.contains("\"parameters\"")
        && line.contains("\"value\"")
        && !line.contains("\"measurements\"")
}
