//! The files: times of routines, and traces.
//!
//! ```text
//! # format: orrery-routines 1
//! # command: orrery-scalapack -o routines.csv
//! routine,variant,m,n,k,block,rows,columns,to_rows,to_columns,launch,rep,seconds
//! pdgemm,nn,256,256,256,64,2,2,,,0,0,0.00213
//! ```

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use orrery::file::{Replacement, read_string, replace};
use orrery::sample::Provenance;

use crate::calls::Record;
use crate::case::Case;

/// The first line of a file of times.
const FORMAT: &str = "# format: orrery-routines 1\n";
/// The columns of a file of times.
const COLUMNS: &str =
    "routine,variant,m,n,k,block,rows,columns,to_rows,to_columns,launch,rep,seconds";
/// The first line of a trace.
const TRACE_FORMAT: &str = "# format: orrery-routine-trace 1\n";
/// The columns of a trace.
const TRACE_COLUMNS: &str = "routine,variant,m,n,k,block,rows,columns,rank,index,event,peer,bytes,kernel,kernel_variant,km,kn,kk,calls,\
     group,to_rows,to_columns";

/// Why a file is not replaced.
const ANOTHER_KIND: &str =
    "this is a file of another kind, which is not replaced; remove it, or choose another name";

/// What happens to an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It is an error.
    Refuse,
    /// It is replaced.
    Replace,
    /// Readings of another launch are added.
    Append,
}

/// A file of times. After each case it is replaced as a whole, so that it is complete at any time.
#[derive(Debug)]
pub(crate) struct TimesFile {
    path: PathBuf,
    text: String,
    launch: u32,
}

impl TimesFile {
    /// The file with its provenance, which is written with the first times.
    ///
    /// # Errors
    ///
    /// When the file exists and is not to be replaced, or is none to which times can be added.
    pub fn open(path: &Path, existing: Existing, provenance: &Provenance) -> Result<Self, String> {
        let name = path.display();
        check_kind(path)?;
        let old = match read_string(path) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) if existing == Existing::Refuse => {
                return Err(format!("{name} already exists: {error}"));
            }
            Err(error) => return Err(format!("{name}: cannot read the file: {error}")),
        };
        let folder =
            path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(format!("{name}: there is no folder {}; create it", folder.display()));
        }
        match (old, existing) {
            (Some(_), Existing::Refuse) => Err(format!(
                "{name} already exists; use --append to add a launch, or --force to replace it"
            )),
            (Some(old), Existing::Append) => Self::appended(path, old, provenance),
            (Some(old), Existing::Replace) if !old.is_empty() && !old.starts_with(FORMAT) => {
                Err(format!("{name}: {ANOTHER_KIND}"))
            }
            _ => {
                let text = format!("{}{COLUMNS}\n", head(FORMAT, "", provenance));
                Ok(Self { path: path.to_owned(), text, launch: 0 })
            }
        }
    }

    /// An existing file, whose launches precede this one.
    fn appended(path: &Path, mut text: String, provenance: &Provenance) -> Result<Self, String> {
        let name = path.display();
        if !text.starts_with(FORMAT) {
            return Err(format!(
                "{name}:1: the format line {:?} is expected; --append adds to files of this \
                    program",
                FORMAT.trim_end()
            ));
        }
        // A last line without line break may be incomplete.
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        let mut launch = 0;
        let mut columns = None;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            if columns.is_none() {
                columns = Some(line);
                if line != COLUMNS {
                    return Err(format!(
                        "{name}:{}: the columns {COLUMNS:?} are expected",
                        number + 1
                    ));
                }
                continue;
            }
            let found = line.split(',').nth_back(2).and_then(|field| field.parse::<u32>().ok());
            let found =
                found.ok_or_else(|| format!("{name}:{}: the launch is no number", number + 1))?;
            launch = launch.max(found.saturating_add(1));
        }
        if columns.is_none() {
            return Err(format!("{name}: there is no line of column names"));
        }
        text += &head("", &format!("launch-{launch} "), provenance);
        Ok(Self { path: path.to_owned(), text, launch })
    }

    /// Adds the times of a case, and writes the file.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn add(&mut self, case: &Case, seconds: &[f64]) -> Result<(), String> {
        let (rows, columns) = case.grid.shape();
        for (repetition, seconds) in seconds.iter().enumerate() {
            let (case_fields, to, launch) = (case.fields(), to_fields(case), self.launch);
            // Writing to a string cannot fail.
            let _ = writeln!(
                self.text,
                "{case_fields},{rows},{columns},{to},{launch},{repetition},{seconds}"
            );
        }
        replace(&self.path, self.text.as_bytes())
            .map_err(|error| format!("{}: cannot write: {error}", self.path.display()))
    }
}

/// Checks that a path is a file or absent.
fn check_kind(path: &Path) -> Result<(), String> {
    match path.metadata() {
        Ok(found) if !found.is_file() => {
            Err(format!("{}: this is no file, but a folder or a device", path.display()))
        }
        _ => Ok(()),
    }
}

/// The fields of the grid to which matrices are redistributed.
fn to_fields(case: &Case) -> String {
    case.to.map_or(",".into(), |to| format!("{},{}", to.rows, to.columns))
}

/// The comment lines with a provenance.
fn head(format: &str, prefix: &str, provenance: &Provenance) -> String {
    let mut text = format.to_owned();
    for (key, value) in provenance.iter() {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "# {prefix}{key}: {value}");
    }
    text
}

