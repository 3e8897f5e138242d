//! How the service ends, and what it does not start with.

use std::process::Command;

use rustix::process::Signal;

use crate::http::samples;
use crate::process::Serving;

#[test]
fn a_signal_ends_the_service_with_success() {
    // Several times, since two threads have the database open.
    for signal in [Signal::TERM, Signal::INT].repeat(10) {
        let folder = tempfile::tempdir().expect("a folder");
        let service = Serving::start(folder.path());
        let mut kept = service.client();
        assert_eq!(
            kept.post("/v1/samples", &samples([("a/load", 1.0, 2.0)])).expect("an answer").status,
            200
        );
        let (code, log) = service.end(signal);
        assert_eq!((code, log.as_str()), (Some(0), "orrery: stopping\n"));
        assert!(kept.get("/healthz").is_err());
        assert!(
            !folder.path().join("series.db-wal").exists(),
            "the log of the database is merged into it"
        );
        let service = Serving::start(folder.path());
        assert!(
            service.client().get("/v1/series").expect("an answer").body.contains("\"value\":2.0")
        );
    }
}

/// The exit status and the message of a service that does not start.
fn refused(folder: &std::path::Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orrery"));
    let output = command
        .args(["monitor", "serve"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn wrong_options_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |arguments: &[&str]| refused(folder.path(), arguments);
    let (code, message) = refused(&["--store", "series.db", "--listen", "0.0.0.0:0"]);
    assert!(code == Some(2) && message.contains("is not a loopback address"), "{message}");
    let (code, message) = refused(&["--store", "series.db", "--token-file", "none"]);
    assert!(code == Some(1) && message.contains("none: the secret cannot be read"), "{message}");
    std::fs::write(folder.path().join("text"), "no database").expect("a file can be written");
    let (code, message) = refused(&["--store", "text"]);
    assert!(code == Some(1) && message.contains("text"), "{message}");
    let service = Serving::start(folder.path());
    let (code, message) =
        refused(&["--store", "series.db", "--listen", &service.address.to_string()]);
    assert!(code == Some(1) && message.contains("cannot listen on"), "{message}");
}
