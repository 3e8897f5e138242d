//! What the service refuses, and that it still answers afterwards.

use std::io::{self, Read as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use orrery_monitor::service::{Limits, Service, ServiceError, ServiceOptions, Tls, Tokens};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::http::{Client, TIMEOUT, samples};
use super::running::{Running, TOKEN, certificate, key, options, tls, tokens};

fn with_tokens() -> Running {
    Running::start_with(|folder, options| ServiceOptions {
        tokens: Some(tokens(folder)),
        ..options
    })
}

fn with_limits(limits: Limits) -> Running {
    Running::start_with(|_, options| ServiceOptions { limits, ..options })
}

/// The service answers on a new connection.
fn assert_alive(service: &Running) {
    assert_eq!(service.client().get("/healthz").expect("an answer").status, 200);
}

#[test]
fn without_the_token_nothing_is_revealed() {
    let service = with_tokens();
    let paths = [
        "/v1/series",
        "/v1/forecast?series=a/load",
        "/v1/history?series=a/load",
        "/metrics",
        "/openapi.json",
        "/none",
    ];
    let wrong = ["0123456789abcdef-of-a-tesT", "", "0123456789abcdef-of-a-test-and-more"];
    for path in paths {
        let answer = service.client().get(path).expect("an answer");
        assert_eq!(
            (answer.status, answer.head.contains("www-authenticate: bearer")),
            (401, true),
            "{path}"
        );
        for token in wrong {
            let answer = service.client().with_token(token).get(path).expect("an answer");
            assert_eq!(answer.status, 401, "{path} with {token}");
            assert!(
                !answer.body.contains(TOKEN) && (token.is_empty() || !answer.body.contains(token)),
                "{}",
                answer.body
            );
        }
    }
    let body = samples([("a/load", 1.0, 1.0)]);
    assert_eq!(service.client().post("/v1/samples", &body).expect("an answer").status, 401);
    assert_eq!(
        service.client().with_token(TOKEN).post("/v1/samples", &body).expect("an answer").status,
        200
    );
    assert_eq!(service.client().with_token(TOKEN).get("/none").expect("an answer").status, 404);
    for open in ["/healthz", "/", "/page.js", "/page.css"] {
        assert_eq!(service.client().get(open).expect("an answer").status, 200, "{open}");
    }
    let log = service.log.lock().expect("no panic").join("\n");
    assert!(
        log.contains("listening on http://127.0.0.1") && !log.contains("0123456789abcdef"),
        "{log}"
    );
}

#[test]
fn bodies_are_limited() {
    let service = with_limits(Limits { body_bytes: 1000, ..Limits::default() });
    let large = samples((0..100).map(|k| ("a/load", f64::from(k), 1.0)));
    assert_eq!(service.client().post("/v1/samples", &large).expect("an answer").status, 413);
    // The size is not announced.
    let mut chunked = service.client();
    chunked
        .send("POST /v1/samples HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        .expect("it is sent");
    let chunk = format!("200\r\n{}\r\n", " ".repeat(512));
    let sent = (0..4).try_for_each(|_| chunked.send(&chunk));
    // The service may close the connection before all is sent.
    assert!(sent.is_err() || chunked.read().is_ok_and(|answer| answer.status == 413));
    let mut long = service.client();
    let header =
        format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    assert!(
        long.send(&header).is_err()
            || long.read().is_ok_and(|answer| answer.status == 431)
            || long.read().is_err()
    );
    assert_eq!(
        service.client().get(&format!("/{}", "x".repeat(10_000))).expect("an answer").status,
        404
    );
    assert_alive(&service);
}

#[test]
fn slow_requests_end() {
    let [idle_timeout, header_timeout, body_timeout] = [Duration::from_millis(300); 3];
    let limits = Limits { idle_timeout, header_timeout, body_timeout, ..Limits::default() };
    let service = with_limits(limits);
    let mut body = service.client();
    body.send(
        "POST /v1/samples HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"samples\"",
    )
    .expect("it is sent");
    assert_eq!(body.read().expect("an answer").status, 408);
    let mut header = service.client();
    header.send("GET /healthz HTTP/1.1\r\nHost: local").expect("it is sent");
    // Closed, perhaps after an answer of status 408.
    assert!(header.read().map_or_else(
        |error| error.kind() != io::ErrorKind::WouldBlock,
        |answer| answer.status == 408
    ));
    let mut idle = TcpStream::connect(service.address).expect("the service accepts");
    idle.set_read_timeout(Some(TIMEOUT)).expect("a timeout can be set");
    assert_eq!(idle.read(&mut [0; 1]).expect("the connection is closed in time"), 0);
    assert_alive(&service);
}

/// A client that sends requests and reads no answer.
#[test]
fn clients_that_read_nothing_are_closed() {
    let service =
        with_limits(Limits { stall_timeout: Duration::from_millis(300), ..Limits::default() });
    let mut deaf = service.client();
    let requests = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
    // The answers fill all buffers; then the service reads no further request, until it closes the
    // connection.
    let closed =
        (0..10_000).find_map(|_| deaf.send(&requests).err()).expect("the connection is closed");
    assert!(
        [io::ErrorKind::BrokenPipe, io::ErrorKind::ConnectionReset].contains(&closed.kind()),
        "{closed}"
    );
    assert_alive(&service);
}

#[test]
fn names_and_paths_are_data() {
    let service = Running::start();
    let mut client = service.client();
    for path in [
        "/../../etc/passwd",
        "/v1/../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/page/page.html",
        "//etc/passwd",
    ] {
        assert_eq!(client.get(path).expect("an answer").status, 404, "{path}");
    }
    let name = "a/disk_free/'); DROP TABLE sample; --";
    assert_eq!(
        client.post("/v1/samples", &samples([(name, 1.0, 7.0)])).expect("an answer").status,
        200
    );
    let found = client
        .get("/v1/forecast?series=a/disk_free/%27)%3B%20DROP%20TABLE%20sample%3B%20--")
        .expect("an answer");
    assert!(found.status == 200 && found.body.contains("\"value\":7.0"), "{}", found.body);
    for name in ["a' OR 1=1 --/load", "<script>/load", "a/LOAD", "a/x\\u0000", "a/disk_free/x\\ny"]
    {
        assert_eq!(
            client.post("/v1/samples", &samples([(name, 1.0, 7.0)])).expect("an answer").status,
            400,
            "{name}"
        );
    }
    for body in ["", "{", "[]", "{\"samples\": 1}", "\u{0}", &"[".repeat(100_000)] {
        assert_eq!(client.post("/v1/samples", body).expect("an answer").status, 400, "{body:.20}");
    }
    assert_eq!(client.request("DELETE", "/v1/samples", "", "").expect("an answer").status, 405);
    assert_eq!(
        client.get("/v1/series").expect("an answer").body.matches("\"series\":\"").count(),
        1
    );
}

#[test]
fn the_number_of_series_is_limited() {
    let service = with_limits(Limits { series: 2, ..Limits::default() });
    let mut client = service.client();
    let mut status = |names: &[&str]| {
        let body = samples(names.iter().map(|name| (*name, 1.0, 1.0)));
        client.post("/v1/samples", &body).expect("an answer").status
    };
    assert_eq!(
        [status(&["a/load", "b/load"]), status(&["a/load", "c/load"]), status(&["b/load"])],
        [200, 507, 200]
    );
}

#[test]
fn horizons_are_limited() {
    let service = Running::start();
    let mut client = service.client();
    client
        .post("/v1/samples", &samples((0..50).map(|k| ("a/load", f64::from(k), 1.0))))
        .expect("an answer");
    for parameters in [
        "horizon=1d",
        "horizon=0",
        "horizon=x",
        "level=1",
        "level=0",
        "level=x",
        "level=nan",
        "horizon=1s&horizon=2s",
    ] {
        let answer =
            client.get(&format!("/v1/forecast?series=a/load&{parameters}")).expect("an answer");
        assert_eq!(answer.status, 400, "{parameters}: {}", answer.body);
    }
    assert_eq!(client.get("/v1/forecast?series=a/load&horizon=2h").expect("an answer").status, 200);
}

/// Far more idle connections than the limit: all but the last ones are closed, and a new request is
/// answered.
#[test]
fn idle_connections_are_bounded() {
    let service = with_limits(Limits { connections: 20, ..Limits::default() });
    let mut working = service.client();
    let mut idle: Vec<TcpStream> = Vec::new();
    for k in 0..500 {
        idle.push(TcpStream::connect(service.address).expect("the service accepts"));
        if k % 10 == 0 {
            // It is accepted after all before it.
            assert_alive(&service);
            // A connection in use is not the slowest one.
            assert_eq!(working.get("/healthz").expect("an answer").status, 200);
        }
    }
    // The read of a closed connection ends; that of an open one would fail after a time.
    let is_closed = |connection: &mut TcpStream| {
        connection.set_read_timeout(Some(TIMEOUT)).is_ok()
            && connection.read(&mut [0; 1]).is_ok_and(|bytes| bytes == 0)
    };
    assert!(idle.iter_mut().take(400).all(is_closed));
    let metrics = working.get("/metrics").expect("an answer").body;
    let open = metrics.lines().find_map(|line| line.strip_prefix("orrery_open_connections "));
    let open: f64 = open.and_then(|count| count.parse().ok()).expect("the connections are counted");
    assert!((1.0..=20.0).contains(&open), "{metrics}");
}

#[test]
fn pages_of_other_sites_are_refused() {
    let service = Running::start();
    let status = |headers: &str| {
        service.client().request("GET", "/v1/series", headers, "").expect("an answer").status
    };
    assert_eq!(status("Origin: http://localhost\r\n"), 200);
    assert_eq!(status("Origin: http://evil.example\r\n"), 403);
    let mut rebound = service.client();
    rebound.send("GET /v1/series HTTP/1.1\r\nHost: evil.example:7410\r\n\r\n").expect("it is sent");
    assert_eq!(rebound.read().expect("an answer").status, 403);
}

#[test]
fn other_hosts_need_a_token_and_tls() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = |change: &dyn Fn(ServiceOptions) -> ServiceOptions| {
        let listen = SocketAddr::from(([0, 0, 0, 0], 0));
        Service::start(change(ServiceOptions { listen, ..options(folder.path()) }), |_| ())
    };
    let refused = |result: Result<Service, ServiceError>| {
        matches!(result, Err(ServiceError::Unprotected { .. }))
    };
    assert!(refused(start(&|options| options)));
    assert!(refused(start(&|options| ServiceOptions {
        tokens: Some(tokens(folder.path())),
        ..options
    })));
    assert!(refused(start(&|options| ServiceOptions { tls: Some(tls(folder.path())), ..options })));
    assert!(
        start(&|options| ServiceOptions {
            tls: Some(tls(folder.path())),
            tokens: Some(tokens(folder.path())),
            ..options
        })
        .is_ok()
    );
}

#[test]
fn requests_are_answered_over_tls() {
    let service = Running::start_with(|folder, options| ServiceOptions {
        tokens: Some(tokens(folder)),
        tls: Some(tls(folder)),
        ..options
    });
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(certificate()).expect("a certificate"))
        .expect("it can be trusted");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connection =
        ClientConnection::new(Arc::new(config), "localhost".try_into().expect("a name"))
            .expect("a client");
    let stream = TcpStream::connect(service.address).expect("the service accepts");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a timeout can be set");
    let mut client = Client::over(StreamOwned::new(connection, stream)).with_token(TOKEN);
    assert_eq!(
        client.post("/v1/samples", &samples([("a/load", 1.0, 1.0)])).expect("an answer").status,
        200
    );
    assert_eq!(client.get("/v1/series").expect("an answer").status, 200);
    // A request without TLS has no answer of HTTP, and the service goes on.
    assert!(service.client().get("/healthz").is_err());
    assert_eq!(client.get("/healthz").expect("an answer").status, 200);
}

