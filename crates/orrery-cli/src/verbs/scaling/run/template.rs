//! The command template of runs, with placeholders in braces.

/// The names of the placeholders.
const PLACEHOLDERS: [&str; 12] = [
    "np",
    "n",
    "p",
    "q",
    "block",
    "hostfile",
    "rankfile",
    "machinefile",
    "dat",
    "configuration",
    "rep",
    "here",
];

/// A shell command with placeholders.
#[derive(Debug, Clone)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Placeholder(&'static str),
}

impl Template {
    /// Parses `mpirun -np {np} …`. Shell variables such as `${n}` and braces around anything but a
    /// word are literal text.
    pub fn new(text: &str) -> Result<Self, String> {
        let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(open) = rest.find('{') {
            plain.push_str(&rest[..open]);
            let inside = &rest[open + 1..];
            let word = inside.split('}').next().filter(|word| inside.len() > word.len());
            let word = word.filter(|word| {
                !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
            });
            match word.filter(|_| !plain.ends_with('$')) {
                Some(word) => {
                    let known =
                        PLACEHOLDERS.into_iter().find(|known| *known == word).ok_or_else(|| {
                            let known = PLACEHOLDERS.map(|known| format!("{{{known}}}")).join(" ");
                            format!("unknown placeholder {{{word}}}; the placeholders are {known}")
                        })?;
                    parts
                        .extend([Part::Text(std::mem::take(&mut plain)), Part::Placeholder(known)]);
                    rest = &inside[word.len() + 1..];
                }
                None => {
                    plain.push('{');
                    rest = inside;
                }
            }
        }
        plain.push_str(rest);
        parts.push(Part::Text(plain));
        if text.trim().is_empty() {
            return Err("give the command of a run, such as 'mpirun -np {np} ./xhpl'".into());
        }
        Ok(Self { text: text.to_owned(), parts })
    }

    /// The text of the template.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first of these placeholders that the template contains; `None` if it has none of them.
    pub fn first_of(&self, places: &[&'static str]) -> Option<&'static str> {
        places.iter().copied().find(|place| self.parts.contains(&Part::Placeholder(place)))
    }

    /// The command with all placeholders replaced by their values, each quoted as one shell word.
    ///
    /// # Errors
    ///
    /// The first placeholder for which `value` returns `None`.
    pub fn fill(&self, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
        let mut line = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => line.push_str(text),
                Part::Placeholder(name) => {
                    let value = value(name)
                        .ok_or_else(|| format!("this run has no value for {{{name}}}"))?;
                    let plain = value
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || "-_./:=,+%@".contains(c));
                    if plain && !value.is_empty() {
                        line.push_str(&value);
                    } else {
                        line.extend(["'", &value.replace('\'', r"'\''"), "'"]);
                    }
                }
            }
        }
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_replaced() {
        let filled = |text: &str| {
            let value = |name: &str| {
                (name != "block")
                    .then(|| if name == "here" { "a b".into() } else { name.to_uppercase() })
            };
            Template::new(text).unwrap().fill(value)
        };
        assert_eq!(
            filled("mpirun -np {np} --hostfile {hostfile} x").unwrap(),
            "mpirun -np NP --hostfile HOSTFILE x"
        );
        assert_eq!(
            filled("${n} awk '{print $1}' {} {n} {").unwrap(),
            "${n} awk '{print $1}' {} N {"
        );
        assert_eq!(filled("{here}/x").unwrap(), "'a b'/x");
        assert!(filled("{block}").unwrap_err().contains("{block}"));
        let error = Template::new("x {size}").unwrap_err();
        assert!(
            error.starts_with("unknown placeholder {size}; the placeholders are {np} {n}"),
            "{error}"
        );
    }
}
