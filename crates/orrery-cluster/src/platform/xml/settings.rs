//! Settings of `<config>` and properties of hosts that change simulated times.

use super::element::{Element, duplicate};
use crate::platform::quantity::{RATE, SECONDS, parse_quantity};
use crate::platform::{Overheads, PiecewiseTime};
use orrery_base::file::{Fault, Position, Result};

/// A setting of `<config>` that changes simulated times.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// `network/model`: the network model, one of `CM02`, `LV08`, `SMPI` and `IB`.
    NetworkModel(&'static str),
    /// `network/latency-factor`: the factor of latencies in CM02 and LV08.
    LatencyFactor(f64),
    /// `network/bandwidth-factor`: the factor of bandwidths in CM02 and LV08.
    BandwidthFactor(f64),
    /// `network/weight-S`: S of the weights of flows, in bytes.
    WeightS(f64),
    /// `network/TCP-gamma`: γ, the TCP window, in bytes.
    TcpGamma(f64),
    /// `network/crosstraffic`: whether acknowledgements take 5 % of the reverse route.
    CrossTraffic(bool),
    /// `network/loopback-bw`: the bandwidth within hosts without a loopback link, in bytes per
    /// second.
    LoopbackBandwidth(f64),
    /// `network/loopback-lat`: the latency within hosts without a loopback link, in seconds.
    LoopbackLatency(f64),
    /// `smpi/lat-factor`: latency factors in SMPI and IB, each for sizes above a bound in bytes.
    SmpiLatencyFactors(Vec<(f64, f64)>),
    /// `smpi/bw-factor`: bandwidth factors in SMPI and IB, each for sizes above a bound in bytes.
    SmpiBandwidthFactors(Vec<(f64, f64)>),
    /// `smpi/IB-penalty-factors`: β_e, β_s and γ of InfiniBand's law.
    InfinibandPenalties([f64; 3]),
    /// `smpi/async-small-thresh`: smaller messages, in bytes, leave before their receive is posted.
    AsyncThreshold(u64),
    /// `smpi/send-is-detached-thresh`: smaller sends, in bytes, complete without their receive.
    DetachedThreshold(u64),
    /// `smpi/test`: the time of a test of a request, in seconds.
    TestTime(f64),
}

/// A setting with its position in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct LocatedSetting {
    /// The setting.
    pub setting: Setting,
    /// Its name in the file.
    pub name: String,
    /// Its position in the file.
    pub position: Position,
}

/// A setting and its byte offset.
#[derive(Debug)]
pub(super) struct SettingAt {
    pub(super) setting: Setting,
    pub(super) name: String,
    pub(super) byte: usize,
}

/// Settings that cannot change the time of a replay. Names that end in `/` are prefixes.
const HARMLESS: [&str; 46] = [
    "clean-atexit",
    "contexts/",
    "cpu/maxmin-selective-update",
    "cpu/optim",
    "cpu/solver",
    "debug/",
    "disk/",
    "exception/cutpath",
    "host/solver",
    "maxmin/precision",
    "model-check",
    "model-check/",
    "network/maxmin-selective-update",
    "network/optim",
    "path",
    "precision/",
    "smpi/auto-shared-malloc-thresh",
    "smpi/buffering",
    "smpi/cpu-threshold",
    "smpi/display-allocs",
    "smpi/display-timing",
    "smpi/errors-are-fatal",
    "smpi/host-speed",
    "smpi/hostfile",
    "smpi/iprobe-cpu-usage",
    "smpi/keep-temps",
    "smpi/list-leaks",
    "smpi/map",
    "smpi/np",
    "smpi/papi-events",
    "smpi/pedantic",
    "smpi/privatization",
    "smpi/privatize-libs",
    "smpi/replay",
    "smpi/shared-malloc",
    "smpi/shared-malloc-blocksize",
    "smpi/shared-malloc-hugepage",
    "smpi/tmpdir",
    "smpi/trace-call-location",
    "smpi/trace-call-use-absolute-path",
    "smpi/wtime",
    "storage/",
    "surf/precision",
    "tracing",
    "tracing/",
    "verbose-exit",
];

/// Settings whose default is the only supported value, with that value: a text, a number or a truth
/// value.
const DEFAULT_ONLY: [(&str, &[&str]); 23] = [
    ("cpu/model", &["cas01"]),
    ("host/model", &["default", "compound"]),
    ("maxmin/concurrency-limit", &["-1"]),
    ("network/solver", &["maxmin"]),
    ("plugin", &[""]),
    ("smpi/allgather", &["", "default"]),
    ("smpi/allgatherv", &["", "default"]),
    ("smpi/allreduce", &["", "default"]),
    ("smpi/alltoall", &["", "default"]),
    ("smpi/alltoallv", &["", "default"]),
    ("smpi/barrier", &["", "default"]),
    ("smpi/barrier-collectives", NO),
    ("smpi/barrier-finalization", NO),
    ("smpi/bcast", &["", "default"]),
    ("smpi/coll-selector", &["default"]),
    ("smpi/comp-adjustment-file", &[""]),
    ("smpi/finalization-barrier", NO),
    ("smpi/gather", &["", "default"]),
    ("smpi/init", &["0"]),
    ("smpi/reduce", &["", "default"]),
    ("smpi/reduce_scatter", &["", "default"]),
    ("smpi/scatter", &["", "default"]),
    ("smpi/simulate-computation", YES),
];

