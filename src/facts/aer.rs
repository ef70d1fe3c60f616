//! Error counters that the kernel keeps (Advanced Error Reporting).

use super::{AerCounters, sysfs};
use crate::host::Host;

/// The counters of the function at `folder`; `None` where the kernel keeps
/// none. Format: `NAME count` a line and a `TOTAL_...` line
/// (drivers/pci/pcie/aer.c, `aer_stats_dev_attr`); names differ by kernel, so
/// unknown ones are kept.
pub(super) fn counters(host: &Host, folder: &str) -> Option<AerCounters> {
    let mut all = AerCounters::default();
    let mut found = false;
    for (name, total) in
        [("correctable", &mut all.correctable), ("nonfatal", &mut all.nonfatal), ("fatal", &mut all.fatal)]
    {
        let Some(text) = sysfs::text(host, &format!("{folder}/aer_dev_{name}")) else { continue };
        let (sum, nonzero) = parse(&text);
        found = true;
        *total = sum;
        all.names.extend(nonzero);
    }
    found.then_some(all)
}

/// The total (the kernel's own, else the sum) and the counters that are not
/// zero.
fn parse(text: &str) -> (u64, Vec<(String, u64)>) {
    let mut total = None;
    let mut nonzero = Vec::new();
    for line in text.lines() {
        let Some((name, count)) = line.trim().rsplit_once(' ') else { continue };
        let Ok(count) = count.parse::<u64>() else { continue };
        if name.starts_with("TOTAL_") {
            total = Some(count);
        } else if count > 0 {
            nonzero.push((name.trim().to_owned(), count));
        }
    }
    let sum = nonzero.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
    (total.unwrap_or(sum), nonzero)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn names_and_total() {
        let (total, names) = parse("RxErr 0\nTimeout 3\ndev_cor_errs_bit[5] 1\nTOTAL_ERR_COR 9\n");
        assert_eq!(total, 9);
        assert_eq!(names, [("Timeout".to_owned(), 3), ("dev_cor_errs_bit[5]".to_owned(), 1)]);
        assert_eq!(parse("RxErr 2\nodd\nBad x\n"), (2, vec![("RxErr".to_owned(), 2)]));
        assert_eq!(parse(""), (0, Vec::new()));
    }
}
