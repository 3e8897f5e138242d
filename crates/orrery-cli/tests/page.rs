//! The pages of `orrery report`, `orrery simulate` and `orrery monitor serve` in a browser: drawn
//! in light and dark, without messages or fetches, without scroll bars in narrow windows, and with
//! readable labels.
//!
//! The browser is the command `chromium`. Without it each test prints one line that it is skipped;
//! if the environment variable CI is set, the tests fail instead.

#[path = "page/browser.rs"]
mod browser;
#[cfg(feature = "monitor")]
#[path = "../../orrery-monitor/tests/http/mod.rs"]
#[allow(dead_code, reason = "each test needs a part")]
mod http;
#[cfg(feature = "monitor")]
#[path = "page/live.rs"]
mod live;
#[path = "common/output.rs"]
mod output;
#[cfg(feature = "monitor")]
#[path = "monitor/process.rs"]
#[allow(dead_code, reason = "each test needs a part")]
mod process;
#[path = "../../orrery/tests/common/skip.rs"]
mod skip;
#[path = "../../orrery/tests/common/variants.rs"]
mod variants;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use browser::{Browser, Picture};
use skip::skip;
use variants::few_or_all;

/// The browser; `None` after a line on stderr that the test is skipped.
///
/// # Panics
///
/// Panics if there is no browser and the environment variable CI is set.
fn browser(test: &str) -> Option<Browser> {
    let browser = Browser::find();
    if browser.is_none() {
        let why = "there is no chromium on the PATH";
        assert!(std::env::var_os("CI").is_none(), "{test}: {why}; install it, as CI is set");
        skip(why);
    }
    browser
}

/// Runs the command in a folder.
fn orrery(folder: &Path, words: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_orrery"));
    command.args(words.split_whitespace()).current_dir(folder);
    let output = output::of(command).expect("the command ends");
    assert!(output.status.success(), "orrery {words}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The folder of pages that a function writes; it is made once for all tests.
fn once(folder: &'static OnceLock<tempfile::TempDir>, write: impl FnOnce(&Path)) -> &'static Path {
    let folder = folder.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder for pages");
        write(folder.path());
        folder
    });
    folder.path()
}

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

/// The page of a simulated cluster with noise.
fn cluster_page(example: &str, folder: &'static OnceLock<tempfile::TempDir>) -> PathBuf {
    let folder = once(folder, |at| {
        let machine = format!("sim:{EXAMPLES}/{example}.json,noise=0.02");
        orrery(at, &format!("measure comm --machine {machine} -o comm.csv"));
        orrery(at, "fit comm.csv -o model.json --models hockney,lmo");
        orrery(
            at,
            &format!("measure collectives --machine {machine} --root all -o collectives.csv"),
        );
        orrery(at, "report model.json comm.csv collectives.csv -o report.html");
    });
    folder.join("report.html")
}

/// The page of six hosts.
fn six_hosts() -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    cluster_page("six-hosts", &FOLDER)
}

/// The page of two hosts with three processors each.
fn shared_hosts() -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    cluster_page("two-hosts", &FOLDER)
}

/// The pages of an application's model, fitted by both methods, with runs that the fits did not
/// use.
fn applications() -> [PathBuf; 2] {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = once(&FOLDER, |at| {
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scaling");
        let map = ["athlon", "pentium-ii"].into_iter().zip(1..).map(|(kind, k)| {
            format!("elements:{kind}=p{k},processes:{kind}=m{k},computation:{kind}=ta{k},communication:{kind}=tc{k}")
        });
        let map = map.collect::<Vec<_>>().join(",");
        for runs in ["learn", "test"] {
            let (table, output) = (format!("{data}/{runs}.csv"), format!("{runs}.json"));
            orrery(at, &format!("scaling import {table} --map {map} -o {output}"));
        }
        for method in ["terms", "paper"] {
            let (model, page) = (format!("{method}-model.json"), format!("{method}.html"));
            orrery(at, &format!("scaling fit learn.json --method {method} -o {model}"));
            orrery(at, &format!("report {model} test.json -o {page}"));
        }
    });
    ["terms.html", "paper.html"].map(|page| folder.join(page))
}

