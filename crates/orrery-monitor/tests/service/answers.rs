//! Samples in, forecasts out.

use std::time::{Duration, Instant};

use orrery_monitor::{Sample, Store, Timestamp};
use serde_json::Value;

use super::http::{TIMEOUT, samples};
use super::running::Running;

/// A wave with a period of 10 samples.
fn wave(k: u32) -> f64 {
    0.5 + 0.1 * f64::from(k % 10)
}

/// The seconds since 1970 of a sample, of which the last of `count` is now.
fn second(k: u32, count: u32) -> f64 {
    (Timestamp::now().seconds().get() - f64::from(count - 1 - k)).floor()
}

/// The body of an answer with status 200.
fn ok(answer: std::io::Result<super::http::Answer>) -> Value {
    let answer = answer.expect("the service answers");
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str(&answer.body).expect("the body is JSON")
}

/// Repeats until a condition holds.
fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < TIMEOUT, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn posted_samples_are_forecast() {
    let service = Running::start();
    let mut client = service.client();
    let times: Vec<f64> = (0..300).map(|k| second(k, 300)).collect();
    let body = samples(times.iter().zip(0..).map(|(time, k)| ("node1/load", *time, wave(k))));
    let stored = ok(client.post("/v1/samples", &body));
    assert_eq!((&stored["accepted"], &stored["duplicates"]), (&300.into(), &0.into()));
    let repeated = ok(client.post("/v1/samples", &body));
    assert_eq!((&repeated["accepted"], &repeated["duplicates"]), (&0.into(), &300.into()));

    let next = ok(client.get("/v1/forecast?series=node1/load"));
    let state = &next["forecasts"][0];
    assert_eq!(
        (&state["series"], &state["host"], &state["quantity"]),
        (&"node1/load".into(), &"node1".into(), &"load".into())
    );
    assert_eq!(
        (&state["stale"], &state["spacing"], &state["last"]["value"]),
        (&false.into(), &1.0.into(), &wave(299).into())
    );
    let forecast = &state["forecast"];
    assert_eq!(
        (&forecast["samples"], &forecast["time"]),
        (&300.into(), &(times[299] + 1.0).into())
    );
    let number =
        |name: &str| forecast[name].as_f64().unwrap_or_else(|| panic!("{name} of {forecast}"));
    assert!(
        number("low") <= number("value")
            && number("value") <= number("high")
            && number("low") >= 0.0
    );
    assert!((0.5..1.5).contains(&number("value")) && number("coverage") > 0.8);
    assert_eq!(forecast["level"], Value::from(0.95));

    let later =
        ok(client.get("/v1/forecast?series=node1/load&horizon=1m&level=0.8&series=node1/load"));
    let forecasts = later["forecasts"].as_array().expect("a list");
    assert_eq!(forecasts.len(), 2);
    assert_eq!(forecasts[0], forecasts[1]);
    assert_eq!(forecasts[0]["forecast"]["time"], Value::from(times[299] + 60.0));
    assert_eq!(forecasts[0]["forecast"]["level"], Value::from(0.8));

    let all = ok(client.get("/v1/series?host=node1&quantity=load"));
    assert_eq!(all["series"].as_array().map(Vec::len), Some(1));
    assert_eq!(all["series"][0]["forecast"]["value"], forecast["value"]);
    assert_eq!(ok(client.get("/v1/series?host=node2"))["series"], Value::from(Vec::<Value>::new()));

    let history =
        ok(client.get(&format!("/v1/history?series=node1/load&from={}&limit=7", times[0])));
    let points = history["points"].as_array().expect("a list");
    assert_eq!(
        (points.len(), &points[6]["mean"], &points[6]["count"]),
        (7, &wave(299).into(), &1.into())
    );
}

#[test]
fn a_forecast_of_a_horizon_follows_new_samples() {
    let service = Running::start();
    let mut client = service.client();
    let times: Vec<f64> = (0..200).map(|k| second(k, 200)).collect();
    let of = |range: std::ops::Range<usize>| {
        samples(range.map(|k| ("a/load", times[k], wave(k as u32))))
    };
    ok(client.post("/v1/samples", &of(0..100)));
    let path = "/v1/forecast?series=a/load&horizon=5s";
    let forecast = |state: &Value| state["forecasts"][0]["forecast"].clone();
    assert_eq!(forecast(&ok(client.get(path)))["samples"], Value::from(100));
    ok(client.post("/v1/samples", &of(100..200)));
    let updated = forecast(&ok(client.get(path)));
    assert_eq!((&updated["samples"], &updated["time"]), (&200.into(), &(times[199] + 5.0).into()));
    // A service that loads all samples at once has the same forecast.
    let service = service.restarted();
    assert_eq!(forecast(&ok(service.client().get(path))), updated);
}

#[test]
fn samples_survive_and_are_forecast_after_a_restart() {
    let service = Running::start();
    let body = samples((0..100).map(|k| ("a/load", second(k, 100), wave(k))));
    ok(service.client().post("/v1/samples", &body));
    let before = ok(service.client().get("/v1/forecast?series=a/load"));
    let service = service.restarted();
    let after = ok(service.client().get("/v1/forecast?series=a/load"));
    assert_eq!(after["forecasts"][0]["forecast"], before["forecasts"][0]["forecast"]);
    wait_for("all forecasters are loaded", || {
        !ok(service.client().get("/v1/series"))["series"][0]["forecast"].is_null()
    });
}

