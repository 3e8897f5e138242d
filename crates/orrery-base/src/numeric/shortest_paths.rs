//! The shortest paths in a graph.

/// The shortest paths from one node to all others, by Dijkstra's algorithm.
///
/// Among equally short paths the one that reaches smaller numbers first is taken. Time O(n² + e)
/// for n nodes and e edges.
///
/// ```
/// use orrery_base::numeric::ShortestPaths;
/// let neighbours = |node: usize| Ok::<_, ()>(vec![((node + 1) % 4, 1.0), ((node + 3) % 4, 2.5)]);
/// let paths = ShortestPaths::from(0, 4, neighbours)?;
/// assert_eq!((paths.to(3), paths.to(2), paths.to(0)), (Some(vec![0, 3]), Some(vec![0, 1, 2]), Some(vec![0])));
/// assert_eq!(ShortestPaths::from(0, 2, |_| Ok::<_, ()>(vec![]))?.to(1), None);
/// # Ok::<(), ()>(())
/// ```
#[derive(Debug, Clone)]
pub struct ShortestPaths {
    from: usize,
    /// The length to each node, and the node before it on the path.
    reached: Vec<Option<(f64, usize)>>,
}

impl ShortestPaths {
    /// The paths from a node among `nodes` nodes. `neighbours` returns the nodes that a node leads
    /// to, each with a length of at least 0.
    ///
    /// # Errors
    ///
    /// That of `neighbours`.
    pub fn from<E>(
        from: usize,
        nodes: usize,
        mut neighbours: impl FnMut(usize) -> Result<Vec<(usize, f64)>, E>,
    ) -> Result<Self, E> {
        let mut reached: Vec<Option<(f64, usize)>> = vec![None; nodes];
        let mut is_done = vec![false; nodes];
        reached[from] = Some((0.0, from));
        loop {
            let open = (0..nodes)
                .filter(|node| !is_done[*node])
                .filter_map(|node| Some((reached[node]?.0, node)));
            let Some((length, next)) = open.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            is_done[next] = true;
            for (neighbour, further) in neighbours(next)? {
                let best = &mut reached[neighbour];
                if best.is_none_or(|(known, _)| length + further < known) {
                    *best = Some((length + further, next));
                }
            }
        }
        Ok(Self { from, reached })
    }

    /// The nodes of the path to a node, both ends included; `None` if there is none.
    pub fn to(&self, to: usize) -> Option<Vec<usize>> {
        let mut path = vec![to];
        let mut at = to;
        while at != self.from {
            at = (*self.reached.get(at)?)?.1;
            path.push(at);
        }
        path.reverse();
        Some(path)
    }
}
