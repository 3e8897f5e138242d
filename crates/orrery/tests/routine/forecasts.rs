//! Forecasts of kernels and routines with availability and memory, and explanations of their times.

use std::collections::BTreeMap;

use orrery::grid::{GridChoice, choose_grid, choose_plan};
use orrery::kernel::KernelCall;
use orrery::model::{
    Availability, Discrepancies, Discrepancy, Forecaster, KernelAlarm, KernelChoice, Model,
    ModelKind, RoutineAlarm, RoutinePart, RoutinePredictor,
};
use orrery::platform::{Placement, Processor};
use orrery::routine::{Approximation, Grid, RoutineCall};
use orrery::units::Bytes;

use super::choice::{grid_choice, model, plan_choice};

/// A model of processors on hosts of one processor each, n0, n1, …; kernels are those of n0.
fn on_hosts(processors: usize, byte_delay: f64) -> Model {
    let mut model = model(processors, byte_delay);
    model.hosts = (0..processors).map(|host| format!("n{host}")).collect();
    model.kernels[0].conditions.host = "n0".into();
    model.kernels[0].equal_hosts = model.hosts[1..].to_vec();
    model
}

fn pdgemm(n: u64, [rows, columns]: [u32; 2]) -> RoutineCall {
    RoutineCall::new("pdgemm".parse().unwrap(), "nn", [n; 3], Grid { rows, columns, block: 64 })
        .unwrap()
}

fn first(processors: usize) -> Vec<Processor> {
    Processor::first(processors).collect()
}

#[test]
fn kernels_take_longer_on_loaded_hosts_and_messages_do_not() {
    let model = on_hosts(4, 1e-9);
    let seconds = |forecaster: &Forecaster, n, grid: [u32; 2]| {
        let call = pdgemm(n, grid);
        let processors = first(call.grid().processes() as usize);
        forecaster.routine_time(ModelKind::Lmo, &call, &processors).unwrap()
    };
    let idle = Forecaster::new(&model);
    let half = |text: &str| idle.clone().with_availability(text.parse().unwrap()).unwrap();
    // One process has no messages.
    let (best, loaded) = (seconds(&idle, 500, [1, 1]), seconds(&half("0.5"), 500, [1, 1]));
    assert!((loaded.seconds.get() / best.seconds.get() - 2.0).abs() < 1e-9);
    assert_eq!(best.alarms, []);
    assert_eq!(loaded.alarms, [RoutineAlarm::Load { processes: 1, parts: [0.5, 0.5] }]);
    // All processes wait for the loaded one; a loaded host that takes no part makes no difference.
    let best = seconds(&idle, 2000, [2, 2]);
    let one = seconds(&half("n3=0.5"), 2000, [2, 2]);
    let all = seconds(&half("0.5"), 2000, [2, 2]);
    let ratio = one.seconds.get() / best.seconds.get();
    assert!(ratio > 1.4 && one.seconds <= all.seconds, "{ratio}");
    assert!(all.seconds.get() < 2.0 * best.seconds.get());
    assert_eq!(seconds(&half("n3=0.5"), 2000, [1, 2]), seconds(&idle, 2000, [1, 2]));
    assert_eq!(one.alarms, [RoutineAlarm::Load { processes: 1, parts: [0.5, 0.5] }]);
    let call = KernelCall::new("dgemm".parse().unwrap(), "nn", [5000, 100, 100]).unwrap();
    let [best, loaded] = [&idle, &half("n1=0.25")].map(|one| one.kernel_time(&call, "n1").unwrap());
    assert!((loaded.seconds.get() / best.seconds.get() - 4.0).abs() < 1e-9);
    let outside = KernelAlarm::Dimension { name: 'm', values: [5000, 5000], measured: [32, 2000] };
    assert_eq!(best.alarms, std::slice::from_ref(&outside));
    assert_eq!(loaded.alarms, [outside, KernelAlarm::Load { host: "n1".into(), part: 0.25 }]);
    let (low, high) = loaded.interval.unwrap();
    assert!(low <= loaded.seconds && loaded.seconds <= high);
    assert!(idle.with_availability(Availability::default().with("x", 0.5).unwrap()).is_err());
}

#[test]
fn the_parts_of_a_time_add_up_to_it() {
    let model = on_hosts(6, 1e-8);
    let mut predictor = RoutinePredictor::new(&model, ModelKind::Lmo).unwrap();
    for (n, grid) in [(700, [1, 1]), (700, [2, 3]), (200, [6, 1])] {
        let call = pdgemm(n, grid);
        let placement = Placement::identity(call.grid().processes() as usize);
        let (prediction, shares) =
            predictor.explain_on(&call, &placement, &KernelChoice::default()).unwrap();
        assert_eq!(predictor.predict(&call, &KernelChoice::default()).unwrap(), prediction);
        let whole = prediction.seconds.get();
        let sum: f64 = shares.iter().map(|one| one.seconds.get()).sum();
        assert!((sum / whole - 1.0).abs() < 1e-4, "{grid:?}: {sum} of {whole}");
        let kernels: Vec<_> =
            shares.iter().filter(|one| matches!(one.part, RoutinePart::Kernel(..))).collect();
        let [gemm] = kernels[..] else { panic!("one kernel is expected") };
        assert!((gemm.seconds.get() / prediction.computing.get() - 1.0).abs() < 1e-4);
        assert!(gemm.mean.unwrap().get() <= whole);
        assert_eq!(shares.len() > 1, grid != [1, 1]);
    }
}

