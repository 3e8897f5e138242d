//! The description of the service: it has all routes, and real answers conform to it.

use std::collections::BTreeSet;

use orrery_monitor::service::{OPENAPI, resources};
use serde_json::{Value, json};

use super::http::{Answer, Client, samples};
use super::models;

fn description() -> Value {
    serde_json::from_str(OPENAPI).expect("the description is JSON")
}

/// The operations of the description: (method, path).
fn operations(description: &Value) -> BTreeSet<(String, String)> {
    let paths = description["paths"].as_object().expect("there are paths");
    let of_path = |(path, methods): (&String, &Value)| {
        let methods = methods.as_object().expect("there are methods");
        methods.keys().map(|method| (method.to_uppercase(), path.clone())).collect::<Vec<_>>()
    };
    paths.iter().flat_map(of_path).collect()
}

/// The schema of the answer to an operation, with all schemas that it refers to.
fn schema(description: &Value, method: &str, path: &str, status: u16) -> Option<Value> {
    let operation = &description["paths"][path][method.to_lowercase()];
    let response = operation["responses"].get(status.to_string())?;
    let shared = response["$ref"].as_str().and_then(|name| description.pointer(&name[1..]));
    let content = shared.unwrap_or(response).get("content")?;
    let schema = content.get("application/json")?["schema"].clone();
    // References lead from the root of the document.
    Some(json!({"allOf": [schema], "components": description["components"]}))
}

#[test]
fn the_description_has_all_routes() {
    let routes: BTreeSet<_> =
        resources().map(|(method, path)| (method.to_owned(), path.to_owned())).collect();
    assert!(routes.len() >= 10, "{routes:?}");
    assert_eq!(operations(&description()), routes);
}

/// Requests with all kinds of answers: method, path, body, status.
fn requests() -> Vec<(&'static str, &'static str, String, u16)> {
    let get = |path, status| ("GET", path, String::new(), status);
    vec![
        get("/v1/series", 200),
        ("POST", "/v1/samples", samples([("a/load", 1.0, 0.5)]), 200),
        get("/v1/forecast?series=a/load", 200),
        ("POST", "/v1/samples", samples((2..90).map(|k| ("a/load", f64::from(k), 0.5))), 200),
        ("POST", "/v1/samples", samples([("b/bandwidth/a", 1.0, 1e9)]), 200),
        ("POST", "/v1/samples", samples([("b", 1.0, 1e9)]), 400),
        get("/v1/series?host=a", 200),
        get("/v1/series?hosts=a", 400),
        get("/v1/forecast?series=a/load&series=b/bandwidth/a&horizon=10s&level=0.5", 200),
        get("/v1/forecast", 400),
        get("/v1/forecast?series=none/load", 404),
        get("/v1/history?series=a/load&from=0", 200),
        get("/v1/history?series=a/load&limit=0", 400),
        get("/v1/history?series=none/load", 404),
        get("/v1/conditions", 200),
        get("/v1/conditions?horizon=x", 400),
        get("/v1/path?from=n1&to=n4", 200),
        get("/v1/path?from=n1&to=x", 404),
        get("/v1/path", 400),
        get("/v1/kernel?kernel=dgemm&m=100&n=100&k=100&host=n1", 200),
        get("/v1/kernel?kernel=dgemm&m=100&n=100&k=100&host=x", 404),
        get("/v1/kernel?kernel=x", 400),
        get("/v1/best/host?kernel=dgemm&m=100&n=100&k=100&blas=blas&threads=1&operands=warm", 200),
        get("/v1/best/host?kernel=dtrsm&m=100&n=100", 404),
        get("/v1/best/host?kernel=dgemm&m=100", 400),
        get("/v1/routine?routine=pdgemm&n=512&grid=2x2&model=lmo", 200),
        get("/v1/routine?routine=pdgemm&n=512&grid=2", 400),
        get("/v1/best/grid?routine=pdgemm&n=512&k=64", 200),
        get("/v1/best/grid?routine=pdgemm", 400),
        get("/healthz", 200),
        get("/openapi.json", 200),
    ]
}

#[test]
fn answers_conform_to_the_description() {
    let (service, description) = (models::service(), description());
    let mut client = service.client();
    let mut answered = BTreeSet::new();
    for (method, path, body, status) in requests() {
        let answer: Answer =
            if body.is_empty() { client.get(path) } else { client.post(path, &body) }
                .expect("an answer");
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
        let route = path.split('?').next().unwrap_or_default();
        let schema = schema(&description, method, route, status)
            .unwrap_or_else(|| panic!("{method} {route} {status}"));
        let value: Value = serde_json::from_str(&answer.body).expect("the body is JSON");
        let faults: Vec<String> = jsonschema::validator_for(&schema)
            .expect("the schema is valid")
            .iter_errors(&value)
            .map(|error| format!("{method} {path}: {}: {error}", error.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        answered.insert((method.to_owned(), route.to_owned()));
    }
    // The others answer with the type of the description.
    for (method, path) in operations(&description).difference(&answered) {
        let answer = client.request(method, path, "", "").expect("an answer");
        let content =
            &description["paths"][path][method.to_lowercase()]["responses"]["200"]["content"];
        let content_type =
            content.as_object().and_then(|types| types.keys().next()).expect("a type");
        assert_eq!(answer.status, 200, "{method} {path}");
        assert!(
            answer.head.contains(&format!("content-type: {content_type}\r\n")),
            "{method} {path}: {}",
            answer.head
        );
    }
    refuses_what_is_not_described(&description, &mut client);
}

/// The check finds an answer that does not conform.
fn refuses_what_is_not_described(description: &Value, client: &mut Client<std::net::TcpStream>) {
    let schema = schema(description, "GET", "/v1/forecast", 200).expect("there is a schema");
    let answer = client.get("/v1/forecast?series=a/load").expect("an answer");
    let mut value: Value = serde_json::from_str(&answer.body).expect("the body is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is valid");
    assert!(validator.is_valid(&value));
    value["forecasts"][0]["forecast"]["value"] = Value::from("high");
    assert!(!validator.is_valid(&value));
}
