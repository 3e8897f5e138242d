use std::fmt;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};
use orrery::measure::Progress;

use crate::context::Context;

/// A progress bar on stderr, hidden if that is no terminal.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// A bar for one stage of the work.
    pub fn new(context: Context, stage: &'static str) -> Self {
        if context.quiet || !io::stderr().is_terminal() {
            return Self { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template(
            "{prefix:<13} {bar:24} {pos:>5}/{len}  {elapsed:>3}  {wide_msg}",
        ) {
            bar.set_style(style);
        }
        bar.set_prefix(stage);
        Self { bar }
    }

    /// Shows the number of finished items and the latest item.
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

/// The progress bars of a campaign, one for each stage.
pub struct StageBars {
    context: Context,
    current: Option<(&'static str, Bar)>,
}

impl StageBars {
    /// Bars that appear with the first progress.
    pub fn new(context: Context) -> Self {
        Self { context, current: None }
    }

    /// Shows the progress of a campaign; a new stage, or the next plan of the same stage, gets a
    /// new bar.
    pub fn show(&mut self, Progress { stage, done, total, experiment }: Progress) {
        let bar = match self.current.take() {
            Some((current, bar)) if current == stage => bar,
            _ => Bar::new(self.context, stage),
        };
        bar.at(done, total, &experiment);
        self.current = (done < total).then_some((stage, bar));
    }
}
