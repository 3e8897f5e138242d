use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::Args;
use orrery::sharing::scheme::{self, Scheme};
use orrery::sharing::{Emission, LAWS, LawKind, PenaltyModel as _};
use orrery::simulate::replay_scheme;
use orrery::units::{Bytes, BytesPerSecond};
use orrery_report::figures::{GraphArc, scheme_svg};
use orrery_report::file;
use orrery_report::tables::{penalties, penalty_comparison, simulated_scheme};

use super::law::{LawParameters, law_parser};
use super::{replace, timings};
use crate::context::{Context, Usage, warn};
use crate::output::{self, Format};

/// The level of the intervals of measured penalties.
const LEVEL: f64 = 0.95;

/// Arguments of `orrery share`.
#[derive(Debug, Args)]
pub struct Share {
    /// The scheme: one transfer a line, such as a: 0 -> 1 20M
    #[arg(value_name = "SCHEME")]
    scheme: PathBuf,
    /// The sharing law of the network
    #[arg(long, value_name = "NETWORK", value_parser = law_parser(LAWS))]
    sharing: &'static LawKind,
    /// The bandwidth of a lone transfer in bytes per second (125e6, 119M), for times
    #[arg(long, value_name = "RATE", allow_negative_numbers = true, value_parser = rate)]
    bandwidth: Option<f64>,
    /// The time of a lone transfer in seconds, for times, where all transfers have one size
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = above_zero, conflicts_with = "bandwidth")]
    reference: Option<f64>,
    /// Play the scheme in time: transfers start after their delays, and those that stay are faster when others have
    /// ended
    #[arg(long)]
    dynamic: bool,
    /// A timings file in which the scheme was measured, to compare with
    #[arg(long, value_name = "TIMINGS", conflicts_with = "dynamic")]
    measured: Option<PathBuf>,
    /// Draw the scheme with its penalties into an SVG file
    #[arg(long, value_name = "SVG", conflicts_with = "dynamic")]
    svg: Option<PathBuf>,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    parameters: LawParameters,
}

fn above_zero(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "a number above 0 is expected".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    let size = || text.parse::<Bytes>().ok().filter(|size| *size > Bytes::ZERO).map(|size| size.get() as f64);
    above_zero(text)
        .ok()
        .or_else(size)
        .ok_or_else(|| "bytes per second above 0 are expected, such as 125e6 or 119M".to_owned())
}

impl Share {
    pub fn run(self, _context: Context) -> anyhow::Result<()> {
        let path = self.scheme.display();
        let text = fs::read_to_string(&self.scheme)
            .with_context(|| format!("{path}: cannot read the scheme; check its name, and that it is text"))?;
        let scheme = scheme::parse(&text).map_err(|error| anyhow!("{path}:{error}"))?;
        if scheme.arcs.is_empty() {
            return Err(anyhow!("{path}: the scheme has no communication; write one a line, such as a: 0 -> 1 20M"));
        }
        let transfers = scheme.transfers();
        let seconds = self.seconds(&scheme)?;
        if self.dynamic {
            return self.play(&scheme);
        }
        if !scheme.starts_together() {
            warn(format_args!("{path}: delays are not used here; penalties are those of all transfers at once"));
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

    /// The scheme in time.
    fn play(&self, scheme: &Scheme) -> anyhow::Result<()> {
        let path = self.scheme.display();
        let size = scheme.arcs.first().map_or(0, |arc| arc.size.get());
        let bandwidth = self.bandwidth.or(self.reference.map(|seconds| size as f64 / seconds));
        let Some(bandwidth) = bandwidth.filter(|rate| *rate > 0.0) else {
            return Err(Usage("--dynamic needs times: --bandwidth RATE, or --reference SECONDS".into()).into());
        };
        let law = self.parameters.law(self.sharing, "--sharing")?;
        let told = replay_scheme(scheme, BytesPerSecond::new(bandwidth), law);
        let told = told.with_context(|| path.to_string())?;
        output::print(&simulated_scheme(scheme, &told, bandwidth), self.format)
    }

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
        let seconds: Vec<_> = all.iter().zip(alone).map(|(penalty, alone)| Some(penalty * (*alone)?)).collect();
        output::print(&penalties(scheme, all, &seconds, emissions), self.format)
    }

    fn draw(&self, path: &Path, scheme: &Scheme, all: &[f64]) -> anyhow::Result<()> {
        replace::only(path, "--svg", "drawing", "<svg")?;
        let arc = |(arc, penalty): (&scheme::Arc, &f64)| GraphArc {
            name: arc.name.clone(),
            transfer: arc.transfer,
            label: format!("{penalty:.2}"),
        };
        let arcs: Vec<GraphArc> = scheme.arcs.iter().zip(all).map(arc).collect();
        let drawing = scheme_svg(&format!("Graph of {}", self.scheme.display()), &arcs);
        file::write(path, &drawing).with_context(|| format!("{}: cannot write the drawing", path.display()))
    }

    /// The time of each transfer without the others, where it is known and uses the network.
    fn seconds(&self, scheme: &Scheme) -> Result<Vec<Option<f64>>, Usage> {
        if self.reference.is_some() && scheme.arcs.windows(2).any(|two| two[0].size != two[1].size) {
            return Err(Usage("--reference is the time of one size, but sizes differ; use --bandwidth".into()));
        }
        let time = |size: Bytes| self.reference.or_else(|| Some(size.get() as f64 / self.bandwidth?));
        let of = |arc: &scheme::Arc| time(arc.size).filter(|_| !arc.transfer.is_local());
        Ok(scheme.arcs.iter().map(of).collect())
    }
}
