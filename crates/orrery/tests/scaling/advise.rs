//! Advice on a simulated cluster like that of Kishimoto and Ichikawa: the decisions are correct,
//! and need few runs.

use std::collections::BTreeMap;

use orrery::scaling::PlannedRun;
use orrery::scaling::advise::{
    Advice, AdviceOptions, Advisor, DecisionStatus, PlanLimits, StopReason,
};
use orrery::scaling::search::SearchSpace;

use crate::prelude::*;
use crate::two_kinds::{self, Truth, cluster, hosts, truth};
use crate::variants::few_or_all;

fn best(cluster: &Cluster, n: f64) -> f64 {
    Search::new(cluster.kinds(), &Truth(n)).best().unwrap().candidate.time.get()
}

/// All configurations of a cluster, for a program without a grid.
pub fn search_space(cluster: &Cluster) -> SearchSpace<'_> {
    SearchSpace {
        kinds: cluster.kinds(),
        grids: Grids::None,
        blocks: Vec::new(),
        memory_overhead: None,
        fixed: BTreeMap::new(),
    }
}

/// A simulated cluster that records its runs and their total time.
struct SimulatedCluster {
    noise: Option<(f64, ChaCha8Rng)>,
    runs: Vec<Run>,
    cost: f64,
}

impl SimulatedCluster {
    fn new(noise: f64, seed: u64) -> Self {
        let noise = (noise > 0.0).then(|| (noise, ChaCha8Rng::seed_from_u64(seed)));
        Self { noise, runs: Vec::new(), cost: 0.0 }
    }

    fn run(&mut self, point: &Point) {
        let factor = self.noise.as_mut().map_or(1.0, |(deviation, rng)| {
            let normal: f64 = StandardNormal.sample(rng);
            1.0 + *deviation * normal
        });
        let mut run = Run::new(Seconds::new(truth(point) * factor));
        run.variables = point.variables.clone();
        run.configuration = point.configuration.clone();
        self.cost += run.seconds.get();
        self.runs.push(run);
    }

    fn plan(&mut self, plan: &RunPlan) {
        plan.runs.iter().map(PlannedRun::point).for_each(|point| self.run(&point));
    }

    fn model(&self) -> ExecutionTimeModel {
        fit_terms(&self.runs, TermOptions::default()).unwrap().model.into()
    }

    fn measured(&self) -> Vec<MeasuredPoint> {
        MeasuredPoint::of_runs(&self.runs)
    }
}

/// A few cheap initial runs: small problems on single kinds.
fn pilot() -> RunPlan {
    RunPlan::homogeneous(
        &"athlon=1x2,pentium-ii=8x2".parse().unwrap(),
        &[400.0, 800.0, 1600.0],
        |most| {
            if most > 1 { vec![1, 4, most] } else { vec![1] }
        },
    )
}

fn advisor<'a>(
    simulated: &SimulatedCluster,
    model: &'a ExecutionTimeModel,
    cluster: &Cluster,
    size: f64,
) -> Advisor<'a> {
    Advisor::new(
        model,
        &simulated.measured(),
        &search_space(cluster),
        &[size],
        &[],
        AdviceOptions::default(),
    )
    .unwrap()
}

/// Repeats advice, the first advised run and the fit until the decision is certain or `max_runs`
/// are made.
fn decide(
    simulated: &mut SimulatedCluster,
    cluster: &Cluster,
    size: f64,
    max_runs: usize,
) -> (DecisionStatus, bool) {
    let mut left = max_runs;
    loop {
        let model = simulated.model();
        let advisor = advisor(simulated, &model, cluster, size);
        let advice = advisor.advise_up_to(Seconds::new(1e6), 1);
        let certain = advisor.is_certain(&advice.decisions);
        if certain || left == 0 || advice.runs.is_empty() {
            return (advice.decisions.into_iter().next().unwrap(), certain);
        }
        simulated.run(&advice.runs[0].point);
        left -= 1;
    }
}

/// The total time of the NL plan.
fn nl_cost() -> f64 {
    let mut simulated = SimulatedCluster::new(0.0, 0);
    simulated.plan(&RunPlan::nl(&"athlon=1x6,pentium-ii=8x6".parse().unwrap()));
    simulated.cost
}

