//! The text input: `PARAMETER p`, `POINTS 4 8 16`, `REGION main`, `METRIC time`, one `DATA 1.1 1.2` for each point.

use super::super::lines::lines;
use super::super::{ColumnMapping, Fault, Read, Refused, Result};
use super::Series;
use crate::sample::import::{Word, words};

const KEYWORDS: [&str; 5] = ["PARAMETER", "POINTS", "REGION", "METRIC", "DATA"];

/// Whether a line begins with a word of the text input.
pub(in super::super) fn is_keyword(line: &str) -> bool {
    line.split_whitespace().next().is_some_and(|word| KEYWORDS.contains(&word))
}

#[derive(Default)]
struct Reader {
    parameters: Vec<String>,
    points: Vec<Vec<f64>>,
    series: Series,
    /// How many lines of data of the series were read.
    data: usize,
    read: Read,
}

/// Reads the text input of Extra-P.
pub(in super::super) fn text(text: &str, map: &ColumnMapping) -> Result<Read> {
    let mut reader = Reader::default();
    for (start, line, _) in lines(text) {
        let words = words(line);
        let Some((first, rest)) = words.split_first().filter(|(first, _)| !first.text.starts_with('#')) else {
            continue;
        };
        let behind = line[first.start + first.text.len()..].trim();
        let at = start + first.start;
        match first.text {
            "PARAMETER" => {
                for word in rest {
                    let name = map.variable(word.text).to_owned();
                    if reader.parameters.contains(&name) {
                        return Err(Refused {
                            byte: start + word.start,
                            fault: Fault::Twice { what: "parameter", name },
                        });
                    }
                    reader.parameters.push(name);
                }
            }
            "POINTS" => reader.points(behind, start + line.len() - behind.len())?,
            "REGION" => reader.begin(at, Series { region: behind.to_owned(), ..Series::default() })?,
            "METRIC" => {
                let region = reader.series.region.clone();
                reader.begin(at, Series { region, metric: behind.to_owned(), zeros: None })?;
            }
            "DATA" => reader.data(rest, start, at)?,
            word => return Err(Refused { byte: at, fault: Fault::Keyword { word: word.to_owned() } }),
        }
    }
    reader.begin(text.trim_end().len(), Series::default())?;
    Ok(reader.read)
}

impl Reader {
    /// Another series begins: the one before must be whole.
    fn begin(&mut self, byte: usize, series: Series) -> Result<()> {
        if self.data > 0 && self.data < self.points.len() {
            return Err(self.miscounted(byte, self.data));
        }
        self.series.end(&mut self.read);
        (self.series, self.data) = (series, 0);
        Ok(())
    }

    fn miscounted(&self, byte: usize, data: usize) -> Refused {
        Refused { byte, fault: Fault::Data { run: self.series.name(), data, points: self.points.len() } }
    }

    /// Points: numbers for one parameter, numbers in brackets for several. Commas are as good as blanks.
    fn points(&mut self, line: &str, start: usize) -> Result<()> {
        let parameters = self.parameters.len().max(1);
        let refuse = |at: usize, found: &str| {
            let found = found.chars().take(40).collect();
            Refused { byte: start + at, fault: Fault::Point { found, parameters } }
        };
        let numbers = |text: &str, at: usize| -> Result<Vec<f64>> {
            let words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
            let number = |word: &str| word.parse::<f64>().ok().filter(|number| number.is_finite());
            words.map(|word| number(word).ok_or_else(|| refuse(at, word))).collect()
        };
        if !line.contains('(') {
            let points = numbers(line, 0)?;
            if parameters > 1 {
                return Err(refuse(0, line));
            }
            self.points.extend(points.into_iter().map(|point| vec![point]));
            return Ok(());
        }
        let mut at = 0;
        while let Some(open) = line[at..].find('(') {
            let end = line[at + open..].find(')').ok_or_else(|| refuse(at + open, &line[at + open..]))?;
            let inner = &line[at + open + 1..at + open + end];
            let point = numbers(inner, at + open)?;
            if point.len() != parameters || !line[at..at + open].trim_matches([' ', '\t', ',']).is_empty() {
                return Err(refuse(at, &line[at..=at + open + end]));
            }
            self.points.push(point);
            at += open + end + 1;
        }
        let rest = line[at..].trim();
        if rest.is_empty() { Ok(()) } else { Err(refuse(at, rest)) }
    }

    /// The values of the next point.
    fn data(&mut self, values: &[Word], start: usize, at: usize) -> Result<()> {
        self.data += 1;
        let Some(point) = self.points.get(self.data - 1) else { return Err(self.miscounted(at, self.data)) };
        let names = if self.parameters.is_empty() { vec!["x".to_owned()] } else { self.parameters.clone() };
        let variables: Vec<_> = names.into_iter().zip(point.iter().copied()).collect();
        if values.is_empty() {
            let run = self.series.name();
            return Err(Refused { byte: at, fault: Fault::Short { run, column: "DATA".to_owned() } });
        }
        for value in values {
            let byte = start + value.start;
            let seconds = value.text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
            let fault = || Fault::Value {
                run: self.series.name(),
                column: "DATA".to_owned(),
                found: value.text.to_owned(),
                expected: "a time in seconds, finite and not negative",
            };
            let seconds = seconds.ok_or_else(|| Refused { byte, fault: fault() })?;
            self.series.push(&mut self.read, byte, &variables, seconds);
        }
        Ok(())
    }
}
