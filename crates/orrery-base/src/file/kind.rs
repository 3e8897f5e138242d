//! Recognition of files by their content.

use super::written::kind_of_written;
use super::{Fault, FaultKind};

crate::named_enum! {
    /// A kind of file that Orrery reads or writes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum FileKind {
        /// Output of the OSU micro-benchmarks.
        Osu => "output of the OSU micro-benchmarks",
        /// Output of the Intel MPI Benchmarks (IMB).
        Imb => "output of the Intel MPI Benchmarks",
        /// Results of PICO, a benchmark of collective operations.
        Pico => "results of PICO",
        /// Output of High-Performance Linpack and its variants.
        Hpl => "output of HPL",
        /// Input of Extra-P: text, JSON or JSON lines.
        ExtraP => "input of Extra-P",
        /// An experiment that Extra-P saves.
        ExtraPExperiment => "an experiment of Extra-P",
        /// A profile of Score-P or Scalasca.
        Profile => "a profile of Score-P",
        /// A profile of Caliper.
        Caliper => "a profile of Caliper",
        /// A graph frame of Hatchet or Thicket as JSON.
        GraphFrame => "a graph frame of Hatchet",
        /// A time-independent trace of SimGrid.
        TimeIndependentTrace => "a time-independent trace of SimGrid",
        /// A schedule in GOAL, the language of LogGOPSim.
        Goal => "a schedule in GOAL",
        /// A binary trace.
        BinaryTrace => "a binary trace",
        /// A platform description of SimGrid in XML.
        Platform => "a platform description of SimGrid",
        /// A description of a cluster, in TOML.
        Cluster => "a cluster file",
        /// A scheme of concurrent transfers.
        Scheme => "a scheme of transfers",
        /// Samples: times of experiments.
        Samples => "a samples file",
        /// Timings of schemes.
        Timings => "timings of schemes",
        /// Times of kernels.
        Kernels => "times of kernels",
        /// Times of parallel routines.
        Routines => "times of parallel routines",
        /// A model.
        Model => "a model file",
        /// Runs of an application.
        Runs => "runs of an application",
        /// A plan of runs.
        Plan => "a plan file",
        /// Conditions of hosts and links, of a monitoring service.
        Conditions => "conditions of hosts and links",
        /// The calls of a rank, in the folder of a recorded run.
        Recording => "a rank of a recorded run",
        /// A report or the page of a simulation.
        Page => "a page of Orrery",
        /// The drawing of a scheme.
        Drawing => "a drawing of a scheme",
        /// A figure of a report.
        Figure => "a figure of Orrery",
        /// JSON for the trace viewers of Chrome and Perfetto.
        ChromeTrace => "a trace of Chrome",
        /// A page of the manual.
        Manual => "a manual page of Orrery",
        /// Rules of Open MPI: of coll/tuned or coll/han.
        OpenMpiRules => "rules of Open MPI by Orrery",
        /// A selection tree of MPICH.
        MpichRules => "a selection tree of MPICH",
        /// Options of LogGOPSim.
        LogGopsim => "options of LogGOPSim",
        /// An input file of HPL.
        HplInput => "an HPL.dat by Orrery",
        /// A hostfile of Open MPI.
        Hostfile => "a hostfile by Orrery",
        /// A rankfile of Open MPI.
        Rankfile => "a rankfile by Orrery",
        /// A machinefile of MPICH.
        Machinefile => "a machinefile by Orrery",
        /// A batch script of Slurm.
        BatchScript => "a batch script by Orrery",
    }
}

impl FileKind {
    /// Returns true for the formats of traces.
    pub const fn is_trace(self) -> bool {
        matches!(self, Self::TimeIndependentTrace | Self::Goal | Self::BinaryTrace)
    }

    /// The name of the format in files of Orrery; empty for files of other programs.
    pub const fn format(self) -> &'static str {
        match self {
            Self::Samples => "orrery-samples",
            Self::Timings => "orrery-timings",
            Self::Kernels => "orrery-kernels",
            Self::Routines => "orrery-routines",
            Self::Model => "orrery-model",
            Self::Runs => "orrery-runs",
            Self::Plan => "orrery-plan",
            Self::Conditions => "orrery-conditions",
            _ => "",
        }
    }

    /// The kind of the format of this name, perhaps with a version, such as `orrery-samples 1`;
    /// `None` if there is no such format.
    fn of_format(name: &str) -> Option<Self> {
        let word = name.split_whitespace().next()?;
        Self::ALL.into_iter().find(|kind| kind.format() == word)
    }
}

/// The first bytes of a binary trace.
const BINARY_TRACE: &[u8] = b"\x89ORT";

/// The first bytes of the calls of a rank.
const RECORDING: &[u8] = b"\x89ORE";

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

