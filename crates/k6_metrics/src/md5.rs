//! MD5 (RFC 1321), which names groups and checks in results. It protects nothing here.

use std::fmt::Write as _;

/// Rotations of each round (RFC 1321, section 3.4).
const ROTATIONS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
const BLOCK_BYTES: usize = 64;

/// The digest of a text in hexadecimal digits.
pub(crate) fn hex(text: &str) -> String {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut padded = text.as_bytes().to_vec();
    padded.push(0x80);
    while padded.len() % BLOCK_BYTES != BLOCK_BYTES - 8 {
        padded.push(0);
    }
    padded.extend_from_slice(&(text.len() as u64).wrapping_mul(8).to_le_bytes());
    for block in padded.chunks_exact(BLOCK_BYTES) {
        add_block(&mut state, block);
    }
    let mut digest = String::with_capacity(32);
    for byte in state.iter().flat_map(|word| word.to_le_bytes()) {
        // Writing to a string can't fail.
        let _ = write!(digest, "{byte:02x}");
    }
    digest
}

fn add_block(state: &mut [u32; 4], block: &[u8]) {
    let mut words = [0_u32; 16];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    let [mut a, mut b, mut c, mut d] = *state;
    for step in 0..64_usize {
        let (mixed, word) = match step / 16 {
            0 => (b & c | !b & d, step),
            1 => (d & b | !d & c, 5 * step + 1),
            2 => (b ^ c ^ d, 3 * step + 5),
            _ => (c ^ (b | !d), 7 * step),
        };
        // The table T of the RFC: the whole part of 2³² × |sin(step + 1)|.
        let sine = (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
        let sum = a.wrapping_add(mixed).wrapping_add(sine).wrapping_add(words[word % 16]);
        (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(ROTATIONS[step / 16][step % 4])));
    }
    for (own, add) in state.iter_mut().zip([a, b, c, d]) {
        *own = own.wrapping_add(add);
    }
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn digests_are_those_of_the_rfc() {
        // RFC 1321, appendix A.5.
        assert_eq!(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
        let digits = "12345678901234567890123456789012345678901234567890123456789012345678901234567890";
        assert_eq!(hex(digits), "57edf4a22be3c955ac49da2e2107b67a");
        assert_eq!(hex("::setup"), "5c0f8025f7e0b6654089e5b00e950f1a");
    }
}