/// The values that mean true.
const YES: &[&str] = &["yes", "on", "true", "1"];
/// The values that mean false.
const NO: &[&str] = &["no", "off", "false", "0"];

/// The properties of hosts that set overheads, which `<config>` can set for all hosts.
const OVERHEADS: [&str; 3] = ["smpi/os", "smpi/ois", "smpi/or"];

/// The advice for a setting that is not supported.
const REMOVE: &str = "it can change times; remove it";

/// Parses the settings of `<config>`; those that are overheads are stored in `overheads`, the
/// others that change times are returned.
pub(super) fn parse_config(
    element: Element<'_>,
    overheads: &mut Overheads,
) -> Result<Vec<SettingAt>> {
    element.check_attributes(&["id"])?;
    let mut settings = Vec::new();
    for prop in element.children() {
        let (name, value) = property(prop)?;
        if OVERHEADS.contains(&name) {
            set_overhead(prop, overheads, name, value)?;
        } else if let Some(setting) = parse_setting(prop, name, value)? {
            settings.push(SettingAt { setting, name: name.to_owned(), byte: prop.0.range().start });
        }
    }
    Ok(settings)
}

/// Parses the properties of a host or of a cluster: its overheads.
pub(super) fn parse_host_properties(element: Element<'_>) -> Result<Overheads> {
    let mut overheads = Overheads::default();
    for child in element.children() {
        match child.name() {
            "prop" => {
                let (name, value) = property(child)?;
                if OVERHEADS.contains(&name) {
                    set_overhead(child, &mut overheads, name, value)?;
                } else if name.starts_with("smpi/") || name.starts_with("network/") {
                    return Err(unsupported(
                        child,
                        name,
                        value,
                        "of a host smpi/os, smpi/ois and smpi/or are; remove it",
                    ));
                }
            }
            "disk" if element.name() == "host" => {}
            _ => return Err(child.unsupported()),
        }
    }
    Ok(overheads)
}

/// The name and the value of a `<prop>`.
fn property(element: Element<'_>) -> Result<(&str, &str)> {
    if element.name() != "prop" {
        return Err(element.unsupported());
    }
    element.check_attributes(&["id", "value"])?;
    Ok((element.require("id")?.trim(), element.require("value")?.trim()))
}

/// The error for a setting that is not supported; `advice` says what to do.
fn unsupported(element: Element<'_>, name: &str, value: &str, advice: &'static str) -> Fault {
    element.error(format!("the setting {name}={value:?} is not supported; {advice}"))
}

/// Parses an overhead and stores it under its name, `smpi/os`, `smpi/ois` or `smpi/or`.
fn set_overhead(
    element: Element<'_>,
    overheads: &mut Overheads,
    name: &str,
    value: &str,
) -> Result<()> {
    let expected = "sections such as \"0:1e-5:1e-9;5000:2e-5:5e-10\" (bytes:seconds:seconds per \
        byte) are expected";
    let time = parse_sections(value).and_then(|sections| {
        let range = |(bound, values): (u64, Vec<f64>)| match values[..] {
            // SimGrid's own default has more values than it uses.
            [constant, per_byte, ..] => Some((bound, constant, per_byte)),
            _ => None,
        };
        sections.into_iter().map(range).collect::<Option<Vec<_>>>()
    });
    let time = time.filter(|ranges| {
        ranges.iter().all(|&(_, constant, per_byte)| constant >= 0.0 && per_byte >= 0.0)
    });
    let time =
        time.map(PiecewiseTime::new).ok_or_else(|| unsupported(element, name, value, expected))?;
    let field = match name {
        "smpi/os" => &mut overheads.send,
        "smpi/ois" => &mut overheads.posted_send,
        _ => &mut overheads.receive,
    };
    match field.replace(time) {
        Some(_) => Err(element.error(duplicate("setting", name))),
        None => Ok(()),
    }
}

