//! Requests to a service: what is sent, what is not, and what an answer becomes.
#![cfg(feature = "client")]

#[path = "http/request.rs"]
mod request;

use std::io::Write as _;
use std::net::TcpListener;
use std::thread::JoinHandle;

use orrery_monitor::client::Acknowledgement;
use orrery_monitor::{Client, ClientError, Sample, Secret, SecretError, Timestamp};

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// A server that reads one request and answers it; joining it gives the request.
fn answering(answer: String) -> std::io::Result<(String, JoinHandle<std::io::Result<String>>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept()?;
        let (head, body) = request::read(&stream)?;
        stream.write_all(answer.as_bytes())?;
        Ok(head + &body)
    });
    Ok((url, server))
}

fn response(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn sample(value: f64) -> Result<Sample, orrery_monitor::NameError> {
    Ok(Sample {
        series: "node1/load".parse()?,
        time: Timestamp::from_micros(1_772_452_800_500_000),
        value,
    })
}

#[test]
fn samples_are_sent_with_the_token() -> TestResult {
    let (url, server) = answering(response("200 OK", r#"{"accepted": 1, "duplicates": 2}"#))?;
    let client = Client::new(&url, Some(Secret::new("a-token\n")?), None)?;
    let acknowledged = client.post_samples(&[sample(0.5)?, sample(f64::NAN)?])?;
    assert_eq!(acknowledged, Acknowledgement { accepted: 1, duplicates: 2 });
    let request = server.join().map_err(|_| "the server panicked")??;
    assert!(request.starts_with("POST /v1/samples HTTP/1.1\r\n"), "{request}");
    assert!(request.to_lowercase().contains("authorization: bearer a-token\r\n"), "{request}");
    let body = r#"{"samples":[{"series":"node1/load","time":1772452800.5,"value":0.5}]}"#;
    assert!(request.ends_with(body), "{request}");
    assert!(!format!("{client:?}").contains("a-token"));
    Ok(())
}

#[test]
fn refusals_have_their_reason() -> TestResult {
    for (answer, status, message) in [
        (
            response("401 Unauthorized", r#"{"error": {"message": "no such token"}}"#),
            401,
            "no such token",
        ),
        (response("503 Service Unavailable", "busy\u{1b}[2J"), 503, "busy [2J"),
        (response("302 Found", ""), 302, "no reason"),
    ] {
        let (url, server) = answering(answer)?;
        let error =
            Client::new(&url, None, None)?.get_json("/v1/series").expect_err("the service refuses");
        assert_eq!(error.status(), Some(status));
        assert_eq!(error.to_string(), format!("{url}: the service answered {status}: {message}"));
        server.join().map_err(|_| "the server panicked")??;
    }
    Ok(())
}

#[test]
fn only_the_service_refuses_samples_for_good() -> TestResult {
    for (status, body, is_invalid) in [
        ("400 X", r#"{"error": {"code": "invalid_sample", "message": "no"}}"#, true),
        ("400 X", r#"{"error": {"code": "sample_ahead", "message": "no"}}"#, false),
        ("400 X", r#"{"error": {"message": "no"}}"#, false),
        ("400 X", "<html>", false),
        ("413 X", "invalid_sample", false),
        ("422 X", r#"{"code": "invalid_sample"}"#, false),
        ("422 X", r#"{"error": "invalid_sample"}"#, false),
    ] {
        let (url, server) = answering(response(status, body))?;
        let refusal = Client::new(&url, None, None)?.post_samples(&[sample(1.0)?]);
        let refusal = refusal.expect_err("it refuses");
        assert_eq!(refusal.is_invalid_sample(), is_invalid, "{status} {body}: {refusal}");
        server.join().map_err(|_| "the server panicked")??;
    }
    Ok(())
}

#[test]
fn other_servers_are_recognised() -> TestResult {
    let (url, server) = answering(response("200 OK", "<html>"))?;
    let error =
        Client::new(&url, None, None)?.post_samples(&[sample(1.0)?]).expect_err("it is no service");
    assert!(matches!(error, ClientError::Answer { .. }), "{error}");
    server.join().map_err(|_| "the server panicked")??;
    let (url, server) = answering("garbage\r\n\r\n".to_owned())?;
    let error = Client::new(&url, None, None)?.get_json("/").expect_err("it is no HTTP");
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
    server.join().map_err(|_| "the server panicked")??;
    Ok(())
}

#[test]
fn tokens_are_not_sent_in_the_clear() -> TestResult {
    let token = || Secret::new("a-token").ok();
    for (url, expected) in [
        ("http://node1:7410", "use https://"),
        ("http://10.0.0.1", "use https://"),
        ("http://127.0.0.1.example.org", "use https://"),
        ("http://[2001:db8::1]:80", "use https://"),
        ("ftp://node1", "neither http:// nor https://"),
        ("node1:7410", "write http://HOST:PORT"),
        ("http://me:a-password@node1", "user name"),
        ("http://127.0.0.1/?a=b", "query"),
    ] {
        let error =
            Client::new(url, token(), None).expect_err("the address is refused").to_string();
        assert!(error.contains(expected), "{url}: {error}");
        assert!(!error.contains("a-token") && !error.contains("a-password"), "{error}");
    }
    for url in ["http://127.0.0.1:1", "http://localhost:1/", "http://[::1]:1/prefix"] {
        Client::new(url, token(), None)?;
    }
    Client::new("http://node1:7410", None, None)?;
    Ok(())
}

#[test]
fn certificates_are_read() -> TestResult {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("ca.pem");
    let missing =
        Client::new("https://node1", None, Some(&path)).expect_err("the file does not exist");
    assert!(missing.to_string().contains("PEM"), "{missing}");
    std::fs::write(&path, "no certificate")?;
    let empty =
        Client::new("https://node1", None, Some(&path)).expect_err("the file has no certificate");
    assert!(empty.to_string().contains("no certificate"), "{empty}");
    Ok(())
}

#[cfg(unix)]
#[test]
fn secrets_that_others_can_read_are_refused() -> TestResult {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("token");
    std::fs::write(&path, "0123456789abcdef\n")?;
    for mode in [0o644, 0o602, 0o622, 0o620] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode))?;
        assert!(matches!(Secret::read(&path), Err(SecretError::Open { .. })), "{mode:o}");
    }
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640))?;
    assert_eq!(Secret::read(&path)?.expose(), "0123456789abcdef");
    std::fs::write(&path, " \n")?;
    assert!(matches!(Secret::read(&path), Err(SecretError::File { .. })));
    std::fs::write(&path, "x".repeat(5000))?;
    assert!(matches!(Secret::read(&path), Err(SecretError::File { .. })));
    assert!(Secret::new("two words").is_err());
    assert_eq!(format!("{:?}", Secret::new("hidden-value")?), "Secret(hidden)");
    Ok(())
}
