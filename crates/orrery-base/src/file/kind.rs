//! Recognition of files of other programs by their first bytes.

/// A kind of file that another program writes and Orrery reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// Output of the OSU micro-benchmarks.
    Osu,
    /// Output of the Intel MPI Benchmarks (IMB).
    Imb,
    /// Results of PICO, a benchmark of collective operations.
    Pico,
    /// Output of High-Performance Linpack and its variants.
    Hpl,
    /// Input of Extra-P: text, JSON or JSON lines.
    ExtraP,
    /// A profile of Score-P or Scalasca.
    Profile,
    /// A profile of Caliper.
    Caliper,
    /// A time-independent trace of SimGrid.
    TimeIndependentTrace,
    /// A schedule in GOAL, the language of LogGOPSim.
    Goal,
    /// A binary trace.
    BinaryTrace,
    /// A platform description of SimGrid in XML.
    Platform,
}

impl FileKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Osu,
        Self::Imb,
        Self::Pico,
        Self::Hpl,
        Self::ExtraP,
        Self::Profile,
        Self::Caliper,
        Self::TimeIndependentTrace,
        Self::Goal,
        Self::BinaryTrace,
        Self::Platform,
    ];

    /// The name of the kind, as in "this looks like …".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Osu => "output of the OSU micro-benchmarks",
            Self::Imb => "output of the Intel MPI Benchmarks",
            Self::Pico => "results of PICO",
            Self::Hpl => "output of HPL",
            Self::ExtraP => "input of Extra-P",
            Self::Profile => "a profile of Score-P",
            Self::Caliper => "a profile of Caliper",
            Self::TimeIndependentTrace => "a time-independent trace of SimGrid",
            Self::Goal => "a schedule in GOAL",
            Self::BinaryTrace => "a binary trace",
            Self::Platform => "a platform description of SimGrid",
        }
    }

    /// Returns true for the formats of traces.
    pub const fn is_trace(self) -> bool {
        matches!(self, Self::TimeIndependentTrace | Self::Goal | Self::BinaryTrace)
    }

    /// The verbs of the command that read files of this kind, the usual one first.
    pub const fn verbs(self) -> &'static [&'static str] {
        match self {
            Self::Osu | Self::Imb | Self::Pico => &["samples import"],
            Self::Hpl | Self::ExtraP => &["scaling import", "scaling run"],
            Self::Profile | Self::Caliper => &["scaling import"],
            Self::TimeIndependentTrace | Self::Goal | Self::BinaryTrace => {
                &["simulate", "trace convert", "trace profile", "choose network"]
            }
            Self::Platform => &["simulate", "choose network"],
        }
    }
}

/// The first bytes of a binary trace.
const BINARY_TRACE: &[u8] = b"\x89ORT";

/// The actions of time-independent traces that mark a text as such a trace, in lower case.
const TRACE_ACTIONS: [&str; 12] = [
    "init",
    "finalize",
    "compute",
    "sleep",
    "send",
    "isend",
    "recv",
    "irecv",
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
];

/// The kind of a file by its first bytes; a few KiB suffice. `None` for any other file, and for
/// Orrery's own text files.
///
/// ```
/// use orrery_base::file::{FileKind, kind_of};
/// assert_eq!(kind_of(b"# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n"), Some(FileKind::Osu));
/// assert_eq!(kind_of(b"experiment,i,j,seconds\n"), None);
/// ```
pub fn kind_of(head: &[u8]) -> Option<FileKind> {
    if head.starts_with(BINARY_TRACE) {
        return Some(FileKind::BinaryTrace);
    }
    if is_goal(head) {
        return Some(FileKind::Goal);
    }
    if is_profile(head) {
        return Some(FileKind::Profile);
    }
    if head.contains(&0) {
        return None;
    }
    if head.starts_with(b"__rec=") {
        return Some(FileKind::Caliper);
    }
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match text.chars().next()? {
        '<' => text.contains("<platform").then_some(FileKind::Platform),
        '{' => is_extrap_json(text).then_some(FileKind::ExtraP),
        _ => kind_of_lines(text),
    }
}

