//! Profiles of Caliper; `testdata/runs/caliper.py` compares them with another reader.

use std::fmt::Write as _;

use orrery::run::Metric;
use orrery::run::import::{ImportFormat, ImportOptions};

use super::{assert_near, import, numbers, options, refused, remarks, text};

fn metric(metric: &str) -> ImportOptions {
    ImportOptions { metrics: vec![metric.into()], ..ImportOptions::default() }
}

/// Inclusive times of the slowest process, exclusive times of each process, of one process, and of
/// each snapshot.
#[test]
fn times_are_those_of_another_reader() {
    let expected = text("caliper/expected.csv");
    let rows = expected.lines().skip(1).map(|line| {
        let (file, rest) = line.split_once(',').unwrap();
        let (region, seconds) = rest.rsplit_once(',').unwrap();
        (file, region.trim_matches('"').to_owned(), seconds.parse::<f64>().unwrap())
    });
    let rows: Vec<_> = rows.collect();
    for of_file in rows.chunk_by(|a, b| a.0 == b.0) {
        let runs =
            import(&text(&format!("caliper/{}", of_file[0].0)), ImportOptions::default()).runs.runs;
        let regions: Vec<_> = runs.iter().map(|run| run.region.clone()).collect();
        assert_eq!(regions, of_file.iter().map(|row| row.1.clone()).collect::<Vec<_>>());
        runs.iter().zip(of_file).for_each(|(run, row)| assert_near(run.seconds.get(), row.2));
    }
    assert_eq!(rows.len(), 36);
    assert_eq!(rows[0].1, "main");
    assert_eq!(rows[5].1, "main->time stepping->a=b,c\\d", "escaped characters");
}

#[test]
fn numbers_that_describe_the_run_are_variables() {
    let text = text("caliper/spot-n200.cali");
    assert_eq!(ImportFormat::detect(&text), Some(ImportFormat::Caliper));
    let imported = import(&text, ImportOptions::default());
    assert_eq!(
        remarks(&imported),
        ["f:113: numbers that describe the run become variables: problem_size, steps"]
    );
    let run = &imported.runs.runs[0];
    assert_eq!(numbers(run, &["processes", "problem_size", "steps"]), [2.0, 200.0, 2.0]);
    assert_eq!(
        (run.variables.len(), run.labels["metric"].as_str()),
        (3, "max#inclusive#sum#time.duration")
    );
    assert_eq!(run.origin, "f:59");
    let imported = import(
        &text,
        options("n=problem_size,label:steps=steps,label:cc=compiler,ranks=mpi.world.size"),
    );
    let run = &imported.runs.runs[0];
    assert_eq!((numbers(run, &["n", "ranks"]), run.variables.len()), (vec![200.0, 2.0], 2));
    assert_eq!(
        (run.labels["cc"].as_str(), run.labels["steps"].as_str()),
        ("cc, version 12=a", "2")
    );
    let error = refused(&text, options("n=size"));
    assert!(
        error.starts_with("f:113:1: no value \"size\" describes the run; values are "),
        "{error}"
    );
}

#[test]
fn a_metric_can_be_named() {
    let text = text("caliper/spot-n100.cali");
    let runs = import(&text, metric("min#inclusive#sum#time.duration")).runs.runs;
    assert_near(runs[0].seconds.get(), 5.55692e-3);
    // Exclusive times are added up.
    let runs = import(&text, metric("sum#scale#sum#time.duration.ns")).runs.runs;
    let total = import(&text, metric("sum#inclusive#sum#time.duration")).runs.runs;
    assert!((runs[0].seconds.get() / total[0].seconds.get() - 1.0).abs() < 1e-3, "{runs:?}");
    let counts = import(&text, metric("max#sum#rc.count")).runs.runs;
    assert!(counts.iter().all(|run| run.seconds.get().fract() == 0.0), "{counts:?}");
    assert!(!Metric::of_run(&counts[0]).is_time());
    let error = refused(&text, metric("time"));
    assert!(
        error.contains("no metric \"time\"; those of times are min#inclusive#sum#time.duration, "),
        "{error}"
    );
    assert!(!error.contains("count") && !error.contains("problem_size"), "{error}");
}

/// A profile with one region and these snapshots.
fn small(snapshots: &str) -> String {
    format!(
        "__rec=node,id=20,attr=10,data=256,parent=3\n__rec=node,id=21,attr=8,data=region,parent=20\n\
         __rec=node,id=22,attr=8,data=sum#time.duration,parent=5\n__rec=node,id=23,attr=21,data=main\n{snapshots}"
    )
}

