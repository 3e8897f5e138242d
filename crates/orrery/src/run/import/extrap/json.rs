//! JSON lines, `{"params":{"p":4,"n":100},"value":1.1,"callpath":"main","metric":"time"}`, and JSON,
//! `{"parameters":["p"],"measurements":{"main":{"time":[{"point":[4],"values":[1.1,1.2]}]}}}`.

use super::super::lines::lines;
use super::super::{ColumnMapping, Fault, Read, Refused, Result};
use super::Series;
use crate::json::{Fault as JsonFault, Node};

/// Reads JSON lines of Extra-P.
pub(in super::super) fn json_lines(text: &str, map: &ColumnMapping) -> Result<Read> {
    let mut read = Read::default();
    let mut all: Vec<Series> = Vec::new();
    for (start, line, whole) in lines(text) {
        if line.trim().is_empty() {
            continue;
        }
        let located = |refused: Refused| match (whole, &refused.fault) {
            (true, Fault::Json(JsonFault::Truncated)) => {
                let reason = "this line ends in the middle of its JSON".to_owned();
                Refused { byte: start + refused.byte, fault: JsonFault::Syntax { reason }.into() }
            }
            _ => Refused { byte: start + refused.byte, fault: refused.fault },
        };
        let (series, variables, values) = one(line, map).map_err(located)?;
        // Lines of a part of the program need not stand together.
        let known = all.iter().position(|other| (&other.region, &other.metric) == (&series.region, &series.metric));
        let place = known.unwrap_or_else(|| {
            all.push(series);
            all.len() - 1
        });
        for (byte, value) in values {
            all[place].push(&mut read, start + byte, &variables, value);
        }
    }
    all.iter().for_each(|series| series.end(&mut read));
    Ok(read)
}

type Variables = Vec<(String, f64)>;

/// Times with the bytes where they stand.
type Values = Vec<(usize, f64)>;

/// What one line says, with bytes in the line.
fn one(line: &str, map: &ColumnMapping) -> Result<(Series, Variables, Values)> {
    let object = Node::root(line)?.object("an object, such as {\"params\": {\"p\": 4}, \"value\": 1.1}")?;
    let params = object.needed("params", "{\"p\": 4}")?.object("an object with numbers")?;
    let mut variables = Variables::new();
    for (name, node) in params.iter() {
        let name = map.variable(name).to_owned();
        if variables.iter().any(|(other, _)| *other == name) {
            return Err(node.refuse(Fault::Twice { what: "parameter", name }));
        }
        variables.push((name, node.number("a finite number")?));
    }
    let word = |key| object.get(key).map_or(Ok(String::new()), |node| node.string("a string"));
    let series = Series { region: word("callpath")?, metric: word("metric")?, zeros: None };
    let value = object.needed("value", "the time in seconds")?;
    let nodes = if value.is_array() { value.array("an array of times")? } else { vec![value] };
    let values = nodes.iter().map(|node| Ok((node.byte, time(node)?))).collect::<Result<_>>()?;
    Ok((series, variables, values))
}

/// A time, finite and not negative.
fn time(node: &Node) -> Result<f64> {
    let expected = "a time in seconds, finite and not negative";
    let time = node.number(expected)?;
    if time < 0.0 { Err(node.expected(expected).into()) } else { Ok(time) }
}

/// Reads JSON of Extra-P.
pub(in super::super) fn json(text: &str, map: &ColumnMapping) -> Result<Read> {
    let mut read = Read::default();
    let file = Node::root(text)?.object("an object with \"parameters\" and \"measurements\"")?;
    let parameters = file.needed("parameters", "[\"p\", \"n\"]")?.array("an array of names")?;
    let mut names: Vec<String> = Vec::new();
    for node in &parameters {
        let name = map.variable(&node.string("the name of a parameter")?).to_owned();
        if names.contains(&name) {
            return Err(node.refuse(Fault::Twice { what: "parameter", name }));
        }
        names.push(name);
    }
    let measurements = file.needed("measurements", "{\"main\": {\"time\": [{\"point\": [4], \"values\": [1.1]}]}}")?;
    for (region, node) in measurements.object("an object with the call paths")?.iter() {
        for (metric, node) in node.object("an object with the metrics")?.iter() {
            let mut series = Series { region: region.to_owned(), metric: metric.to_owned(), zeros: None };
            for node in node.array("an array of points and values")? {
                let object = node.object("an object with \"point\" and \"values\"")?;
                let point = object.needed("point", "[4, 100]")?;
                let point = if point.is_array() { (point, point.array("numbers")?) } else { (point, vec![point]) };
                if point.1.len() != names.len() {
                    let (found, parameters) = (point.0.text().chars().take(40).collect(), names.len());
                    return Err(point.0.refuse(Fault::Point { found, parameters }));
                }
                let numbers = point.1.iter().map(|node| node.number("a finite number"));
                let numbers = numbers.collect::<std::result::Result<Vec<_>, _>>()?;
                let variables: Variables = names.iter().cloned().zip(numbers).collect();
                let values = object.needed("values", "[1.1, 1.2]")?;
                for node in if values.is_array() { values.array("an array of times")? } else { vec![values] } {
                    series.push(&mut read, node.byte, &variables, time(&node)?);
                }
            }
            series.end(&mut read);
        }
    }
    Ok(read)
}
