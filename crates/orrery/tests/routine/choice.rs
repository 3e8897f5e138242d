//! The choice of grids and plans, and predictions of routines.

use orrery::comm::{Hlmo, Ports};
use orrery::grid::{
    ChosenGrids, GridChoice, PlacedMatrix, PlanChoice, PlanKind, choose_grid, choose_plan,
};
use orrery::kernel::{KernelCall, KernelTime, Operands, Precision, fit};
use orrery::model::{
    Availability, KernelChoice, KernelOnHost, LoadDoubt, Model, ModelKind, RoutineAlarm,
    RoutinePredictError, RoutinePredictor, validate_redistributions,
};
use orrery::numeric::Estimate;
use orrery::platform::Processor;
use orrery::request::{GridRequest, RequestError};
use orrery::routine::{Grid, RedistributionCall, RoutineCall, RoutineProgram};
use orrery::sample::KernelConditions;
use orrery::sample::RoutineTimings;
use orrery::sample::file::parse_table;
use orrery::units::{Bytes, Seconds};

use crate::equal_ports::equal_ports;

/// A model of equal processors on hosts without names, with a model of dgemm nn.
pub(crate) fn model(processors: usize, byte_delay: f64) -> Model {
    let lmo = Hlmo::from_estimates([5e-6, 1e-10, 20e-6, byte_delay].map(Estimate::exact))
        .as_lmo(processors);
    let mut model = Model::new(processors);
    model = model.with(ModelKind::Lmo, &lmo);
    add_kernel(&mut model, "dgemm", "nn", |[m, n, k]| 1e-6 + 1e-10 * (m * n * k) as f64);
    model
}

/// Adds a model of a kernel whose calls take this time \[s\].
fn add_kernel(model: &mut Model, kernel: &str, variant: &str, seconds: impl Fn([u64; 3]) -> f64) {
    let dimensions = [32, 100, 300, 500, 1000, 2000];
    let triples = dimensions
        .iter()
        .flat_map(|m| dimensions.iter().flat_map(move |n| dimensions.map(|k| [*m, *n, k])));
    let time = |dimensions: [u64; 3]| {
        let call = KernelCall::new(kernel.parse().unwrap(), variant, dimensions).unwrap();
        KernelTime { call, seconds: Seconds::new(seconds(call.dimensions())) }
    };
    let times: Vec<KernelTime> = triples.map(time).collect();
    let conditions = KernelConditions {
        host: String::new(),
        library: "simulated".into(),
        threads: 1,
        operands: Operands::default(),
    };
    model.add_kernels(vec![KernelOnHost {
        conditions,
        equal_hosts: Vec::new(),
        model: fit(&times, 0.95).unwrap(),
    }]);
}

fn call(routine: &str, variant: &'static str, dimensions: [u64; 3], grid: Grid) -> RoutineCall {
    RoutineCall::new(routine.parse().unwrap(), variant, dimensions, grid).unwrap()
}

pub(crate) fn grid_choice(processors: u32) -> GridChoice {
    GridChoice {
        routine: "pdgemm".parse().unwrap(),
        variant: "nn",
        dimensions: [2048; 3],
        processes: (1..=processors).collect(),
        blocks: vec![32, 64],
        memory: None,
        kernels: KernelChoice::default(),
        availability: Availability::default(),
        unmonitored: false,
        predicted: 12,
    }
}

fn chosen(model: &Model, choice: &GridChoice) -> ChosenGrids {
    choose_grid(model, ModelKind::Lmo, choice).unwrap()
}

#[test]
fn square_grids_are_chosen_on_fast_networks_and_single_processes_on_slow_ones() {
    let fast = chosen(&model(16, 1e-9), &grid_choice(16));
    let grid = fast.best[0].call.grid();
    assert_eq!((grid.rows, grid.columns), (4, 4));
    assert!(fast.best.windows(2).all(|two| two[0].seconds <= two[1].seconds));
    let slow = chosen(&model(16, 1e-5), &grid_choice(16));
    assert_eq!(slow.best[0].call.grid().processes(), 1);
}

#[test]
fn grids_whose_operands_exceed_the_memory_are_rejected() {
    let limit = Bytes::new(3 * 8 * 1024 * 1024);
    let limited = GridChoice { memory: Some(limit), ..grid_choice(16) };
    let few = chosen(&model(16, 1e-5), &limited);
    assert!(few.rejected > 0 && few.best[0].call.space() <= limit);
    assert!(few.best.iter().all(|one| one.call.grid().processes() >= 4));
    let memory = Some(Bytes::new(1000));
    let none = chosen(&model(16, 1e-5), &GridChoice { memory, ..grid_choice(16) });
    assert!(none.best.is_empty() && none.candidates == 0);
}

