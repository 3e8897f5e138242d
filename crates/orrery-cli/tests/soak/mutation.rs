//! Mutations of files and arguments.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

/// Texts that readers and options often take wrongly.
const TOKENS: &[&str] = &[
    "-1",
    "0",
    "-0",
    "1e308",
    "1e-308",
    "nan",
    "inf",
    "NaN",
    "18446744073709551616",
    "4294967295",
    "2147483648",
    "20000",
    "99999999",
    "1e20",
    "0.5",
    "",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\0",
    "\u{1b}[2J",
    "\u{fffd}",
    "é",
    ",",
    ";",
    ":",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "null",
    "true",
    "<",
    ">",
    "=",
    "#",
    "../",
    "/",
    "%s",
    "1:2:3",
    "x",
    "K",
    "G",
    "e",
    "..",
];

/// The longest range that is copied or removed, in bytes.
const MAX_RANGE: usize = 200;

/// Changes a content in one to three places; half of the changes are of digits, so that readers
/// accept them.
pub fn of_content(content: &[u8], other: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut mutated = content.to_vec();
    for _ in 0..rng.random_range(1..=3) {
        let place = rng.random_range(0..=mutated.len());
        let end = (place + rng.random_range(1..=MAX_RANGE)).min(mutated.len());
        match rng.random_range(0..16) {
            0 => mutated.truncate(place),
            1 => drop(mutated.drain(place..end)),
            2 => {
                let copied = mutated[place..end].repeat(rng.random_range(1..20));
                mutated.splice(place..place, copied);
            }
            3 if place < mutated.len() => mutated[place] ^= 1 << rng.random_range(0..8),
            4 => {
                let begin = rng.random_range(0..=other.len());
                let end = (begin + rng.random_range(1..=MAX_RANGE)).min(other.len());
                mutated.splice(place..place, other[begin..end].iter().copied());
            }
            5 | 6 => mutated = replaced_number(&mutated, rng),
            7 => drop(mutated.splice(place..place, token(rng).bytes()).count()),
            _ => change_digit(&mut mutated, rng),
        }
    }
    mutated
}

/// Replaces an argument, or a number in it.
pub fn of_argument(argument: &str, rng: &mut ChaCha8Rng) -> String {
    let has_number = argument.bytes().any(|byte| byte.is_ascii_digit());
    let mutated = if has_number && rng.random_bool(0.7) {
        String::from_utf8_lossy(&replaced_number(argument.as_bytes(), rng)).into_owned()
    } else {
        token(rng).to_owned()
    };
    // Arguments of programs have no NUL.
    mutated.replace('\0', "")
}

fn token(rng: &mut ChaCha8Rng) -> &'static str {
    TOKENS[rng.random_range(0..TOKENS.len())]
}

/// Changes one digit.
fn change_digit(content: &mut [u8], rng: &mut ChaCha8Rng) {
    let digits: Vec<usize> =
        (0..content.len()).filter(|&place| content[place].is_ascii_digit()).collect();
    if !digits.is_empty() {
        content[digits[rng.random_range(0..digits.len())]] = rng.random_range(b'0'..=b'9');
    }
}

/// Replaces one number by a token.
fn replaced_number(content: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let is_number = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+');
    let starts: Vec<usize> = (0..content.len())
        .filter(|&place| {
            content[place].is_ascii_digit() && (place == 0 || !is_number(content[place - 1]))
        })
        .collect();
    if starts.is_empty() {
        return content.to_vec();
    }
    let start = starts[rng.random_range(0..starts.len())];
    let length = content[start..].iter().take_while(|byte| is_number(**byte)).count();
    [&content[..start], token(rng).as_bytes(), &content[start + length..]].concat()
}
