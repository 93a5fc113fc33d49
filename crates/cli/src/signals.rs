//! Ctrl-C and SIGTERM: the first asks a run to drain and report, the second to stop now.

use crate::exit::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;

/// Listens for signals until it is dropped.
pub(crate) struct SignalWatch {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
    count: Arc<AtomicU32>,
}

impl SignalWatch {
    /// Calls `on_signal` with the number of the signal, from 1, on a thread of its own.
    pub(crate) fn start(on_signal: impl FnMut(u32) + Send + 'static) -> Result<Self, Failure> {
        Self::listen(on_signal)
            .map_err(|error| Failure::internal(&format!("signals can't be watched: {error}")))
    }

    /// For what runs until the first signal: the receiver hears of it.
    pub(crate) fn first() -> Result<(Self, Receiver<()>), Failure> {
        let (stop, stopped) = mpsc::channel();
        let watch = Self::start(move |_| {
            // Nobody listens any more: then it is stopping already.
            let _ = stop.send(());
        })?;
        Ok((watch, stopped))
    }

    /// As [`SignalWatch::start`], for commands whose errors are not a [`Failure`].
    pub(crate) fn listen(mut on_signal: impl FnMut(u32) + Send + 'static) -> io::Result<Self> {
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let handle = signals.handle();
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        let thread = std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for _ in &mut signals {
                on_signal(counted.fetch_add(1, Ordering::Relaxed) + 1);
            }
        })?;
        Ok(Self { handle, thread: Some(thread), count })
    }

    /// How many signals came.
    pub(crate) fn count(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            // A panic of it has been said already.
            let _ = thread.join();
        }
    }
}
