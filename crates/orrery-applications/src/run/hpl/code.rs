//! The code of the first column of HPL's table, such as `WR11C2R4`.

use std::fmt;
use std::str::FromStr;

/// The order of ranks in the process grid P×Q (PMAP).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessMapping {
    /// Rank r is at row ⌊r/Q⌋ and column r mod Q: consecutive ranks, such as those of a host, share
    /// a row.
    RowMajor,
    /// Rank r is at row r mod P and column ⌊r/P⌋: consecutive ranks share a column.
    ColumnMajor,
}

/// The factorization of a panel (PFACT) or of its recursion (RFACT).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Factorization {
    /// Left-looking.
    Left,
    /// Crout.
    Crout,
    /// Right-looking.
    Right,
}

/// The broadcast of panels along a row of the process grid (BCAST).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Broadcast {
    /// Increasing ring (`1rg`).
    OneRing,
    /// Modified increasing ring (`1rM`).
    OneRingModified,
    /// Increasing two-ring (`2rg`).
    TwoRing,
    /// Modified increasing two-ring (`2rM`).
    TwoRingModified,
    /// Long, which reduces the bandwidth (`Lng`).
    Long,
    /// Modified long (`LnM`).
    LongModified,
}

/// The parameters that HPL encodes in the first column of its table (HPL 2.3, `HPL_pdtest.c`).
///
/// `WR11C2R4` is: W, row-major mapping, depth 1, broadcast 1 (modified ring), RFACT Crout, NDIV 2,
/// PFACT right, NBMIN 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HplCode {
    /// The order of ranks in the process grid (PMAP).
    pub mapping: ProcessMapping,
    /// The number of panels of lookahead (DEPTH).
    pub depth: u32,
    /// The broadcast of panels (BCAST).
    pub broadcast: Broadcast,
    /// The factorization of the recursion (RFACT).
    pub recursive: Factorization,
    /// The number of panels of a step of the recursion (NDIV).
    pub divisions: u32,
    /// The factorization of a panel (PFACT).
    pub panel: Factorization,
    /// The number of columns at which the recursion stops (NBMIN).
    pub min_columns: u32,
}

/// A text that is no code of HPL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not the variant of an HPL run; write it as HPL prints it, such as WR11C2R4")]
pub struct HplCodeError {
    /// The text.
    pub text: String,
}

impl ProcessMapping {
    /// All values, in the order of their numbers in `HPL.dat`.
    pub const ALL: [Self; 2] = [Self::RowMajor, Self::ColumnMajor];
}

impl Factorization {
    /// All values, in the order of their numbers in `HPL.dat`.
    pub const ALL: [Self; 3] = [Self::Left, Self::Crout, Self::Right];

    /// The letter in HPL's codes.
    const fn letter(self) -> char {
        match self {
            Self::Left => 'L',
            Self::Crout => 'C',
            Self::Right => 'R',
        }
    }

    /// The factorization with a letter of HPL's codes; `None` for any other letter.
    fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|factorization| factorization.letter() == letter)
    }
}

impl Broadcast {
    /// All values, in the order of their numbers in `HPL.dat`.
    pub const ALL: [Self; 6] = [
        Self::OneRing,
        Self::OneRingModified,
        Self::TwoRing,
        Self::TwoRingModified,
        Self::Long,
        Self::LongModified,
    ];
}

impl fmt::Display for HplCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mapping, depth, broadcast, recursive, divisions, panel, min_columns } = *self;
        let mapping = if mapping == ProcessMapping::RowMajor { 'R' } else { 'C' };
        let (recursive, panel) = (recursive.letter(), panel.letter());
        write!(f, "W{mapping}{depth}{}{recursive}{divisions}{panel}{min_columns}", broadcast as u8)
    }
}

impl FromStr for HplCode {
    type Err = HplCodeError;

    fn from_str(text: &str) -> Result<Self, HplCodeError> {
        parse(text).ok_or_else(|| HplCodeError { text: text.to_owned() })
    }
}

/// Reads W, mapping, depth and broadcast, RFACT, NDIV, PFACT, NBMIN; the last digit before RFACT is
/// the broadcast. `None` for any other text.
fn parse(text: &str) -> Option<HplCode> {
    let rest = text.strip_prefix('W')?;
    let (mapping, rest) = match (rest.strip_prefix('R'), rest.strip_prefix('C')) {
        (Some(rest), _) => (ProcessMapping::RowMajor, rest),
        (_, Some(rest)) => (ProcessMapping::ColumnMajor, rest),
        _ => return None,
    };
    let (numbers, rest) = digits(rest);
    let (depth, broadcast) = numbers.split_at_checked(numbers.len().checked_sub(1)?)?;
    let (recursive, rest) = letter(rest)?;
    let (divisions, rest) = digits(rest);
    let (panel, rest) = letter(rest)?;
    let (min_columns, rest) = digits(rest);
    let positive = |number: &str| number.parse::<u32>().ok().filter(|&number| number > 0);
    rest.is_empty().then_some(())?;
    Some(HplCode {
        mapping,
        depth: depth.parse().ok()?,
        broadcast: *Broadcast::ALL.get(broadcast.parse::<usize>().ok()?)?,
        recursive,
        divisions: positive(divisions)?,
        panel,
        min_columns: positive(min_columns)?,
    })
}

/// The digits at the beginning of a text, and the rest.
fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// The factorization of the first letter of a text, and the rest; `None` if it is no such letter.
fn letter(text: &str) -> Option<(Factorization, &str)> {
    let mut letters = text.chars();
    let factorization = Factorization::from_letter(letters.next()?)?;
    Some((factorization, letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_read_back() {
        let code: HplCode = "WC03R3L16".parse().unwrap();
        let expected = HplCode {
            mapping: ProcessMapping::ColumnMajor,
            depth: 0,
            broadcast: Broadcast::TwoRingModified,
            recursive: Factorization::Right,
            divisions: 3,
            panel: Factorization::Left,
            min_columns: 16,
        };
        assert_eq!(code, expected);
        for text in ["WR11C2R4", "WC03R3L16", "WR125L12C128"] {
            assert_eq!(text.parse::<HplCode>().unwrap().to_string(), text);
        }
        assert_eq!("WR125L12C128".parse::<HplCode>().unwrap().depth, 12);
        for wrong in [
            "",
            "W",
            "WC0",
            "WR11C2R",
            "WR16C2R4",
            "WX11C2R4",
            "WR1C2R4",
            "WR11C0R4",
            "WR11C2R4 ",
            "HPL-MxP",
            "Wé",
        ] {
            assert!(wrong.parse::<HplCode>().is_err(), "{wrong}");
        }
    }
}
