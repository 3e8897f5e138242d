//! The branch-and-bound search compared with exhaustive search.

use std::collections::BTreeMap;

use orrery::scaling::ForecastError;
use orrery::scaling::search::{Candidate, KnownTime, Objective, RankingScope};
use orrery::tuning::Assignment;
use orrery::units::Bytes;

use crate::prelude::*;

/// Random element times by kind, processes per element and layout; some are unknown.
struct Table {
    times: BTreeMap<(usize, u32, Layout), f64>,
}

impl ElementTime for Table {
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
        self.times.get(&(kind, processes, layout)).copied()
    }
}

/// What is in query, drawn at random.
struct Case {
    cluster: Cluster,
    table: Table,
    grids: Grids,
    blocks: Vec<u32>,
    bytes: Option<f64>,
    objective: Objective,
    deadline: Option<Seconds>,
    /// The seed of the known times; `None` without known times.
    known: Option<u64>,
}

impl Case {
    fn draw(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut entries = Vec::new();
        for kind in 0..rng.random_range(1..=3) {
            let (processes, price) =
                (rng.random_range(1..=3), f64::from(rng.random_range(0..4_u32)) * 0.013);
            for entry in 0..rng.random_range(1..=2) {
                entries.push(HostGroup {
                    names: (0..rng.random_range(1..=2))
                        .map(|host| format!("h{kind}-{entry}-{host}"))
                        .collect(),
                    kind: format!("k{kind}"),
                    cores: rng.random_range(1..=2),
                    processes,
                    memory: rng.random_bool(0.7).then(|| Bytes::new(rng.random_range(50..400))),
                    price: Some(price),
                });
            }
        }
        let cluster = Cluster::new(entries).unwrap();
        let mut case = Self {
            cluster,
            table: Table { times: BTreeMap::new() },
            grids: match rng.random_range(0..4) {
                0 => Grids::None,
                1 => Grids::All,
                2 => Grids::Flat,
                _ => Grids::Given(vec![(2, 3), (1, 4), (3, 2), (2, 2), (1, 1), (2, 3), (7, 11)]),
            },
            blocks: [vec![], vec![64], vec![128, 64, 128]][rng.random_range(0..3)].clone(),
            bytes: rng.random_bool(0.6).then(|| rng.random_range(200.0..1500.0)),
            objective: [Objective::Time, Objective::CoreHours, Objective::Cost]
                [rng.random_range(0..3)],
            deadline: rng.random_bool(0.4).then(|| Seconds::new(rng.random_range(0.5..8.0))),
            known: (!seed.is_multiple_of(3)).then_some(seed),
        };
        // Few distinct values produce ties.
        let (coarse, known, falling) =
            (rng.random_bool(0.5), [0.2, 0.9, 1.0][rng.random_range(0..3)], rng.random_bool(0.5));
        let mut times = BTreeMap::new();
        for layout in case.layouts() {
            for (kind, of_kind) in case.cluster.kinds().iter().enumerate() {
                for processes in 1..=of_kind.processes {
                    if !rng.random_bool(known) {
                        continue;
                    }
                    let work = f64::from(processes) / f64::from(layout.processes);
                    let time = rng.random_range(1.0..6.0) * if falling { 4.0 * work } else { 1.0 };
                    times.insert(
                        (kind, processes, layout),
                        if coarse { f64::ceil(time) } else { time },
                    );
                }
            }
        }
        case.table.times = times;
        case
    }

    /// All layouts that might be asked for.
    fn layouts(&self) -> Vec<Layout> {
        let most: u32 =
            self.cluster.kinds().iter().map(|kind| kind.elements() * kind.processes).sum();
        let grid = |processes: u32| {
            (1..=processes)
                .filter(move |p| processes.is_multiple_of(*p))
                .map(move |p| (p, processes / p))
        };
        let grids = |processes| std::iter::once(None).chain(grid(processes).map(Some));
        let blocks = [None, Some(64), Some(128)];
        (1..=most)
            .flat_map(|processes| grids(processes).map(move |grid| (processes, grid)))
            .flat_map(|(processes, grid)| blocks.map(|block| Layout { processes, grid, block }))
            .collect()
    }

