//! In place of `remote`, for a command without MPI: there are no other hosts.

use std::marker::PhantomData;
use std::time::Duration;

use orrery::sample::KernelTimings;

use super::collector::Collector;
use crate::context::Context;
use crate::host_classes::Host;

/// The campaigns of no hosts.
pub struct Remote<'a>(PhantomData<&'a ()>);

#[allow(clippy::unused_self, clippy::unnecessary_wraps, clippy::needless_pass_by_value)]
impl Remote<'_> {
    pub fn new(_: Context, _: Vec<Host>, _: bool) -> Self {
        Self(PhantomData)
    }

    pub fn start(&mut self, _: KernelTimings) -> anyhow::Result<()> {
        Ok(())
    }

    /// Always true: there are no other hosts to wait for.
    pub fn is_ready(&self) -> bool {
        true
    }

    pub fn hosts(&self) -> usize {
        0
    }

    pub fn poll(&mut self, _: &mut Collector) -> anyhow::Result<()> {
        Ok(())
    }

    pub fn running(&mut self) -> anyhow::Result<Option<String>> {
        Ok(None)
    }

    pub fn cancel(&mut self, _: &mut Collector, _: Duration) -> anyhow::Result<()> {
        Ok(())
    }
}
