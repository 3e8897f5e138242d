use std::io;
use std::path::PathBuf;

/// The reason why a sensor has no value.
#[derive(Debug, thiserror::Error)]
pub enum SensorError {
    /// A file of the system cannot be read or has an unknown form.
    #[error("{}: it cannot be read: {reason}; check that the kernel has it and that this user may \
        read it", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The text is no set of processors.
    #[error("'{text}' is no set of processors below 1024; write one such as 0-3,8")]
    Cpus {
        /// The text.
        text: String,
    },
    /// The host has no such processor in use.
    #[error("processor {cpu} is not in use on this host; processors {online} are")]
    Offline {
        /// The processor.
        cpu: usize,
        /// The processors in use.
        online: String,
    },
    /// The system refuses the processors.
    #[error("the system does not let this process use the processors: {reason}; name others")]
    Affinity {
        /// The error.
        reason: io::Error,
    },
    /// The file system of a folder does not answer.
    #[error("{}: the space of its file system is not known: {reason}; name a folder that exists, \
        and check the server of the file system", path.display())]
    Disk {
        /// The folder.
        path: PathBuf,
        /// The error.
        reason: io::Error,
    },
}
