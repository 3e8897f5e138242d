//! `GET /v1/routine` and `GET /v1/best/grid`: the time of a parallel routine on grids of processes
//! now.

use std::sync::Arc;

use orrery::model::{Model, RoutinePrediction};
use orrery::platform::Processor;
use orrery::request::{GridRequest, RequestError, RoutineRequest};
use serde::Serialize;

use super::super::present::{self, PresentModel};
use super::super::query::Query;
use super::super::refusal::Refusal;
use super::super::state::State;
use super::kernel::{Excluded, excluded, kernels};
use super::{Access, Answer, Call, Route};

/// The time of a routine on one grid.
pub(super) const TIME: Route = Route {
    method: "GET",
    path: "/v1/routine",
    access: Access::Token,
    answer: |state, call| Box::pin(time(state, call)),
};

/// The grids with their times of a routine.
pub(super) const BEST: Route = Route {
    method: "GET",
    path: "/v1/best/grid",
    access: Access::Token,
    answer: |state, call| Box::pin(best(state, call)),
};

/// The maximum dimension of a routine, so that a question takes milliseconds.
const MAX_DIMENSION: u64 = 100_000;

/// The maximum number of blocks in a dimension of a question, for the same reason.
const MAX_BLOCKS: u64 = 2048;

/// The largest number of grids in an answer.
const MAX_GRIDS: usize = 8;

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
struct BestGrids {
    /// The grids with their times, the fastest first.
    grids: Vec<OnGrid>,
    /// The number of grids whose operands exceed the free memory of hosts.
    rejected: usize,
    /// The hosts that are left out, since their load is not known now.
    excluded: Vec<Excluded>,
}

/// Answers with the time of a routine on the named grid.
async fn time(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let query = call.query;
    let now = present::model(&state, query.duration("horizon")?).await?;
    let request = RoutineRequest {
        grids: query.one("grid")?.map(grid).transpose()?.into_iter().collect(),
        processors: query.one("processors")?.map(processors).transpose()?,
        ..request(&query, &now.present.model)?
    };
    let predicted = state.reader.run(move |_| Ok(predict(&now, &request))).await?;
    Answer::json(&predicted.map_err(Refusal::request)?)
}

/// Predicts the first call of a request, which must have one at least.
fn predict(now: &PresentModel, request: &RoutineRequest) -> Result<OnGrid, RequestError> {
    let model = &now.present.model;
    let predicted = request.answers(model, &now.present.availability)?;
    let processors = request.placed(&predicted[0].call, model)?;
    Ok(on_grid(now, &predicted[0], &processors))
}

/// Answers with the best grids of a routine, the fastest first.
async fn best(state: Arc<State>, call: Call) -> Result<Answer, Refusal> {
    let query = call.query;
    let now = present::model(&state, query.duration("horizon")?).await?;
    let RoutineRequest { routine, models, variant, m, n, k, blocks, kernels, .. } =
        request(&query, &now.present.model)?;
    let all = now.present.model.processors() as u64;
    let most = query.whole("processes")?.unwrap_or(all);
    if most == 0 || most > all {
        return Err(Refusal::bad(format!(
            "the parameter 'processes' must be 1 to {all}, the processors of the model"
        )));
    }
    let unmonitored = query.flag("unmonitored")?;
    let candidates = now.present.availability.candidates(&now.present.model, unmonitored);
    let most = most.min((candidates.processors.len() as u64).max(1));
    let request = GridRequest {
        routine,
        models,
        variant,
        m,
        n,
        k,
        blocks,
        procs: (1..=most).collect(),
        memory: None,
        kernels,
        unmonitored,
        top: MAX_GRIDS,
    };
    let chosen = state.reader.run(move |_| {
        let chosen = request.answers(&now.present.model, &now.present.availability);
        Ok(chosen.map(|chosen| {
            let chosen = &chosen[0];
            let on = |predicted: &RoutinePrediction| {
                on_grid(&now, predicted, chosen.placed(predicted.call.grid()))
            };
            let excluded = excluded(&candidates.excluded);
            let (grids, rejected) = (chosen.best.iter().map(on).collect(), chosen.rejected);
            BestGrids { grids, rejected, excluded }
        }))
    });
    Answer::json(&chosen.await?.map_err(Refusal::request)?)
}

/// The request for a routine, without its grid, by the kind of model that is named or preferred.
/// Refuses dimensions above [`MAX_DIMENSION`] and more than [`MAX_BLOCKS`] blocks.
fn request(query: &Query, model: &Model) -> Result<RoutineRequest, Refusal> {
    let example = || Refusal::bad("name a routine: /v1/routine?routine=pdgemm&n=1024&grid=2x2");
    let routine = query.needed("routine", example)?.parse().map_err(Refusal::of)?;
    let kind = query.one("model")?.map(str::parse).transpose().map_err(Refusal::of)?;
    let request = RoutineRequest {
        models: kind.or_else(|| model.preferred_kind()).into_iter().collect(),
        variant: query.one("variant")?.map(str::to_owned),
        m: query.list("m")?,
        k: query.list("k")?,
        blocks: query.list("block")?,
        kernels: kernels(query)?,
        ..RoutineRequest::new(routine, query.list("n")?, Vec::new())
    };
    let lists = [&request.m, &request.n, &request.k];
    let largest = lists.into_iter().flatten().max().copied().unwrap_or(0);
    // The default block is large enough for the largest dimension, and the request refuses 0.
    let block = request.blocks.first().map_or(largest, |block| *block).max(1);
    if largest > MAX_DIMENSION || largest.div_ceil(block) > MAX_BLOCKS {
        return Err(Refusal::bad(format!(
            "dimensions are up to {MAX_DIMENSION} and have up to {MAX_BLOCKS} blocks; orrery \
                predict --now answers larger questions"
        )));
    }
    Ok(request)
}

/// The numbers of rows and columns of a grid, from a text such as `2x3`.
fn grid(text: &str) -> Result<[u32; 2], Refusal> {
    let sides = text
        .split_once('x')
        .and_then(|(rows, columns)| Some([rows.parse().ok()?, columns.parse().ok()?]));
    sides.ok_or_else(|| {
        Refusal::bad("the parameter 'grid' is no grid; write rows and columns, such as 2x2")
    })
}

/// The processors of a list with commas, such as `0,1,2`.
fn processors(list: &str) -> Result<Vec<Processor>, Refusal> {
    let number = |word: &str| word.trim().parse().ok().map(Processor);
    let all: Option<Vec<Processor>> = list.split(',').map(number).collect();
    all.ok_or_else(|| {
        Refusal::bad("the parameter 'processors' is no list of numbers; write such as 0,1,2,3")
    })
}

/// A prediction as an answer; `processors` has the one of each process, row by row of the grid.
fn on_grid(now: &PresentModel, predicted: &RoutinePrediction, processors: &[Processor]) -> OnGrid {
    let call = &predicted.call;
    let model = &now.present.model;
    let alarms =
        predicted.alarms.iter().map(|alarm| format!("{}: {}", alarm.name(), alarm.message()));
    let of_conditions = now.present.link_warnings.iter().cloned();
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
