//! What a series measures: the host, the quantity, and the peer, folder or device that it is about.

use std::fmt;
use std::str::FromStr;

use orrery::forecast::Bounds;

/// The maximum length of the name of a series in bytes.
pub const MAX_NAME_LENGTH: usize = 512;

/// A measured quantity with its unit and bounds.
///
/// Sensors and probes measure the named ones. Others can have samples and forecasts, too.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// The part of one processor that a new process would get: 0 to 1.
    Availability,
    /// The mean number of processes that run or wait for a processor.
    Load,
    /// The part of time in which some process waited for a processor (pressure stall information):
    /// 0 to 1.
    CpuPressure,
    /// The part of time in which some process waited for memory: 0 to 1.
    MemoryPressure,
    /// The part of time in which some process waited for storage: 0 to 1.
    IoPressure,
    /// The memory that new processes can have without swapping, in bytes.
    MemoryFree,
    /// The free swap space in bytes.
    SwapFree,
    /// The free space of the file system of a folder, the target, in bytes.
    DiskFree,
    /// The time of an empty message to a peer, the target, in seconds: half of a round trip.
    Latency,
    /// The bandwidth to a peer, the target, in bytes per second.
    Bandwidth,
    /// A quantity of another program: lower-case letters, digits, `_`.
    Other(String),
}

impl Quantity {
    /// The quantities that sensors and probes measure.
    pub const MEASURED: [Self; 10] = [
        Self::Availability,
        Self::Load,
        Self::CpuPressure,
        Self::MemoryPressure,
        Self::IoPressure,
        Self::MemoryFree,
        Self::SwapFree,
        Self::DiskFree,
        Self::Latency,
        Self::Bandwidth,
    ];

    /// The name in the names of series.
    pub fn name(&self) -> &str {
        match self {
            Self::Availability => "availability",
            Self::Load => "load",
            Self::CpuPressure => "cpu_pressure",
            Self::MemoryPressure => "memory_pressure",
            Self::IoPressure => "io_pressure",
            Self::MemoryFree => "memory_free",
            Self::SwapFree => "swap_free",
            Self::DiskFree => "disk_free",
            Self::Latency => "latency",
            Self::Bandwidth => "bandwidth",
            Self::Other(name) => name,
        }
    }

    /// The unit of the values: `bytes`, `seconds`, `bytes/s`; empty for numbers and for unknown
    /// quantities.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::MemoryFree | Self::SwapFree | Self::DiskFree => "bytes",
            Self::Latency => "seconds",
            Self::Bandwidth => "bytes/s",
            _ => "",
        }
    }

    /// The bounds that values cannot exceed; none for quantities of other programs.
    pub fn bounds(&self) -> Bounds {
        let high = match self {
            Self::Availability | Self::CpuPressure | Self::MemoryPressure | Self::IoPressure => 1.0,
            Self::Other(_) => return Bounds::NONE,
            _ => f64::INFINITY,
        };
        Bounds::new(0.0, high).unwrap_or(Bounds::NONE)
    }
}

/// The name of a series: `HOST/QUANTITY`, or `HOST/QUANTITY/TARGET` with a peer or a folder.
///
/// ```
/// use orrery_monitor::{Quantity, SeriesName};
/// let name: SeriesName = "node1/bandwidth/node2".parse()?;
/// assert_eq!((name.host(), name.quantity(), name.target()), ("node1", &Quantity::Bandwidth, Some("node2")));
/// assert_eq!(name.to_string(), "node1/bandwidth/node2");
/// assert_eq!("node1/disk_free//scratch".parse::<SeriesName>()?.target(), Some("/scratch"));
/// assert!("node 1/load".parse::<SeriesName>().is_err());
/// # Ok::<(), orrery_monitor::NameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeriesName {
    host: String,
    quantity: Quantity,
    target: Option<String>,
}

impl SeriesName {
    /// The name of a series of a host, with the peer or folder that it is about.
    ///
    /// # Errors
    ///
    /// Returns an error if a part is empty, too long or has other characters than it may have.
    pub fn new(host: &str, quantity: Quantity, target: Option<&str>) -> Result<Self, NameError> {
        let name = Self { host: host.to_owned(), quantity, target: target.map(str::to_owned) };
        name.to_string().parse()
    }

    /// The host that measures.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// What is measured.
    pub fn quantity(&self) -> &Quantity {
        &self.quantity
    }

    /// The peer of a link, or the folder of a file system; `None` for other quantities.
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }
}

impl fmt::Display for SeriesName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.host, self.quantity.name())?;
        self.target.as_ref().map_or(Ok(()), |target| write!(f, "/{target}"))
    }
}

impl FromStr for SeriesName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let fault = |reason| NameError { name: text.chars().take(80).collect(), reason };
        if text.len() > MAX_NAME_LENGTH {
            return Err(fault("it is longer than 512 bytes"));
        }
        let mut parts = text.splitn(3, '/');
        let (Some(host), Some(quantity), target) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(fault("it has no quantity"));
        };
        let is_host = |c: char| c.is_ascii_alphanumeric() || "._:-".contains(c);
        if host.is_empty() || !host.chars().all(is_host) {
            return Err(fault("a host has letters, digits, '.', '_', ':' and '-' only"));
        }
        let is_quantity = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if quantity.is_empty() || !quantity.chars().all(is_quantity) {
            return Err(fault("a quantity has lower-case letters, digits and '_' only"));
        }
        if target.is_some_and(|target| target.is_empty() || target.chars().any(char::is_control)) {
            return Err(fault("a target is not empty and has no control characters"));
        }
        let known = Quantity::MEASURED.into_iter().find(|known| known.name() == quantity);
        let quantity = known.unwrap_or_else(|| Quantity::Other(quantity.to_owned()));
        Ok(Self { host: host.to_owned(), quantity, target: target.map(str::to_owned) })
    }
}

/// A text that is no name of a series.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{name}' is no name of a series: {reason}; write HOST/QUANTITY or HOST/QUANTITY/TARGET, such \
        as node1/bandwidth/node2"
)]
pub struct NameError {
    name: String,
    reason: &'static str,
}
