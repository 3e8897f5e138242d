//! Contents by handles: a number of a slot and of its generation, so that a freed handle is
//! recognised.

use std::sync::{Arc, PoisonError, RwLock};

use crate::status::{Failure, Status};

/// All contents of one type in the process.
#[derive(Debug)]
pub(crate) struct Registry<T> {
    /// What a handle names, for messages.
    what: &'static str,
    table: RwLock<Table<T>>,
}

/// The slots, and the numbers of those that can be used again.
#[derive(Debug)]
struct Table<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

/// A place for a content.
#[derive(Debug)]
struct Slot<T> {
    /// The number of contents that the slot has held.
    generation: u32,
    content: Option<Arc<T>>,
}

/// The number of the slot, in the lower 32 bits of a handle, and its generation, in the upper ones.
fn parts(id: u64) -> (usize, u32) {
    (id as u32 as usize, (id >> 32) as u32)
}

impl<T> Registry<T> {
    /// A registry without contents.
    pub(crate) const fn new(what: &'static str) -> Self {
        Self { what, table: RwLock::new(Table { slots: Vec::new(), free: Vec::new() }) }
    }

    /// Stores a content; returns its handle.
    pub(crate) fn insert(&self, content: T) -> Result<u64, Failure> {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let number = if let Some(number) = table.free.pop() {
            number
        } else {
            let number = u32::try_from(table.slots.len());
            let number =
                number.map_err(|_| Failure::argument("there are 2^32 handles; free some"))?;
            table.slots.push(Slot { generation: 0, content: None });
            number
        };
        let slot = &mut table.slots[number as usize];
        slot.generation += 1;
        slot.content = Some(Arc::new(content));
        Ok(u64::from(slot.generation) << 32 | u64::from(number))
    }

    /// The content of a handle.
    pub(crate) fn get(&self, id: u64) -> Result<Arc<T>, Failure> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let (number, generation) = parts(id);
        let slot = table.slots.get(number).filter(|slot| slot.generation == generation);
        slot.and_then(|slot| slot.content.clone()).ok_or_else(|| self.unknown(id))
    }

    /// Replaces the content of a handle by what `change` makes of a copy; if `change` fails, the
    /// content remains. Calls that use the old content end as usual.
    pub(crate) fn replace(
        &self,
        id: u64,
        change: impl FnOnce(&mut T) -> Result<(), Failure>,
    ) -> Result<(), Failure>
    where
        T: Clone,
    {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let (number, generation) = parts(id);
        let slot = table.slots.get_mut(number).filter(|slot| slot.generation == generation);
        let content =
            slot.and_then(|slot| slot.content.as_mut()).ok_or_else(|| self.unknown(id))?;
        let mut changed = T::clone(content);
        change(&mut changed)?;
        *content = Arc::new(changed);
        Ok(())
    }

    /// Removes the content of a handle; calls that still use it end as usual.
    pub(crate) fn remove(&self, id: u64) -> Result<(), Failure> {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let (number, generation) = parts(id);
        let slot = table.slots.get_mut(number).filter(|slot| slot.generation == generation);
        slot.and_then(|slot| slot.content.take()).ok_or_else(|| self.unknown(id))?;
        // A slot whose generations are used up is not used again.
        if generation < u32::MAX {
            table.free.push(number as u32);
        }
        Ok(())
    }

    /// The failure of a handle that names no content.
    fn unknown(&self, id: u64) -> Failure {
        let why = if id == 0 { "it is zero" } else { "it was freed, or never made" };
        Failure::new(Status::ORRERY_HANDLE, format!("the handle names no {}: {why}", self.what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_handles_are_recognised() {
        let registry = Registry::new("number");
        let first = registry.insert(1).unwrap();
        assert_eq!(registry.get(first).as_deref().ok(), Some(&1));
        registry.remove(first).unwrap();
        let second = registry.insert(2).unwrap();
        for wrong in [first, 0, u64::MAX, second + 1] {
            assert_eq!(registry.get(wrong).unwrap_err().status, Status::ORRERY_HANDLE);
            assert_eq!(registry.remove(wrong).unwrap_err().status, Status::ORRERY_HANDLE);
            assert!(registry.replace(wrong, |_| Ok(())).is_err());
        }
        assert!(registry.replace(second, |_| Err(Failure::argument("no"))).is_err());
        let in_use = registry.get(second).unwrap();
        registry
            .replace(second, |number| {
                *number += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!((*in_use, *registry.get(second).unwrap()), (2, 3));
        registry.remove(second).unwrap();
        assert_eq!(registry.get(0).unwrap_err().message, "the handle names no number: it is zero");
    }
}
