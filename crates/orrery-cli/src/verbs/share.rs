use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use orrery::report::{GraphArc, file, penalties, penalties_against, scheme_svg};
use orrery::sharing::scheme::{self, Scheme};
use orrery::sharing::{Emission, Fair, Form, Gige, Infiniband, Myrinet, Sampling, Sharing};
use orrery::units::Bytes;

use super::{replace, samples, timings};
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
    /// The law of the network
    #[arg(long, value_enum, value_name = "NETWORK")]
    sharing: Network,
    /// A model file with the parameters of the network
    #[arg(long, value_name = "MODEL")]
    parameters: Option<PathBuf>,
    /// The form of the law of gige
    #[arg(long, value_enum, default_value_t)]
    form: FormWord,
    /// The bandwidth of a lone transfer in bytes per second (125e6, 119M), for times
    #[arg(long, value_name = "RATE", value_parser = rate)]
    bandwidth: Option<f64>,
    /// The time of a lone transfer in seconds, for times, where all transfers have one size
    #[arg(long, value_name = "SECONDS", value_parser = above_zero, conflicts_with = "bandwidth")]
    reference: Option<f64>,
    /// Estimate by sampling, with intervals, what is too large for myrinet to count
    #[arg(long)]
    estimate: bool,
    /// Decides what is sampled
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "estimate")]
    seed: u64,
    /// A timings file in which the scheme was measured, to compare with
    #[arg(long, value_name = "TIMINGS")]
    measured: Option<PathBuf>,
    /// Draw the scheme with its penalties into an SVG file
    #[arg(long, value_name = "SVG")]
    svg: Option<PathBuf>,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    given: Given,
}

