//! Models with the same parameters for all processors, and others for links within a host.

use super::{ModelDefinition, ParameterId, ParameterSet, PointToPoint};
use orrery_base::numeric::Estimate;
use orrery_base::units::Bytes;
use orrery_cluster::platform::Hosts;
use orrery_play::engine::{Message, Moment, Network, Occupancy, Path, Protocol, Sent};

/// The key of the object with the parameters of links within a host, in a model that has both.
pub(crate) const WITHIN_HOST: &str = "within_host";

/// The beginning of the names of these parameters.
pub(super) const PREFIX: &str = "within_host.";

/// The number of the first parameter of links within a host; those of links across hosts are lower.
const FIRST_PARAMETER: u32 = 1 << 29;

impl ParameterSet {
    /// The parameters of links within a host by the names that they have across hosts; `None` if
    /// the model has none of its own for them.
    pub(crate) fn within_host(&self) -> Option<Self> {
        let own = self.iter().filter_map(|one| Some((one.name.strip_prefix(PREFIX)?, one)));
        let own = own.fold(Self::new(), |set, (name, one)| {
            set.with_index(name, one.index.clone(), &one.estimates[..])
        });
        (own != Self::new()).then_some(own)
    }
}

/// A network whose messages across hosts follow one model, and those within a host another.
///
/// A rank has one processor, and a port for each of them. Processors are shared: the engine lets a
/// rank do one thing at a time.
pub(crate) struct ByClass {
    across: Box<dyn PointToPoint>,
    within: Box<dyn PointToPoint>,
    hosts: Hosts,
    definition: &'static ModelDefinition,
}

impl ByClass {
    /// The network of two models of one kind; hosts of which some are unknown count as different.
    pub(crate) fn new(
        [across, within]: [Box<dyn PointToPoint>; 2],
        hosts: Hosts,
        definition: &'static ModelDefinition,
    ) -> Self {
        Self { across, within, hosts, definition }
    }

    /// Returns true for messages within a host.
    fn is_within(&self, message: Message) -> bool {
        let [from, to] = [message.from, message.to].map(|end| self.hosts.number(end));
        from.is_some() && from == to
    }
}

impl Network for ByClass {
    fn processors(&self) -> usize {
        self.across.processors()
    }

    fn reset(&mut self) {
        self.across.reset();
        self.within.reset();
    }

    fn send(&mut self, message: Message, start: Moment, path: &mut Path) -> Sent {
        if self.is_within(message) {
            path.numbered_from(FIRST_PARAMETER, |path| self.within.send(message, start, path))
        } else {
            self.across.send(message, start, path)
        }
    }

    fn receive(&mut self, message: Message, start: Moment, path: &mut Path) -> Moment {
        if self.is_within(message) {
            path.numbered_from(FIRST_PARAMETER, |path| self.within.receive(message, start, path))
        } else {
            self.across.receive(message, start, path)
        }
    }

    fn protocol(&self, size: Bytes) -> Protocol {
        self.across.protocol(size)
    }

    fn pass_data(&mut self, handshake: Message, start: Moment, path: &mut Path) -> Moment {
        if self.is_within(handshake) {
            path.numbered_from(FIRST_PARAMETER, |path| {
                self.within.pass_data(handshake, start, path)
            })
        } else {
            self.across.pass_data(handshake, start, path)
        }
    }

    /// The ports of both classes are busy at the same time, so that only the times of processors
    /// add up.
    fn occupancy(&self, message: Message) -> Occupancy {
        let of_class = if self.is_within(message) { &self.within } else { &self.across };
        let Occupancy { sender, receiver, .. } = of_class.occupancy(message);
        Occupancy { sender, receiver, ..Occupancy::default() }
    }

    fn grows_with_size(&self) -> bool {
        self.across.grows_with_size() && self.within.grows_with_size()
    }
}

impl PointToPoint for ByClass {
    fn estimate(&self, parameter: u32) -> Estimate {
        match parameter.checked_sub(FIRST_PARAMETER) {
            Some(own) => self.within.estimate(own),
            None => self.across.estimate(parameter),
        }
    }

    fn parameter(&self, parameter: u32) -> ParameterId {
        let Some(own) = parameter.checked_sub(FIRST_PARAMETER) else {
            return self.across.parameter(parameter);
        };
        let id = self.within.parameter(own);
        let specs = self.definition.groups.iter().flat_map(|group| group.parameters);
        let name =
            specs.map(|spec| spec.name).find(|name| name.strip_prefix(PREFIX) == Some(id.name));
        ParameterId { name: name.unwrap_or(id.name), ..id }
    }
}