#[test]
fn noise_free_advice_finds_the_best() {
    let cluster = cluster();
    let sizes: &[_] = &[3200.0, 9600.0, 6400.0, 8000.0, 4800.0];
    for &size in few_or_all(&sizes[..3], sizes) {
        let mut simulated = SimulatedCluster::new(0.0, 0);
        simulated.plan(&pilot());
        let (standing, certain) = decide(&mut simulated, &cluster, size, 10);
        assert!(certain, "n = {size}: {standing:?}");
        let loss = truth(&standing.choice) / best(&cluster, size) - 1.0;
        assert!(loss.abs() < 1e-12, "n = {size}: {} {loss}", standing.choice.configuration);
        assert!(simulated.cost < nl_cost(), "n = {size}: {} s", simulated.cost);
    }
}

#[test]
fn noisy_advice_is_correct_when_certain_and_cheaper_than_nl() {
    let cluster = cluster();
    let cases: &[_] = &[(6400.0, 0.01), (8000.0, 0.03), (8000.0, 0.01)];
    for &(size, noise) in few_or_all(&cases[..2], cases) {
        for seed in 0..few_or_all(1, 4) {
            let mut simulated = SimulatedCluster::new(noise, seed);
            simulated.plan(&pilot());
            let (standing, certain) = decide(&mut simulated, &cluster, size, 12);
            let loss = truth(&standing.choice) / best(&cluster, size) - 1.0;
            let context = format!(
                "n = {size}, noise {noise}, seed {seed}: {} {loss}",
                standing.choice.configuration
            );
            assert!(certain || noise > 0.02, "{context}: not certain");
            assert!(!certain || loss <= 0.01, "{context}: certain but wrong");
            assert!(simulated.cost < nl_cost(), "{context}: {} s", simulated.cost);
        }
    }
}

/// Whatever the probability, a mix is not certain before a run mixes kinds, and the plan begins with
/// one.
#[test]
fn a_mix_is_certain_only_after_a_mixed_run() {
    let cluster = cluster();
    let mut simulated = SimulatedCluster::new(0.0, 1);
    simulated.plan(&pilot());
    let model = simulated.model();
    let accept_all = AdviceOptions { confidence: 0.5, tolerance: 0.9, ..AdviceOptions::default() };
    let measured = simulated.measured();
    let of = |measured: &[MeasuredPoint]| {
        let space = search_space(&cluster);
        let advisor = Advisor::new(&model, measured, &space, &[6400.0], &[], accept_all).unwrap();
        (advisor.advise(Seconds::new(1e6)), advisor.is_certain(&advisor.decision_status()))
    };
    let (advice, is_certain) = of(&measured);
    let now = &advice.decisions[0];
    assert!(now.is_untested_mix && now.probability > 0.5 && !is_certain, "{now:?}");
    assert_eq!(advice.runs[0].point.configuration.shares.len(), 2);
    assert_eq!(advice.stop_reason, StopReason::Certain);
    // A run of any mix shows how kinds work together.
    let mixed = Point {
        configuration: "athlon=1x1,pentium-ii=8x1".parse().unwrap(),
        ..measured[0].point.clone()
    };
    simulated.run(&mixed);
    let (advice, is_certain) = of(&simulated.measured());
    assert!(!advice.decisions[0].is_untested_mix && is_certain && advice.runs.is_empty());
}

/// Runs with 3 % noise, after which no decision is certain.
fn noisy() -> SimulatedCluster {
    let mut simulated = SimulatedCluster::new(0.03, 1);
    simulated.plan(&pilot());
    simulated
}

#[test]
fn advice_stays_within_the_budget_and_improves_the_decision() {
    let (cluster, simulated) = (cluster(), noisy());
    let model = simulated.model();
    let advisor = advisor(&simulated, &model, &cluster, 6400.0);
    let advice = advisor.advise_up_to(Seconds::new(400.0), 25);
    assert_eq!(
        advice,
        advisor.advise_up_to(Seconds::new(400.0), 25),
        "the same query has the same answer"
    );
    let now = &advice.decisions[0];
    assert!(now.probability < 0.95 && now.expected_loss > 0.0, "{now:?}");
    let mut spent = 0.0;
    for run in &advice.runs {
        spent += run.seconds.get();
        assert!((run.cost.get() - spent).abs() < 1e-9, "cumulative cost");
    }
    let last = advice.runs.last().unwrap().outlook.unwrap();
    assert!(spent <= 400.0);
    assert!(
        last.expected_loss < now.expected_loss,
        "{} after {}",
        last.expected_loss,
        now.expected_loss
    );
    assert!(last.probability > now.probability, "{} after {}", last.probability, now.probability);
    assert_eq!(advice.stop_reason == StopReason::Certain, last.probability >= 0.95);

    let none = advisor.advise(Seconds::new(1e-3));
    assert_eq!((none.runs.len(), none.stop_reason), (0, StopReason::BudgetUsed));
}

