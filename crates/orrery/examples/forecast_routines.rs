//! Forecasts kernels, a parallel routine, and the network between two hosts, on idle and on loaded
//! hosts, as FAST does.

use std::error::Error;
use std::io::{self, Write};

use orrery::comm::Lmo;
use orrery::kernel::{KernelCall, KernelTime, fit};
use orrery::model::{Availability, Connections, Forecaster, KernelOnHost};
use orrery::platform::PerPair;
use orrery::routine::{Grid, RoutineCall};
use orrery::sample::KernelConditions;
use orrery::{Bytes, Estimate, Model, ModelKind, Processor, Seconds};

/// Four hosts on Gigabit Ethernet with a product of matrices at 10⁹ operations per second. A file
/// has such a model, too: `model::file::read`.
fn cluster() -> Result<Model, Box<dyn Error>> {
    let lmo = Lmo {
        fixed_delay: vec![Estimate::exact(10e-6); 4],
        byte_delay: vec![Estimate::exact(1e-10); 4],
        link_latency: Some(PerPair::from_fn(4, |_, _| Estimate::exact(30e-6))),
        link_byte_delay: PerPair::from_fn(4, |_, _| Estimate::exact(8e-9)),
    };
    let mut model = Model::new(4).with(ModelKind::Lmo, &lmo);
    model.hosts = ["n1", "n2", "n3", "n4"].map(str::to_owned).to_vec();
    let mut times = Vec::new();
    for (m, n) in
        [32, 100, 500, 2000].into_iter().flat_map(|m| [32, 100, 500, 2000].map(|n| (m, n)))
    {
        for k in [16, 64, 512] {
            let call = KernelCall::new("dgemm".parse()?, "nn", [m, n, k])?;
            times.push(KernelTime { call, seconds: Seconds::new(1e-9 * call.operations() + 2e-6) });
        }
    }
    let conditions = KernelConditions {
        host: "n1".into(),
        library: "blas".into(),
        threads: 1,
        operands: "warm".parse()?,
    };
    let equal_hosts = model.hosts[1..].to_vec();
    model.add_kernels(vec![KernelOnHost { conditions, equal_hosts, model: fit(&times, 0.95)? }]);
    Ok(model)
}

/// Writes the forecasts.
pub(crate) fn run(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let model = cluster()?;
    let processors: Vec<Processor> = Processor::first(4).collect();
    let kernel = KernelCall::new("dgemm".parse()?, "nn", [1000, 1000, 64])?;
    let routine = RoutineCall::new(
        "pdgemm".parse()?,
        "nn",
        [2048; 3],
        Grid { rows: 2, columns: 2, block: 64 },
    )?;
    let idle = Forecaster::new(&model);
    // Other programs take half of the processor of n3.
    let loaded = idle.clone().with_availability("n3=0.5".parse::<Availability>()?)?;
    for (name, forecaster) in [("idle", &idle), ("n3 loaded", &loaded)] {
        let kernel = forecaster.kernel_time(&kernel, "n3")?.seconds;
        let routine = forecaster.routine_time(ModelKind::Lmo, &routine, &processors)?.seconds;
        writeln!(out, "{name}: dgemm on n3 {kernel}, pdgemm {routine}")?;
    }
    let space = &idle.routine_space(&routine, &processors)["n3"];
    writeln!(out, "memory: dgemm {}, pdgemm {space} on n3", idle.kernel_space(&kernel, "n3")?)?;
    let size = Bytes::new(1 << 20);
    let mut all = Connections::new(&model, ModelKind::Lmo)?;
    // A monitor knows three of the six pairs.
    let monitored = [(0, 1), (1, 2), (2, 3)].map(|(a, b)| (Processor(a), Processor(b)));
    let mut some = Connections::among(&model, ModelKind::Lmo, monitored)?;
    for (name, connections) in [("modelled", &mut all), ("monitored", &mut some)] {
        let latency = connections.latency(Processor(0), Processor(3))?;
        let bandwidth = connections.bandwidth(Processor(0), Processor(3), size)?;
        let hosts: Vec<&str> =
            latency.path.iter().map(|one| model.hosts[one.index()].as_str()).collect();
        writeln!(
            out,
            "{name}: {} and {} along {}",
            latency.seconds,
            bandwidth.rate,
            hosts.join(" ")
        )?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&mut io::stdout())
}
