use std::path::Path;

use super::{FILE, VERSION};
use crate::conditions::{Conditions, Current, HostConditions, LinkConditions};
use orrery_base::file::{self, FileError, FileKind, Result};
use orrery_base::json::{self, Node, Object};
use orrery_base::units::Seconds;

/// Reads a file of conditions.
///
/// # Errors
///
/// A file that cannot be read, and the first fault in it.
pub fn read(path: impl AsRef<Path>) -> Result<Conditions, FileError> {
    let path = path.as_ref();
    parse(file::read(path, FILE)?, path)
}

/// Parses conditions; `name` is their name in errors. Unknown keys are ignored: a later service may
/// send more.
///
/// # Errors
///
/// The first fault with its line, its column and its path in the JSON.
pub fn parse(content: impl AsRef<[u8]>, name: impl AsRef<Path>) -> Result<Conditions, FileError> {
    let (content, path) = (content.as_ref(), name.as_ref());
    json::read(content, path, conditions)
}

/// Reads the outermost object.
fn conditions(text: &str) -> Result<Conditions> {
    let file = Node::root(text)?.object("an object")?;
    json::check_format(&file, FileKind::Conditions, VERSION)?;
    let time = file
        .needed("time", "seconds since 1970")?
        .number("a finite number of seconds since 1970")?;
    let mut conditions = Conditions { time: Seconds::new(time), ..Conditions::default() };
    conditions.level = number(&file, "level")?;
    if let Some(hosts) = file.get("hosts") {
        for (name, node) in hosts.object("an object with a host for each key")?.iter() {
            conditions.hosts.insert(
                name.to_owned(),
                host(&node.object("an object with the conditions of a host")?)?,
            );
        }
    }
    if let Some(links) = file.get("links") {
        for node in links.array("an array of links")? {
            conditions.links.push(link(&node.object("an object with \"from\" and \"to\"")?)?);
        }
    }
    Ok(conditions)
}

/// Reads the conditions of a host.
fn host(object: &Object) -> Result<HostConditions> {
    let mut host = HostConditions {
        availability: current(object, "availability")?,
        load: current(object, "load")?,
        memory_free: current(object, "memory_free")?,
        swap_free: current(object, "swap_free")?,
        ..HostConditions::default()
    };
    if let Some(disks) = object.get("disk_free") {
        let disks = disks.object("an object with a folder for each key")?;
        for (folder, _) in disks.iter() {
            host.disk_free
                .extend(current(&disks, folder)?.map(|current| (folder.to_owned(), current)));
        }
    }
    Ok(host)
}

/// Reads the conditions of a link.
fn link(object: &Object) -> Result<LinkConditions> {
    let name = |key| object.needed(key, "the name of a host")?.string("the name of a host");
    Ok(LinkConditions {
        from: name("from")?,
        to: name("to")?,
        latency: current(object, "latency")?,
        bandwidth: current(object, "bandwidth")?,
        idle_latency: number(object, "idle_latency")?,
        idle_bandwidth: number(object, "idle_bandwidth")?,
    })
}

/// Reads the forecast of a quantity; `None` if it is missing or null.
fn current(object: &Object, key: &str) -> Result<Option<Current>> {
    let Some(node) = object.get(key).filter(|node| !node.is_null()) else { return Ok(None) };
    let fields = node.object("an object with \"value\", such as {\"value\": 0.5}")?;
    let value = fields.needed("value", "a number")?;
    let value = not_negative(value)?;
    let interval = number(&fields, "low")?.zip(number(&fields, "high")?);
    if let Some((low, high)) = interval.filter(|(low, high)| !(*low <= value && value <= *high)) {
        return Err(node.refuse(format!(
            "the interval is {low} to {high}, and the value is {value}; \
            the value is between the ends"
        )));
    }
    let age = Seconds::new(number(&fields, "age")?.unwrap_or(0.0));
    let is_stale = match fields.get("stale").map(|node| (node, node.text())) {
        None | Some((_, "false")) => false,
        Some((_, "true")) => true,
        Some((node, _)) => return Err(node.expected("true or false")),
    };
    Ok(Some(Current { value, interval, age, is_stale }))
}

/// Reads a number that is not negative; `None` if it is missing or null.
fn number(object: &Object, key: &str) -> Result<Option<f64>> {
    object.get(key).filter(|node| !node.is_null()).map(not_negative).transpose()
}

/// Reads a number that is not negative.
fn not_negative(node: Node) -> Result<f64> {
    let value = node.number("a finite number")?;
    if value < 0.0 {
        Err(node.refuse(format!(
            "this is {value}, but times, sizes, rates and parts \
        are not negative"
        )))
    } else {
        Ok(value)
    }
}
