//! The sharing law of a verb: its name and its parameters, as the registry describes them.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use orrery::sharing::{GammaForm, LAWS, LawKind, Sampling, SharingLaw};

use super::samples;
use crate::applies;
use crate::context::Usage;
use crate::options::described;

/// The parser of an argument that names one of these laws; help lists them.
pub fn law_parser(
    kinds: impl IntoIterator<Item = &'static LawKind>,
) -> impl TypedValueParser<Value = &'static LawKind> {
    let value = |kind: &'static LawKind| PossibleValue::new(kind.name).help(description(kind));
    PossibleValuesParser::new(kinds.into_iter().map(value))
        .try_map(|name| LawKind::from_name(&name))
}

/// The network of a law and the symbols of its parameters, for help.
fn description(kind: &LawKind) -> String {
    let symbols: Vec<_> = kind.parameters.iter().map(|parameter| parameter.symbol).collect();
    let parameters = if symbols.is_empty() { "no parameters".into() } else { symbols.join(", ") };
    format!("{}: {parameters}", capitalized(kind.about))
}

/// The text with its first letter in upper case.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The parameters of a sharing law, in a file or on the command line.
#[derive(Debug, Args)]
#[command(next_help_heading = "Parameters")]
pub struct LawParameters {
    /// Read the parameters of the law from a model file
    #[arg(long = "parameters", value_name = "MODEL")]
    file: Option<PathBuf>,
    /// gige: form in which γ_o and γ_i enter the penalty
    #[arg(long, value_parser = described::<GammaForm>(), default_value_t)]
    form: GammaForm,
    #[command(flatten)]
    values: ParameterValues,
    /// myrinet: estimate the penalties of schemes that are too large to enumerate, by sampling
    #[arg(long)]
    pub estimate: bool,
    /// myrinet: seed of the sampling of --estimate
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "estimate")]
    seed: u64,
}

/// Parameter values by name, from one option for each parameter of the registry.
#[derive(Debug, Default)]
struct ParameterValues {
    values: Vec<(&'static str, f64)>,
}

impl ParameterValues {
    /// The names of the parameters of all laws, each once.
    fn names() -> Vec<&'static str> {
        let mut names = Vec::new();
        for name in LAWS.iter().flat_map(|kind| kind.parameter_names()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The help of an option: the laws that have the parameter, its symbol and its meaning.
    fn help(name: &str) -> String {
        let of_law = |kind: &&'static LawKind| {
            let parameter = kind.parameters.iter().find(|parameter| parameter.name == name)?;
            let unit = if parameter.unit.is_empty() {
                String::new()
            } else {
                format!(" [{}]", parameter.unit)
            };
            let (symbol, about, published) =
                (parameter.symbol, parameter.about, parameter.published);
            Some(format!(
                "{}: {symbol}, {about}{unit}; required without --parameters [published: {published}]",
                kind.name
            ))
        };
        LAWS.iter().filter_map(of_law).collect::<Vec<_>>().join("; ")
    }

