//! The releases of MPI libraries for which rules can be written.

use super::open_mpi::RuleFile;
use orrery_base::file::Fault;
use orrery_base::units::Bytes;
use orrery_measure::sample::Library;
use orrery_program::schedule::CollectiveKind;

/// The variable of the environment that makes coll/tuned of Open MPI read rules.
const DYNAMIC_RULES: &str = "OMPI_MCA_coll_tuned_use_dynamic_rules";
/// The variable of the environment with the file of rules for coll/tuned of Open MPI.
const TUNED_RULES: &str = "OMPI_MCA_coll_tuned_dynamic_rules_filename";
/// The variable of the environment with the file of rules for coll/han of Open MPI.
const HAN_RULES: &str = "OMPI_MCA_coll_han_dynamic_rules_filename";
/// The variable of the environment with the selection tree for MPICH.
const SELECTION_TREE: &str = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";

orrery_base::named_enum! {
    /// A release of an MPI library, and the component that reads the rules.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Target: "release of an MPI library" {
        /// Open MPI 4.1, component coll/tuned.
        OpenMpi41 => "openmpi-4.1",
        /// Open MPI 5.0, component coll/tuned.
        OpenMpi50 => "openmpi-5.0",
        /// Open MPI 5.0, component coll/han, which decides on several hosts before coll/tuned does.
        OpenMpiHan => "openmpi-han",
        /// MPICH 4.0 and 4.1.
        Mpich40 => "mpich-4.0",
        /// MPICH 4.2 and 4.3.
        Mpich42 => "mpich-4.2",
    }
}

impl Target {
    /// The library.
    pub const fn library(self) -> Library {
        match self {
            Self::OpenMpi41 | Self::OpenMpi50 | Self::OpenMpiHan => Library::OpenMpi,
            Self::Mpich40 | Self::Mpich42 => Library::Mpich,
        }
    }

    /// The variables of the environment that put rules to work: `rules` is the path of the file,
    /// `tuned_rules` that of the rules of coll/tuned, which is the same file but for coll/han.
    ///
    /// ```
    /// use orrery_choices::tuning::mpi::Target;
    /// let variables = Target::Mpich40.environment("/rules.json", "/rules.json");
    /// assert_eq!(variables[0], ("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "/rules.json".to_owned()));
    /// ```
    pub fn environment(self, rules: &str, tuned_rules: &str) -> Vec<(&'static str, String)> {
        let tuned = || [(DYNAMIC_RULES, "1".to_owned()), (TUNED_RULES, tuned_rules.to_owned())];
        match self {
            Self::OpenMpi41 => tuned().to_vec(),
            // Components that decide before coll/tuned.
            Self::OpenMpi50 => [("OMPI_MCA_coll", "^han,acoll,xhc".to_owned())]
                .into_iter()
                .chain(tuned())
                .collect(),
            Self::OpenMpiHan => {
                let han = [
                    ("OMPI_MCA_coll_han_use_dynamic_file_rules", "1".to_owned()),
                    (HAN_RULES, rules.to_owned()),
                ];
                han.into_iter().chain(tuned()).collect()
            }
            Self::Mpich40 | Self::Mpich42 => {
                vec![
                    (SELECTION_TREE, rules.to_owned()),
                    ("MPIR_CVAR_DEVICE_COLLECTIVES", "none".to_owned()),
                ]
            }
        }
    }

    /// The variables of the environment that name rules; without them a library decides by default.
    pub const RULE_FILES: [&str; 3] = [TUNED_RULES, HAN_RULES, SELECTION_TREE];

