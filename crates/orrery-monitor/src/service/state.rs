//! What all requests share.

use std::sync::Arc;
use std::time::Instant;

use super::access::Tokens;
use super::board::Board;
use super::connections::Connections;
use super::counters::Counters;
use super::event::Event;
use super::horizons::Horizons;
use super::limits::Limits;
use super::present::Models;
use super::rates::Rates;
use super::reader::Reader;
use super::writer::Writer;

/// Where events go.
pub(super) type EventSink = Arc<dyn Fn(Event) + Send + Sync>;

/// The state of a running service.
pub(super) struct State {
    pub(super) limits: Limits,
    pub(super) tokens: Option<Tokens>,
    pub(super) board: Arc<Board>,
    pub(super) horizons: Arc<Horizons>,
    pub(super) models: Models,
    pub(super) reader: Reader,
    pub(super) writer: Writer,
    pub(super) counters: Counters,
    pub(super) connections: Arc<Connections>,
    pub(super) rates: Rates,
    /// The bytes of bodies that may be in memory.
    pub(super) body_memory: usize,
    pub(super) events: EventSink,
    pub(super) started: Instant,
}
