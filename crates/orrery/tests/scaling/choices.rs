//! One answer: advice and the ranking of configurations choose the same, and measured
//! configurations count with their runs.

use orrery::model::Model;
use orrery::model::file::{parse, to_text};
use orrery::platform::Kind;
use orrery::scaling::advise::{AdviceOptions, Advisor};
use orrery::scaling::search::{Objective, Ranking, SearchSpace};
use orrery::scaling::{Application, ForecastError, RankedConfiguration};

use crate::advise::search_space;
use crate::prelude::*;
use crate::two_kinds::fixed;

/// A cluster of random kinds. With odd seeds, times have parts that no term has: the fit is off by
/// several percent.
struct Simulated {
    cluster: Cluster,
    /// Seconds per n³, the cost of sharing an element, and a factor of communication, by kind.
    kinds: Vec<(f64, f64, f64)>,
    /// The exponent of the number of elements in the communication.
    growth: f64,
    noise: f64,
    rng: ChaCha8Rng,
}

impl Simulated {
    fn draw(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (count, odd) = (2 + (seed % 3 / 2) as i32, (seed % 2) as f64);
        let kinds = (0..count).map(|kind| {
            let speed = 3e-10 * 2.5_f64.powi(kind) * rng.random_range(0.8..1.3);
            (speed, odd * rng.random_range(0.0..0.15), rng.random_range(0.5..2.0))
        });
        let kinds = kinds.collect();
        let hosts = |kind| HostGroup {
            names: (0..[1, 4, 4][kind]).map(|host| format!("h{kind}-{host}")).collect(),
            kind: format!("k{kind}"),
            cores: [1, 1, 2][kind],
            processes: [4, 2, 1][kind],
            memory: None,
            price: None,
        };
        let cluster = Cluster::new((0..count as usize).map(hosts).collect()).unwrap();
        Self { cluster, kinds, growth: 0.5 * odd, noise: [0.0, 0.01, 0.03][seed as usize % 3], rng }
    }

    fn truth(&self, point: &Point) -> f64 {
        let (n, processes) = (point.variables["n"], point.configuration.processes() as f64);
        let time = |share: &Share| {
            let kind = share.kind[1..].parse::<usize>().unwrap();
            let ((speed, sharing, talk), m) = (self.kinds[kind], f64::from(share.processes));
            // Sharing costs more with more processes, communication depends on the number of
            // elements.
            let computation =
                m * speed * n.powi(3) / processes * (1.0 + sharing * (m - 1.0).powf(1.5));
            let elements = point.configuration.elements() as f64;
            let between = if processes > m {
                talk * 1.5e-7 * n * n * elements.powf(self.growth)
            } else {
                0.0
            };
            computation + between + 1e-4 * n
        };
        point.configuration.shares.iter().map(time).fold(0.0, f64::max)
    }

    fn run(&mut self, point: &Point) -> Run {
        let normal: f64 = StandardNormal.sample(&mut self.rng);
        let mut run = Run::new(Seconds::new(self.truth(point) * (self.noise * normal).exp()));
        run.variables = point.variables.clone();
        run.configuration = point.configuration.clone();
        run
    }

    /// All elements with all processes.
    fn all(&self) -> Configuration {
        let share = |kind: &Kind| Share {
            kind: kind.name.clone(),
            elements: kind.elements(),
            processes: kind.processes,
        };
        Configuration { shares: self.cluster.kinds().iter().map(share).collect() }
    }

    /// The shortest true time of all configurations.
    fn shortest(&self, size: f64) -> f64 {
        let runs = RunPlan::evaluation(&self.all(), &[size]).runs;
        runs.iter().map(|planned| self.truth(&planned.point())).fold(f64::INFINITY, f64::min)
    }

    fn pilot(&mut self) -> Vec<Run> {
        let plan =
            RunPlan::homogeneous(&self.all(), &[600.0, 1200.0, 2400.0], |most| vec![1, most]);
        plan.runs.iter().map(|planned| self.run(&planned.point())).collect()
    }
}

