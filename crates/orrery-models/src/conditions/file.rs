//! The file of conditions: JSON, as the service of `orrery monitor` sends it.
//!
//! ```
//! use orrery_models::conditions::file;
//! let text = r#"{"format": "orrery-conditions", "version": 1, "time": 1772452800, "level": 0.95, "hosts": {
//!   "n1": {"availability": {"value": 0.5, "low": 0.4, "high": 0.6, "age": 2.5, "stale": false}}
//! }, "links": [{"from": "n1", "to": "n2", "bandwidth": {"value": 1.1e8}}]}"#;
//! let conditions = file::parse(text, "now.json")?;
//! assert_eq!(conditions.hosts["n1"].availability.and_then(|one| one.interval), Some((0.4, 0.6)));
//! assert_eq!(file::parse(file::to_text(&conditions), "again")?, conditions);
//!
//! let error = file::parse(text.replace("0.5,", "true,"), "now.json").unwrap_err().to_string();
//! assert!(error.starts_with("now.json:2:36: hosts.n1.availability.value: this is true"), "{error}");
//! # Ok::<(), orrery_base::file::FileError>(())
//! ```

use std::path::Path;

use super::{Conditions, Current, HostConditions, LinkConditions};
use orrery_base::file::{self, FileError, FileKind, Result};
use orrery_base::json::{self, Layout, Node, Object, object, quote};
use orrery_base::units::Seconds;

/// The name of such a file in messages.
const FILE: &str = "file of conditions";

/// The version of the format.
const VERSION: u64 = 1;

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
    json::read(content, path, FileKind::Conditions, conditions)
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
    conditions.hosts = file.optional("hosts", |hosts| {
        let hosts = hosts.object("an object with a host for each key")?;
        hosts.iter().map(|(name, node)| Ok((name.to_owned(), host(node)?))).collect()
    })?;
    conditions.links = file.optional("links", |links| {
        links.array("an array of links")?.into_iter().map(link).collect()
    })?;
    Ok(conditions)
}

/// Reads the conditions of a host.
fn host(node: Node) -> Result<HostConditions> {
    let object = &node.object("an object with the conditions of a host")?;
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
fn link(node: Node) -> Result<LinkConditions> {
    let object = &node.object("an object with \"from\" and \"to\"")?;
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
    let seconds = |key| number(&fields, key).map(|one| Seconds::new(one.unwrap_or(0.0)));
    let (age, ahead) = (seconds("age")?, seconds("ahead")?);
    let is_stale = match fields.get("stale").map(|node| (node, node.text())) {
        None | Some((_, "false")) => false,
        Some((_, "true")) => true,
        Some((node, _)) => return Err(node.expected("true or false")),
    };
    Ok(Some(Current { value, interval, age, ahead, is_stale }))
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

/// The text of a file of conditions, with a line for each host and link.
pub fn to_text(conditions: &Conditions) -> String {
    let host = |(name, host): (&String, &HostConditions)| {
        (name.clone(), Layout::Line(object(host_fields(host))))
    };
    let mut fields = vec![
        ("format".into(), Layout::string(FileKind::Conditions.format())),
        ("version".into(), Layout::Line(VERSION.to_string())),
        ("time".into(), Layout::Line(conditions.time.get().to_string())),
    ];
    fields.extend(conditions.level.map(|level| ("level".into(), Layout::Line(level.to_string()))));
    fields.push(("hosts".into(), Layout::Object(conditions.hosts.iter().map(host).collect())));
    fields.push((
        "links".into(),
        Layout::Rows(conditions.links.iter().map(|link| object(link_fields(link))).collect()),
    ));
    format!("{}\n", Layout::Object(fields))
}

/// The fields of a host: those that are known.
fn host_fields(host: &HostConditions) -> Vec<(&str, String)> {
    let quantities = [
        ("availability", host.availability),
        ("load", host.load),
        ("memory_free", host.memory_free),
        ("swap_free", host.swap_free),
    ];
    let mut fields: Vec<_> =
        quantities.into_iter().filter_map(|(key, one)| Some((key, forecast(one?)))).collect();
    if !host.disk_free.is_empty() {
        let disks = host.disk_free.iter().map(|(folder, one)| (folder, forecast(*one)));
        fields.push(("disk_free", object(disks)));
    }
    fields
}

/// The fields of a link: those that are known.
fn link_fields(link: &LinkConditions) -> Vec<(&str, String)> {
    let mut fields = vec![("from", quote(&link.from)), ("to", quote(&link.to))];
    let currents = [("latency", link.latency), ("bandwidth", link.bandwidth)];
    fields.extend(currents.into_iter().filter_map(|(key, one)| Some((key, forecast(one?)))));
    let idle = [("idle_latency", link.idle_latency), ("idle_bandwidth", link.idle_bandwidth)];
    fields.extend(idle.into_iter().filter_map(|(key, one)| Some((key, one?.to_string()))));
    fields
}

/// The object of a forecast.
fn forecast(one: Current) -> String {
    let mut fields = vec![("value", one.value.to_string())];
    if let Some((low, high)) = one.interval {
        fields.extend([("low", low.to_string()), ("high", high.to_string())]);
    }
    fields.push(("age", one.age.get().to_string()));
    if one.ahead > Seconds::ZERO {
        fields.push(("ahead", one.ahead.get().to_string()));
    }
    fields.push(("stale", one.is_stale.to_string()));
    object(fields)
}
