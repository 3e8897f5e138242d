//! The page of `orrery report` in a browser: drawn in light and dark, quiet, complete in itself, narrow where it must be.
//!
//! The browser is the command `chromium`. Where there is none these tests say so in one line and pass.

#[path = "page/browser.rs"]
mod browser;
#[path = "common/output.rs"]
mod output;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use browser::{Browser, Picture};

/// Runs the command in a folder.
fn orrery(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orrery"));
    command.args(arguments).current_dir(folder);
    let output = output::of(command).expect("the command comes to an end");
    assert!(output.status.success(), "orrery {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A browser and the page of six simulated hosts; `None` without a browser.
fn at_hand() -> Option<(Browser, PathBuf)> {
    static PAGE: OnceLock<tempfile::TempDir> = OnceLock::new();
    page_of("six-hosts", &PAGE)
}

/// The same of two hosts with three processors each.
fn shared_hosts_at_hand() -> Option<(Browser, PathBuf)> {
    static PAGE: OnceLock<tempfile::TempDir> = OnceLock::new();
    page_of("two-hosts", &PAGE)
}

fn page_of(example: &str, page: &OnceLock<tempfile::TempDir>) -> Option<(Browser, PathBuf)> {
    let Some(browser) = Browser::find() else {
        println!("skipped: there is no chromium on the PATH");
        return None;
    };
    let folder = page.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder for the page");
        let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
        let machine = format!("sim:{examples}/{example}.json,noise=0.02");
        let at = folder.path();
        orrery(at, &["measure", "comm", "--machine", &machine, "-o", "comm.csv"]);
        orrery(at, &["fit", "comm.csv", "-o", "model.json", "--models", "hockney,lmo"]);
        orrery(at, &["measure", "collectives", "--machine", &machine, "--root", "all", "-o", "collectives.csv"]);
        orrery(at, &["report", "model.json", "comm.csv", "collectives.csv", "-o", "report.html"]);
        folder
    });
    Some((browser, folder.path().join("report.html")))
}

/// The pages of the models of an application, of both methods, on runs that they were not made of.
fn applications_at_hand() -> Option<(Browser, [PathBuf; 2])> {
    static PAGES: OnceLock<tempfile::TempDir> = OnceLock::new();
    let browser = Browser::find()?;
    let folder = PAGES.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder for the pages");
        let at = folder.path();
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scaling");
        let map = ["athlon", "pentium-ii"].into_iter().zip(1..).map(|(kind, k)| {
            format!("elements:{kind}=p{k},processes:{kind}=m{k},computation:{kind}=ta{k},communication:{kind}=tc{k}")
        });
        let map = map.collect::<Vec<_>>().join(",");
        for runs in ["learn", "test"] {
            let (table, output) = (format!("{data}/{runs}.csv"), format!("{runs}.json"));
            orrery(at, &["scaling", "import", &table, "--map", &map, "-o", &output]);
        }
        for method in ["terms", "paper"] {
            let (model, page) = (format!("{method}-model.json"), format!("{method}.html"));
            orrery(at, &["scaling", "fit", "learn.json", "--method", method, "-o", &model]);
            orrery(at, &["report", &model, "test.json", "-o", &page]);
        }
        folder
    });
    Some((browser, ["terms.html", "paper.html"].map(|page| folder.path().join(page))))
}

/// The page of measured schemes.
fn schemes_at_hand() -> Option<PathBuf> {
    static PAGE: OnceLock<tempfile::TempDir> = OnceLock::new();
    Browser::find()?;
    let folder = PAGE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder for the page");
        let machine = concat!("sim:", env!("CARGO_MANIFEST_DIR"), "/../../examples/gigabit.json,noise=0.02");
        let at = folder.path();
        std::fs::write(at.join("both.scheme"), "0 -> 1 x3\nback: 1 -> 0\n2 -> 1").expect("a scheme can be written");
        orrery(at, &["measure", "scheme", "both.scheme", "--calibrate", "--machine", machine, "-o", "timings.csv"]);
        orrery(at, &["fit", "timings.csv", "-o", "model.json"]);
        orrery(at, &["report", "model.json", "timings.csv", "-o", "report.html"]);
        folder
    });
    Some(folder.path().join("report.html"))
}

/// The page of a replay.
fn replay_at_hand() -> Option<(Browser, PathBuf)> {
    static PAGE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let browser = Browser::find()?;
    let folder = PAGE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder for the page");
        let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
        let (trace, cluster) = (format!("{examples}/gather.tit"), format!("{examples}/crossbar.xml"));
        let network = ["--network", "maxmin", "--report", "replay.html"];
        orrery(folder.path(), &[&["simulate", &trace, "--platform", &cluster], &network[..]].concat());
        folder
    });
    Some((browser, folder.path().join("replay.html")))
}

