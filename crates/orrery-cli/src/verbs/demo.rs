use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use orrery::file::FileKind;
use orrery::measure::{CollectiveDesign, CommDesign, TripletDesign};
use orrery::model::{FitOptions, Model, ModelKind, Ranked, file, validate};
use orrery::platform::Processor;
use orrery::request::Repetitions;
use orrery::request::{AlgorithmSelection, Algorithms, CollectiveChoiceRequest, Roots};
use orrery::sample::Samples;
use orrery::schedule::CollectiveKind;
use orrery::units::{Bytes, SizeList};
use orrery_report::tables::{collective_choices, median_errors, parameters, validation};
use orrery_report::{Table, pages};

use super::fit::fitted;
use super::output_file;
use crate::campaign::Output;
use crate::context::{Context, interrupt_flag};
use crate::machine::MachineSpec;
use crate::options::{MachineOptions, PrecisionOptions};
use crate::output::{self, Format};
use crate::session::{Session, Settings};

/// Arguments of `orrery demo`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  orrery demo\n  orrery demo --machine local:4 -o my-demo --force"
)]
pub struct Demo {
    /// Write samples.csv, model.json and report.html to this folder
    #[arg(short, long, value_name = "FOLDER", default_value = "orrery-demo")]
    output: PathBuf,
    /// Replace existing files in this folder
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    pub machine: MachineOptions,
    #[command(flatten)]
    precision: PrecisionOptions,
}

/// The experiments of a demonstration.
struct Plan {
    /// Sizes of round trips besides that of the one-to-two experiments.
    sizes: &'static str,
    /// Block sizes of collective operations.
    blocks: &'static str,
    /// The block sizes among them that are held out of the fit.
    held_out: &'static str,
    /// The maximum number of repetitions without `--max-reps`; `None` for the usual one.
    max_reps: Option<u32>,
    remark: &'static str,
}

/// The demonstration on an emulated cluster. Messages of milliseconds hardly vary, and few
/// repetitions suffice.
const EMULATED: Plan = Plan {
    sizes: "8K",
    blocks: "16K,32K,64K",
    held_out: "32K",
    max_reps: Some(5),
    remark: "Worker processes emulate a cluster of unequal hosts: their messages go over TCP \
        through a switch that delays \
             them as the links of the cluster would. This takes less than a minute.",
};

/// The demonstration on processes that share a host.
const SHARED_HOST: Plan = Plan {
    sizes: "1K,4K,16K,256K",
    blocks: "1K..128K",
    held_out: "2K,8K,32K",
    max_reps: None,
    remark: "Loopback on a shared machine is a demonstration, not a cluster: processes share cores \
        and memory, and nothing \
             crosses a network.",
};

/// The message size of the one-to-two experiments.
const SIZE: Bytes = Bytes::new(64 << 10);

/// The files that are written.
const FILES: [(&str, FileKind); 3] = [
    ("samples.csv", FileKind::Samples),
    ("model.json", FileKind::Model),
    ("report.html", FileKind::Page),
];

impl Demo {
    /// Measures, fits, validates and writes a report.
    pub fn run(mut self, context: Context) -> anyhow::Result<()> {
        let plan = match self.machine.or_example() {
            MachineSpec::Emulated(_) => EMULATED,
            _ => SHARED_HOST,
        };
        self.precision.limit(plan.max_reps);
        let repetitions = self.precision.checked()?;
        let paths = FILES.map(|(name, _)| self.output.join(name));
        for (path, (_, kind)) in paths.iter().zip(FILES) {
            output_file::check(path, self.force, kind)?;
        }
        let [samples_path, model_path, page_path] = paths;
        context.say(plan.remark);
        let folder = || format!("{}: cannot write to this folder", self.output.display());
        fs::create_dir_all(&self.output).with_context(folder)?;
        let samples = self.measure(context, &plan, repetitions, &samples_path)?;
        let options = FitOptions { held_out: plan.held_out.parse()?, ..FitOptions::default() };
        let files = std::slice::from_ref(&samples_path);
        let model = fitted(context, files, &samples, &options)?.outcome.model;
        let validated = validate(&model, &samples, &model.kinds(), self.precision.level)?;
        file::write(&model_path, &model)?;
        let page = pages::communication_page(&model, &samples, &validated);
        output_file::check(&page_path, true, FileKind::Page)?.write(&page)?;
        let mut tables = parameters(&model);
        tables.push(validation(&validated).0);
        tables.push(median_errors(&validated, &model.kinds()));
        let ranking = validated.ranking(|row| row.experiment.is_collective() && !row.seen);
        if let Some(best) = ranking.first() {
            tables.push(choice(&model, best.model)?);
        }
        output::print_all(&tables, Format::Table)?;
        output::text(&conclusion(&ranking, plan.held_out))?;
        output::text(&next_steps(&page_path, &model_path, &samples_path))
    }

    /// Measures round trips, one-to-two experiments, and collectives from every root.
    fn measure(
        &self,
        context: Context,
        plan: &Plan,
        repetitions: Repetitions,
        path: &Path,
    ) -> anyhow::Result<Samples> {
        let machine = self.machine.start(context, 0, interrupt_flag()?)?;
        let output = Output { path: path.to_owned(), resume: false, force: true, seed: None };
        let settings = Settings::default();
        let mut session = Session::open(context, machine, &output, repetitions, &settings)?;
        let sizes = plan.sizes.parse::<SizeList>()?.iter().collect();
        session.measure(&CommDesign {
            sizes,
            triplets: TripletDesign::Full,
            ..CommDesign::new(SIZE)
        })?;
        let procs = session.processors();
        let sizes = plan.blocks.parse::<SizeList>()?.iter().collect();
        let roots = Processor::first(procs).collect();
        session.measure(&CollectiveDesign { roots, ..CollectiveDesign::new(procs, sizes) })?;
        session.close()
    }
}

/// The fastest algorithm and root of each operation by block size, according to one model.
fn choice(model: &Model, kind: ModelKind) -> anyhow::Result<Table> {
    let request = CollectiveChoiceRequest {
        operations: CollectiveKind::SCATTER_GATHER.to_vec(),
        models: vec![kind],
        algorithms: AlgorithmSelection { names: Algorithms::Usual, segments: Some(Vec::new()) },
        root: Roots::All,
        sizes: Some((Bytes::new(1024), SIZE)),
        step: Some(Bytes::new(64)),
        ..CollectiveChoiceRequest::default()
    };
    Ok(collective_choices(&request.by_model(model)?))
}

/// The mean errors of the best model and of Hockney, which knows no processors and ports.
fn conclusion(ranking: &[Ranked], held_out: &str) -> String {
    let error =
        |ranked: &Ranked| format!("{} {:.0} %", ranked.model.name(), 100.0 * ranked.mean_error);
    let others = ranking.iter().skip(1).filter(|ranked| ranked.model.name().starts_with("hockney"));
    let errors: Vec<String> = ranking.iter().take(1).chain(others).map(error).collect();
    format!(
        "\nMean errors on scatter and gather of {held_out}, which the fit has not seen: {}\n",
        errors.join(", ")
    )
}

/// The commands to try after the demonstration.
fn next_steps(page: &Path, model: &Path, samples: &Path) -> String {
    let (page, model, samples) = (page.display(), model.display(), samples.display());
    format!(
        "\nOpen     {page}\n\
         Then try orrery predict scatter {model} --size 64K\n         \
         orrery model show {model}\n         \
         orrery validate {model} {samples}\n"
    )
}
