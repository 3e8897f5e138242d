//! Point-to-point models: an object with the parameters that the registry lists for the kind.

use std::collections::BTreeSet;

use super::parameter::{self, Extent};
use super::warning::UnknownKeys;
use super::{correlations, error};
use crate::comm::ports::Uplinks;
use crate::comm::{Index, ParameterSet, ParameterSpec, ParameterValues, Shape};
use crate::model::ModelKind;
use orrery_base::budget::Budget;
use orrery_base::file::Result;
use orrery_base::json::{self, Layout, Node, Object, list};
use orrery_base::numeric::Estimate;
use orrery_base::units::Bytes;
use orrery_cluster::platform::{Pairs, Processor};

/// Returns the expected form of a parameter of this shape.
const fn form(shape: Shape) -> &'static str {
    match shape {
        Shape::Cluster => "{\"value\": …} with one number",
        Shape::Processors => "{\"value\": […]} with one number for each processor",
        Shape::Pairs => "{\"value\": […]} with one number for each pair 0-1, 0-2, …, 1-2, …",
        Shape::Sizes => "{\"size\": […], \"value\": […]} with one number for each size",
        Shape::LinkGroups => {
            "{\"groups\": [[0, 1], …], \"value\": […]} with one number for each group of processors"
        }
    }
}

/// The largest number of groups that contain each other: each message passes the links of all that
/// contain one of its ends.
const MAX_LEVELS: usize = 32;

/// The memory in bytes of a number of a pair, as an estimate of the model and as a parameter of its
/// network.
const MEMORY_PER_PAIR: u64 = 160;

/// Reads the parameters of a kind of model of n processors, within the budget of the file.
pub(super) fn read(
    node: Node,
    kind: ModelKind,
    n: usize,
    budget: Budget,
    unknown: &mut UnknownKeys,
) -> Result<ParameterSet> {
    if n < 2 {
        return Err(node.refuse(error::too_few(n)));
    }
    let of_pairs = kind.parameters().filter(|(shape, _)| *shape == Shape::Pairs).count() as u64;
    let pairs = (n as u64).saturating_mul(n as u64 - 1) / 2;
    let what = format!("the model {} of {n} processors, with {pairs} pairs,", kind.name());
    let needed = pairs.saturating_mul(of_pairs).saturating_mul(MEMORY_PER_PAIR);
    budget.check_memory(what, needed).map_err(|error| node.refuse(error))?;
    let model = node.object("an object with the parameters of the model")?;
    let specs: Vec<(Shape, &ParameterSpec)> = in_file_order(kind);
    let mut objects: Vec<&'static str> =
        specs.iter().filter_map(|(_, spec)| spec.object()).collect();
    objects.dedup();
    let keys = |object| {
        specs.iter().filter(move |(_, spec)| spec.object() == object).map(|(_, spec)| spec.key())
    };
    unknown.note_keys(
        &model,
        &keys(None).chain(objects.iter().copied()).chain([correlations::KEY]).collect::<Vec<_>>(),
    );
    let mut parameters = ParameterSet::new();
    let is_optional = |name: &str| kind.definition().optional.contains(&name);
    for (shape, spec) in specs.iter().filter(|(_, spec)| spec.object().is_none()) {
        if is_optional(spec.name) && model.get(spec.name).is_none() {
            continue;
        }
        read_parameter(&model, *shape, spec, n, unknown, &mut parameters)?;
    }
    for name in objects {
        let inner = match model.get(name) {
            Some(inner) => inner,
            None if is_optional(name) => continue,
            None => model.needed(name, "an object with parameters")?,
        };
        let inner = inner.object("an object with parameters")?;
        unknown.note_keys(&inner, &keys(Some(name)).collect::<Vec<_>>());
        for (shape, spec) in specs.iter().filter(|(_, spec)| spec.object() == Some(name)) {
            read_parameter(&inner, *shape, spec, n, unknown, &mut parameters)?;
        }
    }
    (kind.definition().complete)(&mut parameters);
    Ok(parameters)
}

/// Returns the parameters of a kind in the order of the file: those in objects of their own come
/// last.
fn in_file_order(kind: ModelKind) -> Vec<(Shape, &'static ParameterSpec)> {
    let (plain, nested): (Vec<_>, Vec<_>) =
        kind.parameters().partition(|(_, spec)| spec.object().is_none());
    [plain, nested].concat()
}

/// Reads one parameter of an object into `parameters`.
fn read_parameter(
    object: &Object,
    shape: Shape,
    spec: &ParameterSpec,
    n: usize,
    unknown: &mut UnknownKeys,
    parameters: &mut ParameterSet,
) -> Result<()> {
    let node = object.needed(spec.key(), form(shape))?;
    let index = match shape {
        Shape::Sizes => Index::Sizes(sizes(node)?),
        Shape::LinkGroups => Index::LinkGroups(link_groups(node, n)?),
        Shape::Cluster | Shape::Processors | Shape::Pairs => Index::Implied,
    };
    let extent = Extent::of(shape, &index, n);
    let estimates = parameter::read(node, extent, unknown)?;
    parameters.set(spec.name, index, estimates);
    Ok(())
}

/// Reads the ascending sizes of a function of the size.
fn sizes(node: Node) -> Result<Vec<Bytes>> {
    let list = node.object(form(Shape::Sizes))?.needed("size", form(Shape::Sizes))?;
    let size = |node: &Node| node.whole("a size in whole bytes").map(Bytes::new);
    let sizes =
        list.array("the sizes in whole bytes")?.iter().map(size).collect::<Result<Vec<_>, _>>()?;
    if !sizes.is_empty() && sizes.is_sorted_by(|a, b| a < b) {
        Ok(sizes)
    } else {
        Err(list.refuse(
            "the sizes of a function must ascend, and there must be at least one; sort \
            them, each once",
        ))
    }
}

