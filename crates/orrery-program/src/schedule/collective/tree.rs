use super::space::Space;
use super::{Algorithm, bine};

/// The shape of a tree of ranks whose root has the number 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tree {
    /// All ranks are children of the root, in the order of absolute ranks.
    Flat,
    /// This number of chains that begin at the root.
    Chains(usize),
    /// This number of children for each node; those of v on level l are v + j·k^l, 0 < j ≤ k.
    KAry(usize),
    /// The k-nomial tree: v has the children v + j·k^i for 0 < j < k and all k^i below the lowest
    /// nonzero digit of v.
    KNomial(usize),
    /// A binary tree with consecutive ranks in each subtree: the root comes after all others, its
    /// children are the last ranks of two halves.
    InOrder,
    /// The binomial tree of negabinary numbers; ranks from the largest power of two q on are
    /// children of v − q.
    Bine,
}

impl Tree {
    /// The tree along which an algorithm moves a vector; `None` if it has none.
    pub(super) fn of(algorithm: Algorithm) -> Option<Self> {
        Some(match algorithm {
            Algorithm::Linear => Self::Flat,
            Algorithm::Chain(chains, _) => Self::Chains(chains.into()),
            Algorithm::Pipeline(_) => Self::Chains(1),
            Algorithm::Binary(_) => Self::KAry(2),
            Algorithm::InOrderBinary(_) => Self::InOrder,
            Algorithm::Binomial => Self::KNomial(2),
            Algorithm::KNomial(base, _) => Self::KNomial(base.into()),
            Algorithm::Bine => Self::Bine,
            _ => return None,
        })
    }

    /// The parent of a node; `None` for the root.
    pub(super) fn parent(self, node: usize, space: Space) -> Option<usize> {
        if node == 0 {
            return None;
        }
        Some(match self {
            Self::Flat => 0,
            Self::Chains(count) => {
                let (chain, place) = place_in_chain(node, chain_count(count, space), space);
                if place == 0 {
                    0
                } else {
                    chain_start(chain, chain_count(count, space), space) + place - 1
                }
            }
            Self::KAry(k) => {
                let (start, width) = level(node, k);
                (start - width / k) + (node - start) % (width / k)
            }
            Self::KNomial(k) => {
                let (low, digit) = lowest_digit(node, k);
                node - digit * low
            }
            Self::InOrder => InOrderNode::find(node, space.size()).parent?,
            Self::Bine => {
                let size = 1 << space.size().ilog2();
                if node >= size {
                    node - size
                } else {
                    bine::with_inverted(node, bine::children(node, size) + 1, size)
                }
            }
        })
    }

    /// The number of children of a node.
    pub(super) fn children(self, node: usize, space: Space) -> usize {
        let nodes = space.size();
        match self {
            Self::Flat => {
                if node == 0 {
                    nodes - 1
                } else {
                    0
                }
            }
            Self::Chains(count) if node == 0 => chain_count(count, space),
            Self::KAry(k) => ((nodes - 1).saturating_sub(node) / level(node, k).1).min(k),
            Self::Bine => {
                let size = 1 << nodes.ilog2();
                if node >= size {
                    return 0;
                }
                bine::children(node, size) as usize + usize::from(node + size < nodes)
            }
            Self::Chains(_) | Self::KNomial(_) | Self::InOrder => {
                (0..nodes).take_while(|&index| self.child(node, index, space).is_some()).count()
            }
        }
    }

