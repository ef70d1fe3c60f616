//! Whether a number is the drive's.

use super::types::JobResult;
use crate::terms::rate;

/// Measured rates above the link's ceiling by more than this are not the
/// drive's; the rest is left to rounding.
const ABOVE_CEILING: f64 = 1.02;

/// What the disk counted for what was moved: below, something else answered;
/// above, somebody else used the disk too.
const DISK_RATIO: (f64, f64) = (0.98, 1.05);

/// Above, so much else was going on that the number is not the drive's.
const BUSY: f64 = 1.5;

/// Sets `valid` and the warnings from what was seen: speeds of the link when the
/// run began and after the job.
pub(super) fn judge(result: &mut JobResult, begun: &[String], now: &[String], sequential: bool) {
    let mut invalid = Vec::new();
    let mut warnings = Vec::new();
    if let Some(ratio) = result.disk_ratio {
        let percent = ratio * 100.0;
        if ratio < DISK_RATIO.0 {
            invalid.push(format!(
                "only {percent:.0} % of the bytes went through the disk: memory or another disk answered the rest"
            ));
        } else if ratio > DISK_RATIO.1 {
            let list = if ratio > BUSY { &mut invalid } else { &mut warnings };
            list.push(format!(
                "the disk moved {percent:.0} % of what was measured: something else used it too"
            ));
        }
    }
    if let Some(ceiling) = result.ceiling_bytes_per_second {
        if result.median > ceiling * ABOVE_CEILING {
            let (found, most) = (rate(result.median), rate(ceiling));
            invalid.push(format!("{found} is more than the link can carry ({most}): it is not the drive's"));
        }
    }
    if begun != now {
        let (old, new) = (begun.join(", "), now.join(", "));
        invalid.push(format!("the link changed its speed during the run ({old}, then {new})"));
    }
    if let (true, Some(fall)) = (sequential, fall(&result.samples)) {
        warnings.push(fall);
    }
    result.valid = invalid.is_empty();
    invalid.append(&mut warnings);
    result.warnings.append(&mut invalid);
}

/// The last passes are much slower than the first. Why cannot be seen from
/// here: a drive's fast cache ran out, it throttles, or it was not alone.
fn fall(samples: &[f64]) -> Option<String> {
    let (first, last) = (samples.first()?, samples.last()?);
    let slower = samples.iter().skip(samples.len() / 2).all(|s| *s < first * 0.7);
    (samples.len() >= 3 && slower).then(|| {
        format!(
            "it fell from {} to {}: a cache of the drive may be full, the drive may throttle, or something else used it",
            rate(*first),
            rate(*last)
        )
    })
}