/// The kind of a text that consists of lines of words.
fn kind_of_lines(text: &str) -> Option<FileKind> {
    let first = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'))
        .unwrap_or_default();
    if is_pico_header(first) {
        return Some(FileKind::Pico);
    }
    if is_trace_line(first) {
        return Some(FileKind::TimeIndependentTrace);
    }
    if first
        .split_whitespace()
        .next()
        .is_some_and(|word| matches!(word, "PARAMETER" | "POINTS" | "REGION" | "METRIC"))
    {
        return Some(FileKind::ExtraP);
    }
    text.lines().find_map(|line| {
        let heading = line.trim_start_matches(['#', ' ', '\t']);
        if heading.starts_with("OSU ") && heading.contains(" Test") {
            return Some(FileKind::Osu);
        }
        if heading.starts_with("Intel") && heading.contains("MPI Benchmark")
            || line.starts_with("# Benchmarking ")
        {
            return Some(FileKind::Imb);
        }
        is_hpl_line(line).then_some(FileKind::Hpl)
    })
}

/// Returns true for a tar archive that begins with a part of a profile: `anchor.xml`,
/// `remapping.spec`, `1.data` or `1.index`.
fn is_profile(head: &[u8]) -> bool {
    let name = head.split(|&byte| byte == 0).next().unwrap_or_default();
    let is_part = matches!(name, b"anchor.xml" | b"remapping.spec")
        || name.ends_with(b".data")
        || name.ends_with(b".index");
    head.get(257..262) == Some(b"ustar") && is_part
}

/// Returns true for the column names of results of PICO: single readings, or a table of quantiles.
fn is_pico_header(line: &str) -> bool {
    let names: Vec<&str> = line.split(',').collect();
    let has = |wanted: &[&str]| wanted.iter().all(|name| names.contains(name));
    names[0] == "highest" || has(&["collective", "algorithm", "bytes", "median"])
}

/// Returns true for a line of a time-independent trace: the number of a rank and an action.
fn is_trace_line(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_rank = words.next().is_some_and(|word| word.parse::<u32>().is_ok());
    is_rank
        && words.next().is_some_and(|action| TRACE_ACTIONS.contains(&&*action.to_ascii_lowercase()))
}

/// Returns true for a line that only HPL prints: its banner, the names of the columns, a row, or
/// the size of HPL-MxP.
fn is_hpl_line(line: &str) -> bool {
    let line = line.trim_start();
    let words: Vec<&str> = line.split_whitespace().take(7).collect();
    let is_variant = |word: &str| {
        let rest = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
        word.starts_with('W')
            && (2..=4).contains(&(word.len() - rest.len()))
            && rest.starts_with(|c: char| c.is_ascii_digit())
    };
    is_hpl_banner(line)
        || words.starts_with(&["T/V", "N", "NB", "P", "Q", "Time"])
        || words.len() == 7
            && is_variant(words[0])
            && words[1..].iter().all(|word| word.parse::<f64>().is_ok())
        || line.starts_with("N = ") && line.contains("NPROW = ")
}

