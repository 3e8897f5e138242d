//! Recognition of files that Orrery only writes, for browsers, viewers, libraries and launchers.

use super::FileKind;

/// The kind of a text that Orrery writes and does not read as one of its own; `None` for any other
/// text.
pub(super) fn kind_of_written(text: &str) -> Option<FileKind> {
    let first = text.lines().next().unwrap_or_default();
    Some(match first.chars().next()? {
        '<' if first.starts_with("<!DOCTYPE html>") && text.contains("content=\"Orrery\"") => {
            FileKind::Page
        }
        '<' if first.starts_with("<svg class=\"scheme\"") => FileKind::Drawing,
        '<' if first.starts_with("<svg class=\"figure\"") => FileKind::Figure,
        '{' if text.starts_with("{\"displayTimeUnit\"") => FileKind::ChromeTrace,
        '{' if text[1..].trim_start().starts_with("\"collective=") => FileKind::MpichRules,
        '.' if text.lines().take(3).any(|line| line.starts_with(".TH orrery")) => FileKind::Manual,
        '-' if is_loggopsim(first) => FileKind::LogGopsim,
        'H' if first == "HPL input file written by Orrery" => FileKind::HplInput,
        '#' if first.starts_with("# Rules for openmpi-") && first.contains(", by orrery ") => {
            FileKind::OpenMpiRules
        }
        '#' => return kind_of_launcher(text),
        _ => return None,
    })
}

/// The kind of an input file of a launcher: behind the summary in its comment is the command that
/// reads it.
fn kind_of_launcher(text: &str) -> Option<FileKind> {
    let mut comments = text.lines().map_while(|line| line.strip_prefix('#'));
    comments.find(|line| line.ends_with(LAUNCHER_SUMMARY))?;
    let command = comments.next()?.trim_start();
    Some(if command.starts_with("mpirun ") && command.contains(" --hostfile FILE ") {
        FileKind::Hostfile
    } else if command.starts_with("mpirun ") && command.contains(" --rankfile FILE ") {
        FileKind::Rankfile
    } else if command.starts_with("mpiexec ") && command.contains(" -f FILE ") {
        FileKind::Machinefile
    } else if command == "sbatch FILE" {
        FileKind::BatchScript
    } else {
        return None;
    })
}

/// The end of the comment in an input file of a launcher that describes its hosts.
const LAUNCHER_SUMMARY: &str =
    " in order: the ranks of a host are consecutive, as are those of a core.";

/// Returns true for the options of LogGOPSim: each of its parameters once, with a value.
fn is_loggopsim(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().step_by(2).eq(&["-L", "-o", "-g", "-G", "-O", "-S"])
}

#[cfg(test)]
mod tests {
    use super::super::kind_of;
    use super::*;

    #[test]
    fn written_kinds_are_recognised() {
        let summary = format!("# 2 ranks on 2 hosts,{LAUNCHER_SUMMARY}");
        let launcher = |command: &str| format!("# orrery planned n=1\n{summary}\n# {command}\n");
        for (text, kind) in [
            (
                "<!DOCTYPE html>\n<meta name=\"generator\" content=\"Orrery\">".into(),
                FileKind::Page,
            ),
            ("<svg class=\"scheme\" width=\"1\">".to_owned(), FileKind::Drawing),
            ("<svg class=\"figure\" xmlns=\"".to_owned(), FileKind::Figure),
            ("{\"displayTimeUnit\":\"ns\"".into(), FileKind::ChromeTrace),
            ("{\n  \"collective=bcast\": {".into(), FileKind::MpichRules),
            (".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n.TH orrery 1".into(), FileKind::Manual),
            ("-L 1 -o 2 -g 3 -G 4 -O 0 -S 5\n".into(), FileKind::LogGopsim),
            ("HPL input file written by Orrery\norrery chose".into(), FileKind::HplInput),
            ("# Rules for openmpi-4.1, by orrery 1 from m.\n0\n".into(), FileKind::OpenMpiRules),
            (launcher("mpirun -np 2 --hostfile FILE --map-by slot PROGRAM"), FileKind::Hostfile),
            (launcher("mpirun -np 2 --rankfile FILE PROGRAM"), FileKind::Rankfile),
            (launcher("mpiexec -n 2 -f FILE PROGRAM"), FileKind::Machinefile),
            (format!("#!/bin/bash\n{}", launcher("sbatch FILE")), FileKind::BatchScript),
        ] {
            assert_eq!(kind_of(text.as_bytes()), Some(kind), "{text}");
        }
        assert_eq!(kind_of(b"\x89ORE\r\n\x1a\n\0"), Some(FileKind::Recording));
    }

    #[test]
    fn files_of_others_are_not_taken_for_written_ones() {
        for text in [
            "<!DOCTYPE html>\n<title>mine</title>\n",
            "<svg xmlns=\"http://www.w3.org/2000/svg\">",
            "{\"traceEvents\":[]}",
            ".TH LS 1",
            "-L 1 -o 2\n",
            "HPLinpack benchmark input file\n",
            "# my hosts\nnode1 slots=4\n",
            "#!/bin/bash\n#SBATCH --nodes=2\n",
            "1 # collective operations\n",
        ] {
            assert_eq!(kind_of(text.as_bytes()), None, "{text}");
        }
    }
}
