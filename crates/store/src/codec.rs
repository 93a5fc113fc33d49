//! Records as bytes and back: JSON without its histograms, and these as the bytes that they are, all compressed together.
//!
//! The JSON describes itself, so that a field that comes later has its default in what is older. Histograms are most of a record and
//! stand in it as base64; here each is taken out, leaving [`TAKEN`] in its place, and put behind the JSON as what the base64 stands for.
//!
//! ```text
//! version: 1 byte │ deflate( JSON length │ JSON │ { histogram length │ histogram }… )      lengths: LEB128
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use record::{ActionRecord, IntervalRecord, PhaseRecord, RunRecord};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Read as _, Write as _};

/// The form's version.
const FORM: u8 = 1;
/// Stands for a histogram that was taken out: no base64 has it. A text that begins with it, which is no histogram, has it twice.
const TAKEN: &str = "@";
/// Greatest size of one body, uncompressed: a phase of an hour is below 1 MB, an interval of a thousand actions below 10 MB.
const BODY_BYTES_MAX: u64 = 256 << 20;

/// What has histograms.
pub(crate) trait Histograms {
    /// Calls `each` with the text of every histogram, always in the same order.
    fn histograms(&mut self, each: &mut dyn FnMut(&mut String));
}

impl Histograms for IntervalRecord {
    fn histograms(&mut self, each: &mut dyn FnMut(&mut String)) {
        for latencies in [&mut self.response_ns, &mut self.service_ns, &mut self.wait_ns] {
            each(&mut latencies.histogram);
        }
        for action in &mut self.actions {
            each(&mut action.response_ns.histogram);
            each(&mut action.service_ns.histogram);
        }
    }
}

impl Histograms for ActionRecord {
    fn histograms(&mut self, each: &mut dyn FnMut(&mut String)) {
        for latencies in [&mut self.service_ns, &mut self.response_ns, &mut self.wait_ns] {
            each(&mut latencies.histogram);
        }
    }
}

impl Histograms for PhaseRecord {
    fn histograms(&mut self, each: &mut dyn FnMut(&mut String)) {
        let traffic = &mut self.traffic;
        for latencies in [
            &mut self.service_ns,
            &mut self.response_ns,
            &mut self.wait_ns,
            &mut self.lateness_ns,
            &mut traffic.connect_ns,
            &mut traffic.tls_ns,
            &mut traffic.first_byte_ns,
        ] {
            each(&mut latencies.histogram);
        }
        for action in self.actions.iter_mut().chain(&mut self.requests) {
            action.histograms(each);
        }
        for interval in &mut self.intervals {
            interval.histograms(each);
        }
    }
}

impl Histograms for RunRecord {
    fn histograms(&mut self, each: &mut dyn FnMut(&mut String)) {
        for worker in &mut self.client.workers {
            each(&mut worker.lateness_ns.histogram);
        }
        for phase in &mut self.phases {
            phase.histograms(each);
        }
    }
}

/// Plain facts without histograms.
impl Histograms for crate::rebuild::LivePhase {
    fn histograms(&mut self, _: &mut dyn FnMut(&mut String)) {}
}

/// Why bytes are no body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodecError(pub(crate) String);

/// The bytes of a part of a record.
pub(crate) fn encode<T: Histograms + Serialize>(mut part: T) -> Result<Vec<u8>, CodecError> {
    let mut taken = Vec::new();
    part.histograms(&mut |text| {
        // What would not come back as it is stays where it is.
        if let Some(bytes) = BASE64.decode(text.as_bytes()).ok().filter(|bytes| !bytes.is_empty())
            && BASE64.encode(&bytes) == *text
        {
            put_length(&mut taken, bytes.len());
            taken.extend_from_slice(&bytes);
            TAKEN.clone_into(text);
        } else if text.starts_with(TAKEN) {
            text.insert_str(0, TAKEN);
        }
    });
    let json = serde_json::to_vec(&part).map_err(|error| CodecError(error.to_string()))?;
    let mut head = Vec::new();
    put_length(&mut head, json.len());
    let mut deflate = flate2::write::DeflateEncoder::new(vec![FORM], flate2::Compression::new(6));
    let written = [&head, &json, &taken].into_iter().try_for_each(|part| deflate.write_all(part));
    written.and_then(|()| deflate.finish()).map_err(|error| CodecError(error.to_string()))
}

/// The part of a record that the bytes stand for.
pub(crate) fn decode<T: Histograms + DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    let fault = |what: &str| CodecError(what.to_owned());
    let (form, packed) = bytes.split_first().ok_or_else(|| fault("an empty body"))?;
    if *form != FORM {
        return Err(fault("a body of a form that this weir does not know"));
    }
    let mut body = Vec::new();
    let mut inflate = flate2::read::DeflateDecoder::new(packed).take(BODY_BYTES_MAX);
    inflate.read_to_end(&mut body).map_err(|error| CodecError(error.to_string()))?;
    let mut rest = body.as_slice();
    let json = take(&mut rest).ok_or_else(|| fault("a body that is cut short"))?;
    let mut part: T = serde_json::from_slice(json).map_err(|error| CodecError(error.to_string()))?;
    let mut is_whole = true;
    part.histograms(&mut |text| {
        if text == TAKEN {
            match take(&mut rest) {
                Some(bytes) => *text = BASE64.encode(bytes),
                None => is_whole = false,
            }
        } else if let Some(own) = text.strip_prefix(TAKEN) {
            *text = own.to_owned();
        }
    });
    if is_whole { Ok(part) } else { Err(fault("a body without some of its histograms")) }
}

fn put_length(to: &mut Vec<u8>, length: usize) {
    let mut rest = length;
    while rest >= 0x80 {
        to.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    to.push(rest as u8);
}

/// A length and so many bytes, from the front.
fn take<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut length = 0usize;
    for place in 0..5 {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        length |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            let (taken, rest) = from.split_at_checked(length)?;
            *from = rest;
            return Some(taken);
        }
    }
    None
}