#[test]
fn samples_of_other_processes_are_forecast() {
    let service = Running::start();
    let mut store = Store::open(&service.store()).expect("the database opens");
    let at = |seconds: i64| Timestamp::from_micros(1_000_000 * seconds);
    let sample =
        |k: i64| Sample { series: "agent/load".parse().expect("a name"), time: at(k), value: 1.0 };
    store.append(&(0..60).map(sample).collect::<Vec<_>>()).expect("there is space");
    let state = || ok(service.client().get("/v1/series"))["series"][0].clone();
    wait_for("the samples are found", || state()["forecast"]["samples"] == 60);
    // The series has ended long ago.
    assert_eq!(state()["stale"], Value::from(true));
    assert!(state()["warnings"][0].as_str().is_some_and(|text| text.contains("may have ended")));
}

#[test]
fn metrics_have_all_series_with_escaped_labels() {
    let service = Running::start();
    let mut client = service.client();
    let quoted = samples((0..60).map(|k| (r#"a/disk_free//x\"y\\z"#, second(k, 60), 5.0)));
    ok(client.post("/v1/samples", &quoted));
    let metrics = client.get("/metrics").expect("the service answers");
    assert!(
        metrics.head.contains("content-type: application/openmetrics-text"),
        "{}",
        metrics.head
    );
    for expected in [
        r#"orrery_value{host="a",quantity="disk_free",target="/x\"y\\z"} 5.0"#,
        r#"orrery_forecast_high{host="a",quantity="disk_free",target="/x\"y\\z"} 5.0"#,
        r#"orrery_stale{host="a",quantity="disk_free",target="/x\"y\\z"} 0.0"#,
        "orrery_samples_total 60",
        r#"orrery_requests_total{route="/v1/samples",status="200"} 1"#,
        "orrery_series 1.0",
        "# EOF",
    ] {
        assert!(metrics.body.contains(expected), "{expected} is not in {}", metrics.body);
    }
}

#[test]
fn samples_ahead_are_not_believed() {
    let service = Running::start();
    let mut client = service.client();
    let now = || Timestamp::now().seconds().get();
    let state = |client: &mut super::http::Client<_>| {
        ok(client.get("/v1/forecast?series=a/availability"))["forecasts"][0].clone()
    };
    ok(client
        .post("/v1/samples", &samples((0..60).map(|k| ("a/availability", second(k, 60), 0.5)))));
    assert_eq!(
        (state(&mut client)["stale"].clone(), state(&mut client)["last"]["value"].clone()),
        (false.into(), 0.5.into())
    );
    // Nearly an hour ahead: stored, and not in the forecast.
    ok(client.post("/v1/samples", &samples([("a/availability", now() + 3_590.0, 0.9)])));
    let ahead = state(&mut client);
    assert_eq!((&ahead["stale"], &ahead["forecast"]["samples"]), (&true.into(), &60.into()));
    assert_eq!((&ahead["last"]["age"], &ahead["last"]["value"]), (&0.0.into(), &0.9.into()));
    let seconds = ahead["last"]["ahead"].as_f64().expect("a number");
    assert!((3_500.0..3_590.0).contains(&seconds), "{ahead}");
    let warning = ahead["warnings"][0].as_str().expect("a warning");
    assert!(
        warning.starts_with("the last sample is 35")
            && warning.ends_with("s ahead: a clock is wrong"),
        "{warning}"
    );
    assert_eq!(ok(client.get("/v1/series"))["series"][0]["last"]["value"], ahead["last"]["value"]);
    let conditions = client.get("/v1/conditions").expect("an answer").body;
    let conditions = orrery::conditions::file::parse(&conditions, "now").expect("conditions");
    let current = conditions.hosts["a"].availability.expect("it is monitored");
    assert!(current.is_stale && current.ahead.get() > 3_500.0, "{current:?}");
    let metrics = client.get("/metrics").expect("an answer").body;
    assert!(metrics.contains(r#"orrery_stale{host="a",quantity="availability"} 1.0"#), "{metrics}");
    assert!(metrics.contains(r#"orrery_ahead_seconds{host="a",quantity="availability"} 35"#));
    // Further ahead: refused.
    let refused = client.post("/v1/samples", &samples([("a/availability", now() + 3_700.0, 0.9)]));
    let refused = refused.expect("an answer");
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("more than an hour ahead"), "{}", refused.body);
    assert!(refused.body.contains(r#""code":"sample_ahead""#), "{}", refused.body);
    // A service that starts does not believe it, too.
    let service = service.restarted();
    let mut client = service.client();
    let restarted = state(&mut client);
    assert_eq!(
        (&restarted["stale"], &restarted["forecast"]["samples"]),
        (&true.into(), &60.into())
    );
    // A right one counts at once.
    ok(client.post("/v1/samples", &samples([("a/availability", now(), 0.5)])));
    let right = state(&mut client);
    assert_eq!((&right["stale"], &right["forecast"]["samples"]), (&false.into(), &61.into()));
    assert_eq!(right["last"]["value"], Value::from(0.5));
}

#[test]
fn samples_that_are_set_aside_are_counted() {
    let service = Running::start();
    let mut client = service.client();
    ok(client.post("/v1/samples", &samples((0..60).map(|k| ("a/load", second(k, 60), 0.5)))));
    let last = Timestamp::from_seconds(orrery::units::Seconds::new(second(49, 60)));
    let mut store = Store::open(&service.store()).expect("the database opens");
    assert_eq!(store.set_aside("a", last, &[]).expect("there is space"), 10);
    drop(store);
    let service = service.restarted();
    let mut client = service.client();
    assert_eq!(ok(client.get("/v1/series"))["aside"], Value::from(10));
    assert!(client.get("/metrics").expect("an answer").body.contains("orrery_samples_aside 10.0"));
}
