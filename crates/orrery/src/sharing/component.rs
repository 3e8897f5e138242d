use super::Transfer;
use super::ports::Ports;

/// The transfers that bear on one another, directly or through others: those that share a source or a destination.
///
/// Penalties of a component depend on that component alone, by every law of this room. So when a transfer starts or ends,
/// only its own component has to be asked again. Components are in the order of their first transfer, transfers in
/// ascending order; a transfer within a node is in none.
///
/// ```
/// use orrery::sharing::{Transfer, components};
/// let transfers = [(0, 1), (1, 0), (0, 2), (3, 3)].map(|(from, to)| Transfer::between(from, to));
/// assert_eq!(components(&transfers), [vec![0, 2], vec![1]]); // what 1 sends is not slowed by what it receives
/// ```
pub fn components(transfers: &[Transfer]) -> Vec<Vec<usize>> {
    let ports = Ports::of(transfers);
    let mut seen = vec![false; transfers.len()];
    let (mut out_seen, mut into_seen) = (vec![false; ports.out.len()], vec![false; ports.into.len()]);
    let mut all = Vec::new();
    for first in 0..transfers.len() {
        if seen[first] || ports.ends[first].is_none() {
            continue;
        }
        seen[first] = true;
        let mut component = vec![first];
        let mut next = 0;
        while let Some(&transfer) = component.get(next) {
            next += 1;
            let Some(ends) = ports.ends[transfer] else { continue };
            let mut reach = |port_seen: &mut bool, port: &[usize]| {
                if !std::mem::replace(port_seen, true) {
                    component.extend(port.iter().filter(|&&other| !std::mem::replace(&mut seen[other], true)));
                }
            };
            reach(&mut out_seen[ends.out], &ports.out[ends.out]);
            reach(&mut into_seen[ends.into], &ports.into[ends.into]);
        }
        component.sort_unstable();
        all.push(component);
    }
    all
}
