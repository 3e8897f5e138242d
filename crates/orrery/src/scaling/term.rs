use std::fmt;

use super::ElementVariables;

/// One variable of a term: x^power · log2(x)^logs.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    /// The name of the variable.
    pub variable: String,
    /// The power i of x^i.
    pub power: f64,
    /// The power j of log2(x)^j.
    pub logs: u32,
}

/// A product of factors, such as n³/(p·q): what a coefficient is multiplied with. Without factors it is 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Term {
    /// The factors, each variable once.
    pub factors: Vec<Factor>,
}

impl Term {
    /// A term from powers of variables alone.
    pub fn powers(powers: &[(&str, f64)]) -> Self {
        let factor = |&(variable, power): &(&str, f64)| Factor { variable: variable.to_owned(), power, logs: 0 };
        Self { factors: powers.iter().map(factor).collect() }
    }

    /// The same times log2 of a variable.
    #[must_use]
    pub fn times_log(mut self, variable: &str) -> Self {
        match self.factors.iter_mut().find(|factor| factor.variable == variable) {
            Some(factor) => factor.logs += 1,
            None => self.factors.push(Factor { variable: variable.to_owned(), power: 0.0, logs: 1 }),
        }
        self
    }

    /// Its value; `None` where a variable has none.
    pub fn value(&self, view: &ElementVariables) -> Option<f64> {
        let factor = |factor: &Factor| {
            let x = view.get(&factor.variable)?;
            Some(power(x, factor.power) * x.log2().powi(factor.logs as i32))
        };
        self.factors.iter().map(factor).try_fold(1.0, |product, factor| Some(product * factor?))
    }
}

/// x^power, the whole ones by multiplication.
pub(super) fn power(x: f64, power: f64) -> f64 {
    if power.fract().abs() < f64::EPSILON { x.powi(power as i32) } else { x.powf(power) }
}

impl fmt::Display for Term {
    /// As formulas are written in programs: `n^3·p^-1·log2(p)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for Factor { variable, power, logs } in &self.factors {
            match *power {
                0.0 => {}
                1.0 => parts.push(variable.clone()),
                power => parts.push(format!("{variable}^{}", fraction(power))),
            }
            match logs {
                0 => {}
                1 => parts.push(format!("log2({variable})")),
                logs => parts.push(format!("log2({variable})^{logs}")),
            }
        }
        f.pad(&if parts.is_empty() { "1".to_owned() } else { parts.join("·") })
    }
}

/// A power as people write it: 2, 0.5, or (1/3) where decimals would not end.
fn fraction(power: f64) -> String {
    let thirds = power * 3.0;
    if (thirds - thirds.round()).abs() < 1e-9 && (power - power.round()).abs() > 1e-9 {
        format!("({}/3)", thirds.round())
    } else {
        format!("{power}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_read_as_formulas() {
        let term = Term::powers(&[("n", 2.0), ("q", -1.0)]).times_log("p").times_log("p");
        assert_eq!(term.to_string(), "n^2·q^-1·log2(p)^2");
        assert_eq!(Term::default().to_string(), "1");
        assert_eq!(Term::powers(&[("x", 4.0 / 3.0)]).to_string(), "x^(4/3)");
        let view = ElementVariables::new([("n", 10.0), ("q", 4.0), ("p", 8.0)]);
        assert_eq!(term.value(&view), Some(225.0));
        assert_eq!(Term::powers(&[("block", 1.0)]).value(&view), None);
    }
}
