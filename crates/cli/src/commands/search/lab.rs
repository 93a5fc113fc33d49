//! Where trials are made: each is a run of its own, with the rest before it, until a signal ends the search.

use super::progress::Progress;
use super::subject::Subject;
use crate::args::RunnerArgs;
use crate::exit::Failure;
use crate::keeping::Keeping;
use crate::signals::SignalWatch;
use crate::talk::Talk;
use plan::{Diagnostic, Plan};
use record::{RunObserver, RunRecord};
use runner::{RunControl, RunOptions};
use search::find::Trial;
use search::trial_plan;
use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Makes trials.
pub(crate) struct Lab<'a> {
    pub(crate) subject: &'a Subject,
    runner: &'a RunnerArgs,
    watch: SignalWatch,
    /// The run under way, if any, for the thread that hears signals.
    control: Arc<Mutex<RunControl>>,
    signals: Receiver<()>,
    /// Before the first trial; 0 after it.
    warm_up_ns: u64,
    trial_index: u64,
    /// By which the trials of this search are found in the store.
    search_id: String,
    talk: Talk,
}

impl<'a> Lab<'a> {
    /// Listens for signals from here on.
    pub(crate) fn new(
        subject: &'a Subject,
        runner: &'a RunnerArgs,
        warm_up_ns: u64,
        search_id: &str,
        talk: &Talk,
    ) -> Result<Self, Failure> {
        if runner.keep.serve.is_some() {
            let message = "--serve shows one run, and a search is many";
            let hint = "leave it out, and watch the lines of the trials";
            return Err(Failure::usage(&Diagnostic::error(message).hint(hint)));
        }
        let control = Arc::new(Mutex::new(RunControl::new()));
        let (heard, signals) = mpsc::channel();
        let (current, told) = (Arc::clone(&control), *talk);
        let watch = SignalWatch::start(move |number| {
            if number == 1 {
                told.say("\nstopping: the search ends with what is known");
            }
            // Nobody rests at the moment, or nobody runs: then there is nobody to tell.
            let _ = heard.send(());
            if let Ok(control) = current.lock() {
                control.stop();
            }
        })?;
        let search_id = search_id.to_owned();
        Ok(Self {
            subject,
            runner,
            watch,
            control,
            signals,
            warm_up_ns,
            trial_index: 0,
            search_id,
            talk: *talk,
        })
    }

    /// Whether the user wants an end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.watch.count() > 0
    }

    /// Counts trials that an earlier part of the search has made, so that those to come have other chances.
    pub(crate) fn skip(&mut self, trial_count: usize) {
        self.trial_index += trial_count as u64;
    }

    /// Makes a trial and says how long it took, ns, without the warm-up, which is the service's affair and not the search's. `None`: a signal came before its end.
    pub(crate) fn try_it(
        &mut self,
        trial: &Trial,
        progress: &mut Progress,
    ) -> Result<Option<(RunRecord, u64)>, Failure> {
        let began = Instant::now();
        // Each trial has chances of its own, the same in each search with this seed.
        let seed = units::Random::stream(self.subject.plan.seed, self.trial_index).bits();
        // Whichever trial is the first: where a rate is given to start with, or a search goes on, it is no closed one.
        let warm_up_ns = std::mem::take(&mut self.warm_up_ns);
        let plan =
            trial_plan::for_trial(&self.subject.plan, self.subject.phase_index, trial, warm_up_ns, seed);
        let record = self.run(plan, trial.settle_ns, progress)?;
        let took_ns = (began.elapsed().as_nanos() as u64).saturating_sub(warm_up_ns);
        Ok(record.map(|record| (record, took_ns)))
    }

    /// Runs a plan after a rest. `None`: a signal came before its end.
    pub(crate) fn run(
        &mut self,
        plan: Plan,
        settle_ns: u64,
        observer: &mut dyn RunObserver,
    ) -> Result<Option<RunRecord>, Failure> {
        self.trial_index += 1;
        // A signal that comes now ends the rest.
        let _ = self.signals.recv_timeout(Duration::from_nanos(settle_ns));
        let control = RunControl::new();
        if let Ok(mut current) = self.control.lock() {
            *current = control.clone();
        }
        if self.is_stopped() {
            return Ok(None);
        }
        let mut keeping = Keeping::begin(&self.runner.keep, &self.subject.folder, &control, &self.talk)?;
        let mut labels: BTreeMap<String, String> = self.runner.keep.labels.iter().cloned().collect();
        labels.insert("search".to_owned(), self.search_id.clone());
        labels.insert("trial".to_owned(), self.trial_index.to_string());
        let options = RunOptions {
            worker_count: self.runner.threads.map(usize::from),
            driver: self.runner.driver.into(),
            name: self.runner.name.clone(),
            origin: "search".to_owned(),
            control,
            labels,
        };
        let record = match keeping.observer() {
            Some(kept) => runner::execute(plan, options, &mut [observer, kept])?,
            None => runner::execute(plan, options, &mut [observer])?,
        };
        keeping.finish(&record);
        Ok((!self.is_stopped()).then_some(record))
    }
}
