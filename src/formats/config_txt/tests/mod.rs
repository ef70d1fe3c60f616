//! Cases of the firmware's rules and of real files.

mod block;
mod cases;
mod properties;
mod remarks;
mod rules;
mod sweep;
mod table;

use super::*;

const GEN3: Wanted = Wanted { port: true, generation: Some(3) };

fn pi5() -> Conditions {
    Conditions {
        board: BoardKind::Pi5,
        revision: Some(0x00d0_4170),
        serial: Some(0x1000_0000_abcd_ef01),
        tryboot: false,
        partition: Some(1),
        bootloader: Some(1_755_000_000),
        overlays: Some(["vc4-kms-v3d", "dwc2", "nospi10", "spi0-2cs", "spi1-3cs"].map(String::from).into()),
        port_enabled_by_firmware: false,
    }
}

fn top(text: impl AsRef<[u8]>) -> Files {
    Files { top: text.as_ref().to_vec(), ..Files::default() }
}

fn values<T: Clone>(setting: &Setting<T>) -> Vec<T> {
    match &setting.value {
        Value::Certain(value) => vec![value.clone()],
        Value::Uncertain(values) => values.clone(),
    }
}

fn with_block(text: &str, lines: &str) -> String {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}# pi5-nvme: added by setup; `sudo pi5-nvme undo` takes it back\n{lines}")
}

/// After the append every reading gives Gen 3 on an enabled port, the old
/// bytes are a prefix, and a second append changes nothing.
fn assert_goal(files: &Files, conditions: &Conditions) {
    let text = String::from_utf8_lossy(&files.top);
    let new = append(files, conditions, GEN3);
    assert!(new.starts_with(&files.top), "no prefix: {text:?}");
    let after = Files { top: new.clone(), ..files.clone() };
    let by_text = Conditions { port_enabled_by_firmware: false, ..conditions.clone() };
    let meaning = read(&after, &by_text);
    assert!(meaning.port.value.is_certainly(&true), "port of {text:?}");
    assert!(meaning.generation.value.is_certainly(&3), "generation of {text:?}");
    assert_eq!(append(&after, conditions, GEN3), new, "twice: {text:?}");
}
