//! What is measured of each hop: k6's metrics in their order, with one time and one set of tags.

use super::flight::Flight;
use crate::answer::Heard;
use crate::host::VuHost;
use k6_metrics::{MetricId, SystemTag};
use stats::ErrorClass;

/// k6's stretches of a request, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) blocked_ns: u64,
    pub(crate) connecting_ns: u64,
    pub(crate) tls_ns: u64,
    /// From just before the send until the system had taken all.
    pub(crate) sending_ns: u64,
    pub(crate) waiting_ns: u64,
    pub(crate) receiving_ns: u64,
}

impl Times {
    /// Of an answer to what was asked for at `asked_ns`.
    pub(crate) fn of(heard: &Heard, asked_ns: u64) -> Self {
        let timing = &heard.timing;
        Self {
            blocked_ns: timing.sent_ns.saturating_sub(asked_ns.max(timing.asked_ns)),
            connecting_ns: timing.connect_ns,
            tls_ns: timing.tls_ns,
            sending_ns: timing.written_ns.saturating_sub(timing.sent_ns),
            waiting_ns: timing.first_byte_ns.saturating_sub(timing.written_ns),
            receiving_ns: heard.done_ns.saturating_sub(timing.first_byte_ns),
        }
    }

    /// Of what failed: one that was sent waited from then until now, as far as is known.
    pub(crate) fn of_failure(class: ErrorClass, asked_ns: u64, now_ns: u64) -> Self {
        let was_sent = matches!(
            class,
            ErrorClass::ReceiveReset
                | ErrorClass::ReceiveEarlyEnd
                | ErrorClass::Protocol
                | ErrorClass::Timeout
        );
        Self { waiting_ns: if was_sent { now_ns.saturating_sub(asked_ns) } else { 0 }, ..Self::default() }
    }

    pub(crate) fn duration_ns(self) -> u64 {
        self.sending_ns + self.waiting_ns + self.receiving_ns
    }
}

/// How one hop ended.
pub(crate) enum Ended<'a> {
    Heard(&'a Heard),
    /// Code and message.
    Failed(u16, &'a str),
}

/// Adds the samples of one hop. `is_asked_to_log_in`: a 401 that was to be expected.
pub(crate) fn add(
    host: &VuHost,
    flight: &Flight,
    ended: &Ended<'_>,
    times: Times,
    now_ns: u64,
    is_asked_to_log_in: bool,
) {
    let asked = &flight.asked;
    let system = host.test.registry.system_tags();
    let (status, failure, remote, tls) = match ended {
        Ended::Heard(heard) => (heard.status, None, heard.remote, heard.tls),
        Ended::Failed(code, said) => (0, Some((*code, *said)), None, None),
    };
    let mut pairs: [(&str, &str); 11] = [("", ""); 11];
    let mut count = 0;
    let status_text = status.to_string();
    let error_code = failure.map_or(if status >= 400 { 1000 + status } else { 0 }, |(code, _)| code);
    let code_text = error_code.to_string();
    let is_expected = asked.expected.as_ref().map(|expected| expected.has(status) || is_asked_to_log_in);
    let name = asked.name.as_ref().unwrap_or(&asked.url.shown);
    let ip = remote.filter(|_| system.has(SystemTag::Ip)).map(|remote| remote.ip().to_string());
    let given = [
        (SystemTag::Name, Some(name.as_str())),
        (SystemTag::Url, Some(name.as_str())),
        (SystemTag::Method, Some(asked.method.as_str())),
        (SystemTag::Status, Some(status_text.as_str())),
        (SystemTag::Proto, failure.is_none().then_some("HTTP/1.1")),
        (SystemTag::TlsVersion, tls.map(|tls| tls.version)),
        (SystemTag::OcspStatus, tls.map(|_| "unknown")),
        (SystemTag::Error, failure.map(|(_, said)| said)),
        (SystemTag::ErrorCode, (error_code > 0).then_some(code_text.as_str())),
        (SystemTag::ExpectedResponse, is_expected.map(|is| if is { "true" } else { "false" })),
        (SystemTag::Ip, ip.as_deref()),
    ];
    for (tag, value) in given {
        if let Some(value) = value.filter(|_| system.has(tag))
            && let Some(place) = pairs.get_mut(count)
        {
            *place = (tag.key(), value);
            count += 1;
        }
    }
    let set = host.worker.tags.borrow_mut().with_all(asked.tags, pairs.get(..count).unwrap_or_default());
    let ms = |ns: u64| ns as f64 / 1e6;
    for (metric, value) in [
        (MetricId::HTTP_REQS, 1.0),
        (MetricId::HTTP_REQ_DURATION, ms(times.duration_ns())),
        (MetricId::HTTP_REQ_BLOCKED, ms(times.blocked_ns)),
        (MetricId::HTTP_REQ_CONNECTING, ms(times.connecting_ns)),
        (MetricId::HTTP_REQ_TLS_HANDSHAKING, ms(times.tls_ns)),
        (MetricId::HTTP_REQ_SENDING, ms(times.sending_ns)),
        (MetricId::HTTP_REQ_WAITING, ms(times.waiting_ns)),
        (MetricId::HTTP_REQ_RECEIVING, ms(times.receiving_ns)),
    ] {
        host.worker.add(metric, set, value, now_ns);
    }
    if let Some(is_expected) = is_expected {
        host.worker.add(MetricId::HTTP_REQ_FAILED, set, f64::from(u8::from(!is_expected)), now_ns);
    }
}
