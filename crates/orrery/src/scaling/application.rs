use super::{ExecutionTimeModel, Forecast, Point, ScalingError};

/// The execution-time models of an application: one for each region of it that was timed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Application {
    /// The regions, each name once.
    pub regions: Vec<Region>,
}

/// A part of a program with its model.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its name, such as a call path; empty for the program as a whole.
    pub name: String,
    /// How long it takes.
    pub model: ExecutionTimeModel,
}

impl Application {
    /// The region of this name; the only one where no name is given.
    ///
    /// # Errors
    ///
    /// When there is no such region, or several and none is named.
    pub fn region(&self, name: Option<&str>) -> Result<&Region, ScalingError> {
        let known = || self.regions.iter().map(|region| region.name.clone()).collect();
        match name {
            Some(name) => self
                .regions
                .iter()
                .find(|region| region.name == name)
                .ok_or_else(|| ScalingError::UnknownRegion { name: name.to_owned(), known: known() }),
            None if self.regions.len() == 1 => Ok(&self.regions[0]),
            None => Err(ScalingError::WhichRegion { known: known() }),
        }
    }
}

impl Region {
    /// How long a run at this point takes, see [`ExecutionTimeModel::forecast`].
    ///
    /// # Errors
    ///
    /// As [`ExecutionTimeModel::forecast`].
    pub fn forecast(&self, point: &Point, level: f64) -> Result<Forecast, ScalingError> {
        self.model.forecast(point, level)
    }
}
