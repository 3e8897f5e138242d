use crate::comm::{Index, ParameterValues};
use orrery_base::numeric::Estimate;
use orrery_cluster::platform::Processor;

/// The links that groups of processors share: all messages between a group and the other processors
/// pass its uplink, which has the same rate in both directions and carries both at the same time.
///
/// Groups form a tree: of two groups one contains the other, or they have no processor in common.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Uplinks {
    groups: Vec<Vec<Processor>>,
    byte_delay: Vec<Estimate>,
    /// The groups of each processor, the smallest first; processors after the last one of a group
    /// are left out.
    of: Vec<Vec<usize>>,
}

impl Uplinks {
    /// The uplinks of these groups with their delays per byte \[s/B\]; `None` if a processor is
    /// named twice in a group, if two groups overlap, or if their numbers differ.
    ///
    /// ```
    /// use orrery_models::comm::ports::Uplinks;
    /// use orrery_base::numeric::Estimate;
    /// use orrery_cluster::platform::Processor;
    /// let group = |members: &[u32]| members.iter().map(|&one| Processor(one)).collect::<Vec<_>>();
    /// let delay = Estimate::exact(1e-9);
    /// let uplinks = Uplinks::new(vec![group(&[0, 1, 2, 3]), group(&[0, 1])], vec![delay; 2]).unwrap();
    /// assert_eq!(uplinks.between(Processor(0), Processor(5)).collect::<Vec<_>>(), [(1, true), (0, true)]);
    /// assert_eq!(uplinks.between(Processor(5), Processor(2)).collect::<Vec<_>>(), [(0, false)]);
    /// assert_eq!((uplinks.parent(1), uplinks.parent(0), uplinks.levels()), (Some(0), None, 2));
    /// assert!(Uplinks::new(vec![group(&[0, 1]), group(&[1, 2])], vec![delay; 2]).is_none());
    /// ```
    pub fn new(mut groups: Vec<Vec<Processor>>, byte_delay: Vec<Estimate>) -> Option<Self> {
        groups.iter_mut().for_each(|group| group.sort_unstable());
        let largest =
            groups.iter().flatten().map(|processor| processor.index() + 1).max().unwrap_or(0);
        let mut of = vec![Vec::new(); largest];
        let mut by_size: Vec<usize> = (0..groups.len()).collect();
        by_size.sort_by_key(|&group| groups[group].len());
        for &group in &by_size {
            groups[group].iter().for_each(|processor| of[processor.index()].push(group));
        }
        // Every processor of a smaller group is in the same larger ones.
        let is_nested = |group: &Vec<Processor>, number: usize| {
            let above = |one: &Processor| {
                let place = of[one.index()].iter().position(|&other| other == number)?;
                Some(&of[one.index()][place..])
            };
            group.first().is_some_and(|first| group.iter().all(|one| above(one) == above(first)))
                && group.windows(2).all(|two| two[0] != two[1])
        };
        let is_tree = groups.iter().enumerate().all(|(number, group)| is_nested(group, number));
        (is_tree && groups.len() == byte_delay.len()).then_some(Self { groups, byte_delay, of })
    }

    /// The groups, each with its processors in ascending order.
    pub fn groups(&self) -> &[Vec<Processor>] {
        &self.groups
    }

    /// The delay per byte of each uplink \[s/B\].
    pub fn byte_delay(&self) -> &[Estimate] {
        &self.byte_delay
    }

    /// The smallest group that contains a group of this number; `None` if no other does.
    pub fn parent(&self, group: usize) -> Option<usize> {
        let around = &self.of[self.groups[group].first()?.index()];
        around.iter().skip_while(|&&other| other != group).nth(1).copied()
    }

    /// The largest number of groups that contain each other.
    pub fn levels(&self) -> usize {
        self.of.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Returns true if no link is shared.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The uplinks of a message in order: their numbers, each with true for the direction out of
    /// the group.
    pub fn between(&self, from: Processor, to: Processor) -> impl Iterator<Item = (usize, bool)> {
        let of = |one: Processor| self.of.get(one.index()).map_or(&[][..], Vec::as_slice);
        let (near, far) = (of(from), of(to));
        let out = near.iter().filter(move |group| !far.contains(group)).map(|&group| (group, true));
        let back = far
            .iter()
            .rev()
            .filter(move |group| !near.contains(group))
            .map(|&group| (group, false));
        out.chain(back)
    }

    /// The same groups with other estimates.
    ///
    /// # Panics
    ///
    /// When their numbers differ: a bug of the caller.
    #[must_use]
    pub fn with_byte_delay(mut self, byte_delay: Vec<Estimate>) -> Self {
        assert_eq!(byte_delay.len(), self.groups.len(), "one estimate for each group");
        self.byte_delay = byte_delay;
        self
    }

    /// The delays as a parameter that is indexed by groups; `None` if no link is shared.
    pub(super) fn to_values(&self) -> Option<(Index, Vec<Estimate>)> {
        (!self.is_empty())
            .then(|| (Index::LinkGroups(self.groups.clone()), self.byte_delay.clone()))
    }

    /// The uplinks of a parameter; `None` if its groups form no tree.
    pub(super) fn from_values(values: &ParameterValues) -> Option<Self> {
        let Index::LinkGroups(groups) = &values.index else { return None };
        Self::new(groups.clone(), values.estimates.clone())
    }
}
