//! What is measured: a metric's name, how its samples are put together and what they are; the metrics that are always there.

/// How samples of a metric are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MetricKind {
    /// Values are added up.
    Counter,
    /// The last value counts; least and greatest are kept beside it.
    Gauge,
    /// The share of values that are not zero.
    Rate,
    /// The distribution of all values.
    Trend,
}

impl MetricKind {
    /// The word in files and messages: `counter`, `gauge`, `rate`, `trend`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Rate => "rate",
            Self::Trend => "trend",
        }
    }

    /// The kind that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Counter, Self::Gauge, Self::Rate, Self::Trend].into_iter().find(|kind| kind.word() == word)
    }
}

/// What the values of a metric are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Contains {
    /// Plain numbers.
    #[default]
    Default,
    /// Times in ms.
    Time,
    /// Bytes.
    Data,
}

impl Contains {
    /// The word in files: `default`, `time`, `data`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Time => "time",
            Self::Data => "data",
        }
    }

    /// What a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Default, Self::Time, Self::Data].into_iter().find(|contains| contains.word() == word)
    }
}

/// A metric in its [`crate::Registry`]: the same number in every thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetricId(pub(crate) u32);

impl MetricId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The metrics that are there without a script asking for them; each has its place in every registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name in files and thresholds.
    pub name: &'static str,
    /// How its samples are put together.
    pub kind: MetricKind,
    /// What its values are.
    pub contains: Contains,
}

macro_rules! built_ins {
    ($($constant:ident $name:literal $kind:ident $contains:ident $doc:literal;)*) => {
        /// All built-in metrics, in the order of their numbers.
        pub const BUILT_INS: &[BuiltIn] = &[
            $(BuiltIn { name: $name, kind: MetricKind::$kind, contains: Contains::$contains },)*
        ];

        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "the constants' names, as positions in the table")]
        enum Position { $($constant,)* }

        impl MetricId {
            $(
                #[doc = $doc]
                pub const $constant: Self = Self(Position::$constant as u32);
            )*
        }
    };
}

built_ins! {
    VUS "vus" Gauge Default "Users that run at the moment.";
    VUS_MAX "vus_max" Gauge Default "Users that are there at the moment.";
    ITERATIONS "iterations" Counter Default "Whole iterations.";
    ITERATION_DURATION "iteration_duration" Trend Time "Times of whole iterations.";
    DROPPED_ITERATIONS "dropped_iterations" Counter Default "Iterations that were due and not begun.";
    CHECKS "checks" Rate Default "Checks; use [`crate::Books::check`], which keeps them by group too.";
    GROUP_DURATION "group_duration" Trend Time "Times of groups.";
    HTTP_REQS "http_reqs" Counter Default "HTTP requests.";
    HTTP_REQ_FAILED "http_req_failed" Rate Default "Requests without the response that was expected.";
    HTTP_REQ_DURATION "http_req_duration" Trend Time "Sending, waiting and receiving together.";
    HTTP_REQ_BLOCKED "http_req_blocked" Trend Time "Waiting for a connection.";
    HTTP_REQ_CONNECTING "http_req_connecting" Trend Time "Opening a connection.";
    HTTP_REQ_TLS_HANDSHAKING "http_req_tls_handshaking" Trend Time "TLS handshakes.";
    HTTP_REQ_SENDING "http_req_sending" Trend Time "Sending the request.";
    HTTP_REQ_WAITING "http_req_waiting" Trend Time "From the request's last byte to the response's first.";
    HTTP_REQ_RECEIVING "http_req_receiving" Trend Time "From the response's first byte to its last.";
    WS_SESSIONS "ws_sessions" Counter Default "WebSocket sessions.";
    WS_MSGS_SENT "ws_msgs_sent" Counter Default "WebSocket messages sent.";
    WS_MSGS_RECEIVED "ws_msgs_received" Counter Default "WebSocket messages received.";
    WS_PING "ws_ping" Trend Time "From a WebSocket ping to its pong.";
    WS_SESSION_DURATION "ws_session_duration" Trend Time "Times of WebSocket sessions.";
    WS_CONNECTING "ws_connecting" Trend Time "Opening WebSocket sessions.";
    GRPC_REQ_DURATION "grpc_req_duration" Trend Time "Times of gRPC calls.";
    GRPC_STREAMS "grpc_streams" Counter Default "gRPC streams.";
    GRPC_STREAMS_MSGS_SENT "grpc_streams_msgs_sent" Counter Default "Messages sent on gRPC streams.";
    GRPC_STREAMS_MSGS_RECEIVED "grpc_streams_msgs_received" Counter Default "Messages received on gRPC streams.";
    DATA_SENT "data_sent" Counter Data "Bytes sent.";
    DATA_RECEIVED "data_received" Counter Data "Bytes received.";
    ITERATION_START_DELAY "iteration_start_delay" Trend Time "Of arrivals: from when an iteration was due until it began. Weir's own.";
    ITERATION_RESPONSE_TIME "iteration_response_time" Trend Time "Of arrivals: from when an iteration was due until it was done. Weir's own.";
}
