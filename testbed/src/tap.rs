//! The network device of a host, whose frames the switch reads and writes.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::os::fd::AsFd;

/// Moves this thread into the network of a namespace.
///
/// # Errors
///
/// When the namespace does not exist, or permission is missing.
pub fn enter(namespace: &Path) -> io::Result<()> {
    let file = File::open(namespace)?;
    Ok(move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?)
}

/// Creates the device `eth0` in the network of this thread. It exists as long as the file is open.
///
/// # Errors
///
/// When the kernel has no such devices, or permission is missing.
pub fn create() -> io::Result<File> {
    let file =
        open("/dev/net/tun", OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
    set_interface(&file)?;
    Ok(File::from(file))
}

/// TUNSETIFF with the name `eth0`, a device of frames (IFF_TAP) without a header before each
/// (IFF_NO_PI).
#[allow(unsafe_code)]
fn set_interface(file: impl AsFd) -> io::Result<()> {
    const TUNSETIFF: rustix::ioctl::Opcode = 0x4004_54ca;
    const FLAGS: u16 = 0x0002 | 0x1000;
    let mut request = [0_u8; 40];
    request[..4].copy_from_slice(b"eth0");
    request[16..18].copy_from_slice(&FLAGS.to_ne_bytes());
    // SAFETY: TUNSETIFF reads and writes a struct ifreq, 40 bytes with the name in the first 16 and
    // the flags behind; the request is that long and lives through the call.
    unsafe {
        let call = rustix::ioctl::Updater::<TUNSETIFF, [u8; 40]>::new(&mut request);
        Ok(rustix::ioctl::ioctl(file, call)?)
    }
}
