//! The work of a run as an expression of its variables, such as `2*n^3`, to convert rates to times.
//!
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = power { ("*" | "/") power }
//! power   = operand [ "^" power ]
//! operand = number | variable | "log2" "(" sum ")" | "(" sum ")"
//! ```

use std::fmt;
use std::str::FromStr;

/// The largest length of an expression in bytes, which bounds its depth.
const MAX_LENGTH: usize = 256;

/// An expression of variables with `+`, `-`, `*`, `/`, `^`, `log2` and parentheses.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Work {
    text: String,
    root: Node,
}

/// A part of an expression.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    Number(f64),
    Variable(String),
    Log2(Box<Node>),
    Binary(Box<Node>, char, Box<Node>),
}

impl Work {
    /// The value with these variables; the name of a missing variable as an error.
    pub(super) fn value(&self, variable: &dyn Fn(&str) -> Option<f64>) -> Result<f64, &str> {
        self.root.value(variable)
    }
}

impl Node {
    /// The value with these variables; the name of a missing variable as an error.
    fn value(&self, variable: &dyn Fn(&str) -> Option<f64>) -> Result<f64, &str> {
        Ok(match self {
            Self::Number(number) => *number,
            Self::Variable(name) => variable(name).ok_or(name.as_str())?,
            Self::Log2(of) => of.value(variable)?.log2(),
            Self::Binary(left, operator, right) => {
                let (left, right) = (left.value(variable)?, right.value(variable)?);
                match operator {
                    '+' => left + right,
                    '-' => left - right,
                    '*' => left * right,
                    '/' => left / right,
                    _ => left.powf(right),
                }
            }
        })
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// A part of an expression, or the reason why there is none.
type Parsed = Result<Node, String>;

impl FromStr for Work {
    /// The reason why a text is no expression.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err("its work is longer than 256 characters".into());
        }
        let mut parser = Parser { rest: text.trim_start() };
        let root = parser.sum()?;
        if !parser.rest.is_empty() {
            return Err(format!("an operator of its work is expected before {:?}", parser.rest));
        }
        Ok(Self { text: text.to_owned(), root })
    }
}

/// The text that is still to be parsed; it begins with no blank.
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    /// Takes the first bytes and the blanks behind them.
    fn take(&mut self, end: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        taken
    }

    /// Takes one of these characters of one byte, if it is next.
    fn take_any(&mut self, characters: &[char]) -> Option<char> {
        let next = self.rest.chars().next().filter(|next| characters.contains(next))?;
        self.take(1);
        Some(next)
    }

    /// Operands with operators between them, which are applied from the left.
    fn chain(&mut self, operators: &[char], operand: fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = operand(self)?;
        while let Some(operator) = self.take_any(operators) {
            left = Node::Binary(Box::new(left), operator, Box::new(operand(self)?));
        }
        Ok(left)
    }

    /// Parses a sum of products.
    fn sum(&mut self) -> Parsed {
        self.chain(&['+', '-'], Self::product)
    }

    /// Parses a product of powers.
    fn product(&mut self) -> Parsed {
        self.chain(&['*', '/'], Self::power)
    }

    /// Parses an operand, or a power of it; powers are applied from the right.
    fn power(&mut self) -> Parsed {
        let base = self.operand()?;
        match self.take_any(&['^']) {
            Some(operator) => Ok(Node::Binary(Box::new(base), operator, Box::new(self.power()?))),
            None => Ok(base),
        }
    }

    /// Parses a number, a variable, a logarithm or an expression in parentheses.
    fn operand(&mut self) -> Parsed {
        if self.rest.starts_with('(') {
            return self.parentheses();
        }
        let word = self.word();
        if word == "log2" && self.rest.starts_with('(') {
            self.parentheses().map(|of| Node::Log2(Box::new(of)))
        } else if word.is_empty() {
            let place = match self.rest {
                "" => "at the end".to_owned(),
                rest => format!("before {rest:?}"),
            };
            Err(format!("a number or a variable of its work is expected {place}"))
        } else if word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let number = word.parse().ok().filter(|number: &f64| number.is_finite());
            number.map(Node::Number).ok_or_else(|| format!("{word:?} in its work is no number"))
        } else {
            Ok(Node::Variable(word.to_owned()))
        }
    }

    /// An expression in parentheses; the opening one is next.
    fn parentheses(&mut self) -> Parsed {
        self.take(1);
        let inner = self.sum()?;
        self.take_any(&[')'])
            .map(|_| inner)
            .ok_or_else(|| "a closing parenthesis of its work is missing".to_owned())
    }

    /// Takes a name, or a number with the sign of its exponent.
    fn word(&mut self) -> &'a str {
        let is_number = self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let mut last = ' ';
        let end = self.rest.find(|c: char| {
            let is_sign = is_number && matches!(c, '+' | '-') && matches!(last, 'e' | 'E');
            last = c;
            !(c.is_alphanumeric() || matches!(c, '_' | '.') || is_sign)
        });
        self.take(end.unwrap_or(self.rest.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, String> {
        let variables = [("n", 3.0), ("time_steps", 16.0)];
        let work: Work = text.parse()?;
        work.value(&|name| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
        })
        .map_err(str::to_owned)
    }

    #[test]
    fn expressions_have_values() {
        for (text, expected) in [
            ("2*n^3", 54.0),
            (" 2 * n ^ 3 + n ", 57.0),
            ("2^n^2", 512.0),
            ("12/n/2", 2.0),
            ("12-n-2", 7.0),
            ("(1+n)*2-1", 7.0),
            ("2e-1*n", 0.6),
            ("1e2-n", 97.0),
            ("1E+2", 100.0),
            ("5*time_steps*log2(time_steps)", 320.0),
            (".5", 0.5),
        ] {
            let found = value(text).unwrap();
            assert!((found - expected).abs() < 1e-12, "{text} is {found}");
        }
        assert_eq!(value("m*n"), Err("m".to_owned()));
        assert_eq!(value("log2*n"), Err("log2".to_owned()), "without parentheses it is a variable");
    }

    #[test]
    fn wrong_expressions_are_refused() {
        for (text, reason) in [
            ("", "a number or a variable"),
            ("2*", "a number or a variable"),
            ("2^", "a number or a variable"),
            ("-n", "a number or a variable"),
            ("log2()", "a number or a variable"),
            ("(n", "a closing parenthesis"),
            ("log2(n", "a closing parenthesis"),
            ("n)", "an operator"),
            ("2 n", "an operator"),
            ("n%2", "an operator"),
            ("2n", "\"2n\" in its work is no number"),
            ("1.2.3", "\"1.2.3\" in its work is no number"),
            ("1e999", "\"1e999\" in its work is no number"),
            (&"(".repeat(MAX_LENGTH), "a number or a variable"),
            (&"(".repeat(MAX_LENGTH + 1), "its work is longer"),
        ] {
            let error = value(text).unwrap_err();
            assert!(error.starts_with(reason), "{text}: {error}");
        }
    }
}
