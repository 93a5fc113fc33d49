//! A comparison in a terminal, in 80 columns.

use super::table::Columns;
use super::words;
use crate::text::{Color, Role, cut, wrapped};
use compare::{Candidate, Comparison, Row, Verdict};
use std::io;

/// Lines wider than this are hard to read; narrower than the second tables would break.
const WIDTH: (usize, usize) = (60, 100);
/// So many rows are shown as changed before the details.
const CHANGED_MAX: usize = 12;
/// So many rows are shown in all; JSON has the rest.
const ROWS_MAX: usize = 400;

struct Page<'a> {
    out: &'a mut dyn io::Write,
    color: Color,
    width: usize,
}

/// Writes the comparison as text for a terminal of `width` columns (held to 60..=100).
///
/// # Errors
/// Those of `out`.
pub fn write_text(
    comparison: &Comparison,
    color: Color,
    width: usize,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut page = Page { out, color, width: width.clamp(WIDTH.0, WIDTH.1) };
    for index in 0..comparison.sides.len() {
        let letter = page.color.paint(Role::Title, &words::letter(index));
        let lines = wrapped(&format!("{letter}  "), &words::side(comparison, index), page.width);
        lines.iter().try_for_each(|line| page.line(line))?;
    }
    let is_forced = comparison.settings.force;
    for objection in &comparison.objections {
        page.item(Role::Bad, if is_forced { "by force" } else { "not judged" }, &objection.message)?;
        page.hint(&objection.hint)?;
    }
    for candidate in &comparison.candidates {
        page.line("")?;
        if comparison.candidates.len() > 1 {
            let title = format!("{} against A", words::letter(candidate.side_index));
            page.line(&page.color.paint(Role::Title, &title))?;
        }
        summary(&mut page, comparison, candidate)?;
        let columns = Columns::of(candidate, page.width);
        what_changed(&mut page, candidate, &columns)?;
        details(&mut page, candidate, &columns)?;
        if comparison.pairs.as_ref().is_some_and(|pairs| pairs.is_same_target) {
            noise_floor(&mut page, comparison, candidate)?;
        }
    }
    foot(&mut page, comparison)
}

impl Page<'_> {
    fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{}", text.trim_end())
    }

    /// A label and what stands beside it, in as many lines as it needs.
    fn item(&mut self, role: Role, label: &str, text: &str) -> io::Result<()> {
        let first = format!("  {}  ", self.color.paint(role, &format!("{label:<11}")));
        wrapped(&first, &units::legible(text), self.width).iter().try_for_each(|line| self.line(line))
    }

    /// What to do about what was just said.
    fn hint(&mut self, text: &str) -> io::Result<()> {
        let first = format!("{:13}  → ", "");
        wrapped(&first, &units::legible(text), self.width).iter().try_for_each(|line| self.line(line))
    }
}

/// Which verdict how often, what is worse first, with names.
fn summary(page: &mut Page<'_>, comparison: &Comparison, candidate: &Candidate) -> io::Result<()> {
    let has_places = words::has_places(candidate);
    let names = |verdict: Verdict| -> Vec<String> {
        let rows = candidate.rows.iter().filter(|row| row.metric.is_of_service() && row.verdict == verdict);
        rows.map(|row| {
            format!("{} {}", words::name_of(row, has_places), words::change(row.metric, row.change))
        })
        .collect()
    };
    let count = candidate.rows.iter().filter(|row| row.metric.is_of_service()).count();
    for (verdict, mark, role) in
        [(Verdict::Slower, "✗ slower", Role::Bad), (Verdict::Faster, "✓ faster", Role::Good)]
    {
        let names = names(verdict);
        if !names.is_empty() {
            let text = format!("{} of {count}: {}", names.len(), words::some_of(names, 4));
            page.item(role, mark, &text)?;
        }
    }
    let same = names(Verdict::Same).len();
    if same > 0 {
        page.item(Role::Good, "= same", &format!("{same} of {count}"))?;
    }
    let undecided = || {
        candidate.rows.iter().filter(|row| row.metric.is_of_service() && row.verdict == Verdict::Undecided)
    };
    if undecided().next().is_some() {
        let is_single = comparison.pairs.is_none()
            && undecided().all(|row| row.within_runs.is_some() || row.interval.is_none());
        let count_text = format!("{} of {count}", undecided().count());
        let text = if is_single {
            format!("{count_text}: one run a side can't decide{}", words::of_these_runs(candidate))
        } else {
            let found = undecided().filter_map(|row| {
                let from = words::change(row.metric, row.found_from?);
                Some(format!("{} {}", words::name_of(row, has_places), from.trim_start_matches('+')))
            });
            let found: Vec<String> = found.collect();
            let text = if found.is_empty() { String::new() } else { words::some_of(found, 4) };
            if text.is_empty() { count_text } else { format!("{count_text}; a change is found from: {text}") }
        };
        page.item(Role::Doubtful, "? undecided", &text)?;
    }
    page.line("")
}

