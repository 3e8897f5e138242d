//! `GET /v1/routine` and `GET /v1/best/grid`: the time of a parallel routine on grids of processes
//! now.

use std::sync::Arc;

use orrery::grid::{GridChoice, choose_grid};
use orrery::model::{Model, ModelKind, RoutinePrediction, RoutinePredictor};
use orrery::platform::{Placement, Processor};
use orrery::routine::{Grid, Routine, RoutineCall};
use serde::Serialize;

use super::super::present::{self, PresentModel};
use super::super::query::Query;
use super::super::refusal::Refusal;
use super::super::state::State;
use super::kernel::kernels;
use super::{Access, Answer, Call, Route};

pub(super) const TIME: Route = Route {
    method: "GET",
    path: "/v1/routine",
    access: Access::Token,
    parameters: &[
        "routine",
        "variant",
        "m",
        "n",
        "k",
        "grid",
        "block",
        "processors",
        "model",
        "blas",
        "threads",
        "operands",
        "horizon",
    ],
    answer: |state, call| Box::pin(time(state, call)),
};

pub(super) const BEST: Route = Route {
    method: "GET",
    path: "/v1/best/grid",
    access: Access::Token,
    parameters: &[
        "routine",
        "variant",
        "m",
        "n",
        "k",
        "block",
        "processes",
        "model",
        "blas",
        "threads",
        "operands",
        "horizon",
    ],
    answer: |state, call| Box::pin(best(state, call)),
};

/// The kinds of models in the order in which one is taken if a request names none.
const PREFERRED: [ModelKind; 5] =
    [ModelKind::PortsFlows, ModelKind::Ports, ModelKind::Lmo, ModelKind::Hockney, ModelKind::Hlmo];

/// The default block.
const BLOCK: u64 = 64;

/// The maximum dimension of a routine, so that a question takes milliseconds.
const MAX_DIMENSION: u64 = 100_000;

/// The maximum number of blocks in a dimension of a question, for the same reason.
const MAX_BLOCKS: u64 = 2048;

/// The number of grids that are predicted by their programs.
const PREDICTED: usize = 8;

