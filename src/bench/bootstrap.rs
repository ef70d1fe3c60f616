//! How sure a ratio of two medians is: bootstrap over blocks. See
//! `docs/bench.md`, "Comparison", for the method and where it comes from.

use super::data::Random;
use super::stats::LEAST_SAMPLES;

/// How often both runs are drawn again.
const DRAWS: usize = 2000;

/// Where the random numbers begin: the same two runs give the same interval on
/// every computer.
const SEED: u64 = 0x7069_352d_6e76_6d65;

/// The 95 % interval of the ratio of two medians (`after` over `before`); the
/// samples are the blocks, one a pass. `None` with fewer than six on a side.
pub(super) fn ratio_interval(before: &[f64], after: &[f64]) -> Option<(f64, f64)> {
    let least = before.len().min(after.len());
    if least < LEAST_SAMPLES {
        return None;
    }
    // In order, so that the order of the passes does not change the numbers.
    let ordered = |samples: &[f64]| {
        let mut samples = samples.to_vec();
        samples.sort_by(f64::total_cmp);
        samples
    };
    let (before, after) = (ordered(before), ordered(after));
    let mut random = Random::new(SEED);
    let mut times = Vec::with_capacity(before.len().max(after.len()));
    let mut ratios: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let below = median_of_a_draw(&before, &mut random, &mut times);
            median_of_a_draw(&after, &mut random, &mut times) / below
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let tail = tail(least);
    Some((quantile(&ratios, tail)?, quantile(&ratios, 1.0 - tail)?))
}

/// The median of as many samples as there are, each drawn with putting back.
/// `times` is room to count how often each was drawn.
fn median_of_a_draw(sorted: &[f64], random: &mut Random, times: &mut Vec<usize>) -> f64 {
    let count = sorted.len();
    times.clear();
    times.resize(count, 0);
    for _ in 0..count {
        if let Some(times) = times.get_mut(random.below(count as u64) as usize) {
            *times += 1;
        }
    }
    // The draws in order, without sorting them.
    let place = |wanted: usize| {
        let mut seen = 0;
        let found = sorted.iter().zip(times.iter()).find(|(_, times)| {
            seen += **times;
            seen > wanted
        });
        found.map_or(0.0, |(sample, _)| *sample)
    };
    let upper = place(count / 2);
    if count % 2 == 0 { (place(count / 2 - 1) + upper) / 2.0 } else { upper }
}

/// How much to leave out at each end. With few samples the plain 2.5 % gives
/// intervals that are too short, for draws spread less than the samples' law
/// and the spread itself is uncertain; the expanded percentile interval (T.
/// Hesterberg, "What Teachers Should Know About the Bootstrap", The American
/// Statistician 69:4, 2015, section 3.3) makes up for both.
fn tail(count: usize) -> f64 {
    let n = count as f64;
    below_normal(-(n / (n - 1.0)).sqrt() * student_975(n - 1.0))
}

/// The 97.5 % quantile of Student's t, by its expansion around the normal one
/// (Abramowitz and Stegun 26.7.5); right to 0.005 from five degrees on.
fn student_975(degrees: f64) -> f64 {
    let z: f64 = 1.959_963_984_540_054;
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * degrees)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * degrees.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * degrees.powi(3))
}

/// How much of the normal law lies below `z`, for `z` of at most 0 (Abramowitz
/// and Stegun 26.2.17; error below 8e-8).
fn below_normal(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let series = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530]
        .iter()
        .fold(0.0, |sum, factor| (sum + factor) * t);
    density * series
}