/// Reads the groups of links, each given by the processors that share it.
fn link_groups(node: Node, n: usize) -> Result<Vec<Vec<Processor>>> {
    let list = node.object(form(Shape::LinkGroups))?.needed("groups", form(Shape::LinkGroups))?;
    let rank = |node: &Node| -> Result<Processor> {
        let rank = node.whole("the number of a processor, from 0")?;
        match u32::try_from(rank) {
            Ok(number) if (number as usize) < n => Ok(Processor(number)),
            _ => Err(node.refuse(error::rank(rank, n))),
        }
    };
    let entries = list.array("an array of groups of processors")?;
    // A tree of n processors has fewer groups; those below are compared with each other.
    if entries.len() > 2 * n {
        return Err(list.refuse(error::nested_groups()));
    }
    let mut groups: Vec<Vec<Processor>> = Vec::new();
    let mut known = BTreeSet::new();
    for entry in entries {
        let ranks = entry.array("an array with the processors of a group")?;
        let group = ranks.iter().map(rank).collect::<Result<Vec<Processor>>>()?;
        if group.is_empty() {
            return Err(entry.refuse("this group has no processor; remove it"));
        }
        let mut sorted = group.clone();
        sorted.sort_unstable();
        if !known.insert(sorted) {
            return Err(entry.refuse("this group occurs before; remove one of them"));
        }
        groups.push(group);
    }
    let estimates = vec![Estimate::exact(0.0); groups.len()];
    let Some(uplinks) = Uplinks::new(groups.clone(), estimates) else {
        return Err(list.refuse(error::nested_groups()));
    };
    if uplinks.levels() > MAX_LEVELS {
        return Err(list.refuse(format!(
            "{found} groups contain each other; at most {MAX_LEVELS} \
            can",
            found = uplinks.levels()
        )));
    }
    Ok(groups)
}

/// Returns the number of processors that follows from the lengths of the arrays of point-to-point
/// models; `None` without arrays.
pub(super) fn infer_processors(models: &Object) -> Result<Option<usize>> {
    let array = |wanted: Shape| -> Result<Option<(Node, usize)>> {
        for (key, node) in models.iter() {
            let Some(kind) = ModelKind::stored().find(|kind| kind.name() == key) else { continue };
            let Ok(model) = node.object("") else { continue };
            for (shape, spec) in kind.parameters() {
                let is_wanted = shape == wanted && spec.object().is_none();
                let Some(node) = model.get(spec.key()).filter(|_| is_wanted) else { continue };
                let Ok(parameter) = node.object("") else { continue };
                if let Some(value) = parameter.get("value").filter(Node::is_array) {
                    return Ok(Some((value, value.array("")?.len())));
                }
            }
        }
        Ok(None)
    };
    if let Some((_, processors)) = array(Shape::Processors)? {
        return Ok(Some(processors));
    }
    let Some((node, found)) = array(Shape::Pairs)? else { return Ok(None) };
    let pairs = Pairs::from_count(found).ok_or_else(|| {
        node.refuse(format!(
            "the array has {found} \
        entries, but n processors have n(n−1)/2 pairs; give one entry for each pair 0-1, 0-2, …, \
        1-2, …"
        ))
    })?;
    Ok(Some(pairs.processors()))
}

/// The keys of an object with their layouts.
type Entries = Vec<(String, Layout)>;

/// Lays out the parameters of a kind of model of n processors. An error includes its path.
pub(super) fn write(kind: ModelKind, parameters: &ParameterSet, n: usize) -> Result<Entries> {
    let place = format!("models.{}", kind.name());
    let mut entries: Entries = Vec::new();
    let specs = in_file_order(kind);
    if let Some(other) =
        parameters.iter().find(|values| specs.iter().all(|(_, spec)| spec.name != values.name))
    {
        let fault = error::shape(other.estimates.len(), 0, n);
        return Err(fault.within(format!("{place}.{}", other.name)));
    }
    for (shape, spec) in specs {
        let Some(values) = parameters.get(spec.name) else {
            if kind.definition().optional.contains(&spec.object().unwrap_or(spec.name)) {
                continue;
            }
            return Err(json::missing(spec.name, None, form(shape)).within(place));
        };
        let layout = write_parameter(values, shape, n)
            .map_err(|fault| fault.within(format!("{place}.{}", spec.name)))?;
        match spec.object() {
            None => entries.push((spec.key().into(), layout)),
            Some(object) => match entries.last_mut() {
                Some((name, Layout::Object(inner))) if name == object => {
                    inner.push((spec.key().into(), layout));
                }
                _ => {
                    entries
                        .push((object.into(), Layout::Object(vec![(spec.key().into(), layout)])));
                }
            },
        }
    }
    Ok(entries)
}

/// Lays out one parameter.
fn write_parameter(values: &ParameterValues, shape: Shape, n: usize) -> Result<Layout> {
    let mut layout = parameter::write(&values.estimates, Extent::of(shape, &values.index, n))?;
    let index = match &values.index {
        Index::Implied => None,
        Index::Sizes(sizes) => Some(("size", list(sizes.iter().map(|size| size.get())))),
        Index::LinkGroups(groups) => Some(("groups", list(groups.iter().map(list)))),
    };
    if let (Some((key, index)), Layout::Object(entries)) = (index, &mut layout) {
        entries.insert(0, (key.to_owned(), Layout::Line(index)));
    }
    Ok(layout)
}
