//! Output of other benchmarks as samples: the OSU micro-benchmarks and the Intel MPI Benchmarks
//! (IMB).
//!
//! Both print one line for each size, a mean over many iterations. Each line becomes one reading,
//! and each further run of the same benchmark a further launch. Texts may contain the output of
//! several benchmarks and other output of a batch job between them. Unknown lines are ignored;
//! parts that are left out are reported as [`Remark`]s.
//!
//! | benchmark | becomes | its time |
//! |---|---|---|
//! | `osu_latency`, IMB PingPong | `roundtrip`, reply as long as the message | twice the time that is printed |
//! | `osu_multi_lat` | `roundtrip`, only of a single pair | the same |
//! | IMB PingPing | `exchange` | as printed |
//! | the collective operations of OSU (`osu_bcast`) and IMB-MPI1 (Bcast), Reduce_scatter_block among them | `native/bcast` and so on, with
//! root 0 | the maximum over the ranks if it is printed, otherwise the mean over them |
//!
//! The size of a vector or block is converted where samples have another one. The output does not
//! contain the algorithm that the library was forced to use; [`Importer::add_forced`] takes it.
//! `MPI_Reduce_scatter`, and operations with unequal blocks, nonblocking and persistent ones are
//! skipped with a remark.
//!
//! ```
//! use orrery_measure::sample::import::{Importer, Source};
//! let text = "# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n8               1.50\n";
//! let mut importer = Importer::new(None, None);
//! importer.add(text, "latency.txt")?;
//! let imported = importer.finish();
//! let reading = imported.samples.iter().next().unwrap();
//! assert_eq!(reading.experiment.name(), "roundtrip");
//! assert_eq!(reading.seconds.to_string(), "3.00 µs");
//! # let _ = Source::Osu;
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

mod imb;
mod importer;
mod osu;
mod pico;
mod quantity;
mod row;
mod section;
mod unusable;

pub use importer::{Imported, Importer};
use orrery_base::file;
pub use pico::{PicoImporter, PicoSelection};

/// A remark on a line of the output of a benchmark, as a sentence.
pub type Remark = file::Remark<String>;

/// The fault of content that is not text.
const NOT_TEXT: &str =
    "this is not text in UTF-8; give the output of the benchmark as it was printed";

/// The remark on a last line without line break.
const TORN_LINE: &str = "the last line has no line break and may be incomplete; it is ignored (if \
    it is complete, add the line break)";

/// The fault of a row without a column.
fn missing_field(column: &str) -> String {
    format!("column {column:?} is missing from this row; repair the line or remove it")
}

/// The fault of an invalid value in a column.
fn invalid_value(column: &str, found: &str, expected: &str) -> String {
    format!("column {column:?}: {found:?} is not {expected}; correct it or remove the line")
}

orrery_base::named_enum! {
    /// A benchmark suite.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Source: "source" {
        /// The OSU micro-benchmarks, from version 3 on.
        Osu => "osu",
        /// The Intel MPI Benchmarks, from version 3 on.
        Imb => "imb",
    }
}
