use std::fmt;
use std::str::FromStr;

use orrery_base::units::UnknownName;

/// A product of powers of the dimensions m, n and k: `m2n` for m²n, `1` for the constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term {
    /// The power of m.
    pub m: u8,
    /// The power of n.
    pub n: u8,
    /// The power of k.
    pub k: u8,
}

impl Term {
    /// The value at dimensions m, n and k.
    ///
    /// ```
    /// use orrery_program::kernel::Term;
    /// assert_eq!(Term { m: 2, n: 1, k: 0 }.value([3, 5, 7]), 45.0);
    /// ```
    pub fn value(self, [m, n, k]: [u64; 3]) -> f64 {
        let power = |base: u64, exponent: u8| (base as f64).powi(i32::from(exponent));
        power(m, self.m) * power(n, self.n) * power(k, self.k)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let factor = |(letter, power): (char, u8)| match power {
            0 => String::new(),
            1 => letter.to_string(),
            power => format!("{letter}{power}"),
        };
        let text: String = [('m', self.m), ('n', self.n), ('k', self.k)].map(factor).concat();
        f.pad(if text.is_empty() { "1" } else { &text })
    }
}

impl FromStr for Term {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let powers = |m| (0..4).flat_map(move |n| (0..4).map(move |k| Self { m, n, k }));
        let found = (0..4).flat_map(powers).find(|term| term.to_string() == text);
        let known =
            vec!["mnk", "mn", "m2n", "n3", "1", "other products of powers 0 to 3 of m, n and k"];
        found.ok_or_else(|| UnknownName { what: "term", name: text.to_owned(), known })
    }
}