#[test]
fn discrepancies_widen_the_intervals_of_routines() {
    let mut model = on_hosts(4, 1e-8);
    let call = pdgemm(500, [2, 2]);
    let predicted = |model: &Model| {
        RoutinePredictor::new(model, ModelKind::Lmo)
            .unwrap()
            .predict(&call, &KernelChoice::default())
            .unwrap()
    };
    // The parameters have no errors.
    assert_eq!(predicted(&model).interval, None);
    let discrepancy = |relative| Some(Discrepancy { relative, degrees: 30 });
    let mut width = |point_to_point, concurrent| {
        let of = Discrepancies { point_to_point, concurrent, collectives: Vec::new() };
        model.discrepancies.insert(ModelKind::Lmo, of);
        let one = predicted(&model);
        let (low, high) = one.interval.unwrap();
        assert!(low < one.seconds && one.seconds < high);
        let communicating = one.seconds.get() - one.computing.get();
        (high.get() - one.seconds.get()) / communicating
    };
    // Those of concurrent messages count; without any, those of single ones.
    let (narrow, wide) =
        (width(discrepancy(0.02), None), width(discrepancy(0.02), discrepancy(0.2)));
    assert!((0.03..0.06).contains(&narrow) && (0.4..0.6).contains(&wide), "{narrow} {wide}");
}

#[test]
fn grids_and_plans_fit_into_the_memory_of_hosts() {
    let mut model = on_hosts(8, 1e-9);
    // Two processors on each of four hosts, whose processes count together.
    model.hosts = (0..8).map(|processor| format!("n{}", processor / 2)).collect();
    let call = pdgemm(2048, [2, 2]);
    let space = model.routine_memory(&call, &first(4));
    let expected: BTreeMap<&str, Bytes> =
        ["n0", "n1"].map(|host| (host, Bytes::new(2 * 3 * 8 * 1024 * 1024))).into_iter().collect();
    assert_eq!(space, expected);
    assert_eq!(Forecaster::new(&model).routine_space(&call, &first(4)), expected);
    assert_eq!(model.memory_excess(&call, &first(4)), None);
    let host_memory =
        |bytes: u64| ["n0", "n1", "n2", "n3"].map(|host| (host.to_owned(), Bytes::new(bytes)));
    model.host_memory = host_memory(2 * 3 * 8 * 1024 * 1024 - 1).into_iter().collect();
    let excess = model.memory_excess(&call, &first(4)).unwrap();
    assert_eq!((excess.host.as_str(), excess.needed), ("n1", Bytes::new(2 * 3 * 8 * 1024 * 1024)));
    let mut predictor = RoutinePredictor::new(&model, ModelKind::Lmo).unwrap();
    let predicted = predictor.predict(&call, &KernelChoice::default()).unwrap();
    assert_eq!(predicted.alarms, [RoutineAlarm::Memory(excess)]);
    let choice = GridChoice { blocks: vec![64], predicted: 100, ..grid_choice(8) };
    let chosen = choose_grid(&model, ModelKind::Lmo, &choice).unwrap();
    assert!(chosen.rejected > 0 && chosen.best.iter().all(|one| one.call.grid().processes() > 4));
    // A given memory of a process takes the place of that of the hosts.
    let given = GridChoice { memory: Some(Bytes::new(1 << 40)), ..choice };
    let chosen = choose_grid(&model, ModelKind::Lmo, &given).unwrap();
    let is_memory = |alarm: &RoutineAlarm| matches!(alarm, RoutineAlarm::Memory(_));
    assert!(chosen.rejected == 0 && !chosen.best.iter().flat_map(|one| &one.alarms).any(is_memory));

    let plan = plan_choice();
    assert_eq!(
        choose_plan(&model, ModelKind::Lmo, &plan)
            .unwrap()
            .plans
            .iter()
            .filter(|one| one.product.call.grid().processes() == 4)
            .count(),
        0
    );
    // On all processors, half of three operands and one operand that has moved are on each host.
    model.host_memory =
        host_memory(3 * 8 * 1024 * 1024 + 2 * 8 * 1024 * 1024 - 1).into_iter().collect();
    assert_eq!(choose_plan(&model, ModelKind::Lmo, &plan).unwrap().plans, []);
    model.host_memory = host_memory(3 * 8 * 1024 * 1024 + 2 * 8 * 1024 * 1024 + 64 * 2048 * 8 * 8)
        .into_iter()
        .collect();
    assert!(!choose_plan(&model, ModelKind::Lmo, &plan).unwrap().plans.is_empty());
}

#[test]
fn approximated_programs_are_an_alarm() {
    use Approximation::{FewSides, Panels, Pivots};
    let grid = |rows, columns, block| Grid { rows, columns, block };
    let parts = |routine: &str, variant, dimensions, grid| {
        RoutineCall::new(routine.parse().unwrap(), variant, dimensions, grid)
            .unwrap()
            .approximations()
    };
    for (routine, variant, [m, n], grid, expected) in [
        ("pdgemm", "nn", [1000, 1000], grid(2, 2, 48), vec![]),
        ("pdtrsm", "rut", [1000, 1000], grid(2, 2, 32), vec![]),
        ("pdtrsm", "rut", [1000, 1000], grid(2, 2, 33), vec![Panels]),
        ("pdtrsm", "rut", [1000, 1000], grid(1, 1, 33), vec![]),
        ("pdtrsm", "lln", [1000, 1], grid(2, 2, 48), vec![FewSides]),
        ("pdtrsm", "lln", [1000, 1], grid(1, 4, 48), vec![]),
        ("pdgetrf", "", [1000, 1000], grid(1, 4, 64), vec![]),
        ("pdgetrf", "", [1000, 1000], grid(4, 1, 64), vec![Pivots]),
    ] {
        assert_eq!(
            parts(routine, variant, [m, n, 1000], grid),
            expected,
            "{routine} {m} {n} on {grid}"
        );
    }
}
