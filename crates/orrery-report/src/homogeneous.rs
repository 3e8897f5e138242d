//! The parameters of models that are the same for all processors, as tables.

use std::collections::BTreeSet;

use super::parameters::{BYTE_DELAY, FIXED_DELAY, LATENCY, LINK_BYTE_DELAY, LINK_LATENCY, Line, Parameter, complete};
use super::table::{Cell, Column, Table};
use orrery::comm::PLogP;
use orrery::comm::plogp::Curve;
use orrery::model::{Model, ModelKind};
use orrery::numeric::Estimate;
use orrery::units::Bytes;

const SEND_OVERHEAD: Parameter = Parameter { key: "send_overhead", per_byte: false };
const RECEIVE_OVERHEAD: Parameter = Parameter { key: "receive_overhead", per_byte: false };
const GAP: Parameter = Parameter { key: "gap", per_byte: false };
const BYTE_GAP: Parameter = Parameter { key: "byte_gap", per_byte: true };

/// `hlmo`, `overheads` (LogP and LogGP), `plogp`, `functions` and `switches` (PLogP), as far as the model has them.
pub(super) fn tables(model: &Model) -> Vec<Table> {
    let name = || [Column::words("model")];
    let mut tables = Vec::new();
    if let Some(hlmo) = &model.hlmo {
        let estimates = hlmo.estimates();
        let line = line(ModelKind::Hlmo, &estimates);
        let parameters = [FIXED_DELAY, BYTE_DELAY, LINK_LATENCY, LINK_BYTE_DELAY];
        tables.push(complete(("hlmo", "HLMO, all processors alike"), &name(), &parameters, true, &[line]));
    }
    let kinds = [(ModelKind::LogP, &model.logp), (ModelKind::LogGp, &model.loggp)];
    let estimates: Vec<(ModelKind, Vec<Estimate>)> =
        kinds.into_iter().filter_map(|(kind, loggp)| Some((kind, loggp.as_ref()?.estimates()))).collect();
    if !estimates.is_empty() {
        let lines: Vec<Line> = estimates.iter().map(|(kind, estimates)| line(*kind, estimates)).collect();
        let parameters = [LATENCY, SEND_OVERHEAD, RECEIVE_OVERHEAD, GAP, BYTE_GAP];
        let parameters = if model.loggp.is_some() { &parameters[..] } else { &parameters[..4] };
        let title = ("overheads", "LogP and LogGP, all processors alike");
        tables.push(complete(title, &name(), parameters, false, &padded(lines, parameters.len())));
    }
    if let Some(plogp) = &model.plogp {
        let line = line(ModelKind::PLogP, std::slice::from_ref(&plogp.latency));
        tables.push(complete(("plogp", "PLogP, all processors alike"), &name(), &[LATENCY], false, &[line]));
        tables.push(functions(plogp));
        tables.extend(switches(plogp));
    }
    tables
}

fn line(kind: ModelKind, estimates: &[Estimate]) -> Line<'_> {
    Line { subject: vec![Cell::text(kind.name())], estimates: estimates.iter().map(Some).collect() }
}

/// Lines of so many estimates; what a model does not have is not there.
fn padded(mut lines: Vec<Line>, count: usize) -> Vec<Line> {
    lines.iter_mut().for_each(|line| line.estimates.resize(count, None));
    lines
}

/// Where the gap of PLogP goes over to another line.
fn switches(plogp: &PLogP) -> Option<Table> {
    let columns = [Column::numbers("last"), Column::numbers("first")];
    let mut table = Table::new("switches", "PLogP, switches of the protocol", columns)
        .with_note("The last known size before and the first one behind a break of the gap.");
    plogp.switches().iter().for_each(|switch| table.push([Cell::size(switch.last), Cell::size(switch.first)]));
    (!table.rows().is_empty()).then_some(table)
}

/// Overheads and gap of PLogP at each size.
fn functions(plogp: &PLogP) -> Table {
    let curves = [&plogp.send_overhead, &plogp.receive_overhead, &plogp.gap];
    let sizes: BTreeSet<Bytes> = curves.iter().flat_map(|curve| curve.sizes()).copied().collect();
    let at = |curve: &&'_ Curve, size: Bytes| curve.sizes().iter().position(|known| *known == size);
    let line = |size: &Bytes| Line {
        subject: vec![Cell::size(*size)],
        estimates: curves.iter().map(|curve| at(curve, *size).map(|place| &curve.values()[place])).collect(),
    };
    let lines: Vec<Line> = sizes.iter().map(line).collect();
    let title = ("functions", "PLogP, overheads and gap at each size");
    complete(title, &[Column::numbers("size")], &[SEND_OVERHEAD, RECEIVE_OVERHEAD, GAP], false, &lines)
}
