/// Spends the time in which a reduction combines two vectors of doubles by their sum. The vectors
/// are its own, with made-up values: contents of messages are not used, and there is no result.
#[derive(Debug, Default)]
pub struct Combination {
    /// The sums, which nothing reads.
    own: Vec<f64>,
    /// Stands for received data.
    received: Vec<f64>,
}

impl Combination {
    /// Adds one vector of doubles to another, as many as `bytes` bytes contain; a rest of less than
    /// a double is not counted.
    pub fn run(&mut self, bytes: usize) {
        let count = bytes / size_of::<f64>();
        if self.own.len() < count {
            self.own.resize(count, 1.0);
            self.received.resize(count, 1e-9);
        }
        self.own
            .iter_mut()
            .zip(&self.received)
            .take(count)
            .for_each(|(own, received)| *own += received);
        std::hint::black_box(&mut self.own);
    }
}
