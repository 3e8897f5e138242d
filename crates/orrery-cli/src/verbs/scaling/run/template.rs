//! The command that makes a run, with places for what changes from run to run.

use crate::context::Usage;

/// What can stand in braces.
pub const KNOWN: [&str; 12] =
    ["np", "n", "p", "q", "block", "hostfile", "rankfile", "machinefile", "dat", "configuration", "rep", "here"];

/// A command line of the shell; what stands in braces is filled in.
#[derive(Debug, Clone)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Place(&'static str),
}

impl Template {
    /// Reads `mpirun -np {np} …`. A word in braces behind a `$` is the shell's, and braces around anything but a word are
    /// left as they are.
    pub fn new(text: &str) -> Result<Self, Usage> {
        let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(open) = rest.find('{') {
            plain.push_str(&rest[..open]);
            let inside = &rest[open + 1..];
            let word = inside.split('}').next().filter(|word| inside.len() > word.len());
            let word = word.filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
            match word.filter(|_| !plain.ends_with('$')) {
                Some(word) => {
                    let known = KNOWN.into_iter().find(|known| *known == word).ok_or_else(|| {
                        let known = KNOWN.map(|known| format!("{{{known}}}")).join(" ");
                        Usage(format!("--command: {{{word}}} is not known; known are {known}"))
                    })?;
                    parts.extend([Part::Text(std::mem::take(&mut plain)), Part::Place(known)]);
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
            return Err(Usage(
                "--command: it is empty; write what makes a run, such as 'mpirun -np {np} ./xhpl'".into(),
            ));
        }
        Ok(Self { text: text.to_owned(), parts })
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it has one of these places.
    pub fn has(&self, places: &[&'static str]) -> Option<&'static str> {
        places.iter().copied().find(|place| self.parts.contains(&Part::Place(place)))
    }

    /// The command line with all filled in, each as one word of the shell.
    pub fn fill(&self, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
        let mut line = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => line.push_str(text),
                Part::Place(name) => {
                    let value = value(name).ok_or_else(|| format!("nothing is known of {{{name}}} for this run"))?;
                    let plain = value.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=,+%@".contains(c));
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
    fn places_are_filled() {
        let filled = |text: &str| {
            let value =
                |name: &str| (name != "block").then(|| if name == "here" { "a b".into() } else { name.to_uppercase() });
            Template::new(text).unwrap().fill(value)
        };
        assert_eq!(filled("mpirun -np {np} --hostfile {hostfile} x").unwrap(), "mpirun -np NP --hostfile HOSTFILE x");
        assert_eq!(filled("${n} awk '{print $1}' {} {n} {").unwrap(), "${n} awk '{print $1}' {} N {");
        assert_eq!(filled("{here}/x").unwrap(), "'a b'/x");
        assert!(filled("{block}").unwrap_err().contains("{block}"));
        let error = Template::new("x {size}").unwrap_err().to_string();
        assert!(error.starts_with("--command: {size} is not known; known are {np} {n}"), "{error}");
    }
}