#[test]
fn predictions_without_kernels_or_processors_are_refused() {
    let model = model(4, 1e-9);
    let mut predictor = RoutinePredictor::new(&model, ModelKind::Lmo).unwrap();
    let call = |routine: &str, variant, rows| {
        call(routine, variant, [500; 3], Grid { rows, columns: 2, block: 64 })
    };
    let choice = KernelChoice::default();
    let error = predictor.predict(&call("pdgemm", "nn", 4), &choice).unwrap_err();
    assert!(matches!(error, RoutinePredictError::Processors { processors: 4, .. }), "{error}");
    let error = predictor.predict(&call("pdtrsm", "lln", 2), &choice).unwrap_err();
    assert!(error.to_string().contains("dtrsm"), "{error}");
    // The kernel of another variant stands for one that was not measured.
    let predicted = predictor.predict(&call("pdgemm", "nt", 2), &choice).unwrap();
    let is_variant = |alarm: &RoutineAlarm| {
        matches!(alarm, RoutineAlarm::Variant { variant: "nt", measured: "nn", .. })
    };
    assert!(predicted.alarms.iter().any(is_variant));
}

#[test]
fn calls_outside_measured_dimensions_are_an_alarm() {
    let model = model(1, 1e-9);
    let mut predictor = RoutinePredictor::new(&model, ModelKind::Lmo).unwrap();
    let grid = Grid { rows: 1, columns: 1, block: 64 };
    let call = call("pdgemm", "nn", [4000, 500, 500], grid);
    let predicted = predictor.predict(&call, &KernelChoice::default()).unwrap();
    assert!(matches!(
        predicted.alarms[..],
        [RoutineAlarm::Dimension { name: 'm', values: [4000, 4000], .. }]
    ));
}

#[test]
fn large_messages_and_kernels_of_another_host_are_alarms() {
    let mut model = model(2, 1e-9);
    model.hosts = vec!["a".into(), "b".into()];
    model.kernels[0].conditions.host = "a".into();
    model.measured = Some((Bytes::new(64), Bytes::new(1024)));
    let grid = Grid { rows: 1, columns: 2, block: 64 };
    let call = call("pdgemm", "nn", [500; 3], grid);
    let mut predictor = RoutinePredictor::new(&model, ModelKind::Lmo).unwrap();
    let predicted = predictor.predict(&call, &KernelChoice::default()).unwrap();
    let size = RoutineAlarm::Size { size: Bytes::new(500 * 32 * 8), largest: Bytes::new(1024) };
    let host = RoutineAlarm::Host { host: "b".into(), measured: "a".into() };
    assert_eq!(predicted.alarms, [host, size]);
}

/// Panels of 64 KiB pass from process to process, beyond the eager limit.
#[test]
fn waits_of_handshakes_that_were_not_measured_are_an_alarm() {
    let ports = Ports {
        eager_limit: Some(Estimate::exact(60_000.0)),
        ..equal_ports(4, [1e-5, 0.0, 8e-9, 2e-5, 0.0].map(Estimate::exact))
    };
    let alarms = |ports: &Ports| {
        let model = model(4, 1e-9).with(ModelKind::Ports, ports);
        let grid = Grid { rows: 1, columns: 4, block: 64 };
        let call = call("pdgemm", "nn", [256; 3], grid);
        let mut predictor = RoutinePredictor::new(&model, ModelKind::PortsFlows).unwrap();
        predictor.predict(&call, &KernelChoice::default()).unwrap().alarms
    };
    assert!(alarms(&ports).contains(&RoutineAlarm::Handshakes));
    assert!(
        !alarms(&Ports { eager_limit: None, ..ports.clone() }).contains(&RoutineAlarm::Handshakes)
    );
    let known = Ports { queue: Some(Estimate::exact(0.0)), ..ports };
    assert!(!alarms(&known).contains(&RoutineAlarm::Handshakes));
}

#[test]
fn large_grids_have_the_time_of_closed_forms_with_an_alarm_and_never_without_kernels() {
    let model = model(64, 1e-9);
    let large = GridChoice {
        dimensions: [1 << 18; 3],
        processes: vec![64],
        predicted: 1,
        ..grid_choice(64)
    };
    let best = &chosen(&model, &large).best[0];
    assert!(matches!(best.alarms[..], [RoutineAlarm::Estimate { .. }]) && best.interval.is_none());
    let solve = GridChoice { routine: "pdtrsm".parse().unwrap(), variant: "lln", ..large };
    let error = choose_grid(&model, ModelKind::Lmo, &solve).unwrap_err();
    assert!(error.to_string().contains("dtrsm"), "{error}");
}

