//! Tables for people at a terminal.

use std::fmt::Write as _;

use comfy_table::presets::NOTHING;
use comfy_table::{Cell as TerminalCell, CellAlignment, ContentArrangement, Table as TerminalTable};

use super::table::{Align, Column, Table};

/// Spaces between two columns.
const GAP: usize = 2;

impl Table {
    /// The table for people, no wider than `width` characters where that is possible.
    ///
    /// Where the room is small, dispensable columns are left out (a line below the table names them); what is still
    /// too wide is wrapped.
    pub fn terminal(&self, width: usize) -> String {
        self.for_people().draw(width)
    }

    fn draw(&self, width: usize) -> String {
        let mut text = String::new();
        if !self.title.is_empty() {
            text.push_str(&wrap(&self.title, width));
        }
        if self.rows().is_empty() {
            text.push_str("(nothing)\n");
        } else {
            let kept = self.columns_that_fit(width);
            text.push_str(&self.grid(&kept, width));
            let mut absent: Vec<&str> = Vec::new();
            for (index, column) in self.columns().iter().enumerate() {
                if !kept.contains(&index) && !absent.contains(&column.title.as_str()) {
                    absent.push(&column.title);
                }
            }
            if !absent.is_empty() {
                let line = format!("Not shown at this width: {}.", absent.join(", "));
                text.push_str(&wrap(&line, width));
            }
        }
        if !self.note.is_empty() {
            text.push_str(&wrap(&self.note, width));
        }
        text
    }

    fn columns_that_fit(&self, width: usize) -> Vec<usize> {
        let widths: Vec<usize> = (0..self.columns().len()).map(|index| self.content_width(index)).collect();
        let mut kept: Vec<usize> = (0..widths.len()).collect();
        while kept.iter().map(|&index| widths[index] + GAP).sum::<usize>() > width + GAP {
            let rank = |index: usize| self.columns()[index].dispensable;
            let first = kept.iter().copied().filter(|&index| rank(index) > 0).max_by_key(|&index| (rank(index), index));
            let Some(index) = first else { break };
            kept.retain(|&other| rank(other) != rank(index));
        }
        kept
    }

    fn content_width(&self, index: usize) -> usize {
        let cells = self.rows().iter().map(|row| row[index].display().chars().count());
        cells.chain([self.columns()[index].title.chars().count()]).max().unwrap_or(0)
    }

    fn grid(&self, kept: &[usize], width: usize) -> String {
        let mut grid = TerminalTable::new();
        grid.load_style(NOTHING);
        if kept.iter().map(|&index| self.content_width(index) + GAP).sum::<usize>() > width + GAP {
            grid.set_content_arrangement(ContentArrangement::Dynamic);
            grid.set_width(u16::try_from(width + GAP).unwrap_or(u16::MAX));
        }
        let side = |column: &Column| match column.align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        };
        let columns = || kept.iter().map(|&index| &self.columns()[index]);
        grid.set_header(columns().map(|column| TerminalCell::new(&column.title).set_alignment(side(column))));
        let rule = kept.iter().map(|&index| TerminalCell::new("─".repeat(self.content_width(index).min(width / 2))));
        grid.add_row(rule);
        for row in self.rows() {
            let cells = kept.iter().map(|&index| row[index].display()).zip(columns());
            grid.add_row(cells.map(|(text, column)| TerminalCell::new(text).set_alignment(side(column))));
        }
        for column in grid.column_iter_mut() {
            column.set_padding((0, GAP as u16));
        }
        grid.lines().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{}", line.trim_end());
            text
        })
    }
}

/// Breaks a text into lines of at most `width` characters, at spaces.
fn wrap(text: &str, width: usize) -> String {
    let (mut lines, mut length) = (String::new(), 0);
    for word in text.split_whitespace() {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters > width {
            lines.push('\n');
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += letters;
    }
    lines.push('\n');
    lines
}
