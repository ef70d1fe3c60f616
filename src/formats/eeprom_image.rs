//! A bootloader image (`pieeprom-*.bin`, `pieeprom.upd`): finding and
//! replacing the configuration inside it.
//!
//! Layout after raspberrypi/rpi-eeprom, `rpi-eeprom-config`: sections of a
//! big-endian magic, a big-endian length and a payload, each at a multiple of
//! eight; the configuration is the file section named `bootconf.txt`.

/// Why an image was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Neither 512 KiB nor 2 MiB.
    #[error("{0} bytes is not the size of a bootloader image (524288 or 2097152)")]
    Size(usize),
    /// A section that does not start with a known magic, or runs over the end.
    #[error("the bootloader image is damaged at offset {0:#x}")]
    Corrupt(usize),
    /// No `bootconf.txt` in it.
    #[error("the bootloader image holds no bootconf.txt")]
    NoConfig,
    /// `bootconf.txt` lies where the updater does not look for it.
    #[error("bootconf.txt at offset {0:#x} is outside the part of the image that can be updated")]
    NotUpdatable(usize),
    /// The new configuration is longer than 4076 bytes, or than the room.
    #[error("a configuration of {length} bytes does not fit into the {room} bytes of the image")]
    TooLong {
        /// Of the new configuration, bytes.
        length: usize,
        /// There is, bytes.
        room: usize,
    },
}

const LARGE: usize = 2 * 1024 * 1024;
const SMALL: usize = 512 * 1024;
/// The most that a configuration may hold, bytes.
pub const MAX_CONFIG: usize = 4096 - 20;
const FILE_HEADER: usize = 24;
const NAME: &[u8; 12] = b"bootconf.txt";
const BOOTCODE: u32 = 0x55aa_f00f;
const PADDING: u32 = 0x55aa_feef;
const FILE: u32 = 0x55aa_f11f;
const MAGIC_MASK: u32 = 0xffff_f00f;
const READ_ONLY: usize = 64 * 1024;
const PART: usize = 988 * 1024;
const SCRATCH: usize = 4096;

struct Section {
    offset: usize,
    magic: u32,
    /// Of the payload that follows the eight bytes of the header.
    length: usize,
}

impl Section {
    fn end(&self) -> usize {
        align(self.offset + 8 + self.length)
    }
}

fn align(offset: usize) -> usize {
    offset.div_ceil(8) * 8
}

