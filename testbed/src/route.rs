//! Wires and routes: which directions of which links a frame passes.

use crate::description::Description;

/// The rate of the hub's link in bits per second, so high that it never limits.
pub const HUB_RATE: f64 = 1e10;

/// The number of the wire from a host, the hub or a group of hosts, which leads to the middle of
/// the network.
pub const fn up(number: usize) -> usize {
    2 * number
}

/// The number of the wire to a host, the hub or a group of hosts.
pub const fn down(number: usize) -> usize {
    2 * number + 1
}

impl Description {
    /// The number of the hub, after those of the hosts.
    pub fn hub(&self) -> usize {
        self.hosts.len()
    }

    /// The wires of an uplink: from its hosts and to them.
    pub fn uplink_wires(&self, uplink: usize) -> [usize; 2] {
        let number = self.hub() + 1 + uplink;
        [up(number), down(number)]
    }

    /// The wires from a host to another in their order: out of the groups of the sender, the
    /// smallest first, then into those of the receiver. The hub has a link to every switch, so its
    /// frames pass no uplink.
    pub fn route(&self, from: usize, to: usize) -> Vec<usize> {
        let mut route = vec![up(from)];
        if from != self.hub() && to != self.hub() {
            let groups = self.groups_by_size();
            let is_between = |&&group: &&usize, inside: usize, outside: usize| {
                let hosts = &self.uplinks[group].hosts;
                hosts.contains(&inside) && !hosts.contains(&outside)
            };
            let out = groups.iter().filter(|group| is_between(group, from, to));
            let into = groups.iter().rev().filter(|group| is_between(group, to, from));
            route.extend(out.map(|&group| self.uplink_wires(group)[0]));
            route.extend(into.map(|&group| self.uplink_wires(group)[1]));
        }
        route.push(down(to));
        route
    }

    /// The rate of each wire in bits of payload per second.
    pub fn wire_rates(&self) -> Vec<f64> {
        let hosts = self.hosts.iter().map(|host| host.rate);
        let all = hosts.chain([HUB_RATE]).chain(self.uplinks.iter().map(|uplink| uplink.rate));
        all.flat_map(|rate| [rate, rate]).collect()
    }

    /// The numbers of the uplinks, that of the smallest group first.
    fn groups_by_size(&self) -> Vec<usize> {
        let mut groups: Vec<usize> = (0..self.uplinks.len()).collect();
        groups.sort_by_key(|&group| self.uplinks[group].hosts.len());
        groups
    }
}

