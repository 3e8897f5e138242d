use std::collections::BTreeMap;

use super::{Provenance, Repetition};
use orrery_base::units::{Bytes, Seconds};

/// Source, destination and size of a message between nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeMessage {
    /// The sending node.
    pub source: u32,
    /// The receiving node.
    pub destination: u32,
    /// The size of the message.
    pub size: Bytes,
}

/// A message of a scheme, with its readings.
#[derive(Debug, Clone, PartialEq)]
pub struct Communication {
    /// Its name within the scheme.
    pub name: String,
    /// Source, destination and size.
    pub message: NodeMessage,
    /// The start time relative to the scheme.
    pub delay: Seconds,
    /// The readings among the concurrent messages.
    pub readings: Vec<Repetition>,
}

/// A scheme of concurrent messages with their readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimedScheme {
    /// Its name.
    pub name: String,
    /// The messages in the order of the file.
    pub communications: Vec<Communication>,
}

impl TimedScheme {
    /// Returns true if all messages start at the same time, as sharing laws assume.
    pub fn starts_together(&self) -> bool {
        self.communications.windows(2).all(|two| two[0].delay == two[1].delay)
    }

    /// Returns true if both schemes have the same messages, regardless of readings.
    pub fn is_like(&self, other: &Self) -> bool {
        let key = |one: &Communication| (one.name.clone(), one.message, one.delay.get().to_bits());
        self.communications.iter().map(key).eq(other.communications.iter().map(key))
    }
}

/// The message that a reading measures.
#[derive(Debug, Clone, PartialEq)]
pub enum TimingSubject {
    /// An uncontended message.
    Reference(NodeMessage),
    /// A message of a scheme among the concurrent messages.
    Concurrent {
        /// The scheme.
        scheme: String,
        /// The name of the message.
        communication: String,
        /// Source, destination and size.
        message: NodeMessage,
        /// The start time relative to the scheme.
        delay: Seconds,
    },
}

/// A reading of a message, or the declaration of a message of a scheme.
#[derive(Debug, Clone, PartialEq)]
pub struct TimingRow {
    /// The timed message.
    pub subject: TimingSubject,
    /// The reading; `None` if the row only declares the message.
    pub reading: Option<Repetition>,
}

/// The error of a message that differs from its earlier declaration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "communication {communication:?} of scheme {scheme:?} goes from {0} to {1} with {2} bytes \
        here, unlike before; \
     rename the scheme", .now.source, .now.destination, .now.size.get()
)]
pub struct CommunicationMismatch {
    /// The scheme.
    pub scheme: String,
    /// The message.
    pub communication: String,
    /// The new declaration.
    pub now: NodeMessage,
}

/// The readings of a campaign of schemes, with their provenance.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Timings {
    /// The origin of the readings.
    pub provenance: Provenance,
    schemes: Vec<TimedScheme>,
    references: BTreeMap<NodeMessage, Vec<Repetition>>,
}

impl Timings {
    /// Timings without readings.
    pub fn new(provenance: Provenance) -> Self {
        Self { provenance, ..Self::default() }
    }

    /// Adds a reading or declares a message.
    ///
    /// # Errors
    ///
    /// Returns an error if the scheme has a different message of this name.
    pub fn push(&mut self, row: TimingRow) -> Result<(), CommunicationMismatch> {
        match row.subject {
            TimingSubject::Reference(message) => {
                self.references.entry(message).or_default().extend(row.reading);
            }
            TimingSubject::Concurrent { scheme, communication, message, delay } => {
                let place = self
                    .schemes
                    .iter()
                    .position(|known| known.name == scheme)
                    .unwrap_or_else(|| {
                        self.schemes
                            .push(TimedScheme { name: scheme.clone(), communications: Vec::new() });
                        self.schemes.len() - 1
                    });
                let communications = &mut self.schemes[place].communications;
                match communications.iter_mut().find(|known| known.name == communication) {
                    Some(known) if known.message == message && known.delay == delay => {
                        known.readings.extend(row.reading);
                    }
                    Some(_) => {
                        return Err(CommunicationMismatch { scheme, communication, now: message });
                    }
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

    /// Adds the rows of other timings without duplicates, as
    /// [`Samples::extend`](super::Samples::extend) does; returns the number of duplicates. The
    /// provenance stays.
    ///
    /// # Errors
    ///
    /// As [`Timings::push`].
    pub fn extend(&mut self, other: &Self) -> Result<usize, CommunicationMismatch> {
        let mut new = other.clone();
        for (message, readings) in &mut new.references {
            let known = self.references.get(message).map_or(&[][..], Vec::as_slice);
            *readings = Repetition::new_among(known, readings);
        }
        for scheme in &mut new.schemes {
            let own = self.scheme(&scheme.name);
            for one in &mut scheme.communications {
                let alike =
                    |known: &&Communication| known.name == one.name && known.message == one.message;
                let known = own.and_then(|own| own.communications.iter().find(alike));
                one.readings = Repetition::new_among(
                    known.map_or(&[][..], |known| &known.readings),
                    &one.readings,
                );
            }
        }
        new.rows().into_iter().try_for_each(|row| self.push(row))?;
        Ok(other.count() - new.count())
    }

    /// The schemes in the order of their first rows.
    pub fn schemes(&self) -> &[TimedScheme] {
        &self.schemes
    }

    /// The scheme with a name; `None` if there is none.
    pub fn scheme(&self, name: &str) -> Option<&TimedScheme> {
        self.schemes.iter().find(|scheme| scheme.name == name)
    }

    /// The readings of uncontended messages.
    pub fn references(&self) -> &BTreeMap<NodeMessage, Vec<Repetition>> {
        &self.references
    }

    /// The number of readings.
    pub fn count(&self) -> usize {
        let concurrent = self.schemes.iter().flat_map(|scheme| &scheme.communications);
        concurrent.map(|one| one.readings.len()).sum::<usize>()
            + self.references.values().map(Vec::len).sum::<usize>()
    }

    /// All rows for a file: references, then the declarations and readings of each scheme.
    pub fn rows(&self) -> Vec<TimingRow> {
        let references = self.references.iter().flat_map(|(&message, readings)| {
            let row = move |&reading| TimingRow {
                subject: TimingSubject::Reference(message),
                reading: Some(reading),
            };
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
            rows.extend(
                scheme
                    .communications
                    .iter()
                    .map(|one| TimingRow { subject: timed(one), reading: None }),
            );
            for one in &scheme.communications {
                rows.extend(
                    one.readings
                        .iter()
                        .map(|&reading| TimingRow { subject: timed(one), reading: Some(reading) }),
                );
            }
        }
        rows
    }
}