/// The expected saving of a plan without the cost of its runs.
fn net_saving(advice: &Advice) -> f64 {
    let cost = advice.runs.last().map_or(0.0, |run| run.cost.get());
    advice.outlook.unwrap().expected_saving.get() - cost
}

/// Runs with 3 % noise; one of them mixes kinds.
fn noisy_with_a_mix() -> SimulatedCluster {
    let mut simulated = noisy();
    simulated.run(&two_kinds::point("athlon=1x1,pentium-ii=8x1", 1600.0));
    simulated
}

#[test]
fn plans_end_where_no_run_pays() {
    let (cluster, simulated) = (cluster(), noisy_with_a_mix());
    let model = simulated.model();
    let of_uses = |uses: u32| {
        let options = AdviceOptions { uses, ..AdviceOptions::default() };
        let (measured, space) = (simulated.measured(), search_space(&cluster));
        let advisor = Advisor::new(&model, &measured, &space, &[6400.0], &[], options).unwrap();
        assert!(!advisor.is_certain(&advisor.decision_status()));
        advisor.advise(Seconds::new(1e6))
    };
    let costs: Vec<f64> = [1, 30, 1000]
        .map(of_uses)
        .iter()
        .map(|advice| {
            let saving = net_saving(advice);
            assert!(saving > 0.0 || advice.runs.is_empty(), "{advice:?}");
            // The runs pay together: no shorter plan saves more.
            for run in &advice.runs {
                let shorter = run.outlook.unwrap().expected_saving.get() - run.cost.get();
                assert!(shorter <= saving, "{shorter} of {saving}");
            }
            advice.runs.last().map_or(0.0, |run| run.cost.get())
        })
        .collect();
    assert!(costs.is_sorted() && costs[0] < costs[2], "{costs:?}");
    assert_eq!(of_uses(1).stop_reason, StopReason::NoRunPays);
}

#[test]
fn a_plan_under_way_is_kept_if_it_saves_more() {
    let (cluster, simulated) = (cluster(), noisy_with_a_mix());
    let model = simulated.model();
    let advisor = advisor(&simulated, &model, &cluster, 6400.0);
    let budget = Seconds::new(1e6);
    let new = advisor.advise(budget);
    let points: Vec<Point> = new.runs.iter().map(|run| run.point.clone()).collect();
    assert_eq!(advisor.advise_after(budget, &points), new);
    // Any single run of the plan under way, continued, against a new plan.
    for point in points.iter().chain([&simulated.measured()[0].point]) {
        let followed = advisor.advise_after(budget, std::slice::from_ref(point));
        assert!(net_saving(&followed) >= net_saving(&new));
        let is_kept = followed.runs.first().is_some_and(|run| run.point == *point);
        assert!(is_kept || followed == new);
    }
}

/// The plan is a run of the fast kind alone, at the middle size, while it is never the slowest.
#[test]
fn an_unidentified_kind_is_measured_first() {
    let cluster = cluster();
    let mut simulated = SimulatedCluster::new(0.01, 1);
    for size in [1000.0, 2000.0, 4000.0] {
        for elements in [1, 2, 4, 8] {
            let configuration = format!("athlon=1x1,pentium-ii={elements}x1");
            simulated.run(&two_kinds::point(&configuration, size));
        }
    }
    simulated.run(&two_kinds::point("pentium-ii=2x1", 2000.0));
    let advise = |simulated: &SimulatedCluster, budget: f64, failed: &[Point]| {
        let limits = PlanLimits {
            asked: &[6400.0],
            sizes: &[],
            budget: Seconds::new(budget),
            failed,
            under_way: &[],
        };
        let (model, measured) = (simulated.model(), simulated.measured());
        let (space, options) = (search_space(&cluster), AdviceOptions::default());
        Advice::new(&model, &measured, &space, &limits, options).unwrap()
    };
    let advice = advise(&simulated, 1e6, &[]);
    assert_eq!((advice.runs.len(), advice.stop_reason), (1, StopReason::UnidentifiedKind));
    let run = &advice.runs[0];
    assert_eq!(run.point, two_kinds::point("athlon=1x1", 2000.0));
    assert!(advice.decisions.is_empty() && run.outlook.is_none() && !advice.is_decided());
    assert!(run.seconds.get() > truth(&run.point), "the time of the runs is an upper bound");
    // A smaller size after a failure, none beyond the budget, none after failures at all sizes.
    let smaller = two_kinds::point("athlon=1x1", 1000.0);
    let failed = [run.point.clone(), smaller.clone()];
    let after = advise(&simulated, 1e6, &failed[..1]);
    assert_eq!((&after.runs[0].point, after.runs.len()), (&smaller, 1));
    let none = advise(&simulated, 1e-3, &[]);
    assert_eq!((none.runs.len(), none.stop_reason), (0, StopReason::BudgetUsed));
    let none = advise(&simulated, 1e6, &failed);
    assert_eq!((none.runs.len(), none.stop_reason), (0, StopReason::NoUsefulRun));
    // The plan continues after the run.
    simulated.run(&failed[0]);
    let advice = advise(&simulated, 1e6, &[]);
    assert_eq!(advice.decisions.len(), 1);
}