/// The max-min fair rates of flows on these routes that all send at the same time: every flow gets
/// an equal part of the most loaded wire on its route, or less if another wire gives it less.
pub fn fair_rates(routes: &[Vec<usize>], wire_rates: &[f64]) -> Vec<f64> {
    let mut remaining = wire_rates.to_vec();
    let mut rates: Vec<Option<f64>> = vec![None; routes.len()];
    loop {
        let open = |wire: usize| {
            let flows = routes.iter().zip(&rates);
            flows.filter(|(route, rate)| rate.is_none() && route.contains(&wire)).count()
        };
        let parts = (0..remaining.len()).filter_map(|wire| {
            let flows = open(wire);
            (flows > 0).then(|| (wire, remaining[wire].max(0.0) / flows as f64))
        });
        let Some((tight, part)) = parts.min_by(|one, other| one.1.total_cmp(&other.1)) else {
            break;
        };
        for (route, rate) in routes.iter().zip(&mut rates) {
            if rate.is_none() && route.contains(&tight) {
                *rate = Some(part);
                route.iter().for_each(|&wire| remaining[wire] -= part);
            }
        }
    }
    rates.into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::parse;
    use proptest::prelude::*;

    /// Six hosts a to f with links of 100 Mbit, and uplinks of these groups and rates in Mbit.
    fn described(groups: &[(&str, u32)]) -> Description {
        let host = |name: char| format!("[[hosts]]\nname = \"{name}\"\n");
        let uplink = |(hosts, rate): &(&str, u32)| {
            let names: Vec<String> = hosts.chars().map(|name| format!("\"{name}\"")).collect();
            format!("[[uplinks]]\nhosts = [{}]\nrate = \"{rate}Mbit\"\n", names.join(", "))
        };
        let text: String = "abcdef".chars().map(host).chain(groups.iter().map(uplink)).collect();
        parse(&text, "x").unwrap()
    }

    #[test]
    fn frames_pass_the_uplinks_between_two_hosts_only() {
        let found = described(&[("cdef", 80), ("ef", 40), ("b", 60)]);
        let [outer, inner, other] = [0, 1, 2].map(|uplink| found.uplink_wires(uplink));
        assert_eq!(found.route(0, 2), [up(0), outer[1], down(2)]);
        assert_eq!(found.route(2, 3), [up(2), down(3)], "on one switch");
        assert_eq!(found.route(4, 5), [up(4), down(5)], "on an inner switch");
        assert_eq!(found.route(4, 3), [up(4), inner[0], down(3)], "within the outer group");
        assert_eq!(found.route(4, 1), [up(4), inner[0], outer[0], other[1], down(1)]);
        assert_eq!(found.route(1, 4), [up(1), other[0], outer[1], inner[1], down(4)]);
        assert_eq!(found.route(4, found.hub()), [up(4), down(6)], "the hub is on every switch");
        assert_eq!(found.route(found.hub(), 4), [up(6), down(4)]);
        assert_eq!(found.wire_rates()[outer[0]..][..6], [8e7, 8e7, 4e7, 4e7, 6e7, 6e7]);
    }

    #[test]
    fn flows_share_the_most_loaded_wire() {
        let rates = |groups: &[(&str, u32)], pairs: &[(usize, usize)]| {
            let found = described(groups);
            let routes: Vec<_> = pairs.iter().map(|&(from, to)| found.route(from, to)).collect();
            fair_rates(&routes, &found.wire_rates())
        };
        let close = |found: Vec<f64>, expected: &[f64]| {
            let off = found
                .iter()
                .zip(expected)
                .map(|(found, expected)| (found / expected / 1e6 - 1.0).abs());
            assert!(
                found.len() == expected.len() && off.fold(0.0, f64::max) < 1e-9,
                "{found:?} {expected:?}"
            );
        };
        close(rates(&[("def", 100)], &[(0, 3)]), &[100.0]);
        close(rates(&[("def", 90)], &[(0, 3), (1, 4), (2, 5)]), &[30.0; 3]);
        close(rates(&[("def", 90)], &[(0, 3), (4, 1)]), &[90.0; 2]);
        close(rates(&[("def", 90), ("f", 10)], &[(0, 3), (1, 4), (2, 5)]), &[40.0, 40.0, 10.0]);
        close(rates(&[("def", 500)], &[(0, 3), (1, 4), (2, 5)]), &[100.0; 3]);
    }

    proptest! {
        /// The way back passes the same links in the reverse order; no wire carries more than its
        /// rate, and each flow passes a wire that is fully used.
        #[test]
        fn routes_are_symmetric_and_rates_are_fair(
            pairs in prop::collection::vec((0_usize..6, 0_usize..6), 1..8), rates in prop::array::uniform4(1_u32..300),
        ) {
            let groups = ["bcdef", "def", "bc", "ef"];
            let found = described(&groups.into_iter().zip(rates).collect::<Vec<_>>());
            let pairs: Vec<_> = pairs.into_iter().filter(|(from, to)| from != to).collect();
            for &(from, to) in &pairs {
                let back: Vec<usize> = found.route(to, from).iter().rev().map(|wire| wire ^ 1).collect();
                prop_assert_eq!(found.route(from, to), back);
            }
            let routes: Vec<_> = pairs.iter().map(|&(from, to)| found.route(from, to)).collect();
            let (limits, rates) = (found.wire_rates(), fair_rates(&routes, &found.wire_rates()));
            let load = |wire: usize| {
                let flows = routes.iter().zip(&rates).filter(|(route, _)| route.contains(&wire));
                flows.map(|(_, rate)| rate).sum::<f64>() / limits[wire]
            };
            prop_assert!((0..limits.len()).all(|wire| load(wire) < 1.0 + 1e-9));
            prop_assert!(routes.iter().all(|route| route.iter().any(|&wire| load(wire) > 1.0 - 1e-9)));
        }
    }
}
