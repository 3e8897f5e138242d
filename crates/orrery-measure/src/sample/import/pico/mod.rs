//! Results of PICO, a benchmark of collective operations (HLC-Lab/pico).
//!
//! | text | becomes |
//! |---|---|
//! | a table of quantiles with the columns `system,run,nodes,ppn,library,collective,algorithm,bytes,type,readings,median,p10,p90` | three readings for each row: the quantiles of 10, 50 and 90 %; each run is a launch |
//! | a file of single readings, `1048576_ring_ompi_int32.csv`, with the column `highest` | a reading for each iteration after the warm-up; each file is a launch |
//!
//! Sizes of PICO are those of the whole buffer. A block has the elements of the buffer divided by
//! the number of processes, rounded down: PICO sends no more. Algorithms that samples do not know
//! are counted as unknown experiments.

mod importer;
mod names;
mod raw;
mod summary;

pub use importer::PicoImporter;
use orrery_program::schedule::CollectiveKind;
use summary::Setup;

/// Which results are imported. A samples file has one system, one number of nodes and one number of
/// processes per node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PicoSelection {
    /// The system; any if `None`.
    pub system: Option<String>,
    /// The number of nodes; files of single readings do not contain it.
    pub nodes: Option<usize>,
    /// The number of processes per node; files of single readings do not contain it.
    pub ppn: Option<usize>,
    /// The library with its version, such as `OMPI 4.1.6`; any if `None`.
    pub library: Option<String>,
    /// The operation; files of single readings do not contain it.
    pub operation: Option<CollectiveKind>,
}

impl PicoSelection {
    /// Returns true if the results of a setup are selected.
    fn includes(&self, setup: &Setup) -> bool {
        self.system.as_ref().is_none_or(|system| *system == setup.system)
            && self.nodes.is_none_or(|nodes| nodes == setup.nodes)
            && self.ppn.is_none_or(|ppn| ppn == setup.ppn)
            && self.library.as_ref().is_none_or(|library| *library == setup.library)
    }
}
