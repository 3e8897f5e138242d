use std::io::{self, ErrorKind};

/// What to do when the system refuses to `open`, `read` or `write` a file; to be put behind what it said.
///
/// ```
/// use std::io::{Error, ErrorKind};
/// assert_eq!(orrery::file::advice(&Error::from(ErrorKind::NotFound), "read"), "; check the name");
/// ```
pub fn advice(reason: &io::Error, doing: &str) -> &'static str {
    match reason.kind() {
        ErrorKind::NotFound if doing == "read" => "; check the name",
        ErrorKind::NotFound => "; make the folder first, or name another",
        ErrorKind::IsADirectory => "; name a file in it",
        ErrorKind::PermissionDenied => "; check its permissions and those of its folder",
        ErrorKind::StorageFull => "; make room, or name a file elsewhere",
        _ => "",
    }
}
