//! Elements of a platform: zones, hosts, links, routes and clusters.

use std::collections::BTreeSet;
use std::path::Path;

use roxmltree::{Document, Error, ParsingOptions};

use super::builder::{Builder, radical_numbers};
use super::element::{Element, LATENCY_EXPECTED, RATE_EXPECTED, SPEED_EXPECTED, duplicate};
use super::settings::{LocatedSetting, SettingAt, parse_config, parse_host_properties};
use crate::platform::quantity::{RATE, SECONDS, SPEED, parse_quantity};
use crate::platform::{Host, HostId, HostOverheads, Network, Overheads, Port};
use orrery_base::file::{Fault, FaultKind, FileError, Position, Result, check_xml};

/// The advice for files of values that change over time.
const PROFILE: &str = "values that change over time are not simulated; remove it";

/// Parses a platform; `file` is its name in errors.
///
/// Zones are replaced by their content; routes between zones are not supported.
///
/// # Errors
///
/// Content that is invalid or not supported, with line and column.
pub fn parse(text: &str, file: &str) -> Result<Network, FileError> {
    check_xml(text).map_err(|fault| FileError::located(Path::new(file), text, fault))?;
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: 1 << 22, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|reason| {
        if matches!(reason, Error::UnexpectedEndOfStream | Error::UnclosedRootNode) {
            let fault = "the file ends in the middle of the XML; write it again, or close the open \
                elements";
            let fault = Fault::new(fault).of_kind(FaultKind::Truncated).at(text.trim_end().len());
            return FileError::located(Path::new(file), text, fault);
        }
        let position = reason.pos();
        let position = Position { line: position.row as usize, column: position.col as usize };
        let fault = Fault::new(format!("invalid XML: {reason}; correct it here or just before"));
        FileError::at(Path::new(file), position, fault)
    })?;
    let content = parse_platform(Element(document.root_element()), text.len());
    let content = content.map_err(|located| FileError::located(Path::new(file), text, located))?;
    let settings = content.settings.into_iter().map(|SettingAt { setting, name, byte }| {
        LocatedSetting { setting, name, position: Position::of(text, byte) }
    });
    Ok(Network {
        path: file.into(),
        topology: content.builder.topology,
        overheads: content.overheads,
        sharing: None,
        eager: None,
        buffer: None,
        settings: settings.collect(),
        assumed: Vec::new(),
    })
}

/// The content of a platform read so far.
#[derive(Debug)]
struct Content {
    builder: Builder,
    overheads: HostOverheads,
    settings: Vec<SettingAt>,
}

/// Parses the root element, of a text of this number of bytes, and all elements in it.
fn parse_platform(root: Element<'_>, length: usize) -> Result<Content> {
    if root.name() != "platform" {
        return Err(root.error(format!(
            "the outermost element is <{value}>; a platform of SimGrid \
            begins with <platform version=\"4.1\">",
            value = root.name()
        )));
    }
    root.check_attributes(&["version"])?;
    let builder = Builder::new(length);
    let mut content =
        Content { builder, overheads: HostOverheads::default(), settings: Vec::new() };
    let mut zones = vec![root];
    while let Some(zone) = zones.pop() {
        for element in zone.children() {
            match element.name() {
                "zone" | "AS" => {
                    element.check_attributes(&["id", "routing"])?;
                    zones.push(element);
                }
                "cluster" => content.cluster(element)?,
                "host" => content.host(element, zone)?,
                "link" => content.link(element)?,
                "route" => content.route(element, zone)?,
                "config" => {
                    let settings = parse_config(element, &mut content.overheads.default)?;
                    content.settings.extend(settings);
                }
                // Properties of zones are free text; routers are ends of routes between zones only.
                "prop" | "router" => {}
                _ => return Err(element.unsupported()),
            }
        }
    }
    let mut names = BTreeSet::new();
    if let Some(SettingAt { name, byte, .. }) =
        content.settings.iter().find(|one| !names.insert(&one.name))
    {
        let fault = duplicate("setting", name);
        return Err(fault.at(*byte));
    }
    if content.builder.topology.hosts.is_empty() {
        Err(root.error("the platform has no host; add a <host> or a <cluster>"))
    } else {
        Ok(content)
    }
}

/// Returns an error for a zone whose routes are computed and not listed.
fn check_routing(zone: Element<'_>) -> Result<()> {
    let allowed = [("Full", ()), ("None", ()), ("Empty", ())];
    zone.one_of("routing", &allowed, "zones with hosts or routes need routing=\"Full\"")
}

