//! The variant of the algorithm of High-Performance Linpack: what `HPL.dat` sets besides size,
//! block and grid.
//!
//! A run has its variant as labels: `variant` is the code of the first column of HPL's table, such
//! as `WR11C2R4`; `swap`, `l1`, `u`, `equil` and `align` are from the head of the output.
//!
//! ```
//! use orrery_applications::run::hpl::{Broadcast, HplVariant};
//! let labels = [("variant", "WR13C2R8"), ("swap", "mix:64")].map(|(name, word)| (name.to_owned(), word.to_owned()));
//! let variant = HplVariant::of(&labels.into());
//! assert_eq!(variant.code.map(|code| code.broadcast), Some(Broadcast::TwoRingModified));
//! assert_eq!(variant.missing(), ["l1", "u", "equil", "align"]);
//! ```

mod code;
pub mod dat;
mod parameters;
mod variant;

pub use code::{Broadcast, Factorization, HplCode, HplCodeError, ProcessMapping};
pub use parameters::{is_parameter, parameters, with_parameters};
pub use variant::{CODE, HplVariant, LABELS, PanelForm, Swapping, labels_of, labels_text};
