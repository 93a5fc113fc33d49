//! One request on its way: hops over redirects and log-ins until an answer or a failure, without I/O.

use super::arguments::{Asked, Auth, Fault};
use super::samples::{self, Ended, Times};
use super::{digest, jar, ntlm, wire};
use crate::answer::{self, Heard};
use crate::host::VuHost;
use crate::names::Names;
use crate::test::Loudness;
use crate::url::Url;
use js::Operation;
use plan::Target;
use scenario::{Connecting, Exchange, RequestKind, Want};
use stats::ErrorClass;
use std::net::IpAddr;
use std::rc::Rc;

/// Who is told of a request's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// The script, which waits: the place of the result among those that it waits for.
    Waiting(usize),
    /// A promise.
    Promise(Operation),
}

/// A request that is over.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) asked: Asked,
    /// Cookies that the last hop sent.
    pub(crate) cookies: Vec<(String, String)>,
    pub(crate) outcome: Result<Heard, Fault>,
    pub(crate) times: Times,
}

/// A request under way.
#[derive(Debug)]
pub(crate) struct Flight {
    pub(crate) asked: Asked,
    pub(crate) ends: Ends,
    /// When it began, once it has.
    begun_ns: Option<u64>,
    hops: i64,
    /// When its hop may begin, by the limit of requests per second.
    not_before_ns: Option<u64>,
    /// The `Authorization` that a 401 asked for.
    authorization: Option<String>,
    /// How far a log-in by NTLM is.
    ntlm: ntlm::Stage,
    /// The lane of its last hop: what is said over several hops belongs to one connection.
    pub(crate) lane: Option<usize>,
    /// Of the hop.
    place: Option<(Rc<str>, Option<IpAddr>)>,
    hop_begun_ns: u64,
    sent_bytes: u64,
    cookies: Vec<(String, String)>,
}

/// Whether a hop can begin.
#[derive(Debug)]
pub(crate) enum Ready {
    /// To the target of this name.
    To(Rc<str>),
    /// Not before.
    At(u64),
    Never(Fault),
}

/// What comes after a hop.
#[derive(Debug)]
pub(crate) enum After {
    Hop(Box<Flight>),
    End(Ends, Box<Finished>),
}

impl Flight {
    pub(crate) fn new(asked: Asked, ends: Ends) -> Self {
        Self {
            asked,
            ends,
            begun_ns: None,
            hops: 0,
            not_before_ns: None,
            authorization: None,
            ntlm: ntlm::Stage::Silent,
            lane: None,
            place: None,
            hop_begun_ns: 0,
            sent_bytes: 0,
            cookies: Vec::new(),
        }
    }

    /// Whether the next hop can begin, and where it goes.
    pub(crate) fn ready(&mut self, host: &VuHost, now_ns: u64) -> Ready {
        let begun_ns = *self.begun_ns.get_or_insert(now_ns);
        if now_ns.saturating_sub(begun_ns) >= self.asked.timeout_ns {
            let (code, said) = answer::failure(ErrorClass::Timeout);
            return Ready::Never((code, said.to_owned()));
        }
        let not_before_ns = *self.not_before_ns.get_or_insert_with(|| host.rate_slot_ns(now_ns));
        if not_before_ns > now_ns {
            return Ready::At(not_before_ns);
        }
        match wire::place(host, &self.asked.url) {
            Err(fault) => Ready::Never(fault),
            Ok(wire::Place::LookingUp) => Ready::At(now_ns + Names::PERIOD_NS),
            Ok(wire::Place::At(name, address)) => {
                self.place = Some((Rc::clone(&name), address));
                Ready::To(name)
            }
        }
    }

    /// Whether its next hop goes to the target of this name.
    pub(crate) fn goes_to(&self, name: &str) -> bool {
        self.place.as_ref().is_some_and(|(own, _)| **own == *name)
    }

    /// The target of a hop that is ready.
    pub(crate) fn target(&self, host: &VuHost) -> Option<Target> {
        let (name, address) = self.place.clone()?;
        Some(wire::target(host, &self.asked.url, name.to_string(), address))
    }

