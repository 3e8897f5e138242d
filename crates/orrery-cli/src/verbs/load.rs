//! The load of hosts and links that predictions are made for: given, or the present one from
//! monitoring.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use orrery::conditions::{Conditions, file};
use orrery::file::read_stream;
use orrery::model::{Availability, Model};

use crate::applies;
use crate::context::{Usage, warn};

/// Options of the load.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub struct LoadOptions {
    /// Part of a processor that other programs leave to kernels, on all hosts or by host: 0.5, or
    /// n1=0.5,n3=0.8 [default: 1]
    #[arg(long, value_name = "PART", allow_negative_numbers = true, conflicts_with = "now")]
    availability: Option<Availability>,
    #[command(flatten)]
    present: PresentLoad,
}

/// Options of the present load.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub struct PresentLoad {
    /// Predict for the present load of hosts and links: the address of a service of orrery monitor
    /// serve, such as http://127.0.0.1:7410, or a file with the conditions that it sent (- for
    /// stdin)
    #[arg(long, value_name = "URL|FILE")]
    now: Option<PathBuf>,
    /// File with the token that the service of --now requires [default: none]
    #[arg(long, value_name = "FILE", requires = "now")]
    token_file: Option<PathBuf>,
    /// File with the certificates of the authorities that sign the certificate of the service, in
    /// PEM format [default: those of this host]
    #[arg(long, value_name = "FILE", requires = "now")]
    ca_file: Option<PathBuf>,
}

impl LoadOptions {
    /// The model under the load, and the availability of its hosts.
    pub fn apply(&self, model: Model, path: &Path) -> anyhow::Result<(Model, Availability)> {
        let Some(availability) = &self.availability else { return self.present.apply(model, path) };
        availability.check(&model).map_err(|error| Usage(format!("--availability: {error}")))?;
        Ok((model, availability.clone()))
    }
}

impl PresentLoad {
    /// The model under the present load, and the availability of its hosts.
    pub fn apply(&self, model: Model, path: &Path) -> anyhow::Result<(Model, Availability)> {
        let Some(now) = &self.now else { return Ok((model, Availability::default())) };
        let conditions = self.conditions(now)?;
        let now = now.display();
        if !conditions.concern(&model) {
            let monitored = conditions.host_names();
            anyhow::bail!(
                "{now}: none of the hosts of {} has a load that is known now; monitored are \
                    {monitored}; compare the names with \
                 \"orrery model show {}\"",
                path.display(),
                path.display()
            );
        }
        let present = conditions.apply(&model);
        for warning in present.warnings() {
            warn(format_args!("{now}: {warning}"));
        }
        Ok((present.model, present.availability))
    }

    /// Reads the conditions from a service, a file or stdin.
    fn conditions(&self, now: &Path) -> anyhow::Result<Conditions> {
        let address =
            now.to_str().filter(|now| now.starts_with("http://") || now.starts_with("https://"));
        if let Some(address) = address {
            let text = fetch(address, self.token_file.as_deref(), self.ca_file.as_deref())?;
            return Ok(file::parse(text, now)?);
        }
        applies::refuse(&["--token-file", "--ca-file"], "files of conditions")?;
        if now == Path::new("-") {
            let text = read_stream(std::io::stdin().lock()).context("cannot read stdin")?;
            return Ok(file::parse(text, "stdin")?);
        }
        Ok(file::read(now)?)
    }
}

/// Asks a service for the present conditions.
#[cfg(feature = "monitor")]
fn fetch(url: &str, token_file: Option<&Path>, ca_file: Option<&Path>) -> anyhow::Result<String> {
    let token = token_file.map(orrery_monitor::Secret::read).transpose()?;
    Ok(orrery_monitor::Client::new(url, token, ca_file)?.get_json("/v1/conditions")?)
}

/// Explains how to ask a service without this command.
#[cfg(not(feature = "monitor"))]
fn fetch(url: &str, _: Option<&Path>, _: Option<&Path>) -> anyhow::Result<String> {
    anyhow::bail!(
        "{url}: this build cannot ask a service: build it with \"--features monitor\", or give a \
            file: curl -o now.json \
         {}/v1/conditions, then --now now.json",
        url.trim_end_matches('/')
    )
}
