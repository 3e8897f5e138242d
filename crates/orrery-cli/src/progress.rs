use std::fmt;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};
use orrery::measure::Progress;

use crate::context::Context;

/// A progress bar on stderr, when that is a terminal.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// A bar for this part of the work.
    pub fn new(context: Context, what: &'static str) -> Self {
        if context.quiet || !io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new(0);
        if let Ok(style) =
            ProgressStyle::with_template("{prefix:<13} {bar:24} {pos:>5}/{len}  {elapsed:>3}  {wide_msg}")
        {
            bar.set_style(style);
        }
        bar.set_prefix(what);
        Self { bar }
    }

    /// Shows how far the work has come.
    pub fn show(&self, progress: Progress) {
        self.at(progress.done, progress.total, &progress.experiment);
    }

    /// Shows how much of all is done, and what was done last.
    pub fn at(&self, done: usize, total: usize, latest: &dyn fmt::Display) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        if done == total {
            self.bar.finish_with_message("done");
        } else {
            self.bar.set_message(latest.to_string());
        }
    }
}
