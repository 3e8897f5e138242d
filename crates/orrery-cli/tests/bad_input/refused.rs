use std::error::Error;

use crate::common::{Folder, Outcome};

/// The exit status of a command that failed.
pub const FAILED: i32 = 1;

/// The exit status of a command line that cannot be.
pub const USAGE: i32 = 2;

/// Runs a command that must fail with this status and one message that holds all these parts.
pub fn refused(folder: &Folder, words: &str, status: i32, parts: &[&str]) -> Outcome {
    let output = folder.run(words)?;
    let (stdout, stderr) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
    let told = format!("orrery {words}: {}\n{stderr}", output.status);
    assert_eq!(output.status.code(), Some(status), "{told}");
    assert_eq!(stdout, "", "{told}");
    // Warnings and remarks about what went well may stand before it.
    let errors =
        |line: &&str| line.starts_with("orrery: ") && !line.starts_with("orrery: warning: ");
    assert_eq!(stderr.lines().filter(errors).count(), 1, "{told}");
    let message = stderr.lines().skip_while(|line| !errors(line)).collect::<Vec<_>>().join("\n");
    assert!(message.lines().count() <= 3, "{told}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not told by {told}");
    }
    for never in ["panicked", "backtrace", "RUST_", "Error {", "unwrap"] {
        assert!(!stderr.contains(never), "{told}");
    }
    Ok(())
}

/// The warnings of a command that succeeds.
pub fn warnings(folder: &Folder, words: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let run = folder.run(words)?;
    let stderr = String::from_utf8(run.stderr)?;
    assert!(run.status.success(), "orrery {words}: {stderr}");
    Ok(stderr
        .lines()
        .filter_map(|line| line.strip_prefix("orrery: warning: "))
        .map(str::to_owned)
        .collect())
}

/// Makes one test for each line: its name, the files with their contents, the command, its exit
/// status, and parts of the message.
macro_rules! cases {
    ($($name:ident: {$($file:literal: $content:expr),*} $words:literal => $status:ident $($part:literal)+;)*) => {
        $(#[test]
        fn $name() -> $crate::common::Outcome {
            let folder = $crate::common::Folder::new()?;
            $(folder.write($file, $content)?;)*
            $crate::refused::refused(&folder, $words, $crate::refused::$status, &[$($part),+])
        })*
    };
}
pub(crate) use cases;
