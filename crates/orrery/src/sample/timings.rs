use std::collections::BTreeMap;

use super::{Provenance, Repetition};
use crate::units::{Bytes, Seconds};

/// From which node to which node, and how much: what a lone message is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeMessage {
    /// The node that sends.
    pub source: u32,
    /// The node that receives.
    pub destination: u32,
    /// How much is sent.
    pub size: Bytes,
}

/// A message of a scheme, with its readings.
#[derive(Debug, Clone, PartialEq)]
pub struct Communication {
    /// Its name within the scheme.
    pub name: String,
    /// From where to where, and how much.
    pub message: NodeMessage,
    /// How long after the others it starts.
    pub delay: Seconds,
    /// Its readings with the others under way.
    pub readings: Vec<Repetition>,
}

/// Messages that are under way at once, with their readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimedScheme {
    /// Its name.
    pub name: String,
    /// The messages in the order in which they were written.
    pub communications: Vec<Communication>,
}

impl TimedScheme {
    /// Whether all of them start together, as laws of sharing take it.
    pub fn starts_together(&self) -> bool {
        self.communications.windows(2).all(|two| two[0].delay == two[1].delay)
    }

    /// Whether it is the same scheme, whatever was measured of it.
    pub fn is_like(&self, other: &Self) -> bool {
        let key = |one: &Communication| (one.name.clone(), one.message, one.delay.get().to_bits());
        self.communications.iter().map(key).eq(other.communications.iter().map(key))
    }
}

/// What a reading is one of.
#[derive(Debug, Clone, PartialEq)]
pub enum TimingSubject {
    /// Of a message by itself.
    Reference(NodeMessage),
    /// Of a message of a scheme, with the others under way.
    Concurrent {
        /// The scheme.
        scheme: String,
        /// The name of the message.
        communication: String,
        /// From where to where, and how much.
        message: NodeMessage,
        /// How long after the others it starts.
        delay: Seconds,
    },
}

/// A reading of a message, or the mere fact that a scheme has such a message.
#[derive(Debug, Clone, PartialEq)]
pub struct TimingRow {
    /// What it is a reading of.
    pub subject: TimingSubject,
    /// The reading; `None` where the message is only named, so that a scheme is known whole before it is measured.
    pub reading: Option<Repetition>,
}

/// Why a reading does not go with those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "communication {communication:?} of scheme {scheme:?} goes from {0} to {1} with {2} bytes here, but otherwise before; \
     give the scheme another name", .now.source, .now.destination, .now.size.get()
)]
pub struct CommunicationMismatch {
    /// The scheme.
    pub scheme: String,
    /// The message.
    pub communication: String,
    /// What it is said to be now.
    pub now: NodeMessage,
}

/// The readings of a campaign of schemes, with their provenance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timings {
    /// Where the readings come from.
    pub provenance: Provenance,
    schemes: Vec<TimedScheme>,
    references: BTreeMap<NodeMessage, Vec<Repetition>>,
}

impl Timings {
    /// No readings yet.
    pub fn new(provenance: Provenance) -> Self {
        Self { provenance, ..Self::default() }
    }

    /// Adds a reading, or names a message.
    ///
    /// # Errors
    ///
    /// When a message of this name in the scheme is another one.
    pub fn push(&mut self, row: TimingRow) -> Result<(), CommunicationMismatch> {
        match row.subject {
            TimingSubject::Reference(message) => self.references.entry(message).or_default().extend(row.reading),
            TimingSubject::Concurrent { scheme, communication, message, delay } => {
                let place = self.schemes.iter().position(|known| known.name == scheme).unwrap_or_else(|| {
                    self.schemes.push(TimedScheme { name: scheme.clone(), communications: Vec::new() });
                    self.schemes.len() - 1
                });
                let communications = &mut self.schemes[place].communications;
                match communications.iter_mut().find(|known| known.name == communication) {
                    Some(known) if known.message == message && known.delay == delay => {
                        known.readings.extend(row.reading)
                    }
                    Some(_) => return Err(CommunicationMismatch { scheme, communication, now: message }),
                    None => communications.push(Communication {
                        name: communication,
                        message,
                        delay,
                        readings: row.reading.into_iter().collect(),
                    }),
                }
            }
        }
        Ok(())
    }

    /// Adds all that another file holds.
    ///
    /// # Errors
    ///
    /// As [`Timings::push`].
    pub fn extend(&mut self, other: &Self) -> Result<(), CommunicationMismatch> {
        other.rows().into_iter().try_for_each(|row| self.push(row))
    }

    /// The schemes in the order in which they were first named.
    pub fn schemes(&self) -> &[TimedScheme] {
        &self.schemes
    }

    /// The scheme of this name.
    pub fn scheme(&self, name: &str) -> Option<&TimedScheme> {
        self.schemes.iter().find(|scheme| scheme.name == name)
    }

    /// The readings of lone messages.
    pub fn references(&self) -> &BTreeMap<NodeMessage, Vec<Repetition>> {
        &self.references
    }

    /// How many readings there are.
    pub fn count(&self) -> usize {
        let concurrent = self.schemes.iter().flat_map(|scheme| &scheme.communications);
        concurrent.map(|one| one.readings.len()).sum::<usize>() + self.references.values().map(Vec::len).sum::<usize>()
    }

    /// Rows from which all of this can be made again: references, then each scheme, first named and then read.
    pub fn rows(&self) -> Vec<TimingRow> {
        let references = self.references.iter().flat_map(|(&message, readings)| {
            let row = move |&reading| TimingRow { subject: TimingSubject::Reference(message), reading: Some(reading) };
            readings.iter().map(row)
        });
        let mut rows: Vec<TimingRow> = references.collect();
        for scheme in &self.schemes {
            let timed = |one: &Communication| TimingSubject::Concurrent {
                scheme: scheme.name.clone(),
                communication: one.name.clone(),
                message: one.message,
                delay: one.delay,
            };
            rows.extend(scheme.communications.iter().map(|one| TimingRow { subject: timed(one), reading: None }));
            for one in &scheme.communications {
                rows.extend(
                    one.readings.iter().map(|&reading| TimingRow { subject: timed(one), reading: Some(reading) }),
                );
            }
        }
        rows
    }
}
