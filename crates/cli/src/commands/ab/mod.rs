//! `weir ab`: slices of load on two targets that take turns, and what may be concluded.

mod progress;
mod record;
mod server;
mod sides;

use crate::args::{AbArgs, KeepArgs};
use crate::commands::compare::{metrics, share, verdict_exit, write_as};
use crate::exit::{self, Exit, Failure};
use crate::keeping::Keeping;
use crate::outputs;
use crate::quick::flag_fault;
use crate::signals::SignalWatch;
use crate::talk::Talk;
use ::record::{RunObserver, RunRecord, VerdictState};
use ::report::OutputFile;
use compare::{
    BlockRow, InterleavedStory, NotCarried, PairedAnalysis, PairedPlan, PairedSide, Settings, Stop,
    block_order, block_rows,
};
use plan::{Diagnostic, Load, PhaseKind};
use progress::ProgressLine;
use record::{AbRecord, Slice};
use runner::{RunControl, RunOptions};
use server::Servers;
use sides::Sides;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::mpsc;

/// Pairs where nobody says: enough for 5 % on a quiet machine (docs/compare.md).
const PAIRS_DEFAULT: u64 = 20;
/// Most pairs of --until-certain where nobody says.
const PAIRS_MAX_DEFAULT: u64 = 60;

pub(crate) fn run(args: &AbArgs, talk: &Talk) -> Result<Exit, Failure> {
    let (settings, plan) = (settings(args)?, plan_of(args)?);
    let sides = Sides::of(args, talk)?;
    let output = args.json.as_deref().map(outputs::open).transpose()?;
    let (control, (tell, told)) = (RunControl::new(), mpsc::channel());
    let (stop, talk_too) = (control.clone(), *talk);
    let watch = SignalWatch::start(move |number| {
        talk_too.say(if number == 1 {
            "\nstopping after this slice's requests; what is there is analysed"
        } else {
            "\nstopping now"
        });
        // Nobody waits for a server just now: then the control alone stops the slice.
        let _ = tell.send(());
        stop.stop();
    })?;
    let servers = Servers::of(args, &sides, told)?;
    let line = ProgressLine::new(!args.quiet, talk.stderr_color);
    let analysis = PairedAnalysis::new(settings, &plan);
    let mut story = Story {
        args,
        talk,
        sides,
        plan,
        analysis,
        servers,
        line,
        control,
        watch,
        slices: Vec::new(),
        not_carried: Vec::new(),
        id: String::new(),
    };
    let outcome = story.play();
    story.line.clear();
    story.servers.stop_all();
    story.end(outcome, output)
}

/// All that a comparison under way consists of.
struct Story<'a> {
    args: &'a AbArgs,
    talk: &'a Talk,
    sides: Sides,
    plan: PairedPlan,
    analysis: PairedAnalysis,
    servers: Servers,
    line: ProgressLine,
    control: RunControl,
    watch: SignalWatch,
    slices: Vec<Slice>,
    not_carried: Vec<NotCarried>,
    /// The first slice's run: names the whole.
    id: String,
}

