//! Input of Extra-P: text, JSON lines and JSON, and that of TaLPas.
//!
//! - Text: `PARAMETER p`, `POINTS 4 8 16`, `REGION main`, `METRIC time`, and a line `DATA 1.1 1.2`
//!   for each point.
//! - JSON lines: `{"params":{"p":4,"n":100},"value":1.1,"callpath":"main","metric":"time"}`; also
//!   those of TaLPas, which have `parameters` and semicolons between the keys.
//! - JSON:
//!   `{"parameters":["p"],"measurements":{"main":{"time":[{"point":[4],"values":[1.1,1.2]}]}}}`;
//!   also that of Extra-P 3, whose lists refer to each other by ids.
//!
//! Each value is a run; repetitions are runs with the same variables. Values of 0 or less, as of
//! regions shorter than the clock shows, are left out with a remark.

mod old_json;

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::error;
use super::mapping::{ColumnMapping, Unit};
use super::parsed::{Parsed, RemarkKind};
use super::table;
use crate::run::Run;
use crate::run::metric::METRIC;
use orrery_base::file::{Fault, FaultKind, Result, Word, lines, words};
use orrery_base::json::{self, Node};
use orrery_base::names::advice;
use orrery_base::units::Seconds;

/// Values of one region of the program and one metric, both empty if they are not named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Series {
    region: String,
    metric: String,
    /// The number of values of 0 or less, and the byte of the first.
    unusable: Option<(usize, usize)>,
}

impl Series {
    /// No values of a region and a metric.
    pub(super) fn new(region: &str, metric: &str) -> Self {
        Self { region: region.to_owned(), metric: metric.to_owned(), unusable: None }
    }

    /// The region and the metric, for messages.
    pub(super) fn name(&self) -> String {
        let names = [self.region.as_str(), self.metric.as_str()];
        names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Adds a run with these variables; a value of 0 or less is only counted.
    pub(super) fn push(
        &mut self,
        parsed: &mut Parsed,
        byte: usize,
        variables: &[(String, f64)],
        seconds: f64,
    ) {
        if seconds <= 0.0 {
            self.unusable.get_or_insert((0, byte)).0 += 1;
            return;
        }
        let mut run = Run::new(Seconds::new(seconds));
        run.region.clone_from(&self.region);
        run.variables = variables.iter().cloned().collect();
        if !self.metric.is_empty() {
            run.labels.insert(METRIC.to_owned(), self.metric.clone());
        }
        parsed.runs.push((byte, run));
    }

    /// Adds the remark on values of 0 or less.
    pub(super) fn end(&self, parsed: &mut Parsed) {
        if let Some((count, byte)) = self.unusable {
            let region =
                if self.name().is_empty() { "the program".to_owned() } else { self.name() };
            parsed.remarks.push((byte, RemarkKind::unusable(count, &region)));
        }
    }
}

/// Converts values of times to seconds: of the metric that is mapped to a time, and of those whose
/// names have a unit, such as `Elapsed [ms]`.
pub(super) fn in_seconds(parsed: &mut Parsed, map: &ColumnMapping) {
    let mut units: BTreeMap<String, (usize, Unit)> = BTreeMap::new();
    for (byte, run) in &mut parsed.runs {
        let Some(name) = run.labels.get(METRIC).cloned() else { continue };
        let mapped = map.time_unit(&name);
        if mapped.is_some() {
            run.labels.remove(METRIC);
        }
        if let Some(unit) = mapped.or_else(|| table::time_unit(&name))
            && unit != Unit::Seconds
        {
            run.seconds = Seconds::new(unit.seconds(run.seconds.get()));
            units.entry(name).or_insert((*byte, unit));
        }
    }
    for (name, (byte, unit)) in units {
        let remark = format!("the metric {name:?} is a time in {}", unit.name());
        parsed.remarks.push((byte, RemarkKind::note(remark)));
    }
}

/// The state of reading the text input.
#[derive(Default)]
struct Reader {
    parameters: Vec<String>,
    points: Vec<Vec<f64>>,
    series: Series,
    /// The number of DATA lines of the series so far.
    data: usize,
    read: Parsed,
}

/// Reads the text input of Extra-P.
pub(super) fn text(text: &str, map: &ColumnMapping) -> Result<Parsed> {
    let mut reader = Reader::default();
    for (start, line, _) in lines(text) {
        let words = words(line);
        let Some((first, rest)) =
            words.split_first().filter(|(first, _)| !first.text.starts_with('#'))
        else {
            continue;
        };
        let rest_of_line = line[first.start + first.text.len()..].trim();
        let at = start + first.start;
        match first.text {
            "PARAMETER" => {
                for word in rest {
                    let name = map.variable(word.text).to_owned();
                    if reader.parameters.contains(&name) {
                        return Err(error::twice("parameter", &name).at(start + word.start));
                    }
                    reader.parameters.push(name);
                }
            }
            "POINTS" => reader.points(rest_of_line, start + line.len() - rest_of_line.len())?,
            "REGION" => {
                // A metric holds for all following regions until the next one.
                let metric = reader.series.metric.clone();
                let region = rest_of_line.to_owned();
                reader.begin(at, Series { region, metric, unusable: None })?;
            }
            "METRIC" => {
                let region = reader.series.region.clone();
                reader.begin(
                    at,
                    Series { region, metric: rest_of_line.to_owned(), unusable: None },
                )?;
            }
            "DATA" => reader.data(rest, start, at)?,
            word => {
                let known = ["PARAMETER", "POINTS", "REGION", "METRIC", "DATA", "#"];
                let advice = advice(word, "beginnings of lines of Extra-P", known);
                return Err(Fault::new(format!("unknown keyword {word:?}; {advice}")).at(at));
            }
        }
    }
    reader.begin(text.trim_end().len(), Series::default())?;
    Ok(reader.read)
}

impl Reader {
    /// Begins a series, after checking that the one before is complete.
    fn begin(&mut self, byte: usize, series: Series) -> Result<()> {
        if self.data > 0 && self.data < self.points.len() {
            return Err(self.miscounted(byte, self.data));
        }
        self.series.end(&mut self.read);
        (self.series, self.data) = (series, 0);
        Ok(())
    }

