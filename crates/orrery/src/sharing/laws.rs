use super::{Fair, Gige, Infiniband, Myrinet, Sharing, SharingError, Transfer};

/// One of the laws with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Max-min fairness over the ports of the nodes.
    Fair,
    /// Gigabit Ethernet.
    Gige(Gige),
    /// Myrinet.
    Myrinet(Myrinet),
    /// InfiniBand.
    Infiniband(Infiniband),
}

impl Law {
    /// Its word on the command line.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Fair => "maxmin",
            Self::Gige(_) => "gige",
            Self::Myrinet(_) => "myrinet",
            Self::Infiniband(_) => "infiniband",
        }
    }
}

impl Sharing for Law {
    fn penalties(&self, transfers: &[Transfer]) -> Result<Vec<f64>, SharingError> {
        match self {
            Self::Fair => Fair.penalties(transfers),
            Self::Gige(law) => law.penalties(transfers),
            Self::Myrinet(law) => law.penalties(transfers),
            Self::Infiniband(law) => law.penalties(transfers),
        }
    }
}
