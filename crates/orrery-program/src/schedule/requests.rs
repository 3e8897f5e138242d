//! The requests of a rank's posted transfers.

use super::Request;

/// The reason why an operation must not name a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// A post of a request that is in use.
    #[error("is posted again before it was waited for")]
    InUse,
    /// A wait or a test of a request that is not in use.
    #[error("was not posted")]
    NotPosted,
}

/// The requests in use by number, from post to wait, with a value of each.
///
/// ```
/// use orrery_program::schedule::{Request, RequestError, RequestTable};
/// let mut slots = RequestTable::default();
/// slots.post(Request(3), "receive")?;
/// assert_eq!(slots.post(Request(3), "send"), Err(RequestError::InUse));
/// assert_eq!(slots.take(Request(3)), Ok("receive"));
/// assert_eq!(slots.take(Request(3)), Err(RequestError::NotPosted));
/// # Ok::<(), RequestError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RequestTable<T> {
    values: Vec<Option<T>>,
}

impl<T> Default for RequestTable<T> {
    fn default() -> Self {
        Self { values: Vec::new() }
    }
}

impl<T> RequestTable<T> {
    /// Removes all requests; keeps allocated memory.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Adds a request.
    ///
    /// # Errors
    ///
    /// When it is in use.
    pub fn post(&mut self, request: Request, value: T) -> Result<(), RequestError> {
        let index = request.0 as usize;
        if self.values.len() <= index {
            self.values.resize_with(index + 1, || None);
        }
        let place = &mut self.values[index];
        if place.is_some() {
            return Err(RequestError::InUse);
        }
        *place = Some(value);
        Ok(())
    }

    /// The value of a request, to be changed in place.
    ///
    /// # Errors
    ///
    /// When it is not in use.
    pub fn get_mut(&mut self, request: Request) -> Result<&mut T, RequestError> {
        let value = self.values.get_mut(request.0 as usize).and_then(Option::as_mut);
        value.ok_or(RequestError::NotPosted)
    }

    /// Removes a request and returns its value.
    ///
    /// # Errors
    ///
    /// When it is not in use.
    pub fn take(&mut self, request: Request) -> Result<T, RequestError> {
        let value = self.values.get_mut(request.0 as usize).and_then(Option::take);
        value.ok_or(RequestError::NotPosted)
    }

    /// The values of all requests in use, by number.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter().flatten()
    }
}

/// The requests of a program while it runs: each is open until its transfer is complete, then it
/// stores T until its wait.
///
/// A program waits for one request at a time; a wait for several (`MPI_Waitall`) is a sequence of
/// waits.
///
/// ```
/// use orrery_program::schedule::{Request, RequestError, Requests};
/// let (one, two) = (Request(1), Request(2));
/// let mut requests = Requests::default();
/// requests.post(one)?;
/// requests.post(two)?;
/// assert!(!requests.complete(two, "at 3 s"), "the program does not wait for it");
/// assert_eq!(requests.wait(one), Ok(None), "the program is blocked");
/// assert!(requests.complete(one, "at 4 s"), "the program continues");
/// assert_eq!(requests.wait(two), Ok(Some("at 3 s")));
/// assert_eq!(requests.test(two), Err(RequestError::NotPosted));
/// # Ok::<(), RequestError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Requests<T> {
    /// What a complete request stores; `None` for an open one.
    table: RequestTable<Option<T>>,
    /// The open request that the program waits for.
    awaited: Option<Request>,
}

impl<T> Default for Requests<T> {
    fn default() -> Self {
        Self { table: RequestTable::default(), awaited: None }
    }
}

impl<T: Copy> Requests<T> {
    /// Removes all requests; keeps allocated memory.
    pub fn clear(&mut self) {
        self.table.clear();
        self.awaited = None;
    }

    /// Opens a request.
    ///
    /// # Errors
    ///
    /// When it was posted and not waited for since.
    pub fn post(&mut self, request: Request) -> Result<(), RequestError> {
        self.table.post(request, None)
    }

    /// Waits for a request: returns what it stores if it is complete, which frees it; `None` if the
    /// program is blocked until [`Self::complete`] returns true.
    ///
    /// # Errors
    ///
    /// When it was not posted.
    pub fn wait(&mut self, request: Request) -> Result<Option<T>, RequestError> {
        let complete = *self.table.get_mut(request)?;
        match complete {
            Some(_) => self.table.take(request),
            None => {
                self.awaited = Some(request);
                Ok(None)
            }
        }
    }

    /// Returns true if a request is complete; it stays in use.
    ///
    /// # Errors
    ///
    /// When it was not posted.
    pub fn test(&mut self, request: Request) -> Result<bool, RequestError> {
        self.table.get_mut(request).map(|complete| complete.is_some())
    }

    /// Completes an open request. Returns true if the program waits for it, which frees it;
    /// otherwise it stores `value`.
    pub fn complete(&mut self, request: Request, value: T) -> bool {
        if self.awaited == Some(request) {
            self.awaited = None;
            return self.table.take(request).is_ok();
        }
        if let Ok(place) = self.table.get_mut(request) {
            *place = Some(value);
        }
        false
    }
}
