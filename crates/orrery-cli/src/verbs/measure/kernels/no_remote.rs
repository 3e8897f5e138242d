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
    /// The campaigns of no hosts.
    pub fn new(_: Context, _: Vec<Host>, _: bool) -> Self {
        Self(PhantomData)
    }

    /// Does nothing: there are no campaigns to begin.
    pub fn start(&mut self, _: KernelTimings) -> anyhow::Result<()> {
        Ok(())
    }

    /// Always true: there are no other hosts to wait for.
    pub fn is_ready(&self) -> bool {
        true
    }

    /// The number of other hosts: 0.
    pub fn hosts(&self) -> usize {
        0
    }

    /// Does nothing: there are no readings of other hosts.
    pub fn poll(&mut self, _: &mut Collector) -> anyhow::Result<()> {
        Ok(())
    }

    /// Always `None`: no other host measures.
    pub fn running(&mut self) -> anyhow::Result<Option<String>> {
        Ok(None)
    }

    /// Does nothing: there are no campaigns to end.
    pub fn cancel(&mut self, _: &mut Collector, _: Duration) -> anyhow::Result<()> {
        Ok(())
    }
}