    /// Calls `with` with the search of this case.
    fn search<T>(&self, with: impl FnOnce(Search) -> T) -> T {
        let memory =
            self.bytes.map(|bytes| move |layout: Layout| bytes / f64::from(layout.processes));
        let mut search = Search::new(self.cluster.kinds(), &self.table);
        search.grids = self.grids.clone();
        search.blocks.clone_from(&self.blocks);
        search.memory = memory.as_ref().map(|memory| memory as &dyn Fn(Layout) -> f64);
        search.objective = self.objective;
        search.deadline = self.deadline;
        search.known = self.known.map(|seed| self.known_times(&search, seed)).unwrap_or_default();
        with(search)
    }

    /// Times for some of the best configurations, shorter or longer than those of the model, and
    /// for a configuration in every layout, whether the model covers it or not.
    fn known_times(&self, search: &Search, seed: u64) -> Vec<KnownTime> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let best = search.exhaustive(12).unwrap();
        let of_best =
            best.iter().map(|best| (best.configuration.clone(), best.layout, best.time.get()));
        let first = &self.cluster.kinds()[0];
        let share = Share { kind: first.name.clone(), elements: 1, processes: first.processes };
        let others = self
            .layouts()
            .into_iter()
            .map(|layout| (Configuration { shares: vec![share.clone()] }, layout, 3.0));
        let known = of_best.chain(others).filter_map(|(configuration, layout, time)| {
            let time = Seconds::new(time * rng.random_range(0.9..3.0));
            rng.random_bool(0.6).then_some(KnownTime { configuration, layout, time })
        });
        known.collect()
    }
}

/// Returns true if an error contains these words.
fn is(error: &ForecastError, words: &str) -> bool {
    error.to_string().contains(words)
}

#[test]
fn best_equals_exhaustive_search() {
    let mut outcomes = BTreeMap::new();
    for seed in 0..500 {
        Case::draw(seed).search(|search| {
            let all = search.exhaustive(1).unwrap();
            let outcome = match (search.best(), all.first()) {
                (Ok(best), Some(slow)) => {
                    assert_eq!(best.candidate, *slow, "seed {seed}");
                    assert!(
                        best.proof.is_optimal() && best.proof.gap() == 0.0,
                        "seed {seed}: {}",
                        best.proof
                    );
                    "found"
                }
                (Err(error), None) if is(&error, "meets the deadline") => {
                    let late = Search { deadline: None, objective: Objective::Time, ..search };
                    let fastest = late.exhaustive(1).unwrap()[0].time;
                    let words = format!("the fastest takes {fastest}: ");
                    assert!(is(&error, &words), "seed {seed}: {error}");
                    "deadline"
                }
                (Err(error), None) if is(&error, "has enough memory") => {
                    let more = Search { deadline: None, memory: None, ..search.clone() };
                    assert!(!more.exhaustive(1).unwrap().is_empty(), "seed {seed}");
                    assert!(
                        Search { deadline: None, ..search }.exhaustive(1).unwrap().is_empty(),
                        "seed {seed}"
                    );
                    "memory"
                }
                (Err(error), None) if is(&error, "the model covers no configuration") => {
                    let free = Search { deadline: None, memory: None, ..search };
                    assert!(free.exhaustive(1).unwrap().is_empty(), "seed {seed}");
                    "times"
                }
                (best, slow) => panic!("seed {seed}: {best:?}, but {slow:?}"),
            };
            *outcomes.entry(outcome).or_insert(0) += 1;
        });
    }
    assert!(
        outcomes["found"] > 300 && outcomes.len() == 4,
        "too few different outcomes: {outcomes:?}"
    );
}

