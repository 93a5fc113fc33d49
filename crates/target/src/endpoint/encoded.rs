//! One JSON text, compressed beforehand by the usual tools at their highest level, so that no encoder is needed here.

/// The text that all of these hold.
#[cfg(test)]
pub(crate) const PLAIN: &[u8] = include_bytes!("encoded/body.json");
/// RFC 1952.
pub(crate) const GZIP: &[u8] = include_bytes!("encoded/body.json.gz");
/// The zlib format, RFC 1950, which is what HTTP calls `deflate` (RFC 9110 §8.4.1.2).
pub(crate) const DEFLATE: &[u8] = include_bytes!("encoded/body.json.zlib");
/// RFC 7932.
pub(crate) const BROTLI: &[u8] = include_bytes!("encoded/body.json.br");
/// RFC 8878.
pub(crate) const ZSTD: &[u8] = include_bytes!("encoded/body.json.zst");

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn gzip_and_deflate_hold_the_text() {
        let (mut gzip, mut deflate) = (Vec::new(), Vec::new());
        flate2::read::GzDecoder::new(GZIP).read_to_end(&mut gzip).unwrap();
        flate2::read::ZlibDecoder::new(DEFLATE).read_to_end(&mut deflate).unwrap();
        assert_eq!((gzip.as_slice(), deflate.as_slice()), (PLAIN, PLAIN));
    }
}
