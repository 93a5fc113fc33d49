//! What a person reads in ten seconds: whether to believe it, then each measured phase, then what was promised, then what it cost.
//!
//! Columns line up, a quantile that the samples don't carry is a dash, and colour only repeats what words say.

mod phase;
mod shape;
mod style;
mod table;

pub use style::Color;
pub(crate) use style::Role;
pub(crate) use table::{cut, width, wrapped};

use crate::{Format, date, facts};
use phase::Shape;
use record::{PhaseRecord, RunRecord, SloRecord, VerdictState};
use std::io;
use table::Table;

/// Lines wider than this are hard to read, however wide the terminal.
const WIDTH_MAX: usize = 100;
/// Narrower than this tables would break; the terminal may wrap.
const WIDTH_MIN: usize = 60;

/// So many phase runs and objectives are shown, and so many phase runs in full; the record has all.
const ROWS_MAX: usize = 100;
const BLOCKS_MAX: usize = 20;

/// Text for a terminal or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Whether to colour.
    pub color: Color,
    /// Columns of the terminal; held to 60..=100.
    pub width: usize,
}

/// Where lines go and what they have in common.
struct Page<'a> {
    out: &'a mut dyn io::Write,
    color: Color,
    width: usize,
    /// A dash stands for a quantile somewhere above, so that a foot-note has to explain it.
    has_null_quantile: bool,
    /// The last line was blank; several blank ones in a row become one.
    is_blank: bool,
}

impl Format for Text {
    fn write(&self, record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
        let mut page = Page {
            out,
            color: self.color,
            width: self.width.clamp(WIDTH_MIN, WIDTH_MAX),
            has_null_quantile: false,
            is_blank: true,
        };
        title(&mut page, record)?;
        reasons(&mut page, record, |state| state > VerdictState::Valid)?;
        let phases = facts::measured(record);
        if phases.len() > 1 {
            overview(&mut page, &phases)?;
        }
        for phase in phases.iter().take(BLOCKS_MAX) {
            let mut heading = page.color.paint(Role::Title, &facts::phase_title(phase));
            heading.push_str(&format!(
                "  {} for {}",
                facts::load_words(record, phase),
                units::duration(phase.duration_ns)
            ));
            page.line(&heading)?;
            let shape = if phases.len() == 1 { Shape::Draw } else { Shape::DrawWhereTheyPart };
            phase::write(&mut page, phase, shape)?;
            page.blank()?;
        }
        objectives(&mut page, record, phases.len())?;
        client(&mut page, record)?;
        warm_ups(&mut page, record)?;
        reasons(&mut page, record, |state| state == VerdictState::Valid)?;
        foot_note(&mut page)
    }
}

impl Page<'_> {
    fn line(&mut self, text: &str) -> io::Result<()> {
        self.is_blank = false;
        writeln!(self.out, "{text}")
    }

    fn blank(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.is_blank, true) { Ok(()) } else { writeln!(self.out) }
    }

    fn table(&mut self, table: &Table) -> io::Result<()> {
        for line in table.lines(self.color) {
            self.line(&line)?;
        }
        Ok(())
    }

    /// A label and what stands beside it, in as many lines as it needs.
    fn item(&mut self, label: &str, text: &str) -> io::Result<()> {
        for line in wrapped(&self.labelled(label), text, self.width) {
            self.line(&line)?;
        }
        Ok(())
    }

    /// A label and what stands beside it, whose blanks mean something.
    fn picture(&mut self, label: &str, text: &str) -> io::Result<()> {
        let line = format!("{}{text}", self.labelled(label));
        self.line(line.trim_end())
    }

    fn labelled(&self, label: &str) -> String {
        format!("  {}  ", self.color.paint(Role::Aside, &format!("{label:<11}")))
    }

    fn left_out(&mut self, count: usize, shown: usize) -> io::Result<()> {
        if count > shown { self.item("", &format!("… and {} more", count - shown)) } else { Ok(()) }
    }

    fn good(&self) -> String {
        self.color.paint(Role::Good, "✓")
    }

    fn bad(&self) -> String {
        self.color.paint(Role::Bad, "✗")
    }
}

fn title(page: &mut Page<'_>, record: &RunRecord) -> io::Result<()> {
    let name = page.color.paint(Role::Title, &units::legible(&record.name));
    let verdict = match record.verdict.state {
        VerdictState::Valid => page.color.paint(Role::Good, "✓ valid"),
        VerdictState::Suspect => page.color.paint(Role::Doubtful, "! suspect"),
        VerdictState::Invalid => page.color.paint(Role::Bad, "✗ invalid"),
    };
    page.line(&format!("{name}  {verdict}"))?;
    page.blank()
}

