//! Parameters in the names of profiles, by the convention of Extra-P: `mm.x10y1z1.r1/profile.cubex`.
//!
//! The name of the folder is a prefix, names of parameters with their values, joined or separated
//! by dots or commas, and the number of the repetition: `mm.x20,5.y20,5.r2`. A comma within a value
//! is a decimal one.

use std::path::Path;

use super::name_pattern::FileProperties;

/// The variables in the name of the folder of a profile, else in the name of the file without its
/// extension; without variables if neither has the form of the convention.
pub(super) fn properties(path: &Path) -> FileProperties {
    let folder = path.parent().and_then(Path::file_name);
    let mut names = [folder, path.file_stem()].into_iter().flatten();
    let variables = names.find_map(|name| variables(name.to_str()?));
    FileProperties { variables: variables.unwrap_or_default(), ..FileProperties::default() }
}

/// The variables in a name; `None` for a name of another form. A single parameter without a prefix
/// and a repetition is none: `run1`.
fn variables(name: &str) -> Option<Vec<(String, f64)>> {
    let is_repetition = |text: &str| {
        let number = text.strip_prefix('r').unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (rest, is_repeated) = match name.rsplit_once('.') {
        Some((rest, repetition)) if is_repetition(repetition) => (rest, true),
        _ => (name, false),
    };
    let (has_prefix, mut rest) =
        rest.split_once('.').map_or((false, rest), |(_, parameters)| (true, parameters));
    let mut found: Vec<(String, f64)> = Vec::new();
    while !rest.is_empty() {
        let (name, after) = split(rest, |c| c.is_alphabetic() || c == '_');
        let (value, after) = split(after, |c| c.is_ascii_digit() || matches!(c, '.' | ','));
        let value = value.trim_end_matches(['.', ',']).replace(',', ".").parse().ok()?;
        if name.is_empty() || found.iter().any(|(other, _)| other == name) {
            return None;
        }
        found.push((name.to_owned(), value));
        rest = after;
    }
    (has_prefix || is_repeated || found.len() > 1).then_some(found)
}

/// Splits a text behind its first characters of a class.
fn split(text: &str, is_part: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str) -> Vec<(String, f64)> {
        properties(Path::new(path)).variables
    }

    #[test]
    fn names_of_the_convention_have_variables() {
        for (path, values) in [
            ("a/mm.x10y1z1.r1/profile.cubex", [10.0, 1.0, 1.0]),
            ("mm.x1.1y1.1z1.1/profile1.cubex", [1.1, 1.1, 1.1]),
            ("mm.x20,5.y20,5.z1,5.r1/profile.cubex", [20.5, 20.5, 1.5]),
            ("mm.x21.5,y21,5,z1.15.r1/profile.cubex", [21.5, 21.5, 1.15]),
            ("mm.x22.5.y22.5.z1.25.r12/profile.cubex", [22.5, 22.5, 1.25]),
            ("x10y1z1/profile.cubex", [10.0, 1.0, 1.0]),
            ("frames/mm.x2.5.y3.z4.r1.json", [2.5, 3.0, 4.0]),
        ] {
            let expected = ["x", "y", "z"].map(str::to_owned).into_iter().zip(values);
            assert_eq!(found(path), expected.collect::<Vec<_>>(), "{path}");
        }
        assert_eq!(found("n100.r2/profile.cubex"), [("n".to_owned(), 100.0)]);
    }

    #[test]
    fn other_names_have_none() {
        for path in [
            "profile.cubex",
            "run1/profile1.cubex",
            "lulesh-2.0/profile.cubex",
            "openmpi-4.1.5/profile.cubex",
            "scorep-20240131_1200_123456/profile.cubex",
            "mm.x10y/profile.cubex",
            "mm.x1x2.r1/profile.cubex",
            "mm.x1..2/profile.cubex",
            "mm./profile.cubex",
            "spot-n100.cali",
        ] {
            assert_eq!(found(path), [], "{path}");
        }
    }
}
