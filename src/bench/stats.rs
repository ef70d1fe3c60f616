//! Medians and their uncertainty. The unit is one pass; nothing is assumed
//! about how passes spread.

use super::data::Random;

/// Resamples: the ends of a 95 % interval are stable to a few parts in a
/// thousand of its width.
const RESAMPLES: usize = 2_000;

/// The same numbers give the same interval.
const SEED: u64 = 20_261_201;

/// The median; 0 of nothing.
pub(super) fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    middle(&sorted)
}

fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match (sorted.get(half), half.checked_sub(1).and_then(|i| sorted.get(i))) {
        (Some(upper), Some(lower)) if sorted.len() % 2 == 0 => (lower + upper) / 2.0,
        (Some(upper), _) => *upper,
        _ => 0.0,
    }
}

/// The 95 % interval of the median, by bootstrap.
pub(super) fn median_interval(samples: &[f64]) -> (f64, f64) {
    let mut random = Random::new(SEED);
    interval(|| resampled_median(samples, &mut random))
}

/// The 95 % interval of the ratio of two medians (`after` over `before`), by
/// bootstrap of both sides.
pub(super) fn ratio_interval(before: &[f64], after: &[f64]) -> (f64, f64) {
    let mut random = Random::new(SEED);
    interval(|| {
        let below = resampled_median(before, &mut random);
        resampled_median(after, &mut random) / below
    })
}

fn interval(mut draw: impl FnMut() -> f64) -> (f64, f64) {
    let mut drawn: Vec<f64> = (0..RESAMPLES).map(|_| draw()).collect();
    drawn.sort_by(f64::total_cmp);
    let at =
        |share: f64| drawn.get((share * (RESAMPLES - 1) as f64).round() as usize).copied().unwrap_or(0.0);
    (at(0.025), at(0.975))
}

fn resampled_median(samples: &[f64], random: &mut Random) -> f64 {
    let count = samples.len() as u64;
    let mut drawn: Vec<f64> = (0..count)
        .filter_map(|_| samples.get(usize::try_from(random.below(count)).unwrap_or(0)).copied())
        .collect();
    drawn.sort_by(f64::total_cmp);
    middle(&drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[9.0, 1.0]), 5.0);
        assert_eq!(median(&[9.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn an_interval_holds_the_median_and_narrows_with_agreement() {
        let wide = [80.0, 90.0, 100.0, 110.0, 120.0];
        let narrow = [99.0, 99.5, 100.0, 100.5, 101.0];
        let (low, high) = median_interval(&wide);
        assert!((80.0..100.0).contains(&low) && (100.1..=120.0).contains(&high), "{low} {high}");
        let (l, h) = median_interval(&narrow);
        assert!(low < l && h < high);
        assert_eq!(median_interval(&wide), (low, high), "the same numbers, the same interval");
        assert_eq!(median_interval(&[5.0; 7]), (5.0, 5.0));
    }

    #[test]
    fn it_covers_what_it_promises() {
        // 200 experiments of 9 draws from a skewed law with median 1: a 95 %
        // interval misses in about 5 % of them (bootstrap of so few: up to 15).
        let mut random = Random::new(1);
        let mut uniform = || (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let missed = (0..200)
            .filter(|_| {
                let drawn: Vec<f64> =
                    (0..9).map(|_| -(1.0 - uniform()).ln() / std::f64::consts::LN_2).collect();
                let (low, high) = median_interval(&drawn);
                low > 1.0 || high < 1.0
            })
            .count();
        assert!((2..=30).contains(&missed), "{missed} of 200");
    }

    #[test]
    fn a_ratio_of_two_medians() {
        let before = [450.0, 451.0, 449.0, 450.5, 449.5];
        let after = [880.0, 882.0, 878.0, 881.0, 879.0];
        let (low, high) = ratio_interval(&before, &after);
        assert!(low <= 880.0 / 450.0 && 880.0 / 450.0 <= high);
        assert!(low > 1.94 && high < 1.97, "{low} {high}");
    }
}
