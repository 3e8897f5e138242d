//! Choice of collective algorithms from a few measured rows.
//!
//! A row is the time of one algorithm at one size in one launch. Each algorithm has a structure:
//! counts of messages, bytes, combinations and new pages ([`counts`]), times six parameters that
//! all operations share. Deviations from these formulas are a Gaussian process over operations,
//! algorithms and sizes ([`Design`]). Rows that are read determine both, and with them the times of
//! all other rows with their intervals ([`MeasuredModel`]), the choices ([`MeasuredChoice`]), and
//! the rows whose readings improve choices most ([`advise`]).
//!
//! Points between the measured sizes, and on numbers of processors near measured ones, are rows that
//! were not read: the counts and the deviations predict them ([`Origin`]).
//!
//! Predictions are validated for one process per host; with several, only rows that were read are
//! compared.
//!
//! ```
//! use orrery_choices::collective::measured::{CollectiveReadings, Design, KeepDefault, MeasuredModel, Selection, advise};
//! use orrery_measure::sample::file::parse;
//! let mut text = "# format: orrery-samples 1\nexperiment,i,procs,size,launch,rep,seconds\n".to_owned();
//! for (size, binomial, linear) in [(8, 2e-5, 6e-5), (1 << 20, 5e-4, 1.6e-3)] {
//!     text += &format!("native/bcast/ompi/binomial,0,16,{size},0,0,{binomial}\n");
//!     text += &format!("native/bcast/ompi/linear,0,16,{size},0,0,{linear}\n");
//! }
//! let samples = parse(&text, "samples.csv")?.samples;
//! let readings = CollectiveReadings::of(&samples, &Selection::default())?;
//! let design = Design::of(&readings, [], [])?;
//! let model = MeasuredModel::of(&design, &readings)?;
//! let choices = model.choices(&readings, KeepDefault::IfFaster);
//! assert_eq!(choices[0].ranking[0].to_string(), "ompi/binomial");
//! assert!(advise(&model, 3).is_empty(), "all rows are read");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certainty;
mod choice;
mod design;
mod fit;
mod gain;
mod prior;
mod readings;
mod structure;
mod transfer;

pub use certainty::TOLERANCE;
pub use choice::{DefaultTime, KeepDefault, MeasuredChoice};
pub use design::{Cell, Design, MAX_ROWS};
pub use fit::{MeasuredModel, PredictedTime};
pub use gain::{Advice, MAX_ADVICE, advise};
pub(crate) use readings::launch_medians;
pub use readings::{CollectiveReadings, Implementation, MeasuredError, Point, Row, Selection};
pub use structure::{Counts, OPERATIONS, TERMS, Term, counts};
pub use transfer::{Origin, REACH};
