//! Which phase runs when, on all workers together: a state machine without threads or clock, the same for real and simulated runs.

use crate::books::{Books, Frame};
use crate::objectives;
use crate::reach::text_of;
use engine::{Command, PhaseOrder, Report, TargetSetup, Usage, WorkerLoad};
use plan::{Load, Phase, PhaseStart, Plan, Target};
use record::{LoadModel, PhaseKind, PhaseRecord, Progress, RunObserver};
use scenario::{ScenarioFactory, Shape};
use schedule::{FireTimes, Profile, Slice, UserStep};
use stats::ErrorClass;
use std::collections::BTreeMap;
use std::sync::Arc;
use units::{Random, Rate};

/// So long before its start a phase is announced, so that all workers know of it in time.
const LEAD_NS: u64 = units::NS_PER_MS;
/// So long ahead a change of rate is announced: a worker that is busy with a batch still hears of it in time.
const CHANGE_LEAD_NS: u64 = 20 * units::NS_PER_MS;
/// Streams of the plan's seed from here on are the phases'; below are the scenarios'.
const PHASE_STREAM: u64 = 1 << 32;

/// Who watches a run.
pub(crate) type Observers<'a, 'b> = &'a mut [&'b mut dyn RunObserver];

/// Leads all workers through a plan.
pub(crate) struct Conductor<'p> {
    plan: &'p Plan,
    shapes: Vec<Shape>,
    worker_count: usize,
    runs: Vec<Run>,
    /// The run that workers open connections for, and how many have done so.
    preparing: Option<(usize, usize)>,
    run_start_ns: Option<u64>,
    aborted: Option<String>,
    /// What is to be sent, to which worker.
    outbox: Vec<(usize, Command)>,
    /// Targets to be looked up.
    meetings: Vec<Meeting>,
    /// Addresses of those that were found, by name.
    met_addresses: BTreeMap<String, Vec<String>>,
    /// What was done to the run from outside, in words.
    notes: Vec<String>,
    broken: Option<String>,
    pub(crate) exits: Vec<(usize, Usage)>,
    pub(crate) lateness_ns: Vec<stats::Histogram>,
}

/// A worker's request for a target that the plan does not name.
#[derive(Debug, Clone)]
pub(crate) struct Meeting {
    worker: usize,
    number: u32,
    pub(crate) target: Box<Target>,
}

/// One run of one phase.
struct Run {
    phase_index: usize,
    repeat_index: u32,
    state: State,
    /// Start, once announced.
    start_ns: u64,
    /// End of the drain, once done.
    drained_ns: u64,
}

enum State {
    Waiting,
    /// Connections are opened; the phase is not to start before this.
    Preparing {
        not_before_ns: u64,
    },
    Running {
        books: Box<Books>,
        curve: Option<Box<FireTimes>>,
    },
    Done(Option<Box<PhaseRecord>>),
}

impl<'p> Conductor<'p> {
    pub(crate) fn new(plan: &'p Plan, scenarios: &[Arc<dyn ScenarioFactory>], worker_count: usize) -> Self {
        let repeats = |(phase_index, phase): (usize, &Phase)| {
            (0..phase.repeat_count).map(move |repeat_index| Run {
                phase_index,
                repeat_index,
                state: State::Waiting,
                start_ns: 0,
                drained_ns: 0,
            })
        };
        Self {
            plan,
            shapes: scenarios.iter().map(|factory| factory.shape().clone()).collect(),
            worker_count,
            runs: plan.phases.iter().enumerate().flat_map(repeats).collect(),
            preparing: None,
            run_start_ns: None,
            aborted: None,
            outbox: Vec::new(),
            meetings: Vec::new(),
            met_addresses: BTreeMap::new(),
            notes: Vec::new(),
            broken: None,
            exits: Vec::new(),
            lateness_ns: vec![stats::Histogram::default(); worker_count],
        }
    }

    /// Whether all phases are done.
    pub(crate) fn is_done(&self) -> bool {
        self.broken.is_some() || self.runs.iter().all(|run| matches!(run.state, State::Done(_)))
    }

    /// Why the run was cut short.
    pub(crate) fn aborted(&self) -> Option<&str> {
        self.aborted.as_deref()
    }

