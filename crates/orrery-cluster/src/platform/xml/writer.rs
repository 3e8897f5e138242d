use std::fmt::Write as _;

use crate::platform::{Host, HostId, HostOverheads, Link, LinkId, PiecewiseTime, Topology};

/// Returns hosts, links and all routes between different hosts as the text of a platform of
/// SimGrid, version 4.1, with settings of `<config>` by name and value.
///
/// ```
/// use orrery_cluster::platform::HostOverheads;
/// use orrery_cluster::platform::xml::{parse, write};
/// let text = r#"<platform version="4.1">
///   <cluster id="c" prefix="n-" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/>
/// </platform>"#;
/// let platform = parse(text, "four.xml")?;
/// let written = write(&platform.topology, &HostOverheads::default(), &[("network/TCP-gamma", "1e9".to_owned())]);
/// let again = parse(&written, "written.xml")?;
/// assert_eq!((again.topology.hosts, again.topology.links), (platform.topology.hosts, platform.topology.links));
/// assert_eq!((again.topology.routes.len(), again.settings.len()), (12, 1));
/// # Ok::<(), orrery_base::file::FileError>(())
/// ```
pub fn write(
    topology: &Topology,
    overheads: &HostOverheads,
    settings: &[(&str, String)],
) -> String {
    let mut text =
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            .to_owned();
    text += "<platform version=\"4.1\">\n";
    if !settings.is_empty() {
        text += "  <config>\n";
        settings.iter().for_each(|(name, value)| text += &property("    ", name, value));
        text += "  </config>\n";
    }
    text += "  <zone id=\"cluster\" routing=\"Full\">\n";
    for (number, host) in topology.hosts.iter().enumerate() {
        text += &host_element(host, &overheads.of(HostId(number as u32)));
    }
    for Link { name, bandwidth, latency, is_fatpipe } in &topology.links {
        let policy = if *is_fatpipe { "FATPIPE" } else { "SHARED" };
        let (name, bandwidth, latency) = (escaped(name), bandwidth.get(), latency.get());
        let _ = writeln!(
            text,
            "    <link id=\"{name}\" bandwidth=\"{bandwidth:e}Bps\" latency=\"{latency:e}s\" \
                sharing_policy=\"{policy}\"/>"
        );
    }
    let hosts = || (0..topology.hosts.len() as u32).map(HostId);
    for (from, to) in
        hosts().flat_map(|from| hosts().map(move |to| (from, to))).filter(|(from, to)| from != to)
    {
        if let Some(links) = topology.route(from, to) {
            text += &route(topology, [from, to], &links);
        }
    }
    text + "  </zone>\n</platform>\n"
}

/// The element of a host; `overheads` are those of its blocking sends, non-blocking sends and
/// receives.
fn host_element(host: &Host, overheads: &[PiecewiseTime; 3]) -> String {
    let Host { name, speed, cores } = host;
    let opening =
        format!("    <host id=\"{}\" speed=\"{speed:e}f\" core=\"{cores}\"", escaped(name));
    if overheads.iter().all(PiecewiseTime::is_zero) {
        return opening + "/>\n";
    }
    let named = ["smpi/os", "smpi/ois", "smpi/or"]
        .into_iter()
        .zip(overheads)
        .filter(|(_, time)| !time.is_zero());
    let properties = named.map(|(name, time)| property("      ", name, &time.to_string()));
    format!("{opening}>\n{}    </host>\n", properties.collect::<String>())
}

/// The element of a route from the first host to the second.
fn route(topology: &Topology, ends: [HostId; 2], links: &[LinkId]) -> String {
    let [from, to] = ends.map(|host| escaped(&topology.hosts[host.index()].name));
    let links = links
        .iter()
        .map(|link| format!("<link_ctn id=\"{}\"/>", escaped(&topology.links[link.index()].name)));
    let links: String = links.collect();
    format!("    <route src=\"{from}\" dst=\"{to}\" symmetrical=\"NO\">{links}</route>\n")
}

/// An element `prop`, indented by `indent`.
fn property(indent: &str, name: &str, value: &str) -> String {
    format!("{indent}<prop id=\"{}\" value=\"{}\"/>\n", escaped(name), escaped(value))
}

/// The text as the value of an attribute, with special characters replaced.
fn escaped(text: &str) -> String {
    let replaced = text.chars().map(|c| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\n' | '\r' | '\t' => format!("&#{};", u32::from(c)),
        // Other control characters are not allowed in XML.
        c if c.is_control() => "\u{fffd}".to_owned(),
        c => c.to_string(),
    });
    replaced.collect()
}
