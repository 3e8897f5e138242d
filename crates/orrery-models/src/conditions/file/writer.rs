use super::VERSION;
use crate::conditions::{Conditions, Current, HostConditions, LinkConditions};
use orrery_base::file::FileKind;
use orrery_base::json::{Layout, quote};

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
        quantities.into_iter().filter_map(|(key, one)| Some((key, current(one?)))).collect();
    if !host.disk_free.is_empty() {
        let disks =
            host.disk_free.iter().map(|(folder, one)| (folder.as_str(), current(*one))).collect();
        fields.push(("disk_free", object(disks)));
    }
    fields
}

/// The fields of a link: those that are known.
fn link_fields(link: &LinkConditions) -> Vec<(&str, String)> {
    let mut fields = vec![("from", quote(&link.from)), ("to", quote(&link.to))];
    let currents = [("latency", link.latency), ("bandwidth", link.bandwidth)];
    fields.extend(currents.into_iter().filter_map(|(key, one)| Some((key, current(one?)))));
    let idle = [("idle_latency", link.idle_latency), ("idle_bandwidth", link.idle_bandwidth)];
    fields.extend(idle.into_iter().filter_map(|(key, one)| Some((key, one?.to_string()))));
    fields
}

/// The object of a forecast.
fn current(one: Current) -> String {
    let mut fields = vec![("value", one.value.to_string())];
    if let Some((low, high)) = one.interval {
        fields.extend([("low", low.to_string()), ("high", high.to_string())]);
    }
    fields.extend([("age", one.age.get().to_string()), ("stale", one.is_stale.to_string())]);
    object(fields)
}

/// An object on one line.
fn object(fields: Vec<(&str, String)>) -> String {
    let fields: Vec<String> =
        fields.into_iter().map(|(key, value)| format!("{}: {value}", quote(key))).collect();
    format!("{{{}}}", fields.join(", "))
}
