//! Content codings: what each decodes to, and that nothing broken, cut or overlong passes for a body.

use std::borrow::Cow;
use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proto::content::{CODING_COUNT_MAX, Coding, ContentError, decode};

const BYTES_MAX: usize = 64 * 1024;
const SENTENCE: &[u8] = b"The quick brown fox jumps over the lazy dog. ";

fn text() -> Vec<u8> {
    SENTENCE.repeat(20)
}

/// [`text`] by Google's encoder at quality 11 (RFC 7932).
const BROTLI: &str = "1b8303882c0e78d3d0955d9710bb172ba9cad092cc8cad415ce6f236c8199e9e0a7b830d387048206f24be41a715ce1c1e27aa29\
                      38c289b84f8301";
/// [`text`] by Facebook's encoder at level 1, without a checksum (RFC 8878).
const ZSTD: &str = "28b52ffd608402b50100d40254686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f67\
                    2e200100a50a2b5506";

fn bytes_of_hex(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hex.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a Vec takes all")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a Vec takes all")
}

fn bare_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a Vec takes all")
}

fn zstd_checked(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// Each coding with its encoding of [`text`].
fn encoded() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("gzip", gzip(&text())),
        ("X-GZip", gzip(&text())),
        ("deflate", zlib(&text())),
        ("deflate", bare_deflate(&text())),
        ("br", bytes_of_hex(BROTLI)),
        ("zstd", bytes_of_hex(ZSTD)),
        ("zstd", zstd_checked(&text())),
        ("gzip, zstd", zstd_checked(&gzip(&text()))),
        (" deflate , identity,, gzip ", gzip(&zlib(&text()))),
    ]
}

#[test]
fn each_coding_decodes() {
    for (encodings, body) in encoded() {
        let decoded = decode(encodings.as_bytes(), &body, BYTES_MAX);
        assert_eq!(decoded.as_deref(), Ok(&text()[..]), "{encodings}");
    }
}

#[test]
fn no_coding_copies_nothing() {
    for encodings in ["", "identity", " , "] {
        assert!(matches!(decode(encodings.as_bytes(), b"abc", BYTES_MAX), Ok(Cow::Borrowed(b"abc"))));
    }
}

#[test]
fn members_and_frames_are_joined() {
    let members = [gzip(b"one "), gzip(b"two")].concat();
    assert_eq!(decode(b"gzip", &members, BYTES_MAX).as_deref(), Ok(&b"one two"[..]));
    let skippable = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc";
    let frames = [&zstd_checked(b"one ")[..], skippable, &zstd_checked(b"two")].concat();
    assert_eq!(decode(b"zstd", &frames, BYTES_MAX).as_deref(), Ok(&b"one two"[..]));
}

#[test]
fn an_empty_body_is_empty_under_each_coding() {
    for encodings in ["gzip", "deflate", "br", "zstd", "gzip, br"] {
        assert_eq!(decode(encodings.as_bytes(), b"", BYTES_MAX).as_deref(), Ok(&b""[..]), "{encodings}");
    }
}

#[test]
fn a_body_cut_anywhere_is_an_error() {
    for (encodings, body) in encoded() {
        for end in 1..body.len() {
            let decoded = decode(encodings.as_bytes(), &body[..end], BYTES_MAX);
            assert!(
                matches!(decoded, Err(ContentError::Corrupt { .. })),
                "{encodings} cut at {end}: {decoded:?}"
            );
        }
    }
}

#[test]
fn bytes_behind_the_end_are_an_error() {
    for (encodings, mut body) in encoded() {
        body.extend_from_slice(b"behind");
        let decoded = decode(encodings.as_bytes(), &body, BYTES_MAX);
        assert!(matches!(decoded, Err(ContentError::Corrupt { .. })), "{encodings}: {decoded:?}");
    }
}

#[test]
fn damage_is_seen_where_the_coding_has_a_checksum() {
    for (encodings, body, checksum_index) in [
        ("gzip", gzip(&text()), gzip(&text()).len() - 8),
        ("deflate", zlib(&text()), zlib(&text()).len() - 1),
        ("zstd", zstd_checked(&text()), zstd_checked(&text()).len() - 1),
    ] {
        let mut damaged = body;
        damaged[checksum_index] ^= 1;
        let decoded = decode(encodings.as_bytes(), &damaged, BYTES_MAX);
        assert!(matches!(decoded, Err(ContentError::Corrupt { .. })), "{encodings}: {decoded:?}");
    }
}

#[test]
fn the_limit_is_exact_and_holds_against_bombs() {
    for (encodings, body) in encoded() {
        let length = text().len();
        assert!(decode(encodings.as_bytes(), &body, length).is_ok(), "{encodings}");
        let too_large = Err(ContentError::TooLarge { bytes_max: length - 1 });
        assert_eq!(decode(encodings.as_bytes(), &body, length - 1), too_large, "{encodings}");
    }
    let bomb = gzip(&vec![0; 8 << 20]);
    assert!(bomb.len() < 10_000);
    assert_eq!(decode(b"gzip", &bomb, BYTES_MAX), Err(ContentError::TooLarge { bytes_max: BYTES_MAX }));
    assert_eq!(decode(b"", &text(), 10), Err(ContentError::TooLarge { bytes_max: 10 }));
}

#[test]
fn windows_beyond_the_standards_are_refused() {
    // A zstd frame that asks for a window of 2 GiB (RFC 9659 allows 8 MB), and a brotli stream of the large-window variant.
    let zstd = b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00";
    assert!(matches!(
        decode(b"zstd", zstd, BYTES_MAX),
        Err(ContentError::Corrupt { coding: Coding::Zstd, .. })
    ));
    let brotli = b"\x11\x1e\x03";
    assert!(matches!(
        decode(b"br", brotli, BYTES_MAX),
        Err(ContentError::Corrupt { coding: Coding::Brotli, .. })
    ));
}

#[test]
fn unknown_and_stacked_codings() {
    assert_eq!(
        decode(b"gzip, compress", b"a", BYTES_MAX),
        Err(ContentError::UnknownCoding { name: "compress".to_owned() })
    );
    let stacked = ["gzip"; CODING_COUNT_MAX + 1].join(",");
    assert_eq!(decode(stacked.as_bytes(), b"a", BYTES_MAX), Err(ContentError::TooManyCodings));
}
