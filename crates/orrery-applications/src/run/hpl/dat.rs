//! `HPL.dat`, the input of HPL: the variant and the block size that it sets.

use std::path::Path;

use super::code::{Broadcast, Factorization, HplCode, ProcessMapping};
use super::variant::{HplVariant, PanelForm, Swapping};
use orrery_base::file::{Fault, FileError, Result, lines, words};
use orrery_base::json;

/// The parameters of an `HPL.dat` that do not depend on the problem and the number of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HplDat {
    /// The variant; all parameters are known.
    pub variant: HplVariant,
    /// The block size NB; `None` if the file lists several.
    pub block: Option<u32>,
}

/// A value is not allowed.
fn wrong_value(parameter: &str, found: &str, expected: &str) -> Fault {
    Fault::new(format!("{parameter} is {found:?}; it must be {expected}"))
}

/// Parses the content of an `HPL.dat`; `name` is its name in errors. HPL reads its lines by
/// position.
///
/// # Errors
///
/// The first fault with its line: a missing line, a value that HPL does not accept, several values
/// of a parameter of the variant.
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<HplDat, FileError> {
    let path = name.as_ref();
    let not_text = |_| {
        FileError::whole(
            path,
            Fault::new(
                "this is not a text file; name an \
        HPL.dat",
            ),
        )
    };
    let text = json::text(content.as_ref()).map_err(not_text)?;
    read(text).map_err(|located| FileError::located(path, text, located))
}

/// Reads the lines of a text.
fn read(text: &str) -> Result<HplDat> {
    let lines: Vec<(usize, &str)> = lines(text).map(|(byte, line, _)| (byte, line)).collect();
    // The first word of a line, counted from 1, as a number up to a maximum.
    let number = |line: usize, parameter: &str, max: u32, expected: &str| {
        let Some(&(byte, content)) = lines.get(line - 1) else {
            return Err(Fault::new(format!(
                "the file ends here, but line {line} of an HPL.dat is \
                {parameter}; name a complete HPL.dat"
            ))
            .at(text.len()));
        };
        let word = words(content).first().copied();
        let (start, found) = word.map_or((0, ""), |word| (word.start, word.text));
        let value = found.parse::<u32>().ok().filter(|value| *value <= max);
        value.ok_or_else(|| wrong_value(parameter, found, expected).at(byte + start))
    };
    let natural = |line, parameter| number(line, parameter, u32::MAX, "a whole number");
    let positive = |line: usize, parameter| match natural(line, parameter)? {
        0 => {
            let fault = wrong_value(parameter, "0", "a whole number above 0");
            Err(fault.at(lines[line - 1].0))
        }
        value => Ok(value),
    };
    let choice = |line, parameter, max, expected| {
        number(line, parameter, max, expected).map(|value| value as usize)
    };
    // A list has its length on the line before it.
    let single = |line: usize, parameter| match natural(line - 1, parameter)? {
        1 => Ok(()),
        found => Err(Fault::new(format!(
            "{parameter} has {found} values; keep the one that the \
            runs used"
        ))
        .at(lines[line - 2].0)),
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
        Ok::<_, Fault>([PanelForm::Transposed, PanelForm::NotTransposed][value])
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