    /// The fault for a wrong number of DATA lines.
    fn miscounted(&self, byte: usize, data: usize) -> Fault {
        Fault::new(format!(
            "run {run}: {data} DATA lines for {points} points; write one for each \
            point",
            run = self.series.name(),
            points = self.points.len()
        ))
        .at(byte)
    }

    /// Reads points: numbers for one parameter, numbers in parentheses for several; commas and
    /// blanks separate them.
    fn points(&mut self, line: &str, start: usize) -> Result<()> {
        let parameters = self.parameters.len().max(1);
        let error = |at: usize, found: &str| error::point(found, parameters).at(start + at);
        let numbers = |text: &str, at: usize| -> Result<Vec<f64>> {
            let words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
            let number = |word: &str| word.parse::<f64>().ok().filter(|number| number.is_finite());
            words.map(|word| number(word).ok_or_else(|| error(at, word))).collect()
        };
        if !line.contains('(') {
            let points = numbers(line, 0)?;
            if parameters > 1 {
                return Err(error(0, line));
            }
            self.points.extend(points.into_iter().map(|point| vec![point]));
            return Ok(());
        }
        let mut at = 0;
        while let Some(open) = line[at..].find('(') {
            let end =
                line[at + open..].find(')').ok_or_else(|| error(at + open, &line[at + open..]))?;
            let inner = &line[at + open + 1..at + open + end];
            let point = numbers(inner, at + open)?;
            if point.len() != parameters
                || !line[at..at + open].trim_matches([' ', '\t', ',']).is_empty()
            {
                return Err(error(at, &line[at..=at + open + end]));
            }
            self.points.push(point);
            at += open + end + 1;
        }
        let rest = line[at..].trim();
        if rest.is_empty() { Ok(()) } else { Err(error(at, rest)) }
    }

