//! The controller: which trial is next, and when it is enough.

use super::answer::{Answer, Confirmation, Limit, Recovery};
use super::threshold::{Estimate, Threshold};
use super::{Bounds, Ledger, OptionFault, Options, Outcome, Trial, TrialKind, TrialResult};

/// First step of the bracket.
const FACTOR_FIRST: f64 = 1.2;
/// Widest step: what is more than this apart is another order of magnitude.
const FACTOR_MAX: f64 = 4.0;
/// The bracket starts so far below the closed maximum: a queue needs room.
const START_SHARE: f64 = 0.85;
/// The first trial of a bracket takes no more than this part of the budget.
const BRACKET_SHARE: u64 = 8;
/// Trials at the lowest rate that must fail before the service is said to.
const MINIMUM_FAILURES: u32 = 3;
/// Trials at the highest rate that must go well.
const MAXIMUM_SUCCESSES: u32 = 2;
/// Full trials before certainty is believed.
const MEASURES_MIN: usize = 6;
/// Times in a row that a trial is made again when the client was disturbed, before that counts as the client's limit.
const CLIENT_RETRIES: u32 = 3;
/// Soaks tried at ever lower rates.
const SOAKS_MAX: u32 = 3;
/// Overload, as a multiple of the answer.
const OVERLOAD: f64 = 1.3;
/// Steps down after an overload, as shares of the answer.
const DOWN: [f64; 4] = [1.0, 0.9, 0.75, 0.5];

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Make this trial and tell.
    Try(Trial),
    /// It is over.
    Done(Box<Answer>),
}

#[derive(Debug, Clone)]
enum Stage {
    Maximum,
    Bracket { rate: f64, factor: f64, low: Option<f64>, high: Option<f64>, at_end_count: u32 },
    Measure,
    Confirm { rate: f64, soak_count: u32 },
    Up,
    Overload,
    Down { step: usize },
    Done,
}

/// A search under way.
#[derive(Debug, Clone)]
pub struct Search {
    options: Options,
    stage: Stage,
    ledger: Ledger,
    threshold: Option<Threshold>,
    spent_ns: u64,
    /// Bad full trials, and those in which the client was the limit.
    bad_count: u32,
    client_count: u32,
    /// Trials in a row in which the client was the limit.
    client_row: u32,
    /// Highest rate that went well in any trial.
    sustained_max: Option<f64>,
    limit: Limit,
    answer_per_sec: f64,
    is_precise: bool,
    confirmation: Confirmation,
    recovery: Option<Recovery>,
    forgot_beginning: bool,
    became_slower: bool,
}

impl Search {
    /// A search that has tried nothing.
    ///
    /// # Errors
    /// All that is wrong with the options.
    pub fn new(options: Options) -> Result<Self, Vec<OptionFault>> {
        let faults = options.faults();
        if !faults.is_empty() {
            return Err(faults);
        }
        let stage = match options.rate_start_per_sec {
            Some(rate) => bracket_from(rate),
            None => Stage::Maximum,
        };
        Ok(Self {
            options,
            stage,
            ledger: Ledger::default(),
            threshold: None,
            spent_ns: 0,
            bad_count: 0,
            client_count: 0,
            client_row: 0,
            sustained_max: None,
            limit: Limit::Unknown,
            answer_per_sec: 0.0,
            is_precise: false,
            confirmation: Confirmation::NotTried,
            recovery: None,
            forgot_beginning: false,
            became_slower: false,
        })
    }

