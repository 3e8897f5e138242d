//! Models of equal ports.

use orrery::comm::Ports;
use orrery::comm::ports::{SizeLaw, Uplinks};
use orrery::numeric::Estimate;
use orrery::platform::PerPair;

/// Ports of equal processors with these values of C, t, the port, L and the flow.
pub fn equal_ports(
    processors: usize,
    [fixed_delay, byte_delay, port, latency, flow]: [Estimate; 5],
) -> Ports {
    let all = |value| vec![value; processors];
    let pairs = |value| PerPair::from_fn(processors, |_, _| value);
    Ports {
        fixed_delay: all(fixed_delay),
        byte_delay: all(byte_delay),
        port_byte_delay: all(port),
        in_port_byte_delay: Vec::new(),
        both_ports_byte_delay: Vec::new(),
        link_latency: pairs(latency),
        flow_byte_delay: pairs(flow),
        size_law: SizeLaw::default(),
        uplinks: Uplinks::default(),
        within_host: None,
        eager_limit: None,
        buffered_limit: None,
        queue: None,
    }
}
