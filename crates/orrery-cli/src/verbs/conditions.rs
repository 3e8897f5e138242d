//! Warnings of changes of the machine during a campaign, which anchors show.

use orrery::model::FitOutcome;
use orrery::sample::{ConditionChange, Samples, condition_changes};

use crate::context::warn;
use crate::output::counted;

/// Warns of changes during the campaign of samples.
pub fn warn_of_campaign(samples: &Samples) {
    let hosts: Vec<String> = samples.provenance.hosts().iter().map(ToString::to_string).collect();
    let consequence = "fit infers no shared links from these exchanges; when the machine is \
        steady, repeat the campaign with another file";
    warn_of_changes(&condition_changes(samples), &hosts, consequence);
}

/// Warns of changes during the campaign of a fit.
pub fn warn_of_fit(fitted: &FitOutcome) {
    let exchanges = match fitted.set_aside {
        0 => String::new(),
        count => format!(
            "{} of exchanges are set aside, so that no half-duplex hosts and shared links are \
                inferred from them, and ",
            counted(count as u64, "reading")
        ),
    };
    let consequence = format!(
        "{exchanges}intervals of parameters do not contain the change; when the machine is steady, \
            repeat the campaign with orrery measure comm and fit the new file alone"
    );
    warn_of_changes(&fitted.changes, &fitted.model.hosts, &consequence);
}

/// Warns of changes; `hosts` are the hosts of the processors.
fn warn_of_changes(changes: &[ConditionChange], hosts: &[String], consequence: &str) {
    for change in changes {
        let launch = match change.launch {
            0 => String::new(),
            launch => format!(" in launch {launch}"),
        };
        let subject = change.subject(hosts);
        warn(format!(
            "the machine changed during the campaign{launch}: {subject}: {change}; {consequence}"
        ));
    }
}
