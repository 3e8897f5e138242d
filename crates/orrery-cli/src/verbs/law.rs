use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use orrery::sharing::{GammaForm, GigabitEthernet, Infiniband, Myrinet, Sampling, SharingLaw};

use super::samples;
use crate::context::Usage;

/// The parameters of a law of sharing, in a file or on the command line.
#[derive(Debug, Args)]
#[command(next_help_heading = "Parameters")]
pub struct LawParameters {
    /// A model file with the parameters of the network
    #[arg(long = "parameters", value_name = "MODEL")]
    file: Option<PathBuf>,
    /// gige: the form of the law
    #[arg(long, value_enum, default_value_t)]
    form: FormWord,
    /// gige: β
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "file")]
    beta: Option<f64>,
    /// gige: γ_o
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "file")]
    gamma_out: Option<f64>,
    /// gige: γ_i
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "file")]
    gamma_in: Option<f64>,
    /// infiniband: β_s
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "file")]
    beta_out: Option<f64>,
    /// infiniband: β_e
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "file")]
    beta_in: Option<f64>,
    /// infiniband: γ
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, conflicts_with = "file")]
    gamma: Option<f64>,
    /// myrinet: estimate by sampling what is too large to count
    #[arg(long)]
    pub estimate: bool,
    /// myrinet: decides what is sampled
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "estimate")]
    seed: u64,
}

/// The laws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Network {
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

impl From<FormWord> for GammaForm {
    fn from(word: FormWord) -> Self {
        match word {
            FormWord::Quotient => Self::Quotient,
            FormWord::Printed => Self::Printed,
        }
    }
}

impl Network {
    fn name(self) -> &'static str {
        match self {
            Self::Maxmin => "maxmin",
            Self::Gige => "gige",
            Self::Myrinet => "myrinet",
            Self::Infiniband => "infiniband",
        }
    }
}

impl LawParameters {
    /// The law of a network that `option` names; what is given has to be of this law.
    pub fn law(&self, network: Network, option: &str) -> anyhow::Result<SharingLaw> {
        self.only(network, option)?;
        self.law_among(network, option)
    }

    /// The law of one of several networks; what is given may be of another.
    pub fn law_among(&self, network: Network, option: &str) -> anyhow::Result<SharingLaw> {
        Ok(match network {
            Network::Maxmin => SharingLaw::MaxMinPorts,
            Network::Gige => SharingLaw::GigabitEthernet(self.gige(option)?),
            Network::Infiniband => SharingLaw::Infiniband(self.infiniband(option)?),
            Network::Myrinet => SharingLaw::Myrinet(self.myrinet()),
        })
    }

    /// The law of a network whose parameters a cluster file gives by name; then none may be given besides.
    pub fn law_of(&self, network: Network, given: &[(&str, f64)], path: &Path) -> anyhow::Result<SharingLaw> {
        self.known_to(&["form", "estimate"], network.name(), &format!("the parameters in {}:", path.display()))?;
        let value = |name: &str| given.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
        let own = |name: &str| value(name).ok_or_else(|| anyhow!("{}: [sharing] lacks {name}", path.display()));
        let place = || format!("{}: [sharing]", path.display());
        Ok(match network {
            Network::Maxmin => SharingLaw::MaxMinPorts,
            Network::Myrinet => SharingLaw::Myrinet(self.myrinet()),
            Network::Gige => {
                let law =
                    GigabitEthernet::new(own("beta")?, own("gamma_out")?, own("gamma_in")?).with_context(place)?;
                SharingLaw::GigabitEthernet(law.in_form(self.form.into()))
            }
            Network::Infiniband => {
                let law = Infiniband::new(own("beta_out")?, own("beta_in")?, own("gamma")?).with_context(place)?;
                SharingLaw::Infiniband(law)
            }
        })
    }

    /// The file that holds the parameters.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Whether none is given; else what to say to a network that has no law.
    pub fn none(&self, network: &str, option: &str) -> Result<(), Usage> {
        self.known_to(&[], network, option)
    }

    /// Whether none is given but a file.
    pub fn only_file(&self, network: &str, option: &str) -> Result<(), Usage> {
        self.known_to(&["parameters"], network, option)
    }

    fn myrinet(&self) -> Myrinet {
        let sampling = Sampling { seed: self.seed, ..Sampling::default() };
        if self.estimate { Myrinet::default().with_sampling(sampling) } else { Myrinet::default() }
    }

    fn gige(&self, option: &str) -> anyhow::Result<GigabitEthernet> {
        let law = match (&self.file, [self.beta, self.gamma_out, self.gamma_in]) {
            (Some(path), _) => {
                let found = samples::model(path)?.sharing.gige;
                found.ok_or_else(|| absent(path, "gige"))?.law()?
            }
            (None, [Some(beta), Some(gamma_out), Some(gamma_in)]) => {
                GigabitEthernet::new(beta, gamma_out, gamma_in).map_err(|error| Usage(error.to_string()))?
            }
            (None, _) => return Err(lacking(option, "gige", "--beta 0.75 --gamma-out 0.115 --gamma-in 0.036").into()),
        };
        Ok(law.in_form(self.form.into()))
    }

    fn infiniband(&self, option: &str) -> anyhow::Result<Infiniband> {
        Ok(match (&self.file, [self.beta_out, self.beta_in, self.gamma]) {
            (Some(path), _) => {
                let found = samples::model(path)?.sharing.infiniband;
                found.ok_or_else(|| absent(path, "infiniband"))?.law()?
            }
            (None, [Some(beta_out), Some(beta_in), Some(gamma)]) => {
                Infiniband::new(beta_out, beta_in, gamma).map_err(|error| Usage(error.to_string()))?
            }
            (None, _) => {
                return Err(lacking(option, "infiniband", "--beta-out 0.925 --beta-in 0.965 --gamma 1.35").into());
            }
        })
    }

    /// Whether what is given has to do with the network.
    fn only(&self, network: Network, option: &str) -> Result<(), Usage> {
        let known: &[&str] = match network {
            Network::Gige => &["beta", "gamma_out", "gamma_in", "form", "parameters"],
            Network::Infiniband => &["beta_out", "beta_in", "gamma", "parameters"],
            Network::Myrinet => &["estimate"],
            Network::Maxmin => &[],
        };
        self.known_to(known, network.name(), option)
    }

    fn known_to(&self, known: &[&str], network: &str, option: &str) -> Result<(), Usage> {
        let all = [
            ("beta", self.beta.is_some()),
            ("gamma_out", self.gamma_out.is_some()),
            ("gamma_in", self.gamma_in.is_some()),
            ("beta_out", self.beta_out.is_some()),
            ("beta_in", self.beta_in.is_some()),
            ("gamma", self.gamma.is_some()),
            ("estimate", self.estimate),
            ("form", self.form != FormWord::default()),
            ("parameters", self.file.is_some()),
        ];
        let strange = all.into_iter().find(|(name, is_given)| *is_given && !known.contains(name));
        strange.map_or(Ok(()), |(name, _)| {
            let name = name.replace('_', "-");
            Err(Usage(format!("--{name} has no meaning for {option} {network}; leave it out")))
        })
    }
}

fn absent(path: &Path, network: &str) -> anyhow::Error {
    anyhow!("{}: there are no parameters of {network} in it; calibrate it, or give them as options", path.display())
}

/// Nothing is invented: what was published for another cluster is told, and not taken.
fn lacking(option: &str, network: &str, published: &str) -> Usage {
    Usage(format!(
        "{option} {network} needs its parameters: --parameters MODEL, or such as were published: {published}"
    ))
}
