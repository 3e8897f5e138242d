/// Combines vectors as a reduction does: the sum of doubles.
#[derive(Debug, Default)]
pub struct Combination {
    own: Vec<f64>,
    received: Vec<f64>,
}

impl Combination {
    /// Adds `bytes` received bytes to own ones; a rest of less than a double is not counted.
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
