//! Axes: where a value stands, and at which round values to put a mark.

/// An axis from 0 or, on a log scale, from a value above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    length: f64,
    log: bool,
}

impl Scale {
    /// From 0 to `high` over `length` pixels.
    pub(super) fn linear(high: f64, length: f64) -> Self {
        Self { low: 0.0, high: high.max(f64::MIN_POSITIVE), length, log: false }
    }

    /// From `low` to `high`, each factor as long.
    pub(super) fn log(low: f64, high: f64, length: f64) -> Self {
        let low = low.max(1.0);
        Self { low, high: high.max(low * 1.01), length, log: true }
    }

    /// Where a value stands, within the axis.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = if self.log {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            value / self.high
        };
        share.clamp(0.0, 1.0) * self.length
    }

    /// True when the value is on the axis.
    pub(super) fn holds(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }

    /// Round values for marks, at most `most` on a linear axis.
    pub(super) fn marks(&self, most: usize) -> Vec<f64> {
        if self.log {
            return (0..18).map(|power| 10_f64.powi(power)).filter(|v| self.holds(*v)).collect();
        }
        let step = round_up(self.high / most.max(1) as f64);
        let count = (self.high / step + 1e-9).floor() as usize;
        (0..=count).map(|i| step * i as f64).collect()
    }
}

/// The next of 1, 2, 5 times a power of ten.
pub(super) fn round_up(value: f64) -> f64 {
    if !(value.is_finite() && value > 0.0) {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let digit = value / power;
    let round = [1.0, 2.0, 5.0].into_iter().find(|r| digit <= *r + 1e-9).unwrap_or(10.0);
    round * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_few() {
        assert_eq!(Scale::linear(945e6, 300.0).marks(5), [0.0, 200e6, 400e6, 600e6, 800e6]);
        assert_eq!(Scale::linear(66e6, 300.0).marks(4), [0.0, 20e6, 40e6, 60e6]);
        assert_eq!(Scale::log(50e3, 3e7, 300.0).marks(9), [1e5, 1e6, 1e7]);
        for high in [0.0, f64::NAN, 1e-300, 1e300] {
            assert!(Scale::linear(high, 10.0).marks(5).len() <= 6, "{high}");
        }
    }

    #[test]
    fn a_value_stands_within_the_axis() {
        let scale = Scale::linear(100.0, 50.0);
        assert_eq!((scale.at(0.0), scale.at(50.0), scale.at(200.0)), (0.0, 25.0, 50.0));
        let log = Scale::log(10.0, 1000.0, 50.0);
        assert_eq!((log.at(1.0), log.at(10.0), log.at(1e9)), (0.0, 0.0, 50.0));
        assert!((log.at(100.0) - 25.0).abs() < 1e-9);
        assert!(log.holds(100.0) && !log.holds(5.0));
    }
}