#[test]
fn excluded_runs_are_not_advised() {
    let (cluster, simulated) = (cluster(), noisy());
    let model = simulated.model();
    let mut advisor = advisor(&simulated, &model, &cluster, 6400.0);
    let first =
        |advisor: &Advisor| advisor.advise_up_to(Seconds::new(400.0), 1).runs[0].point.clone();
    let failed = first(&advisor);
    advisor.exclude(std::slice::from_ref(&failed));
    assert_ne!(first(&advisor), failed);
}

#[test]
fn measured_times_override_the_model() {
    let (cluster, mut simulated) = (cluster(), noisy());
    let model = simulated.model();
    let before = advisor(&simulated, &model, &cluster, 6400.0).decision_status()[0].clone();
    let point = before.choice.clone();
    // A measurement of twice the forecast time: the configuration is no longer chosen.
    simulated.run(&point);
    simulated.runs.last_mut().unwrap().seconds = Seconds::new(2.0 * before.seconds.get());
    let after = advisor(&simulated, &model, &cluster, 6400.0).decision_status()[0].clone();
    assert_ne!(after.choice.configuration, point.configuration);
    // Many measurements below the forecast: the posterior mean follows them.
    for _ in 0..50 {
        simulated.run(&point);
        simulated.runs.last_mut().unwrap().seconds = Seconds::new(0.8 * before.seconds.get());
    }
    let after = advisor(&simulated, &model, &cluster, 6400.0).decision_status()[0].clone();
    assert_eq!(after.choice.configuration, point.configuration);
    let ratio = after.seconds / before.seconds;
    assert!(
        (0.8..0.85).contains(&ratio) && after.probability > before.probability,
        "{ratio}: {after:?}"
    );
}

#[test]
fn runs_have_the_given_sizes() {
    let (cluster, simulated) = (cluster(), noisy());
    let model = simulated.model();
    let sizes = [1000.0, 2000.0];
    let options = AdviceOptions { repetitions: 3, ..AdviceOptions::default() };
    let advisor = Advisor::new(
        &model,
        &simulated.measured(),
        &search_space(&cluster),
        &[6400.0],
        &sizes,
        options,
    )
    .unwrap();
    let advice = advisor.advise_up_to(Seconds::new(1000.0), 5);
    assert!(!advice.runs.is_empty());
    assert!(advice.runs.iter().all(|run| sizes.contains(&run.point.variables["n"])));
    assert!(
        (advice.runs[0].cost.get() / advice.runs[0].seconds.get() - 3.0).abs() < 1e-9,
        "three repetitions"
    );
}

#[test]
fn invalid_advice_requests_are_rejected() {
    let (cluster, simulated) = (cluster(), noisy());
    let model = simulated.model();
    let rejected = |model: &ExecutionTimeModel, cluster: &Cluster, sizes: &[f64]| {
        let options = AdviceOptions::default();
        Advisor::new(model, &[], &search_space(cluster), sizes, &[], options)
            .map(|_| ())
            .unwrap_err()
    };
    assert!(rejected(&model, &cluster, &[]).to_string().starts_with("no problem size is given"));
    let unsure = TermModel { uncertainty: None, ..model.as_terms().unwrap().clone() }.into();
    assert!(
        rejected(&unsure, &cluster, &[100.0])
            .to_string()
            .contains("as many coefficients as points")
    );
    let other = Cluster::new(vec![hosts(&["x"], "xeon", 1, 1)]);
    assert!(rejected(&model, &other.unwrap(), &[100.0]).to_string().contains("no kind \"xeon\""));
    let single = Cluster::new(vec![hosts(&["a"], "athlon", 1, 1)]);
    let error = rejected(&model, &single.unwrap(), &[100.0]).to_string();
    assert!(error.starts_with("there is only one configuration for n = 100;"), "{error}");
}
