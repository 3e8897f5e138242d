/// The maximum number of host names in one list.
const MAX_NAMES: usize = 100_000;

/// The maximum length of a host name in bytes, as in the domain name system.
const MAX_LENGTH: usize = 253;

/// The bytes that a name of this length takes in a list and in an index.
pub(super) fn name_memory(length: usize) -> u64 {
    96 + 3 * length as u64
}

/// The reason why a host list cannot be expanded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot read {text:?} as host names: {reason}; write names as Slurm does, such as node[2-5,7] \
        or a,b"
)]
pub struct HostlistError {
    /// The list.
    pub text: String,
    /// The problem.
    pub reason: String,
}

/// Expands a host list in the notation of Slurm: `login,node[2-5,7]` is `login`, `node2`, …,
/// `node5`, `node7`.
///
/// Commas separate names, and brackets hold numbers and ranges. All numbers of a range have the
/// width of its first one: `n[08-10]` is `n08`, `n09`, `n10`. Several brackets in one name are
/// expanded from left to right.
///
/// ```
/// use orrery_cluster::platform::host_names;
/// assert_eq!(host_names("a,n[08-10]-ib")?, ["a", "n08-ib", "n09-ib", "n10-ib"]);
/// # Ok::<(), orrery_cluster::platform::HostlistError>(())
/// ```
///
/// # Errors
///
/// Unmatched brackets, invalid ranges, names that are empty, contain blanks or have more than 253
/// bytes, and more than 100,000 names.
pub fn host_names(text: &str) -> Result<Vec<String>, HostlistError> {
    let wrong = |reason: String| HostlistError { text: text.to_owned(), reason };
    let mut names = Vec::new();
    for part in split_list(text).map_err(|reason| wrong(reason.to_owned()))? {
        let expanded = expand(part).map_err(wrong)?;
        if names.len() + expanded.len() > MAX_NAMES {
            return Err(wrong(format!("it expands to more than {MAX_NAMES} names")));
        }
        names.extend(expanded);
    }
    Ok(names)
}

/// Splits a list at the commas outside brackets.
fn split_list(text: &str) -> Result<Vec<&str>, &'static str> {
    let (mut parts, mut start, mut inside) = (Vec::new(), 0, false);
    for (at, character) in text.char_indices() {
        match (character, inside) {
            ('[', false) => inside = true,
            (']', true) => inside = false,
            ('[', true) => return Err("brackets are nested"),
            (']', false) => return Err("a closing bracket has no opening one"),
            (',', false) => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    if inside { Err("a bracket is not closed") } else { Ok(parts) }
}

/// Expands one element of a list, such as `node[2-5]-ib`, to its names.
fn expand(part: &str) -> Result<Vec<String>, String> {
    let mut names = vec![String::new()];
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('[') {
        let (inside, behind) = after.split_once(']').ok_or("a bracket is not closed")?;
        check_length(names[0].len() + before.len())?;
        let numbers = numbers(inside)?;
        if names.len() * numbers.len() > MAX_NAMES {
            return Err(format!("it expands to more than {MAX_NAMES} names"));
        }
        names = names
            .iter()
            .flat_map(|name| numbers.iter().map(move |number| format!("{name}{before}{number}")))
            .collect();
        rest = behind;
    }
    check_length(names.iter().map(String::len).max().unwrap_or_default() + rest.len())?;
    names.iter_mut().for_each(|name| name.push_str(rest));
    let strange = |c: char| c.is_whitespace() || c.is_control() || "[]=,:\"'".contains(c);
    match names.first() {
        Some(name) if name.is_empty() => Err("a name is empty".into()),
        Some(name) if name.contains(strange) => Err(format!("{name:?} is not a host name")),
        _ => Ok(names),
    }
}

/// Returns an error for a name longer than [`MAX_LENGTH`], before many names of this length are
/// made.
fn check_length(length: usize) -> Result<(), String> {
    if length > MAX_LENGTH {
        Err(format!("a name has more than {MAX_LENGTH} bytes"))
    } else {
        Ok(())
    }
}

/// Expands the numbers and ranges in a pair of brackets to texts, with leading zeros.
fn numbers(inside: &str) -> Result<Vec<String>, String> {
    let mut numbers = Vec::new();
    for range in inside.split(',').map(str::trim) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u64>()
                .ok()
                .filter(|_| digits)
                .ok_or_else(|| format!("{range:?} is neither a number nor a range"))
        };
        check_length(first.len())?;
        let (low, high) = (number(first)?, number(last)?);
        if high < low {
            return Err(format!("the range {range:?} ends below its start"));
        }
        if high - low >= (MAX_NAMES - numbers.len()) as u64 {
            return Err(format!("it expands to more than {MAX_NAMES} names"));
        }
        numbers.extend((low..=high).map(|number| format!("{number:0width$}", width = first.len())));
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::host_names;

    #[test]
    fn lists_are_expanded() {
        for (text, names) in [
            ("node[2-5]", vec!["node2", "node3", "node4", "node5"]),
            ("a, b", vec!["a", "b"]),
            ("n[08-10,2]", vec!["n08", "n09", "n10", "n2"]),
            ("r[1-2]n[1-2]", vec!["r1n1", "r1n2", "r2n1", "r2n2"]),
            ("x.y.org", vec!["x.y.org"]),
        ] {
            assert_eq!(host_names(text).unwrap(), names, "{text}");
        }
    }

    #[test]
    fn invalid_lists_are_errors() {
        for (text, reason) in [
            ("", "empty"),
            ("a,,b", "empty"),
            ("n[1-", "not closed"),
            ("n1]", "no opening"),
            ("n[[1]]", "nested"),
            ("n[5-2]", "ends below"),
            ("n[a]", "neither"),
            ("n[]", "neither"),
            ("n[+1]", "neither"),
            ("two words", "not a host name"),
            ("n[0-18446744073709551615]", "more than"),
            ("n[1-1000]x[1-1000]", "more than"),
        ] {
            let error = host_names(text).unwrap_err();
            assert!(error.reason.contains(reason), "{text}: {error}");
        }
    }
}