/// Between two neighbours where the share falls between them.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let at = share * (sorted.len().checked_sub(1)? as f64);
    let low = *sorted.get(at.floor() as usize)?;
    let high = *sorted.get(at.ceil() as usize)?;
    // Two infinities have no middle.
    if low == high { Some(low) } else { Some(low + (high - low) * at.fract()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_agree() {
        for (degrees, t) in [(5.0, 2.571), (6.0, 2.447), (8.0, 2.306), (19.0, 2.093), (1e6, 1.960)] {
            assert!((student_975(degrees) - t).abs() < 0.005, "{degrees}: {}", student_975(degrees));
        }
        for (z, below) in [(0.0, 0.5), (-1.0, 0.158_655), (-1.96, 0.024_998), (-3.0, 0.001_350)] {
            assert!((below_normal(z) - below).abs() < 1e-6, "{z}: {}", below_normal(z));
        }
        assert!((tail(6) - 0.0024).abs() < 2e-4 && (tail(100_000) - 0.025).abs() < 1e-4);
    }

    #[test]
    fn a_ratio_of_two_medians() {
        let before = [450.0, 451.0, 449.0, 450.5, 449.5, 450.0];
        let after = [880.0, 882.0, 878.0, 881.0, 879.0, 880.0];
        let (low, high) = ratio_interval(&before, &after).unwrap();
        assert!(low <= 880.0 / 450.0 && 880.0 / 450.0 <= high);
        assert!(low > 1.945 && high < 1.965, "{low} {high}");
        assert_eq!(ratio_interval(&before, &after[..5]), None);
        assert_eq!(ratio_interval(&before[..5], &after), None);
        assert_eq!(ratio_interval(&[2.0; 6], &[3.0; 9]), Some((1.5, 1.5)));
    }

    #[test]
    fn the_same_runs_give_the_same_interval_in_any_order() {
        let before = [450.0, 451.0, 449.0, 450.5, 449.5, 430.0];
        let mut turned = before;
        turned.reverse();
        let after = [880.0, 882.0, 878.0, 881.0, 879.0, 900.0, 880.5];
        assert_eq!(ratio_interval(&before, &after), ratio_interval(&before, &after));
        assert_eq!(ratio_interval(&before, &after), ratio_interval(&turned, &after));
    }

    /// A number from 0 to 1, neither of them.
    fn uniform(random: &mut Random) -> f64 {
        ((random.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Box and Muller.
    fn normal(random: &mut Random) -> f64 {
        let radius = (-2.0 * uniform(random).ln()).sqrt();
        radius * (std::f64::consts::TAU * uniform(random)).cos()
    }

    /// Experiments of 400 in which the interval does not hold the true ratio, 1.
    fn misses(count: usize, before: fn(&mut Random) -> f64, after: fn(&mut Random) -> f64) -> usize {
        let mut random = Random::new(count as u64);
        let mut draw =
            |law: fn(&mut Random) -> f64| -> Vec<f64> { (0..count).map(|_| law(&mut random)).collect() };
        let missed = |ends: Option<(f64, f64)>| ends.is_none_or(|(low, high)| low > 1.0 || high < 1.0);
        (0..400).filter(|_| missed(ratio_interval(&draw(before), &draw(after)))).count()
    }

    #[test]
    fn it_covers_what_it_promises() {
        // Laws with median 1: even, skewed, with a slow pass in ten, and what
        // a faster link brings: a tight one (the link was the limit) against a
        // loose one (the drive is). At most 5 % of 400 miss, and a little for
        // luck (three standard deviations of a law at 5 %).
        let even = |r: &mut Random| 1.0 + 0.01 * normal(r);
        let skewed = |r: &mut Random| -uniform(r).ln() / std::f64::consts::LN_2;
        let tight = |r: &mut Random| 1.0 + 0.001 * normal(r);
        let loose = |r: &mut Random| 1.0 + 0.05 * normal(r);
        // The median of the whole: where the fast part's own law has 4/9 below.
        let dips = |r: &mut Random| match uniform(r) < 0.1 {
            true => 0.6,
            false => 1.0 + 0.005 * (normal(r) + 0.139_710),
        };
        let check = |name: &str, missed: usize| assert!(missed <= 33, "{name}: {missed} of 400 missed");
        for count in [6, 7, 12] {
            check("even", misses(count, even, even));
            check("tight against loose", misses(count, tight, loose));
        }
        check("skewed", misses(7, skewed, skewed));
        check("dips", misses(7, dips, dips));
    }

    #[test]
    fn it_is_no_longer_than_it_must_be() {
        // 1 % of spread: the interval of nine passes a side is near +-1 %.
        let mut random = Random::new(7);
        let mut widths: Vec<f64> = (0..100)
            .map(|_| {
                let mut draw = || -> Vec<f64> { (0..9).map(|_| 1.0 + 0.01 * normal(&mut random)).collect() };
                let (low, high) = ratio_interval(&draw(), &draw()).unwrap();
                high - low
            })
            .collect();
        widths.sort_by(f64::total_cmp);
        assert!((0.015..0.04).contains(&widths[50]), "{}", widths[50]);
    }
}
