//! A client is answered while others of its address occupy what they can.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use orrery_monitor::service::{Limits, ServiceOptions};

use super::http::{Client, samples};
use super::running::Running;

/// The requests of the client, and how many of them must be answered.
const REQUESTS: u32 = 60;
const MIN_ANSWERS: u32 = 55;

/// The maximum time of an answer: that of a client which gives up.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// The number of connections that an attacker keeps open.
const KEPT: usize = 200;

/// What an attacker sends on each of its connections.
type Attack = fn(&mut TcpStream) -> io::Result<()>;

const HEAD: &str = "POST /v1/samples HTTP/1.1\r\nHost: localhost\r\n";

const ATTACKS: [(&str, Attack); 6] = [
    ("nothing", |_| Ok(())),
    ("an unfinished head", |stream| stream.write_all(HEAD.as_bytes())),
    ("an unfinished body", |stream| {
        stream.write_all(format!("{HEAD}Content-Length: 1000000\r\n\r\n{{").as_bytes())
    }),
    ("an unfinished body in chunks", |stream| {
        let head = format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n");
        stream.write_all(head.as_bytes())
    }),
    ("a body without its last byte", |stream| {
        let body = "x".repeat(200_000);
        stream.write_all(format!("{HEAD}Content-Length: 200001\r\n\r\n{body}").as_bytes())
    }),
    ("a request and a half", |stream| {
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(format!("{request}{HEAD}").as_bytes())
    }),
];

/// Opens connections until the flag is set, with a pause after each.
fn attack(address: SocketAddr, send: Attack, pause: Duration, stop: &AtomicBool) {
    let mut open = VecDeque::new();
    while !stop.load(Ordering::Relaxed) {
        if let Ok(mut stream) = TcpStream::connect(address) {
            // The service may close it at any time.
            let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
            let _ = send(&mut stream);
            open.push_back(stream);
        }
        if open.len() > KEPT {
            open.pop_front();
        }
        std::thread::sleep(pause);
    }
}

/// The answers that a client gets which makes a connection for each request.
fn answers(address: SocketAddr, count: u32) -> u32 {
    let ask = |number: u32| -> io::Result<u16> {
        let stream = TcpStream::connect_timeout(&address, ANSWER_TIMEOUT)?;
        stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
        let body = samples([("a/load", f64::from(number), 1.0)]);
        Ok(Client::over(stream).post("/v1/samples", &body)?.status)
    };
    (0..count).map(|number| u32::from(ask(number).is_ok_and(|status| status == 200))).sum()
}

/// Asserts that a client is answered while `attackers` threads attack in one way.
fn assert_answered(limits: Limits, attackers: usize, pause: Duration, count: u32, least: u32) {
    for (name, send) in ATTACKS {
        let service = Running::start_with(|_, options| ServiceOptions { limits, ..options });
        let stop = AtomicBool::new(false);
        let answered = std::thread::scope(|scope| {
            for _ in 0..attackers {
                scope.spawn(|| attack(service.address, send, pause, &stop));
            }
            std::thread::sleep(Duration::from_millis(300));
            let answered = answers(service.address, count);
            stop.store(true, Ordering::Relaxed);
            answered
        });
        println!("{name}: {answered} of {count} answers");
        assert!(answered >= least, "{name}: {answered} of {count} answers");
    }
}

#[test]
fn a_client_is_answered_beside_unfinished_requests() {
    let limits = Limits { connections: 64, ..Limits::default() };
    assert_answered(limits, 1, Duration::from_millis(1), REQUESTS, MIN_ANSWERS);
}

#[test]
#[ignore = "takes a minute: make soak"]
fn a_client_is_answered_beside_many_attackers() {
    assert_answered(Limits::default(), 2, Duration::ZERO, 600, 550);
}

/// Bodies that are announced and do not come take no memory from others.
#[test]
fn stalled_bodies_take_no_memory() {
    let service = Running::start();
    let head = format!("{HEAD}Content-Length: 1048576\r\n\r\n{{");
    let stalled: Vec<_> = (0..40)
        .map(|_| {
            let mut client = service.client();
            client.send(&head).expect("it is sent");
            client
        })
        .collect();
    assert!(answers(service.address, REQUESTS) >= MIN_ANSWERS);
    drop(stalled);
}

/// Bodies that fill the memory of all make way, the slowest first.
#[test]
fn large_bodies_make_way() {
    let service = Running::start();
    let body = " ".repeat((1 << 20) - 1);
    let request = format!("{HEAD}Content-Length: 1048576\r\n\r\n{body}");
    let stalled: Vec<_> = (0..40)
        .map(|_| {
            let mut client = service.client();
            client.send(&request).expect("it is sent");
            client
        })
        .collect();
    assert!(answers(service.address, REQUESTS) >= MIN_ANSWERS);
    drop(stalled);
}

/// A body below the minimum rate ends before the maximum time of a body, an unfinished head before
/// that of an idle connection.
#[test]
fn slow_requests_end_before_their_longest_time() {
    let long = Duration::from_secs(3600);
    let limits = Limits {
        body_timeout: long,
        header_timeout: Duration::from_millis(200),
        ..Limits::default()
    };
    let service = Running::start_with(|_, options| ServiceOptions { limits, ..options });
    let mut head = service.client();
    head.send(HEAD).expect("it is sent");
    assert!(head.read().is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock));
    let mut body = service.client();
    body.send(&format!("{HEAD}Content-Length: 1000\r\n\r\n{{")).expect("it is sent");
    assert_eq!(body.read().expect("an answer").status, 408);
}