/// The page of an application with two variables, ten values each, whose times differ by 25 %.
fn two_variables() -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = once(&FOLDER, |at| {
        let steps = || (0..10_i32).flat_map(|a| (0..10_i32).map(move |b| (a, b)));
        let value = |step: i32| 4.0 * 2_f64.powi(step);
        let point = |(a, b)| format!(" ({} {})", 1000.0 * value(a), value(b));
        let data = |(a, b): (i32, i32)| {
            let seconds = 1e-3 * value(a) / value(b) + 1e-5 * value(b);
            format!("DATA {}\n", seconds * (1.0 + 0.125 * f64::from((7 * a + 3 * b) % 5 - 2)))
        };
        let head = "PARAMETER problem_size\nPARAMETER processes\nMETRIC time\nPOINTS";
        let points: String = steps().map(point).collect();
        let text = format!("{head}{points}\n{}", steps().map(data).collect::<String>());
        std::fs::write(at.join("runs.txt"), text).expect("runs can be written");
        orrery(at, "scaling import runs.txt -o runs.json");
        orrery(at, "scaling fit runs.json -o model.json");
        orrery(at, "report model.json runs.json -o report.html");
    });
    folder.join("report.html")
}

/// The page of measured schemes.
fn schemes() -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = once(&FOLDER, |at| {
        let machine = format!("sim:{EXAMPLES}/gigabit.json,noise=0.02");
        std::fs::write(at.join("both.scheme"), "0 -> 1 x3\nback: 1 -> 0\n2 -> 1")
            .expect("a scheme can be written");
        orrery(
            at,
            &format!("measure scheme both.scheme --calibrate --machine {machine} -o timings.csv"),
        );
        orrery(at, "fit timings.csv -o model.json");
        orrery(at, "report model.json timings.csv -o report.html");
    });
    folder.join("report.html")
}

/// The page of a simulated application.
fn simulation() -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = once(&FOLDER, |at| {
        let simulate = format!("simulate {EXAMPLES}/gather.tit --platform {EXAMPLES}/crossbar.xml");
        orrery(at, &format!("{simulate} --network maxmin --report simulation.html"));
    });
    folder.join("simulation.html")
}

/// The page of a cluster whose scatter and gather have thresholds.
fn thresholds() -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = once(&FOLDER, |at| {
        let model = format!("{EXAMPLES}/switched-eight.json");
        let machine = format!("sim:{model},noise=0.02");
        orrery(
            at,
            &format!("measure collectives --machine {machine} --algorithms linear -o linear.csv"),
        );
        orrery(at, &format!("report {model} linear.csv -o report.html"));
    });
    folder.join("report.html")
}