/// A trace, which is complete or absent.
#[derive(Debug)]
pub(crate) struct TraceFile {
    name: String,
    file: Replacement,
}

impl TraceFile {
    /// Begins a trace.
    ///
    /// # Errors
    ///
    /// When the file exists and is not to be replaced, or cannot be written.
    pub fn create(path: &Path, is_replaced: bool, provenance: &Provenance) -> Result<Self, String> {
        let name = path.display().to_string();
        check_kind(path)?;
        if path.exists() && !is_replaced {
            return Err(format!("{name} already exists; use --force to replace it"));
        }
        let is_other = |text: String| !text.is_empty() && !text.starts_with(TRACE_FORMAT);
        if path.exists() && read_string(path).map_or(true, is_other) {
            return Err(format!("{name}: {ANOTHER_KIND}"));
        }
        let begin = || {
            let mut file = Replacement::begin(path)?;
            file.write_all(head(TRACE_FORMAT, "", provenance).as_bytes())?;
            writeln!(file, "{TRACE_COLUMNS}")?;
            Ok(file)
        };
        begin()
            .map(|file| Self { file, name: name.clone() })
            .map_err(|error: io::Error| format!("{name}: cannot write: {error}"))
    }

    /// Adds the rows of all ranks.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn add(&mut self, rows: &[String]) -> Result<(), String> {
        let written = rows.iter().try_for_each(|rows| self.file.write_all(rows.as_bytes()));
        written.map_err(|error| format!("{}: cannot write: {error}", self.name))
    }

    /// Makes the file visible.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn finish(self) -> Result<(), String> {
        self.file.commit().map_err(|error| format!("{}: cannot write: {error}", self.name))
    }
}

/// The rows of a trace for what a rank did in a call.
pub(crate) fn trace_rows(case: &Case, rank: usize, records: &[Record]) -> String {
    let mut text = String::new();
    let field = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    let (case_fields, (rows, columns), to) = (case.fields(), case.grid.shape(), to_fields(case));
    for (index, record) in records.iter().enumerate() {
        let Record { event, peer, bytes, kernel, variant, dimensions, calls, group } = record;
        let [peer, km, kn, kk, calls] =
            [*peer, dimensions[0], dimensions[1], dimensions[2], *calls].map(field);
        let bytes = bytes.map(|bytes| bytes.to_string()).unwrap_or_default();
        let group = group.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let _ = writeln!(
            text,
            "{case_fields},{rows},{columns},{rank},{index},{event},{peer},{bytes},{kernel},{variant},{km},{kn},{kk},{calls},{group},{to}"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::case::{Request, Routine};

    fn case(routine: Routine) -> Case {
        let grids = ["2x2", "1x4"].map(|grid| grid.parse().expect("a grid")).to_vec();
        let sizes = vec!["256".parse().expect("a size")];
        Request { routines: vec![routine], variants: Vec::new(), grids, sizes, blocks: vec![64] }
            .cases(4)
            .expect("cases")[0]
    }

    #[test]
    fn rows_have_all_columns() {
        let record = Record {
            event: "bcast".into(),
            peer: Some(2),
            bytes: Some(1024),
            kernel: String::new(),
            variant: String::new(),
            dimensions: [None; 3],
            calls: None,
            group: vec![0, 2],
        };
        for routine in Routine::ALL {
            let row = trace_rows(&case(routine), 1, std::slice::from_ref(&record));
            assert_eq!(row.matches(',').count(), TRACE_COLUMNS.matches(',').count(), "{row}");
        }
        let row = trace_rows(&case(Routine::Gemr2d), 1, &[record]);
        assert_eq!(row, "pdgemr2d,,256,256,,64,2,2,1,0,bcast,2,1024,,,,,,,0 2,1,4\n");
    }

    #[test]
    fn launches_are_appended() {
        let folder = std::env::temp_dir().join(format!("orrery-scalapack-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("routines.csv");
        let provenance = Provenance::new().with("date", "today\nand more");
        let open = |existing| TimesFile::open(&path, existing, &provenance);
        open(Existing::Refuse)
            .expect("new")
            .add(&case(Routine::Gemm), &[0.5, 0.25])
            .expect("written");
        assert!(open(Existing::Refuse).is_err_and(|error| error.contains("--append")));
        open(Existing::Append).expect("old").add(&case(Routine::Potrf), &[1e-7]).expect("written");
        let text = fs::read_to_string(&path).expect("the file");
        let expected = format!(
            "{FORMAT}# date: today and \
                more\n{COLUMNS}\npdgemm,nn,256,256,256,64,2,2,,,0,0,0.5\npdgemm,nn,256,256,256,64,2,2,,,0,1,0.25\n\
             # launch-1 date: today and more\npdpotrf,l,,256,,64,2,2,,,1,0,0.0000001\n"
        );
        assert_eq!(text, expected);
        fs::write(&path, "kernel,seconds\n").expect("another file");
        assert!(open(Existing::Append).is_err_and(|error| error.contains("routines.csv:1")));
        assert!(open(Existing::Replace).is_err_and(|error| error.contains("another kind")));
        assert!(
            TraceFile::create(&path, true, &provenance)
                .is_err_and(|error| error.contains("another kind"))
        );
        assert!(
            TimesFile::open(&folder.join("none/x.csv"), Existing::Refuse, &provenance)
                .is_err_and(|e| e.contains("no folder"))
        );
        fs::remove_dir_all(&folder).expect("removed");
    }
}
