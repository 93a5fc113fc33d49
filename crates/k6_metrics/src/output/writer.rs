//! The one thread that writes: takes batches, lets each output put them in its form, and looks after the files.

use super::csv::CsvRows;
use super::feed::{BATCH_SAMPLES, Batch, PENDING_SAMPLES_MAX, Sample, SampleFeed};
use super::json_lines::JsonLines;
use super::push::Push;
use super::sink::{OutputError, Sink};
use super::spec::{OutputFormat, OutputSpec};
use super::time::Origin;
use crate::registry::Registry;
use crate::thresholds::Thresholds;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long written samples may stay in a buffer.
const FLUSH_PERIOD: Duration = Duration::from_millis(200);
/// Bytes that are written together.
const WRITE_BYTES: usize = 256 << 10;
/// Pending samples up to which batches go back to their feeds.
const KEPT_SAMPLES: u64 = 64 * BATCH_SAMPLES as u64;
/// Bytes of rendered tags that an output keeps; beyond it, it begins anew.
pub(crate) const RENDERED_BYTES_MAX: usize = 64 << 20;

/// What goes to the thread.
#[derive(Debug)]
pub(crate) enum Message {
    Batch(Batch),
    Finish,
}

/// What feeds and thread share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Samples on their way.
    pub(crate) pending_count: AtomicU64,
    pub(crate) pending_count_max: u64,
    missing: Mutex<Missing>,
}

/// Samples that were left out of the outputs because the disk was slower than they came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Missing {
    /// How many.
    pub count: u64,
    /// The time of the first, in ns since the run's origin.
    pub first_ns: u64,
    /// The time of the last.
    pub last_ns: u64,
}

impl Missing {
    /// What to say of them; `None` if there are none.
    pub fn text(&self) -> Option<String> {
        let sec = |ns: u64| ns as f64 / 1e9;
        (self.count > 0).then(|| {
            format!(
                "{} samples are missing in the sample files, between {:.3} s and {:.3} s of the run: the disk was slower than they came; \
                 summary and thresholds have all of them (write to a faster disk, or compress: a name that ends in .gz)",
                self.count,
                sec(self.first_ns),
                sec(self.last_ns)
            )
        })
    }
}

impl Shared {
    pub(crate) fn leave_out(&self, samples: &[Sample]) {
        let times = samples.iter().map(|sample| sample.time_ns);
        let (Some(first_ns), Some(last_ns)) = (times.clone().min(), times.max()) else { return };
        let mut missing = self.missing.lock().unwrap_or_else(PoisonError::into_inner);
        missing.first_ns = if missing.count == 0 { first_ns } else { missing.first_ns.min(first_ns) };
        missing.last_ns = missing.last_ns.max(last_ns);
        missing.count += samples.len() as u64;
    }
}

/// What came of one output.
#[derive(Debug)]
pub struct OutputReport {
    /// Where; `stdout` for that, a server by its name.
    pub path: PathBuf,
    /// Samples that it holds.
    pub written_count: u64,
    /// Samples that it misses because it failed: those of the last write, of which some may be there, and all after it. Of a server: those that it did
    /// not take, and those that its form has no room for.
    pub lost_count: u64,
}

/// The outputs of a run while it runs.
#[derive(Debug)]
pub struct SampleWriter {
    sender: Sender<Message>,
    shared: Arc<Shared>,
    errors: Receiver<OutputError>,
    thread: JoinHandle<Vec<OutputReport>>,
}

impl SampleWriter {
    /// Opens all outputs, empty, and starts the thread that writes them.
    ///
    /// Errors: the first output that can't be opened, or a thread that can't be started (as an error of `open`).
    pub fn start(
        registry: &Registry,
        thresholds: &Thresholds,
        origin: Origin,
        specs: &[OutputSpec],
    ) -> Result<Self, OutputError> {
        Self::start_bounded(registry, thresholds, origin, specs, PENDING_SAMPLES_MAX)
    }