    /// What was done to the run from outside, in words.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// A worker's last words, when one could not go on.
    pub(crate) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// What is to be sent to which worker since the last call.
    pub(crate) fn take_commands(&mut self) -> Vec<(usize, Command)> {
        std::mem::take(&mut self.outbox)
    }

    /// Targets that users asked for since the last call.
    pub(crate) fn take_meetings(&mut self) -> Vec<Meeting> {
        std::mem::take(&mut self.meetings)
    }

    /// Addresses of the targets that users asked for.
    pub(crate) fn met_addresses(&self) -> &BTreeMap<String, Vec<String>> {
        &self.met_addresses
    }

    /// Answers a request for a target.
    pub(crate) fn on_met(&mut self, meeting: &Meeting, setup: Result<Box<TargetSetup>, ErrorClass>) {
        if let Ok(setup) = &setup {
            let addresses = setup.addresses.iter().map(text_of).collect();
            self.met_addresses.insert(meeting.target.name.clone(), addresses);
        }
        self.outbox.push((meeting.worker, Command::Met { number: meeting.number, setup }));
    }

    /// The records of all phases that ran, in the plan's order.
    pub(crate) fn into_phases(self) -> Vec<PhaseRecord> {
        let record = |run: Run| match run.state {
            State::Done(record) => record.map(|record| *record),
            State::Waiting | State::Preparing { .. } | State::Running { .. } => None,
        };
        self.runs.into_iter().filter_map(record).collect()
    }

    /// Announces what can be announced. To be called at first and after each report.
    pub(crate) fn advance(&mut self, now_ns: u64, observers: Observers<'_, '_>) {
        for index in 0..self.runs.len() {
            if !matches!(self.runs[index].state, State::Waiting) {
                continue;
            }
            let phase = &self.plan.phases[self.runs[index].phase_index];
            if let (PhaseStart::With(other, delay_ns), 0) = (phase.start, self.runs[index].repeat_index) {
                if let Some(other_start_ns) = self.start_of(other) {
                    self.start(index, now_ns, other_start_ns.saturating_add(delay_ns), observers);
                }
            } else if self.preparing.is_none()
                && let Some(not_before_ns) = self.not_before(index)
            {
                self.prepare(index, not_before_ns);
            }
        }
    }

    /// Ends the run before its plan does: once drains, again gives up.
    pub(crate) fn interrupt(&mut self, why: &str, gives_up: bool) {
        self.aborted.get_or_insert_with(|| why.to_owned());
        for run in &mut self.runs {
            if matches!(run.state, State::Waiting | State::Preparing { .. }) {
                run.state = State::Done(None);
            }
        }
        self.preparing = None;
        for worker in 0..self.worker_count {
            self.outbox.push((worker, if gives_up { Command::Abort } else { Command::Stop }));
        }
    }

    /// Gives all open phases that run another rate, from now on until their end.
    pub(crate) fn change_rate(&mut self, rate: Rate, now_ns: u64) {
        let run_start_ns = self.run_start_ns.unwrap_or(0);
        for (phase_run, run) in self.runs.iter_mut().enumerate() {
            let State::Running { curve: Some(curve), .. } = &mut run.state else { continue };
            let at_ns = now_ns.saturating_add(CHANGE_LEAD_NS).saturating_sub(run.start_ns);
            curve.change_rate(at_ns, rate);
            let command = |worker| (worker, Command::ChangeRate { phase_run, at_ns, rate });
            self.outbox.extend((0..self.worker_count).map(command));
            let name = &self.plan.phases[run.phase_index].name;
            let since = units::duration(run.start_ns.saturating_sub(run_start_ns).saturating_add(at_ns));
            self.notes.push(format!(
                "the rate of phase {name} was changed by hand to {rate}, {since} after the run's start"
            ));
        }
    }

