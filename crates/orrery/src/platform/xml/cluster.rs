use super::element::{Element, LATENCY_EXPECTED, RATE_EXPECTED, Result, SPEED_EXPECTED};
use super::radical;
use super::reader::Reader;
use crate::platform::quantity::{RATE, SECONDS, SPEED};
use crate::platform::{Host, Port};

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
    let is_fatpipe = element.one_of("bb_sharing_policy", &policies, "SHARED or FATPIPE should stand there")?;
    let own = reader.clusters;
    reader.clusters += 1;
    let first = reader.begin_cluster(element, numbers.len())?;
    let backbone = optional(element, ["bb_bw", "bb_lat"])?;
    let backbone = backbone.map(|costs| reader.unnamed_link(format!("{name}_backbone"), costs, is_fatpipe));
    let loopback = optional(element, ["loopback_bw", "loopback_lat"])?;
    for number in numbers {
        let mut link = |direction: &str, costs, is_fatpipe| {
            reader.unnamed_link(format!("{name}_link_{number}{direction}"), costs, is_fatpipe)
        };
        let costs = (bandwidth, latency);
        let (up, down) = if policy == Policy::SplitDuplex {
            (link("_UP", costs, false), link("_DOWN", costs, false))
        } else {
            let both = link("", costs, policy == Policy::Fat);
            (both, both)
        };
        let loopback = loopback.map(|costs| link("_loopback", costs, true));
        let port = Port { up, down, backbone, loopback, cluster: own };
        reader.unnamed_host(element, Host { name: format!("{prefix}{number}{suffix}"), speed, cores }, Some(port))?;
    }
    reader.name_all(element, first)
}

/// Bandwidth and latency of a link that there is when one of them is given.
fn optional(element: Element<'_>, [rate, latency]: [&'static str; 2]) -> Result<Option<(f64, f64)>> {
    if element.get(rate).is_none() && element.get(latency).is_none() {
        return Ok(None);
    }
    let bandwidth = element.needed(rate, RATE, false, RATE_EXPECTED)?;
    Ok(Some((bandwidth, element.quantity(latency, SECONDS, true, LATENCY_EXPECTED)?.unwrap_or(0.0))))
}
