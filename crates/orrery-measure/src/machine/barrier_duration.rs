use std::time::{Duration, Instant};

/// The number of barriers that are passed before the timed ones.
const WARM_UP: usize = 2;

/// The number of timed barriers; odd.
const COUNT: usize = 21;

/// The duration of a barrier without other work: the median of 21 consecutive ones, on the clock of
/// this rank.
///
/// All ranks of the barrier must call this at the same point of their programs; `pass` passes the
/// barrier once.
///
/// # Errors
///
/// Errors of the barrier.
pub fn barrier_duration<E>(mut pass: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    (0..WARM_UP).try_for_each(|_| pass())?;
    let mut times = Vec::with_capacity(COUNT);
    let mut begin = Instant::now();
    for _ in 0..COUNT {
        pass()?;
        let end = Instant::now();
        times.push(end - begin);
        begin = end;
    }
    times.sort_unstable();
    Ok(times[COUNT / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_passes_equally_often_and_errors_are_returned() {
        let mut passed = 0;
        let barrier = barrier_duration(|| {
            passed += 1;
            Ok::<(), ()>(())
        });
        assert!(barrier.is_ok());
        assert_eq!(passed, WARM_UP + COUNT);
        assert_eq!(barrier_duration(|| Err("broken")), Err("broken"));
    }
}