/// The kind of a file by its content; `None` for any other file. The first few KiB suffice, except
/// for JSON of Orrery whose key `format` follows later.
///
/// ```
/// use orrery_base::file::{FileKind, kind_of};
/// assert_eq!(kind_of(b"# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n"), Some(FileKind::Osu));
/// assert_eq!(kind_of(b"experiment,i,j,seconds\n"), Some(FileKind::Samples));
/// ```
pub fn kind_of(head: &[u8]) -> Option<FileKind> {
    if head.starts_with(BINARY_TRACE) {
        return Some(FileKind::BinaryTrace);
    }
    if head.starts_with(RECORDING) {
        return Some(FileKind::Recording);
    }
    if is_goal(head) {
        return Some(FileKind::Goal);
    }
    if is_profile(head) {
        return Some(FileKind::Profile);
    }
    if is_experiment(head) {
        return Some(FileKind::ExtraPExperiment);
    }
    if head.contains(&0) {
        return None;
    }
    if head.starts_with(b"__rec=") {
        return Some(FileKind::Caliper);
    }
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if let Some(kind) = kind_of_written(text) {
        return Some(kind);
    }
    match text.chars().next()? {
        '<' => text.contains("<platform").then_some(FileKind::Platform),
        '{' => match json_format(text) {
            Some(format) => FileKind::of_format(format),
            None if is_graph_frame(text) => Some(FileKind::GraphFrame),
            None => is_extrap_json(text).then_some(FileKind::ExtraP),
        },
        '[' if is_literal(text) => Some(FileKind::GraphFrame),
        '[' | '#' if is_cluster(text) => Some(FileKind::Cluster),
        '[' => None,
        _ => kind_of_lines(text),
    }
}

/// The fault of a content that is not of the kind as which it is read: what it looks like instead.
pub fn other_kind(content: &[u8], wanted: FileKind) -> Fault {
    let name = wanted.name();
    let found = kind_of(content).filter(|found| *found != wanted);
    let message = match found {
        _ if content.trim_ascii().is_empty() => format!("the file is empty, in place of {name}"),
        Some(found) => format!("this looks like {} in place of {name}", found.name()),
        None => format!("this does not look like {name}"),
    };
    Fault::new(message).of_kind(FaultKind::Format { wanted, found }).at(0)
}

/// Refuses a content that is recognised as one of another kind than the wanted one.
///
/// # Errors
///
/// [`other_kind`].
pub fn check_kind(content: &[u8], wanted: FileKind) -> Result<(), Fault> {
    match kind_of(content) {
        Some(found) if found != wanted => Err(other_kind(content, wanted)),
        _ => Ok(()),
    }
}