/// The predicted time of a routine on a grid.
#[derive(Serialize)]
struct OnGrid {
    routine: String,
    variant: &'static str,
    grid: String,
    block: u64,
    /// The kind of model of the communication.
    model: &'static str,
    seconds: f64,
    low: Option<f64>,
    high: Option<f64>,
    /// The memory of the operands at the process with the largest parts, in bytes.
    space: u64,
    /// The processors of the model, with the hosts, row by row of the grid.
    processors: Vec<u32>,
    hosts: Vec<String>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Grids {
    /// The grids with their times, the fastest first.
    grids: Vec<OnGrid>,
    /// The number of grids whose operands exceed the free memory of hosts.
    rejected: usize,
}

async fn time(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let query = call.query;
    let now = present::model(&state, query.duration("horizon")?).await?;
    let question = question(&query)?;
    let example = || Refusal::bad("name a grid: /v1/routine?routine=pdgemm&n=1024&grid=2x2");
    let shape = query.needed("grid", example)?;
    let sides = shape
        .split_once('x')
        .and_then(|(rows, columns)| Some((rows.parse().ok()?, columns.parse().ok()?)));
    let (rows, columns) =
        sides.ok_or_else(|| Refusal::bad("a grid has rows and columns, such as 2x2"))?;
    let grid = Grid { rows, columns, block: question.block };
    let call = RoutineCall::new(question.routine, question.variant, question.dimensions, grid)
        .map_err(Refusal::of)?;
    let model = &now.present.model;
    let kind = kind(&query, model)?;
    let processors = processors(&query, model, grid.processes())?;
    let choice = kernels(&query)?;
    let predicted =
        state.reader.run(move |_| Ok(predict(&now, kind, &call, &processors, &choice))).await?;
    Answer::json(&predicted?)
}

/// Predicts a call on processors.
fn predict(
    now: &PresentModel,
    kind: ModelKind,
    call: &RoutineCall,
    processors: &[Processor],
    choice: &orrery::model::KernelChoice,
) -> Result<OnGrid, Refusal> {
    let predictor = RoutinePredictor::new(&now.present.model, kind).map_err(Refusal::of)?;
    let mut predictor = predictor.with_availability(now.present.availability.clone());
    let placement = Placement::new(processors.iter().copied());
    let predicted = predictor.predict_on(call, &placement, choice).map_err(Refusal::of)?;
    Ok(on_grid(now, &predicted, processors))
}

async fn best(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let query = call.query;
    let now = present::model(&state, query.duration("horizon")?).await?;
    let question = question(&query)?;
    let kind = kind(&query, &now.present.model)?;
    let all = now.present.model.processors() as u64;
    let most = query.whole("processes")?.unwrap_or(all);
    if most == 0 || most > all {
        return Err(Refusal::bad(format!(
            "the number of processes is 1 to {all}, the processors of the model"
        )));
    }
    let choice = GridChoice {
        routine: question.routine,
        variant: question.variant,
        dimensions: question.dimensions,
        processes: (1..=most as u32).collect(),
        blocks: vec![question.block],
        memory: None,
        kernels: kernels(&query)?,
        availability: now.present.availability.clone(),
        predicted: PREDICTED,
    };
    let chosen = state.reader.run(move |_| {
        let chosen = choose_grid(&now.present.model, kind, &choice);
        Ok(chosen.map(|chosen| {
            let on = |predicted: &RoutinePrediction| {
                let count = predicted.call.grid().processes() as usize;
                on_grid(&now, predicted, &chosen.processors[..count])
            };
            Grids { grids: chosen.best.iter().map(on).collect(), rejected: chosen.rejected }
        }))
    });
    let grids = chosen.await?.map_err(Refusal::of)?;
    if grids.grids.is_empty() {
        return Err(Refusal::missing(
            "the operands exceed the free memory of the hosts on all grids",
        ));
    }
    Answer::json(&grids)
}

/// What is asked about a routine, besides its grid.
struct Question {
    routine: Routine,
    variant: &'static str,
    dimensions: [u64; 3],
    block: u64,
}

fn question(query: &Query) -> Result<Question, Refusal> {
    let example = || Refusal::bad("name a routine: /v1/routine?routine=pdgemm&n=1024&grid=2x2");
    let routine: Routine = query.needed("routine", example)?.parse().map_err(Refusal::of)?;
    let n = query
        .whole("n")?
        .ok_or_else(|| Refusal::bad(format!("{routine} needs the dimension n")))?;
    let exists = routine.kind.dimensions();
    let mut dimensions = [n; 3];
    for ((name, exists), value) in ["m", "n", "k"].into_iter().zip(exists).zip(&mut dimensions) {
        match query.whole(name)? {
            Some(_) if !exists => {
                return Err(Refusal::bad(format!("{routine} has no dimension {name}")));
            }
            Some(given) => *value = given,
            None => {}
        }
    }
    let block = query.whole("block")?.unwrap_or(BLOCK);
    let largest = dimensions.into_iter().max().unwrap_or(0);
    if largest > MAX_DIMENSION || block == 0 || largest.div_ceil(block) > MAX_BLOCKS {
        return Err(Refusal::bad(format!(
            "dimensions are up to {MAX_DIMENSION} and have up to {MAX_BLOCKS} blocks; orrery \
                predict --now answers larger questions"
        )));
    }
    let variants = routine.kind.variants();
    let given = query.one("variant")?.unwrap_or(variants[0]);
    let variant = variants.iter().find(|known| **known == given).copied();
    let variant = variant.ok_or_else(|| {
        Refusal::bad(format!("{routine} has the variants {}", variants.join(", ")))
    })?;
    Ok(Question { routine, variant, dimensions, block })
}

/// The kind of model of the communication: the one that is named, or the first of the preferred
/// ones in the model.
fn kind(query: &Query, model: &Model) -> Result<ModelKind, Refusal> {
    if let Some(name) = query.one("model")? {
        return name.parse().map_err(Refusal::of);
    }
    let known = model.kinds();
    let preferred =
        PREFERRED.into_iter().find(|kind| known.contains(kind)).or_else(|| known.first().copied());
    preferred.ok_or_else(|| {
        Refusal::missing("the model of the service has no model of the communication")
    })
}

/// The processors of a grid: those that are named, or the first ones.
fn processors(query: &Query, model: &Model, count: u64) -> Result<Vec<Processor>, Refusal> {
    let known = model.processors();
    let needed = || {
        Refusal::bad(format!(
            "the grid has {count} processes, and the model has {known} processors"
        ))
    };
    let Some(list) = query.one("processors")? else {
        return if count <= known as u64 {
            Ok(Processor::first(count as usize).collect())
        } else {
            Err(needed())
        };
    };
    let number = |word: &str| {
        word.trim().parse::<u32>().ok().filter(|number| (*number as usize) < known).map(Processor)
    };
    let processors: Option<Vec<Processor>> = list.split(',').map(number).collect();
    let processors = processors
        .ok_or_else(|| Refusal::bad(format!("processors are numbers below {known}: 0,1,2,3")))?;
    if processors.len() as u64 == count { Ok(processors) } else { Err(needed()) }
}

/// A prediction as an answer.
fn on_grid(now: &PresentModel, predicted: &RoutinePrediction, processors: &[Processor]) -> OnGrid {
    let call = &predicted.call;
    let model = &now.present.model;
    let alarms =
        predicted.alarms.iter().map(|alarm| format!("{}: {}", alarm.name(), alarm.message()));
    let of_conditions = now.present.warnings.iter().map(ToString::to_string);
    let hosts =
        processors.iter().map(|one| model.hosts.get(one.index()).cloned().unwrap_or_default());
    OnGrid {
        routine: call.routine().to_string(),
        variant: call.variant(),
        grid: call.grid().to_string(),
        block: call.grid().block,
        model: predicted.kind.name(),
        seconds: predicted.seconds.get(),
        low: predicted.interval.map(|(low, _)| low.get()),
        high: predicted.interval.map(|(_, high)| high.get()),
        space: predicted.space.get(),
        processors: processors.iter().map(|one| one.0).collect(),
        hosts: hosts.collect(),
        warnings: alarms.chain(of_conditions).collect(),
    }
}
