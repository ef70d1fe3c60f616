//! Names that look meant: misspelt ones, and ones that belong elsewhere.

/// Parameters of the base device tree for the external PCIe port.
///
/// Source: Linux arch/arm64/boot/dts/broadcom/bcm2712-rpi.dtsi.
const PORT: [&str; 6] =
    ["nvme", "pciex1", "pciex1_gen", "pciex1_no_l0s", "pciex1_tperst_clk_ms", "pcie_tperst_clk_ms"];

/// True for a parameter of the external PCIe port.
pub(super) fn is_port_param(name: &str) -> bool {
    PORT.contains(&name)
}

/// The parameter of the PCIe port that was meant by a name that is none, as
/// far as that can be told.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    // `pcie` is a real parameter, of the Raspberry Pi 4.
    if is_port_param(name) || name == "pcie" {
        return None;
    }
    let plain: String = name.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let close = |wanted: &&&'static str| {
        let wanted: String = wanted.chars().filter(char::is_ascii_alphanumeric).collect();
        let allowed = if wanted.len() < 6 { 1 } else { 2 };
        distance(&plain, &wanted) <= allowed
    };
    if plain.starts_with("pci") {
        if plain.contains("gen") || plain.contains("speed") {
            return Some("pciex1_gen");
        }
        if plain.contains("aspm") || plain.contains("portpm") {
            return None;
        }
        return PORT.iter().skip(1).find(close).copied();
    }
    if plain.len() < 4 {
        return None;
    }
    PORT.iter().take(3).find(close).copied()
}

/// Where a name belongs that does nothing in config.txt.
pub(super) fn other_file(name: &str) -> Option<&'static str> {
    let kernel = ["pcie_aspm", "pcie_port_pm", "pcie_ports", "pci"].contains(&name)
        || ["nvme_core.", "pcie_aspm.", "nvme."].iter().any(|module| name.starts_with(module));
    if kernel {
        return Some("is a kernel argument and belongs in cmdline.txt");
    }
    let bootloader =
        ["BOOT_ORDER", "PCIE_PROBE", "PSU_MAX_CURRENT", "NET_INSTALL_AT_POWER_ON", "POWER_OFF_ON_HALT"];
    bootloader
        .iter()
        .any(|key| key.eq_ignore_ascii_case(name))
        .then_some("belongs in the bootloader configuration (rpi-eeprom-config --edit)")
}

/// Words that begin a setting of their own: inside a value they tell of two
/// lines that have run together.
const LINE_STARTS: [&str; 22] = [
    "arm_64bit=",
    "arm_boost=",
    "arm_freq=",
    "auto_initramfs=",
    "camera_auto_detect=",
    "device_tree_overlay=",
    "device_tree_param=",
    "disable_overscan=",
    "disable_splash=",
    "display_auto_detect=",
    "dtoverlay=",
    "dtparam=",
    "enable_uart=",
    "force_turbo=",
    "gpu_mem=",
    "hdmi_force_hotplug=",
    "initial_turbo=",
    "max_framebuffers=",
    "otg_mode=",
    "over_voltage=",
    "start_x=",
    "usb_max_current_enable=",
];

/// The setting that begins inside a value, right behind a letter or digit.
pub(super) fn fused(value: &str) -> Option<&'static str> {
    LINE_STARTS.into_iter().find(|word| {
        value.match_indices(word).any(|(at, _)| {
            let before = value.get(..at).and_then(|before| before.bytes().last());
            before.is_some_and(|byte| byte.is_ascii_alphanumeric())
        })
    })
}

/// Insertions, deletions, changes and swaps of neighbours that make one word
/// of the other (optimal string alignment).
pub(super) fn distance(a: &str, b: &str) -> usize {
    // No name is that long, and the cost grows with the product.
    if a.len() > 40 || b.len() > 40 {
        return usize::MAX;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX - 1);
            let mut cost =
                (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                cost = cost.min(at(&before, j - 1) + 1);
            }
            row.push(cost);
        }
        (before, last) = (last, row);
    }
    last.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_misspellings_are_told() {
        for (name, wanted) in [
            ("pcie1_gen", "pciex1_gen"),
            ("pciex_gen", "pciex1_gen"),
            ("pciex1gen", "pciex1_gen"),
            ("pciex1_gen3", "pciex1_gen"),
            ("pcie_gen", "pciex1_gen"),
            ("pcie_gen3", "pciex1_gen"),
            ("pciex1-gen", "pciex1_gen"),
            ("PCIEX1_GEN", "pciex1_gen"),
            ("pice_x1gen", "pciex1_gen"),
            ("pciex", "pciex1"),
            ("pcie1", "pciex1"),
            ("pcix1", "pciex1"),
            ("pcixe1", "pciex1"),
            ("nmve", "nvme"),
            ("NVMe", "nvme"),
        ] {
            assert_eq!(meant(name), Some(wanted), "{name}");
        }
        for name in ["audio", "spi", "i2c_arm", "uart0", "pcie", "pciex1", "pcie_aspm", "nvme", "rtc", "ant2"]
        {
            assert_eq!(meant(name), None, "{name}");
        }
    }

    #[test]
    fn lines_that_ran_together_are_told() {
        assert_eq!(fused("dwc2dtoverlay=hyperpixel"), Some("dtoverlay="));
        assert_eq!(fused("spi=onstart_x=1"), Some("start_x="));
        assert_eq!(fused("hifiberry-dacdtparam=i2c1=on"), Some("dtparam="));
        assert_eq!(fused("arm_freq=2800"), None);
        assert_eq!(fused("dwc2,dr_mode=host"), None);
    }
}
