use super::element::{Element, LATENCY_EXPECTED, RATE_EXPECTED, Result, SPEED_EXPECTED};
use super::radical;
use super::reader::Reader;
use crate::platform::quantity::{RATE, SECONDS, SPEED};
use crate::platform::{Host, LinkId, Port};

/// How the two directions of a host's link share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Policy {
    SplitDuplex,
    Shared,
    Fat,
}

/// `<cluster>`: alike hosts, each with its link to a switch that is perfect, or a link itself (the backbone).
pub(super) fn cluster(reader: &mut Reader, element: Element<'_>) -> Result<()> {
    element.one_of("topology", &[("FLAT", ())], "only FLAT clusters are understood")?;
    for attribute in ["limiter_link", "availability_file", "state_file"] {
        if element.get(attribute).is_some() {
            return Err(element.wrong(attribute, "this attribute cannot be taken into account"));
        }
    }
    let policies = [("SPLITDUPLEX", Policy::SplitDuplex), ("SHARED", Policy::Shared), ("FATPIPE", Policy::Fat)];
    let policy = element.one_of("sharing_policy", &policies, "SPLITDUPLEX, SHARED or FATPIPE should stand there")?;
    let name = element.need("id")?;
    let (prefix, suffix) = (element.get("prefix").unwrap_or_default(), element.get("suffix").unwrap_or_default());
    let numbers = radical::numbers(element.need("radical")?).map_err(|fault| element.refuse(fault))?;
    let speed = element.needed("speed", SPEED, false, SPEED_EXPECTED)?;
    let cores = element.cores()?;
    let bandwidth = element.needed("bw", RATE, false, RATE_EXPECTED)?;
    let latency = element.needed("lat", SECONDS, true, LATENCY_EXPECTED)?;
    let policies = [("SHARED", false), ("FATPIPE", true)];
    let is_fat = element.one_of("bb_sharing_policy", &policies, "SHARED or FATPIPE should stand there")?;
    let backbone = optional(reader, element, format!("{name}_backbone"), ["bb_bw", "bb_lat"], is_fat)?;
    let own = reader.clusters;
    reader.clusters += 1;
    for number in numbers {
        let host = format!("{prefix}{number}{suffix}");
        let link = |direction: &str| format!("{name}_link_{number}{direction}");
        let is_fat = policy == Policy::Fat;
        let (up, down) = if policy == Policy::SplitDuplex {
            let up = reader.link(element, link("_UP"), bandwidth, latency, false)?;
            (up, reader.link(element, link("_DOWN"), bandwidth, latency, false)?)
        } else {
            let both = reader.link(element, link(""), bandwidth, latency, is_fat)?;
            (both, both)
        };
        let loopback = optional(reader, element, link("_loopback"), ["loopback_bw", "loopback_lat"], true)?;
        let port = Port { up, down, backbone, loopback, cluster: own };
        reader.host(element, Host { name: host, speed, cores }, Some(port))?;
    }
    Ok(())
}

/// A link that there is when its rate or its latency is given.
fn optional(
    reader: &mut Reader,
    element: Element<'_>,
    name: String,
    [rate, latency]: [&'static str; 2],
    is_fat: bool,
) -> Result<Option<LinkId>> {
    if element.get(rate).is_none() && element.get(latency).is_none() {
        return Ok(None);
    }
    let bandwidth = element.needed(rate, RATE, false, RATE_EXPECTED)?;
    let latency = element.quantity(latency, SECONDS, true, LATENCY_EXPECTED)?.unwrap_or(0.0);
    reader.link(element, name, bandwidth, latency, is_fat).map(Some)
}