/// The region of a model after it was written to a file and read back.
fn stored(model: ExecutionTimeModel, runs: &[Run]) -> Region {
    let region = Region { name: String::new(), model, measured: MeasuredPoint::of_runs(runs) };
    let application = Application { regions: vec![region], ..Application::default() };
    let text = to_text(&Model { application: Some(application), ..Model::default() }).unwrap();
    parse(text, "app.json").unwrap().model.application.unwrap().regions.remove(0)
}

fn ranked(region: &Region, cluster: &Cluster, size: f64, count: usize) -> Vec<RankedConfiguration> {
    let ranking: Result<Ranking, ForecastError> =
        search_space(cluster)
            .search(&region.model, &region.measured, &fixed(size), |search| search.ranking(count));
    let ranking = ranking.unwrap();
    RankedConfiguration::from_ranking(&region.model, &region.measured, &ranking, &fixed(size), 0.95)
        .unwrap()
}

/// A point as text, with the kinds in order.
fn text(point: &Point) -> String {
    let mut point = point.clone();
    point.configuration.shares.sort();
    format!("{:?} {}", point.variables, point.configuration)
}

#[test]
fn advice_and_ranking_choose_the_same_after_each_run() {
    const LAST_ROUND: usize = 5;
    let (mut decided, mut overridden, mut losses) = (0, 0, Vec::new());
    for seed in 0..8 {
        let mut simulated = Simulated::draw(seed);
        let size = 6000.0;
        let mut runs = simulated.pilot();
        for round in 0..=LAST_ROUND {
            let model: ExecutionTimeModel =
                fit_terms(&runs, TermOptions::default()).unwrap().model.into();
            let region = stored(model.clone(), &runs);
            let cluster = simulated.cluster.clone();
            let own = MeasuredPoint::of_runs(&runs);
            let space = search_space(&cluster);
            let options = AdviceOptions { uses: 1_000_000, ..AdviceOptions::default() };
            let advisor = Advisor::new(&model, &own, &space, &[size], &[], options).unwrap();
            let advice = advisor.advise_up_to(Seconds::new(1e6), 1);
            let (decision, choices) = (&advice.decisions[0], ranked(&region, &cluster, size, 5));
            let first = &choices[0];
            assert_eq!(
                text(&decision.choice),
                text(&first.point),
                "seed {seed}, {} runs",
                runs.len()
            );
            let ratio = decision.seconds / first.forecast.seconds;
            let of_search = first.forecast.seconds / first.candidate.time;
            assert!(
                [ratio, of_search].iter().all(|ratio| (ratio - 1.0).abs() < 1e-9),
                "seed {seed}: {ratio}"
            );
            let (of_file, measured) = (&region.model, &region.measured);
            let of_file = Advisor::new(of_file, measured, &space, &[size], &[], options).unwrap();
            assert_eq!(of_file.decision_status(), advice.decisions, "the file has all");

            let unmeasured = Region { measured: Vec::new(), ..region };
            overridden += u32::from(ranked(&unmeasured, &cluster, size, 1)[0].point != first.point);
            let is_certain = advisor.is_certain(&advice.decisions);
            if is_certain || round == LAST_ROUND {
                decided += u32::from(is_certain);
                let loss = simulated.truth(&first.point) / simulated.shortest(size) - 1.0;
                assert!(!is_certain || loss < 0.01, "seed {seed}: {loss} is called certain");
                losses.push(loss);
                break;
            }
            // The next advised run, if one pays, and a check of the current choice.
            let advised = advice.runs.first().map(|run| &run.point);
            for point in advised.into_iter().chain([&first.point]) {
                let run = simulated.run(point);
                runs.push(run);
            }
        }
    }
    let mean = losses.iter().sum::<f64>() / losses.len() as f64;
    assert!(
        decided >= 4 && overridden >= 6,
        "{decided} decided, {overridden} choices differ from those of the model alone"
    );
    assert!(losses.len() == 8 && mean < 0.01, "mean loss {mean}: {losses:?}");
}

