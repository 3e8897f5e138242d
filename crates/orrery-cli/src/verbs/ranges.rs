//! Ranges of sizes on the command line.

use orrery::units::Bytes;

/// Parses a range of message sizes above 0: `1K..64K`.
pub fn sizes_above_zero(text: &str) -> Result<(Bytes, Bytes), String> {
    match sizes(text)? {
        (Bytes::ZERO, _) => Err("the range must begin at 1 byte or more".to_owned()),
        range => Ok(range),
    }
}

/// Parses a range of message sizes: `1K..64K`.
pub fn sizes(text: &str) -> Result<(Bytes, Bytes), String> {
    let (low, high) =
        text.split_once("..").ok_or("a range of sizes is expected, such as 1K..64K")?;
    let size = |text: &str| text.trim().parse::<Bytes>().map_err(|error| error.to_string());
    let (low, high) = (size(low)?, size(high)?);
    if low <= high {
        Ok((low, high))
    } else {
        Err(format!("the range ends at {high}, before it begins at {low}"))
    }
}
