//! HdrHistogram's V2 form read with bounds: a text of another program may claim gigabytes, or counts beyond any number, and must not get them.
//!
//! Source of the form: HdrHistogram's `AbstractHistogram.encodeIntoByteBuffer` (V2: header, then counts as ZigZag LEB128 of at most 9
//! bytes, a negative one standing for so many empty buckets), alone or within zlib, in base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

/// Longest text: the fullest histogram of five digits has some 10 MB, one of three digits 0.4 MB.
const TEXT_BYTES_MAX: usize = 16 << 20;
/// Most bytes behind the compression, for the same reason; zlib may pack a thousand into one.
const PLAIN_BYTES_MAX: usize = 64 << 20;
/// Room at first, and more of it at least: a second's histogram unpacks to a few KB.
const UNPACK_STEP_BYTES: usize = 4 << 10;
/// The cookie's bits that say how counts are written.
const COOKIE_MASK: u32 = !0xf0;
const PLAIN: u32 = 0x1c84_9303;
const COMPRESSED: u32 = 0x1c84_9304;
/// Greatest number of digits that the form knows.
const DIGITS_MAX: u32 = 5;

/// The middle value of each bucket that holds any, ascending, and how many it holds. The sum of counts fits in a `u64`.
///
/// # Errors
/// Says in words what is wrong with the text.
pub(crate) fn decode(text: &str) -> Result<Vec<(u64, u64)>, String> {
    Decoder::default().decode(text)
}

/// What decoding needs room for, kept from one text to the next: a record has tens of thousands, and making the room anew costs more than reading.
#[derive(Default)]
pub(crate) struct Decoder {
    inflate: Box<DecompressorOxide>,
    packed: Vec<u8>,
    plain: Vec<u8>,
}

impl Decoder {
    /// As the function of this name.
    pub(crate) fn decode(&mut self, text: &str) -> Result<Vec<(u64, u64)>, String> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(format!("it is longer than {TEXT_BYTES_MAX} bytes"));
        }
        self.packed.clear();
        BASE64.decode_vec(text.trim(), &mut self.packed).map_err(|error| error.to_string())?;
        let mut from = Bytes(&self.packed);
        match from.u32()? & COOKIE_MASK {
            PLAIN => plain(from),
            COMPRESSED => {
                let length = from.u32()? as usize;
                let packed = from.0.get(..length).ok_or("it ends too early")?;
                unpack(&mut self.inflate, packed, &mut self.plain)?;
                let mut from = Bytes(&self.plain);
                if from.u32()? & COOKIE_MASK != PLAIN {
                    return Err("what is packed in it is no histogram".to_owned());
                }
                plain(from)
            }
            _ => Err("it does not begin as one".to_owned()),
        }
    }
}

/// All of a zlib stream, within bounds. It is unpacked straight into `to`: a decompressor with a window of its own spends longer on clearing that than on
/// such small streams.
fn unpack(inflate: &mut DecompressorOxide, packed: &[u8], to: &mut Vec<u8>) -> Result<(), String> {
    const FLAGS: u32 = inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER
        | inflate_flags::TINFL_FLAG_COMPUTE_ADLER32
        | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    inflate.init();
    let (mut read, mut written) = (0, 0);
    to.resize(UNPACK_STEP_BYTES, 0);
    loop {
        let rest = packed.get(read..).unwrap_or_default();
        let (status, taken, given) = decompress(inflate, rest, to, written, FLAGS);
        (read, written) = (read + taken, written + given);
        match status {
            TINFLStatus::Done => {
                to.truncate(written);
                return Ok(());
            }
            TINFLStatus::HasMoreOutput if to.len() > PLAIN_BYTES_MAX => {
                return Err(format!("it unpacks to more than {PLAIN_BYTES_MAX} bytes"));
            }
            TINFLStatus::HasMoreOutput => to.resize((2 * to.len()).min(PLAIN_BYTES_MAX + 1), 0),
            TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => {
                return Err("it ends too early".to_owned());
            }
            _ => return Err("what is packed in it is damaged".to_owned()),
        }
    }
}

/// What follows the cookie.
fn plain(mut from: Bytes<'_>) -> Result<Vec<(u64, u64)>, String> {
    let length = from.u32()? as usize;
    let (offset, digits) = (from.u32()?, from.u32()?);
    let (low, _high, ratio) = (from.u64()?, from.u64()?, f64::from_bits(from.u64()?));
    if offset != 0 || ratio != 1.0 {
        return Err("it is shifted or scaled, which is not supported".to_owned());
    }
    if digits > DIGITS_MAX || low == 0 {
        return Err("its parameters are out of range".to_owned());
    }
    let buckets = Buckets::new(low, digits);
    let mut counts = Bytes(from.0.get(..length).ok_or("it ends too early")?);
    let (mut index, mut sum, mut found) = (0u64, 0u64, Vec::new());
    while !counts.0.is_empty() {
        let number = counts.zig_zag()?;
        if number < 0 {
            index = index.checked_add(number.unsigned_abs()).ok_or("it has too many buckets")?;
            continue;
        }
        let count = number.unsigned_abs();
        if count > 0 {
            sum = sum.checked_add(count).ok_or("its counts are out of range")?;
            found.push((buckets.middle(index).ok_or("it has too many buckets")?, count));
        }
        index = index.checked_add(1).ok_or("it has too many buckets")?;
    }
    Ok(found)
}

/// How an index stands for a value: sub-buckets of equal width, each bucket twice as wide as the one before.
struct Buckets {
    unit_magnitude: u32,
    half_count_magnitude: u32,
}

