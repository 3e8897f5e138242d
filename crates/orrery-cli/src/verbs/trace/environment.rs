//! How Open MPI passes the variables of the tracer to ranks on other hosts.

use std::ffi::{OsStr, OsString};

use super::library::is_launcher;

/// The environment variables that each rank needs.
pub const NAMES: [&str; 2] = ["LD_PRELOAD", "ORRERY_TRACE_FOLDER"];

/// The parameter of Open MPI that lists variables to pass to all ranks.
const LIST: &str = "mca_base_env_list";

/// The environment variable that sets this list.
pub const LIST_VARIABLE: &str = "OMPI_MCA_mca_base_env_list";

/// The environment variable that sets what separates the variables of the list.
pub const DELIMITER_VARIABLE: &str = "OMPI_MCA_mca_base_env_list_delimiter";

/// A command of Open MPI that passes the variables, and the list of its environment.
#[derive(Debug, PartialEq, Eq)]
pub struct Passing {
    /// The command.
    pub command: Vec<OsString>,
    /// The value of [`LIST_VARIABLE`]; `None` leaves it as it is.
    pub list: Option<OsString>,
}

/// Makes a command pass the variables; `list` and `delimiter` are the values of the environment.
///
/// The launcher takes either a list or options `-x`, and a list of the command in place of that of
/// the environment. So the names are added to what the user has: the list of the command, the list
/// of the environment, the options. They come first, since the launcher ignores what follows a
/// variable that is not set.
pub fn pass(command: &[OsString], list: Option<&OsStr>, delimiter: Option<&OsStr>) -> Passing {
    let delimiter = delimiter.filter(|text| !text.is_empty()).unwrap_or(OsStr::new(";"));
    let joined = |own: &OsStr| {
        let mut all = OsString::from(NAMES[0]);
        NAMES[1..].iter().map(OsStr::new).chain(Some(own).filter(|own| !own.is_empty())).for_each(
            |name| {
                all.push(delimiter);
                all.push(name);
            },
        );
        all
    };
    let mut command = command.to_vec();
    if let Some(place) = command.iter().position(|word| word == LIST)
        && let Some(own) = command.get_mut(place + 1)
    {
        *own = joined(own);
        return Passing { command, list: None };
    }
    let list = list.filter(|own| !own.is_empty());
    if list.is_none() && command.iter().any(|word| word == "-x") {
        // A command that is no launcher may start one with options of its own.
        if command.first().is_some_and(|word| is_launcher(word)) {
            command.splice(1..1, NAMES.iter().flat_map(|name| ["-x".into(), OsString::from(name)]));
        }
        return Passing { command, list: None };
    }
    Passing { list: Some(joined(list.unwrap_or_default())), command }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command and the list, as texts.
    fn passed(
        command: &str,
        list: Option<&str>,
        delimiter: Option<&str>,
    ) -> (String, Option<String>) {
        let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
        let Passing { command, list } =
            pass(&words, list.map(OsStr::new), delimiter.map(OsStr::new));
        let words: Vec<_> = command.iter().map(|word| word.to_str().unwrap()).collect();
        (words.join(" "), list.map(|list| list.into_string().unwrap()))
    }

    #[test]
    fn variables_of_the_user_are_kept() {
        let names = "LD_PRELOAD;ORRERY_TRACE_FOLDER";
        let plain = "mpirun -n 2 ./app";
        assert_eq!(passed(plain, None, None), (plain.into(), Some(names.into())));
        assert_eq!(passed(plain, Some(""), None), (plain.into(), Some(names.into())));
        assert_eq!(
            passed(plain, Some("A;B=2"), None),
            (plain.into(), Some(format!("{names};A;B=2")))
        );
        let with_comma = "LD_PRELOAD,ORRERY_TRACE_FOLDER,A,B=2";
        assert_eq!(
            passed(plain, Some("A,B=2"), Some(",")),
            (plain.into(), Some(with_comma.into()))
        );
    }

    #[test]
    fn a_list_of_the_command_has_priority() {
        let expected = "mpirun --mca mca_base_env_list LD_PRELOAD;ORRERY_TRACE_FOLDER;A ./app";
        assert_eq!(
            passed("mpirun --mca mca_base_env_list A ./app", Some("B"), None),
            (expected.into(), None)
        );
    }

    #[test]
    fn options_are_not_mixed_with_a_list() {
        let expected = "/opt/mpirun -x LD_PRELOAD -x ORRERY_TRACE_FOLDER -x A ./app";
        assert_eq!(passed("/opt/mpirun -x A ./app", None, None), (expected.into(), None));
        // Here the option can be the program's only, since the launcher refuses both.
        let list = "LD_PRELOAD;ORRERY_TRACE_FOLDER;B";
        assert_eq!(
            passed("mpirun ./app -x 1", Some("B"), None),
            ("mpirun ./app -x 1".into(), Some(list.into()))
        );
        assert_eq!(passed("./script -x A", None, None), ("./script -x A".into(), None));
    }
}