fn u32_at(image: &[u8], offset: usize) -> Option<u32> {
    let bytes = image.get(offset..offset.checked_add(4)?)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

fn sections(image: &[u8]) -> Result<Vec<Section>, ImageError> {
    if image.len() != LARGE && image.len() != SMALL {
        return Err(ImageError::Size(image.len()));
    }
    let mut found = Vec::new();
    let mut offset = 0;
    while let Some(magic) = u32_at(image, offset) {
        if magic == 0 || magic == u32::MAX {
            break;
        }
        let length = u32_at(image, offset + 4).ok_or(ImageError::Corrupt(offset))? as usize;
        if magic & MAGIC_MASK != BOOTCODE || length > image.len() - offset - 8 {
            return Err(ImageError::Corrupt(offset));
        }
        let section = Section { offset, magic, length };
        offset = section.end();
        found.push(section);
    }
    Ok(found)
}

fn is_config(image: &[u8], section: &Section) -> bool {
    section.magic == FILE
        && section.length >= FILE_HEADER - 8
        && image.get(section.offset + 8..section.offset + 20) == Some(NAME)
}

/// The configuration inside the image, byte for byte.
pub fn config(image: &[u8]) -> Result<Vec<u8>, ImageError> {
    let sections = sections(image)?;
    let section = sections.iter().find(|s| is_config(image, s)).ok_or(ImageError::NoConfig)?;
    let content = image.get(section.offset + FILE_HEADER..section.offset + 8 + section.length);
    content.map(<[u8]>::to_vec).ok_or(ImageError::Corrupt(section.offset))
}

/// The image with `config` in the place of its configuration; every other
/// section stays where and as it is.
pub fn with_config(image: &[u8], config: &[u8]) -> Result<Vec<u8>, ImageError> {
    let sections = sections(image)?;
    let place = sections.iter().position(|s| is_config(image, s)).ok_or(ImageError::NoConfig)?;
    let (Some(section), rest) = (sections.get(place), sections.get(place + 1..).unwrap_or_default()) else {
        return Err(ImageError::NoConfig);
    };
    let start = section.offset;
    // A 2 MiB image has the read-only bootcode first and, since the A/B
    // layout, a second copy behind: only the first copy can be updated.
    if image.len() == LARGE && !(READ_ONLY..READ_ONLY + PART).contains(&start) {
        return Err(ImageError::NotUpdatable(start));
    }
    // The second copy may be nothing but padding: it is not ours either.
    let next = rest.iter().find(|s| s.magic != PADDING || s.offset == READ_ONLY + PART).map(|s| s.offset);
    let limit = next.unwrap_or(image.len() - SCRATCH).min(image.len() - SCRATCH);
    let room = limit.saturating_sub(start + FILE_HEADER).min(MAX_CONFIG);
    let end = align(start + FILE_HEADER + config.len());
    if config.len() > room || end > limit {
        return Err(ImageError::TooLong { length: config.len(), room });
    }
    let mut new = image.to_vec();
    write(&mut new, start + 4, &((FILE_HEADER - 8 + config.len()) as u32).to_be_bytes());
    write(&mut new, start + FILE_HEADER, config);
    fill(&mut new, start + FILE_HEADER + config.len(), limit);
    if !rest.is_empty() && limit - end >= 8 {
        write(&mut new, end, &PADDING.to_be_bytes());
        write(&mut new, end + 4, &((limit - end - 8) as u32).to_be_bytes());
    }
    Ok(new)
}

fn write(image: &mut [u8], offset: usize, bytes: &[u8]) {
    if let Some(place) = image.get_mut(offset..offset + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

fn fill(image: &mut [u8], from: usize, to: usize) {
    if let Some(place) = image.get_mut(from..to) {
        place.fill(0xff);
    }
}

/// The build time of the bootloader in the image, Unix seconds.
pub fn build_timestamp(image: &[u8]) -> Option<u32> {
    number_after(image, b"BUILD_TIMESTAMP=")
}

/// The manufacturing version that the image supports (`MFG_VER: N`); a board
/// with a higher `rpi-min-boot-ver` does not start with it.
pub fn mfg_version(image: &[u8]) -> Option<u32> {
    number_after(image, b"MFG_VER: ")
}

/// True for the A/B layout: `bootsys` is the first file of partition A
/// (rpi-eeprom-update, `isABCapableImage`).
pub fn is_ab(image: &[u8]) -> bool {
    image.get(READ_ONLY + 8..READ_ONLY + 16) == Some(b"bootsys\0")
}

fn number_after(image: &[u8], name: &[u8]) -> Option<u32> {
    let place = image.windows(name.len()).position(|window| window == name)?;
    let rest = image.get(place + name.len()..)?;
    let digits: Vec<u8> = rest.iter().copied().take_while(u8::is_ascii_digit).take(10).collect();
    String::from_utf8(digits).ok()?.parse().ok()
}

/// A made-up 2 MiB image in the shape of an official one. A configuration
/// longer than [`MAX_CONFIG`] is cut.
#[cfg(test)]
pub(crate) fn synthetic(build_timestamp: u32, mfg: u32, config: &[u8]) -> Vec<u8> {
    let mut image = vec![0xff; LARGE];
    let config = config.get(..MAX_CONFIG).unwrap_or(config);
    let mut bootcode =
        format!("BUILD_TIMESTAMP={build_timestamp}\0MFG_VER: {mfg}\0VERSION:simulated\0").into_bytes();
    bootcode.resize(READ_ONLY - 8, 0);
    let mut offset = put(&mut image, 0, BOOTCODE, &[&bootcode]);
    offset = put(&mut image, offset, 0x55aa_f44f, &[&[0x5a; 4096]]);
    for (name, content) in [(b"pubkey.bin\0\0", &[0u8; 264][..]), (b"bootconf.sig", &[]), (NAME, config)] {
        offset = put(&mut image, offset, FILE, &[name, &[0; 4], content]);
    }
    image
}

#[cfg(test)]
fn put(image: &mut [u8], offset: usize, magic: u32, parts: &[&[u8]]) -> usize {
    let payload = parts.concat();
    write(image, offset, &magic.to_be_bytes());
    write(image, offset + 4, &(payload.len() as u32).to_be_bytes());
    write(image, offset + 8, &payload);
    align(offset + 8 + payload.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SHIPPED: &[u8] = b"[all]\nBOOT_UART=1\nBOOT_ORDER=0xf461\nNET_INSTALL_AT_POWER_ON=1\n";

    #[test]
    fn what_went_in_comes_out() {
        let image = synthetic(1_755_000_000, 1, SHIPPED);
        assert_eq!(config(&image), Ok(SHIPPED.to_vec()));
        assert_eq!(build_timestamp(&image), Some(1_755_000_000));
        assert_eq!(mfg_version(&image), Some(1));
        assert_eq!(with_config(&image, SHIPPED), Ok(image));
    }

    #[test]
    fn the_layout_with_two_partitions() {
        let mut image = synthetic(1_780_000_000, 1, SHIPPED);
        assert!(!is_ab(&image) && !is_ab(b""));
        put(&mut image, READ_ONLY, FILE, &[b"bootsys\0\0\0\0\0", &[0; 4], &[0x5a; 4080]]);
        assert!(is_ab(&image));
    }

    #[test]
    fn longer_and_shorter_configurations_replace_only_themselves() {
        let image = synthetic(1_755_000_000, 1, SHIPPED);
        for length in [0, 1, 7, 8, 500, MAX_CONFIG] {
            let new = with_config(&image, &vec![b'#'; length]).unwrap();
            assert_eq!(config(&new).unwrap().len(), length);
            assert_eq!(with_config(&new, SHIPPED).as_deref(), Ok(&image[..]), "{length}");
        }
        assert!(matches!(with_config(&image, &[0; MAX_CONFIG + 1]), Err(ImageError::TooLong { .. })));
    }

    #[test]
    fn a_section_behind_is_not_overrun_and_still_found() {
        let mut image = synthetic(1, 1, SHIPPED);
        let found = sections(&image).unwrap();
        let end = found.last().unwrap().end();
        let behind = put(&mut image, end, PADDING, &[&[0xff; 120]]);
        put(&mut image, behind, FILE, &[b"other.txt\0\0\0", &[0; 4], b"stays"]);
        let new = with_config(&image, b"short\n").unwrap();
        assert_eq!(config(&new).unwrap(), b"short\n");
        let last = sections(&new).unwrap().pop().unwrap();
        assert_eq!((last.offset, last.magic), (behind, FILE));
        let room = behind - found.last().unwrap().offset - FILE_HEADER;
        assert!(with_config(&image, &vec![b'x'; room]).is_ok());
        assert!(matches!(with_config(&image, &vec![b'x'; room + 1]), Err(ImageError::TooLong { .. })));
    }

    #[test]
    fn what_is_no_image_is_said_to_be_none() {
        assert_eq!(config(b"x"), Err(ImageError::Size(1)));
        assert_eq!(config(&vec![0xff; LARGE]), Err(ImageError::NoConfig));
        assert_eq!(config(&vec![0x11; LARGE]), Err(ImageError::Corrupt(0)));
        let mut low = vec![0xff; LARGE];
        put(&mut low, 0, FILE, &[NAME, &[0; 4], b"x\n"]);
        assert_eq!(with_config(&low, b"y\n"), Err(ImageError::NotUpdatable(0)));
        let mut long = vec![0xff; LARGE];
        write(&mut long, 0, &FILE.to_be_bytes());
        assert_eq!(config(&long), Err(ImageError::Corrupt(0)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn any_bytes_are_judged_without_a_panic(
            head in proptest::collection::vec(any::<u8>(), 0..256),
            at in 0usize..LARGE - 4096, start in any::<bool>(),
        ) {
            let mut image = synthetic(1, 1, SHIPPED);
            write(&mut image, if start { at % 0x12000 } else { at }, &head);
            let _ = config(&image);
            if let Ok(new) = with_config(&image, b"[all]\n") {
                prop_assert_eq!(config(&new), Ok(b"[all]\n".to_vec()));
            }
            let _ = (config(&head), build_timestamp(&head), mfg_version(&head));
        }
    }
}
