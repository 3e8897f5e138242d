//! Models by handles: a number of a slot and of its generation, so that a freed handle is recognised.

use std::sync::{Arc, PoisonError, RwLock};

use orrery::model::Model;

use crate::status::{Failure, Status};

/// A model. A handle of zeros names none.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ModelHandle {
    /// The number of the handle.
    pub id: u64,
}

/// A place for a model.
#[derive(Debug, Default)]
struct Slot {
    /// The number of models that the slot has held.
    generation: u32,
    /// The number of times that its present model has been changed.
    changes: u64,
    model: Option<Arc<Model>>,
    /// The warnings of the file or the estimation that the model is of, one on each line.
    warnings: String,
}

/// All models of the process.
#[derive(Debug)]
struct Table {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

static MODELS: RwLock<Table> = RwLock::new(Table { slots: Vec::new(), free: Vec::new() });

/// Stores a model without warnings; returns its handle.
pub(crate) fn insert(model: Model) -> Result<ModelHandle, Failure> {
    insert_with(model, String::new())
}

/// Stores a model with its warnings; returns its handle.
pub(crate) fn insert_with(model: Model, warnings: String) -> Result<ModelHandle, Failure> {
    let mut table = MODELS.write().unwrap_or_else(PoisonError::into_inner);
    let number = if let Some(number) = table.free.pop() {
        number
    } else {
        let number = u32::try_from(table.slots.len());
        let number = number.map_err(|_| Failure::argument("there are 2^32 models; free some"))?;
        table.slots.push(Slot::default());
        number
    };
    let slot = &mut table.slots[number as usize];
    slot.generation += 1;
    slot.changes = 0;
    slot.model = Some(Arc::new(model));
    slot.warnings = warnings;
    Ok(ModelHandle { id: u64::from(slot.generation) << 32 | u64::from(number) })
}

/// The model of a handle.
pub(crate) fn get(handle: ModelHandle) -> Result<Arc<Model>, Failure> {
    let table = MODELS.read().unwrap_or_else(PoisonError::into_inner);
    let (number, generation) = (handle.id as u32 as usize, (handle.id >> 32) as u32);
    let slot = table.slots.get(number).filter(|slot| slot.generation == generation);
    slot.and_then(|slot| slot.model.clone()).ok_or_else(|| unknown(handle))
}

/// The warnings of the model of a handle.
pub(crate) fn warnings(handle: ModelHandle) -> Result<String, Failure> {
    get(handle)?;
    let table = MODELS.read().unwrap_or_else(PoisonError::into_inner);
    Ok(table.slots.get(handle.id as u32 as usize).map_or_else(String::new, |slot| slot.warnings.clone()))
}

/// The model of a handle, and the number of times that it has been changed.
#[cfg(feature = "mpi")]
pub(crate) fn get_with_changes(handle: ModelHandle) -> Result<(Arc<Model>, u64), Failure> {
    let model = get(handle)?;
    let table = MODELS.read().unwrap_or_else(PoisonError::into_inner);
    Ok((model, table.slots.get(handle.id as u32 as usize).map_or(0, |slot| slot.changes)))
}

/// Replaces the model of a handle by what `change` makes of it.
pub(crate) fn replace(
    handle: ModelHandle,
    change: impl FnOnce(&mut Model) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut table = MODELS.write().unwrap_or_else(PoisonError::into_inner);
    let (number, generation) = (handle.id as u32 as usize, (handle.id >> 32) as u32);
    let slot = table.slots.get_mut(number).filter(|slot| slot.generation == generation);
    let slot = slot.ok_or_else(|| unknown(handle))?;
    let model = slot.model.as_mut().ok_or_else(|| unknown(handle))?;
    let mut changed = Model::clone(model);
    change(&mut changed)?;
    *model = Arc::new(changed);
    slot.changes += 1;
    Ok(())
}

/// Removes the model of a handle; calls that still use it end as usual.
pub(crate) fn remove(handle: ModelHandle) -> Result<(), Failure> {
    let mut table = MODELS.write().unwrap_or_else(PoisonError::into_inner);
    let (number, generation) = (handle.id as u32, (handle.id >> 32) as u32);
    let slot = table.slots.get_mut(number as usize).filter(|slot| slot.generation == generation);
    slot.and_then(|slot| slot.model.take()).ok_or_else(|| unknown(handle))?;
    // A slot whose generations are used up is not used again.
    if generation < u32::MAX {
        table.free.push(number);
    }
    Ok(())
}

/// The failure of a handle that names no model.
fn unknown(handle: ModelHandle) -> Failure {
    let why = if handle.id == 0 { "it is zero" } else { "it was freed, or never made" };
    Failure::new(Status::ORRERY_HANDLE, format!("the handle names no model: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_handles_are_recognised() {
        let first = insert(Model::default()).unwrap();
        assert!(get(first).is_ok());
        remove(first).unwrap();
        let second = insert(Model::default()).unwrap();
        for wrong in [first, ModelHandle::default(), ModelHandle { id: u64::MAX }, ModelHandle { id: second.id + 1 }] {
            assert_eq!(get(wrong).unwrap_err().status, Status::ORRERY_HANDLE);
            assert_eq!(remove(wrong).unwrap_err().status, Status::ORRERY_HANDLE);
            assert!(replace(wrong, |_| Ok(())).is_err());
        }
        assert!(replace(second, |_| Err(Failure::argument("no"))).is_err());
        let add = |model: &mut Model| {
            model.hosts.push("a".into());
            Ok(())
        };
        replace(second, add).unwrap();
        assert_eq!(get(second).unwrap().hosts, ["a"]);
        remove(second).unwrap();
    }
}