impl Content {
    /// Parses the element `<host>` and adds the host.
    fn host(&mut self, element: Element<'_>, zone: Element<'_>) -> Result<()> {
        let known = [
            "id",
            "speed",
            "core",
            "speed_file",
            "availability_file",
            "state_file",
            "coordinates",
            "pstate",
        ];
        element.check_attributes(&known)?;
        element.check_unset(&["speed_file", "availability_file", "state_file"], PROFILE)?;
        check_routing(zone)?;
        let name = element.require("id")?.to_owned();
        let speed = speed(element)?;
        let cores = element.cores()?;
        let overheads = parse_host_properties(element)?;
        let host = self.builder.add_host(element, Host { name, speed, cores })?;
        self.set_overheads(host, overheads);
        Ok(())
    }

    /// Stores the overheads of a host unless they are the default.
    fn set_overheads(&mut self, host: HostId, overheads: Overheads) {
        if overheads != Overheads::default() {
            self.overheads.hosts.insert(host, overheads);
        }
    }

    /// Parses the element `<link>` and adds the link; with the policy SPLITDUPLEX it adds two
    /// links.
    fn link(&mut self, element: Element<'_>) -> Result<()> {
        let files = ["bandwidth_file", "latency_file", "state_file"];
        element.check_attributes(
            &[&["id", "bandwidth", "latency", "sharing_policy"], &files[..]].concat(),
        )?;
        element.check_unset(&files, PROFILE)?;
        if let Some(child) = element.children().find(|child| child.name() != "prop") {
            return Err(child.unsupported());
        }
        let name = element.require("id")?;
        let bandwidth = element.require_quantity("bandwidth", RATE, false, RATE_EXPECTED)?;
        let latency = element.quantity("latency", SECONDS, true, LATENCY_EXPECTED)?.unwrap_or(0.0);
        let policies = [
            ("SHARED", (false, false)),
            ("SPLITDUPLEX", (false, true)),
            ("FULLDUPLEX", (false, true)),
            ("FATPIPE", (true, false)),
        ];
        let expected = "SHARED, SPLITDUPLEX or FATPIPE is expected";
        let (is_fatpipe, is_split) = element.one_of("sharing_policy", &policies, expected)?;
        if is_split {
            let up = self.builder.add_link(
                element,
                &format!("{name}_UP"),
                (bandwidth, latency),
                false,
            )?;
            let down = self.builder.add_link(
                element,
                &format!("{name}_DOWN"),
                (bandwidth, latency),
                false,
            )?;
            return self.builder.name_links(element, name, [up, down]);
        }
        self.builder.add_link(element, name, (bandwidth, latency), is_fatpipe).map(|_| ())
    }

    /// Parses the element `<route>`: symmetrical by default, with the links of the way back in
    /// reverse order and direction.
    fn route(&mut self, element: Element<'_>, zone: Element<'_>) -> Result<()> {
        element.check_attributes(&["src", "dst", "symmetrical"])?;
        check_routing(zone)?;
        let (from, to) =
            (self.builder.find_host(element, "src")?, self.builder.find_host(element, "dst")?);
        let is_symmetrical = element.one_of(
            "symmetrical",
            &[("YES", true), ("NO", false)],
            "YES or NO is expected",
        )?;
        let (mut there, mut back) = (Vec::new(), Vec::new());
        for part in element.children() {
            if part.name() != "link_ctn" {
                return Err(part.unsupported());
            }
            part.check_attributes(&["id", "direction"])?;
            let links = self.builder.find_links(part)?;
            let directions = [("NONE", 0), ("UP", 0), ("DOWN", 1)];
            let direction =
                part.one_of("direction", &directions, "UP, DOWN or NONE is expected")?;
            there.push(links[direction]);
            back.push(links[1 - direction]);
        }
        back.reverse();
        let routes = &mut self.builder.topology.routes;
        routes.insert((from, to), there);
        if is_symmetrical && from != to {
            routes.insert((to, from), back);
        }
        Ok(())
    }

