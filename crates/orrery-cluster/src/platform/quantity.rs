//! Numbers with units, in the notation of SimGrid and of cluster files.

/// Names of units with their values in the base unit.
pub(super) type Units = &'static [(&'static str, f64)];

/// Units of durations, in seconds.
pub(super) const SECONDS: Units = &[
    ("", 1.0),
    ("s", 1.0),
    ("ms", 1e-3),
    ("us", 1e-6),
    ("ns", 1e-9),
    ("ps", 1e-12),
    ("m", 60.0),
    ("h", 3600.0),
    ("d", 86400.0),
    ("w", 604_800.0),
];

/// Units of speeds, in operations per second: `Gf`.
pub(super) const SPEED: Units = &[("", 1.0), ("f", 1.0)];

/// Units of rates, in bytes per second: `MBps`, `Gbps`.
pub(super) const RATE: Units = &[("", 1.0), ("Bps", 1.0), ("bps", 0.125)];

/// Prefixes of units with their factors.
const PREFIXES: [(&str, f64); 17] = [
    ("", 1.0),
    ("k", 1e3),
    ("K", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
    ("E", 1e18),
    ("Z", 1e21),
    ("Y", 1e24),
    ("Ki", 1024.0),
    ("ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("Pi", 1_125_899_906_842_624.0),
    ("Ei", 1_152_921_504_606_846_976.0),
];

/// Parses a finite number with one of these units, and converts it to the base unit; units other
/// than durations can have a prefix (k, M, Ki, …). `None` for other texts.
pub(super) fn parse_quantity(text: &str, units: Units) -> Option<f64> {
    let text = text.trim();
    let is_number = |c: char| c.is_ascii_digit() || "+-.".contains(c);
    let mut end = text.find(|c: char| !is_number(c)).unwrap_or(text.len());
    // An exponent is part of the number if digits follow: 1e9, but 1Ef.
    if let Some(rest) = text[end..].strip_prefix(['e', 'E']) {
        let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        if digits.starts_with(|c: char| c.is_ascii_digit()) {
            let sign = rest.len() - digits.len();
            let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            end += 1 + sign + length;
        }
    }
    let number: f64 = text[..end].parse().ok()?;
    let unit = text[end..].trim();
    let plain = units.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let prefixed = || {
        let named = units.iter().filter(|(name, _)| !name.is_empty() && units.len() < 4);
        named
            .flat_map(|(name, factor)| {
                PREFIXES.map(|(prefix, power)| (prefix, *name, power * factor))
            })
            .find(|(prefix, name, _)| unit.strip_prefix(prefix) == Some(*name))
            .map(|(_, _, factor)| factor)
    };
    let value = number * plain.or_else(prefixed)?;
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_match_simgrid() {
        for (text, units, value) in [
            ("125MBps", RATE, Some(125e6)),
            ("1Gbps", RATE, Some(125e6)),
            ("1.5KiBps", RATE, Some(1536.0)),
            ("8kbps", RATE, Some(1000.0)),
            ("1e9", RATE, Some(1e9)),
            ("1e-3GBps", RATE, Some(1e6)),
            ("1Gf", SPEED, Some(1e9)),
            ("2.5Ef", SPEED, Some(2.5e18)),
            ("50us", SECONDS, Some(50e-6)),
            ("0", SECONDS, Some(0.0)),
            ("0s", SECONDS, Some(0.0)),
            ("1 ms", SECONDS, Some(1e-3)),
            ("1kBs", RATE, None),
            ("fast", SPEED, None),
            ("", SECONDS, None),
            ("1e400", SECONDS, None),
        ] {
            let read = parse_quantity(text, units);
            let is_close =
                |value: f64| read.is_some_and(|read| (read - value).abs() <= 1e-15 * value.abs());
            assert!(value.map_or(read.is_none(), is_close), "{text}: {read:?}");
        }
    }
}