    /// A child of a node by its index below [`children`](Self::children), in the order of sending.
    pub(super) fn child(self, node: usize, index: usize, space: Space) -> Option<usize> {
        let nodes = space.size();
        match self {
            Self::Flat => {
                let absolute = if index < space.root { index } else { index + 1 };
                (node == 0 && index + 1 < nodes).then(|| (absolute + nodes - space.root) % nodes)
            }
            Self::Chains(count) => {
                let count = chain_count(count, space);
                if node == 0 {
                    return (index < count).then(|| chain_start(index, count, space));
                }
                let (chain, place) = place_in_chain(node, count, space);
                (index == 0 && place + 1 < chain_length(chain, count, space)).then_some(node + 1)
            }
            Self::KAry(k) => {
                let child = node + (index + 1) * level(node, k).1;
                (index < k && child < nodes).then_some(child)
            }
            Self::KNomial(k) => {
                let limit = if node == 0 { nodes } else { lowest_digit(node, k).0.min(nodes) };
                let mut highest = 1;
                while highest * k < limit {
                    highest *= k;
                }
                let first = (limit > 1).then_some(highest);
                let powers =
                    std::iter::successors(first, |&power| (power > 1).then_some(power / k));
                let children =
                    powers.flat_map(|power| (1..k).map(move |digit| node + digit * power));
                children.filter(|&child| child < nodes).nth(index)
            }
            Self::InOrder => {
                InOrderNode::find(node, nodes).children.into_iter().flatten().nth(index)
            }
            Self::Bine => {
                let size = 1 << nodes.ilog2();
                let inside = if node < size { bine::children(node, size) as usize } else { 0 };
                if index < inside {
                    return Some(bine::with_inverted(node, (inside - index) as u32, size));
                }
                (node < size && index == inside && node + size < nodes).then_some(node + size)
            }
        }
    }

    /// The number of nodes in the subtree of a node, for trees whose subtrees have consecutive
    /// numbers from the node on.
    pub(super) fn subtree(self, node: usize, space: Space) -> usize {
        let rest = space.size() - node;
        match self {
            _ if node == 0 => rest,
            Self::KNomial(k) => lowest_digit(node, k).0.min(rest),
            _ => 1,
        }
    }
}

/// The lowest nonzero digit of a number other than 0 to the base k, and the power of k by which it
/// is multiplied.
const fn lowest_digit(number: usize, k: usize) -> (usize, usize) {
    let (mut power, mut rest) = (1, number);
    while rest.is_multiple_of(k) {
        rest /= k;
        power *= k;
    }
    (power, rest % k)
}

/// The first number on the level of a node of a k-ary tree, and the width of the level, k^l.
const fn level(node: usize, k: usize) -> (usize, usize) {
    let (mut start, mut width) = (0, 1);
    while node >= start + width {
        start += width;
        width *= k;
    }
    (start, width)
}

/// The number of chains that have at least one rank, of `count` chains.
fn chain_count(count: usize, space: Space) -> usize {
    count.min(space.size() - 1)
}

/// The number of ranks of a chain: the first chains are one longer if the division has a rest.
fn chain_length(chain: usize, count: usize, space: Space) -> usize {
    let others = space.size() - 1;
    others / count + usize::from(chain < others % count)
}

/// The first rank of a chain.
fn chain_start(chain: usize, count: usize, space: Space) -> usize {
    let others = space.size() - 1;
    1 + chain * (others / count) + chain.min(others % count)
}

/// The chain of a rank other than the root, and the number of ranks before it in the chain.
fn place_in_chain(node: usize, count: usize, space: Space) -> (usize, usize) {
    let others = space.size() - 1;
    let (length, longer) = (others / count, others % count);
    let before = longer * (length + 1);
    if node - 1 < before {
        ((node - 1) / (length + 1), (node - 1) % (length + 1))
    } else {
        (longer + (node - 1 - before) / length, (node - 1 - before) % length)
    }
}

/// A node of the in-order binary tree.
struct InOrderNode {
    parent: Option<usize>,
    /// The last ranks of the first and the second half of the subtree.
    children: [Option<usize>; 2],
}

impl InOrderNode {
    /// Finds a node. In the order of the tree the root is last: the number v has the place (v − 1)
    /// mod n.
    fn find(node: usize, nodes: usize) -> Self {
        let place = (node + nodes - 1) % nodes;
        let number = |place: usize| (place + 1) % nodes;
        let (mut begin, mut end, mut parent) = (0, nodes, None);
        loop {
            // The subtree has the places from `begin` to `end` − 1, and its root the last one.
            let middle = begin + (end - 1 - begin) / 2;
            if place == end - 1 {
                let first = (begin < middle).then(|| number(middle - 1));
                let second = (middle < end - 1).then(|| number(end - 2));
                return Self { parent, children: [first, second] };
            }
            parent = Some(number(end - 1));
            if place < middle { end = middle } else { (begin, end) = (middle, end - 1) }
        }
    }
}
