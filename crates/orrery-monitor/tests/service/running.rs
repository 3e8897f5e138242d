//! A service in a thread of the test.

use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use orrery_monitor::service::{
    Limits, Service, ServiceError, ServiceOptions, Stopper, Tls, Tokens,
};
use orrery_monitor::store::Retention;

use super::http::Client;

/// A token of the tests.
pub const TOKEN: &str = "0123456789abcdef-of-a-test";

/// A running service; dropping it stops it.
pub struct Running {
    pub address: SocketAddr,
    /// The lines of its log.
    pub log: Arc<Mutex<Vec<String>>>,
    folder: Arc<tempfile::TempDir>,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

/// Options of a service with a database in a folder.
pub fn options(folder: &Path) -> ServiceOptions {
    ServiceOptions {
        store: folder.join("series.db"),
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        tokens: None,
        tls: None,
        limits: Limits::default(),
        retention: Retention::default(),
        model: None,
    }
}

/// The tokens of a file with [`TOKEN`].
pub fn tokens(folder: &Path) -> Tokens {
    let file = folder.join("tokens");
    std::fs::write(&file, format!("{TOKEN}\n")).expect("a file can be written");
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, permissions).expect("permissions can be set");
    Tokens::read(&file).expect("the file has a token")
}

/// The certificate of the tests.
pub fn certificate() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls/certificate.pem")
}

/// A copy of the key of the certificate, in a folder, which only its owner can read.
pub fn key(folder: &Path) -> PathBuf {
    let (ours, key) = (certificate().with_file_name("key.pem"), folder.join("key.pem"));
    std::fs::copy(ours, &key).expect("the key can be copied");
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&key, permissions).expect("permissions can be set");
    key
}

/// The certificate of the tests with its key.
pub fn tls(folder: &Path) -> Tls {
    Tls::read(&certificate(), &key(folder)).expect("the certificate can be read")
}

impl Running {
    pub fn start() -> Self {
        Self::start_with(|_, options| options)
    }

    /// Starts a service with changed options; the folder is empty.
    pub fn start_with(change: impl FnOnce(&Path, ServiceOptions) -> ServiceOptions) -> Self {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let options = change(folder.path(), options(folder.path()));
        Self::over(folder, options).expect("the service starts")
    }

    fn over(folder: Arc<tempfile::TempDir>, options: ServiceOptions) -> Result<Self, ServiceError> {
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&log);
        let service = Service::start(options, move |event| {
            lines.lock().expect("no panic").push(event.to_string());
        })?;
        let (address, stopper) = (service.address(), service.stopper());
        let thread = Some(std::thread::spawn(move || service.run()));
        Ok(Self { address, log, folder, stopper, thread })
    }

    /// Starts another service with the same database.
    pub fn beside(&self) -> Self {
        let folder = Arc::clone(&self.folder);
        let options = options(folder.path());
        Self::over(folder, options).expect("the service starts")
    }

    /// Stops the service and starts another one with the same database.
    pub fn restarted(mut self) -> Self {
        let folder = Arc::clone(&self.folder);
        self.stop();
        let options = options(folder.path());
        Self::over(folder, options).expect("the service starts")
    }

    /// The file of the database.
    pub fn store(&self) -> PathBuf {
        self.folder.path().join("series.db")
    }

    pub fn client(&self) -> Client<TcpStream> {
        Client::connect(self.address).expect("the service accepts")
    }

    /// Stops the service and waits for its end.
    pub fn stop(&mut self) {
        self.stopper.stop();
        self.thread.take().map(JoinHandle::join).transpose().expect("the service does not panic");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let outcome = thread.join();
            assert!(outcome.is_ok() || std::thread::panicking(), "the service does not panic");
        }
    }
}