    /// Takes what a worker tells.
    pub(crate) fn on_report(
        &mut self,
        worker: usize,
        report: Report,
        now_ns: u64,
        observers: Observers<'_, '_>,
    ) {
        match report {
            Report::Ready { .. } => {
                if let Some((index, ready_count)) = &mut self.preparing {
                    *ready_count += 1;
                    if *ready_count == self.worker_count {
                        let index = *index;
                        self.preparing = None;
                        if let State::Preparing { not_before_ns } = self.runs[index].state {
                            self.start(index, now_ns, not_before_ns, observers);
                        }
                    }
                }
            }
            Report::Interval(interval) => {
                let index = interval.phase_run;
                if let Some(lateness) = self.lateness_ns.get_mut(worker) {
                    lateness.merge(&interval.lateness_ns);
                }
                if let Some(State::Running { books, .. }) = self.runs.get_mut(index).map(|run| &mut run.state)
                {
                    books.take(worker, &interval);
                }
                self.outbox.push((worker, Command::Recycle(interval)));
                self.publish(index, now_ns, observers);
            }
            Report::PhaseEnded(end) => {
                let index = end.phase_run;
                if let Some(State::Running { books, .. }) = self.runs.get_mut(index).map(|run| &mut run.state)
                {
                    books.end(worker, end);
                }
                self.publish(index, now_ns, observers);
                self.finish(index, now_ns, observers);
            }
            Report::Meet { number, target } => self.meetings.push(Meeting { worker, number, target }),
            Report::Exited(usage) => self.exits.push((worker, usage)),
            Report::Broken(message) => self.broken = Some(message),
        }
    }

    /// Start of a phase's first run, once announced.
    fn start_of(&self, phase_index: usize) -> Option<u64> {
        let run = self.runs.iter().find(|run| run.phase_index == phase_index)?;
        matches!(run.state, State::Running { .. } | State::Done(Some(_))).then_some(run.start_ns)
    }

    /// When a run may start, if what it waits for is done.
    fn not_before(&self, index: usize) -> Option<u64> {
        let run = &self.runs[index];
        if run.repeat_index > 0 {
            let before = &self.runs[index - 1];
            return matches!(before.state, State::Done(_)).then_some(before.drained_ns);
        }
        match self.plan.phases[run.phase_index].start {
            PhaseStart::After(None, delay_ns) => {
                Some(self.run_start_ns.unwrap_or(0).saturating_add(delay_ns))
            }
            PhaseStart::After(Some(other), delay_ns) => {
                let mut others = self.runs.iter().filter(|run| run.phase_index == other);
                let is_done = others.clone().all(|run| matches!(run.state, State::Done(_)));
                let drained_ns = others.by_ref().map(|run| run.drained_ns).max().unwrap_or(0);
                is_done.then(|| drained_ns.saturating_add(delay_ns))
            }
            PhaseStart::With(..) => None,
        }
    }

    fn prepare(&mut self, index: usize, not_before_ns: u64) {
        let phase_index = self.runs[index].phase_index;
        self.runs[index].state = State::Preparing { not_before_ns };
        self.preparing = Some((index, 0));
        for worker in 0..self.worker_count {
            let load = self.load_of(index, worker);
            self.outbox
                .push((worker, Command::Prepare { scenario: self.plan.phases[phase_index].scenario, load }));
        }
    }

    fn start(&mut self, index: usize, now_ns: u64, not_before_ns: u64, observers: Observers<'_, '_>) {
        let phase = &self.plan.phases[self.runs[index].phase_index];
        let start_ns = not_before_ns.max(now_ns.saturating_add(LEAD_NS));
        // A first phase that starts late starts late in the record too.
        let delay_ns = match phase.start {
            PhaseStart::After(None, delay_ns) => delay_ns,
            PhaseStart::After(Some(_), _) | PhaseStart::With(..) => 0,
        };
        self.run_start_ns.get_or_insert(start_ns.saturating_sub(delay_ns));
        let duration_ns = duration_of(phase).unwrap_or(u64::MAX);
        for worker in 0..self.worker_count {
            let order = PhaseOrder {
                phase_run: index,
                scenario: phase.scenario,
                load: self.load_of(index, worker),
                slice: part_of(&phase.load, worker, self.worker_count).unwrap_or(Slice::WHOLE),
                start_ns,
                duration_ns,
                drain_limit_ns: phase.drain_limit_ns,
            };
            self.outbox.push((worker, Command::Start(Box::new(order))));
        }
        let books = Box::new(Books::new(
            self.worker_count,
            &self.shapes[phase.scenario],
            start_ns,
            self.plan.interval_ns,
        ));
        let curve = match self.load_of(index, 0) {
            WorkerLoad::Open { profile, .. } => Some(Box::new(FireTimes::new(&profile, Slice::WHOLE))),
            WorkerLoad::Closed { .. } | WorkerLoad::Once { .. } | WorkerLoad::Ramping { .. } => None,
        };
        let repeat = (self.runs[index].repeat_index, phase.repeat_count);
        observers.iter_mut().for_each(|observer| observer.phase_started(&phase.name, repeat));
        self.runs[index].start_ns = start_ns;
        self.runs[index].state = State::Running { books, curve };
    }

