//! The thread that reads the database: on behalf of requests first, then to load forecasters.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use super::board::Board;
use super::event::Event;
use super::refusal::Refusal;
use super::state::EventSink;
use crate::store::{Store, StoreError};
use crate::timestamp::Timestamp;

/// The maximum number of waiting requests.
const MAX_WAITING: usize = 128;

/// Work on the database.
type Job = Box<dyn FnOnce(&Store) + Send>;

/// Sends work to the thread that reads.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    jobs: SyncSender<Job>,
}

impl Reader {
    /// Starts the thread, which also loads the forecasters of all series while nothing is
    /// requested.
    pub(super) fn start(
        store: Store,
        board: Arc<Board>,
        events: EventSink,
    ) -> std::io::Result<(Self, JoinHandle<Store>)> {
        let (jobs, waiting) = sync_channel(MAX_WAITING);
        let thread = std::thread::Builder::new().name("reader".into());
        let thread = thread.spawn(move || {
            run(&store, &board, &waiting, &events);
            store
        })?;
        Ok((Self { jobs }, thread))
    }

    /// The result of work on the database.
    ///
    /// # Errors
    ///
    /// Refuses the request if too many wait or the database cannot be read.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (done, result) = oneshot::channel();
        // A client that has gone needs no answer.
        let job: Job = Box::new(move |store| drop(done.send(work(store))));
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => Refusal::busy(),
            TrySendError::Disconnected(_) => Refusal::stopping(),
        })?;
        result.await.map_err(|_| Refusal::stopping())?.map_err(|error| Refusal::store(&error))
    }
}

/// Does the work until all senders are gone; without work, loads the forecasters of the series one
/// by one.
fn run(store: &Store, board: &Board, waiting: &Receiver<Job>, events: &EventSink) {
    let mut to_load = board.all().into_iter();
    loop {
        let job = match waiting.try_recv() {
            Ok(job) => job,
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => match to_load.next() {
                Some(series) => {
                    if let Err(error) = series.load(store, Timestamp::now()) {
                        events(Event::UpkeepFailed { error: error.to_string() });
                    }
                    continue;
                }
                None => match waiting.recv() {
                    Ok(job) => job,
                    Err(_) => return,
                },
            },
        };
        job(store);
    }
}