impl Buckets {
    fn new(low: u64, digits: u32) -> Self {
        // Single units are told apart up to twice ten to the digits.
        let largest_single: u64 = 2 * 10u64.pow(digits);
        let count_magnitude = largest_single.next_power_of_two().trailing_zeros();
        Self { unit_magnitude: low.ilog2(), half_count_magnitude: count_magnitude.max(1) - 1 }
    }

    /// The middle of a bucket's values; `None` above what a `u64` holds.
    fn middle(&self, index: u64) -> Option<u64> {
        let half_count = 1u64 << self.half_count_magnitude;
        let (bucket, sub) = match index >> self.half_count_magnitude {
            0 => (0, index),
            next => (next - 1, (index & (half_count - 1)) + half_count),
        };
        let shift = u32::try_from(bucket).ok()?.checked_add(self.unit_magnitude)?;
        if shift >= u64::BITS || sub.leading_zeros() < shift {
            return None;
        }
        let width = 1u64 << shift;
        (sub << shift).checked_add(width >> 1)
    }
}

/// Bytes not yet read.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or("it ends too early")?;
        self.0 = rest;
        Ok(*head)
    }

    fn u32(&mut self) -> Result<u32, String> {
        self.take().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Result<u64, String> {
        self.take().map(u64::from_be_bytes)
    }

    /// Seven bits a byte, the low ones first; a ninth byte has eight.
    fn zig_zag(&mut self) -> Result<i64, String> {
        const LAST: u32 = 8;
        let mut value = 0u64;
        for nth in 0..=LAST {
            let [byte] = self.take()?;
            let bits = if nth == LAST { byte } else { byte & 0x7f };
            value |= u64::from(bits) << (7 * nth);
            if byte & 0x80 == 0 {
                break;
            }
        }
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::Histogram as Hdr;
    use hdrhistogram::serialization::{Serializer, V2DeflateSerializer, V2Serializer};
    use miniz_oxide::deflate::compress_to_vec_zlib;

    fn encoded(histogram: &Hdr<u64>) -> [String; 2] {
        let (mut plain, mut packed) = (Vec::new(), Vec::new());
        V2Serializer::new().serialize(histogram, &mut plain).unwrap();
        V2DeflateSerializer::new().serialize(histogram, &mut packed).unwrap();
        [plain, packed].map(|bytes| BASE64.encode(bytes))
    }

    #[test]
    fn what_the_library_writes_is_read() {
        let mut decoder = Decoder::default();
        for (low, digits) in [(1, 3), (1, 0), (1, 5), (1_000, 2), (7, 1)] {
            let mut histogram = Hdr::<u64>::new_with_bounds(low, 3_600_000_000_000, digits).unwrap();
            let mut random = units::Random::new(u64::from(digits) + low);
            (0..2_000).for_each(|_| histogram.record((random.exponential() * 1e8) as u64).unwrap());
            histogram.record_n(3_000_000_000_000, 1 << 40).unwrap();
            let expected: Vec<(u64, u64)> = histogram
                .iter_recorded()
                .map(|step| (histogram.median_equivalent(step.value_iterated_to()), step.count_at_value()))
                .collect();
            for text in encoded(&histogram) {
                // The room of one text does not show in the next.
                assert_eq!(decoder.decode(&text).as_deref(), Ok(expected.as_slice()), "{low} {digits}");
                assert_eq!(decode(&text).as_deref(), Ok(expected.as_slice()), "{low} {digits}");
            }
        }
    }

    /// A plain histogram of a header and counts as given.
    fn plain_text(length: u32, digits: u32, low: u64, counts: &[u8]) -> String {
        let mut bytes = (PLAIN | 0x10).to_be_bytes().to_vec();
        bytes.extend(length.to_be_bytes());
        bytes.extend(0u32.to_be_bytes());
        bytes.extend(digits.to_be_bytes());
        bytes.extend(low.to_be_bytes());
        bytes.extend(u64::MAX.to_be_bytes());
        bytes.extend(1f64.to_be_bytes());
        bytes.extend(counts);
        BASE64.encode(bytes)
    }

    #[test]
    fn hostile_texts_are_refused_in_words() {
        let check = |text: &str, expected: &str| {
            let said = decode(text).unwrap_err();
            assert!(said.contains(expected), "{said}");
        };
        check("", "ends too early");
        check("!", "nvalid");
        check("AAAAAAAA", "does not begin as one");
        check(&plain_text(u32::MAX, 3, 1, &[2]), "ends too early");
        check(&plain_text(1, 6, 1, &[2]), "out of range");
        check(&plain_text(1, 3, 0, &[2]), "out of range");
        check(&plain_text(2, 3, 1, &[0x80, 0x80]), "ends too early");
        // i64::MIN and its neighbours: so many empty buckets, then one that holds something.
        let mut far = vec![0xff; 9];
        far.push(2);
        check(&plain_text(10, 3, 1, &far), "too many buckets");
        check(&plain_text(2, 3, 1 << 63, &[3, 2]), "too many buckets");
        let most = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        check(&plain_text(27, 3, 1, &most.repeat(3)), "counts are out of range");
        let bomb = compress_to_vec_zlib(&vec![0; PLAIN_BYTES_MAX + 2], 1);
        let mut bytes = (COMPRESSED | 0x10).to_be_bytes().to_vec();
        bytes.extend((bomb.len() as u32).to_be_bytes());
        bytes.extend(bomb);
        check(&BASE64.encode(bytes), "unpacks to more");
    }
}
