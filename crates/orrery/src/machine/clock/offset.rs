/// A ping-pong with a rank that answers with its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PingPong {
    /// When the question was sent, on the own clock.
    pub sent: f64,
    /// The answer: what the remote clock showed meanwhile.
    pub remote: f64,
    /// When the answer was there, on the own clock.
    pub received: f64,
}

/// By how much a remote clock is ahead of the own one, at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offset {
    /// When, on the own clock.
    pub time: f64,
    /// Remote minus own time, in seconds.
    pub offset: f64,
    /// It is wrong by no more than this, in seconds, as long as the clocks do not drift during the ping-pongs.
    pub half_width: f64,
}

impl Offset {
    /// The offset from several ping-pongs; `None` of none.
    ///
    /// The answer of each was given between its sending and its receiving, so that with r the remote time, s and e the
    /// own times of sending and receiving, in seconds: max(r − e) ≤ offset ≤ min(r − s). The middle is taken. It is exact
    /// where the fastest question takes as long as the fastest answer. When clocks drift, the bounds are those of the
    /// times e and s at which they were found; the middle is that of the time between them. Source: SKaMPI.
    ///
    /// ```
    /// use orrery::machine::clock::{PingPong, Offset};
    /// // 5 ahead; the second question is late by 2, the third answer by 1.
    /// let ping_pongs = [(0.0, 6.0, 2.0), (2.0, 10.0, 6.0), (6.0, 12.0, 9.0)];
    /// let ping_pongs = ping_pongs.map(|(sent, remote, received)| PingPong { sent, remote, received });
    /// let offset = Offset::estimate(&ping_pongs).ok_or("none")?;
    /// assert_eq!((offset.offset, offset.half_width), (5.0, 1.0));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn estimate(ping_pongs: &[PingPong]) -> Option<Self> {
        let mut ping_pongs = ping_pongs.iter();
        let first = ping_pongs.next()?;
        let (mut low, mut high) =
            ((first.remote - first.received, first.received), (first.remote - first.sent, first.sent));
        for ping_pong in ping_pongs {
            let (least, most) = (ping_pong.remote - ping_pong.received, ping_pong.remote - ping_pong.sent);
            if least > low.0 {
                low = (least, ping_pong.received);
            }
            if most < high.0 {
                high = (most, ping_pong.sent);
            }
        }
        // Between bounds of different times that drift has crossed the truth lies as well.
        let half_width = ((high.0 - low.0) / 2.0).abs();
        Some(Self { time: f64::midpoint(low.1, high.1), offset: f64::midpoint(low.0, high.0), half_width })
    }
}
