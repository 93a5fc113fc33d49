//! What goes wrong with a request, as its JSON answer.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use store::StoreError;

/// A request that is not answered as asked.
#[derive(Debug)]
pub(crate) struct Fault {
    status: StatusCode,
    message: String,
    hint: String,
}

impl Fault {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, message: message.into(), hint: hint.into() }
    }

    pub(crate) fn bad(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message, hint)
    }

    /// A fault of the program.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message, "this is a fault of weir: please report it")
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let status = match &error {
            StoreError::NoSuchRun { .. } | StoreError::Absent { .. } => StatusCode::NOT_FOUND,
            StoreError::Ambiguous { .. } => StatusCode::BAD_REQUEST,
            StoreError::NotRunning { .. } => StatusCode::CONFLICT,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.to_string(), error.hint())
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.message, "hint": self.hint });
        (self.status, Json(body)).into_response()
    }
}
