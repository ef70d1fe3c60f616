//! Latencies as the loop counts them: in the bins of hdrhistogram, at a fifth
//! of the instructions that its own `record` takes for each transfer.

use hdrhistogram::Histogram;

/// The longest that is told apart, 68.7 s: the end of a doubling, as
/// hdrhistogram's bins have it. What is longer counts as that.
const LONGEST_NS: u64 = (1 << 36) - 1;

/// Three digits: bins of 1 ns below 2048, then 1024 bins for each doubling.
const DIGITS: u8 = 3;
const HALF_BITS: u32 = 10;

/// Counts of latencies in nanoseconds.
pub(super) struct Latencies {
    counts: Vec<u64>,
    longer: u64,
}

impl Latencies {
    pub(super) fn new() -> Self {
        Self { counts: vec![0; bin(LONGEST_NS) + 1], longer: 0 }
    }

    #[inline(always)]
    pub(super) fn record(&mut self, nanoseconds: u64) {
        match self.counts.get_mut(bin(nanoseconds)) {
            Some(count) => *count += 1,
            None => self.longer += 1,
        }
    }

    /// The same as if each had been recorded there.
    pub(super) fn histogram(&self) -> Histogram<u64> {
        let mut histogram = empty();
        for (index, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            histogram.saturating_record_n(lowest(index), *count);
        }
        // Even a count of 0 would move the maximum.
        if self.longer > 0 {
            histogram.saturating_record_n(LONGEST_NS, self.longer);
        }
        histogram
    }
}

/// A histogram with nothing in it.
pub(super) fn empty() -> Histogram<u64> {
    // The bounds and the digits are in range, so the second form is never
    // needed.
    Histogram::new_with_bounds(1, LONGEST_NS, DIGITS)
        .or_else(|_| Histogram::new(DIGITS))
        .unwrap_or_else(|_| unreachable!("three digits are allowed"))
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation)]
fn bin(nanoseconds: u64) -> usize {
    let shift = (nanoseconds | ((2 << HALF_BITS) - 1)).ilog2() - HALF_BITS;
    ((shift as usize) << HALF_BITS) + (nanoseconds >> shift) as usize
}

/// The least latency of a bin.
fn lowest(bin: usize) -> u64 {
    let shift = (bin >> HALF_BITS).saturating_sub(1);
    ((bin - (shift << HALF_BITS)) as u64) << shift
}

#[cfg(test)]
mod tests {
    use super::super::data::Random;
    use super::*;

    #[test]
    fn it_is_what_hdrhistogram_would_have() {
        let (mut own, mut theirs) = (Latencies::new(), empty());
        let mut random = Random::new(1);
        let edges = (0..=40).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        let spread = (0..20_000).map(|_| random.next() >> (20 + random.below(44)));
        for value in edges.chain(spread).collect::<Vec<_>>() {
            own.record(value);
            theirs.saturating_record(value);
        }
        let own = own.histogram();
        assert_eq!(own.len(), theirs.len());
        assert_eq!((own.min(), own.max()), (theirs.min(), theirs.max()));
        assert_eq!((own.mean(), own.stdev()), (theirs.mean(), theirs.stdev()));
        let bins = |h: &Histogram<u64>| -> Vec<_> {
            h.iter_recorded().map(|v| (v.value_iterated_to(), v.count_at_value())).collect()
        };
        assert_eq!(bins(&own), bins(&theirs));
    }

    #[test]
    fn percentiles_are_within_a_thousandth_of_the_sorted_values() {
        let mut random = Random::new(2);
        let mut values: Vec<u64> = (0..100_000).map(|_| 10_000 + random.below(5_000_000)).collect();
        let mut latencies = Latencies::new();
        values.iter().for_each(|v| latencies.record(*v));
        values.sort_unstable();
        let histogram = latencies.histogram();
        assert!(histogram.max() < values[99_999] * 1001 / 1000);
        for (share, rank) in [(0.5, 49_999), (0.99, 98_999), (0.999, 99_899), (1.0, 99_999)] {
            let (found, exact) = (histogram.value_at_quantile(share) as f64, values[rank] as f64);
            assert!((found / exact - 1.0).abs() <= 0.001, "{share}: {found} for {exact}");
        }
    }

    #[test]
    fn what_is_longer_than_the_longest_counts_as_that() {
        let mut latencies = Latencies::new();
        latencies.record(u64::MAX);
        let histogram = latencies.histogram();
        assert_eq!(histogram.len(), 1);
        assert_eq!(histogram.max(), LONGEST_NS);
    }
}