/// The verdict's reasons of some states, each with its mend.
fn reasons(page: &mut Page<'_>, record: &RunRecord, wanted: impl Fn(VerdictState) -> bool) -> io::Result<()> {
    let reasons: Vec<_> = record.verdict.reasons.iter().filter(|reason| wanted(reason.state)).collect();
    for reason in &reasons {
        let role = match reason.state {
            VerdictState::Valid => Role::Aside,
            VerdictState::Suspect => Role::Doubtful,
            VerdictState::Invalid => Role::Bad,
        };
        let label = format!("{:<11}", facts::reason_label(reason.state));
        let first = format!("  {}  ", page.color.paint(role, &label));
        let mut lines = wrapped(&first, &units::legible(&reason.message), page.width);
        lines.extend(wrapped(&format!("{:13}  → ", ""), &units::legible(&reason.hint), page.width));
        for line in lines {
            page.line(&line)?;
        }
    }
    if reasons.is_empty() { Ok(()) } else { page.blank() }
}

/// Several phases at a glance, before each in full.
fn overview(page: &mut Page<'_>, phases: &[&PhaseRecord]) -> io::Result<()> {
    let head = ["phase", "asked", "achieved", "failed", "response p50", "p99", "max"];
    let mut table = Table::new(&head, (11, 24), 8);
    for phase in phases.iter().take(ROWS_MAX) {
        let rate = |per_sec: f64| (format!("{}/s", units::per_sec(per_sec)), None);
        let dash = || ("–".to_owned(), Some(Role::Aside));
        let failed = phase.counts.failed;
        let of = &phase.response_ns;
        let time = |ns: Option<u64>| ns.map_or_else(dash, |ns| (units::duration(ns), None));
        page.has_null_quantile |= of.count > 0 && (of.p50.is_none() || of.p99.is_none());
        table.row(vec![
            (facts::phase_title(phase), None),
            phase.offered_per_sec.map_or_else(dash, rate),
            rate(phase.achieved_per_sec),
            (units::count(failed), (failed > 0).then_some(Role::Bad)),
            time(of.p50),
            time(of.p99),
            time(of.max),
        ]);
    }
    page.table(&table)?;
    page.left_out(phases.len(), ROWS_MAX)?;
    page.blank()
}

fn objectives(page: &mut Page<'_>, record: &RunRecord, phase_count: usize) -> io::Result<()> {
    if record.slos.is_empty() {
        return Ok(());
    }
    page.line(&page.color.paint(Role::Title, "objectives"))?;
    let names_phase =
        |slo: &SloRecord| phase_count > 1 && !slo.phase.is_empty() && !slo.expression.contains(" in phase ");
    let rows: Vec<[String; 3]> = record
        .slos
        .iter()
        .take(ROWS_MAX)
        .map(|slo| {
            let phase = if names_phase(slo) { units::legible(&slo.phase) } else { String::new() };
            [units::legible(&slo.expression), phase, units::legible(&slo.observed_text)]
        })
        .collect();
    let widest = |column: usize| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0);
    let (expression_width, phase_width) = (widest(0), widest(1));
    for (slo, [expression, phase, observed]) in record.slos.iter().zip(&rows) {
        let mark = if slo.ok { page.good() } else { page.bad() };
        let mut first = format!("  {mark} {expression:<expression_width$}  ");
        if phase_width > 0 {
            first.push_str(&format!("{phase:<phase_width$}  "));
        }
        for line in wrapped(&first, observed, page.width) {
            page.line(&line)?;
        }
    }
    page.left_out(record.slos.len(), ROWS_MAX)?;
    page.blank()
}

/// What the generator needed, where that was measured: another tool's result and a run without an end do not tell.
fn client(page: &mut Page<'_>, record: &RunRecord) -> io::Result<()> {
    let worker_count = record.client.workers.len();
    if worker_count > 0 {
        let cost = facts::client_cost(record);
        let mut words = Vec::new();
        if let Some(ns) = cost.cpu_ns_per_request {
            words.push(format!("{} CPU per request", units::duration(ns)));
        }
        words.push(format!("busiest worker {} busy", units::ratio(cost.busy_ratio_max)));
        words.push(units::size(record.client.rss_bytes_max));
        page.item("client", &words.join(", "))?;
    }
    let mut run = vec![
        units::legible(&record.run_id),
        date::utc(record.started_unix_ns),
        units::duration(record.duration_ns),
    ];
    if worker_count > 0 {
        run.push(format!("{} × {worker_count}", units::legible(&record.environment.driver)));
    }
    page.item("run", &run.join(", "))
}

fn warm_ups(page: &mut Page<'_>, record: &RunRecord) -> io::Result<()> {
    let phases = facts::warm_ups(record);
    if phases.is_empty() {
        return Ok(());
    }
    let words: Vec<String> = phases
        .iter()
        .map(|phase| {
            let failed = match phase.counts.failed {
                0 => String::new(),
                failed => format!(", {} failed", units::count(failed)),
            };
            format!(
                "{} ({}, {} completed{failed})",
                facts::phase_title(phase),
                units::duration(phase.duration_ns),
                units::count(phase.counts.completed)
            )
        })
        .collect();
    page.item("left out", &words.join("; "))
}

fn foot_note(page: &mut Page<'_>) -> io::Result<()> {
    if !page.has_null_quantile {
        return Ok(());
    }
    page.blank()?;
    let text = format!("–  too few samples: fewer than {} lie beyond it", stats::SAMPLES_BEYOND_MIN);
    let text = page.color.paint(Role::Aside, &text);
    page.line(&format!("  {text}"))
}