    /// What to do next; the same until [`Search::on_trial`].
    pub fn next(&self) -> Step {
        let options = &self.options;
        let trial = |kind, rate: f64, least_ns, settle_ns| {
            let duration_ns = options.duration_ns(least_ns, rate);
            Step::Try(Trial { kind, rate_per_sec: rate, duration_ns, settle_ns })
        };
        let settle_ns = options.settle_ns;
        match &self.stage {
            Stage::Maximum => Step::Try(Trial {
                kind: TrialKind::Maximum,
                rate_per_sec: 0.0,
                duration_ns: options.maximum_ns,
                settle_ns: 0,
            }),
            Stage::Bracket { rate, .. } => trial(TrialKind::Bracket, *rate, options.short_ns, settle_ns),
            Stage::Measure => trial(TrialKind::Measure, self.measure_per_sec(), options.full_ns, settle_ns),
            Stage::Confirm { rate, .. } => trial(TrialKind::Confirm, *rate, options.confirm_ns, settle_ns),
            Stage::Up => trial(TrialKind::Up, self.answer_per_sec, options.full_ns, settle_ns),
            Stage::Overload => {
                trial(TrialKind::Overload, self.answer_per_sec * OVERLOAD, options.full_ns, settle_ns)
            }
            Stage::Down { step } => {
                let share = DOWN.get(*step).copied().unwrap_or(0.5);
                trial(TrialKind::Down, self.answer_per_sec * share, options.full_ns, 0)
            }
            Stage::Done => Step::Done(Box::new(self.answer())),
        }
    }

    /// What came of the trial that [`Search::next`] gave.
    pub fn on_trial(&mut self, result: &TrialResult) {
        let Step::Try(trial) = self.next() else { return };
        self.spent_ns = self.spent_ns.saturating_add(result.took_ns);
        let is_sustained = result.outcome == Outcome::Sustained;
        if self.tries_again(&trial, result.outcome) {
            return;
        }
        if !matches!(trial.kind, TrialKind::Maximum | TrialKind::Overload | TrialKind::Down) {
            self.ledger.add(&trial, result.outcome, self.options.full_ns);
            if is_sustained {
                self.sustained_max =
                    Some(self.sustained_max.map_or(trial.rate_per_sec, |max| max.max(trial.rate_per_sec)));
            }
        }
        match self.stage.clone() {
            Stage::Maximum => {
                let (low, high) = (self.options.rate_min_per_sec, self.options.rate_max_per_sec);
                let wanted = (result.achieved_per_sec * START_SHARE).max(self.affordable_per_sec());
                self.stage = bracket_from(wanted.clamp(low, high));
            }
            Stage::Bracket { rate, factor, low, high, at_end_count } => {
                self.count(result.outcome);
                self.widen(rate, factor, low, high, at_end_count, is_sustained);
            }
            Stage::Measure => {
                self.count(result.outcome);
                if let Some(threshold) = &mut self.threshold {
                    threshold.add(trial.rate_per_sec, is_sustained);
                }
                self.consider_end();
            }
            Stage::Confirm { rate, soak_count } => self.on_soak(rate, soak_count, result.outcome),
            Stage::Up => {
                self.recovery = Some(Recovery { held_before: is_sustained, sustained_per_sec: None });
                self.stage = Stage::Overload;
            }
            Stage::Overload => self.stage = Stage::Down { step: 0 },
            Stage::Down { step } => {
                if let Some(recovery) = &mut self.recovery
                    && is_sustained
                {
                    recovery.sustained_per_sec = Some(trial.rate_per_sec);
                }
                let is_over = is_sustained || step + 1 >= DOWN.len();
                self.stage = if is_over { Stage::Done } else { Stage::Down { step: step + 1 } };
            }
            Stage::Done => {}
        }
    }

    /// Ends the search with what is known; for a user who has waited long enough.
    pub fn stop(&mut self) {
        if matches!(self.stage, Stage::Maximum | Stage::Bracket { .. } | Stage::Measure) {
            self.settle_answer();
        }
        self.stage = Stage::Done;
    }

    /// Where the bound lies so far.
    pub fn estimate(&self) -> Option<Estimate> {
        self.threshold.as_ref().filter(|threshold| threshold.trial_count() > 0).map(Threshold::estimate)
    }

    /// The bounds so far, by the rules of MLRsearch.
    pub fn bounds(&self) -> Bounds {
        self.ledger.bounds(self.options.exceed_ratio, self.options.full_ns)
    }

    /// The bracket so far: the highest rate that went well and the lowest above it that did not.
    pub fn bracket(&self) -> (Option<f64>, Option<f64>) {
        match &self.stage {
            Stage::Bracket { low, high, .. } => (*low, *high),
            _ => self.estimate().map_or((None, None), |at| (Some(at.low_per_sec), Some(at.high_per_sec))),
        }
    }

    /// The rates tried.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What it took so far, ns.
    pub fn spent_ns(&self) -> u64 {
        self.spent_ns
    }

