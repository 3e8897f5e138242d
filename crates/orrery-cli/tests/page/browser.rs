//! Runs Chromium without a window and with a time limit.

use std::fs::{self, File};
use std::io::BufReader;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A run of the browser that takes longer fails the test.
const TIME_LIMIT: Duration = Duration::from_secs(90);

const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    // No host name is resolved, so that every fetch fails and is logged.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/// The path of the command `chromium`.
pub struct Browser(PathBuf);

/// A screenshot.
pub struct Picture {
    pub width: u32,
    pub height: u32,
    /// Red, green and blue, row by row.
    pub pixels: Vec<[u8; 3]>,
}

/// A running browser; dropping it kills all its processes.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = rustix::process::Pid::from_raw(self.0.id() as i32) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

impl Browser {
    /// The first `chromium` on the PATH.
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path)
            .map(|folder| folder.join("chromium"))
            .find(|file| file.is_file())
            .map(Self)
    }

    /// Opens a page and returns stdout and the log of the browser.
    fn run(&self, page: &Path, arguments: &[String]) -> (String, String) {
        self.run_at(&format!("file://{}", page.display()), arguments)
    }

    /// Opens an address and returns stdout and the log of the browser.
    fn run_at(&self, address: &str, arguments: &[String]) -> (String, String) {
        let folder = tempfile::tempdir().expect("a folder for the browser");
        let (out, log) = (folder.path().join("out"), folder.path().join("log"));
        let file = |path: &Path| {
            Stdio::from(File::create(path).expect("a file for what the browser says"))
        };
        let mut command = Command::new(&self.0);
        command
            .args(FLAGS)
            .args(arguments)
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
        command.arg(address).stdin(Stdio::null()).stdout(file(&out)).stderr(file(&log));
        let mut running =
            Running(command.process_group(0).spawn().expect("the browser can be started"));
        let started = Instant::now();
        let status = loop {
            if let Some(status) = running.0.try_wait().expect("the browser can be waited for") {
                break status;
            }
            assert!(
                started.elapsed() < TIME_LIMIT,
                "the browser does not end within {TIME_LIMIT:?}"
            );
            std::thread::sleep(Duration::from_millis(20));
        };
        drop(running);
        let read = |path| {
            String::from_utf8_lossy(&fs::read(path).expect("what the browser said")).into_owned()
        };
        let (out, log) = (read(&out), read(&log));
        assert!(status.success(), "the browser failed ({status}): {log}");
        (out, log)
    }

    /// A screenshot of the upper part of a page, as large as the window.
    pub fn screenshot(&self, page: &Path, (width, height): (u32, u32), dark: bool) -> Picture {
        let name = if dark { "dark.png" } else { "light.png" };
        let file = page.with_file_name(name);
        let arguments = [
            format!("--screenshot={}", file.display()),
            format!("--window-size={width},{height}"),
            format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)),
        ];
        self.run(page, &arguments);
        Picture::read(&file)
    }

    /// The messages on the console and the fetches from other places.
    pub fn console_and_fetches(&self, page: &Path) -> Vec<String> {
        let traffic = page.with_extension("traffic.json");
        let arguments = [
            "--dump-dom".to_owned(),
            "--enable-logging=stderr".to_owned(),
            "--v=0".to_owned(),
            format!("--log-net-log={}", traffic.display()),
        ];
        let (_, log) = self.run(page, &arguments);
        let traffic = fs::read_to_string(&traffic).expect("the log of the traffic");
        // The browser fetches for itself, too; fetches of a page name its scheme.
        let fetched = traffic.lines().filter(|line| {
            let elsewhere = ["\"url\":\"http:", "\"url\":\"https:", "\"url\":\"ws"]
                .iter()
                .any(|word| line.contains(word));
            elsewhere && line.contains("file://")
        });
        let console = log.lines().filter(|line| line.contains("CONSOLE") || line.contains("ERR_"));
        console.chain(fetched).map(ToOwned::to_owned).collect()
    }

    /// The elements of the page at an address after it was shown, and the messages on the console.
    #[cfg(feature = "monitor")]
    pub fn open(&self, address: &str, flag: &str) -> (String, Vec<String>) {
        let flags = ["--dump-dom", "--enable-logging=stderr", "--v=0", flag].map(ToOwned::to_owned);
        let (dom, log) = self.run_at(address, &flags);
        let console =
            log.lines().filter(|line| line.contains("CONSOLE")).map(ToOwned::to_owned).collect();
        (dom, console)
    }

    /// The width that a page needs in each window; more than the width of the window means a scroll
    /// bar.
    pub fn widths_needed(&self, page: &str, windows: &[u32]) -> Vec<u32> {
        let values = self.evaluate(page, windows, "inner.documentElement.scrollWidth");
        values.iter().map(|width| width.parse().expect("a width")).collect()
    }

    /// The texts of figures that are clipped, overlap each other or are too small, each with its
    /// window and the reason.
    pub fn unreadable_texts(&self, page: &str, windows: &[u32]) -> Vec<String> {
        let found = self.evaluate(page, windows, UNREADABLE_TEXTS);
        let texts = found
            .iter()
            .zip(windows)
            .flat_map(|(found, window)| found.split('|').map(move |one| (one, window)));
        texts
            .filter(|(text, _)| !text.is_empty())
            .map(|(text, window)| format!("at {window}: {text}"))
            .collect()
    }

    /// The values of a JavaScript expression over the document `inner`: a page in windows of some
    /// widths.
    ///
    /// The page is in frames, because windows of the browser have a least width.
    fn evaluate(&self, page: &str, windows: &[u32], expression: &str) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder for a page");
        let outer = folder.path().join("outer.html");
        let quoted = page.replace('&', "&amp;").replace('"', "&quot;");
        let frame = |width| {
            format!(
                "<iframe style=\"border:0;width:{width}px;height:900px\" \
                    srcdoc=\"{quoted}\"></iframe>"
            )
        };
        let frames = windows.iter().map(frame).collect::<Vec<_>>().concat();
        let text = format!(
            "<!DOCTYPE html><body>{frames}<script>addEventListener('load', () => {{ const values = \
                [...document.querySelectorAll('iframe')].map(frame => {{ const inner = \
                frame.contentDocument; return {expression}; }}); document.body.innerHTML = ''; \
                document.body.setAttribute('data-values', values.join('@@')); }})</script></body>"
        );
        fs::write(&outer, text).expect("a page can be written");
        let (dom, log) =
            self.run(&outer, &["--dump-dom".to_owned(), "--window-size=1600,1000".to_owned()]);
        let values = dom.split("data-values=\"").nth(1).and_then(|rest| rest.split('"').next());
        let values = values.unwrap_or_else(|| panic!("the browser returned no values: {log}"));
        values.split("@@").map(ToOwned::to_owned).collect()
    }
}

