use std::path::PathBuf;

use clap::Args;

#[cfg(feature = "monitor")]
use crate::context::Context;

/// Arguments of `orrery monitor agent`.
#[derive(Debug, Args)]
pub struct MonitorAgent {
    /// Configuration in TOML: store, intervals, disks, peers, the service that takes the samples
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Check the configuration, print the series that would be measured, and exit
    #[arg(long)]
    check: bool,
    /// Put back all samples that were set aside because their times contradicted the clock, and exit;
    /// an agent sets those that are more than a day after its clock aside again
    #[arg(long, conflicts_with = "check")]
    put_back: bool,
    /// Output format of --check
    #[arg(long, value_enum, default_value_t)]
    format: crate::output::Format,
}

#[cfg(feature = "monitor")]
impl MonitorAgent {
    /// Measures until a signal ends the agent, or checks the configuration.
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        use std::sync::Arc;

        use orrery_monitor::agent::SystemClock;
        use orrery_monitor::{Agent, AgentConfig, AgentSettings};

        let settings = AgentSettings::new(AgentConfig::read(&self.config)?)?;
        if self.check {
            return crate::output::print(&planned(&settings)?, self.format);
        }
        if self.put_back {
            let samples = crate::output::counted(Agent::put_back(&settings)?, "sample");
            let store = settings.config.store.display();
            context.say(format_args!("{store}: put back: {samples} of those set aside"));
            return Ok(());
        }
        let stop = crate::context::interrupt_flag()?;
        let agent = Agent::new(settings, Arc::new(SystemClock::default()))?;
        agent.run(&stop, &mut |event| {
            if event.is_warning() {
                crate::context::warn(event);
            } else {
                context.say(format_args!("orrery: {event}"));
            }
        })?;
        Ok(())
    }
}

/// The table of the series that would be measured.
///
/// Keys: series, interval (between samples \[s\]).
#[cfg(feature = "monitor")]
fn planned(settings: &orrery_monitor::AgentSettings) -> anyhow::Result<orrery_report::Table> {
    use orrery_report::{Cell, Column, Table};

    let columns = [Column::text("series"), Column::number("interval")];
    let note = format!(
        "availability of processors {}; samples in {}",
        settings.cpus,
        settings.config.store.display()
    );
    let mut table = Table::new("series", "", columns).with_note(note);
    for (series, interval) in settings.series()? {
        let seconds = interval.as_secs_f64();
        table.push([Cell::text(series.to_string()), Cell::number(seconds, format!("{seconds} s"))]);
    }
    Ok(table)
}
