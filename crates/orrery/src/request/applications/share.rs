use serde::{Deserialize, Serialize};

use super::{RequestError, check_positive};
use crate::budget::Budget;
use crate::sharing::scheme::{Arc, Scheme};
use crate::sharing::{Emission, PenaltyModel as _, SharingError, SharingLaw};
use crate::simulate::{Communication, replay_scheme};
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// The sharing of a network by concurrent transfers; times need one of the fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShareRequest {
    /// The bandwidth of an uncontended transfer.
    pub bandwidth: Option<BytesPerSecond>,
    /// The time of an uncontended transfer, if all have the same size.
    pub reference: Option<Seconds>,
}

/// The penalties of transfers that start together, in the order of the scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedTransfers {
    /// The penalty of each transfer.
    pub penalties: Vec<f64>,
    /// The time of each transfer in seconds; `None` if it is unknown, or within a node.
    pub seconds: Vec<Option<f64>>,
    /// The emission coefficients behind the penalties, of laws with such.
    pub emissions: Option<Vec<Emission>>,
}

impl ShareRequest {
    /// The penalties of a scheme by a law; delays count as 0.
    ///
    /// # Errors
    ///
    /// When the scheme has no transfer, when a reference does not fit its sizes, or when the law
    /// cannot be evaluated.
    pub fn penalties(
        &self,
        scheme: &Scheme,
        law: SharingLaw,
    ) -> Result<SharedTransfers, RequestError> {
        self.check(scheme)?;
        let transfers = scheme.transfers();
        let emissions = law.emissions(&transfers).transpose()?;
        let penalties = match &emissions {
            Some(emissions) => emissions.iter().map(|emission| emission.penalty).collect(),
            None => law.penalties(&transfers)?,
        };
        let uncontended = |size: Bytes| match (self.reference, self.bandwidth) {
            (Some(reference), _) => Some(reference.get()),
            (None, bandwidth) => Some(size.get() as f64 / bandwidth?.get()),
        };
        let time = |(arc, penalty): (&Arc, &f64)| {
            let alone = uncontended(arc.size).filter(|_| !arc.transfer.is_local());
            alone.map(|alone| penalty * alone)
        };
        let seconds = scheme.arcs.iter().zip(&penalties).map(time).collect();
        Ok(SharedTransfers { penalties, seconds, emissions })
    }

    /// Simulates a scheme in time, with its delays; also returns the bandwidth of an uncontended
    /// transfer.
    ///
    /// # Errors
    ///
    /// As [`ShareRequest::penalties`]; when there is no bandwidth, or the simulation exceeds the
    /// budget.
    pub fn simulate(
        &self,
        scheme: &Scheme,
        law: SharingLaw,
        budget: Budget,
    ) -> Result<(Vec<Option<Communication>>, BytesPerSecond), RequestError> {
        self.check(scheme)?;
        let size = scheme.arcs.first().map_or(0.0, |arc| arc.size.get() as f64);
        let of_reference = || self.reference.map(|time| BytesPerSecond::new(size / time.get()));
        let bandwidth = self.bandwidth.or_else(of_reference);
        let bandwidth = bandwidth.ok_or_else(|| {
            RequestError::missing("bandwidth", "a simulation in time", "that of one transfer")
        })?;
        let what = format!("the simulation of {} transfers", scheme.arcs.len());
        budget.check_operations(what, scheme.rate_changes())?;
        let replayed = replay_scheme(scheme, bandwidth, law);
        let replayed = replayed.map_err(|error| super::simulation::of_whole_run(&error))?;
        Ok((replayed, bandwidth))
    }

    /// Checks a scheme.
    fn check(&self, scheme: &Scheme) -> Result<(), RequestError> {
        if scheme.arcs.is_empty() {
            let reason = "the scheme has no transfer; write one per line, such as a: 0 -> 1 20M";
            return Err(RequestError::failed(reason));
        }
        let bandwidth = self.bandwidth.map(|bandwidth| ("bandwidth", bandwidth.get()));
        let reference = self.reference.map(|time| ("reference", time.get()));
        let mut given = bandwidth.into_iter().chain(reference);
        given.try_for_each(|(field, value)| check_positive(field, value))?;
        if let Some(time) = self.reference
            && scheme.arcs.windows(2).any(|two| two[0].size != two[1].size)
        {
            let reason =
                "the transfers have different sizes; give the bandwidth of one transfer instead";
            return Err(RequestError::invalid("reference", time, reason));
        }
        Ok(())
    }
}

impl From<SharingError> for RequestError {
    fn from(error: SharingError) -> Self {
        let text = error.to_string();
        match error {
            SharingError::TooLarge { .. } | SharingError::TooMany { .. } => {
                Self::failed_with(text, "estimate", None)
            }
            SharingError::NoSample { .. } => Self::failed(text),
        }
    }
}
