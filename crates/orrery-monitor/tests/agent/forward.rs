//! Samples arrive at a service once each, whatever it answers in between.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};

use super::*;
use crate::request;

/// The refusal of a sample by the service.
const INVALID: &str = r#"{"error":{"code":"invalid_sample","message":"sample 1: not now"}}"#;

/// The page of a proxy.
const PAGE: &str = "<html><h1>Bad Request</h1></html>";

/// An answer that takes no sample: its status and its body.
type Refusal = (u16, &'static str);

/// A service that takes samples, after it has given each of some other answers.
struct Service {
    url: String,
    bodies: Arc<Mutex<Vec<String>>>,
    answers: Arc<Mutex<Vec<Refusal>>>,
}

impl Service {
    fn start(first: &[Refusal]) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let answers = Arc::new(Mutex::new(first.iter().rev().copied().collect::<Vec<_>>()));
        let (kept, coming) = (Arc::clone(&bodies), Arc::clone(&answers));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A connection that breaks is the client's to repeat.
                let _ = serve(&stream, &kept, &coming);
            }
        });
        Ok(Self { url, bodies, answers })
    }

    /// The series and times of all samples in the order of arrival.
    fn arrived(&self) -> Vec<String> {
        let bodies = self.bodies.lock().map(|bodies| bodies.clone()).unwrap_or_default();
        let all =
            bodies.iter().flat_map(|body| body.split("},{").map(str::to_owned).collect::<Vec<_>>());
        let part = |one: String| one.split_once("\"series\":").map(|(_, rest)| rest.to_owned());
        all.filter_map(part)
            .filter_map(|rest| Some(rest.split_once(",\"value\"")?.0.to_owned()))
            .collect()
    }
}