#[test]
fn faults_name_the_line() {
    let runs =
        import(&small("__rec=ctx,ref=23,attr=22,data=2.5\n"), ImportOptions::default()).runs.runs;
    assert_eq!(
        (runs.len(), runs[0].region.as_str(), runs[0].seconds.get().to_string()),
        (1, "main", "2.5".into())
    );
    let imported = import(&small("__rec=ctx,ref=23,attr=22,data=0\n"), ImportOptions::default());
    assert_eq!(
        remarks(&imported),
        ["f:5: 1 time of 0 s or less of regions is left out; a time is above 0"]
    );
    for (snapshots, expected) in [
        ("__rec=ctx,ref=23,attr=22,data=1.2", "f:5:1: the profile ends within this record"),
        ("main,1.5\n", "f:5:1: this is no record of Caliper"),
        ("__rec=ctx,ref=24,attr=22,data=1\n", "f:5:1: there is no ref 24 above"),
        ("__rec=ctx,ref=23,attr=24,data=1\n", "f:5:1: there is no attr 24 above"),
        ("__rec=ctx,ref=x,attr=22,data=1\n", "f:5:1: ref is \"x\", which is no id"),
        (
            "__rec=ctx,ref=23,attr=22,data=-1\n",
            "f:5:1: sum#time.duration is \"-1\", which is below 0",
        ),
        (
            "__rec=ctx,ref=23,attr=22,data=nan\n",
            "f:5:1: sum#time.duration is \"nan\", which is below 0",
        ),
        ("__rec=node,id=30,attr=21,data=a,parent=29\n", "f:5:1: there is no parent 29 above"),
        ("__rec=node,attr=21,data=a\n", "f:5:1: id is \"\", which is no id"),
        ("__rec=globals,ref=99\n", "f:5:1: there is no ref 99 above"),
        ("", "f: no run is found"),
    ] {
        let error = refused(&small(snapshots), ImportOptions::default());
        assert!(error.starts_with(expected), "{expected:?}: {error}");
    }
    let without = small("").replace("sum#time.duration", "count");
    let error = refused(&without, ImportOptions::default());
    assert!(
        error.contains("no metric that is known to be the time of a region; it has none of times"),
        "{error}"
    );
}

#[test]
fn hostile_profiles_need_little_memory() {
    let chain = |depth: usize, name: &str| {
        let mut nodes = String::new();
        for id in 24..24 + depth {
            writeln!(nodes, "__rec=node,id={id},attr=21,data={name},parent={}", id - 1).unwrap();
        }
        nodes
    };
    // Names of deep paths are long together.
    let deep = small(&format!(
        "{}__rec=ctx,ref=20023,attr=22,data=1\n",
        chain(20_000, "region_with_a_name")
    ));
    assert!(refused(&deep, ImportOptions::default()).contains("expand to more than"));
    // So are exclusive times that many processes have at the end of a deep path.
    let mut wide = chain(2000, "a") + "__rec=node,id=19,attr=8,data=mpi.rank,parent=1\n";
    for rank in 0..3000 {
        writeln!(wide, "__rec=ctx,ref=2023,attr=22=19,data=1={rank}").unwrap();
    }
    assert!(refused(&small(&wide), ImportOptions::default()).contains("expand to more than"));
    // Attributes share their properties.
    let mut shared = format!(
        "__rec=node,id=12,attr=8,data=attribute.unit,parent=3\n__rec=node,id=13,attr=12,data={},parent=5\n",
        "s".repeat(1 << 20)
    );
    for id in 100..20_100 {
        writeln!(shared, "__rec=node,id={id},attr=8,data=a,parent=13").unwrap();
    }
    assert_eq!(
        import(
            &small(&format!("{shared}__rec=ctx,ref=23,attr=22,data=1\n")),
            ImportOptions::default()
        )
        .runs
        .runs
        .len(),
        1
    );
    // Descriptions of the run are repeated in each region.
    let mut text = small("");
    for id in 100..2100 {
        writeln!(text, "__rec=node,id={id},attr=8,data=parameter_{id},parent=1").unwrap();
        writeln!(
            text,
            "__rec=node,id={},attr=21,data=region_{id}\n__rec=ctx,ref={0},attr=22,data=1",
            id + 10_000
        )
        .unwrap();
    }
    let ids: Vec<String> = (100..2100).map(|id| id.to_string()).collect();
    writeln!(text, "__rec=globals,attr={},data={}", ids.join("="), ids.join("=")).unwrap();
    assert!(refused(&text, ImportOptions::default()).contains("expand to more than"));
}