fn what_changed(page: &mut Page<'_>, candidate: &Candidate, columns: &Columns) -> io::Result<()> {
    let rows = words::changed(candidate);
    // A single table that shows all at once needs no extract of itself.
    if rows.is_empty() || candidate.rows.len() <= CHANGED_MAX {
        return Ok(());
    }
    head(page, columns, "what changed")?;
    let mut last = String::new();
    for row in by_place(rows.iter().copied().take(CHANGED_MAX).collect()) {
        if words::has_places(candidate) && words::place(row) != last {
            last = words::place(row);
            page.line(&format!("  {}", page.color.paint(Role::Aside, &cut(&last, page.width - 2))))?;
        }
        page.line(&columns.row(row, page.color))?;
    }
    if rows.len() > CHANGED_MAX {
        page.line(&format!("  … and {} more below", rows.len() - CHANGED_MAX))?;
    }
    page.line("")
}

/// What stands in one place together, the place with the largest change first.
fn by_place(rows: Vec<&Row>) -> Vec<&Row> {
    let mut places: Vec<String> = Vec::new();
    for place in rows.iter().map(|row| words::place(row)) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let mut rows = rows;
    rows.sort_by_key(|row| places.iter().position(|place| *place == words::place(row)));
    rows
}

fn head(page: &mut Page<'_>, columns: &Columns, title: &str) -> io::Result<()> {
    columns.head(title, page.color, page.width).iter().try_for_each(|line| page.line(line))
}

fn details(page: &mut Page<'_>, candidate: &Candidate, columns: &Columns) -> io::Result<()> {
    let mut last = None;
    for row in candidate.rows.iter().take(ROWS_MAX) {
        let place = words::place(row);
        if last.as_ref() != Some(&place) {
            if last.is_some() {
                page.line("")?;
            }
            head(page, columns, &place)?;
            last = Some(place);
        }
        page.line(&columns.row(row, page.color))?;
    }
    if candidate.rows.len() > ROWS_MAX {
        page.line(&format!("  … and {} more rows in the JSON", candidate.rows.len() - ROWS_MAX))?;
    }
    page.line("")
}

/// Of a target against itself: how small a difference this machine shows.
fn noise_floor(page: &mut Page<'_>, comparison: &Comparison, candidate: &Candidate) -> io::Result<()> {
    let pairs = comparison.pairs.as_ref().map_or(0, |pairs| pairs.pair_count);
    let row = |cells: [&str; 4]| {
        let [label, block, found, needed] = cells;
        format!("  {label:<18}  {block:>16}  {found:>16}  {needed:>16}")
    };
    let head = row(["noise floor", "between blocks", &format!("{pairs} pairs find"), "pairs to find 5%"]);
    page.line(&page.color.paint(Role::Aside, &head))?;
    for one in candidate.rows.iter().filter(|row| row.metric.is_relative()) {
        let block =
            one.unit_stdev.map_or("–".to_owned(), |stdev| format!("±{}", words::share(stdev.exp_m1())));
        let found = one.found_from.map_or("–".to_owned(), |from| format!("{} or more", words::share(from)));
        let needed = words::pairs_for(one, comparison, 0.05).map_or("–".to_owned(), units::count);
        page.line(&row([&one.metric.label(), &block, &found, &needed]))?;
    }
    page.line("")
}

/// What it rests on, what differs besides, what to know.
fn foot(page: &mut Page<'_>, comparison: &Comparison) -> io::Result<()> {
    if let Some(candidate) = comparison.candidates.first() {
        for (label, text) in words::grounds(comparison, candidate) {
            page.item(Role::Aside, label, &text)?;
        }
    }
    for candidate in &comparison.candidates {
        let left_out = words::left_out(candidate);
        if !left_out.is_empty() {
            page.item(Role::Aside, "left out", &words::some_of(left_out, 6))?;
        }
    }
    let differing = words::differing(comparison);
    let mut last = "";
    for (kind, text) in &differing {
        page.item(Role::Aside, if *kind == last { "" } else { kind }, text)?;
        last = kind;
    }
    for caution in &comparison.cautions {
        page.item(Role::Doubtful, "note", &caution.message)?;
        page.hint(&caution.hint)?;
    }
    Ok(())
}
