//! The handles of models, and what each of them keeps.

use std::ops::Deref;
use std::sync::Arc;

use orrery::model::{Availability, Forecaster, Model};

use crate::registry::Registry;
use crate::status::Failure;

/// A model. A handle of zeros names none.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ModelHandle {
    /// The number of the handle.
    pub id: u64,
}

/// A model with what belongs to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoredModel {
    pub(crate) model: Model,
    /// The warnings of the file, of the estimation or of the conditions that the model is of, one
    /// on each line.
    pub(crate) warnings: String,
    /// The availability of hosts under the conditions of the model; `None` for a model without
    /// load.
    pub(crate) availability: Option<Availability>,
    /// The number of times that the model has been changed.
    pub(crate) changes: u64,
}

impl StoredModel {
    /// Forecasts for the load of the model.
    pub(crate) fn forecaster(&self) -> Result<Forecaster<'_>, Failure> {
        let forecaster = Forecaster::new(&self.model);
        match &self.availability {
            Some(availability) => {
                forecaster.with_availability(availability.clone()).map_err(Failure::invalid)
            }
            None => Ok(forecaster),
        }
    }
}

impl Deref for StoredModel {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.model
    }
}

/// All models of the process.
static MODELS: Registry<StoredModel> = Registry::new("model");

/// Stores a model without warnings; returns its handle.
pub(crate) fn insert(model: Model) -> Result<ModelHandle, Failure> {
    insert_with(model, String::new())
}

/// Stores a model with its warnings; returns its handle.
pub(crate) fn insert_with(model: Model, warnings: String) -> Result<ModelHandle, Failure> {
    insert_stored(StoredModel { model, warnings, ..StoredModel::default() })
}

/// Stores a model with all that belongs to it; returns its handle.
pub(crate) fn insert_stored(stored: StoredModel) -> Result<ModelHandle, Failure> {
    MODELS.insert(stored).map(|id| ModelHandle { id })
}

/// The model of a handle.
pub(crate) fn get(handle: ModelHandle) -> Result<Arc<StoredModel>, Failure> {
    MODELS.get(handle.id)
}

/// Replaces the model of a handle by what `change` makes of a copy, and counts the change; if
/// `change` fails, the model remains as it was.
pub(crate) fn replace(
    handle: ModelHandle,
    change: impl FnOnce(&mut Model) -> Result<(), Failure>,
) -> Result<(), Failure> {
    MODELS.replace(handle.id, |stored| {
        stored.changes += 1;
        change(&mut stored.model)
    })
}

/// Removes the model of a handle; calls that still use it end as usual.
pub(crate) fn remove(handle: ModelHandle) -> Result<(), Failure> {
    MODELS.remove(handle.id)
}
