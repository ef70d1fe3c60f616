//! The link of the external connector, trained as config.txt asks.

use super::{TREE, cannot};
use crate::facts::{Facts, Hop};
use crate::formats::config_txt::Value;
use crate::host::{Host, HostError};
use crate::terms::Generation;

/// Writes the connector's device tree node and the speed of every hop.
///
/// Source: Linux drivers/pci/controller/pcie-brcmstb.c: `max-link-speed` is
/// what the root port then shows as its highest speed; a link trains at the
/// highest speed that both of its ends can do.
pub(super) fn train(host: &Host, facts: &Facts, told: &mut Vec<String>) -> Result<(), HostError> {
    let meaning = facts.boot.meaning.as_ref().ok_or_else(|| cannot("no config.txt was found"))?;
    let on = settled(&meaning.port.value, "whether the connector is on", told).unwrap_or(false);
    let asked = settled(&meaning.generation.value, "the generation", told).unwrap_or(2);
    if !on {
        return Err(cannot("the connector would be off, and a recorded machine cannot lose its drives"));
    }
    let node = node(host)?;
    host.replace(&format!("{node}/status"), b"okay\0")?;
    host.replace(&format!("{node}/max-link-speed"), &asked.to_be_bytes())?;
    // BCM2712 cannot do more.
    let asked = u8::try_from(asked).ok().and_then(Generation::new).unwrap_or(Generation::GEN2);
    let asked = asked.min(Generation::GEN3);
    told.push(format!("config.txt asks for Gen {} on the external connector", asked.number()));
    if let Some(root) = &facts.port.root_port {
        write(host, root, "max_link_speed", asked)?;
    }
    for drive in &facts.drives {
        let ends = drive.path.iter().enumerate().map(|(at, hop)| (hop, highest(hop, at, asked)));
        let ends: Vec<_> = ends.collect();
        for link in ends.chunks(2) {
            let Some(speed) = link.iter().filter_map(|(_, highest)| *highest).min() else { continue };
            for (hop, _) in link {
                write(host, &hop.address, "current_link_speed", speed)?;
            }
            if let Some((last, _)) = link.last() {
                told.push(format!("link to {} trained at {:.1} GT/s", last.address, speed.gtps()));
            }
        }
    }
    Ok(())
}

/// What a hop can do: the root port, which comes first, what was asked.
fn highest(hop: &Hop, at: usize, asked: Generation) -> Option<Generation> {
    if at == 0 { Some(asked) } else { hop.max_speed }
}

/// The value; where the rules are not settled, the last one found.
fn settled<T: Copy>(value: &Value<T>, what: &str, told: &mut Vec<String>) -> Option<T> {
    match value {
        Value::Certain(value) => Some(*value),
        Value::Uncertain(values) => {
            told.push(format!("config.txt leaves {what} uncertain; one reading is played"));
            values.last().copied()
        }
    }
}

/// The node of the external connector (`pcie@1000110000`, on older kernels
/// `pcie@110000`).
fn node(host: &Host) -> Result<String, HostError> {
    let folder = format!("{TREE}/axi");
    let names = host.list(&folder)?;
    let name = names.iter().find(|name| name.starts_with("pcie@") && name.ends_with("110000"));
    name.map(|name| format!("{folder}/{name}")).ok_or_else(|| cannot("the external connector has no node"))
}

fn write(host: &Host, address: &str, name: &str, speed: Generation) -> Result<(), HostError> {
    let path = format!("/sys/bus/pci/devices/{address}/{name}");
    host.replace(&path, format!("{:.1} GT/s PCIe\n", speed.gtps()).as_bytes())
}
