use std::str::FromStr;

use super::UnitError;

/// A list of numbers in the notation of the command line: ranges such as `2..64` with step 1 and
/// `250000..500000:50000` with the given step, separated by commas.
///
/// ```
/// use orrery_base::units::NumberList;
/// let numbers: NumberList = "9600,1000..2000:500,2..4".parse()?;
/// assert_eq!(numbers.as_slice(), [9600.0, 1000.0, 1500.0, 2000.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), orrery_base::units::UnitError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NumberList(Vec<f64>);

/// The largest number of entries of a list; longer lists are probably typing errors.
const MAX_NUMBERS: usize = 100_000;

impl NumberList {
    /// Returns the numbers in the order of the text.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }
}

impl FromStr for NumberList {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let mut numbers = Vec::new();
        for part in text.split(',') {
            range(text, part.trim(), &mut numbers)?;
        }
        Ok(Self(numbers))
    }
}

/// Appends to `numbers` those of one part of the list, a number or a range; `text` is the whole
/// list, for the error.
fn range(text: &str, part: &str, numbers: &mut Vec<f64>) -> Result<(), UnitError> {
    let fail = |reason: &str| UnitError {
        text: text.to_owned(),
        expected: "numbers, such as 9600, 2..64 (by one), 250000..500000:50000 (by that much) or a \
            list with commas",
        reason: reason.to_owned(),
    };
    let number = |word: &str| match word.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(fail(&format!("{word:?} is not a finite number"))),
    };
    let Some((from, rest)) = part.split_once("..") else {
        numbers.push(number(part)?);
        return Ok(());
    };
    let (to, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let (from, to, step) = (number(from)?, number(to)?, number(step)?);
    if from > to {
        return Err(fail("the range ends before it begins"));
    }
    if step <= 0.0 {
        return Err(fail("a step that is not above 0 never ends"));
    }
    let count = ((to - from) / step * (1.0 + 1e-12)).floor();
    if count >= (MAX_NUMBERS - numbers.len().min(MAX_NUMBERS)) as f64 {
        return Err(fail("that is more than 100,000 numbers"));
    }
    numbers.extend((0..=count as usize).map(|k| from + step * k as f64));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_their_ends() {
        let list = |text: &str| text.parse::<NumberList>().map(|list| list.0);
        assert_eq!(list("250000..500000:50000").unwrap().len(), 6);
        assert_eq!(list("0.1..0.3:0.1").unwrap().len(), 3);
        assert_eq!(list("5..5").unwrap(), [5.0]);
        for wrong in
            ["", "a", "2..1", "1..2:0", "1..2:-1", "0..1e9", "inf", "1..nan", "1e308..-1e308"]
        {
            assert!(list(wrong).is_err(), "{wrong}");
        }
    }
}
