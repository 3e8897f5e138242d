//! A [`Table`] as HTML, numbers aligned at their decimal points.

use maud::{Markup, html};

use crate::table::{Align, Cell, Table};

/// The table for people, in a box that scrolls sideways where the room is small.
pub(super) fn render(table: &Table) -> Markup {
    body(table.for_people())
}

/// The table with every row.
pub(super) fn complete(table: &Table) -> Markup {
    body(table)
}

fn body(table: &Table) -> Markup {
    let decimals: Vec<usize> = (0..table.columns().len()).map(|column| most_decimals(table, column)).collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(table.title) {
            table {
                caption { (table.title) }
                thead { tr {
                    @for column in table.columns() {
                        th scope="col" class=(side(column.align)) { (column.title) }
                    }
                } }
                tbody {
                    @for row in table.rows() {
                        tr {
                            @for ((cell, column), decimals) in row.iter().zip(table.columns()).zip(&decimals) {
                                td class=(side(column.align)) { (aligned(cell, column.align, *decimals)) }
                            }
                        }
                    }
                }
            }
        }
        @if !table.note.is_empty() { p.note { (table.note) } }
    }
}

fn side(align: Align) -> &'static str {
    match align {
        Align::Left => "word",
        Align::Right => "number",
    }
}

fn decimals(display: &str) -> usize {
    let number = display.split_once(' ').map_or(display, |(number, _)| number);
    number.split_once('.').map_or(0, |(_, fraction)| fraction.chars().count())
}

fn most_decimals(table: &Table, column: usize) -> usize {
    let numbers = table.rows().iter().filter_map(|row| match &row[column] {
        Cell::Number { display, .. } => Some(decimals(display)),
        _ => None,
    });
    numbers.max().unwrap_or(0)
}

/// The cell; missing decimals are filled up unseen, and the unit has a place of its own.
fn aligned(cell: &Cell, align: Align, most: usize) -> Markup {
    let display = cell.display();
    if !matches!((cell, align), (Cell::Number { .. }, Align::Right)) {
        return html! { (display) };
    }
    let (number, unit) = display.split_once(' ').unwrap_or((&display, ""));
    html! { (number) (padding(decimals(&display), most)) @if !unit.is_empty() { " " span.unit { (unit) } } }
}

/// The point and the digits that lack: they take their room and are not seen.
fn padding(have: usize, most: usize) -> Markup {
    let point = if have == 0 { "." } else { "" };
    let digits = "0".repeat(most.saturating_sub(have));
    html! { @if have < most { span.unseen aria-hidden="true" { (point) (digits) } } }
}
