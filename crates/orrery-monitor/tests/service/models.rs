//! Questions about kernels, routines and paths, which a fitted model under the present load
//! answers.

use orrery::comm::Hlmo;
use orrery::conditions::file;
use orrery::kernel::{KernelCall, KernelTime, fit};
use orrery::model::{KernelOnHost, Model, ModelKind};
use orrery::numeric::Estimate;
use orrery::sample::KernelConditions;
use orrery::units::Seconds;
use orrery_monitor::Timestamp;
use serde_json::Value;

use super::http::samples;
use super::running::Running;

/// Four hosts with a product of matrices at 10⁹ operations per second, on links of 100 MB/s.
pub fn model() -> Model {
    let lmo = Hlmo::from_estimates([10e-6, 1e-10, 100e-6, 10e-9].map(Estimate::exact)).as_lmo(4);
    let mut model = Model::new(4).with(ModelKind::Lmo, &lmo);
    model.hosts = ["n1", "n2", "n3", "n4"].map(str::to_owned).to_vec();
    let mut times = Vec::new();
    for (m, n) in
        [32, 100, 500, 2000].into_iter().flat_map(|m| [32, 100, 500, 2000].map(|n| (m, n)))
    {
        for k in [16, 64, 512] {
            let call = KernelCall::new("dgemm".parse().expect("a kernel"), "nn", [m, n, k])
                .expect("a call");
            times.push(KernelTime { call, seconds: Seconds::new(1e-9 * call.operations() + 2e-6) });
        }
    }
    let operands = "warm".parse().expect("a state");
    let conditions =
        KernelConditions { host: "n1".into(), library: "blas".into(), threads: 1, operands };
    let equal_hosts = model.hosts[1..].to_vec();
    let fitted = fit(&times, 0.95).expect("enough times");
    model.add_kernels(vec![KernelOnHost { conditions, equal_hosts, model: fitted }]);
    model
}

/// 100 samples of each series, the last one of now.
fn history(series: &[(&str, f64)]) -> String {
    let now = Timestamp::now().seconds().get().floor();
    samples(
        series.iter().flat_map(|(name, value)| {
            (0..100).map(move |k| (*name, now - f64::from(99 - k), *value))
        }),
    )
}

/// A service whose hosts n1 and n3 have load, and whose link from n1 to n2 was faster once.
pub fn service() -> Running {
    let service = Running::start_with(|_, options| orrery_monitor::service::ServiceOptions {
        model: Some(model()),
        ..options
    });
    let mut client = service.client();
    let availability = [("n1", 0.5), ("n2", 1.0), ("n3", 0.25), ("n4", 1.0)];
    let memory = [("n1", 8e9), ("n2", 4e9), ("n3", 4e9), ("n4", 1e6)];
    let mut all: Vec<(String, f64)> = Vec::new();
    all.extend(availability.map(|(host, part)| (format!("{host}/availability"), part)));
    all.extend(memory.map(|(host, free)| (format!("{host}/memory_free"), free)));
    for (from, to) in [("n1", "n2"), ("n2", "n3"), ("n3", "n4")] {
        all.push((format!("{from}/latency/{to}"), 1e-4));
        all.push((format!("{from}/bandwidth/{to}"), 1e8));
    }
    all.push(("n1/disk_free//scratch".into(), 1e12));
    let named: Vec<(&str, f64)> = all.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let answer = client.post("/v1/samples", &history(&named)).expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.body);
    service
}

fn ok(service: &Running, path: &str) -> Value {
    let answer = service.client().get(path).expect("an answer");
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    serde_json::from_str(&answer.body).expect("the body is JSON")
}

