//! The parameters of a variant as separate labels: `WR11C2R4` is `pmap` row, `depth` 1, `broadcast`
//! 1rM and so on.

use std::collections::BTreeMap;

use super::code::{Broadcast, Factorization, HplCode, ProcessMapping};
use super::variant::{CODE, LABELS};

/// The names of the parameters in the code of the table, as in `HPL.dat`.
const NAMES: [&str; 7] = ["pmap", "depth", "broadcast", "rfact", "ndiv", "pfact", "nbmin"];

/// The words of the mappings, in the order of [`ProcessMapping::ALL`].
const MAPPINGS: [&str; 2] = ["row", "column"];

/// The words of the broadcasts as HPL abbreviates them, in the order of [`Broadcast::ALL`].
const BROADCASTS: [&str; 6] = ["1rg", "1rM", "2rg", "2rM", "Lng", "LnM"];

/// The words of the factorizations, in the order of [`Factorization::ALL`].
const FACTORIZATIONS: [&str; 3] = ["left", "crout", "right"];

/// Returns true for the name of a parameter of HPL's algorithm, as in labels or in `HPL.dat`.
pub fn is_parameter(name: &str) -> bool {
    let name = name.to_lowercase();
    NAMES.contains(&name.as_str()) || LABELS.contains(&name.as_str()) || name == "bcast"
}

/// The labels with the parameters in place of the code of the table; other labels are as before.
///
/// ```
/// use orrery_applications::run::hpl;
/// let labels = [("variant", "WR13C2R8"), ("swap", "mix:64")].map(|(name, word)| (name.to_owned(), word.to_owned()));
/// let parameters = hpl::parameters(&labels.into());
/// assert_eq!(parameters["broadcast"], "2rM");
/// let other = [("depth".to_owned(), "0".to_owned())].into();
/// assert_eq!(hpl::with_parameters(&parameters, &other)["depth"], "0");
/// ```
pub fn parameters(labels: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut labels = labels.clone();
    if let Some(code) = labels.get(CODE).and_then(|code| code.parse::<HplCode>().ok()) {
        labels.remove(CODE);
        labels.extend(NAMES.into_iter().map(str::to_owned).zip(words(&code)));
    }
    labels
}

/// The labels of a variant with other values of some parameters. Values that HPL does not have are
/// labels.
pub fn with_parameters(
    labels: &BTreeMap<String, String>,
    values: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut labels = labels.clone();
    let mut code = labels.get(CODE).and_then(|code| code.parse::<HplCode>().ok());
    for (name, word) in values {
        match code.and_then(|code| replaced(code, name, word)) {
            Some(other) => code = Some(other),
            None => drop(labels.insert(name.clone(), word.clone())),
        }
    }
    if let Some(code) = code {
        labels.insert(CODE.to_owned(), code.to_string());
    }
    labels
}

/// The words of the parameters of a code, in the order of [`NAMES`].
fn words(code: &HplCode) -> [String; 7] {
    let HplCode { mapping, depth, broadcast, recursive, divisions, panel, min_columns } = *code;
    let word = |words: &[&str], index: usize| words[index].to_owned();
    [
        word(&MAPPINGS, mapping as usize),
        depth.to_string(),
        word(&BROADCASTS, broadcast as usize),
        word(&FACTORIZATIONS, recursive as usize),
        divisions.to_string(),
        word(&FACTORIZATIONS, panel as usize),
        min_columns.to_string(),
    ]
}

/// A code with another value of a parameter; `None` if HPL has no such parameter or value.
fn replaced(mut code: HplCode, name: &str, word: &str) -> Option<HplCode> {
    let index = |words: &[&str]| words.iter().position(|known| *known == word);
    let positive = || word.parse::<u32>().ok().filter(|&number| number > 0);
    match name {
        "pmap" => code.mapping = ProcessMapping::ALL[index(&MAPPINGS)?],
        "depth" => code.depth = word.parse().ok()?,
        "broadcast" => code.broadcast = Broadcast::ALL[index(&BROADCASTS)?],
        "rfact" => code.recursive = Factorization::ALL[index(&FACTORIZATIONS)?],
        "ndiv" => code.divisions = positive()?,
        "pfact" => code.panel = Factorization::ALL[index(&FACTORIZATIONS)?],
        "nbmin" => code.min_columns = positive()?,
        _ => return None,
    }
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_can_be_replaced_by_any_of_its_values() {
        let all = ["WR01L2L1", "WC10C3R4", "WR134R8C16"];
        for one in all {
            for other in all {
                let labels = |code: &str| BTreeMap::from([(CODE.to_owned(), code.to_owned())]);
                let values = parameters(&labels(other));
                assert_eq!(values.len(), NAMES.len());
                assert_eq!(with_parameters(&labels(one), &values), labels(other));
            }
        }
    }

    #[test]
    fn other_labels_stay() {
        let labels = BTreeMap::from([
            (CODE.to_owned(), "fast".to_owned()),
            ("swap".to_owned(), "mix:64".to_owned()),
        ]);
        assert_eq!(parameters(&labels), labels);
        let values = BTreeMap::from([("swap".to_owned(), "spread-roll".to_owned())]);
        assert_eq!(with_parameters(&labels, &values)["swap"], "spread-roll");
    }
}
