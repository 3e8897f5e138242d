use std::str::FromStr;

use orrery::units::NumberList;

/// A list of whole numbers on the command line, such as dimensions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WholeNumbers(pub Vec<u64>);

impl WholeNumbers {
    /// The numbers of an option; none without it.
    pub fn of(option: Option<Self>) -> Vec<u64> {
        option.unwrap_or_default().0
    }
}

impl FromStr for WholeNumbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let list: NumberList = text.parse().map_err(|error| format!("{error}"))?;
        let whole = |&value: &f64| {
            let is_whole = (0.0..1e18).contains(&value) && value.fract() == 0.0;
            is_whole
                .then_some(value as u64)
                .ok_or_else(|| format!("{value} is no whole number, such as 1000"))
        };
        list.as_slice().iter().map(whole).collect::<Result<_, _>>().map(Self)
    }
}
