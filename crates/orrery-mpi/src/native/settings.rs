//! Values of control variables that hold while a library is forced to use an algorithm.

use std::ffi::c_int;

use crate::MpiError;
use crate::calls::ControlVariable;

/// Values of control variables, not yet written.
#[derive(Debug, Default)]
pub(super) struct Settings(Vec<(ControlVariable, c_int)>);

/// Values of control variables that have been written.
#[derive(Debug)]
pub(super) struct Applied {
    /// Each variable with its value before.
    previous: Vec<(ControlVariable, c_int)>,
}

impl Settings {
    /// Adds a value of a variable.
    pub fn add(&mut self, variable: ControlVariable, value: c_int) {
        self.0.push((variable, value));
    }

    /// Frees the variables without writing their values.
    pub fn free(self) -> Result<(), MpiError> {
        self.0.into_iter().try_for_each(|(variable, _)| variable.free())
    }

    /// Writes the values; the result restores those of before.
    pub fn apply(self) -> Result<Applied, MpiError> {
        let mut previous = Vec::with_capacity(self.0.len());
        for (variable, value) in self.0 {
            let before = variable.read()?;
            variable.write(value)?;
            previous.push((variable, before));
        }
        Ok(Applied { previous })
    }
}

impl Applied {
    /// Restores the values of before, the last variable first, and frees the variables.
    pub fn reset(self) -> Result<(), MpiError> {
        for (variable, before) in self.previous.into_iter().rev() {
            variable.write(before)?;
            variable.free()?;
        }
        Ok(())
    }
}

/// The value of a variable; `None` if the library does not have it.
pub(super) fn value(name: &str) -> Result<Option<c_int>, MpiError> {
    let Some(variable) = ControlVariable::find(name)? else { return Ok(None) };
    let value = variable.read()?;
    variable.free()?;
    Ok(Some(value))
}

/// The values of an enumeration whose names are known.
///
/// MPICH numbers the names in the order in which its description explains them, each on a line:
/// `auto - Internal algorithm selection`, `binomial - Force Binomial Tree`. Descriptions of release
/// 4.0 have no line breaks, so that a name follows the last word before it:
/// `Force Binomial Treenb - Force nonblocking algorithm`. There a name is recognised at the end of
/// a word; one that is recognised twice is left out, since one of the two is the end of a longer
/// name.
///
/// Source: `maint/extractcvars` of MPICH, which makes the enumeration of the words before ` - ` at
/// the begin of lines.
pub(super) fn values<'a>(description: &str, known: &[&'a str]) -> Vec<(c_int, &'a str)> {
    let named = |is: &dyn Fn(&str) -> bool| {
        known.iter().copied().filter(|name| is(name)).max_by_key(|name| name.len())
    };
    let found: Vec<Option<&str>> = if description.contains('\n') {
        let words = description.lines().filter_map(explained);
        words.map(|word| named(&|name| word == name)).collect()
    } else {
        let (before, _) = description.rsplit_once(SEPARATOR).unwrap_or_default();
        let words = before.split(SEPARATOR).filter(|text| !text.is_empty()).map(last_word);
        let is_end = |word: &str, name: &str| {
            word.strip_suffix(name).is_some_and(|before| !before.ends_with('_'))
        };
        words.map(|word| named(&|name| is_end(word, name))).collect()
    };
    let is_unique = |name| found.iter().filter(|other| **other == Some(name)).count() == 1;
    let values = found.iter().zip(0..).filter_map(|(name, value)| Some((value, (*name)?)));
    values.filter(|(_, name)| is_unique(name)).collect()
}

/// What follows a name.
const SEPARATOR: &str = " - ";

/// The word that a line explains; `None` for other lines.
fn explained(line: &str) -> Option<&str> {
    let (word, _) = line.split_once(SEPARATOR)?;
    let word = word.trim();
    (!word.is_empty() && word.chars().all(is_of_name)).then_some(word)
}

/// The last word of a text.
fn last_word(text: &str) -> &str {
    text.trim_end().rsplit(|c: char| !is_of_name(c)).next().unwrap_or_default()
}

/// Returns true for characters of names.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = ["auto", "binomial", "nb", "scatter_ring_allgather", "ring"];

    /// MPICH 4.0.2.
    const ON_ONE_LINE: &str = "Variable to select bcast algorithmauto - Internal algorithm \
        selection (can be overridden \
        with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)binomial                                - \
        Force Binomial Treenb                                      \
        - Force nonblocking algorithmsmp                                     - Force smp \
        algorithmscatter_recursive_doubling_allgather    \
        - Force Scatter Recursive-Doubling Allgatherscatter_ring_allgather                  - \
        Force Scatter Ring";

    #[test]
    fn names_have_their_positions() {
        let expected = [(0, "auto"), (1, "binomial"), (2, "nb"), (5, "scatter_ring_allgather")];
        assert_eq!(values(ON_ONE_LINE, &KNOWN), expected);
        let on_lines = "Variable to select bcast algorithm\nauto - Internal algorithm selection - \
            or not\n\
            nb   - Force nonblocking algorithm\n    doublering - Force algorithm\nring - Force \
            ring algorithm";
        assert_eq!(values(on_lines, &KNOWN), [(0, "auto"), (1, "nb"), (3, "ring")]);
    }

    #[test]
    fn the_end_of_a_longer_name_is_not_the_name() {
        let longer = "algorithmauto - Internal algorithmk_ring - Force high radix algorithmnb - \
            Force nonblocking algorithm";
        assert_eq!(values(longer, &KNOWN), [(0, "auto"), (2, "nb")]);
        let twice = "algorithmauto - Internal algorithmdoublering - Force algorithmring - Force \
            ring algorithm";
        assert_eq!(values(twice, &KNOWN), [(0, "auto")]);
        assert_eq!(values("no names", &KNOWN), []);
    }
}