/// Parameters on the command line.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Parameters")]
struct Given {
    /// gige: β
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "parameters")]
    beta: Option<f64>,
    /// gige: γ_o
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "parameters")]
    gamma_out: Option<f64>,
    /// gige: γ_i
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "parameters")]
    gamma_in: Option<f64>,
    /// infiniband: β_s
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "parameters")]
    beta_out: Option<f64>,
    /// infiniband: β_e
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "parameters")]
    beta_in: Option<f64>,
    /// infiniband: γ
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "parameters")]
    gamma: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Network {
    /// Max-min fairness over the ports of the nodes; no parameters
    Maxmin,
    /// Gigabit Ethernet with TCP: β, γ_o, γ_i
    Gige,
    /// Myrinet (Stop & Go); no parameters
    Myrinet,
    /// InfiniBand: β_s, β_e, γ
    Infiniband,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum FormWord {
    /// γ / (Δ − card), which gives the published predictions
    #[default]
    Quotient,
    /// γ · (Δ − card), as it is printed
    Printed,
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
        let transfers = scheme.transfers();
        let seconds = self.seconds(&scheme)?;
        if !scheme.starts_together() {
            warn(format_args!("{path}: delays are not used here; penalties are those of all transfers at once"));
        }
        let law: Box<dyn Sharing> = match self.sharing {
            Network::Maxmin => Box::new(Fair),
            Network::Gige => Box::new(self.gige()?),
            Network::Infiniband => Box::new(self.infiniband()?),
            Network::Myrinet => {
                self.only(&[])?;
                let emissions = self.myrinet().emissions(&transfers).map_err(|error| {
                    let hint = if self.estimate { "" } else { " (--estimate)" };
                    anyhow!("{path}: {error}{hint}")
                })?;
                let all: Vec<f64> = emissions.iter().map(|emission| emission.penalty).collect();
                return self.print(&scheme, &all, &seconds, Some(&emissions));
            }
        };
        if self.sharing == Network::Maxmin {
            self.only(&[])?;
        }
        let all = law.penalties(&transfers).with_context(|| path.to_string())?;
        self.print(&scheme, &all, &seconds, None)
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
            return output::print(&penalties_against(scheme, all, &found, LEVEL), self.format);
        }
        let seconds: Vec<_> = all.iter().zip(alone).map(|(penalty, alone)| Some(penalty * (*alone)?)).collect();
        output::print(&penalties(scheme, all, &seconds, emissions), self.format)
    }

    fn draw(&self, path: &Path, scheme: &Scheme, all: &[f64]) -> anyhow::Result<()> {
        replace::only(path, "drawing", "<svg")?;
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
        let of = |arc: &scheme::Arc| time(arc.size).filter(|_| !arc.transfer.stays_inside());
        Ok(scheme.arcs.iter().map(of).collect())
    }

    fn myrinet(&self) -> Myrinet {
        let sampling = Sampling { seed: self.seed, ..Sampling::default() };
        if self.estimate { Myrinet::default().or_by_sampling(sampling) } else { Myrinet::default() }
    }

    fn gige(&self) -> anyhow::Result<Gige> {
        let form = match self.form {
            FormWord::Quotient => Form::Quotient,
            FormWord::Printed => Form::Printed,
        };
        let Given { beta, gamma_out, gamma_in, .. } = self.given;
        self.only(&Gige::PARAMETERS)?;
        let law = match (&self.parameters, [beta, gamma_out, gamma_in]) {
            (Some(path), _) => {
                let found = samples::model(path)?.sharing.gige;
                found.ok_or_else(|| absent(path, "gige"))?.law()?
            }
            (None, [Some(beta), Some(gamma_out), Some(gamma_in)]) => {
                Gige::new(beta, gamma_out, gamma_in).map_err(|error| Usage(error.to_string()))?
            }
            (None, _) => return Err(lacking("gige", "--beta 0.75 --gamma-out 0.115 --gamma-in 0.036").into()),
        };
        Ok(law.in_form(form))
    }

    fn infiniband(&self) -> anyhow::Result<Infiniband> {
        let Given { beta_out, beta_in, gamma, .. } = self.given;
        self.only(&Infiniband::PARAMETERS)?;
        Ok(match (&self.parameters, [beta_out, beta_in, gamma]) {
            (Some(path), _) => {
                let found = samples::model(path)?.sharing.infiniband;
                found.ok_or_else(|| absent(path, "infiniband"))?.law()?
            }
            (None, [Some(beta_out), Some(beta_in), Some(gamma)]) => {
                Infiniband::new(beta_out, beta_in, gamma).map_err(|error| Usage(error.to_string()))?
            }
            (None, _) => return Err(lacking("infiniband", "--beta-out 0.925 --beta-in 0.965 --gamma 1.35").into()),
        })
    }

    /// Whether only these parameters are given, and what is given has to do with the network.
    fn only(&self, known: &[&str]) -> Result<(), Usage> {
        let Given { beta, gamma_out, gamma_in, beta_out, beta_in, gamma } = self.given;
        let all = [
            ("beta", beta),
            ("gamma_out", gamma_out),
            ("gamma_in", gamma_in),
            ("beta_out", beta_out),
            ("beta_in", beta_in),
            ("gamma", gamma),
        ];
        let strange = all.into_iter().find(|(name, value)| value.is_some() && !known.contains(name));
        let word = self.sharing.to_possible_value().map(|word| word.get_name().to_owned()).unwrap_or_default();
        let refuse = |option: String| Err(Usage(format!("{option} has no meaning for --sharing {word}; leave it out")));
        match strange {
            Some((name, _)) => refuse(format!("--{}", name.replace('_', "-"))),
            None if self.estimate && self.sharing != Network::Myrinet => refuse("--estimate".into()),
            None if self.form != FormWord::default() && self.sharing != Network::Gige => refuse("--form".into()),
            None if self.parameters.is_some() && known.is_empty() => refuse("--parameters".into()),
            None => Ok(()),
        }
    }
}

fn absent(path: &Path, network: &str) -> anyhow::Error {
    anyhow!("{}: there are no parameters of {network} in it; calibrate it, or give them as options", path.display())
}

/// Nothing is invented: what was published for another cluster is told, and not taken.
fn lacking(network: &str, published: &str) -> Usage {
    Usage(format!(
        "--sharing {network} needs its parameters: --parameters MODEL, or such as were published: {published}"
    ))
}