#[test]
fn calls_with_too_many_steps_are_refused() {
    let program = |routine: &str, variant, dimension| {
        let grid = Grid { rows: 2, columns: 2, block: 1 };
        RoutineProgram::new(&call(routine, variant, [dimension; 3], grid))
    };
    for (routine, variant) in [
        ("pdgemm", "nn"),
        ("pdtrsm", "lln"),
        ("pdsyrk", "ln"),
        ("pdgetrf", ""),
        ("pdpotrf", "l"),
        ("pdgeqrf", ""),
    ] {
        for dimension in [1 << 16, 1 << 21, 1 << 31] {
            if let Err(error) = program(routine, variant, dimension) {
                assert!(error.to_string().contains("more than 2097152 steps"), "{error}");
            } else {
                assert!(dimension < 1 << 31, "{routine}");
            }
        }
    }
}

/// The product of matrices on the first and the last four of eight processors.
pub(crate) fn plan_choice() -> PlanChoice {
    let placed = |first: u32| PlacedMatrix {
        grid: Grid { rows: 2, columns: 2, block: 64 },
        processors: (first..first + 4).map(Processor).collect(),
    };
    PlanChoice {
        routine: "pdgemm".parse().unwrap(),
        dimensions: [2048; 3],
        a: placed(0),
        b: placed(4),
        memory: None,
        kernels: KernelChoice::default(),
        availability: Availability::default(),
    }
}

#[test]
fn plans_avoid_redistribution_on_slow_networks_and_use_all_processors_on_fast_ones() {
    let choice = plan_choice();
    let slow = choose_plan(&model(8, 1e-6), ModelKind::Lmo, &choice).unwrap();
    assert!(matches!(slow.plans[0].kind, PlanKind::OnFirst | PlanKind::OnSecond));
    let fast = choose_plan(&model(8, 1e-10), ModelKind::Lmo, &choice).unwrap();
    assert_eq!(fast.plans[0].kind, PlanKind::OnAll);
    for plan in &fast.plans {
        // The operand that is on another grid moves; on all processors, both do but for what stays.
        let all = Bytes::new(8 * 2048 * 2048);
        assert!(plan.volume >= if plan.kind == PlanKind::OnAll { Bytes::ZERO } else { all });
        assert!(plan.volume <= Bytes::new(2 * all.get()));
    }
    let memory = Some(Bytes::new(3 * 8 * 1024 * 1024 - 1));
    let tight =
        choose_plan(&model(8, 1e-10), ModelKind::Lmo, &PlanChoice { memory, ..choice }).unwrap();
    assert!(tight.rejected >= 2 && tight.plans.iter().all(|plan| plan.kind == PlanKind::OnAll));
}

#[test]
fn kernels_that_were_not_measured_have_the_times_of_others_with_an_alarm() {
    let product = |[m, n, _]: [u64; 3]| 1e-6 + 1e-10 * (m * n) as f64;
    let solve = |[m, n, _]: [u64; 3]| 1e-6 + 1e-10 * (m * n * n) as f64;
    let mut model = model(4, 1e-9);
    add_kernel(&mut model, "dgemv", "t", product);
    add_kernel(&mut model, "dtrsm", "run", solve);
    let grid = Grid { rows: 2, columns: 2, block: 64 };
    let call = call("pdgeqrf", "", [512; 3], grid);
    let predicted = |model: &Model| {
        RoutinePredictor::new(model, ModelKind::Lmo)
            .unwrap()
            .predict(&call, &KernelChoice::default())
    };
    let error = predicted(&model).unwrap_err().to_string();
    assert!(error.contains("no dger"), "{error}");
    add_kernel(&mut model, "daxpy", "", |[_, n, _]| 1e-6 + 1e-9 * n as f64);
    let replaced = predicted(&model).unwrap();
    let of = |kernel: &str, measured: &str| {
        let [kernel, measured] = [kernel, measured].map(|name| name.parse().unwrap());
        RoutineAlarm::Kernel { kernel, measured }
    };
    assert!(
        replaced.alarms.contains(&of("dger", "daxpy"))
            && replaced.alarms.contains(&of("dtrmm", "dtrsm"))
    );
    // As many columns as the matrix of dger has take as long as itself if each is a call.
    add_kernel(&mut model, "dger", "", |[m, n, _]| n as f64 * (1e-6 + 1e-9 * m as f64));
    add_kernel(&mut model, "dtrmm", "run", solve);
    let measured = predicted(&model).unwrap();
    assert!(!measured.alarms.iter().any(|alarm| matches!(alarm, RoutineAlarm::Kernel { .. })));
    let difference = measured.seconds.get() / replaced.seconds.get() - 1.0;
    assert!(difference.abs() < 1e-3, "{difference}");
    // A triangle on the other side takes as long.
    let mut other = model.clone();
    other.kernels.retain(|one| one.model.kernel.to_string() != "dtrmm");
    add_kernel(&mut other, "dtrmm", "lln", |[m, n, _]| 1e-6 + 1e-10 * (m * m * n) as f64);
    let other = predicted(&other).unwrap();
    assert!((other.seconds.get() / measured.seconds.get() - 1.0).abs() < 1e-3);
    let choice =
        GridChoice { routine: call.routine(), variant: "", processes: vec![4], ..grid_choice(4) };
    let chosen = chosen(&model, &choice);
    assert!(chosen.best.len() == 6 && chosen.best[0].seconds.get() > 0.0);
}

