//! JSON of Extra-P 3: lists of parameters, call paths, metrics, coordinates and measurements that
//! refer to each other by their `id`.

use std::collections::BTreeMap;

use super::super::error;
use super::super::mapping::ColumnMapping;
use super::super::parsed::Parsed;
use super::{Series, Variables, time};
use orrery_base::file::Result;
use orrery_base::json::{Node, Object};

/// Entries by their ids.
type ById<T> = BTreeMap<u64, T>;

/// Reads the object of a file.
pub(super) fn read(file: &Object, map: &ColumnMapping) -> Result<Parsed> {
    let mut names = Vec::new();
    let parameters = list(file, "parameters", |object| {
        let name = map.variable(&name(object)?).to_owned();
        if names.contains(&name) {
            return Err(object.node.refuse(error::twice("parameter", &name)));
        }
        names.push(name.clone());
        Ok(name)
    })?;
    let callpaths = list(file, "callpaths", name)?;
    let metrics = list(file, "metrics", name)?;
    let coordinates = list(file, "coordinates", |object| coordinate(object, &parameters))?;
    let mut read = Parsed::default();
    let mut all: BTreeMap<(u64, u64), Series> = BTreeMap::new();
    for node in entries(file, "measurements")? {
        let object = node.object(
            "an object with \"callpath_id\", \"metric_id\", \"coordinate_id\" and \"value\"",
        )?;
        let (callpath, region) = referred(&object, "callpath_id", "callpath", &callpaths)?;
        let (metric_id, metric) = referred(&object, "metric_id", "metric", &metrics)?;
        let (_, variables) = referred(&object, "coordinate_id", "coordinate", &coordinates)?;
        let value = object.needed("value", "the time in seconds")?;
        let series = all.entry((callpath, metric_id)).or_insert_with(|| Series {
            region: region.clone(),
            metric: metric.clone(),
            unusable: None,
        });
        series.push(&mut read, value.byte, variables, time(&value)?);
    }
    all.values().for_each(|series| series.end(&mut read));
    Ok(read)
}

/// The entries of a list of the file.
fn entries<'a>(file: &Object<'a>, key: &'static str) -> Result<Vec<Node<'a>>> {
    file.needed(key, "[{\"id\": 1}]")?.array("an array of objects")
}

/// The entries of a list with ids, each read by a function.
fn list<T>(
    file: &Object,
    key: &'static str,
    mut read: impl FnMut(&Object) -> Result<T>,
) -> Result<ById<T>> {
    let mut all = ById::new();
    for node in entries(file, key)? {
        let object = node.object("an object with \"id\"")?;
        let id = object.needed("id", "a whole number")?;
        let number = id.whole("a whole number")?;
        if all.insert(number, read(&object)?).is_some() {
            return Err(id.refuse(error::twice("the id", &number.to_string())));
        }
    }
    Ok(all)
}

/// The name of an entry.
fn name(object: &Object) -> Result<String> {
    object.needed("name", "a string")?.string("a string")
}

/// The id of an entry that an object refers to, and the entry.
fn referred<'a, T>(
    object: &Object,
    key: &'static str,
    item: &'static str,
    entries: &'a ById<T>,
) -> Result<(u64, &'a T)> {
    let node = object.needed(key, "the id of an entry")?;
    let id = node.whole("the id of an entry")?;
    let entry = entries.get(&id).ok_or_else(|| {
        node.refuse(format!(
            "there is no {item} with the id \
        {id}; add it, or correct the id"
        ))
    })?;
    Ok((id, entry))
}

/// The variables of a coordinate, one for each parameter.
fn coordinate(object: &Object, parameters: &ById<String>) -> Result<Variables> {
    let pairs = object
        .needed("parameter_value_pairs", "[{\"parameter_id\": 1, \"parameter_value\": 4}]")?;
    let mut variables = Variables::new();
    for node in pairs.array("an array of parameters with values")? {
        let pair = node.object("an object with \"parameter_id\" and \"parameter_value\"")?;
        let (_, name) = referred(&pair, "parameter_id", "parameter", parameters)?;
        if variables.iter().any(|(other, _)| other == name) {
            return Err(node.refuse(error::twice("parameter", name)));
        }
        let value = pair.needed("parameter_value", "a finite number")?.number("a finite number")?;
        variables.push((name.clone(), value));
    }
    if variables.len() != parameters.len() {
        return Err(pairs.refuse(error::point(pairs.text(), parameters.len())));
    }
    Ok(variables)
}