/// The page of 200 hosts on 12 switches in 3 rows, with some hosts on none.
fn shared_links() -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = once(&FOLDER, |at| {
        let host = |number: u32| {
            format!("{{\"rank\": {number}, \"host\": \"compute-node{number:03}.example.org\"}}")
        };
        let range =
            |first: u32, count: u32| format!("{:?}", (first..first + count).collect::<Vec<_>>());
        let rows = (0..3).map(|row| range(64 * row, 64));
        let groups: Vec<String> =
            rows.chain((0..12).map(|switch| range(16 * switch, 14))).collect();
        let delays: Vec<f64> =
            (1..=groups.len()).map(|number| 1e-10 * (number * number) as f64).collect();
        let ends = |factor: f64| delays.iter().map(|delay| delay * factor).collect::<Vec<_>>();
        let model = format!(
            "{{\"format\": \"orrery-model\", \"version\": 1, \"processors\": [{}], \"models\": \
                {{\"ports\": {{\
             \"fixed_delay\": {{\"value\": 1e-5}}, \"byte_delay\": {{\"value\": 1e-10}}, \"port_byte_delay\": {{\"value\": 1e-8}},\
             \"flow_byte_delay\": {{\"value\": 0}}, \"link_latency\": {{\"value\": 3e-5}}, \"shared_links\": {{\"byte_delay\": \
             {{\"groups\": [{}], \"value\": {delays:?}, \"low\": {:?}, \"high\": {:?}, \"level\": \
             0.95}}}}}}}}}}",
            (0..200).map(host).collect::<Vec<_>>().join(", "),
            groups.join(", "),
            ends(0.9),
            ends(1.2)
        );
        std::fs::write(at.join("model.json"), model).expect("a model can be written");
        let measure = "measure collectives --machine sim:model.json,model=ports";
        let few = "--algorithms binomial --sizes 1K --max-reps 2 --min-reps 2";
        orrery(at, &format!("{measure} {few} -o samples.csv"));
        orrery(at, "report model.json samples.csv -o report.html");
    });
    folder.join("report.html")
}

/// Pages of a cluster, a simulation and an application, or all pages, with their names.
fn pages() -> Vec<(&'static str, PathBuf)> {
    let mut pages = vec![
        ("six hosts", six_hosts()),
        ("simulation", simulation()),
        ("two variables", two_variables()),
    ];
    if few_or_all(false, true) {
        let [terms, paper] = applications();
        pages.extend([
            ("shared hosts", shared_hosts()),
            ("thresholds", thresholds()),
            ("shared links", shared_links()),
            ("terms", terms),
            ("paper", paper),
            ("schemes", schemes()),
        ]);
    }
    pages
}

/// The text of a page with an addition at its end.
fn with(page: &Path, addition: &str) -> String {
    std::fs::read_to_string(page)
        .expect("the page can be read")
        .replace("</body>", &format!("{addition}</body>"))
}

/// The text of a page with all details unfolded.
fn unfolded(page: &Path) -> String {
    with(page, "").replace("<details>", "<details open>")
}

#[test]
fn pages_are_drawn_in_light_and_dark() {
    let Some(browser) = browser("pages_are_drawn_in_light_and_dark") else { return };
    for (page, dark) in pages().iter().flat_map(|(_, page)| [(page, false), (page, true)]) {
        let Picture { width, height, pixels } = browser.screenshot(page, (1200, 1600), dark);
        assert_eq!((width, height), (1200, 1600));
        let mut colors = pixels.clone();
        colors.sort_unstable();
        colors.dedup();
        assert!(colors.len() > 50, "dark {dark}: only {} colors", colors.len());
        let background = pixels[0].iter().map(|part| u32::from(*part)).sum::<u32>() / 3;
        assert_eq!(background < 80, dark, "the background is {:?}", pixels[0]);
    }
}

#[test]
fn pages_fetch_nothing_and_the_console_stays_empty() {
    let Some(browser) = browser("pages_fetch_nothing_and_the_console_stays_empty") else { return };
    for (name, page) in pages() {
        assert_eq!(browser.console_and_fetches(&page), [""; 0], "the page of {name}");
    }
    // The check itself finds a fetch and a message.
    let page = six_hosts();
    let bad = page.with_file_name("bad.html");
    let addition =
        "<img src=\"http://elsewhere.example/pixel.png\"><script>console.error('trouble')</script>";
    std::fs::write(&bad, with(&page, addition)).expect("a page can be written");
    let found = browser.console_and_fetches(&bad).join("\n");
    assert!(
        found.contains("trouble") && found.contains("elsewhere.example"),
        "not found in {found:?}"
    );
}