    /// What is left of the budget, ns.
    pub fn left_ns(&self) -> u64 {
        self.options.budget_ns.saturating_sub(self.spent_ns)
    }

    /// As asked.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether a trial says nothing, because the client was disturbed, and is to be made once more.
    fn tries_again(&mut self, trial: &Trial, outcome: Outcome) -> bool {
        let is_client = outcome == Outcome::ClientLimited;
        self.client_row = if is_client { self.client_row + 1 } else { 0 };
        let matters = matches!(trial.kind, TrialKind::Bracket | TrialKind::Measure | TrialKind::Confirm);
        let cost_ns = self.options.cost_ns(trial.duration_ns);
        if !is_client || !matters || self.client_row > CLIENT_RETRIES || self.left_ns() < cost_ns {
            return false;
        }
        if trial.kind == TrialKind::Measure {
            // It may have been the last that the budget allows.
            self.consider_end();
        }
        true
    }

    /// The lowest rate at which a first trial, long enough for the objectives, takes no more than its share of the budget.
    fn affordable_per_sec(&self) -> f64 {
        let share_ns = (self.left_ns() / BRACKET_SHARE).max(self.options.short_ns);
        self.options.rate_of_length(share_ns)
    }

    fn count(&mut self, outcome: Outcome) {
        // One in which the client was the limit stands for all in a row that were made in its place.
        let weight = self.client_row.max(1);
        self.bad_count += if outcome == Outcome::Sustained { 0 } else { weight };
        self.client_count += if outcome == Outcome::ClientLimited { weight } else { 0 };
    }

    /// Rates are steps of a ladder, so that trials meet again at the same rate: a quarter of the precision apart.
    fn snapped(&self, rate: f64) -> f64 {
        let step = self.options.precision_ratio / 4.0;
        let snapped = ((rate.ln() / step).round() * step).exp();
        snapped.clamp(self.options.rate_min_per_sec, self.options.rate_max_per_sec)
    }

    fn measure_per_sec(&self) -> f64 {
        let wanted = self.threshold.as_ref().map_or(self.options.rate_min_per_sec, Threshold::next_per_sec);
        self.snapped(wanted)
    }

    fn widen(
        &mut self,
        rate: f64,
        factor: f64,
        low: Option<f64>,
        high: Option<f64>,
        at_end_count: u32,
        is_sustained: bool,
    ) {
        let options = self.options;
        // What contradicts an earlier result takes its place: the newer trial has the warmer service.
        let (low, high) = match is_sustained {
            true => (Some(low.map_or(rate, |low| low.max(rate))), high.filter(|high| *high > rate)),
            false => (low.filter(|low| *low < rate), Some(high.map_or(rate, |high| high.min(rate)))),
        };
        if let (Some(low), Some(high)) = (low, high) {
            self.threshold = Some(Threshold::new(low, high, options.exceed_ratio));
            self.stage = Stage::Measure;
            return self.consider_end();
        }
        let (end, wanted, limit) = match is_sustained {
            true => (options.rate_max_per_sec, MAXIMUM_SUCCESSES, Limit::RateMax),
            false => (options.rate_min_per_sec, MINIMUM_FAILURES, Limit::BelowMinimum),
        };
        let is_at_end = rate == end;
        let at_end_count = if is_at_end { at_end_count + 1 } else { 0 };
        if is_at_end && at_end_count >= wanted {
            self.limit = if limit == Limit::BelowMinimum && self.client_count >= wanted {
                Limit::Client
            } else {
                limit
            };
            self.answer_per_sec = if is_sustained { rate } else { 0.0 };
            self.is_precise = true;
            return self.after_measuring();
        }
        let moved = if is_sustained { rate * factor } else { rate / factor };
        let rate = moved.clamp(options.rate_min_per_sec, options.rate_max_per_sec);
        let factor = (factor * factor).min(FACTOR_MAX);
        self.stage = Stage::Bracket { rate, factor, low, high, at_end_count };
        if self.left_ns() < options.cost_ns(options.duration_ns(options.short_ns, rate)) {
            self.settle_answer();
            self.stage = Stage::Done;
        }
    }