    /// Begins the hop: its bytes, and what the worker loop needs to know.
    ///
    /// # Errors
    /// What can't be sent.
    pub(crate) fn begin(
        &mut self,
        host: &VuHost,
        target: u16,
        now_ns: u64,
    ) -> Result<(Vec<u8>, Exchange), String> {
        let written = wire::write(host, &self.asked, self.authorization.as_deref(), host.unix_ms())?;
        self.hop_begun_ns = host.precise_now_ns().max(now_ns);
        self.not_before_ns = None;
        self.sent_bytes = written.bytes.len() as u64;
        self.cookies = written.cookies;
        let spent_ns = now_ns.saturating_sub(self.begun_ns.unwrap_or(now_ns));
        let is_head = self.asked.method == "HEAD";
        if let Some(detail) = host.test.consolidated.options.http_debug.as_deref() {
            let shown = shown(&written.bytes, detail == "full");
            host.test.say(Loudness::Info, format!("Request:\n{shown}"), Some("http-debug"), None);
        }
        let exchange = Exchange {
            target,
            request_index: None,
            kind: if is_head { RequestKind::Head } else { RequestKind::Other },
            want: Want { headers: true, body: true },
            timeout_ns: self.asked.timeout_ns.saturating_sub(spent_ns).max(1),
            connecting: Connecting::Within,
            times_write: true,
            head_bytes: None,
        };
        Ok((written.bytes, exchange))
    }

    /// The hop is over.
    pub(crate) fn landed(
        mut self: Box<Self>,
        host: &VuHost,
        heard: Result<Heard, ErrorClass>,
        now_ns: u64,
    ) -> After {
        host.count_bytes(self.sent_bytes, &heard);
        let heard = match heard {
            Ok(heard) => heard,
            Err(class) => return self.failed(host, class, now_ns),
        };
        let times = Times::of(&heard, self.hop_begun_ns);
        if let Some(detail) = host.test.consolidated.options.http_debug.as_deref() {
            let shown = heard.shown(detail == "full");
            host.test.say(Loudness::Info, format!("Response:\n{shown}"), Some("http-debug"), None);
        }
        let log_in = self.log_in(host, &heard);
        // As with k6, a 401 to one that logs in by NTLM is never a surprise.
        let is_expected = log_in.is_some() || self.asked.auth == Auth::Ntlm && heard.status == 401;
        samples::add(host, &self, &Ended::Heard(&heard), times, now_ns, is_expected);
        let unix_ms = host.unix_ms();
        for cookie in heard.all("set-cookie").filter_map(|line| jar::SetCookie::parse(&line)) {
            self.asked.jar.borrow_mut().store(cookie, &self.asked.url, unix_ms);
        }
        if let Some(authorization) = log_in {
            self.authorization = Some(authorization);
            return After::Hop(self);
        }
        if let Some(next) = self.next_url(host, &heard) {
            self.hops += 1;
            self.turn_to(&heard, next);
            return After::Hop(self);
        }
        if heard.status == 101 {
            let said = "unsupported response status: 101 Switching Protocols".to_owned();
            return self.end(Err((1000, said)), times);
        }
        self.end(Ok(heard), times)
    }

    /// It ends before it was sent, with samples, as where the network refuses it.
    pub(crate) fn refused(self: Box<Self>, host: &VuHost, fault: Fault, now_ns: u64) -> After {
        let times = Times::default();
        samples::add(host, &self, &Ended::Failed(fault.0, &fault.1), times, now_ns, false);
        self.end(Err(fault), times)
    }

    /// It ends because it can't be sent, which is no sample.
    pub(crate) fn unsendable(self: Box<Self>, said: String) -> After {
        self.end(Err((1000, said)), Times::default())
    }