    /// The value of this name, if it is given.
    fn get(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }
}

impl Args for ParameterValues {
    fn augment_args(command: Command) -> Command {
        let option = |name: &'static str| {
            Arg::new(name)
                .long(name.replace('_', "-"))
                .value_name("NUMBER")
                .help(Self::help(name))
                .allow_negative_numbers(true)
                .value_parser(clap::value_parser!(f64))
                .conflicts_with("file")
        };
        Self::names().into_iter().fold(command, |command, name| command.arg(option(name)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ParameterValues {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let value = |name| matches.get_one::<f64>(name).map(|value| (name, *value));
        Ok(Self { values: Self::names().into_iter().filter_map(value).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl LawParameters {
    /// The law that `option` names, with its parameters. Options of other laws are refused.
    pub fn law(&self, kind: &'static LawKind, option: &str) -> anyhow::Result<SharingLaw> {
        Ok(self.laws(&[kind], option)?.remove(0))
    }

    /// The laws that `option` names, with their parameters. Options that none of them has are
    /// refused.
    pub fn laws(
        &self,
        kinds: &[&'static LawKind],
        option: &str,
    ) -> anyhow::Result<Vec<SharingLaw>> {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        let subject = format!("{option} {}", names.join(","));
        let parameters = kinds.iter().flat_map(|kind| kind.parameter_names());
        let has_parameters = kinds.iter().any(|kind| !kind.parameters.is_empty());
        let file = has_parameters.then_some("parameters");
        let all: Vec<&str> = parameters.chain(file).chain(["form", "estimate"]).collect();
        Self::refuse_except(&all, &subject)?;
        let laws = kinds.iter().map(|kind| self.chosen(kind, option));
        let laws = laws.collect::<anyhow::Result<Vec<SharingLaw>>>()?;
        if laws.iter().all(|law| law.with_gamma_form(self.form).is_none()) {
            applies::refuse(&["--form"], &subject)?;
        }
        if laws.iter().all(|law| law.with_sampling(self.sampling()).is_none()) {
            applies::refuse(&["--estimate"], &subject)?;
        }
        Ok(laws)
    }

    /// The law of this kind with its parameters and choices.
    fn chosen(&self, kind: &'static LawKind, option: &str) -> anyhow::Result<SharingLaw> {
        let law = match &self.file {
            _ if kind.parameters.is_empty() => kind.law(&[])?,
            Some(path) => {
                let laws = samples::model(path)?.sharing;
                laws.get(kind.name).ok_or_else(|| absent(path, kind.name))?.law()
            }
            None => {
                let values: Option<Vec<f64>> =
                    kind.parameter_names().map(|name| self.values.get(name)).collect();
                let values = values.ok_or_else(|| parameters_missing(kind, option))?;
                kind.law(&values).map_err(|error| Usage(error.to_string()))?
            }
        };
        Ok(self.with_choices(law))
    }

    /// The law with the parameters that a cluster file gives by name; options of parameters are
    /// refused.
    pub fn law_of_file(
        &self,
        kind: &'static LawKind,
        given: &[(&str, f64)],
        path: &Path,
    ) -> anyhow::Result<SharingLaw> {
        let subject = format!("{} with its parameters in {}", kind.name, path.display());
        Self::refuse_except(&["form", "estimate"], subject)?;
        let value =
            |name: &str| given.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
        let value = |name| {
            let missing = || anyhow!("{}: {name} is missing in [sharing]; add it", path.display());
            value(name).ok_or_else(missing)
        };
        let values = kind.parameter_names().map(value).collect::<anyhow::Result<Vec<f64>>>()?;
        let law = kind.law(&values).with_context(|| format!("{}: [sharing]", path.display()))?;
        Ok(self.with_choices(law))
    }

    /// The law with its form of γ and with sampling, if it has these choices.
    fn with_choices(&self, law: SharingLaw) -> SharingLaw {
        let law = law.with_gamma_form(self.form).unwrap_or(law);
        if self.estimate { law.with_sampling(self.sampling()).unwrap_or(law) } else { law }
    }

    /// The sampling with the seed of the options.
    fn sampling(&self) -> Sampling {
        Sampling { seed: self.seed, ..Sampling::default() }
    }

    /// The file that holds the parameters.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Refuses the options that are not among these names.
    pub fn refuse_except(known: &[&str], subject: impl Display) -> Result<(), Usage> {
        let all = ParameterValues::names().into_iter().chain(["estimate", "form", "parameters"]);
        let unknown = all.filter(|name| !known.contains(name));
        let options: Vec<String> =
            unknown.map(|name| format!("--{}", name.replace('_', "-"))).collect();
        applies::refuse(&options, subject)
    }
}

/// The error for a model file without the parameters of a law.
fn absent(path: &Path, law: &str) -> anyhow::Error {
    anyhow!(
        "{}: the file has no parameters of {law}; add them with orrery fit, or give them as \
            options",
        path.display()
    )
}

/// The error for missing parameters. Published values are shown and not assumed.
fn parameters_missing(kind: &LawKind, option: &str) -> Usage {
    let published = kind
        .parameters
        .iter()
        .map(|one| format!("--{} {}", one.name.replace('_', "-"), one.published));
    let (name, published) = (kind.name, published.collect::<Vec<_>>().join(" "));
    Usage(format!(
        "{option} {name} needs parameters: --parameters MODEL, or values such as the published \
            {published}"
    ))
}
