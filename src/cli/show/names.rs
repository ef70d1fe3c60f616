//! Names of what stands in the PCIe path.

/// The name of a switch, or its ids.
pub(in crate::cli) fn device(vendor: Option<u16>, device: Option<u16>) -> Option<String> {
    Some(format!("switch {:04x}:{:04x}", vendor?, device?))
}
