use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use orrery::measure::{CollectiveDesign, collectives};
use orrery::model::{FitOptions, ModelKind, Validation, file, validate};
use orrery::platform::Processor;
use orrery::schedule::{Algorithm, CollectiveKind};
use orrery::units::{Bytes, SizeList};
use orrery_report::tables::{parameters, percent_cell, validation};
use orrery_report::{Cell, Column, Table, pages};

use super::fit::fitted;
use super::measure::{CommPlan, TripletsWord};
use super::replace;
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
        self.precision.check()?;
        context.say(NOTICE);
        let folder = || format!("{}: cannot write to this folder", self.output.display());
        fs::create_dir_all(&self.output).with_context(folder)?;
        let samples = self.measure(context)?;
        let model = fitted(context, &[self.output.join("samples.csv")], &samples, &FitOptions::default())?.model;
        let validated = validate(&model, &samples, &model.kinds(), self.precision.level)?;
        let model_path = self.output.join("model.json");
        file::write(&model_path, &model)?;
        let page = self.output.join("report.html");
        orrery_report::file::write(&page, &pages::communication_page(&model, &samples, &validated))
            .with_context(folder)?;
        let mut tables = parameters(&model);
        tables.push(validation(&validated).0);
        tables.push(digest(&validated, &model.kinds()));
        output::print_all(&tables, Format::Table)?;
        output::text(&next_steps(&page, &model_path, &self.output.join("samples.csv")))
    }

    /// Round trips, one-to-two experiments, and collectives from every root.
    fn measure(&self, context: Context) -> anyhow::Result<orrery::sample::Samples> {
        replace::only_of_demo(&self.output.join("samples.csv"))?;
        let machine = self.machine.start(context, 0, interrupt::flag()?)?;
        let output = Output { path: self.output.join("samples.csv"), resume: false, force: true, seed: None };
        let mut session = Session::open(context, machine, &output, &self.precision, None)?;
        let sizes: SizeList = "1K,4K,16K,256K".parse()?;
        CommPlan { size: SIZE, sizes, triplets: TripletsWord::Full }.measure(&mut session)?;
        let procs = session.processors();
        let what = CollectiveDesign {
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

/// The median error of each model at each operation.
fn digest(validated: &Validation, kinds: &[ModelKind]) -> Table {
    let columns = kinds.iter().map(|kind| Column::number(kind.name()));
    let columns = std::iter::once(Column::text("operation")).chain(columns);
    let note = "The median over all sizes, roots and pairs of |predicted − observed| / observed.";
    let mut table = Table::new("digest", "How far each model is off", columns).with_note(note);
    let mut operations: Vec<&str> = Vec::new();
    for line in &validated.summary {
        if !operations.contains(&line.operation.as_str()) {
            operations.push(&line.operation);
        }
    }
    for operation in operations {
        let error = |kind: &ModelKind| {
            let line = validated
                .summary
                .iter()
                .find(|line| line.model == *kind && line.class.is_none() && line.operation == operation);
            line.map_or(Cell::Null, |line| percent_cell(line.median_error))
        };
        table.push(std::iter::once(Cell::text(operation)).chain(kinds.iter().map(error)));
    }
    table
}

fn next_steps(page: &Path, model: &Path, samples: &Path) -> String {
    let (page, model, samples) = (page.display(), model.display(), samples.display());
    format!(
        "\nLook at  {page}\n\
         Then try orrery predict {model} scatter --size 64K\n         \
         orrery model show {model}\n         \
         orrery validate {model} {samples}\n"
    )
}
