//! Tables as text: fitted to the width of a terminal, or complete for pipes and files.

use std::fmt::Write as _;

use comfy_table::presets::NOTHING;
use comfy_table::{Cell as TerminalCell, CellAlignment, Table as TerminalTable};

use super::table::{Align, Column, Table};

/// Spaces between two columns.
const COLUMN_GAP: usize = 2;

/// No column of texts becomes narrower than this many characters.
const MIN_TEXT_WIDTH: usize = 6;

/// The line width in characters of captions and notes where the width of the table is not limited.
const NOTE_WIDTH: usize = 100;

impl Table {
    /// The table as text for a terminal of `width` characters.
    ///
    /// If the table is too wide, columns are left out by their priority and named below the table.
    /// Cells that are still too wide are wrapped: titles at spaces only, numbers never.
    pub fn terminal(&self, width: usize) -> String {
        let table = self.display_table();
        let kept = table.columns_that_fit(width);
        let mut dropped: Vec<&str> = Vec::new();
        for (index, column) in table.columns().iter().enumerate() {
            if !kept.contains(&index) && !dropped.contains(&column.title.as_str()) {
                dropped.push(&column.title);
            }
        }
        let widths = table.column_widths(&kept, width);
        table.text(&kept, &widths, &dropped, width)
    }

    /// The table as text with all columns at their full width, for pipes and files.
    pub fn full_text(&self) -> String {
        let table = self.display_table();
        let kept: Vec<usize> = (0..table.columns().len()).collect();
        let widths: Vec<usize> = kept.iter().map(|&index| table.full_width(index)).collect();
        table.text(&kept, &widths, &[], NOTE_WIDTH)
    }

    /// The caption, the grid of the kept columns, the names of the dropped ones and the note.
    fn text(
        &self,
        kept: &[usize],
        widths: &[usize],
        dropped: &[&str],
        line_width: usize,
    ) -> String {
        let mut text = String::new();
        if !self.title.is_empty() {
            text.push_str(&wrap(&self.title, line_width));
        }
        if self.rows().is_empty() {
            text.push_str("(no rows)\n");
        } else {
            text.push_str(&self.grid(kept, widths));
            if !dropped.is_empty() {
                text.push_str(&wrap(
                    &format!("Not shown at this width: {}.", dropped.join(", ")),
                    line_width,
                ));
            }
        }
        if !self.note.is_empty() {
            self.note.lines().for_each(|line| text.push_str(&wrap(line, line_width)));
        }
        text
    }

    /// The indices of the columns that fit into a width if titles are broken at every space.
    fn columns_that_fit(&self, width: usize) -> Vec<usize> {
        let mut kept: Vec<usize> = (0..self.columns().len()).collect();
        let total = |kept: &[usize]| {
            kept.iter()
                .map(|&index| self.least_width(index) + COLUMN_GAP)
                .sum::<usize>()
                .saturating_sub(COLUMN_GAP)
        };
        while total(&kept) > width {
            let priority = |index: usize| self.columns()[index].drop_priority;
            let Some(highest) =
                kept.iter().map(|&index| priority(index)).max().filter(|highest| *highest > 0)
            else {
                break;
            };
            kept.retain(|&index| priority(index) != highest);
        }
        kept
    }

    /// The width of the widest cell of a column.
    fn cells_width(&self, index: usize) -> usize {
        self.rows().iter().map(|row| row[index].display().chars().count()).max().unwrap_or(0)
    }

    /// The width of a column with its title on one line.
    fn full_width(&self, index: usize) -> usize {
        self.cells_width(index).max(self.columns()[index].title.chars().count())
    }

    /// The width of the longest word of a title.
    fn title_word_width(&self, index: usize) -> usize {
        self.columns()[index].title.split(' ').map(|word| word.chars().count()).max().unwrap_or(0)
    }

    /// The width below which cells of a column are not wrapped: that of its longest number.
    fn unbroken_width(&self, index: usize) -> usize {
        match self.columns()[index].align {
            Align::Left => MIN_TEXT_WIDTH,
            Align::Right => self.cells_width(index).max(MIN_TEXT_WIDTH),
        }
    }

    /// The width of a column with its title broken at every space.
    fn least_width(&self, index: usize) -> usize {
        self.cells_width(index).max(self.title_word_width(index))
    }

    /// The widths of the kept columns: with whole titles if they fit, otherwise with broken titles;
    /// if that is still too wide, the widest columns of texts are narrowed until the table fits.
    fn column_widths(&self, kept: &[usize], width: usize) -> Vec<usize> {
        let widths = |of: fn(&Self, usize) -> usize| {
            kept.iter().map(|&index| of(self, index)).collect::<Vec<_>>()
        };
        let is_too_wide = |widths: &[usize]| {
            widths.iter().map(|width| width + COLUMN_GAP).sum::<usize>() > width + COLUMN_GAP
        };
        let full = widths(Self::full_width);
        if !is_too_wide(&full) {
            return full;
        }
        let mut narrow = widths(Self::least_width);
        let least: Vec<usize> = kept
            .iter()
            .map(|&index| self.title_word_width(index).max(self.unbroken_width(index)))
            .collect();
        while is_too_wide(&narrow) {
            let wide = narrow.iter_mut().zip(&least).filter(|(width, least)| **width > **least);
            match wide.map(|(width, _)| width).max() {
                Some(widest) => *widest -= 1,
                None => break,
            }
        }
        narrow
    }

    /// The headings, a rule and the rows of the kept columns.
    fn grid(&self, kept: &[usize], widths: &[usize]) -> String {
        let mut grid = TerminalTable::new();
        grid.load_style(NOTHING);
        let alignment = |column: &Column| match column.align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        };
        let cell = |text: &str, (&index, &width): (&usize, &usize)| {
            let text = wrap(&break_long_words(text, width), width).trim_end().to_owned();
            TerminalCell::new(text).set_alignment(alignment(&self.columns()[index]))
        };
        let columns = || kept.iter().zip(widths);
        grid.set_header(columns().map(|column| cell(&self.columns()[*column.0].title, column)));
        grid.add_row(columns().map(|column| cell(&"─".repeat(*column.1), column)));
        for row in self.rows() {
            grid.add_row(columns().map(|column| cell(&row[*column.0].display(), column)));
        }
        for column in grid.column_iter_mut() {
            column.set_padding((0, COLUMN_GAP as u16));
        }
        grid.lines().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{}", line.trim_end());
            text
        })
    }
}

/// Breaks words that are longer than a line with spaces.
fn break_long_words(text: &str, width: usize) -> String {
    let pieces = text.split_whitespace().map(|word| {
        let letters: Vec<char> = word.chars().collect();
        letters.chunks(width.max(1)).map(String::from_iter).collect::<Vec<_>>().join(" ")
    });
    pieces.collect::<Vec<_>>().join(" ")
}

/// Breaks a text at spaces into lines of at most `width` characters.
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
