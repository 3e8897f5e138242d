use std::marker::PhantomData;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::options::BlasError;

/// Binds the calling thread to a processor until it is dropped, which happens in the same thread.
pub struct Pin {
    before: CpuSet,
    /// Other threads cannot have it.
    not_send: PhantomData<*const ()>,
}

impl Pin {
    /// Binds the calling thread.
    ///
    /// # Errors
    ///
    /// When the thread may not run on the processor.
    pub fn new(processor: u32) -> Result<Self, BlasError> {
        let fail = |reason: String, before: &CpuSet| {
            let allowed: Vec<String> = (0..CpuSet::MAX_CPU)
                .filter(|one| before.is_set(*one))
                .map(|one| one.to_string())
                .collect();
            BlasError::Processor { processor, reason, allowed: allowed.join(", ") }
        };
        let before =
            sched_getaffinity(None).map_err(|error| fail(format!(": {error}"), &CpuSet::new()))?;
        if processor as usize >= CpuSet::MAX_CPU || !before.is_set(processor as usize) {
            return Err(fail(String::new(), &before));
        }
        let mut set = CpuSet::new();
        set.set(processor as usize);
        sched_setaffinity(None, &set).map_err(|error| fail(format!(": {error}"), &before))?;
        Ok(Self { before, not_send: PhantomData })
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        // If it fails, the thread stays where it is; measurements are over.
        let _ = sched_setaffinity(None, &self.before);
    }
}