#[test]
fn redistributions_take_the_time_of_their_messages() {
    let model = model(4, 1e-9);
    let grid = |rows, columns, block| Grid { rows, columns, block };
    let call = |from, to| RedistributionCall::new(Precision::Double, [256, 512], from, to).unwrap();
    let mut predictor = RoutinePredictor::new(&model, ModelKind::Lmo).unwrap();
    // An agreement of 144 bytes, and the half of process 0 for process 1: each takes C + L + C +
    // M(2·1e-10 + 1e-9).
    let predicted =
        predictor.predict_redistribution(&call(grid(1, 1, 64), grid(1, 2, 64))).unwrap();
    let size = 256.0 * 256.0 * 8.0;
    let expected = 2.0 * (2.0 * 5e-6 + 20e-6) + (144.0 + size) * 1.2e-9;
    assert!(
        (predicted.seconds.get() / expected - 1.0).abs() < 0.02,
        "{} {expected}",
        predicted.seconds
    );
    assert_eq!(
        (predicted.volume, predicted.space),
        (Bytes::new(size as u64), Bytes::new(3 * size as u64))
    );
    // Nothing moves; blocks that are larger than the matrix are one block.
    let same =
        predictor.predict_redistribution(&call(grid(1, 1, 64), grid(1, 1, 1 << 31))).unwrap();
    assert_eq!((same.seconds, same.volume), (Seconds::ZERO, Bytes::ZERO));
    let error =
        predictor.predict_redistribution(&call(grid(1, 4, 64), grid(5, 1, 64))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the redistribution needs 5 processors, but the model has 4; use smaller grids"
    );
    for (dimensions, block, expected) in [
        ([0, 1], 64, "m is 0"),
        ([1, 1 << 40], 64, "n is"),
        ([1 << 30, 1 << 30], 64, "a matrix of"),
        ([1, 1], 0, "the size of a block is 0"),
    ] {
        let grids = [64, block].map(|block| grid(1, 1, block));
        let error =
            RedistributionCall::new(Precision::Double, dimensions, grids[0], grids[1]).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    let text = "# format: orrery-routines \
        1\nroutine,m,n,block,rows,columns,to_rows,to_columns,seconds\n\
                pdgemr2d,256,512,64,1,1,1,2,0.001\npdgemr2d,256,512,64,1,1,1,2,0.003\n";
    let timings = parse_table::<RoutineTimings>(text, "routines.csv").unwrap().samples;
    let [one] = &validate_redistributions(&model, ModelKind::Lmo, &timings).unwrap()[..] else {
        panic!("one call")
    };
    assert_eq!(
        (one.readings, one.measured, one.predicted.seconds),
        (2, Seconds::new(0.002), predicted.seconds)
    );
}

/// The best grids for a product on four hosts; other programs leave 0.42 of the processor of n1.
fn of_four_hosts(top: usize, procs: &[u64]) -> Result<ChosenGrids, RequestError> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/four-hosts.json");
    let model = orrery::model::file::read(file).unwrap().model;
    let request = GridRequest {
        routine: "pdgemm".parse().unwrap(),
        models: vec![ModelKind::Lmo],
        variant: None,
        m: Vec::new(),
        n: vec![1024],
        k: Vec::new(),
        blocks: Vec::new(),
        procs: procs.to_vec(),
        memory: None,
        kernels: KernelChoice::default(),
        unmonitored: false,
        top,
    };
    let availability = Availability::default()
        .with_forecast("n1", 0.42, Some((0.4, 0.45)))
        .with_unknown("n3", LoadDoubt::Unmonitored);
    request.answers(&model, &availability).map(|mut all| all.swap_remove(0))
}

