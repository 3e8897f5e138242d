//! Command lines of the former release that still work, with a remark.

use std::ffi::OsString;

use crate::verbs;

/// The options of `scaling` that have other names now.
const OF_SCALING: [(&str, &str); 2] = [("--certain", "--confidence"), ("--within", "--tolerance")];

/// Replaces former names and orders in a command line, and returns a remark for each.
pub fn replace(words: &mut Vec<OsString>) -> Vec<String> {
    let mut remarks = Vec::new();
    if verbs::reorder_predict(words) {
        remarks.push(
            "the subject of predict comes before the model now: orrery predict bcast MODEL; the \
                former order works until the next release"
                .to_owned(),
        );
    }
    if !words.iter().skip(1).any(|word| word == "scaling") {
        return remarks;
    }
    // The words behind `--` are those of another program.
    for word in words.iter_mut().take_while(|word| *word != "--") {
        let Some(text) = word.to_str() else { continue };
        let (name, value) = text.find('=').map_or((text, ""), |place| text.split_at(place));
        if let Some((former, new)) = OF_SCALING.into_iter().find(|(former, _)| *former == name) {
            remarks.push(format!(
                "{former} is {new} now; the former name works until the next release"
            ));
            *word = format!("{new}{value}").into();
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_options_are_replaced_up_to_another_program() {
        let after = |line: &str| {
            let mut words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let remarks = replace(&mut words).len();
            (words.join(" ".as_ref()).into_string().unwrap(), remarks)
        };
        assert_eq!(
            after("orrery scaling run p --certain 0.9 --within=0.1 -- ./app --within 3"),
            ("orrery scaling run p --confidence 0.9 --tolerance=0.1 -- ./app --within 3".into(), 2)
        );
        let other = "orrery choose collective bcast.csv --certain";
        assert_eq!(after(other), (other.into(), 0));
    }
}