    /// Tells of all intervals that are whole, and ends the run when an objective with `abort` is lost.
    fn publish(&mut self, index: usize, now_ns: u64, observers: Observers<'_, '_>) {
        let run_start_ns = self.run_start_ns.unwrap_or(0);
        let mut lost = None;
        let Some(run) = self.runs.get_mut(index) else { return };
        let phase = &self.plan.phases[run.phase_index];
        let State::Running { books, curve } = &mut run.state else { return };
        while let Some(interval) = books.next_whole(run_start_ns, &self.shapes[phase.scenario]) {
            let elapsed_ns =
                (interval.start_ns + interval.duration_ns).saturating_sub(run.start_ns - run_start_ns);
            let progress = Progress {
                phase: &phase.name,
                is_warmup: phase.kind == plan::PhaseKind::Warmup,
                repeat: (run.repeat_index, phase.repeat_count),
                elapsed_ns,
                duration_ns: duration_of(phase),
                offered_per_sec: curve
                    .as_ref()
                    .map(|curve| curve.rate_per_sec_at(elapsed_ns.saturating_sub(interval.duration_ns / 2))),
                interval: &interval,
            };
            observers.iter_mut().for_each(|observer| observer.interval_ended(&progress));
            if self.plan.slos.iter().any(|slo| slo.abort)
                && phase.kind == plan::PhaseKind::Measure
                && lost.is_none()
            {
                let frame = frame_of(phase, run.repeat_index, &self.shapes, run_start_ns);
                let so_far = books.record(&frame, now_ns, Vec::new());
                lost = objectives::lost(&self.plan.slos, &so_far, books.records.len());
            }
        }
        if let Some(why) = lost
            && self.aborted.is_none()
        {
            self.interrupt(&why, false);
        }
    }

    /// Closes a run's books when all workers are through.
    fn finish(&mut self, index: usize, now_ns: u64, observers: Observers<'_, '_>) {
        let run_start_ns = self.run_start_ns.unwrap_or(0);
        let Some(run) = self.runs.get_mut(index) else { return };
        let State::Running { books, .. } = &mut run.state else { return };
        if !books.is_complete() {
            return;
        }
        let phase = &self.plan.phases[run.phase_index];
        let intervals = std::mem::take(&mut books.records);
        let frame = frame_of(phase, run.repeat_index, &self.shapes, run_start_ns);
        let record = books.record(&frame, now_ns, intervals);
        run.drained_ns = books.ends.iter().map(|end| end.drained_ns).max().unwrap_or(now_ns);
        // A phase that was stopped before its start never was.
        let has_been = record.duration_ns > 0 || record.counts.due > 0;
        if has_been {
            observers.iter_mut().for_each(|observer| observer.phase_ended(&record));
        }
        run.state = State::Done(has_been.then(|| Box::new(record)));
    }

