//! The registry of point-to-point models. The command, the model file, fits, predictions and
//! reports take the kinds of models from here: a new kind is a [`ModelDefinition`] and one line in
//! the list of [`ModelKind`], with its place in the order of preference.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "estimation")]
use super::Estimator;
use super::thresholds::SlopeCorrection;
use super::{ModelDefinition, ParameterSpec, Shape, hockney, lmo, loggp, plogp, ports};
use orrery_base::units::UnknownName;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident, $preference:literal => $family:ident::$definition:ident,
        $estimator:ident);+ $(;)?) => {
        /// A kind of point-to-point model.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ModelKind { $($(#[$doc])* $kind),+ }

        impl ModelKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// The definition of the kind.
            pub fn definition(self) -> &'static ModelDefinition {
                match self { $(Self::$kind => &$family::$definition),+ }
            }

            /// The preference for the kind where none is named: the kind with the largest one that
            /// a model has is taken.
            fn preference(self) -> u32 {
                match self { $(Self::$kind => $preference),+ }
            }

            /// The estimation of the kind.
            #[cfg(feature = "estimation")]
            pub fn estimator(self) -> &'static Estimator {
                match self { $(Self::$kind => &$family::$estimator),+ }
            }
        }
    };
}

// The number is the preference: kinds that describe more of a cluster have larger ones, but for
// those whose predictions take much longer.
kinds! {
    /// Hockney with parameters for each pair.
    Hockney, 50 => hockney::HOCKNEY, ESTIMATOR;
    /// Hockney with the mean parameters for every pair.
    HockneyMean, 20 => hockney::MEAN, ESTIMATOR;
    /// LMO without link latency.
    Lom, 80 => lmo::LOM, LOM_ESTIMATOR;
    /// LMO.
    Lmo, 90 => lmo::LMO, LMO_ESTIMATOR;
    /// Processors, ports and flows that work on a message at the same time.
    Ports, 100 => ports::PORTS, ESTIMATOR;
    /// The same with ports that concurrent messages share as flows.
    PortsFlows, 30 => ports::FLOWS, ESTIMATOR;
    /// LMO with equal processors and equal links.
    Hlmo, 40 => lmo::HLMO, HLMO_ESTIMATOR;
    /// LogP.
    LogP, 10 => loggp::LOGP, LOGP_ESTIMATOR;
    /// LogGP.
    LogGp, 60 => loggp::LOGGP, LOGGP_ESTIMATOR;
    /// PLogP.
    PLogP, 70 => plogp::PLOGP, ESTIMATOR;
}

orrery_base::serde_as_text!(ModelKind);

impl ModelKind {
    /// The keyword of the kind in files and on the command line.
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// The kind that is taken if a request names none of these.
    pub fn preferred(known: &[Self]) -> Option<Self> {
        known.iter().copied().max_by_key(|kind| kind.preference())
    }

    /// The keywords of all kinds, separated by commas.
    pub fn names() -> String {
        Self::listed(Self::ALL)
    }

    /// The keywords of these kinds, separated by commas; `none` for an empty list.
    pub(crate) fn listed(kinds: &[Self]) -> String {
        let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// The kind that stores the parameters: this kind itself, or the kind of which it is a view.
    #[must_use]
    pub fn stored_as(self) -> Self {
        let stored = self.definition().stored_as;
        Self::ALL.iter().copied().find(|kind| Some(kind.name()) == stored).unwrap_or(self)
    }

    /// The kinds with parameters of their own.
    pub fn stored() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|kind| kind.stored_as() == *kind)
    }

    /// The kinds that are views of the parameters of this one; this kind itself comes last.
    pub fn views(self) -> impl Iterator<Item = Self> {
        Self::ALL.iter().rev().copied().filter(move |kind| kind.stored_as() == self)
    }

    /// The parameters of the kind and of its views, with their shapes.
    pub fn parameters(self) -> impl Iterator<Item = (Shape, &'static ParameterSpec)> {
        let groups = self.views().flat_map(|kind| kind.definition().groups);
        groups.flat_map(|group| group.parameters.iter().map(|spec| (group.shape, spec)))
    }

    /// Returns true if concurrent messages share ports as flows in predictions of collective
    /// operations.
    pub fn shares_ports(self) -> bool {
        self.definition().shares_ports
    }

    /// The corrections of gather slopes that apply to this kind of model; `None` for models that do
    /// not separate the delays of processors from those of links.
    pub fn slope_correction(self) -> Option<SlopeCorrection> {
        self.definition().slope_correction
    }
}

impl fmt::Display for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ModelKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        UnknownName::find("kind of model", text, Self::ALL, |kind| kind.name())
    }
}