/// Returns true for the first line of an output of HPL: its name and version. An input file begins
/// with the name, too.
pub fn is_hpl_banner(line: &str) -> bool {
    ["HPLinpack ", "HPL-NVIDIA ", "HPL-MxP "].iter().any(|name| {
        let version = line.trim_start().strip_prefix(name);
        version
            .is_some_and(|version| version.trim_start().starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// Returns true for JSON or JSON lines of Extra-P.
fn is_extrap_json(text: &str) -> bool {
    let first_line = text.lines().next().unwrap_or_default();
    let has_parameters = first_line.contains("\"params\"") || first_line.contains("\"parameters\"");
    let is_lines = has_parameters && first_line.contains("\"value\"");
    let is_json = text.contains("\"measurements\"") && text.contains("\"parameters\"");
    let is_old_json = text.contains("\"callpaths\"") && text.contains("\"parameter_value_pairs\"");
    (is_lines || is_json || is_old_json) && !text.contains("\"orrery-")
}

/// Returns true if the first word of a text is `num_ranks`; comments before it are skipped.
fn is_goal(head: &[u8]) -> bool {
    let mut rest = head.trim_ascii_start();
    loop {
        let end = match rest {
            [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n').map(|end| end + 1),
            [b'/', b'*', comment @ ..] => {
                comment.windows(2).position(|two| two == b"*/").map(|end| end + 4)
            }
            _ => return rest.starts_with(b"num_ranks"),
        };
        rest = rest[end.unwrap_or(rest.len())..].trim_ascii_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_recognised_by_their_first_lines() {
        for (head, kind) in [
            ("srun: queued\n# OSU MPI Scatter Latency Test v5.9\n", FileKind::Osu),
            ("#---\n#    Intel (R) MPI Benchmarks 4.0, MPI-1 part\n", FileKind::Imb),
            ("# Benchmarking PingPong\n# #processes = 2\n", FileKind::Imb),
            ("highest,rank0,rank1\n4120,4000,4120\n", FileKind::Pico),
            ("system,run,collective,algorithm,bytes,median,p10,p90\n", FileKind::Pico),
            ("====\nHPLinpack 2.3  --  High-Performance Linpack benchmark\n", FileKind::Hpl),
            (
                "WR11C2R4        2400    64     1     4               0.00             \
                    4.8000e+00\n",
                FileKind::Hpl,
            ),
            ("__rec=node,id=12,attr=10,data=64,parent=3\n", FileKind::Caliper),
            ("# remark\nPARAMETER p\nPOINTS 4 8\n", FileKind::ExtraP),
            ("{\"params\":{\"p\":4},\"value\":1.1}\n", FileKind::ExtraP),
            ("{\"parameters\":{\"p\":4};\"metric\":\"time\";\"value\":1.1}\n", FileKind::ExtraP),
            ("{\n \"parameters\": [\"p\"],\n \"measurements\": {}}\n", FileKind::ExtraP),
            (
                "{\n \"callpaths\": [], \"coordinates\": [{\"parameter_value_pairs\": [",
                FileKind::ExtraP,
            ),
            ("# a ring\n0 init\n0 send 1 0 8\n", FileKind::TimeIndependentTrace),
            ("/* two\nranks */ // here\n num_ranks 2\n", FileKind::Goal),
            ("<?xml version='1.0'?>\n<platform version=\"4.1\">\n", FileKind::Platform),
        ] {
            assert_eq!(kind_of(head.as_bytes()), Some(kind), "{head}");
        }
        assert_eq!(kind_of(b"\x89ORT\r\n"), Some(FileKind::BinaryTrace));
        let mut profile = [0; 512];
        profile[..6].copy_from_slice(b"1.data");
        profile[257..262].copy_from_slice(b"ustar");
        assert_eq!(kind_of(&profile), Some(FileKind::Profile));
        profile[..14].copy_from_slice(b"remapping.spec");
        assert_eq!(
            kind_of(&profile),
            Some(FileKind::Profile),
            "the first part that newer Score-P writes"
        );
        profile[..14].copy_from_slice(b"a.text\0\0\0\0\0\0\0\0");
        assert_eq!(kind_of(&profile), None, "another archive");
    }

    #[test]
    fn other_files_have_no_kind() {
        for head in [
            "",
            "\n\n",
            "# format: orrery-samples 1\nexperiment,i,j,procs,size,reply,seconds\n",
            "size,seconds\n2048,0.0025\n",
            "{\"format\": \"orrery-runs\", \"version\": 1, \"runs\": [\n{\"parameters\": 1, \"measurements\": 2}]}\n",
            "a: 0 -> 1 4M\n",
            "p0 init\n",
            "HPLinpack benchmark input file\nInnovative Computing Laboratory, University of \
                Tennessee\n",
            "hosts = [{names = \"node1\"}]\n",
            "WALL   500  80  80   2   2     0.01    PASSED\n",
            "<html><body></body></html>\n",
            "/*",
            "0 init\0",
        ] {
            assert_eq!(kind_of(head.as_bytes()), None, "{head}");
        }
    }
}