#[test]
fn intervals_contain_configurations_that_were_not_run() {
    let (mut inside, mut all) = (0, 0);
    for seed in (1..24).step_by(2) {
        let mut simulated = Simulated::draw(seed);
        let model = fit_terms(&simulated.pilot(), TermOptions::default()).unwrap().model;
        for planned in RunPlan::evaluation(&simulated.all(), &[2400.0, 6000.0]).runs {
            let (low, high) = model.forecast(&planned.point(), 0.95).unwrap().interval.unwrap();
            let truth = simulated.truth(&planned.point());
            inside += u32::from((low.get()..=high.get()).contains(&truth));
            all += 1;
        }
    }
    assert!(inside > 17 * all / 20, "{inside} of {all} inside");
}

#[test]
fn a_measured_configuration_counts_with_its_runs() {
    let mut simulated = Simulated::draw(1);
    let (size, cluster) = (6000.0, simulated.cluster.clone());
    let mut runs = simulated.pilot();
    let model: ExecutionTimeModel = fit_terms(&runs, TermOptions::default()).unwrap().model.into();
    let before = ranked(&stored(model.clone(), &runs), &cluster, size, 3);
    assert_eq!((before[0].runs, before[0].forecast.extrapolated), (0, true));
    // Three runs that take twice as long as forecast: another configuration is chosen.
    let mut add = |point: &Point, seconds: f64| {
        let mut run = simulated.run(point);
        run.seconds = Seconds::new(seconds);
        runs.push(run);
        runs.clone()
    };
    let slow = 2.0 * before[0].forecast.seconds.get();
    for factor in [0.999, 1.001] {
        add(&before[0].point, factor * slow);
    }
    let runs = add(&before[0].point, slow);
    let after = ranked(&stored(model.clone(), &runs), &cluster, size, 1000);
    assert_eq!(text(&after[0].point), text(&before[1].point));
    let measured = after.iter().find(|ranked| ranked.runs > 0).unwrap();
    assert_eq!((text(&measured.point), measured.runs), (text(&before[0].point), 3));
    let (low, high) = measured.forecast.interval.unwrap();
    assert!(low.get() < slow && slow < high.get(), "{low} to {high}, not {slow}");
    let ratio = measured.forecast.seconds.get() / slow;
    assert!((0.95..=1.0).contains(&ratio), "{ratio}");
    assert_eq!(measured.significantly_worse, Some(true));

    // Core-hours and a deadline count with the runs too.
    let region = stored(model, &runs);
    let deadline = Seconds::new(0.9 * slow);
    let late: Result<Ranking, ForecastError> =
        search_space(&cluster).search(&region.model, &region.measured, &fixed(size), |search| {
            search.deadline = Some(deadline);
            search.objective = Objective::CoreHours;
            search.ranking(1000)
        });
    assert!(
        late.unwrap().candidates.iter().all(|c| c.configuration != before[0].point.configuration)
    );
}

