use super::error::Fault;

/// More hosts than this are a slip.
pub(super) const MOST: usize = 1 << 20;

/// The numbers of a radical: single ones and ranges, between commas or semicolons, as `0-99;120`.
pub(super) fn numbers(text: &str) -> Result<Vec<u32>, Fault> {
    let wrong = || Fault::Value {
        attribute: "radical".into(),
        value: text.into(),
        expected: "numbers and ranges such as \"0-99;120\" should stand there",
    };
    let mut numbers = Vec::new();
    for part in text.split([',', ';']).map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(wrong());
        }
        if (last - first) as usize >= MOST - numbers.len() {
            return Err(Fault::TooMany(MOST));
        }
        numbers.extend(first..=last);
    }
    Ok(numbers)
}
