//! The tags that the tool itself puts on samples, and which of them are wanted.

/// A tag that is put on samples without a script asking for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SystemTag {
    /// Protocol of the response.
    Proto,
    /// WebSocket subprotocol.
    Subproto,
    /// Status of the response.
    Status,
    /// Method of the request.
    Method,
    /// Address of the request.
    Url,
    /// Name of the request: its address, unless the script names it.
    Name,
    /// Path of the group.
    Group,
    /// Name of the check.
    Check,
    /// Text of the failure.
    Error,
    /// Number of the failure.
    ErrorCode,
    /// Version of TLS.
    TlsVersion,
    /// Name of the scenario.
    Scenario,
    /// Name of the gRPC service.
    Service,
    /// Whether the response was one that was expected.
    ExpectedResponse,
    /// Number of the iteration: goes to the metadata.
    Iter,
    /// Number of the user: goes to the metadata.
    Vu,
    /// Stapled OCSP status.
    OcspStatus,
    /// Address of the server.
    Ip,
}

impl SystemTag {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::Proto,
        Self::Subproto,
        Self::Status,
        Self::Method,
        Self::Url,
        Self::Name,
        Self::Group,
        Self::Check,
        Self::Error,
        Self::ErrorCode,
        Self::TlsVersion,
        Self::Scenario,
        Self::Service,
        Self::ExpectedResponse,
        Self::Iter,
        Self::Vu,
        Self::OcspStatus,
        Self::Ip,
    ];

    /// Its key on samples and its name in options.
    pub fn key(self) -> &'static str {
        match self {
            Self::Proto => "proto",
            Self::Subproto => "subproto",
            Self::Status => "status",
            Self::Method => "method",
            Self::Url => "url",
            Self::Name => "name",
            Self::Group => "group",
            Self::Check => "check",
            Self::Error => "error",
            Self::ErrorCode => "error_code",
            Self::TlsVersion => "tls_version",
            Self::Scenario => "scenario",
            Self::Service => "service",
            Self::ExpectedResponse => "expected_response",
            Self::Iter => "iter",
            Self::Vu => "vu",
            Self::OcspStatus => "ocsp_status",
            Self::Ip => "ip",
        }
    }

    /// Whether it stands in a sample's metadata in place of its tags.
    pub fn is_metadata(self) -> bool {
        matches!(self, Self::Iter | Self::Vu)
    }

    fn is_default(self) -> bool {
        !matches!(self, Self::Iter | Self::Vu | Self::OcspStatus | Self::Ip)
    }

    fn bit(self) -> u32 {
        1 << self as u8
    }
}

/// Which system tags are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemTags(u32);

impl Default for SystemTags {
    fn default() -> Self {
        Self(SystemTag::ALL.into_iter().filter(|tag| tag.is_default()).fold(0, |all, tag| all | tag.bit()))
    }
}

impl SystemTags {
    /// None at all.
    pub const NONE: Self = Self(0);

    /// Those named; names that are none are left out, as the option has it.
    pub fn named<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> Self {
        let bit =
            |name: &str| SystemTag::ALL.into_iter().find(|tag| tag.key() == name).map_or(0, SystemTag::bit);
        Self(names.into_iter().fold(0, |all, name| all | bit(name.as_ref())))
    }

    /// Whether the tag is wanted.
    #[inline]
    pub fn has(self, tag: SystemTag) -> bool {
        self.0 & tag.bit() != 0
    }

    /// The names of those that are wanted, sorted.
    pub fn names(self) -> Vec<&'static str> {
        self.sorted_keys(|_| true)
    }

    /// The keys of those that are wanted and stand among the tags (not in the metadata), sorted.
    pub fn tag_keys(self) -> Vec<&'static str> {
        self.sorted_keys(|tag| !tag.is_metadata())
    }

    fn sorted_keys(self, is_asked: impl Fn(SystemTag) -> bool) -> Vec<&'static str> {
        let wanted = SystemTag::ALL.into_iter().filter(|tag| self.has(*tag) && is_asked(*tag));
        let mut keys: Vec<&str> = wanted.map(SystemTag::key).collect();
        keys.sort_unstable();
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_fourteen() {
        let tags = SystemTags::default();
        assert_eq!(tags.tag_keys().len(), 14);
        assert!(
            tags.has(SystemTag::ExpectedResponse) && !tags.has(SystemTag::Ip) && !tags.has(SystemTag::Vu)
        );
    }

    #[test]
    fn names_that_are_none_are_left_out() {
        let tags = SystemTags::named(["vu", "url", "no such", "status"]);
        assert_eq!(tags.tag_keys(), ["status", "url"]);
        assert_eq!(tags.names(), ["status", "url", "vu"]);
        assert_eq!(SystemTags::named::<&str>([]), SystemTags::NONE);
    }
}