    /// The target of a library by what `mpirun --version` prints.
    ///
    /// ```
    /// use orrery_choices::tuning::mpi::Target;
    /// assert_eq!(Target::of_version("mpirun (Open MPI) 4.1.4\n"), Ok(Target::OpenMpi41));
    /// assert_eq!(Target::of_version("HYDRA build details:\n    Version:      4.2.3\n"), Ok(Target::Mpich42));
    /// assert!(Target::of_version("mpirun (Open MPI) 3.1.0").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// When the text names no release for which rules can be written.
    pub fn of_version(text: &str) -> Result<Self, Fault> {
        let failure = || {
            let text = text.lines().take(2).map(str::trim).collect::<Vec<_>>().join(" ");
            let known = Self::ALL.map(Self::name).join(", ");
            Fault::new(format!(
                "no rules are known for this MPI library: {text:?}; name one of {known}"
            ))
        };
        let mut numbers =
            text.split_whitespace().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let version = numbers.find_map(|word| word.split_once('.')).ok_or_else(failure)?;
        let minor = version.1.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        let version = (
            version.0.parse::<u32>().map_err(|_| failure())?,
            minor.parse::<u32>().map_err(|_| failure())?,
        );
        match (text.contains("Open MPI") || text.contains("OpenRTE"), version) {
            (true, (4, 1)) => Ok(Self::OpenMpi41),
            (true, (5, 0)) => Ok(Self::OpenMpi50),
            (false, (4, 0 | 1)) if text.contains("HYDRA") => Ok(Self::Mpich40),
            (false, (4, 2 | 3)) if text.contains("HYDRA") => Ok(Self::Mpich42),
            _ => Err(failure()),
        }
    }
}

// Files that show whether a library reads its rules: with them a call must fail.
//
// Open MPI ignores a file that it cannot read, and rules of a component that another one precedes,
// silently; its verbose output does not mention rules. A rule that names no algorithm is an error
// of the call that meets it. Rules are made invalid only where they name an algorithm: component
// coll/han, for example, calls coll/tuned by itself, with a few bytes, and does not survive an
// error.

/// A file of rules that must make calls of an operation fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The operation.
    pub operation: CollectiveKind,
    /// The sizes of calls: on each number of processes with rules, a call of one of them must fail;
    /// if empty, calls of any size.
    pub sizes: Vec<Bytes>,
    /// The text of the file.
    pub text: String,
}

/// The probes of a file of rules: one for each operation that has rules.
///
/// # Errors
///
/// A text that is no complete file of rules for this release.
///
/// ```
/// use orrery_program::schedule::CollectiveKind;
/// use orrery_choices::tuning::mpi::{Target, probes};
/// use orrery_base::units::Bytes;
/// let all = probes(Target::OpenMpi41, "1\n7 # bcast\n1\n4\n2\n0 0 0 0\n1024 6 0 0\n").unwrap();
/// assert_eq!(all[0].operation, CollectiveKind::Broadcast);
/// let error = probes(Target::OpenMpi41, "1\n7 x\n").unwrap_err();
/// assert_eq!((error.to_string().as_str(), error.byte()), ("\"x\" is no number, as those of rules are", Some(4)));
/// assert_eq!(all[0].text, "1\n7\n1\n4\n2\n0 0 0 0\n1024 255 0 0\n");
/// assert_eq!(all[0].sizes, [Bytes::new(1024)]);
/// ```
pub fn probes(target: Target, text: &str) -> Result<Vec<Probe>, Fault> {
    match target {
        Target::OpenMpi41 | Target::OpenMpi50 | Target::OpenMpiHan => {
            let file = RuleFile::parse(text)?;
            let of = |number: u64| {
                let (operation, sizes, text) = file.with_invalid_algorithm(number)?;
                Some(Probe { operation, sizes, text })
            };
            Ok(file.numbers().into_iter().filter_map(of).collect())
        }
        // The tree is read as a whole, when MPI is initialised.
        Target::Mpich40 | Target::Mpich42 => {
            let begin = text.find("\"collective=").ok_or_else(|| {
                Fault::new("there is no key \"collective=…\", as selection trees have").at(0)
            })?;
            let text = format!("{{\"no such condition\": {{}},\n{}", &text[begin..]);
            Ok(vec![Probe { operation: CollectiveKind::Barrier, sizes: Vec::new(), text }])
        }
    }
}
