//! What is written: random bytes that no drive compresses, with a stamp in
//! every 4 KiB that no two writes share.

/// A small random number generator (SplitMix64): fast, and the same numbers
/// for the same seed.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `bound`, by multiply and shift.
    #[allow(clippy::cast_possible_truncation)]
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Bytes between two stamps: the smallest unit that drives and file systems
/// compare.
const UNIT: usize = 4096;

/// Fills a buffer with random bytes.
pub(super) fn fill_pool(buffer: &mut [u8], seed: u64) {
    let mut random = Random::new(seed);
    for chunk in buffer.chunks_mut(8) {
        let bytes = random.next().to_ne_bytes();
        let len = chunk.len();
        chunk.copy_from_slice(&bytes[..len]);
    }
}

/// The stamps of one writing pass.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamps(u64);

impl Stamps {
    pub(super) fn of(pass: u64) -> Self {
        Self(mix(pass))
    }

    /// The stamp of the unit at `offset` of the file. The factor is odd: no two
    /// units of a pass have the same.
    pub(super) fn at(self, offset: u64) -> u64 {
        self.0 ^ (offset / UNIT as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Stamps every unit of a buffer that goes to `offset`.
    #[inline(always)]
    pub(super) fn put(self, buffer: &mut [u8], offset: u64) {
        let mut at = offset;
        for unit in buffer.chunks_exact_mut(UNIT) {
            if let Some(head) = unit.first_chunk_mut::<8>() {
                *head = self.at(at).to_le_bytes();
            }
            at += UNIT as u64;
        }
    }
}

/// The stamp of the unit at `offset` of the file in the writing pass `pass`.
#[cfg(test)]
pub(super) fn stamp(pass: u64, offset: u64) -> u64 {
    Stamps::of(pass).at(offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::io::Write;

    #[test]
    fn it_does_not_compress() {
        let mut pool = vec![0; 1 << 20];
        fill_pool(&mut pool, 1);
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
        packed.write_all(&pool).unwrap();
        assert!(packed.finish().unwrap().len() >= pool.len());
    }

    #[test]
    fn no_two_writes_are_the_same() {
        let mut seen = HashSet::new();
        for pass in 0..4 {
            for unit in 0..10_000 {
                assert!(seen.insert(stamp(pass, unit * 4096)));
            }
        }
    }

    #[test]
    fn numbers_stay_below_and_reach_everything() {
        let mut random = Random::new(7);
        let hit: HashSet<u64> = (0..1000).map(|_| random.below(10)).collect();
        assert_eq!(hit, (0..10).collect());
    }
}
