use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::Args;
use orrery::budget::Budget;
use orrery::sharing::scheme::{self, Scheme};
use orrery::sharing::{Emission, LAWS, LawKind, PenaltyModel as _};
use orrery::simulate::replay_scheme;
use orrery::units::{Bytes, BytesPerSecond};
use orrery_report::figures::{GraphArc, scheme_svg};
use orrery_report::file;
use orrery_report::tables::{penalties, penalty_comparison, simulated_scheme};

use super::law::{LawParameters, law_parser};
use super::output_file::{self, OutputKind};
use super::timings;
use crate::applies;
use crate::context::{Context, Usage, warn};
use crate::hand_written;
use crate::output::{self, Format};

/// The level of the intervals of measured penalties.
const LEVEL: f64 = 0.95;

/// Arguments of `orrery share`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  orrery share six.scheme --sharing gige --beta 0.75 --gamma-out 0.115 --gamma-in 0.036
  orrery share six.scheme --sharing myrinet --bandwidth 250e6 --svg six.svg")]
pub struct Share {
    /// Scheme file with one transfer per line, such as a: 0 -> 1 20M
    #[arg(value_name = "SCHEME")]
    scheme: PathBuf,
    /// Sharing law of the network
    #[arg(long, value_name = "NETWORK", value_parser = law_parser(LAWS))]
    sharing: &'static LawKind,
    /// Print times too, from this bandwidth of an uncontended transfer in bytes per second: 125e6,
    /// 119M
    #[arg(long, value_name = "RATE", allow_negative_numbers = true, value_parser = rate, group = "times")]
    bandwidth: Option<f64>,
    /// Print times too, from this time of an uncontended transfer in seconds, if all transfers have
    /// the same size
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = above_zero, group = "times", conflicts_with = "bandwidth")]
    reference: Option<f64>,
    /// Simulate the scheme in time: transfers start after their delays, and penalties change when
    /// transfers start or end
    #[arg(long, requires = "times")]
    dynamic: bool,
    /// Compare with the measurement of the scheme in this timings file
    #[arg(long, value_name = "TIMINGS", conflicts_with = "dynamic")]
    measured: Option<PathBuf>,
    /// Draw the scheme with its penalties to this SVG file
    #[arg(long, value_name = "SVG", conflicts_with = "dynamic")]
    svg: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "svg")]
    force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    parameters: LawParameters,
}

/// Parses a finite number above 0.
fn above_zero(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "a number above 0 is expected, such as 0.16".to_owned())
}

/// Parses a rate in bytes per second.
fn rate(text: &str) -> Result<f64, String> {
    let size = || {
        text.parse::<Bytes>().ok().filter(|size| *size > Bytes::ZERO).map(|size| size.get() as f64)
    };
    above_zero(text)
        .ok()
        .or_else(size)
        .ok_or_else(|| "bytes per second above 0 are expected, such as 125e6 or 119M".to_owned())
}

impl Share {
    /// Prints the penalties of a scheme.
    pub fn run(self, _context: Context) -> anyhow::Result<()> {
        let path = self.scheme.display();
        let text = hand_written::read(&self.scheme).with_context(|| {
            format!("{path}: cannot read the scheme; check its name, and that it is text")
        })?;
        let scheme = scheme::parse(&text).map_err(|error| anyhow!("{path}:{error}"))?;
        if scheme.arcs.is_empty() {
            return Err(anyhow!(
                "{path}: the scheme has no transfer; write one per line, such as a: 0 -> 1 20M"
            ));
        }
        let transfers = scheme.transfers();
        let seconds = self.seconds(&scheme)?;
        if self.dynamic {
            let what = format!("the simulation of {} transfers", scheme.arcs.len());
            let budget = Budget::of_input(text.len() as u64);
            budget
                .check_operations(what, scheme.rate_changes())
                .with_context(|| path.to_string())?;
            return self.simulate(&scheme);
        }
        if !scheme.starts_together() {
            warn(format_args!(
                "{path}: delays are not used: the penalties are those of simultaneous transfers; \
                    use --dynamic"
            ));
        }
        let law = self.parameters.law(self.sharing, "--sharing")?;
        if let Some(emissions) = law.emissions(&transfers) {
            let emissions = emissions.map_err(|error| {
                let hint = if self.parameters.estimate { "" } else { " (--estimate)" };
                anyhow!("{path}: {error}{hint}")
            })?;
            let all: Vec<f64> = emissions.iter().map(|emission| emission.penalty).collect();
            return self.print(&scheme, &all, &seconds, Some(&emissions));
        }
        let all = law.penalties(&transfers).with_context(|| path.to_string())?;
        self.print(&scheme, &all, &seconds, None)
    }

    /// Simulates the scheme in time and prints the result.
    fn simulate(&self, scheme: &Scheme) -> anyhow::Result<()> {
        let path = self.scheme.display();
        let size = scheme.arcs.first().map_or(0, |arc| arc.size.get());
        let bandwidth = self.bandwidth.or(self.reference.map(|seconds| size as f64 / seconds));
        let bandwidth = bandwidth.unwrap_or_default();
        let law = self.parameters.law(self.sharing, "--sharing")?;
        let outcome = replay_scheme(scheme, BytesPerSecond::new(bandwidth), law)
            .with_context(|| path.to_string())?;
        output::print(&simulated_scheme(scheme, &outcome, bandwidth), self.format)
    }

    /// Prints the penalties, or their comparison with a measurement, and draws the scheme if
    /// requested.
    fn print(
        &self,
        scheme: &Scheme,
        all: &[f64],
        alone: &[Option<f64>],
        emissions: Option<&[Emission]>,
    ) -> anyhow::Result<()> {
        if let Some(path) = &self.svg {
            self.draw(path, scheme, all)?;
        }
        if let Some(path) = &self.measured {
            let found = timings::measured_like(path, &self.scheme, scheme)?;
            return output::print(&penalty_comparison(scheme, all, &found, LEVEL), self.format);
        }
        let seconds: Vec<_> =
            all.iter().zip(alone).map(|(penalty, alone)| Some(penalty * (*alone)?)).collect();
        output::print(&penalties(scheme, all, &seconds, emissions), self.format)
    }

    /// Draws the scheme with its penalties to an SVG file.
    fn draw(&self, path: &Path, scheme: &Scheme, all: &[f64]) -> anyhow::Result<()> {
        output_file::check(path, self.force, "--svg", OutputKind::Drawing)?;
        let arc = |(arc, penalty): (&scheme::Arc, &f64)| GraphArc {
            name: arc.name.clone(),
            transfer: arc.transfer,
            label: format!("{penalty:.2}"),
        };
        let arcs: Vec<GraphArc> = scheme.arcs.iter().zip(all).map(arc).collect();
        let drawing = scheme_svg(&format!("Graph of {}", self.scheme.display()), &arcs);
        file::write(path, &drawing)
            .with_context(|| format!("{}: cannot write the drawing", path.display()))
    }

    /// The uncontended time of each transfer; `None` if it is unknown or the transfer is within a
    /// node.
    fn seconds(&self, scheme: &Scheme) -> Result<Vec<Option<f64>>, Usage> {
        if self.reference.is_some() && scheme.arcs.windows(2).any(|two| two[0].size != two[1].size)
        {
            applies::refuse(&["--reference"], "different sizes, which need --bandwidth")?;
        }
        let time =
            |size: Bytes| self.reference.or_else(|| Some(size.get() as f64 / self.bandwidth?));
        let of = |arc: &scheme::Arc| time(arc.size).filter(|_| !arc.transfer.is_local());
        Ok(scheme.arcs.iter().map(of).collect())
    }
}