#[test]
fn ranking_of_layouts_equals_exhaustive_search() {
    for seed in 500..700 {
        Case::draw(seed).search(|search| {
            let mut slow: Vec<Candidate> = Vec::new();
            for candidate in search.exhaustive(usize::MAX).unwrap() {
                if slow.iter().all(|better| better.layout != candidate.layout) {
                    slow.push(candidate);
                }
            }
            for count in [1, 4, 1000] {
                match search.ranking_of_layouts(count) {
                    Ok(ranking) => {
                        assert_eq!(
                            ranking.candidates,
                            slow[..count.min(slow.len())],
                            "seed {seed}"
                        );
                        assert_eq!(ranking.scope, RankingScope::Layouts);
                    }
                    Err(error) => assert!(slow.is_empty(), "seed {seed}: {error}"),
                }
            }
            if let Ok(ranking) = search.ranking(3) {
                assert_eq!(ranking.scope, RankingScope::Configurations);
                assert_eq!(ranking.candidates, search.exhaustive(3).unwrap(), "seed {seed}");
            }
        });
    }
}

#[test]
fn known_times_replace_those_of_the_model() {
    let cluster = Cluster::new(vec![hosts("a", 4, 1, None), hosts("b", 1, 4, None)]).unwrap();
    let mut search = Search::new(cluster.kinds(), &Even);
    let known = |configuration: &str, processes, seconds| KnownTime {
        configuration: configuration.parse().unwrap(),
        layout: Layout { processes, grid: None, block: None },
        time: Seconds::new(seconds),
    };
    let found = |search: &Search| {
        let ranking = search.ranking_of_layouts(2).unwrap();
        assert_eq!(ranking.candidates[0], search.best().unwrap().candidate);
        ranking
            .candidates
            .into_iter()
            .map(|c| (c.configuration.to_string(), c.time.get()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        found(&search),
        [("a=4x1,b=1x4".to_owned(), 0.125), ("a=3x1,b=1x4".to_owned(), 1.0 / 7.0)]
    );
    search.known = vec![known("a=4x1,b=1x4", 8, 0.2), known("b=1x2", 2, 0.15)];
    assert_eq!(found(&search), [("a=3x1,b=1x4".to_owned(), 1.0 / 7.0), ("b=1x2".to_owned(), 0.15)]);
    // Other kinds, more elements than the cluster has, and other layouts are ignored.
    search.known = vec![known("c=1x1", 1, 0.01), known("a=5x1", 5, 0.01), known("a=2x1", 3, 0.01)];
    assert_eq!(found(&search)[0], ("a=4x1,b=1x4".to_owned(), 0.125));
}

/// Every configuration found can be assigned to hosts without exceeding their memory.
#[test]
fn configurations_found_fit_in_memory() {
    let mut limited = 0;
    for seed in 0..200 {
        let case = Case::draw(seed);
        case.search(|search| {
            let Ok(ranking) = search.ranking_of_layouts(10) else { return };
            for Candidate { configuration, layout, .. } in ranking.candidates {
                let bytes = case.bytes.map(|bytes| bytes / f64::from(layout.processes));
                let assignment =
                    Assignment::new(&case.cluster, &configuration, layout.processes, bytes)
                        .unwrap();
                let hosts = || case.cluster.kinds().iter().flat_map(|kind| &kind.hosts);
                for place in assignment.hosts() {
                    let hosts = hosts().find(|hosts| hosts.names.contains(&place.name)).unwrap();
                    assert!(place.elements <= hosts.cores);
                    if let Some((memory, bytes)) = hosts.memory.zip(bytes) {
                        assert!(
                            place.processes() as f64 * bytes <= memory.get() as f64 * (1.0 + 1e-12),
                            "seed {seed}"
                        );
                        limited += 1;
                    }
                }
            }
        });
    }
    assert!(limited > 100, "memory limits only {limited} hosts");
}

#[test]
fn work_limit_gives_a_valid_gap() {
    let (mut cut, mut none) = (0, 0);
    for seed in 0..200 {
        Case::draw(seed).search(|search| {
            let Ok(best) = search.best() else { return };
            for part in [2, 5, 20] {
                match (Search { max_steps: best.proof.steps / part, ..search.clone() }).best() {
                    Ok(short) => {
                        let value = best.candidate.value;
                        assert!(
                            short.proof.lower_bound <= value && value <= short.proof.best_value,
                            "seed {seed}: {short:?}"
                        );
                        assert!(
                            short.proof.gap() >= 0.0 && short.proof.gap() <= 1.0,
                            "seed {seed}: {short:?}"
                        );
                        cut += u32::from(!short.proof.is_optimal());
                        let claimed = short.proof.to_string().starts_with("proven optimal");
                        assert_eq!(
                            claimed,
                            short.proof.is_optimal(),
                            "seed {seed}: {}",
                            short.proof
                        );
                    }
                    Err(error) => {
                        assert!(is(&error, "within the work limit"), "seed {seed}: {error}");
                        none += 1;
                    }
                }
            }
        });
    }
    assert!(cut > 10 && none > 10, "{cut} searches returned early, {none} found no configuration");
}

/// Two kinds of elements; kind 1 is four times as fast.
struct Even;

impl ElementTime for Even {
    fn seconds(&self, kind: usize, processes: u32, layout: Layout) -> Option<f64> {
        Some(f64::from(processes) / f64::from(layout.processes) / [1.0, 4.0][kind])
    }
}

fn hosts(kind: &str, cores: u32, processes: u32, price: Option<f64>) -> HostGroup {
    HostGroup {
        names: vec![format!("host-{kind}")],
        kind: kind.into(),
        cores,
        processes,
        memory: None,
        price,
    }
}

#[test]
fn invalid_searches_are_rejected() {
    let rejected = |entries: Vec<HostGroup>, change: &dyn Fn(&mut Search)| {
        let cluster = Cluster::new(entries).unwrap();
        let mut search = Search::new(cluster.kinds(), &Even);
        change(&mut search);
        search.best().unwrap_err().to_string()
    };
    let two = || vec![hosts("a", 4, 1, Some(0.1)), hosts("b", 1, 4, None)];
    let free = [hosts("a", 1, 1, Some(-1.0))];
    let cost = |s: &mut Search| s.objective = Objective::Cost;
    for (error, words) in [
        (rejected(two(), &cost), "kind \"b\" has no price;"),
        (rejected(two(), &|s| s.blocks = vec![64, 0]), "the block size is 0;"),
        (
            rejected(two(), &|s| s.grids = Grids::Given(vec![(0, 3)])),
            "the side of a process grid is 0;",
        ),
        (rejected(two(), &|s| s.kinds = &[]), "the cluster has no processing elements;"),
        (
            rejected(vec![hosts("a", 1_000_000, 2, None)], &|_| ()),
            "the cluster allows 2000000 processes, a search supports at most 1000000;",
        ),
        (rejected(free.into(), &cost), "kind \"a\" has the price -1.0;"),
    ] {
        assert!(error.starts_with(words), "{error}");
    }
}

#[test]
fn proof_display_lists_the_work() {
    let cluster = Cluster::new(vec![hosts("a", 4, 1, None), hosts("b", 1, 4, None)]).unwrap();
    let best = Search::new(cluster.kinds(), &Even).best().unwrap();
    assert_eq!(best.candidate.configuration.to_string(), "a=4x1,b=1x4");
    assert_eq!((best.candidate.time.get(), best.candidate.cost), (0.125, None));
    assert_eq!(
        best.proof.to_string(),
        "proven optimal: 24 selections of elements in 8 layouts; 1 examined, 7 pruned by lower \
            bounds; feasibility tests: 1; dynamic programs: 1"
    );
}
