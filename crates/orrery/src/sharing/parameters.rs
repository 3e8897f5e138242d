use super::{GigabitEthernet, Infiniband, ParameterError};
use crate::numeric::Estimate;

/// The parameters of the laws of one cluster, as they were fitted or given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters {
    /// Of Gigabit Ethernet.
    pub gige: Option<GigeParameters>,
    /// Of InfiniBand.
    pub infiniband: Option<InfinibandParameters>,
}

/// The parameters of [`GigabitEthernet`] with their intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GigeParameters {
    /// β: the slowdown of each of k transfers of one node, divided by k.
    pub beta: Estimate,
    /// γ_o: how unevenly the sending side shares.
    pub gamma_out: Estimate,
    /// γ_i: how unevenly the receiving side shares.
    pub gamma_in: Estimate,
}

/// The parameters of [`Infiniband`] with their intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InfinibandParameters {
    /// β_s: the slowdown of each of two transfers of one source, divided by 2.
    pub beta_out: Estimate,
    /// β_e: the slowdown of each of two transfers to one destination, divided by 2.
    pub beta_in: Estimate,
    /// γ: how much more a source is slowed where a destination is crowded.
    pub gamma: Estimate,
}

impl Parameters {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.gige.is_none() && self.infiniband.is_none()
    }

    /// All numbers by network and name, in the order of the file.
    pub fn all(&self) -> Vec<(&'static str, &'static str, Estimate)> {
        let gige = self.gige.iter().flat_map(|p| named("gige", GigabitEthernet::PARAMETERS, p.estimates()));
        let infiniband =
            self.infiniband.iter().flat_map(|p| named("infiniband", Infiniband::PARAMETERS, p.estimates()));
        gige.chain(infiniband).collect()
    }
}

fn named(
    network: &'static str,
    names: [&'static str; 3],
    estimates: [Estimate; 3],
) -> impl Iterator<Item = (&'static str, &'static str, Estimate)> {
    names.into_iter().zip(estimates).map(move |(name, estimate)| (network, name, estimate))
}

impl GigeParameters {
    /// In the order of [`GigabitEthernet::PARAMETERS`].
    pub const fn from_estimates([beta, gamma_out, gamma_in]: [Estimate; 3]) -> Self {
        Self { beta, gamma_out, gamma_in }
    }

    /// In the order of [`GigabitEthernet::PARAMETERS`].
    pub const fn estimates(&self) -> [Estimate; 3] {
        [self.beta, self.gamma_out, self.gamma_in]
    }

    /// The law with these values.
    ///
    /// # Errors
    ///
    /// As [`GigabitEthernet::new`].
    pub fn law(&self) -> Result<GigabitEthernet, ParameterError> {
        GigabitEthernet::new(self.beta.value, self.gamma_out.value, self.gamma_in.value)
    }
}

impl InfinibandParameters {
    /// In the order of [`Infiniband::PARAMETERS`].
    pub const fn from_estimates([beta_out, beta_in, gamma]: [Estimate; 3]) -> Self {
        Self { beta_out, beta_in, gamma }
    }

    /// In the order of [`Infiniband::PARAMETERS`].
    pub const fn estimates(&self) -> [Estimate; 3] {
        [self.beta_out, self.beta_in, self.gamma]
    }

    /// The law with these values.
    ///
    /// # Errors
    ///
    /// As [`Infiniband::new`].
    pub fn law(&self) -> Result<Infiniband, ParameterError> {
        Infiniband::new(self.beta_out.value, self.beta_in.value, self.gamma.value)
    }
}
