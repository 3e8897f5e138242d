use std::fs::{self, File, Metadata};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// What another program has done to a file while a campaign was writing to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// The file has no name any more.
    Removed,
    /// Another file has its name, and it has none any more.
    Replaced,
    /// The file has another name.
    Moved {
        /// Its name now, if the operating system knows it.
        to: Option<PathBuf>,
    },
    /// The file is shorter than it was.
    Truncated {
        /// The number of bytes that the campaign left in it.
        from: u64,
        /// The number of bytes now.
        to: u64,
    },
    /// The file is longer than it was.
    Extended {
        /// The number of bytes that were added.
        by: u64,
    },
}

impl FileChange {
    /// The change of an open file that was last left at `path` with `length` bytes; `None` if there
    /// is none.
    pub(super) fn of(file: &File, path: &Path, length: u64) -> io::Result<Option<Self>> {
        let metadata = file.metadata()?;
        let identity = Identity::from(&metadata);
        let found = metadata.len();
        Ok(if !identity.is_at(path) {
            Some(match (metadata.nlink(), path.exists()) {
                (0, true) => Self::Replaced,
                (0, false) => Self::Removed,
                _ => Self::Moved { to: name_of(file).filter(|name| identity.is_at(name)) },
            })
        } else if found < length {
            Some(Self::Truncated { from: length, to: found })
        } else if found > length {
            Some(Self::Extended { by: found - length })
        } else {
            None
        })
    }
}

impl fmt::Display for FileChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Removed => write!(f, "removed it"),
            Self::Replaced => write!(f, "replaced it"),
            Self::Moved { to: Some(to) } => write!(f, "moved it to {}", to.display()),
            Self::Moved { to: None } => write!(f, "moved it"),
            Self::Truncated { from, to } => write!(f, "truncated it from {from} to {to} bytes"),
            Self::Extended { by: 1 } => write!(f, "appended a byte to it"),
            Self::Extended { by } => write!(f, "appended {by} bytes to it"),
        }
    }
}

/// The name of an open file, where the operating system lists the open files of processes.
fn name_of(file: &File) -> Option<PathBuf> {
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

/// The device and the inode of a file, which all its names and links share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// The identity of an open file.
    ///
    /// # Errors
    ///
    /// Returns the error of the operating system.
    pub fn of(file: &File) -> io::Result<Self> {
        Ok(Self::from(&file.metadata()?))
    }

    /// The identity of the file at a path, behind all symbolic links; `None` if there is none.
    ///
    /// ```
    /// use orrery_base::file::Identity;
    /// # let folder = tempfile::tempdir()?;
    /// # let (path, link) = (folder.path().join("runs.json"), folder.path().join("link"));
    /// # std::fs::write(&path, "{}")?;
    /// std::fs::hard_link(&path, &link)?;
    /// assert_eq!(Identity::at(&path), Identity::at(&link));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().as_ref().map(Self::from)
    }

    /// Returns true if this is the file at a path.
    pub(crate) fn is_at(self, path: &Path) -> bool {
        Self::at(path) == Some(self)
    }
}

impl From<&Metadata> for Identity {
    fn from(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}