fn refused(service: &Running, path: &str, status: u16) -> String {
    let answer = service.client().get(path).expect("an answer");
    assert_eq!(answer.status, status, "{path}: {}", answer.body);
    let body: Value = serde_json::from_str(&answer.body).expect("the body is JSON");
    body["error"]["message"].as_str().expect("a message").to_owned()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn conditions_are_a_file_of_conditions() {
    let service = service();
    let answer = service.client().get("/v1/conditions").expect("an answer");
    let conditions = file::parse(&answer.body, "conditions").expect("it can be read");
    let host = &conditions.hosts["n1"];
    assert_eq!(host.availability.map(|one| (one.value, one.is_stale)), Some((0.5, false)));
    assert!((host.disk_free["/scratch"].value - 1e12).abs() < 1.0);
    assert_eq!((conditions.links.len(), conditions.links[0].idle_bandwidth), (3, Some(1e8)));
}

#[test]
fn kernels_take_their_time_under_load() {
    let service = service();
    let time = ok(&service, "/v1/kernel?kernel=dgemm&m=100&n=100&k=64&host=n1");
    assert!((number(&time["seconds"]) / number(&time["idle_seconds"]) - 2.0).abs() < 1e-9);
    assert!((number(&time["idle_seconds"]) - 1.282e-3).abs() < 1e-6);
    assert_eq!(time["warnings"], Value::Array(vec![]));
    let best = ok(&service, "/v1/best/host?kernel=dgemm&m=1000&n=1000&k=500");
    let hosts: Vec<&str> = best["hosts"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["host"].as_str())
        .collect();
    // n4 is idle and has no memory for the matrices.
    assert_eq!(hosts, ["n2", "n1", "n3", "n4"]);
}

/// A service whose host n1 has load and samples of now; n2 ended 20 s ago, n3 was never monitored,
/// and n4 had load a day ago.
fn service_of_one_living_host() -> Running {
    let service = Running::start_with(|_, options| orrery_monitor::service::ServiceOptions {
        model: Some(model()),
        ..options
    });
    let now = Timestamp::now().seconds().get().floor();
    let hosts = [("n1/availability", 0.0, 0.4), ("n2/availability", 20.0, 0.9)];
    let hosts = hosts.into_iter().chain([("n4/availability", 86_400.0, 0.05)]);
    let series = hosts.flat_map(|(name, age, part)| {
        (0..100).map(move |k| (name, now - age - f64::from(99 - k), part))
    });
    let answer = service.client().post("/v1/samples", &samples(series)).expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.body);
    service
}

#[test]
fn hosts_whose_load_is_not_known_now_are_no_candidates() {
    let service = service_of_one_living_host();
    let names = |list: &Value| -> Vec<String> {
        let all = list.as_array().expect("a list").iter();
        all.map(|one| one["host"].as_str().expect("a host").to_owned()).collect()
    };
    let question = "/v1/best/host?kernel=dgemm&m=1000&n=1000&k=500";
    let best = ok(&service, question);
    assert_eq!(names(&best["hosts"]), ["n1"]);
    assert_eq!(names(&best["excluded"]), ["n2", "n3", "n4"]);
    assert_eq!(best["excluded"][1]["reason"], "not monitored");
    assert!(best["excluded"][2]["reason"].as_str().is_some_and(|text| text.contains("old")));
    // All hosts: the living one first, the others with an interval that reaches to any load.
    let all = ok(&service, &format!("{question}&unmonitored=true"));
    assert_eq!(names(&all["hosts"]), ["n1", "n2", "n3", "n4"]);
    for host in &all["hosts"].as_array().expect("a list")[1..] {
        assert!(number(&host["high"]) > 50.0 * number(&host["idle_seconds"]), "{host}");
        assert!(host["warnings"][0].as_str().is_some_and(|text| text.contains("not known now")));
    }
    let grids = ok(&service, "/v1/best/grid?routine=pdgemm&n=256");
    for grid in grids["grids"].as_array().expect("a list") {
        assert_eq!(grid["hosts"], serde_json::json!(["n1"]), "{grid}");
    }
    assert_eq!(names(&grids["excluded"]), ["n2", "n3", "n4"]);
    let all = ok(&service, "/v1/best/grid?routine=pdgemm&n=256&unmonitored=true");
    assert_eq!(names(&all["excluded"]), Vec::<String>::new());
    let wrong = refused(&service, "/v1/best/host?kernel=dgemm&m=1&n=1&k=1&unmonitored=1", 400);
    assert!(wrong.contains("true or false"), "{wrong}");
}