#[test]
fn runs_that_name_no_elements_count_on_a_cluster_of_one_kind() {
    let hosts = HostGroup {
        names: vec!["node".to_owned()],
        kind: "core".to_owned(),
        cores: 4,
        processes: 1,
        memory: None,
        price: None,
    };
    let cluster = Cluster::new(vec![hosts]).unwrap();
    let run = |n: f64, p: f64, q: f64, factor: f64| {
        let mut run =
            Run::new(Seconds::new(factor * (1e-9 * n.powi(3) / (p * q) + 1e-7 * n * n / q)));
        run.variables =
            [("n", n), ("p", p), ("q", q)].map(|(name, value)| (name.to_owned(), value)).into();
        run
    };
    let grids =
        [(1.0, 1.0), (1.0, 2.0), (2.0, 1.0), (1.0, 3.0), (1.0, 4.0), (2.0, 2.0), (4.0, 1.0)];
    let mut runs: Vec<Run> = Vec::new();
    for n in [1000.0, 2000.0, 3000.0, 4000.0] {
        runs.extend(grids.iter().map(|&(p, q)| run(n, p, q, 1.0)));
    }
    let model: ExecutionTimeModel = fit_terms(&runs, TermOptions::default()).unwrap().model.into();
    let space = SearchSpace { grids: Grids::All, ..search_space(&cluster) };
    let best = |runs: &[Run]| {
        let measured = MeasuredPoint::of_runs(runs);
        let ranking: Result<Ranking, ForecastError> =
            space.search(&model, &measured, &fixed(6000.0), |search| search.ranking(1));
        RankedConfiguration::from_ranking(
            &model,
            &measured,
            &ranking.unwrap(),
            &fixed(6000.0),
            0.95,
        )
        .unwrap()
        .remove(0)
    };
    let first = best(&runs);
    assert_eq!((first.candidate.layout.grid, first.runs), (Some((1, 4)), 0));
    // 2x2 is faster than forecast, the chosen grid is slower.
    runs.extend([run(6000.0, 1.0, 4.0, 1.3), run(6000.0, 2.0, 2.0, 0.9)]);
    let second = best(&runs);
    assert_eq!((second.candidate.layout.grid, second.runs), (Some((2, 2)), 1));
    assert_eq!(second.candidate.configuration.to_string(), "core=4x1");
}

#[test]
fn the_fastest_variant_counts_and_is_named() {
    let mut simulated = Simulated::draw(0);
    let (size, cluster) = (6000.0, simulated.cluster.clone());
    let label =
        |run: &mut Run, code: &str| drop(run.labels.insert("variant".to_owned(), code.to_owned()));
    let mut runs = simulated.pilot();
    runs.iter_mut().for_each(|run| label(run, "WR11C2R4"));
    let model: ExecutionTimeModel = fit_terms(&runs, TermOptions::default()).unwrap().model.into();
    let choice = ranked(&stored(model.clone(), &runs), &cluster, size, 1).remove(0);
    assert_eq!((choice.runs, choice.variant.len()), (0, 0), "no run of this size has a variant");
    let seconds = choice.forecast.seconds.get();
    for (code, factor) in
        [("WR11C2R4", 1.05), ("WR13C2R4", 0.9), ("WR13C2R4", 0.91), ("WC15L2R8", 1.3)]
    {
        let mut run = simulated.run(&choice.point);
        run.seconds = Seconds::new(factor * seconds);
        label(&mut run, code);
        runs.push(run);
    }
    let region = stored(model, &runs);
    let choice = ranked(&region, &cluster, size, 1).remove(0);
    assert_eq!((choice.runs, choice.variant["variant"].as_str()), (2, "WR13C2R4"));
    assert_eq!(region.variants().len(), 3);
    assert_eq!(region.fastest_variant().unwrap()["variant"], "WR13C2R4");
}

#[test]
fn measured_runs_count_with_the_models_of_the_paper() {
    let mut simulated = Simulated::draw(3);
    let cluster = simulated.cluster.clone();
    let mut runs = Vec::new();
    let plan = RunPlan::basic(&simulated.all());
    runs.extend(plan.runs.iter().map(|planned| simulated.run(&planned.point())));
    let options = PaperOptions { undivided: true, ..PaperOptions::default() };
    let model: ExecutionTimeModel = fit_paper(&runs, &options).unwrap().into();
    let size = 6400.0;
    let before = ranked(&stored(model.clone(), &runs), &cluster, size, 5);
    let unmeasured = before.iter().find(|ranked| ranked.runs == 0).unwrap();
    let best = before[0].forecast.seconds.get();
    let mut run = simulated.run(&unmeasured.point);
    run.seconds = Seconds::new(0.9 * best);
    runs.push(run.clone());
    let after = ranked(&stored(model, &runs), &cluster, size, 2).remove(0);
    assert_eq!(
        (text(&after.point), after.runs, after.forecast.interval),
        (text(&unmeasured.point), 1, None)
    );
    assert_eq!(after.forecast.seconds, run.seconds, "there is no uncertainty to combine with");
}
