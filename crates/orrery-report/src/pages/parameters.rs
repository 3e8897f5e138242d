//! The parameters of the models: formulas and tables.

use maud::{Markup, PreEscaped, html};

use super::document::html_table;
use crate::tables::link_classes::NAME as CLASSES;
use crate::tables::parameters::{parameters, range_in_words, thresholds};
use crate::tables::table::Table;
use orrery::model::{Model, ModelKind};

/// Tables with more rows than this are folded.
const FOLDED: usize = 20;

pub(super) fn render(model: &Model) -> Markup {
    // The classes of links stand with the maps of links.
    let turns = (!model.thresholds.is_empty()).then(|| thresholds(&model.thresholds));
    let tables: Vec<Table> = parameters(model).into_iter().filter(|table| table.name != CLASSES).chain(turns).collect();
    html! {
        section id="parameters" {
            h2 { "Parameters" }
            @if tables.is_empty() { p { "The file holds no model." } } @else {
                p { "Every parameter is an estimate: its value, the interval in which the true value lies, and the "
                    "number of readings that bear on it." }
                @for kind in model.kinds() { (formula(model, kind)) }
                @for table in &tables { (one(table)) }
            }
        }
    }
}

fn formula(model: &Model, kind: ModelKind) -> Markup {
    let (formula, words, ranges) = match kind {
        ModelKind::Hockney => {
            let ranges = model.hockney.as_ref().and_then(|h| {
                let (latency, rate) =
                    (range_in_words(h.latency.values(), false)?, range_in_words(h.byte_delay.values(), true)?);
                Some(format!("latency {latency}; rate {rate}"))
            });
            ("α<sub>ij</sub> + β<sub>ij</sub>·m", "latency and delay per byte of each pair", ranges)
        }
        ModelKind::HockneyMean => ("α + β·m", "the means over the pairs", None),
        ModelKind::Lom => {
            let ranges = model.lom.as_ref().and_then(lmo_ranges);
            (
                "C<sub>i</sub> + m·t<sub>i</sub> + m/β<sub>ij</sub> + C<sub>j</sub> + m·t<sub>j</sub>",
                "delays of each processor, rate of each link",
                ranges,
            )
        }
        ModelKind::Lmo => {
            let ranges = model.lmo.as_ref().and_then(lmo_ranges);
            (
                "C<sub>i</sub> + m·t<sub>i</sub> + L<sub>ij</sub> + m/β<sub>ij</sub> + C<sub>j</sub> + m·t<sub>j</sub>",
                "delays of each processor, latency and rate of each link",
                ranges,
            )
        }
        ModelKind::Hlmo => ("2·C + L + m·(2·t + 1/β)", "delays of a processor, latency and rate of a link", None),
        ModelKind::LogP => {
            ("L + o<sub>s</sub> + o<sub>r</sub>", "latency, overheads, and the gap between messages", None)
        }
        ModelKind::LogGp => {
            let formula = "L + o<sub>s</sub> + o<sub>r</sub> + (m − 1)·G";
            (formula, "latency, overheads, and the gaps between messages and bytes", None)
        }
        ModelKind::PLogP => ("L + g(m)", "latency, and overheads and gap as functions of the size", None),
    };
    html! {
        p.formula {
            strong { (kind) } " " span.math { "T(i→j, m) = " (PreEscaped(formula)) } " – " (words)
            @if let Some(ranges) = ranges { ": " (glued(&ranges)) } "."
        }
    }
}

/// Numbers and their units are not broken apart.
fn glued(ranges: &str) -> String {
    let mut text = ranges.to_owned();
    for unit in ["s", "ms", "µs", "ns", "ps", "B/s", "kB/s", "MB/s", "GB/s", "TB/s"] {
        for end in ["", ";"] {
            text = text.replace(&format!(" {unit}{end} "), &format!("\u{a0}{unit}{end} "));
        }
        if let Some(number) = text.strip_suffix(&format!(" {unit}")) {
            text = format!("{number}\u{a0}{unit}");
        }
    }
    text
}

fn lmo_ranges(lmo: &orrery::comm::Lmo) -> Option<String> {
    let fixed = range_in_words(&lmo.fixed_delay, false)?;
    let rate = range_in_words(lmo.link_byte_delay.values(), true)?;
    Some(format!("fixed delay {fixed}; link rate {rate}"))
}

fn one(table: &Table) -> Markup {
    if table.rows().len() <= FOLDED {
        return html_table(table);
    }
    let shown = table.display_table();
    html! {
        @if shown.rows().len() < table.rows().len() { (html_table(table)) }
        @else {
            details { summary { (table.title) " (" (table.rows().len()) " lines)" } (html_table(table)) }
        }
    }
}