/// The kind of a text that consists of lines of words.
fn kind_of_lines(text: &str) -> Option<FileKind> {
    if let Some(kind) = kind_of_table(text) {
        return Some(kind);
    }
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
    if is_scheme_line(first) {
        return Some(FileKind::Scheme);
    }
    let keywords = ["PARAMETER", "POINTS", "REGION", "METRIC", "DATA"];
    if first.split_whitespace().next().is_some_and(|word| keywords.contains(&word)) {
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

/// The kind of a table of Orrery: its line `# format: NAME` above the first row, or the names of its
/// columns.
fn kind_of_table(text: &str) -> Option<FileKind> {
    let mut names = "";
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Some(comment) = line.strip_prefix('#') else {
            names = line;
            break;
        };
        let format = comment.trim_start_matches('#').trim().strip_prefix("format: ");
        if let Some(kind) = format.and_then(FileKind::of_format) {
            return Some(kind);
        }
    }
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    let has = |wanted: &[&str]| wanted.iter().all(|name| names.contains(name));
    // Schemes may have the columns of experiments, too.
    let columns: [(FileKind, &[&str]); 4] = [
        (FileKind::Timings, &["communication"]),
        (FileKind::Kernels, &["kernel", "seconds"]),
        (FileKind::Routines, &["routine", "block", "seconds"]),
        (FileKind::Samples, &["experiment", "seconds"]),
    ];
    columns.into_iter().find(|(_, names)| has(names)).map(|(kind, _)| kind)
}

/// The value of the key `format` of a JSON object, wherever it is in the object and even if the
/// text is cut off behind it; `None` if there is no such key with a string.
fn json_format(text: &str) -> Option<&str> {
    let mut rest = text;
    let mut depth = 0;
    loop {
        let place = rest.find(['{', '}', '[', ']', '"'])?;
        let mark = rest.as_bytes()[place];
        rest = &rest[place + 1..];
        match mark {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {
                let (string, after) = json_string(rest)?;
                rest = after;
                let value = after.trim_start().strip_prefix(':').map(str::trim_start);
                if depth == 1 && string == "format" && value.is_some() {
                    return Some(json_string(value?.strip_prefix('"')?)?.0);
                }
            }
        }
    }
}

/// Splits the text after an opening quote into the string, with its escapes, and the text behind
/// the closing quote; `None` without a closing quote.
fn json_string(text: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let end = text.find(|letter| {
        let is_end = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_end
    })?;
    Some((&text[..end], &text[end + 1..]))
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

/// Returns true for a zip archive that begins with a part of an experiment: `experiment.json`, or
/// `values/0.vals`.
fn is_experiment(head: &[u8]) -> bool {
    const NAME: usize = 30;
    let name = head.get(NAME..).unwrap_or_default();
    head.starts_with(b"PK\x03\x04")
        && (name.starts_with(b"experiment.json") || name.starts_with(b"values/0.vals"))
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

/// Returns true for a line of a scheme: two numbers of nodes with an arrow between them, perhaps
/// behind a name and a colon.
fn is_scheme_line(line: &str) -> bool {
    let line = line.split_once(':').map_or(line, |(_, transfer)| transfer);
    let Some((source, rest)) = line.split_once("->") else { return false };
    let is_node = |word: &str| word.trim().parse::<u32>().is_ok();
    is_node(source) && rest.split_whitespace().next().is_some_and(is_node)
}

/// Returns true for a text whose first line that is no comment begins a table of a cluster file.
fn is_cluster(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| {
        let name = line.split('#').next().unwrap_or_default().trim_end();
        ["[[hosts]]", "[[uplinks]]", "[links]", "[sharing]"].contains(&name)
    })
}

/// Returns true for a line that only HPL prints: its banner, the names of the columns, a row, which
/// may be cut off, or the size of HPL-MxP.
fn is_hpl_line(line: &str) -> bool {
    let line = line.trim_start();
    let words: Vec<&str> = line.split_whitespace().take(7).collect();
    is_hpl_banner(line)
        || words.starts_with(&["T/V", "N", "NB", "P", "Q", "Time"])
        || words.first().is_some_and(|word| is_hpl_variant(word))
            && words.get(1).is_none_or(|word| word.parse::<f64>().is_ok())
        || line.starts_with("N = ") && line.contains("NPROW = ")
}

/// Returns true for the word of a variant of HPL at the beginning of a row: `WR11C2R4`.
pub fn is_hpl_variant(word: &str) -> bool {
    let Some(rest) = word.strip_prefix('W') else { return false };
    let letters = rest.chars().take_while(char::is_ascii_uppercase).count();
    (1..=3).contains(&letters)
        && rest[letters..].starts_with(|c: char| c.is_ascii_digit())
        && rest.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
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
    is_lines || is_json || is_old_json
}

/// Returns true for JSON of a graph frame of Hatchet: the beginning of its graph.
fn is_graph_frame(text: &str) -> bool {
    ["\"graph\"", "\"data\"", "\"children\""].iter().all(|key| text.contains(key))
}

/// Returns true for JSON of the nested nodes of Hatchet.
fn is_literal(text: &str) -> bool {
    let inner = text.trim_start_matches(['[', ' ', '\t', '\r', '\n']);
    inner.starts_with('{') && text.contains("\"frame\"") && text.contains("\"metrics\"")
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
            ("{\"graph\": [{\"0\": {\"data\": {}, \"children\": [1, 2", FileKind::GraphFrame),
            ("[\n {\"frame\": {}, \"metrics\": {\"time", FileKind::GraphFrame),
            ("PK\x03\x04..........................experiment.json", FileKind::ExtraPExperiment),
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
            ("# machine: x\n# format: orrery-samples 1\nscheme,communication\n", FileKind::Samples),
            ("experiment,i,j,procs,size,reply,seconds\n", FileKind::Samples),
            ("experiment,communication,seconds\n", FileKind::Timings),
            ("kernel,n,seconds\n", FileKind::Kernels),
            ("routine,n,block,seconds\n", FileKind::Routines),
            (
                "{\"runs\": [{\"parameters\": 1, \"measurements\": \"\\\"}\"}], \
                    \"format\": \"orrery-runs\"}",
                FileKind::Runs,
            ),
            ("{\"format\" : \"orrery-model\", \"models\": {", FileKind::Model),
            ("{\"format\":\"orrery-plan\"", FileKind::Plan),
            ("<?xml version='1.0'?>\n<platform version=\"4.1\">\n", FileKind::Platform),
            ("# two\n\n[[hosts]] # all\nnames = \"n[0-1]\"\n", FileKind::Cluster),
            ("# one\na: 0 -> 1 4M\n", FileKind::Scheme),
            ("0 -> 1\n", FileKind::Scheme),
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
            "size,seconds\n2048,0.0025\n",
            "{\"runs\": [{\"format\": \"orrery-runs\"}]}\n",
            "{\"text\": \"\\\\\", \"format\": \"orrery-soup\", \"parameters\": {}, \"measurements\": {}}\n",
            "[1, {\"frame\": {}, \"metrics\": {}}]\n",
            "PK\x03\x04..........................word/document.xml",
            "p0 init\n",
            "[hosts]\n",
            "a -> b 4M\n",
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