/// Finds texts of figures outside of their figure, overlapping labels, and labels of timelines
/// below 10 pixels.
const UNREADABLE_TEXTS: &str = r"(() => {
  const found = [];
  const round = box => [box.left, box.right, box.top, box.bottom].map(Math.round).join(' ');
  const check = (figure, texts) => {
    const frame = figure.getBoundingClientRect();
    if (frame.width === 0) return;
    const boxes = texts.map(text => [text.textContent, text.getBoundingClientRect()]).filter(([, box]) => box.width > 0);
    for (const [text, box] of boxes) {
      const inside = box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.top >= frame.top - 1
        && box.bottom <= frame.bottom + 1;
      if (!inside) found.push(`${text} is clipped: ${round(box)} in ${round(frame)}`);
    }
    boxes.forEach(([text, a], k) => boxes.slice(k + 1).forEach(([other, b]) => {
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 3) found.push(`${text} overlaps ${other}`);
    }));
  };
  for (const svg of inner.querySelectorAll('svg.figure, svg.scheme, svg.map')) check(svg, [...svg.querySelectorAll('text')]);
  for (const timeline of inner.querySelectorAll('.timeline')) {
    const labels = [...timeline.querySelectorAll('span')];
    check(timeline.parentElement, labels);
    for (const label of labels) {
      const size = parseFloat(inner.defaultView.getComputedStyle(label).fontSize);
      if (size < 10) found.push(`${label.textContent} is too small: ${size}`);
    }
  }
  return found.join('|');
})()";

impl Picture {
    fn read(file: &Path) -> Self {
        let opened = File::open(file).expect("the browser makes a picture");
        let mut decoder = png::Decoder::new(BufReader::new(opened));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().expect("the picture is a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a picture of moderate size")];
        let info = reader.next_frame(&mut bytes).expect("the picture is whole");
        let samples = info.color_type.samples();
        assert!(samples >= 3, "the picture has colours");
        let pixels =
            bytes[..info.buffer_size()].chunks_exact(samples).map(|p| [p[0], p[1], p[2]]).collect();
        Self { width: info.width, height: info.height, pixels }
    }
}
