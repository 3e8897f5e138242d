//! Values of options that contain a path, which may have any bytes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{OsStringValueParser, TypedValueParser};

/// A value that contains a path.
pub trait WithPath: FromStr<Err = String> + Clone + Send + Sync + 'static {
    /// The path as parsed from a text, the character before it, and that behind it; no character is
    /// behind a path that ends with the value.
    fn path_mut(&mut self) -> Option<(&mut PathBuf, char, Option<char>)>;
}

/// The parser of such a value; its path is that of the command line, byte by byte.
pub fn with_path<T: WithPath>() -> impl TypedValueParser<Value = T> {
    OsStringValueParser::new().try_map(|value| parse(&value))
}

fn parse<T: WithPath>(value: &OsStr) -> Result<T, String> {
    let mut parsed: T = value.to_string_lossy().parse()?;
    if value.to_str().is_none()
        && let Some((path, begin, end)) = parsed.path_mut()
    {
        let bytes = value.as_bytes();
        let is = |bound: char| move |byte: &u8| char::from(*byte) == bound;
        let rest = bytes.iter().position(is(begin)).map_or(bytes, |at| &bytes[at + 1..]);
        let length = end.and_then(|end| rest.iter().position(is(end))).unwrap_or(rest.len());
        *path = OsStr::from_bytes(&rest[..length]).into();
    }
    Ok(parsed)
}
