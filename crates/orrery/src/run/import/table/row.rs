use super::super::mapping::Target;
use super::super::{Fault, Refused, Result};
use super::columns::Columns;
use crate::run::{KindTimes, Run, Share};
use crate::sample::file::table::Field;
use crate::units::Seconds;

/// What a row says.
pub(super) struct Row {
    /// Where it begins.
    pub(super) byte: usize,
    /// The run, without parts of the row's own kind; its time is 0 until it is known.
    pub(super) run: Run,
    /// The run that a rank belongs to.
    pub(super) of: String,
    /// The kind of a rank.
    pub(super) kind: Option<String>,
    /// Computation and communication of the row's kind.
    pub(super) times: Option<(f64, f64)>,
    /// The time, where it is told.
    pub(super) seconds: Option<f64>,
}

impl Row {
    /// Reads the fields of a row, as many as there are columns.
    pub(super) fn read(fields: &[Field], columns: &Columns, byte: usize) -> Result<Self> {
        let run = Run::new(Seconds::new(0.0));
        let mut row = Self { byte, run, of: String::new(), kind: None, times: None, seconds: None };
        let mut name = Vec::new();
        for (place, target) in columns.targets.iter().enumerate() {
            let text = &fields[place].text;
            let value = |expected, accept: &dyn Fn(f64) -> bool| {
                let number = text.parse::<f64>().ok().filter(|&number| number.is_finite() && accept(number));
                number.ok_or_else(|| Refused {
                    byte: byte + fields[place].start,
                    fault: Fault::Value {
                        run: if name.is_empty() { "of this row".to_owned() } else { format!("of {}", name.join(", ")) },
                        column: columns.names[place].clone(),
                        found: text.to_string(),
                        expected,
                    },
                })
            };
            let time = || value("a time, finite and not negative", &|time| time >= 0.0);
            let count = || value("a whole number", &|count| count.fract() == 0.0 && (0.0..4e9).contains(&count));
            match target {
                Target::Time(unit) => {
                    row.seconds = Some(unit.seconds(value("a time above 0, finite", &|time| time > 0.0)?));
                }
                Target::Region => row.run.region = text.to_string(),
                Target::Run => row.of = text.to_string(),
                Target::Rank => {}
                Target::Kind => row.kind = Some(text.to_string()),
                Target::Computation(kind) if kind.is_empty() => row.times.get_or_insert_default().0 = time()?,
                Target::Communication(kind) if kind.is_empty() => row.times.get_or_insert_default().1 = time()?,
                // A kind that takes no part may have empty fields.
                _ if text.is_empty() && !matches!(target, Target::Variable(_)) => {}
                Target::Computation(kind) => row.part(kind).computation = Seconds::new(time()?),
                Target::Communication(kind) => row.part(kind).communication = Seconds::new(time()?),
                Target::Elements(kind) => row.share(kind).elements = count()? as u32,
                Target::Processes(kind) => row.share(kind).processes = count()? as u32,
                Target::Label(label) => drop(row.run.labels.insert(label.clone(), text.to_string())),
                Target::Variable(variable) => {
                    let number = value("a finite number", &|_| true)?;
                    name.push(format!("{variable} = {number}"));
                    row.run.variables.insert(variable.clone(), number);
                }
            }
        }
        // Elements without processes run one each; a kind without elements takes no part, and has no times.
        row.run.configuration.shares.retain(|share| share.elements > 0 && share.processes > 0);
        if columns.targets.iter().any(|target| matches!(target, Target::Elements(_))) {
            let Run { parts, configuration, .. } = &mut row.run;
            parts.retain(|part| {
                configuration.share(&part.kind).is_some() || part.computation + part.communication > ZERO
            });
        }
        Ok(row)
    }

    fn part(&mut self, kind: &str) -> &mut KindTimes {
        let parts = &mut self.run.parts;
        let place = parts.iter().position(|part| part.kind == kind).unwrap_or_else(|| {
            parts.push(KindTimes { kind: kind.to_owned(), computation: ZERO, communication: ZERO });
            parts.len() - 1
        });
        &mut parts[place]
    }

    fn share(&mut self, kind: &str) -> &mut Share {
        let shares = &mut self.run.configuration.shares;
        let place = shares.iter().position(|share| share.kind == kind).unwrap_or_else(|| {
            shares.push(Share { kind: kind.to_owned(), elements: 0, processes: 1 });
            shares.len() - 1
        });
        &mut shares[place]
    }

    /// As a run of its own; `kind` is that of its times where it names none. Its time is that of the slowest kind where
    /// none is told.
    pub(super) fn run(mut self, kind: &str) -> (usize, Run) {
        if let Some((computation, communication)) = self.times {
            let kind = self.kind.unwrap_or_else(|| kind.to_owned());
            let (computation, communication) = (Seconds::new(computation), Seconds::new(communication));
            self.run.parts.push(KindTimes { kind, computation, communication });
        }
        let slowest = || self.run.parts.iter().map(|part| part.computation + part.communication).reduce(Seconds::max);
        self.run.seconds = self.seconds.map(Seconds::new).or_else(slowest).unwrap_or(ZERO);
        (self.byte, self.run)
    }
}

const ZERO: Seconds = Seconds::new(0.0);
