//! `HPL.dat`, the input of HPL: the variant and the block size that it sets.

use std::path::Path;

use super::code::{Broadcast, Factorization, HplCode, ProcessMapping};
use super::variant::{HplVariant, PanelForm, Swapping};
use crate::file::{FileError, FileFault, Located, lines, words};
use crate::json;

/// The parameters of an `HPL.dat` that do not depend on the problem and the number of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HplDat {
    /// The variant; all parameters are known.
    pub variant: HplVariant,
    /// The block size NB; `None` if the file lists several.
    pub block: Option<u32>,
}

/// The error of an `HPL.dat`.
pub type HplDatError = FileError<HplDatFault>;

/// A fault of an `HPL.dat`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HplDatFault {
    /// The file is not text.
    #[error("this is not a text file; name an HPL.dat")]
    NotText,
    /// The file ends too early.
    #[error(
        "the file ends here, but line {line} of an HPL.dat is {parameter}; name a complete HPL.dat"
    )]
    Short {
        /// The number of the missing line.
        line: usize,
        /// The parameter on that line.
        parameter: &'static str,
    },
    /// A value is not allowed.
    #[error("{parameter} is {found:?}; it must be {expected}")]
    Value {
        /// The parameter.
        parameter: &'static str,
        /// The text of the value.
        found: String,
        /// The allowed values.
        expected: &'static str,
    },
    /// Several values of a parameter.
    #[error("{parameter} has {found} values; keep the one that the runs used")]
    Several {
        /// The parameter.
        parameter: &'static str,
        /// The number of values.
        found: u32,
    },
}

impl FileFault for HplDatFault {
    const FILE: &'static str = "HPL.dat";
}

/// Parses the content of an `HPL.dat`; `name` is its name in errors. HPL reads its lines by
/// position.
///
/// # Errors
///
/// The first fault with its line: a missing line, a value that HPL does not accept, several values
/// of a parameter of the variant.
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<HplDat, HplDatError> {
    let path = name.as_ref();
    let not_text = |_| HplDatError::whole(path, HplDatFault::NotText);
    let text = json::text(content.as_ref()).map_err(not_text)?;
    read(text).map_err(|located| HplDatError::located(path, text, located))
}

type Parsed<T> = Result<T, Located<HplDatFault>>;

/// Reads the lines of a text.
fn read(text: &str) -> Parsed<HplDat> {
    let lines: Vec<(usize, &str)> = lines(text).map(|(byte, line, _)| (byte, line)).collect();
    // The first word of a line, counted from 1, as a number up to a maximum.
    let number = |line: usize, parameter, max: u32, expected| {
        let Some(&(byte, content)) = lines.get(line - 1) else {
            return Err(Located {
                byte: text.len(),
                fault: HplDatFault::Short { line, parameter },
            });
        };
        let word = words(content).first().copied();
        let (start, found) = word.map_or((0, ""), |word| (word.start, word.text));
        let value = found.parse::<u32>().ok().filter(|value| *value <= max);
        let fault = || HplDatFault::Value { parameter, found: found.to_owned(), expected };
        value.ok_or_else(|| Located { byte: byte + start, fault: fault() })
    };
    let natural = |line, parameter| number(line, parameter, u32::MAX, "a whole number");
    let positive = |line: usize, parameter| match natural(line, parameter)? {
        0 => {
            let fault = HplDatFault::Value {
                parameter,
                found: "0".to_owned(),
                expected: "a whole number above 0",
            };
            Err(Located { byte: lines[line - 1].0, fault })
        }
        value => Ok(value),
    };
    let choice = |line, parameter, max, expected| {
        number(line, parameter, max, expected).map(|value| value as usize)
    };
    // A list has its length on the line before it.
    let single = |line: usize, parameter| match natural(line - 1, parameter)? {
        1 => Ok(()),
        found => Err(Located {
            byte: lines[line - 2].0,
            fault: HplDatFault::Several { parameter, found },
        }),
    };
    let factorization = |line, parameter| {
        single(line, parameter)?;
        choice(line, parameter, 2, "0 (left), 1 (Crout) or 2 (right)")
            .map(|value| Factorization::ALL[value])
    };
    let block = if natural(7, "# of NBs")? == 1 { Some(positive(8, "NBs")?) } else { None };
    let mapping = ProcessMapping::ALL[choice(9, "PMAP", 1, "0 (row-major) or 1 (column-major)")?];
    let panel = factorization(15, "PFACTs")?;
    let list = |line, parameter| single(line, parameter).and_then(|()| positive(line, parameter));
    let (min_columns, divisions) = (list(17, "NBMINs")?, list(19, "NDIVs")?);
    let recursive = factorization(21, "RFACTs")?;
    single(23, "BCASTs")?;
    let broadcast = Broadcast::ALL[choice(23, "BCASTs", 5, "0 to 5")?];
    single(25, "DEPTHs")?;
    let depth = natural(25, "DEPTHs")?;
    let swap = match choice(26, "SWAP", 2, "0 (binary exchange), 1 (long) or 2 (mix)")? {
        0 => Swapping::BinaryExchange,
        1 => Swapping::SpreadRoll,
        _ => Swapping::Mix { threshold: natural(27, "swapping threshold")? },
    };
    let form = |line, parameter| {
        let value = choice(line, parameter, 1, "0 (transposed) or 1 (not transposed)")?;
        Ok([PanelForm::Transposed, PanelForm::NotTransposed][value])
    };
    let code = HplCode { mapping, depth, broadcast, recursive, divisions, panel, min_columns };
    let variant = HplVariant {
        code: Some(code),
        swap: Some(swap),
        l1: Some(form(28, "L1")?),
        u: Some(form(29, "U")?),
        equilibration: Some(choice(30, "Equilibration", 1, "0 (no) or 1 (yes)")? == 1),
        alignment: Some(positive(31, "memory alignment")?),
    };
    Ok(HplDat { variant, block })
}