#[test]
fn routines_take_the_processors_that_are_free() {
    let service = service();
    let time = |processors| {
        number(
            &ok(&service, &format!("/v1/routine?routine=pdgemm&n=512&grid=1x2{processors}"))["seconds"],
        )
    };
    let (loaded, free) = (time(""), time("&processors=1,3"));
    assert!(loaded > 1.5 * free, "{loaded} {free}");
    let best = ok(&service, "/v1/best/grid?routine=pdgemm&n=256&processes=2");
    let first = &best["grids"][0];
    let hosts: Vec<&str> =
        first["hosts"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(!hosts.contains(&"n1") && !hosts.contains(&"n3"), "{first}");
}

#[test]
fn paths_answer_for_pairs_that_nobody_monitors() {
    let path = ok(&service(), "/v1/path?from=n1&to=n3");
    assert_eq!(path["hosts"], serde_json::json!(["n1", "n2", "n3"]));
    assert!((number(&path["latency"]["value"]) - 2e-4).abs() < 1e-9);
    assert!((number(&path["bandwidth"]["value"]) - 1e8).abs() < 1.0);
}

#[test]
fn a_slower_link_makes_routines_slower() {
    let service = service();
    let before = number(
        &ok(&service, "/v1/routine?routine=pdgemm&n=512&grid=1x2&processors=1,0")["seconds"],
    );
    let now = Timestamp::now().seconds().get().floor();
    let slow = samples((1..=30).map(|k| ("n1/bandwidth/n2", now + f64::from(k), 1e6)));
    assert_eq!(service.client().post("/v1/samples", &slow).expect("an answer").status, 200);
    // A horizon of one second is the next sample, and is not kept.
    let after = number(
        &ok(&service, "/v1/routine?routine=pdgemm&n=512&grid=1x2&processors=1,0&horizon=1s")["seconds"],
    );
    assert!(after > 2.0 * before, "{before} {after}");
}

#[test]
fn questions_without_an_answer_are_refused() {
    let service = service();
    for (question, status, words) in [
        ("kernel?kernel=dgemm&m=1&n=1&k=1&host=x", 404, "x"),
        ("kernel?kernel=dgemm&m=1&n=1&host=n1", 400, "dgemm needs the parameter 'k'"),
        ("kernel?kernel=none&m=1&n=1&host=n1", 400, "none"),
        ("routine?routine=pdgemm&n=512", 400, "the parameter 'grid'"),
        ("routine?routine=pdgemm&n=512&grid=4x4", 400, "more than the processors of the model, 4"),
        ("routine?routine=pdgemm&n=512&grid=1x2&processors=1,9", 400, "processors are 0 to 3"),
        ("routine?routine=pdgemm&n=1000000&grid=1x2", 400, "larger questions"),
        ("best/grid?routine=pdgemm&n=512&processes=9", 400, "1 to 4"),
        ("path?from=n4&to=x", 404, "no path"),
        ("path?from=n4", 400, "name both hosts"),
    ] {
        let message = refused(&service, &format!("/v1/{question}"), status);
        assert!(message.contains(words), "{question}: {message}");
    }
    let without = Running::start();
    let message = refused(&without, "/v1/kernel?kernel=dgemm&m=1&n=1&k=1&host=x", 404);
    assert!(message.contains("no model"), "{message}");
    let unknown = Running::start_with(|_, options| orrery_monitor::service::ServiceOptions {
        model: Some(model()),
        ..options
    });
    let message = refused(&unknown, "/v1/best/host?kernel=dgemm&m=1&n=1&k=1", 404);
    assert!(message.contains("known now"), "{message}");
}
