//! The head of an output of HPL.

/// The name and the word of a label from a line of the head of an output, such as `SWAP   : Mix
/// (threshold = 64)`; `None` for other lines.
pub(super) fn head_label(line: &str) -> Option<(&'static str, String)> {
    let (name, value) = line.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let form = |name| {
        let words = [("transposed form", "transposed"), ("no-transposed form", "no-transposed")];
        words
            .into_iter()
            .find(|(printed, _)| *printed == value)
            .map(|(_, word)| (name, word.to_owned()))
    };
    match name {
        "SWAP" => {
            let threshold =
                value.strip_prefix("Mix (threshold =").and_then(|rest| rest.strip_suffix(')'));
            let mix = threshold.and_then(|number| number.trim().parse::<u32>().ok());
            match (value, mix) {
                ("Binary-exchange", _) => Some(("swap", "binary-exchange".to_owned())),
                ("Spread-roll (long)", _) => Some(("swap", "spread-roll".to_owned())),
                (_, Some(threshold)) => Some(("swap", format!("mix:{threshold}"))),
                _ => None,
            }
        }
        "L1" => form("l1"),
        "U" => form("u"),
        "EQUIL" => ["yes", "no"].contains(&value).then(|| ("equil", value.to_owned())),
        "ALIGN" => {
            let number = value.strip_suffix("double precision words")?.trim();
            number
                .parse::<u32>()
                .ok()
                .filter(|&words| words > 0)
                .map(|words| ("align", words.to_string()))
        }
        _ => None,
    }
}
