//! A rate that is not passed: on a recorded machine this computer's disk
//! stands in for a drive behind a link of known speed.

use std::time::Duration;

/// A token bucket without stock: a transfer may start when the link would
/// have carried it whole.
#[derive(Debug)]
pub(super) struct Cap {
    bytes_per_second: f64,
    free_at: Duration,
}

impl Cap {
    pub(super) fn new(bytes_per_second: f64) -> Self {
        Self { bytes_per_second: bytes_per_second.max(1.0), free_at: Duration::ZERO }
    }

    /// Books `bytes` at `now` (any clock that only goes forward): when the
    /// transfer may start. Time that was not used is not saved up.
    pub(super) fn book(&mut self, now: Duration, bytes: usize) -> Duration {
        let cost = Duration::from_secs_f64(bytes as f64 / self.bytes_per_second);
        self.free_at = self.free_at.max(now) + cost;
        self.free_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_time_is_not_saved_up() {
        let mut cap = Cap::new(1e6);
        let ms = Duration::from_millis;
        assert_eq!(cap.book(ms(0), 1000), ms(1));
        assert_eq!(cap.book(ms(0), 1000), ms(2));
        assert_eq!(cap.book(ms(500), 1000), ms(501));
    }
}
