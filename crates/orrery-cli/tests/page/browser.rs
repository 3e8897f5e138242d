//! Chromium without a window, each run bounded in time.

use std::fs::{self, File};
use std::io::BufReader;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A browser that takes longer is stuck.
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
    // No name is known, so that whatever is fetched fails and is heard of.
    "--host-resolver-rules=MAP * ~NOTFOUND",
];

/// The command that starts it.
pub struct Browser(PathBuf);

/// A screenshot.
pub struct Picture {
    pub width: u32,
    pub height: u32,
    /// Red, green and blue, row by row.
    pub pixels: Vec<[u8; 3]>,
}

/// Ends the browser with all its processes, however the test ends.
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
        std::env::split_paths(&path).map(|folder| folder.join("chromium")).find(|file| file.is_file()).map(Self)
    }

    /// What it writes to its standard output and to its log.
    fn run(&self, page: &Path, arguments: &[String]) -> (String, String) {
        let folder = tempfile::tempdir().expect("a folder for the browser");
        let (out, log) = (folder.path().join("out"), folder.path().join("log"));
        let file = |path: &Path| Stdio::from(File::create(path).expect("a file for what the browser says"));
        let mut command = Command::new(&self.0);
        command.args(FLAGS).args(arguments).arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
        command.arg(format!("file://{}", page.display())).stdin(Stdio::null()).stdout(file(&out)).stderr(file(&log));
        let mut running = Running(command.process_group(0).spawn().expect("the browser can be started"));
        let started = Instant::now();
        let status = loop {
            if let Some(status) = running.0.try_wait().expect("the browser can be waited for") {
                break status;
            }
            assert!(started.elapsed() < TIME_LIMIT, "the browser is stuck: no end after {TIME_LIMIT:?}");
            std::thread::sleep(Duration::from_millis(20));
        };
        drop(running);
        let read = |path| String::from_utf8_lossy(&fs::read(path).expect("what the browser said")).into_owned();
        let (out, log) = (read(&out), read(&log));
        assert!(status.success(), "the browser failed ({status}): {log}");
        (out, log)
    }

    /// The upper part of a page, as large as the window.
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

    /// What the console says, and what is fetched from elsewhere.
    pub fn complaints(&self, page: &Path) -> Vec<String> {
        let traffic = page.with_extension("traffic.json");
        let arguments = [
            "--dump-dom".to_owned(),
            "--enable-logging=stderr".to_owned(),
            "--v=0".to_owned(),
            format!("--log-net-log={}", traffic.display()),
        ];
        let (_, log) = self.run(page, &arguments);
        let traffic = fs::read_to_string(&traffic).expect("the log of the traffic");
        // The browser has errands of its own; those of a page name the scheme it came by.
        let fetched = traffic.lines().filter(|line| {
            let elsewhere =
                ["\"url\":\"http:", "\"url\":\"https:", "\"url\":\"ws"].iter().any(|word| line.contains(word));
            elsewhere && line.contains("file://")
        });
        let console = log.lines().filter(|line| line.contains("CONSOLE") || line.contains("ERR_"));
        console.chain(fetched).map(ToOwned::to_owned).collect()
    }

    /// How wide a page becomes in a window so wide: more than that needs a scroll bar.
    ///
    /// The page stands in a frame, because windows have a least width.
    pub fn width_needed(&self, page: &str, window: u32) -> u32 {
        let folder = tempfile::tempdir().expect("a folder for a page");
        let outer = folder.path().join("outer.html");
        let quoted = page.replace('&', "&amp;").replace('"', "&quot;");
        let text = format!(
            "<!DOCTYPE html><body><iframe id=\"inner\" style=\"border:0;width:{window}px;height:900px\" srcdoc=\"{quoted}\">\
             </iframe><script>addEventListener('load', () => document.body.setAttribute('data-needed', \
             document.getElementById('inner').contentDocument.documentElement.scrollWidth))</script></body>"
        );
        fs::write(&outer, text).expect("a page can be written");
        let (dom, log) = self.run(&outer, &["--dump-dom".to_owned(), "--window-size=1200,1000".to_owned()]);
        let needed = dom.split("data-needed=\"").nth(1).and_then(|rest| rest.split('"').next());
        needed.and_then(|width| width.parse().ok()).unwrap_or_else(|| panic!("the browser gave no width: {log}"))
    }
}

impl Picture {
    fn read(file: &Path) -> Self {
        let opened = File::open(file).expect("the browser makes a picture");
        let mut decoder = png::Decoder::new(BufReader::new(opened));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().expect("the picture is a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a picture of a bearable size")];
        let info = reader.next_frame(&mut bytes).expect("the picture is whole");
        let samples = info.color_type.samples();
        assert!(samples >= 3, "the picture has colours");
        let pixels = bytes[..info.buffer_size()].chunks_exact(samples).map(|p| [p[0], p[1], p[2]]).collect();
        Self { width: info.width, height: info.height, pixels }
    }
}