    fn start_bounded(
        registry: &Registry,
        thresholds: &Thresholds,
        origin: Origin,
        specs: &[OutputSpec],
        pending_count_max: u64,
    ) -> Result<Self, OutputError> {
        let (error_sender, errors) = mpsc::channel();
        let (mut outputs, mut pushes) = (Vec::new(), Vec::new());
        for spec in specs {
            match &spec.format {
                OutputFormat::Push(push) => pushes.push(Push::open(registry, origin, push, &error_sender)?),
                OutputFormat::Json | OutputFormat::Csv(_) => {
                    outputs.push(Output::open(registry, thresholds, origin, spec)?);
                }
            }
        }
        let missing = Mutex::default();
        let shared = Arc::new(Shared { pending_count: AtomicU64::new(0), pending_count_max, missing });
        let (sender, batches) = mpsc::channel();
        let work = Work { outputs, pushes, shared: Arc::clone(&shared), batches, errors: error_sender };
        let thread = std::thread::Builder::new().name("samples".to_owned()).spawn(move || work.run());
        let thread = thread.map_err(|source| OutputError {
            path: PathBuf::from("the thread that writes samples"),
            action: "open",
            source,
        })?;
        Ok(Self { sender, shared, errors, thread })
    }

    /// A worker's end.
    pub fn feed(&self) -> SampleFeed {
        SampleFeed::new(self.sender.clone(), Arc::clone(&self.shared))
    }

    /// Outputs that failed since the last call; each fails once.
    pub fn take_errors(&self) -> Vec<OutputError> {
        self.errors.try_iter().collect()
    }

    /// Samples left out so far.
    pub fn missing(&self) -> Missing {
        *self.shared.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what was handed over, and ends all outputs. Feeds must be flushed or dropped before; what comes later is counted as missing.
    pub fn finish(self) -> (Vec<OutputReport>, Vec<OutputError>, Missing) {
        // A thread that is gone has ended its outputs.
        let _ = self.sender.send(Message::Finish);
        let reports = self.thread.join().unwrap_or_default();
        let missing = *self.shared.missing.lock().unwrap_or_else(PoisonError::into_inner);
        (reports, self.errors.try_iter().collect(), missing)
    }
}

/// The thread's own.
struct Work {
    outputs: Vec<Output>,
    pushes: Vec<Push>,
    shared: Arc<Shared>,
    batches: Receiver<Message>,
    errors: Sender<OutputError>,
}

impl Work {
    fn run(mut self) -> Vec<OutputReport> {
        let mut flush_at = Instant::now() + FLUSH_PERIOD;
        loop {
            match self.batches.recv_timeout(flush_at.saturating_duration_since(Instant::now())) {
                Ok(Message::Batch(batch)) => self.write(batch),
                Ok(Message::Finish) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if Instant::now() >= flush_at {
                self.each(Output::flush);
                self.pushes.iter_mut().for_each(|push| push.tick(Instant::now()));
                flush_at = Instant::now() + FLUSH_PERIOD;
            }
        }
        self.pushes.iter_mut().for_each(Push::finish);
        self.each(Output::finish);
        let files = self.outputs.into_iter().map(Output::report);
        files.chain(self.pushes.into_iter().map(Push::report)).collect()
    }

    fn write(&mut self, batch: Batch) {
        let Batch { mut samples, give_back } = batch;
        for output in self.outputs.iter_mut().filter(|output| output.has_failed) {
            output.lost_count += samples.len() as u64;
        }
        self.each(|output| output.write(&samples));
        self.pushes.iter_mut().for_each(|push| push.write(&samples));
        self.shared.pending_count.fetch_sub(samples.len() as u64, Ordering::Relaxed);
        samples.clear();
        // After a time in which much was pending, its room is not kept for ever. A feed that is gone needs none.
        if self.shared.pending_count.load(Ordering::Relaxed) < KEPT_SAMPLES {
            let _ = give_back.send(samples);
        }
    }

    /// One step of every output that has not failed.
    fn each(&mut self, mut step: impl FnMut(&mut Output) -> io::Result<()>) {
        for output in &mut self.outputs {
            if output.has_failed {
                continue;
            }
            if let Err(source) = step(output) {
                output.has_failed = true;
                // A part of them may have been written.
                output.lost_count += std::mem::take(&mut output.buffered_count);
                // Nobody listens after the end.
                let _ = self.errors.send(OutputError { path: output.path.clone(), action: "write", source });
            }
        }
    }
}

#[derive(Debug)]
enum Format {
    Json(JsonLines),
    Csv(CsvRows),
}

/// One output.
#[derive(Debug)]
struct Output {
    path: PathBuf,
    format: Format,
    sink: Sink,
    buffer: String,
    buffered_count: u64,
    written_count: u64,
    lost_count: u64,
    has_failed: bool,
}

impl Output {
    fn open(
        registry: &Registry,
        thresholds: &Thresholds,
        origin: Origin,
        spec: &OutputSpec,
    ) -> Result<Self, OutputError> {
        let sink = Sink::open(spec.path.as_deref())?;
        let mut buffer = String::new();
        let format = match &spec.format {
            OutputFormat::Json | OutputFormat::Push(_) => {
                Format::Json(JsonLines::new(registry, thresholds, origin))
            }
            OutputFormat::Csv(format) => {
                let rows = CsvRows::new(registry, origin, *format);
                buffer.push_str(&rows.header());
                Format::Csv(rows)
            }
        };
        let path = spec.path.clone().unwrap_or_else(|| PathBuf::from("stdout"));
        Ok(Self {
            path,
            format,
            sink,
            buffer,
            buffered_count: 0,
            written_count: 0,
            lost_count: 0,
            has_failed: false,
        })
    }