    /// Parses the element `<cluster>`: identical hosts, each with a link to a perfect switch or to
    /// a backbone link.
    fn cluster(&mut self, element: Element<'_>) -> Result<()> {
        /// The attributes that are known.
        const KNOWN: [&str; 21] = [
            "id",
            "prefix",
            "suffix",
            "radical",
            "speed",
            "core",
            "bw",
            "lat",
            "sharing_policy",
            "topology",
            "topo_parameters",
            "bb_bw",
            "bb_lat",
            "bb_sharing_policy",
            "router_id",
            "limiter_link",
            "loopback_bw",
            "loopback_lat",
            "availability_file",
            "state_file",
            "speed_file",
        ];
        element.check_attributes(&KNOWN)?;
        element.one_of("topology", &[("FLAT", ())], "only FLAT clusters are")?;
        element.check_unset(&["limiter_link"], "remove it")?;
        element.check_unset(&["availability_file", "state_file", "speed_file"], PROFILE)?;
        let policies = [
            ("SPLITDUPLEX", Policy::Split),
            ("FULLDUPLEX", Policy::Split),
            ("SHARED", Policy::Shared),
            ("FATPIPE", Policy::Fat),
        ];
        let policy = element.one_of(
            "sharing_policy",
            &policies,
            "SPLITDUPLEX, SHARED or FATPIPE is expected",
        )?;
        let name = element.require("id")?;
        let (prefix, suffix) =
            (element.get("prefix").unwrap_or_default(), element.get("suffix").unwrap_or_default());
        let numbers =
            radical_numbers(element.require("radical")?).map_err(|fault| element.error(fault))?;
        let (speed, cores) = (speed(element)?, element.cores()?);
        let bandwidth = element.require_quantity("bw", RATE, false, RATE_EXPECTED)?;
        let latency = element.require_quantity("lat", SECONDS, true, LATENCY_EXPECTED)?;
        let policies = [("SHARED", false), ("FATPIPE", true)];
        let is_fatpipe =
            element.one_of("bb_sharing_policy", &policies, "SHARED or FATPIPE is expected")?;
        let overheads = parse_host_properties(element)?;
        let builder = &mut self.builder;
        let number = builder.clusters;
        builder.clusters += 1;
        let first = builder.begin_cluster(element, numbers.len())?;
        let backbone = optional_link(element, ["bb_bw", "bb_lat"])?;
        let backbone =
            backbone.map(|costs| builder.push_link(format!("{name}_backbone"), costs, is_fatpipe));
        let loopback = optional_link(element, ["loopback_bw", "loopback_lat"])?;
        for radical in numbers {
            let mut link = |direction: &str, costs, is_fatpipe| {
                builder.push_link(format!("{name}_link_{radical}{direction}"), costs, is_fatpipe)
            };
            let costs = (bandwidth, latency);
            let (up, down) = if policy == Policy::Split {
                (link("_UP", costs, false), link("_DOWN", costs, false))
            } else {
                let both = link("", costs, policy == Policy::Fat);
                (both, both)
            };
            let loopback = loopback.map(|costs| link("_loopback", costs, true));
            let port = Port { up, down, uplink: None, backbone, loopback, cluster: number };
            let host = Host { name: format!("{prefix}{radical}{suffix}"), speed, cores };
            builder.push_host(element, host, Some(port))?;
        }
        builder.register_names(element, first)?;
        for host in first.0.0..self.builder.topology.hosts.len() as u32 {
            self.set_overheads(HostId(host), overheads.clone());
        }
        Ok(())
    }
}

/// The sharing of bandwidth between the two directions of a cluster's links, and between transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Policy {
    Split,
    Shared,
    Fat,
}

/// The speed of a host in operations per second: the one of its performance state (`pstate`) if
/// `speed` lists several.
fn speed(element: Element<'_>) -> Result<f64> {
    let speeds = element.require("speed")?;
    let state = element.get("pstate").map_or(Some(0.0), |text| text.trim().parse::<f64>().ok());
    let state = state.filter(|&state| state >= 0.0 && state.fract() == 0.0);
    let state = state
        .ok_or_else(|| element.invalid("pstate", "the number of a speed, from 0, is expected"))?;
    let text = speeds.split(',').nth(state as usize);
    let text = text.ok_or_else(|| {
        element.invalid("pstate", "\"speed\" lists fewer speeds; correct one of them")
    })?;
    let speed = parse_quantity(text, SPEED).filter(|&speed| speed > 0.0);
    speed.ok_or_else(|| element.invalid("speed", SPEED_EXPECTED))
}

/// Bandwidth in bytes per second and latency in seconds of a link, in the attributes `rate` and
/// `latency`; `None` if neither is given.
fn optional_link(
    element: Element<'_>,
    [rate, latency]: [&'static str; 2],
) -> Result<Option<(f64, f64)>> {
    let is_unset = |attribute: &str| element.get(attribute).is_none_or(str::is_empty);
    if is_unset(rate)
        && (is_unset(latency)
            || element.quantity(latency, SECONDS, true, LATENCY_EXPECTED)? == Some(0.0))
    {
        return Ok(None);
    }
    let bandwidth = element.require_quantity(rate, RATE, false, RATE_EXPECTED)?;
    if is_unset(latency) {
        return Ok(Some((bandwidth, 0.0)));
    }
    Ok(Some((bandwidth, element.require_quantity(latency, SECONDS, true, LATENCY_EXPECTED)?)))
}
