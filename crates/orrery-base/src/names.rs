//! Names that a user gives: the valid names for one that is unknown, the most similar first.

/// The largest number of valid names that a message lists.
const MAX_LISTED: usize = 8;

/// The largest number of valid names that are compared with a word.
const MAX_COMPARED: usize = 10_000;

/// The largest number of letters of a word that are compared.
const MAX_LETTERS: usize = 64;

/// The advice for a word that is none of the valid names: the most similar name, if one is similar,
/// and the valid names, whose list begins with `whose`, such as `its hosts`. Of a long list it has
/// the most similar names, or the first ones if none is similar.
///
/// ```
/// use orrery_base::names::advice;
/// let laws = ["maxmin", "gige", "myrinet"];
/// assert_eq!(advice("fast", "known", laws), "known are maxmin, gige, myrinet");
/// assert_eq!(
///     advice("maxmn", "known", laws),
///     "did you mean \"maxmin\"? known are maxmin, gige, myrinet"
/// );
/// let hosts = (0..20).map(|k| format!("n{k}"));
/// assert_eq!(advice("m3", "its hosts", hosts), "its hosts are n0, n1, n2, n3, n4, n5, n6, n7 and 12 more");
/// ```
pub fn advice(word: &str, whose: &str, names: impl IntoIterator<Item: AsRef<str>>) -> String {
    let names: Vec<_> = names.into_iter().collect();
    let mut names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let near = nearest(word, names.iter().copied());
    let near = near.map(|near| format!("did you mean {near:?}? ")).unwrap_or_default();
    let more = match names.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => {
            if !near.is_empty() {
                names.truncate(MAX_COMPARED);
                names.sort_by_cached_key(|name| distance(word, name));
            }
            names.truncate(MAX_LISTED);
            format!(" and {more} more")
        }
    };
    format!("{near}{whose} are {}{more}", names.join(", "))
}

/// The valid name that is most similar to a word: at most two letters are wrong, missing, too many
/// or exchanged, and fewer than two in five. Case does not count. Names that differ only in digits,
/// as those of hosts do, are not similar. Of a name that is a path, such as `main->solve`, the last
/// part suffices.
///
/// ```
/// use orrery_base::names::nearest;
/// assert_eq!(nearest("sned", ["send", "recv"]), Some("send"));
/// assert_eq!(nearest("node-9", ["node-0", "node-1"]), None);
/// assert_eq!(nearest("slove", ["main", "main->solve"]), Some("main->solve"));
/// ```
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let similarity = |name: &str| {
        let distance = distance(word, name);
        let is_similar = distance <= 2
            && 5 * distance < 2 * name.chars().count()
            && !differ_in_digits(word, name);
        is_similar.then_some(distance)
    };
    let last = |name: &'a str| name.rsplit(['>', '/']).next().filter(|last| *last != name);
    let near = names.into_iter().take(MAX_COMPARED).filter_map(|name| {
        let whole = similarity(name);
        Some((whole.or_else(|| similarity(last(name)?))?, name))
    });
    near.min().map(|(_, name)| name)
}

/// The message of a parser for a key or a variant that is unknown, with the most similar one that
/// it names as expected.
///
/// ```
/// use orrery_base::names::with_nearest;
/// assert_eq!(
///     with_nearest("unknown field `intervl`, expected one of `store`, `interval`"),
///     "unknown field `intervl`, expected one of `store`, `interval`; did you mean `interval`?"
/// );
/// ```
pub fn with_nearest(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let near = match quoted.next() {
        Some(word) if message.starts_with("unknown ") => nearest(word, quoted),
        _ => None,
    };
    match near {
        Some(near) => format!("{message}; did you mean `{near}`?"),
        None => message.to_owned(),
    }
}

/// The number of letters to change, add, remove or exchange with the next one, without regard to
/// case; of long words, of their beginnings.
fn distance(word: &str, name: &str) -> usize {
    let begin = |text: &str| -> String {
        text.chars().take(MAX_LETTERS).flat_map(char::to_lowercase).collect()
    };
    strsim::osa_distance(&begin(word), &begin(name))
}

/// Returns true if two different words are equal but for their digits.
fn differ_in_digits(a: &str, b: &str) -> bool {
    let letters = |text: &str| -> String { text.chars().filter(|c| !c.is_ascii_digit()).collect() };
    a != b && letters(a) == letters(b)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn similar_names_are_found() {
        let known = ["names", "cores", "kind", "price", "memory", "csv", "n1"];
        for (word, near) in [
            ("name", Some("names")),
            ("core", Some("cores")),
            ("kinds", Some("kind")),
            ("Price", Some("price")),
            ("memroy", Some("memory")),
            ("cvs", Some("csv")),
            ("nodes", None),
            ("n2", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), near, "{word}");
        }
    }
}
