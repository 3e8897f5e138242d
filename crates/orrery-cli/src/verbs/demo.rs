use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use orrery::measure::{Collectives, collectives};
use orrery::model::{FitOptions, file, validate};
use orrery::platform::Processor;
use orrery::report::{self, html, parameters, validation};
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, SizeList};

use super::fit::fitted;
use super::measure::CommPlan;
use crate::context::Context;
use crate::interrupt;
use crate::options::{MachineOptions, PrecisionOptions};
use crate::output::{self, Format};
use crate::session::{Output, Session};

/// Arguments of `orrery demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// The folder to write: samples.csv, model.json, report.html
    #[arg(short, long, value_name = "FOLDER", default_value = "orrery-demo")]
    output: PathBuf,
    #[command(flatten)]
    pub machine: MachineOptions,
    #[command(flatten)]
    precision: PrecisionOptions,
}

/// The message of the one-to-two experiments.
const SIZE: Bytes = Bytes::new(64 << 10);

const NOTICE: &str = "Loopback on a shared machine is a demonstration, not a cluster: processes share cores and memory, \
                      and nothing crosses a network.";

impl Demo {
    pub fn run(self, context: Context) -> anyhow::Result<()> {
        context.say(NOTICE);
        let folder = || format!("cannot write the folder {}", self.output.display());
        fs::create_dir_all(&self.output).with_context(folder)?;
        let samples = self.measure(context)?;
        let model = fitted(context, &samples, &FitOptions::default())?.model;
        let validated = validate(&model, &samples, &model.kinds(), self.precision.level)?;
        let (rows, summary) = validation(&validated);
        let mut tables = parameters(&model);
        tables.extend([rows, summary]);
        output::print_all(&tables, Format::Table)?;
        let model_path = self.output.join("model.json");
        file::write(&model_path, &model)?;
        let page = self.output.join("report.html");
        report::file::write(&page, &html::page(&model, &samples, &validated)).with_context(folder)?;
        output::text(&format!(
            "\n{NOTICE}\nLook at {}; ask {} with `orrery predict`.\n",
            page.display(),
            model_path.display()
        ))
    }

    /// Round trips, one-to-two experiments, and collectives from every root.
    fn measure(&self, context: Context) -> anyhow::Result<orrery::sample::Samples> {
        let machine = self.machine.start(context, interrupt::flag()?)?;
        let output = Output { path: self.output.join("samples.csv"), resume: false, force: true, seed: None };
        let mut session = Session::open(context, machine, &output, &self.precision)?;
        let sizes: SizeList = "1K,4K,16K,256K".parse()?;
        CommPlan { size: SIZE, sizes }.measure(&mut session)?;
        let procs = session.processors();
        let what = Collectives {
            kinds: CollectiveKind::ALL.to_vec(),
            algorithms: Algorithm::ALL.to_vec(),
            roots: Processor::first(procs).collect(),
            procs,
            sizes: "1K..128K".parse::<SizeList>()?.iter().collect(),
        };
        session.measure("collectives", &collectives(&what, session.seed()))?;
        Ok(session.close())
    }
}
