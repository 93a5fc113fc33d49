//! Targets.

use super::{Context, entries, ns_or, url};
use crate::model::{Connections, PlanText, Target as TargetText, Tls, TlsVersionText};
use crate::read::At;
use crate::text::{Place, quoted};
use plan::{
    CertificateCheck, ClientCertificate, ConnectionPolicy, Scheme, Secret, Target, TlsSettings, TlsVersion,
};

/// Longest PEM file: thousands of certificates.
const PEM_BYTES_MAX: u64 = 16 << 20;
/// Longest path of a Unix socket: `sun_path` holds 108 bytes with its final NUL (unix(7)).
const UNIX_PATH_BYTES_MAX: usize = 107;

impl Context<'_, '_> {
    pub(crate) fn targets(&mut self, text: &PlanText) -> Vec<Target> {
        let mut targets = Vec::new();
        for (name, target) in entries(text.targets.as_ref()) {
            let name_text = self.name(name);
            let target = self.target(target);
            targets.push(Target { name: name_text, ..target });
        }
        if let (Some(target), true) = (&text.target, targets.is_empty()) {
            targets.push(self.target(target));
        }
        self.target_names = targets.iter().map(|target| target.name.clone()).collect();
        for ((_, text), target) in entries(text.targets.as_ref()).zip(&mut targets) {
            let names = text.alternates.iter().flat_map(|names| &names.0);
            target.alternates = names.filter_map(|name| self.target_index(name)).collect();
        }
        let has_type = |target: &Target| {
            target.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        };
        self.targets_with_content_type = targets.iter().map(has_type).collect();
        targets
    }

    fn target(&mut self, text: &TargetText) -> Target {
        let mut target = Target::new(Scheme::Http, "localhost", 80);
        if let Some(url) = &text.url {
            match url::parse(&url.value) {
                Ok(parsed) => target = parsed,
                Err(fault) => self.faults.push(url.at, fault),
            }
        }
        for (name, values) in entries(text.headers.as_ref()) {
            self.header_name(name);
            for value in &values.0 {
                let text =
                    self.literal(value, "a header of a target", "put it into the `headers` of requests");
                self.header_text(&text, value.at);
                target.headers.push((name.value.clone(), Secret::header_value(&name.value, text)));
            }
        }
        if let Some(tls) = &text.tls {
            if target.scheme == Scheme::Http && text.url.is_some() {
                self.warning(
                    tls.at,
                    "`tls` has no effect on a target with `http://`",
                    "write `https://` in its `url`",
                );
            }
            target.tls = self.tls(tls);
        }
        target.connections = match text.connections.as_ref().map(|connections| connections.value) {
            None | Some(Connections::PerUser) => ConnectionPolicy::PerUser,
            Some(Connections::PerRequest) => ConnectionPolicy::PerRequest,
            Some(Connections::Shared(size)) => ConnectionPolicy::Shared(size),
        };
        if let Some(path) = &text.unix_socket {
            let resolved = self.files.resolve(&path.value);
            let length = resolved.as_os_str().len();
            if path.value.is_empty() || length > UNIX_PATH_BYTES_MAX {
                let message = format!(
                    "the path of a Unix socket is 1 to {UNIX_PATH_BYTES_MAX} bytes long, and this one {length}"
                );
                self.error(path.at, message, "put the socket into a folder such as `/run`");
            }
            target.unix_socket = Some(resolved);
        }
        target.addresses =
            text.addresses.iter().flat_map(|list| &list.0).map(|address| address.value).collect();
        target.connect_timeout_ns = ns_or(text.connect_timeout.as_ref(), Target::CONNECT_TIMEOUT_NS);
        target.request_timeout_ns = ns_or(text.request_timeout.as_ref(), Target::REQUEST_TIMEOUT_NS);
        target
    }

    fn tls(&mut self, text: &Tls) -> TlsSettings {
        let version = |version: &At<TlsVersionText>| match version.value {
            TlsVersionText::V1_2 => TlsVersion::V1_2,
            TlsVersionText::V1_3 => TlsVersion::V1_3,
        };
        let (version_min, version_max) = (text.min.as_ref().map(version), text.max.as_ref().map(version));
        if let (Some(TlsVersion::V1_3), Some(TlsVersion::V1_2), Some(max)) =
            (version_min, version_max, &text.max)
        {
            self.error(max.at, "the newest version of TLS is older than the oldest", "swap `min` and `max`");
        }
        let insecure = text.insecure.as_ref().is_some_and(|insecure| insecure.value);
        if let (true, Some(ca)) = (insecure, &text.ca) {
            self.warning(ca.at, "`ca` has no effect beside `insecure: true`", "remove one of them");
        }
        let client_certificate = match (&text.cert, &text.key) {
            (Some(cert), Some(key)) => {
                let chain_pem = self.pem(cert, "CERTIFICATE-----");
                let key_pem = self.pem(key, "PRIVATE KEY-----");
                chain_pem.zip(key_pem).map(|(chain_pem, key_pem)| ClientCertificate { chain_pem, key_pem })
            }
            (Some(alone), None) => self.half_of_a_pair("cert", "key", alone.at),
            (None, Some(alone)) => self.half_of_a_pair("key", "cert", alone.at),
            (None, None) => None,
        };
        if let Some(name) = &text.server_name
            && (name.value.is_empty()
                || !name.value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte)))
        {
            self.error(
                name.at,
                format!("{} is no server's name", quoted(&name.value)),
                "write a name such as `shop.example`",
            );
        }
        TlsSettings {
            ca_pem: text.ca.as_ref().and_then(|ca| self.pem(ca, "CERTIFICATE-----")),
            client_certificate,
            check: if insecure { CertificateCheck::Insecure } else { CertificateCheck::Verify },
            server_name: text.server_name.as_ref().map(|name| name.value.clone()),
            version_min,
            version_max,
            cipher_suites: Vec::new(),
        }
    }

    fn half_of_a_pair(&mut self, given: &str, missing: &str, at: Place) -> Option<ClientCertificate> {
        self.error(
            at,
            format!("`{given}` needs `{missing}` beside it"),
            format!("add `{missing}:` with the name of a PEM file"),
        );
        None
    }

    /// A PEM file; whether its Base64 holds what it should is for TLS itself to say.
    fn pem(&mut self, path: &At<String>, label: &str) -> Option<Vec<u8>> {
        let bytes = self.file(path, PEM_BYTES_MAX)?;
        let has_label = bytes.split(|byte| *byte == b'\n').any(|line| {
            let line = line.trim_ascii();
            line.starts_with(b"-----BEGIN ") && line.ends_with(label.as_bytes())
        });
        if !has_label {
            let message = format!("{} has no `-----BEGIN … {label}`", quoted(&path.value));
            self.error(path.at, message, "give a PEM file; `openssl x509 -inform der` turns others into one");
        }
        Some(bytes)
    }
}
