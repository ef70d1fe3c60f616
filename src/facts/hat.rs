//! A HAT whose ID EEPROM the firmware read into the device tree.

use super::{Hat, board::TREE};
use crate::formats::device_tree;
use crate::host::Host;

/// The HAT, if there is one. Most M.2 boards have no ID EEPROM: `None` means
/// that the board is not known, not that there is none.
///
/// With several (stacked HATs) the one that speaks of M.2 is meant.
pub(super) fn hat(host: &Host) -> Option<Hat> {
    let nodes = host.list(TREE).unwrap_or_default();
    let mut hats: Vec<Hat> =
        nodes.iter().filter(|name| name.starts_with("hat")).filter_map(|name| one(host, name)).collect();
    let chosen = hats.iter().position(|hat| hat.product.contains("M.2")).unwrap_or(0);
    (chosen < hats.len()).then(|| hats.swap_remove(chosen))
}

fn one(host: &Host, node: &str) -> Option<Hat> {
    let string =
        |name: &str| host.read(&format!("{TREE}/{node}/{name}")).ok().map(|b| device_tree::string(&b));
    let (vendor, product) = (string("vendor"), string("product"));
    if vendor.is_none() && product.is_none() {
        return None;
    }
    Some(Hat { vendor: vendor.unwrap_or_default(), product: product.unwrap_or_default() })
}
