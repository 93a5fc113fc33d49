//! Plain answers: empty, text, files of any size, Base64, statuses, redirects, encodings.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::query::{Fault, Query, percent_decoded};
use crate::reply::{JSON, Length, Reply, TEXT_PLAIN, reason};
use crate::request::Request;
use crate::stream::{CHUNK_BYTES_MAX, Stream, append_text};

/// Largest body made on demand: 10 GB, enough to show that a client discards in constant memory.
pub(crate) const SIZE_BYTES_MAX: u64 = 10_000_000_000;
/// `/file` without `size`.
const FILE_BYTES_DEFAULT: u64 = 1 << 20;
/// Bodies up to this size leave in one piece with their head.
const ONE_PIECE_BYTES_MAX: u64 = 64 * 1024;
const CHUNKED_BYTES_DEFAULT: u64 = 1024;
const CHUNK_BYTES_DEFAULT: u64 = 256;
const REDIRECTS_MAX: u64 = 1000;

const BINARY: (&str, &str) = ("content-type", "application/octet-stream");

/// The answer to nearly every `/hello`, made once.
const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 11\r\n\r\nHello world";

pub(crate) fn hello(reply: &mut Reply<'_>) {
    if reply.is_plain() {
        reply.raw(HELLO);
    } else {
        reply.body(200, &[TEXT_PLAIN], b"Hello world");
    }
}

pub(crate) fn empty(reply: &mut Reply<'_>) {
    reply.body(200, &[], b"");
}

pub(crate) fn file(query: Query<'_>, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let size_bytes = query.size("size", FILE_BYTES_DEFAULT, 0..=SIZE_BYTES_MAX)?;
    send_text(size_bytes, reply);
    Ok(())
}

fn send_text(size_bytes: u64, reply: &mut Reply<'_>) {
    if size_bytes <= ONE_PIECE_BYTES_MAX {
        let mut body = Vec::new();
        append_text(&mut body, 0, size_bytes);
        reply.body(200, &[BINARY], &body);
    } else {
        reply.head(200, Length::Bytes(size_bytes), &[BINARY]);
        reply.stream(Stream::Text { at: 0, end: size_bytes });
    }
}

pub(crate) fn load(request: &Request<'_>, reply: &mut Reply<'_>) {
    reply.body(200, &[TEXT_PLAIN], STANDARD.encode(request.body).as_bytes());
}

pub(crate) fn status(path: &str, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let code = path
        .rsplit('/')
        .next()
        .and_then(|text| text.parse::<u16>().ok())
        .filter(|code| (200..=999).contains(code));
    let code = code.ok_or(
        "a final status is a number from 200 to 999; interim ones are at /early-hints and /continue",
    )?;
    if matches!(code, 204 | 304) {
        reply.head(code, Length::Nothing, &[]);
    } else if code == 205 {
        reply.body(code, &[], b"");
    } else {
        reply.body(code, &[TEXT_PLAIN], format!("{code} {}\n", reason(code)).as_bytes());
    }
    Ok(())
}

pub(crate) fn chunked(query: Query<'_>, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let end = query.size("size", CHUNKED_BYTES_DEFAULT, 0..=SIZE_BYTES_MAX)?;
    let chunk_bytes = query.size("chunk", CHUNK_BYTES_DEFAULT, 1..=CHUNK_BYTES_MAX)?;
    let trailers = query.count("trailers", 0, 0..=1)? == 1;
    if reply.is_http_1_0() {
        reply.head(200, Length::Eof, &[BINARY]);
        reply.stream(Stream::Text { at: 0, end });
        return Ok(());
    }
    let announced = [BINARY, ("trailer", "x-size, x-end")];
    reply.head(200, Length::Chunked, if trailers { &announced } else { &announced[..1] });
    reply.stream(Stream::Chunked { at: 0, end, chunk_bytes, trailers });
    Ok(())
}

/// A body that ends with the connection.
pub(crate) fn eof(query: Query<'_>, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let end = query.size("size", CHUNKED_BYTES_DEFAULT, 0..=SIZE_BYTES_MAX)?;
    reply.head(200, Length::Eof, &[BINARY]);
    reply.stream(Stream::Text { at: 0, end });
    Ok(())
}

/// A JSON body that was compressed beforehand.
pub(crate) fn encoded(encoding: &str, bytes: &[u8], reply: &mut Reply<'_>) {
    reply.body(200, &[JSON, ("content-encoding", encoding)], bytes);
}

pub(crate) fn redirect(query: Query<'_>, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let to = query.raw("to").ok_or("`to` is missing: /redirect?to=/hello&status=302")?;
    let to = percent_decoded(to);
    let status = query.count("status", 302, 300..=399)?;
    redirect_to(&to, status as u16, reply)
}

fn redirect_to(to: &str, status: u16, reply: &mut Reply<'_>) -> Result<(), Fault> {
    if to.is_empty() || !to.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("`to` must consist of visible ASCII characters".to_owned());
    }
    reply.body(status, &[("location", to)], b"");
    Ok(())
}

/// `/redirect/3` → `/redirect/2` → `/redirect/1` → `/hello`.
pub(crate) fn redirect_chain(path: &str, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let count = path
        .rsplit('/')
        .next()
        .and_then(|text| text.parse::<u64>().ok())
        .filter(|count| *count <= REDIRECTS_MAX);
    match count.ok_or("the number of redirects is from 0 to 1000")? {
        0 => {
            hello(reply);
            Ok(())
        }
        1 => redirect_to("/hello", 302, reply),
        count => redirect_to(&format!("/redirect/{}", count - 1), 302, reply),
    }
}
