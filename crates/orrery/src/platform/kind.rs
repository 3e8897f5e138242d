use super::HostGroup;

/// The processing elements of one kind, on all hosts that have them: a part of a [`Cluster`](super::Cluster).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// How many processes may run on each element at most.
    pub processes: u32,
    /// What an hour of one element costs, where it is known.
    pub price: Option<f64>,
    /// The hosts, by entries of hosts that are alike.
    pub hosts: Vec<HostGroup>,
}

impl Kind {
    /// The kind that hosts are of.
    pub(super) fn new(hosts: HostGroup) -> Self {
        Self { name: hosts.kind.clone(), processes: hosts.processes, price: hosts.price, hosts: vec![hosts] }
    }

    /// The number of elements.
    pub fn elements(&self) -> u32 {
        self.hosts.iter().map(|hosts| hosts.names.len() as u32 * hosts.cores).sum()
    }

    /// How many elements can run so many processes each, when a process needs so many bytes.
    ///
    /// A host with memory B and c cores has room for min(c, ⌊B / (m·b)⌋ ) elements with m processes of b bytes. Of a host
    /// whose memory is not known, and of a process whose need is not known, nothing is limited but the cores.
    pub fn room(&self, processes: u32, bytes: Option<f64>) -> u32 {
        self.hosts.iter().map(|hosts| hosts.names.len() as u32 * room(hosts, processes, bytes)).sum()
    }

    /// How many elements take part on each host, when so many do: spread evenly over the hosts as far as there is
    /// [room](Kind::room), earlier hosts first. `None` when there is no room for all.
    pub fn spread(&self, elements: u32, processes: u32, bytes: Option<f64>) -> Option<Vec<(&str, u32)>> {
        let hosts = self.hosts.iter().flat_map(|hosts| {
            let room = room(hosts, processes, bytes);
            hosts.names.iter().map(move |name| (name.as_str(), room))
        });
        let (mut taken, rooms): (Vec<_>, Vec<_>) = hosts.map(|(name, room)| ((name, 0), room)).unzip();
        let mut left = elements;
        while left > 0 {
            let before = left;
            for ((_, taken), room) in taken.iter_mut().zip(&rooms) {
                if left > 0 && *taken < *room {
                    *taken += 1;
                    left -= 1;
                }
            }
            if left == before {
                return None;
            }
        }
        Some(taken)
    }
}

/// How many elements of one of these hosts can run so many processes of so many bytes.
fn room(hosts: &HostGroup, processes: u32, bytes: Option<f64>) -> u32 {
    let (Some(memory), Some(bytes)) = (hosts.memory, bytes) else { return hosts.cores };
    let fit = (memory.get() as f64 / (f64::from(processes) * bytes)).floor();
    if fit < f64::from(hosts.cores) { fit as u32 } else { hosts.cores }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    fn kind() -> Kind {
        let hosts = |names: &[&str], cores, memory: Option<u64>| HostGroup {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            kind: "k".into(),
            cores,
            processes: 4,
            memory: memory.map(Bytes::new),
            price: None,
        };
        let mut kind = Kind::new(hosts(&["a", "b"], 2, Some(100)));
        kind.hosts.push(hosts(&["c"], 3, None));
        kind
    }

    #[test]
    fn memory_limits_the_elements_of_a_host() {
        let kind = kind();
        assert_eq!(kind.elements(), 7);
        assert_eq!(kind.room(1, None), 7);
        assert_eq!(kind.room(1, Some(50.0)), 7);
        assert_eq!(kind.room(1, Some(51.0)), 5); // one element on a, one on b, three on c
        assert_eq!(kind.room(2, Some(50.0)), 5);
        assert_eq!(kind.room(3, Some(50.0)), 3);
        assert_eq!(kind.room(4, Some(0.0)), 7);
    }

    #[test]
    fn elements_are_spread_within_the_room() {
        let kind = kind();
        assert_eq!(kind.spread(4, 1, None).unwrap(), [("a", 2), ("b", 1), ("c", 1)]);
        assert_eq!(kind.spread(5, 2, Some(50.0)).unwrap(), [("a", 1), ("b", 1), ("c", 3)]);
        assert_eq!(kind.spread(6, 2, Some(50.0)), None);
        for elements in 0..=7 {
            let spread = kind.spread(elements, 1, None).unwrap();
            assert_eq!(spread.iter().map(|(_, taken)| taken).sum::<u32>(), elements);
        }
    }
}
