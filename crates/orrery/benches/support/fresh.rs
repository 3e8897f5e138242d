//! Memory of fresh processes: this program again with other words, or another program.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The most memory that a process has had, in bytes; `None` once it has ended.
fn peak(process: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib * 1024.0)
}

/// The most memory that this process has had, in bytes.
pub fn own_peak() -> f64 {
    peak("self").unwrap_or(f64::NAN)
}

/// What this program prints when it is called again with these words.
pub fn again(words: &[&str]) -> String {
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("/proc/self/exe"));
    let output = Command::new(own)
        .args(words)
        .stderr(Stdio::inherit())
        .output()
        .expect("a program can be called again");
    assert!(output.status.success(), "{words:?} fails");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The most memory that a command and what it starts have had each, in bytes, looked at every
/// millisecond.
pub fn peak_of(command: &mut Command) -> Option<f64> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let mut most = 0.0;
    loop {
        let mut open = vec![child.id().to_string()];
        while let Some(process) = open.pop() {
            most = f64::max(most, peak(&process).unwrap_or(0.0));
            let children =
                std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
            open.extend(children.unwrap_or_default().split_whitespace().map(str::to_owned));
        }
        if let Some(status) = child.try_wait().ok()? {
            return status.success().then_some(most);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
