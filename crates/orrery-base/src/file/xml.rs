//! What makes an XML text cost more than time and memory in proportion to its length.
//!
//! A parser that compares each attribute of an element with those before it takes quadratic time,
//! one that copies the name spaces of an element into each nested one cubic time. An entity is
//! repeated wherever it is named.

use super::{Fault, Result};

/// The largest number of attributes of an element.
const MAX_ATTRIBUTES: usize = 1000;

/// The largest number of declarations of name spaces in a text.
const MAX_NAME_SPACES: usize = 100;

/// Checks that an XML text defines no entity, that no element has too many attributes, and that
/// there are not too many name spaces, in time in proportion to its length.
///
/// # Errors
///
/// The first entity, the first element with too many attributes, or the first name space too many.
///
/// ```
/// use orrery_base::file::check_xml;
/// assert!(check_xml("<a b='1'/>").is_ok());
/// let many = format!("<a {}/>", "b=\"1\" ".repeat(1001));
/// assert!(check_xml(&many).unwrap_err().to_string().contains("more than 1000 attributes"));
/// ```
pub fn check_xml(text: &str) -> Result<()> {
    if let Some(byte) = text.find("<!ENTITY") {
        let fault = "entities are not supported; write their text where they are named";
        return Err(Fault::new(fault).at(byte));
    }
    if let Some((byte, _)) = text.match_indices("xmlns").nth(MAX_NAME_SPACES) {
        let fault = format!("there are more than {MAX_NAME_SPACES} declarations of name spaces");
        return Err(Fault::new(format!("{fault}; remove some")).at(byte));
    }
    let mut start = 0;
    for part in text.split('<') {
        if attributes(part) > MAX_ATTRIBUTES {
            let fault = format!("an element has more than {MAX_ATTRIBUTES} attributes");
            return Err(Fault::new(format!("{fault}; remove some")).at(start));
        }
        start += part.len() + 1;
    }
    Ok(())
}

/// The number of quoted values in the tag at the beginning of a part between two `<`, which no value
/// contains; 0 for what begins no element.
fn attributes(part: &str) -> usize {
    if part.starts_with(['!', '?', '/']) || part.starts_with(char::is_whitespace) {
        return 0;
    }
    let (mut count, mut rest) = (0, part);
    while let Some(at) = rest.find(['"', '\'', '>']) {
        let quote = rest.as_bytes()[at];
        let Some(end) = rest[at + 1..].find(quote as char).filter(|_| quote != b'>') else { break };
        count += 1;
        rest = &rest[at + end + 2..];
    }
    count
}
