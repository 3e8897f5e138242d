use crate::sample::Provenance;
use orrery_base::file::Fault;

/// The content of a line that begins with `#`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Comment {
    /// The name and version of the format.
    Format(String),
    /// An entry of the provenance.
    Entry(String, String),
    /// Any other comment.
    Remark,
}

/// The key of the format line.
const KEY: &str = "format";

/// Parses `# key: value`; a value in double quotes is a JSON string, for characters that a line
/// cannot contain.
pub(super) fn read(line: &str) -> Comment {
    let line = line.trim_start_matches('#').trim();
    let (key, value) = match line.split_once(": ") {
        Some((key, value)) => (key, value.trim()),
        None => match line.strip_suffix(':') {
            Some(key) => (key, ""),
            None => return Comment::Remark,
        },
    };
    if !is_key(key) {
        return Comment::Remark;
    }
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.to_owned());
    if key == KEY { Comment::Format(value) } else { Comment::Entry(key.to_owned(), value) }
}

/// Writes the format line and one line for each key of the provenance.
pub(super) fn write(format: &str, provenance: &Provenance) -> Result<String, Fault> {
    let mut text = format!("# {KEY}: {format}\n");
    for (key, value) in provenance.iter() {
        if !is_key(key) || key == KEY {
            return Err(Fault::new(format!(
                "{key:?} cannot be a key of the provenance; a key is not \
                empty, has no colon and no line break, and is not \"format\""
            )));
        }
        let plain =
            value == value.trim() && !value.starts_with('"') && !value.contains(char::is_control);
        let value =
            if plain { value.to_owned() } else { serde_json::Value::from(value).to_string() };
        text.push_str(format!("# {key}: {value}").trim_end());
        text.push('\n');
    }
    Ok(text)
}

/// Returns true if a key can precede a colon on one line.
fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key == key.trim()
        && !key.starts_with('#')
        && !key.contains(|c: char| c == ':' || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_classified() {
        let entry = |key: &str, value: &str| Comment::Entry(key.into(), value.into());
        assert_eq!(read("# format: orrery-samples 2"), Comment::Format("orrery-samples 2".into()));
        assert_eq!(
            read("# command: orrery measure --machine local:4"),
            entry("command", "orrery measure --machine local:4")
        );
        assert_eq!(read("# binding:"), entry("binding", ""));
        assert_eq!(read(r#"# note: "two\nlines""#), entry("note", "two\nlines"));
        assert_eq!(read(r#"# note: "quoted" word"#), entry("note", r#""quoted" word"#));
        assert_eq!(read("# see http://example.org"), Comment::Remark);
        assert_eq!(read("#"), Comment::Remark);
    }
}
