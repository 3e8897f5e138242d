//! Readers that have seen enough.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::common::{Folder, Outcome};

/// As `| head -1` does: one line is read, then the pipe is closed.
#[test]
fn a_pipe_that_is_closed_early_is_no_failure() -> Outcome {
    let folder = Folder::new()?;
    folder.done("measure comm --machine sim:truth.json -o s.csv")?;
    // More than a pipe holds.
    let sizes = "--size 0..2M:512";
    for words in [
        format!("predict p2p truth.json {sizes}"),
        format!("predict p2p truth.json --format json {sizes}"),
        format!("predict p2p truth.json --format csv {sizes}"),
        format!("predict scatter truth.json --explain {sizes}"),
        "validate truth.json s.csv".to_owned(),
        "model show truth.json".to_owned(),
        "completions bash".to_owned(),
        "--help".to_owned(),
    ] {
        let mut running =
            folder.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(stdout) = running.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        assert!(!line.is_empty());
        let output = running.wait_with_output()?;
        assert!(output.status.success(), "orrery {words}: {}", output.status);
        assert_eq!(String::from_utf8(output.stderr)?, "", "orrery {words}");
    }
    Ok(())
}