fn serve(
    stream: &TcpStream,
    kept: &Mutex<Vec<String>>,
    coming: &Mutex<Vec<Refusal>>,
) -> std::io::Result<()> {
    let (_, body) = request::read(stream)?;
    let taken = (200, r#"{"accepted":1,"duplicates":0}"#);
    let (status, answer) = coming.lock().ok().and_then(|mut coming| coming.pop()).unwrap_or(taken);
    if status == 200
        && let Ok(mut kept) = kept.lock()
    {
        kept.push(body);
    }
    let mut writer = stream;
    write!(
        writer,
        "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{answer}",
        answer.len()
    )
}

#[test]
fn samples_arrive_once_after_failures_and_restarts() -> TestResult {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("series.db");
    let service = Service::start(&[(503, PAGE), (429, PAGE)])?;
    let text = format!("{}[forward]\nurl = '{}'\n", config(&store, "a"), service.url);
    let agent = Running::start(folder.path(), &text)?;
    until("samples arrive", || service.arrived().len() > 10);
    let events = agent.end()?;
    let failed = events.iter().position(
        |event| matches!(event, Event::ForwardFailed { reason } if reason.contains("503")),
    );
    let recovered = events.iter().position(|event| *event == Event::ForwardRecovered);
    assert!(failed.is_some() && failed < recovered, "{events:?}");
    let before = service.arrived().len();
    let again = Running::start(folder.path(), &text)?;
    until("further samples arrive", || service.arrived().len() > before + 10);
    again.end()?;
    let arrived = service.arrived();
    assert_eq!(
        arrived.iter().collect::<BTreeSet<_>>().len(),
        arrived.len(),
        "a sample arrived twice"
    );
    Ok(())
}

#[test]
fn refused_samples_do_not_stop_the_others() -> TestResult {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("series.db");
    let sample = |at: i64| -> Result<_, orrery_monitor::NameError> {
        Ok(orrery_monitor::Sample {
            series: "a/other".parse()?,
            time: Timestamp::from_micros(at),
            value: 1.0,
        })
    };
    Store::open(&store)?.append(&[sample(1)?, sample(2)?, sample(3)?, sample(4)?])?;
    // The service refuses four samples or more, then two, then one.
    let mut answers = [(400, INVALID); 8];
    answers[1] = (413, PAGE);
    let service = Service::start(&answers)?;
    let text = format!("{}[forward]\nurl = '{}'\n", config(&store, "a"), service.url);
    let agent = Running::start(folder.path(), &text)?;
    until("samples arrive", || service.arrived().len() > 3);
    let events = agent.end()?;
    assert!(service.answers.lock().is_ok_and(|answers| answers.is_empty()));
    let refused = events.iter().filter_map(|event| match event {
        Event::Refused { samples, path, .. } => Some((path, *samples)),
        _ => None,
    });
    let files: BTreeSet<_> = refused.clone().map(|(path, _)| path).collect();
    let count: u64 = refused.map(|(_, samples)| samples).sum();
    let file = files.first().ok_or("no sample was refused")?;
    let discarded = std::fs::read_to_string(file)?;
    // Each refused sample is in the file, and not sent again.
    assert_eq!((files.len(), discarded.lines().count()), (1, usize::try_from(count)?));
    for line in discarded.lines() {
        let line: serde_json::Value = serde_json::from_str(line)?;
        let time = format!("{},\"time\":{}", line["series"], line["time"]);
        assert!(!service.arrived().contains(&time), "{time}");
    }
    Ok(())
}

/// A proxy that answers in the place of the service delays samples, and takes none of them; nor does
/// a service whose clock is behind.
#[test]
fn answers_of_proxies_and_wrong_clocks_discard_nothing() -> TestResult {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("series.db");
    // Old ones would be summarised.
    let begin = Timestamp::now().micros() / 1_000_000 - 100;
    let sample = |at: i64| -> Result<_, orrery_monitor::NameError> {
        Ok(orrery_monitor::Sample {
            series: "a/other".parse()?,
            time: Timestamp::from_micros((begin + at) * 1_000_000),
            value: 1.0,
        })
    };
    let backlog = (1..44).map(sample).collect::<Result<Vec<_>, _>>()?;
    Store::open(&store)?.append(&backlog)?;
    // Halved until one sample is left, which is refused by its size, and then as wrong.
    let mut answers = vec![(413, PAGE); 6];
    answers.push((400, r#"{"error":{"message":"no service"}}"#));
    answers.push((400, r#"{"error":{"code":"sample_ahead","message":"sample 1: ahead"}}"#));
    let service = Service::start(&answers)?;
    let text = format!("{}[forward]\nurl = '{}'\n", config(&store, "a"), service.url);
    let agent = Running::start(folder.path(), &text)?;
    let of_backlog =
        || service.arrived().iter().filter(|sample| sample.starts_with("\"a/other")).count();
    until("the backlog arrives", || of_backlog() >= 43);
    let events = agent.end()?;
    assert_eq!(of_backlog(), 43);
    assert!(!events.iter().any(|event| matches!(event, Event::Refused { .. })), "{events:?}");
    Ok(())
}

#[test]
fn the_token_is_in_no_message() -> TestResult {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir()?;
    let (store, token) = (folder.path().join("series.db"), folder.path().join("token"));
    std::fs::write(&token, "a-secret-token")?;
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600))?;
    let service = Service::start(&[(401, PAGE)])?;
    let text = format!(
        "{}[forward]\nurl = '{}'\ntoken_file = '{}'\n",
        config(&store, "a"),
        service.url,
        token.display()
    );
    let agent = Running::start(folder.path(), &text)?;
    until("samples arrive", || !service.arrived().is_empty());
    let events = format!("{:?} {:?}", agent.end()?, settings(folder.path(), &text)?);
    assert!(events.contains("401") && !events.contains("a-secret-token"), "{events}");
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o604))?;
    let error = settings(folder.path(), &text).expect_err("others can read the token").to_string();
    assert!(error.contains("chmod g-w,o="), "{error}");
    Ok(())
}
