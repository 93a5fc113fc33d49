//! The run store over HTTP: the same page as the report's, its data as JSON, and runs in progress as a stream of events.
//!
//! The server knows nothing but the store: a run that goes on is seen by what it has written so far, and what is wished of it is left there for it to
//! take. So any `weir run` on the same store can be watched and stopped, whoever started it and whenever.
//!
//! | request | answer |
//! |---|---|
//! | `GET /` | the page |
//! | `GET /api/runs?limit=N&name=PART&label=KEY=VALUE&state=STATE` | `{"runs": [summary…], "count": N}`, newest first; `count` is of all runs |
//! | `GET /api/runs/SELECTOR` | a run's record |
//! | `GET /api/runs/ID/live` | events (`text/event-stream`): `run`, then `news` until the run has ended, then `end` with its record |
//! | `GET /api/compare?baseline=A&candidate=B&candidate=C` | the comparison, as `weir compare --format json` prints it |
//! | `DELETE /api/runs/ID` | forgets the run |
//! | `POST /api/runs/ID/wishes` | `{"stop": true}` or `{"rate": "500/s"}`: for a run in progress |
//!
//! Faults are `{"error": what, "hint": mend}` with a status of 4xx or 5xx. What changes something wants the header `x-weir: 1`.

mod api;
mod fault;
mod guard;
mod live;

pub use guard::Token;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{delete, get, post};
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// Longest body that is read: the longest wish has a few dozen bytes.
const BODY_BYTES_MAX: usize = 4 << 10;
/// As many runs may be watched at once: each looks into the store some times a second.
const WATCHERS_MAX: usize = 64;
/// How long a server that ends with its run goes on for those who watch it: they look four times a second, and reading a long run's record
/// takes some tenths of one.
const FAREWELL: Duration = Duration::from_secs(3);

/// What to serve, and to whom.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where to listen; port 0: any free one.
    pub listen: SocketAddr,
    /// The store. It need not be there yet.
    pub store: PathBuf,
    /// Who knows it may ask; `None`: whoever reaches the address, which must be a loopback one.
    pub token: Option<Token>,
}

/// Why nothing is served.
#[derive(Debug)]
pub enum ServeError {
    /// Any machine could ask, and nobody would have to say who he is.
    NeedsToken {
        /// The address asked for.
        listen: SocketAddr,
    },
    /// The address can't be had.
    Listen {
        /// The address asked for.
        listen: SocketAddr,
        /// What the system says.
        cause: io::Error,
    },
    /// The system refuses a thread or what a server needs besides.
    Resources {
        /// What it says.
        cause: io::Error,
    },
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeedsToken { listen } => {
                write!(f, "{listen} is no loopback address: other machines could read and delete runs")
            }
            Self::Listen { listen, cause } => {
                write!(f, "can't listen on {listen}: {}", units::system_words(cause))
            }
            Self::Resources { cause } => write!(f, "can't serve: {}", units::system_words(cause)),
        }
    }
}

impl std::error::Error for ServeError {}

impl ServeError {
    /// How to mend it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NeedsToken { .. } => "give a token that they must know (--token), or listen on 127.0.0.1",
            Self::Listen { .. } => "choose another port, or port 0 for any free one",
            Self::Resources { .. } => "close other programs",
        }
    }
}

/// What all requests share.
pub(crate) struct Shared {
    store: PathBuf,
    token: Option<Token>,
    watchers: Arc<Semaphore>,
}

/// How a server ends.
#[derive(Debug)]
enum Ending {
    AtOnce,
    /// When all that is being answered was answered, but soon.
    WhenAnswered,
}

/// A server that runs on a thread of its own, until it is stopped or dropped.
#[derive(Debug)]
pub struct Serving {
    local_addr: SocketAddr,
    needs_token: bool,
    stop: Option<oneshot::Sender<Ending>>,
    thread: Option<JoinHandle<()>>,
}

impl Serving {
    /// Binds the address and serves.
    ///
    /// # Errors
    /// [`ServeError`]; nothing is served then.
    pub fn start(options: Options) -> Result<Self, ServeError> {
        let listen = options.listen;
        if options.token.is_none() && !listen.ip().is_loopback() {
            return Err(ServeError::NeedsToken { listen });
        }
        let refused = |cause| ServeError::Listen { listen, cause };
        let listener = TcpListener::bind(listen).map_err(refused)?;
        let local_addr = listener.local_addr().map_err(refused)?;
        listener.set_nonblocking(true).map_err(refused)?;
        let lacking = |cause| ServeError::Resources { cause };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(lacking)?;
        let needs_token = options.token.is_some();
        let shared = Shared {
            store: options.store,
            token: options.token,
            watchers: Arc::new(Semaphore::new(WATCHERS_MAX)),
        };
        let (stop, stopped) = oneshot::channel();
        let (told, born) = mpsc::channel();
        let work = move || {
            runtime.block_on(async move {
                let listener = match tokio::net::TcpListener::from_std(listener) {
                    Ok(listener) => listener,
                    Err(cause) => return drop(told.send(Err(cause))),
                };
                drop(told.send(Ok(())));
                let (leave, left) = oneshot::channel::<()>();
                let server = axum::serve(listener, router(Arc::new(shared)));
                let mut server =
                    pin!(server.with_graceful_shutdown(async { drop(left.await) }).into_future());
                // Streams of events end with their runs only, so the server does not wait for its connections unless told to.
                let ending = tokio::select! {
                    _ = &mut server => return,
                    ending = stopped => ending,
                };
                if let Ok(Ending::WhenAnswered) = ending {
                    let _ = leave.send(());
                    let _ = tokio::time::timeout(FAREWELL, server).await;
                }
            });
            // A look into the store that is under way needs no answer any more.
            runtime.shutdown_background();
        };
        let thread =
            std::thread::Builder::new().name("weir-serve".to_owned()).spawn(work).map_err(lacking)?;
        match born.recv() {
            Ok(Ok(())) => Ok(Self { local_addr, needs_token, stop: Some(stop), thread: Some(thread) }),
            Ok(Err(cause)) => Err(lacking(cause)),
            Err(_) => Err(lacking(io::Error::other("its thread died"))),
        }
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Whether askers must know a token.
    pub fn needs_token(&self) -> bool {
        self.needs_token
    }

    /// Stops it; connections are closed.
    pub fn stop(mut self) {
        self.end(Ending::AtOnce);
    }

    /// Stops it once those who watch a run that has just ended have been told; nobody new is let in, and it takes three seconds at most.
    pub fn stop_when_told(mut self) {
        self.end(Ending::WhenAnswered);
    }

    fn end(&mut self, ending: Ending) {
        if let Some(stop) = self.stop.take() {
            // It may have ended by itself.
            let _ = stop.send(ending);
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.end(Ending::AtOnce);
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(api::page))
        .route("/api/runs", get(api::list))
        .route("/api/runs/{id}", get(api::run))
        .route("/api/runs/{id}", delete(api::remove))
        .route("/api/runs/{id}/live", get(live::watch))
        .route("/api/runs/{id}/wishes", post(api::wish))
        .route("/api/compare", get(api::compare))
        .fallback(api::unknown)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard::admit))
        .with_state(shared)
}
