//! The keys that the bootloader knows.

/// In alphabetical order. Source: Raspberry Pi documentation,
/// eeprom-bootloader.adoc; `SIGNED_BOOT` from raspberrypi/usbboot
/// docs/secure-boot.md; `BOOT_LOAD_FLAGS` from the documentation of custom
/// firmware.
const KNOWN: &[&str] = &[
    "BOOTVAR0",
    "BOOT_LOAD_FLAGS",
    "BOOT_ORDER",
    "BOOT_UART",
    "BOOT_WATCHDOG_PARTITION",
    "BOOT_WATCHDOG_TIMEOUT",
    "CLIENT_IP",
    "DHCP_OPTION97",
    "DHCP_REQ_TIMEOUT",
    "DHCP_TIMEOUT",
    "DISABLE_HDMI",
    "ENABLE_SELF_UPDATE",
    "FREEZE_VERSION",
    "GATEWAY",
    "HDMI_DELAY",
    "HTTP_CACERT_HASH",
    "HTTP_HOST",
    "HTTP_PATH",
    "HTTP_PORT",
    "IMAGER_REPO_URL",
    "MAC_ADDRESS",
    "MAC_ADDRESS_OTP",
    "MAX_RESTARTS",
    "NETCONSOLE",
    "NET_BOOT_MAX_RETRIES",
    "NET_INSTALL_AT_POWER_ON",
    "NET_INSTALL_ENABLED",
    "NET_INSTALL_KEYBOARD_WAIT",
    "PARTITION",
    "PARTITION_WALK",
    "PCIE_PROBE",
    "POWER_OFF_ON_HALT",
    "PSU_MAX_CURRENT",
    "PXE_OPTION43",
    "REBOOT_ON_FATAL_ERROR",
    "SDRAM_BANKLOW",
    "SD_BOOT_MAX_RETRIES",
    "SD_OVERCURRENT_CHECK",
    "SD_QUIRKS",
    "SIGNED_BOOT",
    "SUBNET",
    "TFTP_FILE_TIMEOUT",
    "TFTP_IP",
    "TFTP_PREFIX",
    "TFTP_PREFIX_STR",
    "UART_BAUD",
    "USB_MSD_DISCOVER_TIMEOUT",
    "USB_MSD_EXCLUDE_VID_PID",
    "USB_MSD_LUN_TIMEOUT",
    "USB_MSD_PWR_OFF_TIME",
    "USB_MSD_STARTUP_DELAY",
    "VL805",
    "WAIT_FOR_POWER_BUTTON",
    "WAKE_ON_GPIO",
    "XHCI_DEBUG",
];

/// True for a documented key, as it must be written.
pub(super) fn is_known(key: &[u8]) -> bool {
    std::str::from_utf8(key).is_ok_and(|key| KNOWN.binary_search(&key).is_ok())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_can_be_searched() {
        assert!(super::KNOWN.is_sorted());
        assert!(super::is_known(b"PCIE_PROBE") && !super::is_known(b"PCIeTopology"));
    }
}
