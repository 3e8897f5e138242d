use super::{GigabitEthernet, Infiniband, MaxMinPorts, Myrinet, PenaltyModel, SharingError, Transfer};

/// One of the laws with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SharingLaw {
    /// Max-min fairness over the ports of the nodes.
    MaxMinPorts,
    /// Gigabit Ethernet.
    GigabitEthernet(GigabitEthernet),
    /// Myrinet.
    Myrinet(Myrinet),
    /// InfiniBand.
    Infiniband(Infiniband),
}

impl SharingLaw {
    /// Its word on the command line.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::MaxMinPorts => "maxmin",
            Self::GigabitEthernet(_) => "gige",
            Self::Myrinet(_) => "myrinet",
            Self::Infiniband(_) => "infiniband",
        }
    }
}

impl PenaltyModel for SharingLaw {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        match self {
            Self::MaxMinPorts => MaxMinPorts.penalties(transfers),
            Self::GigabitEthernet(law) => law.penalties(transfers),
            Self::Myrinet(law) => law.penalties(transfers),
            Self::Infiniband(law) => law.penalties(transfers),
        }
    }
}
