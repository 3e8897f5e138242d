//! The live page of `orrery monitor serve`: it shows hosts, links and series, and follows new
//! samples.

use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::browser;
use super::http::{Client, samples};
use super::process::Serving;

/// The time of the page until its elements are read. It passes faster than that of the test.
const VIRTUAL_TIME: &str = "--virtual-time-budget=600000";

/// A service and the folder of its database.
struct Live {
    service: Serving,
    _folder: tempfile::TempDir,
}

impl Live {
    fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { service: Serving::start_with(folder.path(), arguments), _folder: folder }
    }

    fn client(&self) -> Client<TcpStream> {
        self.service.client()
    }

    fn page(&self) -> String {
        format!("http://{}/", self.service.address)
    }

    /// Posts samples of three hosts and their links, one per second up to now, with this last load
    /// of the first host.
    fn post(&self, load: f64) {
        let now =
            SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs_f64().floor();
        let mut all: Vec<(String, f64, f64)> = Vec::new();
        for k in 0..120 {
            let (time, wave) = (now - 119.0 + f64::from(k), f64::from(k % 7) / 10.0);
            for host in 1..=3 {
                let last = if k == 119 && host == 1 { load } else { f64::from(host) + wave };
                all.push((format!("node{host}/load"), time, last));
                all.push((format!("node{host}/availability"), time, 0.9 - wave));
                all.push((format!("node{host}/memory_free"), time, 8e9 + 1e9 * wave));
                for peer in (1..=3).filter(|peer| *peer != host) {
                    let factor = f64::from(host * peer);
                    all.push((
                        format!("node{host}/bandwidth/node{peer}"),
                        time,
                        1e9 * factor * (1.0 - 0.1 * wave),
                    ));
                    all.push((
                        format!("node{host}/latency/node{peer}"),
                        time,
                        2e-5 * factor * (1.0 + wave),
                    ));
                }
            }
            // A name is data and no element.
            all.push(("node1/disk_free//<img src=x onerror=console.error(1)>".into(), time, 1e12));
        }
        // The series of a host that has stopped.
        all.extend((0..60).map(|k| ("old/load".to_owned(), now - 9000.0 + f64::from(k), 0.5)));
        for part in all.chunks(5000) {
            let body =
                samples(part.iter().map(|(series, time, value)| (series.as_str(), *time, *value)));
            let answer = self.client().post("/v1/samples", &body).expect("an answer");
            assert_eq!(answer.status, 200, "{}", answer.body);
        }
    }

    /// The number of times that the list of series was fetched.
    fn fetches(&self) -> u64 {
        let metrics = self.client().get("/metrics").expect("an answer").body;
        let line = metrics.lines().find_map(|line| {
            line.strip_prefix("orrery_requests_total{route=\"/v1/series\",status=\"200\"} ")
        });
        line.and_then(|count| count.parse().ok()).unwrap_or(0)
    }
}

#[test]
fn the_live_page_follows_new_samples() {
    let Some(browser) = browser("the_live_page_follows_new_samples") else { return };
    let service = Live::start(&[]);
    service.post(111.0);
    let is_closed = AtomicBool::new(false);
    let (dom, console) = std::thread::scope(|scope| {
        // The load changes only after the page has shown the first one.
        scope.spawn(|| {
            while service.fetches() < 1 {
                if is_closed.load(Ordering::Relaxed) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(1100));
            service.post(222.0);
        });
        let opened = browser.open(&format!("{}#node1%2Fload", service.page()), VIRTUAL_TIME);
        is_closed.store(true, Ordering::Relaxed);
        opened
    });
    assert_eq!(console, [""; 0]);
    assert!(service.fetches() >= 2, "the page was not updated");
    for expected in [
        "222",
        "node3",
        "GB/s",
        "µs",
        "GiB",
        "class=\"stale\"",
        "the series may have ended",
        "class=\"forecast\"",
        "23 series of 4 hosts",
    ] {
        assert!(dom.contains(expected), "{expected} is not in {dom}");
    }
    assert!(dom.contains("&lt;img src=x"), "names are texts: {dom}");
    assert!(!dom.contains("<img"), "{dom}");
}

#[test]
fn the_live_page_asks_for_a_token() {
    let Some(browser) = browser("the_live_page_asks_for_a_token") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    std::fs::write(&file, "0123456789abcdef-of-a-test\n").expect("a file can be written");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("permissions");
    let service = Live::start(&["--token-file", file.to_str().expect("a path is text")]);
    let (dom, _) = browser.open(&service.page(), VIRTUAL_TIME);
    assert!(
        dom.contains("Not updated: a token is needed") && dom.contains("<form id=\"login\">"),
        "{dom}"
    );
}
