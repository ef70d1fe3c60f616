//! Quantities as a person reads them: decimal prefixes (MB = 10^6), as the
//! field's own tools print them.

/// `512 MB`, `1.02 TB`: a size in bytes.
pub fn bytes(value: u64) -> String {
    scaled(value as f64, "B")
}

/// `884 MB/s`: a rate in bytes a second.
pub fn rate(bytes_per_second: f64) -> String {
    scaled(bytes_per_second, "B/s")
}

/// `38 °C`.
pub fn celsius(value: f64) -> String {
    format!("{value:.0} °C")
}

fn scaled(value: f64, unit: &str) -> String {
    const PREFIXES: [&str; 5] = ["", "k", "M", "G", "T"];
    let mut value = value;
    let mut step = 0;
    // 999.5 would round to 1000 of the smaller unit.
    while value >= 999.5 && step + 1 < PREFIXES.len() {
        value /= 1000.0;
        step += 1;
    }
    let prefix = PREFIXES[step];
    if step == 0 || value >= 99.95 {
        format!("{value:.0} {prefix}{unit}")
    } else if value >= 9.995 {
        format!("{value:.1} {prefix}{unit}")
    } else {
        format!("{value:.2} {prefix}{unit}")
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn three_digits_are_enough() {
        assert_eq!(super::bytes(512), "512 B");
        assert_eq!(super::bytes(500_107_862_016), "500 GB");
        assert_eq!(super::bytes(1_024_209_543_168), "1.02 TB");
        assert_eq!(super::bytes(999_999), "1.00 MB");
        assert_eq!(super::rate(884.4e6), "884 MB/s");
        assert_eq!(super::rate(45.04e6), "45.0 MB/s");
        assert_eq!(super::celsius(37.85), "38 °C");
    }
}