    /// Reads the values of the next point.
    fn data(&mut self, values: &[Word], start: usize, at: usize) -> Result<()> {
        self.data += 1;
        let Some(point) = self.points.get(self.data - 1) else {
            return Err(self.miscounted(at, self.data));
        };
        let names =
            if self.parameters.is_empty() { vec!["x".to_owned()] } else { self.parameters.clone() };
        let variables: Vec<_> = names.into_iter().zip(point.iter().copied()).collect();
        if values.is_empty() {
            let run = self.series.name();
            return Err(error::no_values(&run).at(at));
        }
        for value in values {
            let byte = start + value.start;
            let seconds = value.text.parse::<f64>().ok().filter(|seconds| seconds.is_finite());
            let fault = || {
                let name = self.series.name();
                error::value(&name, "DATA", value.text, "a finite time in seconds")
            };
            let seconds = seconds.ok_or_else(|| fault().at(byte))?;
            self.series.push(&mut self.read, byte, &variables, seconds);
        }
        Ok(())
    }
}

/// Reads JSON lines of Extra-P or TaLPas.
pub(super) fn json_lines(text: &str, map: &ColumnMapping) -> Result<Parsed> {
    let mut read = Parsed::default();
    let mut all: Vec<Series> = Vec::new();
    for (start, line, is_complete) in lines(text) {
        if line.trim().is_empty() {
            continue;
        }
        let located = |fault: Fault| {
            let byte = start + fault.byte().unwrap_or(0);
            // Only the last line of a file can be incomplete.
            let is_broken = is_complete && fault.kind() == &FaultKind::Truncated;
            let fault =
                if is_broken { json::syntax("the line ends within its JSON") } else { fault };
            fault.at(byte)
        };
        let (series, variables, values) = json_line(line, map).map_err(located)?;
        // The lines of a region need not be consecutive.
        let index = all
            .iter()
            .position(|other| (&other.region, &other.metric) == (&series.region, &series.metric));
        let index = index.unwrap_or_else(|| {
            all.push(series);
            all.len() - 1
        });
        for (byte, value) in values {
            all[index].push(&mut read, start + byte, &variables, value);
        }
    }
    all.iter().for_each(|series| series.end(&mut read));
    Ok(read)
}

/// Variables by name.
pub(super) type Variables = Vec<(String, f64)>;

/// Times with their bytes in the line.
type Values = Vec<(usize, f64)>;

/// Reads one line of JSON lines.
fn json_line(line: &str, map: &ColumnMapping) -> Result<(Series, Variables, Values)> {
    let line = with_commas(line);
    let object =
        Node::root(&line)?.object("an object, such as {\"params\": {\"p\": 4}, \"value\": 1.1}")?;
    let params =
        object.get("parameters").map_or_else(|| object.needed("params", "{\"p\": 4}"), Ok)?;
    let params = params.object("an object with numbers")?;
    let mut variables = Variables::new();
    for (name, node) in params.iter() {
        let name = map.variable(name).to_owned();
        if variables.iter().any(|(other, _)| *other == name) {
            return Err(node.refuse(error::twice("parameter", &name)));
        }
        variables.push((name, node.number("a finite number")?));
    }
    let string = |key| object.get(key).map_or(Ok(String::new()), |node| node.string("a string"));
    let series = Series { region: string("callpath")?, metric: string("metric")?, unusable: None };
    let value = object.needed("value", "the time in seconds")?;
    let nodes = if value.is_array() { value.array("an array of times")? } else { vec![value] };
    let values = nodes.iter().map(|node| Ok((node.byte, time(node)?))).collect::<Result<_>>()?;
    Ok((series, variables, values))
}

/// A line of JSON with commas in place of semicolons outside its texts, as in lines of TaLPas.
fn with_commas(line: &str) -> Cow<'_, str> {
    if !line.contains(';') {
        return line.into();
    }
    let (mut in_text, mut is_escaped) = (false, false);
    let replaced = line.chars().map(|c| {
        in_text ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        if c == ';' && !in_text { ',' } else { c }
    });
    Cow::Owned(replaced.collect())
}

/// Reads a time, which is finite.
fn time(node: &Node) -> Result<f64> {
    node.number("a finite time in seconds")
}

/// Reads the names of parameters.
pub(super) fn parameters(node: &Node, map: &ColumnMapping) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for node in node.array("an array of names")? {
        let name = map.variable(&node.string("the name of a parameter")?).to_owned();
        if names.contains(&name) {
            return Err(node.refuse(error::twice("parameter", &name)));
        }
        names.push(name);
    }
    Ok(names)
}

/// Reads the variables of a point: a number for each parameter; of one parameter also without
/// brackets.
pub(super) fn variables(point: &Node, names: &[String]) -> Result<Variables> {
    let numbers = if point.is_array() { point.array("numbers")? } else { vec![*point] };
    if numbers.len() != names.len() {
        return Err(point.refuse(error::point(point.text(), names.len())));
    }
    let number =
        |(name, node): (&String, Node)| Ok((name.clone(), node.number("a finite number")?));
    names.iter().zip(numbers).map(number).collect()
}

/// Reads JSON of Extra-P.
pub(super) fn json(text: &str, map: &ColumnMapping) -> Result<Parsed> {
    let mut read = Parsed::default();
    let file = Node::root(text)?.object("an object with \"parameters\" and \"measurements\"")?;
    if file.get("callpaths").is_some() {
        return old_json::read(&file, map);
    }
    let names = parameters(&file.needed("parameters", "[\"p\", \"n\"]")?, map)?;
    let measurements = file
        .needed("measurements", "{\"main\": {\"time\": [{\"point\": [4], \"values\": [1.1]}]}}")?;
    for (region, node) in measurements.object("an object with the call paths")?.iter() {
        for (metric, node) in node.object("an object with the metrics")?.iter() {
            let mut series = Series::new(region, metric);
            for node in node.array("an array of points and values")? {
                let object = node.object("an object with \"point\" and \"values\"")?;
                let point = object.needed("point", "[4, 100]")?;
                let variables = variables(&point, &names)?;
                let values = object.needed("values", "[1.1, 1.2]")?;
                for node in if values.is_array() {
                    values.array("an array of times")?
                } else {
                    vec![values]
                } {
                    series.push(&mut read, node.byte, &variables, time(&node)?);
                }
            }
            series.end(&mut read);
        }
    }
    Ok(read)
}