    fn write(&mut self, samples: &[Sample]) -> io::Result<()> {
        for sample in samples {
            match &mut self.format {
                Format::Json(lines) => lines.write(&mut self.buffer, sample),
                Format::Csv(rows) => rows.write(&mut self.buffer, sample),
            }
        }
        self.buffered_count += samples.len() as u64;
        if self.buffer.len() >= WRITE_BYTES { self.empty_buffer() } else { Ok(()) }
    }

    fn empty_buffer(&mut self) -> io::Result<()> {
        if !self.buffer.is_empty() {
            self.sink.write(self.buffer.as_bytes())?;
            self.buffer.clear();
            self.written_count += std::mem::take(&mut self.buffered_count);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.empty_buffer()?;
        self.sink.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.empty_buffer()?;
        self.sink.finish()
    }

    fn report(self) -> OutputReport {
        OutputReport { path: self.path, written_count: self.written_count, lost_count: self.lost_count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Metadata;
    use crate::{MetricId, SystemTags, TagSetId};
    use std::io::Read as _;

    #[test]
    fn a_worker_never_waits_and_what_is_missing_is_said() {
        // The disk that is too slow is a pipe that nobody reads for a while.
        let (mut reader, pipe) = std::io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&pipe));
        let registry = Registry::new(SystemTags::NONE);
        let spec = OutputSpec { format: OutputFormat::Json, path: Some(path.into()) };
        let pending_max = 8 * BATCH_SAMPLES as u64;
        let writer = SampleWriter::start_bounded(
            &registry,
            &Thresholds::default(),
            Origin::default(),
            &[spec],
            pending_max,
        );
        let writer = writer.unwrap();
        drop(pipe);
        let mut feed = writer.feed();
        let sent = 100 * BATCH_SAMPLES as u64;
        for time_ns in 0..sent {
            let metadata = Metadata::default();
            feed.add(Sample { metric: MetricId::VUS, tags: TagSetId::EMPTY, time_ns, value: 1.0, metadata });
        }
        // The pipe takes 64 KiB, the buffer some more, and eight batches may wait: the rest is missing.
        let missing = writer.missing();
        assert!(missing.count > 0 && missing.count < sent, "{missing:?}");
        assert!(missing.first_ns < missing.last_ns && missing.last_ns < sent);
        let said = missing.text().unwrap();
        assert!(said.starts_with(&format!("{} samples are missing", missing.count)), "{said}");
        drop(feed);
        let end = std::thread::spawn(move || writer.finish());
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        let (reports, errors, last_missing) = end.join().unwrap();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(reports[0].written_count + last_missing.count, sent);
        assert_eq!(text.lines().count() as u64, 1 + reports[0].written_count);
    }

    #[test]
    fn nothing_missing_says_nothing() {
        assert_eq!(Missing::default().text(), None);
    }
}
