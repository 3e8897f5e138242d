use std::collections::BTreeMap;

use super::code::{Broadcast, Factorization, HplCode, ProcessMapping};

/// The label with the code of HPL's table.
pub const CODE: &str = "variant";

/// The labels of a run that are its variant, in the order of `HPL.dat`.
pub const LABELS: [&str; 6] = [CODE, "swap", "l1", "u", "equil", "align"];

/// The algorithm that swaps rows (SWAP, and its threshold).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Swapping {
    /// Binary exchange.
    BinaryExchange,
    /// Spread and roll, the long one.
    SpreadRoll,
    /// Binary exchange up to this number of columns, spread and roll above.
    Mix {
        /// The largest number of columns of binary exchange.
        threshold: u32,
    },
}

/// The form in which a panel is stored (L1, U).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PanelForm {
    /// Transposed.
    Transposed,
    /// Not transposed.
    NotTransposed,
}

/// The variant of HPL's algorithm that a run used; `None` for a parameter that is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct HplVariant {
    /// The parameters that the table of HPL encodes.
    pub code: Option<HplCode>,
    /// The algorithm that swaps rows (SWAP).
    pub swap: Option<Swapping>,
    /// The form of the upper triangle of a panel (L1).
    pub l1: Option<PanelForm>,
    /// The form of the panel of U.
    pub u: Option<PanelForm>,
    /// Whether rows are equilibrated in spread and roll (EQUIL).
    pub equilibration: Option<bool>,
    /// The alignment of memory in numbers of 8 bytes (ALIGN).
    pub alignment: Option<u32>,
}

/// The labels that are the variant of a run.
pub fn labels_of(labels: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let known = labels.iter().filter(|(name, _)| LABELS.contains(&name.as_str()));
    known.map(|(name, word)| (name.clone(), word.clone())).collect()
}

/// The labels of a variant as text: `WR11C2R4, swap mix:64`.
pub fn labels_text(labels: &BTreeMap<String, String>) -> String {
    let word = |name: &str| {
        let word = labels.get(name)?;
        Some(if name == CODE { word.clone() } else { format!("{name} {word}") })
    };
    LABELS.into_iter().filter_map(word).collect::<Vec<_>>().join(", ")
}

impl HplVariant {
    /// The variant of the `HPL.dat` that HPL is distributed with, with lookahead of one panel and
    /// the modified ring.
    pub const DISTRIBUTED: Self = Self {
        code: Some(HplCode {
            mapping: ProcessMapping::RowMajor,
            depth: 1,
            broadcast: Broadcast::OneRingModified,
            recursive: Factorization::Crout,
            divisions: 2,
            panel: Factorization::Right,
            min_columns: 4,
        }),
        swap: Some(Swapping::Mix { threshold: 64 }),
        l1: Some(PanelForm::Transposed),
        u: Some(PanelForm::Transposed),
        equilibration: Some(true),
        alignment: Some(8),
    };

    /// The variant of a run with these labels. Labels that HPL does not print count as unknown.
    pub fn of(labels: &BTreeMap<String, String>) -> Self {
        let word = |name: &str| labels.get(name).map(String::as_str);
        let form = |name: &str| match word(name) {
            Some("transposed") => Some(PanelForm::Transposed),
            Some("no-transposed") => Some(PanelForm::NotTransposed),
            _ => None,
        };
        let swap = match word("swap") {
            Some("binary-exchange") => Some(Swapping::BinaryExchange),
            Some("spread-roll") => Some(Swapping::SpreadRoll),
            other => other
                .and_then(|word| word.strip_prefix("mix:")?.parse().ok())
                .map(|threshold| Swapping::Mix { threshold }),
        };
        Self {
            code: word(CODE).and_then(|code| code.parse().ok()),
            swap,
            l1: form("l1"),
            u: form("u"),
            equilibration: word("equil").and_then(|word| match word {
                "yes" => Some(true),
                "no" => Some(false),
                _ => None,
            }),
            alignment: word("align").and_then(|word| word.parse().ok()).filter(|&words| words > 0),
        }
    }

    /// This variant with the unknown parameters of another one.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            code: self.code.or(other.code),
            swap: self.swap.or(other.swap),
            l1: self.l1.or(other.l1),
            u: self.u.or(other.u),
            equilibration: self.equilibration.or(other.equilibration),
            alignment: self.alignment.or(other.alignment),
        }
    }

    /// The labels of the unknown parameters.
    pub fn missing(&self) -> Vec<&'static str> {
        let known = [
            self.code.is_some(),
            self.swap.is_some(),
            self.l1.is_some(),
            self.u.is_some(),
            self.equilibration.is_some(),
            self.alignment.is_some(),
        ];
        LABELS.into_iter().zip(known).filter(|(_, known)| !known).map(|(name, _)| name).collect()
    }
}
