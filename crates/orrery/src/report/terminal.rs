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

    /// The columns that find room when their titles are broken at every space.
    fn columns_that_fit(&self, width: usize) -> Vec<usize> {
        let mut kept: Vec<usize> = (0..self.columns().len()).collect();
        while self.together(&kept, Self::least_width) > width {
            let rank = |index: usize| self.columns()[index].dispensable;
            let Some(highest) = kept.iter().map(|&index| rank(index)).max().filter(|rank| *rank > 0) else { break };
            kept.retain(|&index| rank(index) != highest);
        }
        kept
    }

    fn together(&self, columns: &[usize], width: impl Fn(&Self, usize) -> usize) -> usize {
        columns.iter().map(|&index| width(self, index) + GAP).sum::<usize>().saturating_sub(GAP)
    }

    fn cells_width(&self, index: usize) -> usize {
        self.rows().iter().map(|row| row[index].display().chars().count()).max().unwrap_or(0)
    }

    /// The width with the title on one line.
    fn full_width(&self, index: usize) -> usize {
        self.cells_width(index).max(self.columns()[index].title.chars().count())
    }

    /// The width with the title broken at every space.
    fn least_width(&self, index: usize) -> usize {
        let words = self.columns()[index].title.split(' ').map(|word| word.chars().count());
        self.cells_width(index).max(words.max().unwrap_or(0))
    }

    fn grid(&self, kept: &[usize], width: usize) -> String {
        let mut grid = TerminalTable::new();
        grid.load_style(NOTHING);
        let broken = self.together(kept, Self::full_width) > width;
        let column_width = if broken { Self::least_width } else { Self::full_width };
        if self.together(kept, column_width) > width {
            grid.set_content_arrangement(ContentArrangement::Dynamic);
            grid.set_width(u16::try_from(width + GAP).unwrap_or(u16::MAX));
        }
        let side = |column: &Column| match column.align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        };
        let cell = |text: String, index: usize| TerminalCell::new(text).set_alignment(side(&self.columns()[index]));
        let title = |index: usize| wrap(&self.columns()[index].title, column_width(self, index)).trim_end().to_owned();
        grid.set_header(kept.iter().map(|&index| cell(title(index), index)));
        grid.add_row(kept.iter().map(|&index| cell("─".repeat(column_width(self, index).min(width / 3)), index)));
        for row in self.rows() {
            grid.add_row(kept.iter().map(|&index| cell(row[index].display(), index)));
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