    /// Whether the interval is narrow enough, or the budget allows no further trial.
    fn consider_end(&mut self) {
        let options = self.options;
        let soak_ns = match options.confirm_ns {
            0 => 0,
            confirm_ns => options.cost_ns(options.duration_ns(confirm_ns, self.measure_per_sec())),
        };
        let after_ns = if options.hysteresis { 5 * options.cost_ns(options.full_ns) } else { 0 };
        let next_ns = options.cost_ns(options.duration_ns(options.full_ns, self.measure_per_sec()));
        let is_spent = self.left_ns() < soak_ns.saturating_add(after_ns).saturating_add(next_ns);
        let Some(threshold) = &mut self.threshold else { return };
        let is_narrow = |threshold: &Threshold| {
            threshold.trial_count() >= MEASURES_MIN
                && threshold.estimate().width_ratio() <= options.precision_ratio
        };
        if is_narrow(threshold)
            && let Some(since) = threshold.forget_another_beginning()
        {
            self.forgot_beginning = true;
            self.became_slower = since.is_lt();
        }
        if is_spent || is_narrow(threshold) {
            self.settle_answer();
            self.after_measuring();
        }
    }

    /// The answer from what is known.
    fn settle_answer(&mut self) {
        let estimate = self.estimate();
        // Where nearly all that went badly went so by the client's own limits, nothing is known of the service's.
        let is_client = self.bad_count > 0 && 2 * self.client_count > self.bad_count;
        let (low, high) = (self.options.rate_min_per_sec, self.options.rate_max_per_sec);
        (self.answer_per_sec, self.limit) = match (estimate, self.sustained_max) {
            (Some(estimate), _) => (estimate.low_per_sec.clamp(low, high), Limit::Service),
            (None, Some(rate)) => (rate, Limit::Unknown),
            (None, None) if self.bad_count > 0 && !is_client => (0.0, Limit::NoneSustained),
            (None, None) => (0.0, Limit::Unknown),
        };
        self.is_precise =
            estimate.is_some_and(|estimate| estimate.width_ratio() <= self.options.precision_ratio);
        if is_client && estimate.is_some() {
            self.limit = Limit::Client;
        }
    }

    fn after_measuring(&mut self) {
        let is_worth_it = self.answer_per_sec > 0.0 && self.options.confirm_ns > 0;
        self.stage = match is_worth_it {
            true => Stage::Confirm { rate: self.answer_per_sec, soak_count: 1 },
            false => self.stage_after_soak(),
        };
    }

    fn stage_after_soak(&self) -> Stage {
        let is_asked = self.options.hysteresis && self.answer_per_sec > 0.0 && self.limit == Limit::Service;
        if is_asked { Stage::Up } else { Stage::Done }
    }

    fn on_soak(&mut self, rate: f64, soak_count: u32, outcome: Outcome) {
        self.answer_per_sec = rate;
        self.confirmation = match outcome {
            Outcome::Sustained => Confirmation::Held,
            Outcome::NotSustained => Confirmation::Failed,
            Outcome::ClientLimited => Confirmation::ClientLimited,
        };
        let cost_ns = self.options.cost_ns(self.options.duration_ns(self.options.confirm_ns, rate));
        // A soak that fails says that the bound is lower over minutes than over seconds.
        let lower = rate * (1.0 - self.options.precision_ratio);
        let goes_on = outcome == Outcome::NotSustained
            && soak_count < SOAKS_MAX
            && self.left_ns() >= cost_ns
            && lower > self.options.rate_min_per_sec;
        self.stage = match goes_on {
            true => Stage::Confirm { rate: lower, soak_count: soak_count + 1 },
            false => self.stage_after_soak(),
        };
    }

    fn answer(&self) -> Answer {
        Answer {
            rate_per_sec: self.answer_per_sec,
            limit: self.limit,
            estimate: self.estimate(),
            bounds: self.bounds(),
            is_precise: self.is_precise,
            confirmation: self.confirmation,
            recovery: self.recovery,
            forgot_beginning: self.forgot_beginning,
            became_slower: self.became_slower,
            spent_ns: self.spent_ns,
        }
    }
}

fn bracket_from(rate: f64) -> Stage {
    Stage::Bracket { rate, factor: FACTOR_FIRST, low: None, high: None, at_end_count: 0 }
}