    /// One worker's share of a run's load.
    fn load_of(&self, index: usize, worker: usize) -> WorkerLoad {
        let phase = &self.plan.phases[self.runs[index].phase_index];
        // With fewer places in flight than workers, some workers have none and sit the phase out.
        let Some(part) = part_of(&phase.load, worker, self.worker_count) else {
            return WorkerLoad::Closed { users: 0, in_flight_max: None, count_max: None };
        };
        let share = |total: u32| part.share(u64::from(total)) as u32;
        match &phase.load {
            Load::Closed { users, in_flight_max } => WorkerLoad::Closed {
                users: share(*users),
                in_flight_max: in_flight_max.map(share),
                count_max: phase.action_count_max.map(|total| part.share(total)),
            },
            Load::Once { users, in_flight_max } => {
                WorkerLoad::Once { users: share(*users), in_flight_max: in_flight_max.map(share) }
            }
            Load::Ramping { users_from, stages, ramp_down_limit_ns } => {
                let own = |step: UserStep| UserStep { users: share(step.users), ..step };
                let mut steps: Vec<UserStep> =
                    schedule::user_steps(*users_from, stages).into_iter().map(own).collect();
                steps.dedup_by_key(|step| step.users);
                WorkerLoad::Ramping {
                    steps,
                    count_max: phase.action_count_max.map(|total| part.share(total)),
                    ramp_down_limit_ns: *ramp_down_limit_ns,
                }
            }
            Load::Open { stages, arrivals, on_saturation, users_max, users } => WorkerLoad::Open {
                profile: Profile {
                    stages: stages.clone(),
                    arrivals: *arrivals,
                    end_ns: duration_of(phase).unwrap_or(u64::MAX),
                    count_max: phase.action_count_max.unwrap_or(u64::MAX),
                    seed: Random::stream(self.plan.seed, PHASE_STREAM + index as u64).bits(),
                },
                on_saturation: *on_saturation,
                users_max: share(*users_max),
                users: users.map(share),
            },
        }
    }
}

/// How many actions a load lets be in flight at once at most.
pub(crate) fn place_count(load: &Load) -> u32 {
    match load {
        Load::Closed { users, in_flight_max } | Load::Once { users, in_flight_max } => {
            in_flight_max.map_or(*users, |max| max.min(*users))
        }
        Load::Ramping { users_from, stages, .. } => {
            stages.iter().map(|stage| stage.users_to).fold(*users_from, u32::max)
        }
        Load::Open { users_max, users, .. } => users.map_or(*users_max, |users| users.min(*users_max)),
    }
}

/// A worker's part in a load among the workers that have one; `None`: there are fewer places in flight than workers, and it has none.
fn part_of(load: &Load, worker: usize, worker_count: usize) -> Option<Slice> {
    let count = worker_count.min(place_count(load).max(1) as usize);
    (worker < count).then_some(Slice { index: worker as u64, count: count as u64 })
}

/// Per scenario: by which slice a worker deals out numbers of users and rows of feeds. Where all phases of a scenario have the same
/// workers, those share them without gaps; where they differ, a worker's numbers are its own in all of them.
pub(crate) fn user_slices(plan: &Plan, worker: usize, worker_count: usize) -> Vec<Slice> {
    let whole = Slice { index: worker as u64, count: worker_count as u64 };
    let slice = |scenario: usize| {
        let phases = plan.phases.iter().filter(|phase| phase.scenario == scenario);
        let mut parts = phases.map(|phase| part_of(&phase.load, worker, worker_count));
        let first = parts.next().flatten();
        if parts.all(|part| part == first) { first.unwrap_or(whole) } else { whole }
    };
    (0..plan.scenarios.len()).map(slice).collect()
}

/// How long a phase's load lasts, where that is known.
fn duration_of(phase: &Phase) -> Option<u64> {
    phase.duration_ns.or_else(|| match &phase.load {
        Load::Open { stages, .. } => {
            let sum_ns = phase.load.stages_ns();
            // A last stage without a length goes on until the count is reached.
            let goes_on =
                phase.action_count_max.is_some() && stages.last().is_some_and(|stage| stage.duration_ns == 0);
            (sum_ns > 0 && !goes_on).then_some(sum_ns)
        }
        Load::Ramping { .. } => Some(phase.load.stages_ns()).filter(|sum_ns| *sum_ns > 0),
        Load::Closed { .. } | Load::Once { .. } => None,
    })
}

fn frame_of<'a>(phase: &'a Phase, repeat_index: u32, shapes: &'a [Shape], run_start_ns: u64) -> Frame<'a> {
    Frame {
        name: &phase.name,
        kind: match phase.kind {
            plan::PhaseKind::Warmup => PhaseKind::Warmup,
            plan::PhaseKind::Measure => PhaseKind::Measure,
        },
        load_model: match phase.load {
            Load::Open { .. } => LoadModel::Open,
            Load::Closed { .. } | Load::Once { .. } | Load::Ramping { .. } => LoadModel::Closed,
        },
        repeat_index,
        shape: &shapes[phase.scenario],
        run_start_ns,
    }
}
