//! `README.txt` of a transaction: how to put everything back by hand.

use super::journal::Journal;
use super::transaction::{Record, Transaction};
use std::fmt::Write;

/// The text, plain and below 80 columns where paths allow it.
pub(super) fn text(transaction: &Transaction) -> String {
    let id = &transaction.id;
    let mut text = format!(
        "pi5-nvme, transaction {id}, {}\n\n\
         On the Pi itself this puts everything back:\n\n    sudo pi5-nvme undo {id}\n\n\
         If the Pi does not start, put its card (or drive) into another computer and\n\
         do the following by hand. Paths are those of the running Pi.\n",
        transaction.time
    );
    for (number, record) in (1..).zip(&transaction.step) {
        // Writing to a String does not fail.
        let _ = writeln!(text, "\n{number}. {}", record.name());
        let before = Journal::path(id, record.files().0);
        match record {
            Record::File(file) => {
                if let Some(backup) = &file.backup {
                    let _ = write!(
                        text,
                        "\n   On the boot partition (the small one that every computer can read)\n\
                         \x20  delete the new file {name} and rename {backup}, which lies beside it,\n\
                         \x20  to {name}. {backup} is the old file, byte for byte.\n",
                        name = name(&file.inner)
                    );
                }
                if let Some(device) = &file.device {
                    let _ = writeln!(text, "   The partition was {device}.");
                }
                let _ = write!(text, "   The old file is here too:\n   {before}\n");
            }
            Record::Bootloader(boot) => {
                let _ = writeln!(
                    text,
                    "\n   As long as the Pi has not been started since, on the boot partition:"
                );
                for name in super::eeprom::FILES {
                    let earlier = boot.pending.iter().find(|file| file.path.ends_with(name));
                    let _ = match earlier.map(|file| Journal::path(id, &file.file)) {
                        Some(earlier) => writeln!(text, "   put back {name} from {earlier}"),
                        None => writeln!(text, "   delete {name}, if it is there"),
                    };
                }
                let _ = write!(
                    text,
                    "   Later, on the Pi (one line):\n\n\
                     \x20  sudo rpi-eeprom-config --apply {before} {image}\n\n\
                     \x20  or, if the Pi does not start at all: write a bootloader card with\n\
                     \x20  Raspberry Pi Imager (Misc utility images, Bootloader, SD Card Boot),\n\
                     \x20  start the Pi with it and wait for the green screen.\n",
                    image = boot.image
                );
            }
        }
    }
    text
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
