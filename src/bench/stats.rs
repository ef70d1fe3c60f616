//! Medians and their uncertainty. The unit is one pass; nothing is assumed
//! about how passes spread.

/// Fewer passes have no 95 % interval: half of all medians lie below any pass,
/// so all six lie on one side of it once in 32 times, all five once in 16.
pub(super) const LEAST_SAMPLES: usize = 6;

/// The median; 0 of nothing.
pub(super) fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match (sorted.get(half), half.checked_sub(1).and_then(|i| sorted.get(i))) {
        (Some(upper), Some(lower)) if sorted.len() % 2 == 0 => (lower + upper) / 2.0,
        (Some(upper), _) => *upper,
        _ => 0.0,
    }
}

/// The 95 % interval of the median, between two of the passes: exact for any
/// law, as each pass lies below the median as often as above it (the sign
/// test). `None` with fewer than six.
pub(super) fn median_interval(samples: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = outside(sorted.len())?;
    Some((*sorted.get(cut)?, *sorted.iter().rev().nth(cut)?))
}

/// How many passes lie outside the interval at each end: as many as leave at
/// most 2.5 % there.
fn outside(count: usize) -> Option<usize> {
    let mut chance = 0.5_f64.powi(i32::try_from(count).ok()?);
    let mut below = chance;
    let mut cut = None;
    for k in 0..count {
        if below > 0.025 {
            break;
        }
        cut = Some(k);
        chance *= (count - k) as f64 / (k + 1) as f64;
        below += chance;
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::super::data::Random;
    use super::*;

    #[test]
    fn the_middle() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[9.0, 1.0]), 5.0);
        assert_eq!(median(&[9.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn the_ends_are_passes_and_few_passes_have_none() {
        let of = |count: u32| median_interval(&(1..=count).map(f64::from).collect::<Vec<_>>());
        assert!((0..LEAST_SAMPLES as u32).all(|n| of(n).is_none()));
        assert_eq!(of(6), Some((1.0, 6.0)));
        assert_eq!(of(7), Some((1.0, 7.0)));
        assert_eq!(of(9), Some((2.0, 8.0)));
        assert_eq!(of(20), Some((6.0, 15.0)));
    }

    #[test]
    fn they_cover_what_they_promise() {
        // Draws from a skewed law with median 1: at most 5 % miss, and a little
        // for the luck of 4000 experiments.
        let mut random = Random::new(1);
        let mut uniform = || (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        for count in [6, 7, 9] {
            let mut draw = || -> Vec<f64> {
                (0..count).map(|_| -(1.0 - uniform()).ln() / std::f64::consts::LN_2).collect()
            };
            let misses = |ends: Option<(f64, f64)>| usize::from(ends.is_none_or(|(l, h)| l > 1.0 || h < 1.0));
            let missed: usize = (0..4000).map(|_| misses(median_interval(&draw()))).sum();
            assert!(missed <= 220, "{count} passes: {missed} of 4000");
        }
    }
}