    fn failed(self: Box<Self>, host: &VuHost, class: ErrorClass, now_ns: u64) -> After {
        let begun_ns = self.begun_ns.unwrap_or(now_ns);
        // What stopped a request at its limit is the limit, whichever part of it was at work.
        let is_over = now_ns.saturating_sub(begun_ns) >= self.asked.timeout_ns;
        let times = Times::of_failure(class, self.hop_begun_ns, now_ns);
        let (code, said) = answer::failure(if is_over { ErrorClass::Timeout } else { class });
        samples::add(host, &self, &Ended::Failed(code, said), times, now_ns, false);
        self.end(Err((code, said.to_owned())), times)
    }

    fn end(self: Box<Self>, outcome: Result<Heard, Fault>, times: Times) -> After {
        let Self { asked, ends, cookies, .. } = *self;
        After::End(ends, Box::new(Finished { asked, cookies, outcome, times }))
    }

    /// What answers the 401 of a request that logs in, if there is something to answer.
    fn log_in(&mut self, host: &VuHost, heard: &Heard) -> Option<String> {
        if self.asked.auth == Auth::Basic || heard.status != 401 {
            return None;
        }
        let userinfo = self.asked.url.userinfo.as_deref()?;
        if self.asked.auth == Auth::Ntlm {
            let plain = wire::percent_decoded(userinfo);
            let own = ntlm::Own { userinfo: &plain, nonce: host.unique(), unix_ms: host.unix_ms() };
            let mut asked = heard.all("www-authenticate");
            let (said, stage) = asked.find_map(|challenge| ntlm::next(&challenge, self.ntlm, &own))?;
            self.ntlm = stage;
            return Some(said);
        }
        if self.authorization.is_some() {
            return None;
        }
        let nonce = format!("{:016x}", host.unique());
        heard.all("www-authenticate").find_map(|challenge| {
            digest::answer(&challenge, userinfo, &self.asked.method, &self.asked.url.target, &nonce)
        })
    }

    /// Where a redirect leads, if it is to be followed.
    fn next_url(&self, host: &VuHost, heard: &Heard) -> Option<Url> {
        if !matches!(heard.status, 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let location = heard.all("location").next()?;
        let next = self.asked.url.join(&location).ok()?;
        if self.hops < self.asked.redirects_max {
            return Some(next);
        }
        if !self.asked.limits_redirects {
            host.test.warn(&format!(
                "{} was redirected {} times and no further; give the limit as redirects in the request's parameters or as the option maxRedirects",
                self.asked.url, self.hops
            ));
        }
        None
    }

    /// Go's rules: 301, 302 and 303 become GET (HEAD stays) without a body, 307 and 308 repeat.
    fn turn_to(&mut self, heard: &Heard, next: Url) {
        let asked = &mut self.asked;
        if matches!(heard.status, 301..=303) {
            if asked.method != "HEAD" {
                "GET".clone_into(&mut asked.method);
            }
            asked.body = None;
            asked.headers.retain(|(name, _)| !name.starts_with("Content-"));
        }
        let is_elsewhere =
            next.host != asked.url.host && !next.host.ends_with(&format!(".{}", asked.url.host));
        let dropped: &[&str] =
            if is_elsewhere { &["Authorization", "Www-Authenticate", "Cookie"] } else { &["Cookie"] };
        asked.headers.retain(|(name, _)| !dropped.contains(&name.as_str()));
        if heard.all("location").next().is_some_and(|location| location.contains("://")) {
            asked.host = None;
        }
        let is_leak = asked.url.scheme == plan::Scheme::Https && next.scheme == plan::Scheme::Http;
        asked.headers.retain(|(name, _)| name != "Referer");
        if !is_leak {
            let from = Url { userinfo: None, ..Url::clone(&asked.url) };
            asked.headers.push(("Referer".to_owned(), from.to_string()));
        }
        self.authorization = None;
        self.ntlm = ntlm::Stage::Silent;
        asked.url = Rc::new(next.into());
    }
}

/// A request as a log shows it.
fn shown(bytes: &[u8], with_body: bool) -> String {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    format!("{}\n\n{}\n", head.replace("\r\n", "\n"), if with_body { body } else { "" })
}