#[test]
fn narrow_windows_need_no_scroll_bar() {
    let Some(browser) = browser("narrow_windows_need_no_scroll_bar") else { return };
    let windows = [320, 400, 800];
    for (name, page) in pages() {
        assert_eq!(
            browser.widths_needed(&unfolded(&page), &windows),
            windows,
            "the page of {name}"
        );
    }
    let wide = with(&six_hosts(), "<div style=\"width: 700px\">too wide</div>");
    assert!(browser.widths_needed(&wide, &[400])[0] > 700);
}

#[test]
fn labels_of_figures_are_readable_at_all_widths() {
    let Some(browser) = browser("labels_of_figures_are_readable_at_all_widths") else { return };
    let mut failures = Vec::new();
    for (name, page) in pages() {
        let found = browser.unreadable_texts(&unfolded(&page), &[320, 400, 800, 1400]);
        failures.extend(found.into_iter().map(|text| format!("{name} {text}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // The check itself finds a clipped label.
    let clipped = "<svg class=\"figure\" viewBox=\"0 0 100 20\"><text x=\"80\" y=\"10\">a clipped \
        label</text></svg>";
    assert_eq!(browser.unreadable_texts(&with(&six_hosts(), clipped), &[800]).len(), 1);
}

#[test]
fn the_tree_of_shared_links_shows_each_group() {
    let text = std::fs::read_to_string(shared_links()).expect("the page can be read");
    let tree =
        text.split("<svg class=\"map tree\"").nth(1).and_then(|rest| rest.split("</svg>").next());
    let tree = tree.expect("the page has a tree");
    assert_eq!((tree.matches("<rect").count(), tree.matches("class=\"link\"").count()), (16, 15));
    for expected in [
        "all 200 hosts",
        "3 groups, …ute-node192 …",
        "14 hosts: …ute-node000 …",
        "node141.example.org reach the others",
    ] {
        assert!(tree.contains(expected), "{expected:?} is not in {tree}");
    }
    let without = std::fs::read_to_string(six_hosts()).expect("the page can be read");
    assert!(!without.contains("shared-links"));
}

#[test]
fn the_simulation_page_names_network_and_command() {
    let text = std::fs::read_to_string(simulation()).expect("the page can be read");
    for expected in
        ["<dt>Network model</dt><dd>maxmin</dd>", "<dt>Command</dt><dd><code>orrery simulate"]
    {
        assert!(text.contains(expected), "{expected} is not on the page");
    }
}

/// Every color that a page or a drawing refers to is defined in its own style sheet.
#[test]
fn pages_and_drawings_define_their_colors() {
    let schemes = schemes();
    let folder = schemes.parent().expect("a page is in a folder");
    orrery(folder, "share both.scheme --sharing maxmin --svg both.svg");
    let drawing = ("drawing of a scheme", folder.join("both.svg"));
    for (name, file) in pages().into_iter().chain([drawing]) {
        let text = std::fs::read_to_string(file).expect("the file can be read");
        for used in text.split("var(").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(text.contains(&format!("{used}:")), "{name}: {used} is not defined");
        }
    }
}

/// The section of terms names its model, which `--models` selects.
#[test]
fn the_model_of_the_terms_is_named_and_selected() {
    let page = six_hosts();
    let folder = page.parent().expect("a page is in a folder");
    let heading = |text: &str| {
        text.split("Terms of the time along the critical path by ").nth(1).map(str::to_owned)
    };
    let text = std::fs::read_to_string(&page).expect("the page can be read");
    assert!(
        heading(&text).is_some_and(|rest| rest.starts_with("lmo<")),
        "the page does not name lmo"
    );
    let report = "report model.json comm.csv collectives.csv -o hockney.html";
    orrery(folder, &format!("{report} --models hockney"));
    let text = std::fs::read_to_string(folder.join("hockney.html")).expect("the page can be read");
    assert!(
        heading(&text).is_some_and(|rest| rest.starts_with("hockney<")),
        "the page does not name hockney"
    );
    assert!(!text.contains("lmo:"), "the page shows a model that is not selected");
}
