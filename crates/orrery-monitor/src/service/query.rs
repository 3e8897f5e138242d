//! The parameters of a request.

use std::borrow::Cow;

use orrery::names::advice;
use orrery::units::Seconds;

use super::refusal::Refusal;

/// The longest duration.
const YEAR: Seconds = Seconds::new(366.0 * 86_400.0);

/// The parameters in the query of a URL: `series=a&series=b&horizon=10m`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    /// Parses the part of a URL behind `?`.
    ///
    /// # Errors
    ///
    /// Refuses parameters that are not among the known ones.
    pub(super) fn parse<N: AsRef<str>>(text: Option<&str>, known: &[N]) -> Result<Self, Refusal> {
        let pairs = form_urlencoded::parse(text.unwrap_or_default().as_bytes());
        let pairs: Vec<(String, String)> =
            pairs.map(|(name, value)| (Cow::into_owned(name), Cow::into_owned(value))).collect();
        let is_known = |name: &str| known.iter().any(|one| one.as_ref() == name);
        match pairs.iter().find(|(name, _)| !is_known(name)) {
            Some((name, _)) => {
                let name: String = name.chars().take(40).collect();
                let advice = match known {
                    [] => "known is none".to_owned(),
                    known => advice(&name, "known", known),
                };
                Err(Refusal::bad(format!("the parameter '{name}' is not known; {advice}")))
            }
            None => Ok(Self { pairs }),
        }
    }

    /// All values of a parameter.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value of a parameter that may occur once; `None` if it is missing. Refuses one that
    /// occurs twice.
    pub(super) fn one<'a>(&'a self, name: &'a str) -> Result<Option<&'a str>, Refusal> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            _ => Err(Refusal::bad(format!("the parameter '{name}' occurs more than once"))),
        }
    }

    /// The value of a parameter that must occur once; `refusal` says so.
    pub(super) fn needed<'a>(
        &'a self,
        name: &'a str,
        refusal: impl Fn() -> Refusal,
    ) -> Result<&'a str, Refusal> {
        self.one(name)?.ok_or_else(refusal)
    }

    /// The whole number, 0 or more, that is the value of a parameter; `None` if it is missing.
    pub(super) fn whole(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let Some(text) = self.one(name)? else { return Ok(None) };
        let number = text.parse().map_err(|_| {
            Refusal::bad(format!("the parameter '{name}' is no whole number; write such as 1000"))
        });
        number.map(Some)
    }

    /// A list with the whole number that is the value of a parameter; empty if it is missing.
    pub(super) fn list(&self, name: &str) -> Result<Vec<u64>, Refusal> {
        Ok(Vec::from_iter(self.whole(name)?))
    }

    /// Returns true if the value of a parameter is true; false if it is missing.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.one(name)? {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(Refusal::bad(format!("the parameter '{name}' is true or false"))),
        }
    }

    /// The finite number that is the value of a parameter; `None` if it is missing.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, Refusal> {
        let Some(text) = self.one(name)? else { return Ok(None) };
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.map(Some).ok_or_else(|| {
            Refusal::bad(format!("the parameter '{name}' is no number; write such as 0.9"))
        })
    }

    /// The duration, above 0, that is the value of a parameter; `None` if it is missing.
    pub(super) fn duration(&self, name: &str) -> Result<Option<Seconds>, Refusal> {
        let Some(text) = self.one(name)? else { return Ok(None) };
        let fault = || {
            Refusal::bad(format!(
                "the parameter '{name}' is no duration above 0; write such as 90s, 10m or 2h"
            ))
        };
        let duration = Seconds::parse_duration(text).filter(|duration| *duration <= YEAR);
        duration.map(Some).ok_or_else(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_checked() {
        let query = Query::parse(
            Some("series=n1%2Fload&series=n%2b/x&horizon=10m&level=0.9"),
            &["series", "horizon", "level"],
        );
        let query = query.expect("all are known");
        assert_eq!(query.all("series").collect::<Vec<_>>(), ["n1/load", "n+/x"]);
        assert_eq!(query.duration("horizon"), Ok(Some(Seconds::new(600.0))));
        assert_eq!(query.number("level"), Ok(Some(0.9)));
        assert!(query.one("series").is_err() && query.one("none").is_ok_and(|none| none.is_none()));
        assert!(
            Query::parse(Some("other=1"), &["series"])
                .is_err_and(|refusal| refusal.message.contains("other"))
        );
        for wrong in ["horizon=0", "horizon=1e99h"] {
            let query = Query::parse(Some(wrong), &["horizon"]);
            assert!(query.is_ok_and(|query| query.duration("horizon").is_err()), "{wrong}");
        }
        for (text, flag) in [("", Some(false)), ("all=true", Some(true)), ("all=1", None)] {
            let query = Query::parse(Some(text), &["all"]).expect("it is known");
            assert_eq!(query.flag("all").ok(), flag, "{text}");
        }
    }
}
