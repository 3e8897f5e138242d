//! Tables for people at a terminal.

use std::fmt::Write as _;

use comfy_table::presets::NOTHING;
use comfy_table::{Cell as TerminalCell, CellAlignment, Table as TerminalTable};

use super::table::{Align, Column, Table};

/// Spaces between two columns.
const GAP: usize = 2;

/// No column of words is made narrower than this.
const LEAST: usize = 6;

impl Table {
    /// The table for people, no wider than `width` characters where that is possible.
    ///
    /// Where the room is small, dispensable columns are left out (a line below the table names them); cells that are still
    /// too wide are wrapped, titles only at their spaces and numbers never.
    pub fn terminal(&self, width: usize) -> String {
        self.display_table().draw(width)
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
            let rank = |index: usize| self.columns()[index].drop_priority;
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

    /// The longest word of the title.
    fn title_width(&self, index: usize) -> usize {
        self.columns()[index].title.split(' ').map(|word| word.chars().count()).max().unwrap_or(0)
    }

    /// What no cell is made narrower than: the longest number of numbers, that is of right-aligned cells.
    fn word_width(&self, index: usize) -> usize {
        match self.columns()[index].align {
            Align::Left => LEAST,
            Align::Right => self.cells_width(index).max(LEAST),
        }
    }

    /// The width with the title broken at every space.
    fn least_width(&self, index: usize) -> usize {
        self.cells_width(index).max(self.title_width(index))
    }

    /// How wide each column is drawn: with its title on one line, with its title broken at spaces, or, where even that is
    /// too wide, those whose cells are the widest made narrower until all fit. No word of a title is ever broken.
    fn widths(&self, kept: &[usize], width: usize) -> Vec<usize> {
        let widths = |of: fn(&Self, usize) -> usize| kept.iter().map(|&index| of(self, index)).collect::<Vec<_>>();
        let too_wide = |widths: &[usize]| widths.iter().map(|width| width + GAP).sum::<usize>() > width + GAP;
        let full = widths(Self::full_width);
        if !too_wide(&full) {
            return full;
        }
        let mut narrow = widths(Self::least_width);
        let titles: Vec<usize> =
            kept.iter().map(|&index| self.title_width(index).max(self.word_width(index))).collect();
        while too_wide(&narrow) {
            let wide = narrow.iter_mut().zip(&titles).filter(|(width, title)| **width > **title);
            match wide.map(|(width, _)| width).max() {
                Some(widest) => *widest -= 1,
                None => break,
            }
        }
        narrow
    }

    fn grid(&self, kept: &[usize], width: usize) -> String {
        let mut grid = TerminalTable::new();
        grid.load_style(NOTHING);
        let widths = self.widths(kept, width);
        let side = |column: &Column| match column.align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        };
        let cell = |text: &str, (&index, &width): (&usize, &usize)| {
            let text = wrap(&broken(text, width), width).trim_end().to_owned();
            TerminalCell::new(text).set_alignment(side(&self.columns()[index]))
        };
        let columns = || kept.iter().zip(&widths);
        grid.set_header(columns().map(|column| cell(&self.columns()[*column.0].title, column)));
        grid.add_row(columns().map(|column| cell(&"─".repeat(*column.1), column)));
        for row in self.rows() {
            grid.add_row(columns().map(|column| cell(&row[*column.0].display(), column)));
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

/// Puts a space into words that are longer than a line.
fn broken(text: &str, width: usize) -> String {
    let pieces = text.split_whitespace().map(|word| {
        let letters: Vec<char> = word.chars().collect();
        letters.chunks(width.max(1)).map(String::from_iter).collect::<Vec<_>>().join(" ")
    });
    pieces.collect::<Vec<_>>().join(" ")
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