#[test]
fn files_of_secrets_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens");
    let read = |text: &str, mode: u32| {
        std::fs::write(&file, text).expect("a file can be written");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(mode))
            .expect("permissions can be set");
        Tokens::read(&file).map(|_| ()).map_err(|error| error.to_string())
    };
    let (good, secret) = ("0123456789abcdef\n\nfedcba9876543210\n", "short-secret");
    assert_eq!(read(good, 0o600), Ok(()));
    assert!(
        read(secret, 0o600)
            .is_err_and(|error| error.contains("openssl rand") && !error.contains(secret))
    );
    assert!(read("", 0o600).is_err());
    assert!(Tokens::read(&folder.path().join("none")).is_err());
    let (certificate, key) = (certificate(), key(folder.path()));
    let copy = folder.path().join("certificate.pem");
    std::fs::copy(&certificate, &copy).expect("it can be copied");
    std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o600)).expect("they can be set");
    assert!(
        Tls::read(&certificate, &copy)
            .is_err_and(|error| error.to_string().contains("no readable private key"))
    );
    assert!(
        Tls::read(&key, &key)
            .is_err_and(|error| error.to_string().contains("no readable certificate"))
    );
}

/// All readers of secrets refuse a file that others can read or write; its group may read it.
#[test]
fn secrets_are_protected_in_one_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let (token, key) = (folder.path().join("token"), key(folder.path()));
    std::fs::write(&token, "0123456789abcdef\n").expect("a file can be written");
    for mode in 0..0o1000 {
        let mode = mode | 0o400;
        for file in [&token, &key] {
            std::fs::set_permissions(file, PermissionsExt::from_mode(mode)).expect("it is ours");
        }
        let accepted = [
            Tokens::read(&token).is_ok(),
            orrery_monitor::Secret::read(&token).is_ok(),
            Tls::read(&certificate(), &key).is_ok(),
        ];
        assert_eq!(accepted, [mode & 0o027 == 0; 3], "{mode:o}");
    }
}
