//! The SMART / Health log page (NVMe base specification, log page 02h).

use super::Smart;

/// Its length in bytes.
pub(super) const LENGTH: usize = 512;

/// Reads the page; `None` when it is too short, or all zeros or all ones,
/// which is no log.
pub(super) fn parse(page: &[u8]) -> Option<Smart> {
    let page: &[u8; LENGTH] = page.get(..LENGTH)?.try_into().ok()?;
    if page.iter().all(|byte| *byte == 0) || page.iter().all(|byte| *byte == 0xff) {
        return None;
    }
    let u32_at = |at: usize| number(page, at, 4) as u32;
    Some(Smart {
        critical_warning: page[0],
        temperature_kelvin: number(page, 1, 2) as u16,
        spare_percent: page[3],
        used_percent: page[5],
        unsafe_shutdowns: number(page, 144, 16),
        media_errors: number(page, 160, 16),
        error_log_entries: number(page, 176, 16),
        warning_temp_minutes: u32_at(192),
        critical_temp_minutes: u32_at(196),
        thermal_transitions: u64::from(u32_at(216)) + u64::from(u32_at(220)),
    })
}

/// The composite temperature, as the kernel converts it; 0 K means none.
pub(super) fn celsius(smart: &Smart) -> Option<f64> {
    let celsius = f64::from(smart.temperature_kelvin) - 273.15;
    (-60.0..=150.0).contains(&celsius).then_some(celsius)
}

/// A little-endian number of `len` bytes.
fn number(page: &[u8; LENGTH], at: usize, len: usize) -> u128 {
    page.iter().skip(at).take(len).rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_at_their_offsets() {
        let mut page = [0; LENGTH];
        page[0] = 2;
        page[1..3].copy_from_slice(&331u16.to_le_bytes());
        page[3] = 100;
        page[5] = 255;
        page[144] = 32;
        page[160..176].copy_from_slice(&u128::MAX.to_le_bytes());
        page[176..178].copy_from_slice(&300u16.to_le_bytes());
        page[192..196].copy_from_slice(&7u32.to_le_bytes());
        page[196..200].copy_from_slice(&1u32.to_le_bytes());
        page[216..220].copy_from_slice(&59u32.to_le_bytes());
        page[220..224].copy_from_slice(&u32::MAX.to_le_bytes());
        let smart = parse(&page).unwrap();
        assert_eq!((smart.critical_warning, smart.spare_percent, smart.used_percent), (2, 100, 255));
        assert_eq!(
            (smart.unsafe_shutdowns, smart.media_errors, smart.error_log_entries),
            (32, u128::MAX, 300)
        );
        assert_eq!((smart.warning_temp_minutes, smart.critical_temp_minutes), (7, 1));
        assert_eq!(smart.thermal_transitions, 59 + u64::from(u32::MAX));
        assert!((celsius(&smart).unwrap() - 57.85).abs() < 1e-9);
    }

    #[test]
    fn no_log() {
        assert_eq!(parse(&[0; LENGTH]), None);
        assert_eq!(parse(&[0xff; LENGTH]), None);
        assert_eq!(parse(&[1; LENGTH - 1]), None);
        assert_eq!(celsius(&Smart::default()), None);
    }
}