/// The page of a cluster whose scatter and gather have thresholds.
fn thresholds_at_hand() -> Option<PathBuf> {
    static PAGE: OnceLock<tempfile::TempDir> = OnceLock::new();
    Browser::find()?;
    let folder = PAGE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder for the page");
        let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/switched-eight.json");
        let machine = format!("sim:{model},noise=0.02");
        let at = folder.path();
        orrery(at, &["measure", "collectives", "--machine", &machine, "--algorithms", "linear", "-o", "linear.csv"]);
        orrery(at, &["report", model, "linear.csv", "-o", "report.html"]);
        folder
    });
    Some(folder.path().join("report.html"))
}

/// The text of a page with something added to its end.
fn with(page: &Path, addition: &str) -> String {
    std::fs::read_to_string(page).expect("the page can be read").replace("</body>", &format!("{addition}</body>"))
}

#[test]
fn the_page_is_drawn_in_light_and_in_dark() {
    let Some((browser, page)) = at_hand() else { return };
    let Some((_, [of_terms, of_paper])) = applications_at_hand() else { return };
    let Some(of_schemes) = schemes_at_hand() else { return };
    let Some((_, of_replay)) = replay_at_hand() else { return };
    let pages = [&page, &of_terms, &of_paper, &of_schemes, &of_replay];
    for (page, dark) in pages.into_iter().flat_map(|page| [(page, false), (page, true)]) {
        let Picture { width, height, pixels } = browser.screenshot(page, (1200, 1600), dark);
        assert_eq!((width, height), (1200, 1600));
        let mut colours = pixels.clone();
        colours.sort_unstable();
        colours.dedup();
        assert!(colours.len() > 50, "dark {dark}: only {} colours", colours.len());
        let paper = pixels[0].iter().map(|part| u32::from(*part)).sum::<u32>() / 3;
        assert_eq!(paper < 80, dark, "the paper is {:?}", pixels[0]);
    }
}

#[test]
fn the_page_fetches_nothing_and_the_console_stays_empty() {
    let Some((browser, page)) = at_hand() else { return };
    assert_eq!(browser.complaints(&page), [""; 0]);
    let of_applications = applications_at_hand().map(|(_, pages)| pages.to_vec()).unwrap_or_default();
    for page in of_applications.iter().chain(&schemes_at_hand()) {
        assert_eq!(browser.complaints(page), [""; 0]);
    }
    if let Some((_, page)) = replay_at_hand() {
        assert_eq!(browser.complaints(&page), [""; 0]);
    }
    // The same eyes see a page that does what ours must not do.
    let bad = page.with_file_name("bad.html");
    let addition = "<img src=\"http://elsewhere.example/pixel.png\"><script>console.error('trouble')</script>";
    std::fs::write(&bad, with(&page, addition)).expect("a page can be written");
    let seen = browser.complaints(&bad).join("\n");
    assert!(seen.contains("trouble") && seen.contains("elsewhere.example"), "unseen in {seen:?}");
}

#[test]
fn a_narrow_window_needs_no_scroll_bar() {
    let Some((browser, page)) = at_hand() else { return };
    let Some((_, of_shared_hosts)) = shared_hosts_at_hand() else { return };
    let Some((_, [of_terms, of_paper])) = applications_at_hand() else { return };
    let Some(of_schemes) = schemes_at_hand() else { return };
    let Some((_, of_replay)) = replay_at_hand() else { return };
    let Some(of_thresholds) = thresholds_at_hand() else { return };
    let pages = [
        ("six hosts", &page),
        ("shared hosts", &of_shared_hosts),
        ("thresholds", &of_thresholds),
        ("terms", &of_terms),
        ("paper", &of_paper),
        ("schemes", &of_schemes),
        ("replay", &of_replay),
    ];
    for (name, page) in pages {
        // What is folded counts as well: it will be opened.
        let unfolded = with(page, "").replace("<details>", "<details open>");
        for narrow in [320, 400, 800] {
            assert_eq!(browser.width_needed(&unfolded, narrow), narrow, "the page of {name} in a window of {narrow}");
        }
    }
    let wide = with(&page, "<div style=\"width: 700px\">too wide</div>");
    assert!(browser.width_needed(&wide, 400) > 700);
}