/// Parses a setting of `<config>`; `None` if it cannot change times.
fn parse_setting(element: Element<'_>, name: &str, value: &str) -> Result<Option<Setting>> {
    let error = |advice| unsupported(element, name, value, advice);
    let one_of = |allowed: &[&str]| allowed.iter().any(|one| one.eq_ignore_ascii_case(value));
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let above_zero =
        |advice| number(value).filter(|&number| number > 0.0).ok_or_else(|| error(advice));
    let at_least_zero =
        |advice| number(value).filter(|&number| number >= 0.0).ok_or_else(|| error(advice));
    let bytes = || value.parse::<u64>().map_err(|_| error("a number of bytes is expected"));
    let truth = || match (one_of(YES), one_of(NO)) {
        (true, _) => Ok(true),
        (_, true) => Ok(false),
        _ => Err(error("yes or no is expected")),
    };
    let factors = || {
        let sections = parse_sections(value).filter(|sections| {
            sections.iter().all(|(_, values)| values.first().is_some_and(|&factor| factor > 0.0))
        });
        let sections = sections.ok_or_else(|| {
            error("factors such as \"65472:0.94;0:0.81\" (bytes:factor) are expected")
        })?;
        Ok::<_, Fault>(
            sections.into_iter().map(|(bound, values)| (bound as f64, values[0])).collect(),
        )
    };
    Ok(Some(match name {
        "network/model" => {
            let models = ["CM02", "LV08", "SMPI", "IB"];
            let model = models.into_iter().find(|model| *model == value);
            Setting::NetworkModel(
                model.ok_or_else(|| error("supported models are CM02, LV08, SMPI and IB"))?,
            )
        }
        "network/latency-factor" => {
            Setting::LatencyFactor(at_least_zero("a factor of 0 or more is expected")?)
        }
        "network/bandwidth-factor" => {
            Setting::BandwidthFactor(above_zero("a factor above 0 is expected")?)
        }
        "network/weight-S" => Setting::WeightS(at_least_zero("a number of 0 or more is expected")?),
        "network/TCP-gamma" => {
            Setting::TcpGamma(above_zero("a number of bytes above 0 is expected")?)
        }
        "network/crosstraffic" => Setting::CrossTraffic(truth()?),
        "network/loopback-bw" => {
            let rate = parse_quantity(value, RATE).filter(|&rate| rate > 0.0);
            Setting::LoopbackBandwidth(
                rate.ok_or_else(|| error("bytes per second above 0 are expected"))?,
            )
        }
        "network/loopback-lat" => {
            let time = parse_quantity(value, SECONDS).filter(|&time| time >= 0.0);
            Setting::LoopbackLatency(time.ok_or_else(|| error("seconds, 0 or more, are expected"))?)
        }
        "smpi/lat-factor" => Setting::SmpiLatencyFactors(factors()?),
        "smpi/bw-factor" => Setting::SmpiBandwidthFactors(factors()?),
        "smpi/IB-penalty-factors" => {
            let numbers: Vec<f64> =
                value.split(';').filter_map(|text| number(text.trim())).collect();
            let penalties =
                <[f64; 3]>::try_from(numbers).ok().filter(|all| all.iter().all(|&one| one > 0.0));
            let advice = "three numbers above 0 are expected, such as \"0.965;0.925;1.35\"";
            Setting::InfinibandPenalties(penalties.ok_or_else(|| error(advice))?)
        }
        "smpi/async-small-thresh" => Setting::AsyncThreshold(bytes()?),
        "smpi/send-is-detached-thresh" => Setting::DetachedThreshold(bytes()?),
        "smpi/test" => Setting::TestTime(at_least_zero("seconds, 0 or more, are expected")?),
        // A test takes the same time whether or not tests before it failed.
        "smpi/grow-injected-times" => return truth().map(|_| None),
        "smpi/iprobe" if number(value) == Some(1e-4) => return Ok(None),
        _ => {
            let is_harmless = HARMLESS
                .iter()
                .any(|one| *one == name || (one.ends_with('/') && name.starts_with(one)));
            if is_harmless {
                return Ok(None);
            }
            return match DEFAULT_ONLY.iter().find(|(known, _)| *known == name) {
                Some((_, allowed)) if one_of(allowed) => Ok(None),
                Some((_, allowed))
                    if number(value)
                        .is_some_and(|own| allowed.iter().any(|one| number(one) == Some(own))) =>
                {
                    Ok(None)
                }
                Some(_) => Err(error("only SimGrid's default is; remove it")),
                None => Err(error(REMOVE)),
            };
        }
    }))
}

/// Parses sections such as `0:1:2;100:3:4`: a bound in bytes and its values, which may have units
/// of time, each; `None` for other texts.
fn parse_sections(text: &str) -> Option<Vec<(u64, Vec<f64>)>> {
    let section = |text: &str| {
        let mut parts = text.split(':').map(str::trim).filter(|part| !part.is_empty());
        let bound = parts.next()?.parse().ok()?;
        let values =
            parts.map(|part| parse_quantity(part, SECONDS)).collect::<Option<Vec<f64>>>()?;
        Some((bound, values))
    };
    text.split(';').map(str::trim).filter(|part| !part.is_empty()).map(section).collect()
}