#[test]
fn the_fastest_of_few_grids_is_the_fastest_of_more() {
    let all = of_four_hosts(12, &[]).unwrap().best;
    for top in 1..=all.len() {
        assert_eq!(of_four_hosts(top, &[]).unwrap().best, all[..top]);
    }
}

#[test]
fn numbers_of_processes_are_those_of_hosts_with_known_load() {
    let error = of_four_hosts(1, &[3, 4]).unwrap_err().to_string();
    assert_eq!(
        error,
        "procs 4: valid numbers of processes are 1 to 3; hosts whose load is not known now are \
            left out: n3 (not monitored)"
    );
}

#[test]
fn hosts_with_unknown_load_are_left_out_or_taken_last() {
    let mut model = model(4, 1e-9);
    model.hosts = ["a", "b", "c", "d"].map(String::from).to_vec();
    let stale = LoadDoubt::Stale { age: Seconds::new(20.0) };
    let availability = Availability::default()
        .with_forecast("a", 0.4, Some((0.3, 0.5)))
        .with_unknown("b", stale)
        .with_unknown("c", LoadDoubt::Unmonitored);
    let choice =
        GridChoice { availability, predicted: 100, processes: vec![1, 2], ..grid_choice(4) };
    let known = chosen(&model, &choice);
    assert_eq!(known.processors, [3, 0].map(Processor));
    let excluded = vec![("b".to_owned(), stale), ("c".to_owned(), LoadDoubt::Unmonitored)];
    for one in &known.best {
        assert!(one.alarms.contains(&RoutineAlarm::Excluded { hosts: excluded.clone() }));
        assert!(one.interval.is_none_or(|(_, high)| high < one.seconds * 2.0));
    }
    let all = GridChoice { unmonitored: true, processes: vec![4], ..choice };
    let all = chosen(&model, &all);
    assert_eq!(all.processors, [3, 0, 1, 2].map(Processor));
    let unknown = RoutineAlarm::UnknownLoad { hosts: excluded };
    assert!(all.best.iter().all(|one| one.alarms.contains(&unknown)), "{:?}", all.best[0].alarms);
}

#[test]
fn loaded_hosts_are_taken_last() {
    let mut model = model(4, 1e-9);
    model.hosts = ["a", "b", "c", "d"].map(String::from).to_vec();
    let availability =
        Availability::default().with_forecast("a", 0.2, Some((0.1, 0.3))).with("c", 0.5).unwrap();
    let choice = GridChoice { availability, predicted: 100, ..grid_choice(4) };
    let loaded = chosen(&model, &choice);
    assert_eq!(loaded.processors, [1, 3, 2, 0].map(Processor));
    // Two idle hosts are faster than all four, of which the slowest has a fifth of its processor.
    assert_eq!(loaded.best[0].call.grid().processes(), 2);
    let idle = chosen(&model, &GridChoice { predicted: 100, ..grid_choice(4) });
    assert_eq!(idle.processors, [0, 1, 2, 3].map(Processor));
    let on_two = |chosen: &ChosenGrids| {
        let of_two = chosen.best.iter().find(|one| one.call.grid().processes() == 2);
        of_two.unwrap().seconds
    };
    assert_eq!(on_two(&loaded), on_two(&idle));
    // The forecast of the availability widens the interval.
    let alone = |availability: Availability| {
        let choice = GridChoice { availability, processes: vec![1], ..grid_choice(4) };
        let mut one = model.clone();
        one.hosts = vec!["a".into(); 4];
        let best = chosen(&one, &choice).best.swap_remove(0);
        let (low, high) = best.interval.expect("there are no messages");
        (best.seconds / low, high / best.seconds)
    };
    let known = alone(Availability::default().with("a", 0.2).unwrap());
    let forecast = alone(Availability::default().with_forecast("a", 0.2, Some((0.1, 0.3))));
    assert!(
        (forecast.0 / known.0 - 1.5).abs() < 0.01 && (forecast.1 / known.1 - 2.0).abs() < 0.01,
        "{forecast:?}"
    );
}
