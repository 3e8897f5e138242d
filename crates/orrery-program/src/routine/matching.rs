//! Steps of messages by matchings of bipartite graphs.

/// The largest number of senders and of receivers.
pub(super) const MAX_VERTICES: usize = 128;

/// Steps of messages between senders and receivers, in which each process sends at most one message
/// and receives at most one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Steps {
    /// For each step, by sender: the receiver.
    targets: Vec<Vec<Option<usize>>>,
    /// For each step, by receiver: the sender.
    sources: Vec<Vec<Option<usize>>>,
    /// The sum over the steps of the largest message.
    length: u64,
}

impl Steps {
    /// The number of steps.
    pub(super) fn count(&self) -> usize {
        self.targets.len()
    }

    /// The receiver of a sender's message in a step; `None` if it sends none.
    pub(super) fn target(&self, step: usize, from: usize) -> Option<usize> {
        self.targets[step][from]
    }

    /// The sender of a receiver's message in a step; `None` if it receives none.
    pub(super) fn source(&self, step: usize, to: usize) -> Option<usize> {
        self.sources[step][to]
    }

    /// The sum over the steps of the size of the largest message.
    pub(super) fn length(&self) -> u64 {
        self.length
    }
}

/// Divides messages, whose sizes `size(sender, receiver)` returns (0 for none), into as many steps
/// as the busiest process has messages, large ones first; `None` for more than [`MAX_VERTICES`]
/// processes on a side.
///
/// Further edges of size 0 give each vertex the same degree; then perfect matchings divide the
/// edges (Kőnig). Each step is the perfect matching whose smallest message is largest.
pub(super) fn matchings(
    (senders, receivers): (usize, usize),
    size: impl Fn(usize, usize) -> u64,
) -> Option<Steps> {
    let vertices = senders.max(receivers);
    if vertices > MAX_VERTICES {
        return None;
    }
    let mut graph = Graph::new((senders, receivers), &size);
    let mut steps = Steps { targets: Vec::new(), sources: Vec::new(), length: 0 };
    for _ in 0..graph.degree {
        let mut targets = vec![None; senders];
        let mut sources = vec![None; receivers];
        let mut largest = 0;
        for (from, to) in graph.remove_matching() {
            targets[from] = Some(to);
            sources[to] = Some(from);
            largest = largest.max(size(from, to));
        }
        steps.targets.push(targets);
        steps.sources.push(sources);
        steps.length += largest;
    }
    Some(steps)
}

/// A bipartite multigraph in which all vertices have the same degree.
struct Graph {
    vertices: usize,
    degree: usize,
    /// The sizes of messages that are not in a step yet; 0 for none.
    messages: Vec<u64>,
    /// The numbers of further edges.
    further: Vec<u32>,
    /// The sizes that occur, the largest first.
    sizes: Vec<u64>,
}

impl Graph {
    /// Creates the graph of the messages, with further edges up to the degree of the busiest
    /// vertex.
    fn new((senders, receivers): (usize, usize), size: impl Fn(usize, usize) -> u64) -> Self {
        let vertices = senders.max(receivers);
        let mut messages = vec![0; vertices * vertices];
        let (mut sent, mut received) = (vec![0; vertices], vec![0; vertices]);
        for from in 0..senders {
            for (to, size) in
                (0..receivers).map(|to| (to, size(from, to))).filter(|(_, size)| *size > 0)
            {
                messages[from * vertices + to] = size;
                sent[from] += 1;
                received[to] += 1;
            }
        }
        let degree = sent.iter().chain(&received).copied().max().unwrap_or(0);
        let mut further = vec![0; vertices * vertices];
        let mut to = 0;
        for from in 0..vertices {
            while sent[from] < degree {
                while received[to] == degree {
                    to += 1;
                }
                let count = (degree - sent[from]).min(degree - received[to]);
                further[from * vertices + to] += count as u32;
                sent[from] += count;
                received[to] += count;
            }
        }
        let mut sizes: Vec<u64> = messages.iter().copied().filter(|size| *size > 0).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes.dedup();
        Self { vertices, degree, messages, further, sizes }
    }

    /// Removes the perfect matching whose smallest message is largest; returns its messages as
    /// pairs of sender and receiver, without its further edges.
    fn remove_matching(&mut self) -> Vec<(usize, usize)> {
        let (mut low, mut high) = (0, self.sizes.len().saturating_sub(1));
        let mut found = None;
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.perfect_matching(self.sizes[middle]) {
                Some(matching) => (high, found) = (middle, Some(matching)),
                None => low = middle + 1,
            }
        }
        let found = found
            .filter(|_| low == high)
            .or_else(|| self.perfect_matching(self.sizes.get(high).copied().unwrap_or(1)));
        let senders = found
            .unwrap_or_else(|| unreachable!("a regular bipartite graph has a perfect matching"));
        let mut messages = Vec::new();
        for (to, from) in senders.into_iter().enumerate() {
            let edge = from * self.vertices + to;
            if self.messages[edge] > 0
                && (self.further[edge] == 0 || self.messages[edge] >= self.sizes[high])
            {
                self.messages[edge] = 0;
                messages.push((from, to));
            } else {
                self.further[edge] -= 1;
            }
        }
        messages
    }

    /// A perfect matching of messages of at least this size and of further edges, by augmenting
    /// paths: the sender of each receiver; `None` if there is none.
    fn perfect_matching(&self, least: u64) -> Option<Vec<usize>> {
        let mut senders = vec![None; self.vertices];
        for from in 0..self.vertices {
            let mut visited = vec![false; self.vertices];
            if !self.augment(from, least, &mut senders, &mut visited) {
                return None;
            }
        }
        senders.into_iter().collect()
    }

    /// Extends a matching, given by the sender of each receiver, to the sender `from` by an
    /// augmenting path; returns false if there is none.
    fn augment(
        &self,
        from: usize,
        least: u64,
        senders: &mut [Option<usize>],
        visited: &mut [bool],
    ) -> bool {
        for to in 0..self.vertices {
            let edge = from * self.vertices + to;
            let is_edge = self.further[edge] > 0 || self.messages[edge] >= least;
            if !is_edge || visited[to] {
                continue;
            }
            visited[to] = true;
            if senders[to].is_none_or(|other| self.augment(other, least, senders, visited)) {
                senders[to] = Some(from);
                return true;
            }
        }
        false
    }
}
