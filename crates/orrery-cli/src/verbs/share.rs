use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::Args;
use orrery::budget::Budget;
use orrery::file::{FileError, FileKind, check_kind};
use orrery::request::ShareRequest;
use orrery::sharing::scheme::{self, Scheme};
use orrery::sharing::{LAWS, LawKind};
use orrery::units::{Bytes, BytesPerSecond, Seconds};
use orrery_report::figures::{GraphArc, scheme_svg};
use orrery_report::tables::{penalties, penalty_comparison, simulated_scheme};

use super::law::{LawParameters, law_parser};
use super::output_file;
use super::timings;
use crate::context::{Context, warn};
use crate::options::positive;
use crate::output::{self, Format};
use crate::{hand_written, refusal};

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
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = positive, group = "times", conflicts_with = "bandwidth")]
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

/// Parses a rate in bytes per second.
fn rate(text: &str) -> Result<f64, String> {
    let size = || {
        text.parse::<Bytes>().ok().filter(|size| *size > Bytes::ZERO).map(|size| size.get() as f64)
    };
    positive(text)
        .ok()
        .or_else(size)
        .ok_or_else(|| "bytes per second above 0 are expected, such as 125e6 or 119M".to_owned())
}

/// Reads a scheme, and returns its text, too.
pub fn read_scheme(path: &Path) -> anyhow::Result<(String, Scheme)> {
    let place = path.display();
    let text = hand_written::read(path).with_context(|| {
        format!("{place}: cannot read the scheme; check its name, and that it is text")
    })?;
    check_kind(text.as_bytes(), FileKind::Scheme)
        .map_err(|fault| FileError::located(path, "", fault))?;
    let scheme = scheme::parse(&text).map_err(|error| anyhow!("{place}:{error}"))?;
    Ok((text, scheme))
}

impl Share {
    /// Prints the penalties of a scheme.
    pub fn run(self, _context: Context) -> anyhow::Result<()> {
        let (text, scheme) = read_scheme(&self.scheme)?;
        let law = self.parameters.law(self.sharing, "--sharing")?;
        let request = ShareRequest {
            bandwidth: self.bandwidth.map(BytesPerSecond::new),
            reference: self.reference.map(Seconds::new),
        };
        let failure = |error| refusal::failure(error, &self.scheme);
        if self.dynamic {
            let budget = Budget::of_input(text.len() as u64);
            let simulated = request.simulate(&scheme, law, budget).map_err(failure)?;
            let (communications, bandwidth) = simulated;
            let table = simulated_scheme(&scheme, &communications, bandwidth.get());
            return output::print(&table, self.format);
        }
        let shared = request.penalties(&scheme, law).map_err(failure)?;
        if !scheme.starts_together() {
            let path = self.scheme.display();
            warn(format_args!(
                "{path}: delays are not used: the penalties are those of simultaneous transfers; \
                    use --dynamic"
            ));
        }
        let all = &shared.penalties;
        if let Some(path) = &self.svg {
            self.draw(path, &scheme, all)?;
        }
        if let Some(path) = &self.measured {
            let found = timings::measured_like(path, &self.scheme, &scheme)?;
            return output::print(&penalty_comparison(&scheme, all, &found, LEVEL), self.format);
        }
        let emissions = shared.emissions.as_deref();
        output::print(&penalties(&scheme, all, &shared.seconds, emissions), self.format)
    }

    /// Draws the scheme with its penalties to an SVG file.
    fn draw(&self, path: &Path, scheme: &Scheme, all: &[f64]) -> anyhow::Result<()> {
        let output = output_file::check(path, self.force, FileKind::Drawing)?;
        let arc = |(arc, penalty): (&scheme::Arc, &f64)| GraphArc {
            name: arc.name.clone(),
            transfer: arc.transfer,
            label: format!("{penalty:.2}"),
        };
        let arcs: Vec<GraphArc> = scheme.arcs.iter().zip(all).map(arc).collect();
        let drawing = scheme_svg(&format!("Graph of {}", self.scheme.display()), &arcs);
        output.write(&drawing)
    }
}
