use orrery_base::numeric::Line;

/// A ping-pong with a rank that answers with its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PingPong {
    /// When the ping was sent, on the local clock.
    pub sent: f64,
    /// The answer: the time on the remote clock when it was sent.
    pub remote: f64,
    /// When the answer was received, on the local clock.
    pub received: f64,
}

/// The difference between a remote and the local clock at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offset {
    /// The time on the local clock.
    pub time: f64,
    /// Remote minus local time, in seconds.
    pub offset: f64,
    /// The largest error of the offset in seconds, if the clocks do not drift during the
    /// ping-pongs.
    pub half_width: f64,
}

impl Offset {
    /// The offset from several ping-pongs; `None` for an empty list.
    ///
    /// Each answer was sent between the sending of its ping and its receipt. With r the remote
    /// time, s and e the local times of sending and receipt, in seconds: max(r − e) ≤ offset ≤
    /// min(r − s). The offset is the middle, which is exact if the fastest ping takes as long as
    /// the fastest answer. Its time is the middle of the times e and s at which the bounds were
    /// found, since clocks drift. Source: SKaMPI.
    ///
    /// ```
    /// use orrery_measure::machine::clock::{Offset, PingPong};
    /// // The remote clock is 5 ahead; the second ping is late by 2, the third answer by 1.
    /// let ping_pongs = [(0.0, 6.0, 2.0), (2.0, 10.0, 6.0), (6.0, 12.0, 9.0)];
    /// let ping_pongs = ping_pongs.map(|(sent, remote, received)| PingPong { sent, remote, received });
    /// let offset = Offset::estimate(&ping_pongs).ok_or("none")?;
    /// assert_eq!((offset.offset, offset.half_width), (5.0, 1.0));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn estimate(ping_pongs: &[PingPong]) -> Option<Self> {
        let mut ping_pongs = ping_pongs.iter();
        let first = ping_pongs.next()?;
        let (mut low, mut high) = (
            (first.remote - first.received, first.received),
            (first.remote - first.sent, first.sent),
        );
        for ping_pong in ping_pongs {
            let (least, most) =
                (ping_pong.remote - ping_pong.received, ping_pong.remote - ping_pong.sent);
            if least > low.0 {
                low = (least, ping_pong.received);
            }
            if most < high.0 {
                high = (most, ping_pong.sent);
            }
        }
        // Drift may exchange bounds of different times; the true offset still lies between them.
        let half_width = ((high.0 - low.0) / 2.0).abs();
        Some(Self {
            time: f64::midpoint(low.1, high.1),
            offset: f64::midpoint(low.0, high.0),
            half_width,
        })
    }
}

/// A remote clock as a linear function of the local one.
///
/// offset(t) = offset + drift·(t − origin), all in seconds, t on the local clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearClock {
    /// The local time at the centre of the fitted offsets.
    pub origin: f64,
    /// Remote minus local time at the origin, in seconds.
    pub offset: f64,
    /// The change of the offset per second.
    pub drift: f64,
    /// The largest error of the offset at the origin, in seconds: the mean half-width of the fitted
    /// offsets.
    pub half_width: f64,
    /// The root mean square distance of the fitted offsets from the line, in seconds.
    pub residual: f64,
}

/// The largest drift of computer clocks; a fitted drift beyond it is noise.
const MAX_DRIFT: f64 = 500e-6;

/// The smallest half-width of an offset in seconds: the resolution of clocks.
const MIN_HALF_WIDTH: f64 = 1e-9;

impl LinearClock {
    /// The local clock itself.
    pub const IDENTITY: Self =
        Self { origin: 0.0, offset: 0.0, drift: 0.0, half_width: 0.0, residual: 0.0 };

    /// The line of least squares through offsets, weighted by 1/half-width²; `None` for an empty
    /// list.
    ///
    /// Times and offsets are taken relative to their centre, so that no digits are lost for clocks
    /// that have run for long. The drift is limited to 500 ppm.
    pub fn fit(offsets: &[Offset]) -> Option<Self> {
        let first = offsets.first()?;
        let weight = |point: &Offset| point.half_width.max(MIN_HALF_WIDTH).powi(-2);
        let points =
            || offsets.iter().map(|p| (p.time - first.time, p.offset - first.offset, weight(p)));
        let total: f64 = points().map(|(.., w)| w).sum();
        let mean = |of: &dyn Fn(&Offset) -> f64| {
            offsets.iter().map(|p| weight(p) * of(p)).sum::<f64>() / total
        };
        let (x, y) = (mean(&|p| p.time - first.time), mean(&|p| p.offset - first.offset));
        let drift =
            Line::through(points()).map_or(0.0, |line| line.slope.clamp(-MAX_DRIFT, MAX_DRIFT));
        let (origin, offset) = (first.time + x, first.offset + y);
        let square = mean(&|p| (p.offset - offset - drift * (p.time - origin)).powi(2));
        Some(Self {
            origin,
            offset,
            drift,
            half_width: mean(&|p| p.half_width),
            residual: square.sqrt(),
        })
    }

    /// The time on the remote clock at a local time.
    pub fn at(&self, local: f64) -> f64 {
        local + (self.offset + self.drift * (local - self.origin))
    }
}
