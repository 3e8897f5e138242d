use std::collections::BTreeMap;

use super::{Node, Transfer};

/// The two ends of the network that a transfer uses: both directions of a node's link are apart (full duplex).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ends {
    /// The out-port of its source.
    pub(super) out: usize,
    /// The in-port of its destination.
    pub(super) into: usize,
}

/// Which transfers share a port. Transfers within a node use none.
#[derive(Debug, Clone)]
pub(super) struct Ports {
    /// The ports of each transfer.
    pub(super) ends: Vec<Option<Ends>>,
    /// The transfers of each out-port, in order unless some were taken away.
    pub(super) out: Vec<Vec<usize>>,
    /// The transfers of each in-port, in order unless some were taken away.
    pub(super) into: Vec<Vec<usize>>,
}

impl Ports {
    pub(super) fn of(transfers: &[Transfer]) -> Self {
        let (mut sources, mut destinations) = (BTreeMap::new(), BTreeMap::new());
        let mut ports = Self { ends: Vec::with_capacity(transfers.len()), out: Vec::new(), into: Vec::new() };
        for (k, transfer) in transfers.iter().enumerate() {
            if transfer.is_local() {
                ports.ends.push(None);
                continue;
            }
            let out = port(&mut sources, &mut ports.out, transfer.source);
            let into = port(&mut destinations, &mut ports.into, transfer.destination);
            ports.out[out].push(k);
            ports.into[into].push(k);
            ports.ends.push(Some(Ends { out, into }));
        }
        ports
    }

    /// Adds a transfer of this number, which makes its ports where there are none yet.
    pub(super) fn add(&mut self, number: usize, ends: Ends) {
        fn grown<T: Clone>(list: &mut Vec<T>, place: usize, with: T) -> &mut T {
            list.resize(list.len().max(place + 1), with);
            &mut list[place]
        }
        *grown(&mut self.ends, number, None) = Some(ends);
        grown(&mut self.out, ends.out, Vec::new()).push(number);
        grown(&mut self.into, ends.into, Vec::new()).push(number);
        // A node has both, so that either can be asked for what the other end does.
        grown(&mut self.out, ends.into, Vec::new());
        grown(&mut self.into, ends.out, Vec::new());
    }

    /// Takes a transfer away; tells the ports that it used.
    pub(super) fn remove(&mut self, number: usize) -> Option<Ends> {
        let ends = self.ends.get_mut(number)?.take()?;
        for port in [&mut self.out[ends.out], &mut self.into[ends.into]] {
            if let Some(place) = port.iter().position(|&other| other == number) {
                port.swap_remove(place);
            }
        }
        Some(ends)
    }

    /// Δ_o: how many transfers leave the source of this one, itself included.
    pub(super) fn out_degree(&self, ends: Ends) -> usize {
        self.out[ends.out].len()
    }

    /// Δ_i: how many transfers come to the destination of this one, itself included.
    pub(super) fn in_degree(&self, ends: Ends) -> usize {
        self.into[ends.into].len()
    }
}

/// The port of a node, which is made when it is first used.
fn port(known: &mut BTreeMap<Node, usize>, transfers: &mut Vec<Vec<usize>>, node: Node) -> usize {
    *known.entry(node).or_insert_with(|| {
        transfers.push(Vec::new());
        transfers.len() - 1
    })
}