impl Story<'_> {
    /// Slice by slice, until the plan, the certainty or the user ends it.
    fn play(&mut self) -> Result<(), Failure> {
        while self.analysis.block_count() < self.plan.blocks_max && self.watch.count() == 0 {
            let block = self.analysis.block_count();
            let first = self.slices.len();
            for (place, side) in block_order(self.args.seed, block).into_iter().enumerate() {
                let pair = 2 * block + place as u64 / 2;
                self.line.show(pair + 1, 2 * self.plan.blocks_max, side, &self.analysis);
                let Some(record) = self.slice(side, pair)? else { return Ok(()) };
                self.slices.push(Slice { pair, side, record });
            }
            let rows = self.rows_of(first);
            self.analysis.add_block(rows);
            if self.plan.stop == Stop::WhenCertain && self.analysis.is_certain() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// One slice's record; `None`: the user ended it.
    fn slice(&mut self, side: PairedSide, pair: u64) -> Result<Option<RunRecord>, Failure> {
        if !self.servers.ensure(side)? {
            return Ok(None);
        }
        let mut plan = self.sides.plan(side).clone();
        // Both slices of a pair send the same requests at the same due times.
        plan.seed = plan.seed.wrapping_add(self.args.seed).wrapping_add(pair);
        let labels =
            [("ab", self.id.clone()), ("side", side.as_str().to_owned()), ("pair", (pair + 1).to_string())];
        let mut labels: std::collections::BTreeMap<String, String> =
            labels.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        labels.extend(self.args.labels.iter().cloned());
        let options = RunOptions {
            worker_count: self.args.threads.map(usize::from),
            driver: self.args.driver.into(),
            name: None,
            origin: "ab".to_owned(),
            labels,
            control: self.control.clone(),
        };
        let mut keeping = if self.args.keep {
            Keeping::begin(&self.keep_args(), Path::new(""), &self.control, self.talk)?
        } else {
            Keeping::none(self.talk)
        };
        let mut observers: Vec<&mut dyn RunObserver> = keeping.observer().into_iter().collect();
        let record = runner::execute(plan, options, &mut observers)?;
        drop(observers);
        keeping.finish(&record);
        if self.id.is_empty() {
            self.id.clone_from(&record.run_id);
        }
        self.servers.slice_ended(side)?;
        Ok((self.watch.count() == 0).then_some(record))
    }

    /// Where slices are kept.
    fn keep_args(&self) -> KeepArgs {
        KeepArgs { store: self.args.store.clone(), ..KeepArgs::default() }
    }

    fn rows_of(&mut self, first: usize) -> Vec<BlockRow> {
        let of = |wanted: PairedSide| -> Vec<&RunRecord> {
            let block = self.slices.iter().skip(first);
            block.filter(|slice| slice.side == wanted).map(|slice| &slice.record).collect()
        };
        let (rows, lacking) = block_rows(&of(PairedSide::A), &of(PairedSide::B), self.analysis.settings());
        for one in lacking {
            if !self.not_carried.iter().any(|known| (&known.place, known.metric) == (&one.place, one.metric))
            {
                self.not_carried.push(one);
            }
        }
        rows
    }

    /// Says and writes what came of it, also when it ended before its time.
    fn end(self, outcome: Result<(), Failure>, output: Option<OutputFile>) -> Result<Exit, Failure> {
        if self.analysis.block_count() == 0 {
            outcome?;
            let message = "ended before the first block of two pairs was whole: there is nothing to analyse";
            return Err(Failure {
                exit: Exit::Aborted,
                messages: vec![Diagnostic::error(message).to_string()],
            });
        }
        let is_interrupted = self.watch.count() > 0;
        let invalid = |wanted: PairedSide| {
            let of_side = self.slices.iter().filter(|slice| slice.side == wanted);
            of_side.filter(|slice| slice.record.verdict.state == VerdictState::Invalid).count() as u64
        };
        let is_closed = self
            .sides
            .plan(PairedSide::A)
            .phases
            .iter()
            .any(|phase| phase.kind == PhaseKind::Measure && !matches!(phase.load, Load::Open { .. }));
        let comparison = self.analysis.comparison(InterleavedStory {
            names: self.sides.names(),
            seed: self.args.seed,
            is_same_target: self.args.aa,
            is_relaunched: self.servers.is_relaunching(),
            invalid_slice_counts: (invalid(PairedSide::A), invalid(PairedSide::B)),
            invalid_reason: reason_of(&self.slices),
            is_interrupted: is_interrupted || outcome.is_err(),
            is_closed,
            not_carried: self.not_carried,
        });
        let mut bytes = Vec::new();
        let (color, width) = (self.talk.stdout_color, self.talk.width);
        let written = write_as(&comparison, self.args.format, color, width, &mut bytes);
        let written = written.and_then(|()| io::stdout().lock().write_all(&bytes));
        let exit = verdict_exit(&comparison, self.args.fail_on);
        if let Some(output) = output {
            let whole = AbRecord::new(self.id, self.args.seed, comparison, self.slices);
            outputs::write(output, |out| whole.write(out))?;
        }
        exit::of_stdout(written)?;
        outcome?;
        Ok(if is_interrupted { Exit::Aborted } else { exit })
    }
}

/// Why the first invalid slice is.
fn reason_of(slices: &[Slice]) -> Option<String> {
    let mut verdicts = slices.iter().map(|slice| &slice.record.verdict);
    let first = verdicts.find(|verdict| verdict.state == VerdictState::Invalid)?;
    first.reasons.first().map(|reason| reason.message.clone())
}

fn settings(args: &AbArgs) -> Result<Settings, Failure> {
    let mut faults = Vec::new();
    let mut settings = Settings::of_pairs();
    settings.force = args.force;
    settings.seed = args.seed;
    settings.margin_ratio = share("--margin", &args.margin, &mut faults).unwrap_or(settings.margin_ratio);
    settings.metrics = metrics(&args.metrics, settings.metrics, &mut faults);
    if faults.is_empty() { Ok(settings) } else { Err(faults.into()) }
}

fn plan_of(args: &AbArgs) -> Result<PairedPlan, Failure> {
    let (stop, default) = if args.until_certain {
        (Stop::WhenCertain, PAIRS_MAX_DEFAULT)
    } else {
        (Stop::AtEnd, PAIRS_DEFAULT)
    };
    let pairs = args.pairs.unwrap_or(default);
    if !pairs.is_multiple_of(2) {
        let message = format!("two pairs make a block ABBA; use an even number, such as {}", pairs + 1);
        return Err(Failure::usage(&flag_fault(&format!("--pairs {pairs}"), &message)));
    }
    Ok(PairedPlan { blocks_max: pairs / 2, stop })
}
