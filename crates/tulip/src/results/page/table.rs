//! The table: a group per benchmark below heads of its own, iterations and actions sorted apart, the total at its foot.

use super::plot;
use crate::date;
use crate::results::cells::{self, Cell, NEWEST_HEADS, NEWEST_SHOWN, RESPONSE_HEADS, SEED_HEADS};
use crate::results::figures::{Figures, Group, Results, label};
use crate::results::json::{Form, task_count};
use std::fmt::Write as _;
use units::markup;

/// What the heads of Weir's own columns say when pointed at.
const OWN_MEANING: &str = "Weir's own: response time, from the moment an action was due";

/// The columns of a form, and where in them things stand.
struct Columns {
    form: Form,
    heads: Vec<&'static str>,
    /// The column of run ids.
    id: usize,
    /// The first that only shows on demand, and the first of Weir's own.
    extra: usize,
    own: usize,
}

impl Columns {
    fn of(form: Form, results: &Results<'_>) -> Self {
        let (tulips, id, extra): (&[&str], usize, usize) = match form {
            Form::Seed => (&SEED_HEADS, 2, SEED_HEADS.len()),
            Form::Newest => (&NEWEST_HEADS, 1, NEWEST_SHOWN),
        };
        let own = tulips.len();
        let mut heads = tulips.to_vec();
        if results.facts.imported.is_empty() {
            heads.extend(RESPONSE_HEADS);
        }
        Self { form, heads, id, extra, own }
    }

    fn class(&self, column: usize) -> &'static str {
        match column {
            column if column == self.own => "own first-own n",
            column if column > self.own => "own n",
            column if column >= self.extra => "extra n",
            column if column == self.id => "id",
            column if column < self.id => "name",
            _ => "n",
        }
    }
}

/// Writes the button, the table, all of it.
pub(super) fn write(results: &Results<'_>, form: Form, out: &mut String) {
    let columns = Columns::of(form, results);
    if form == Form::Newest {
        out.push_str(
            "<div class=\"bar\"><button id=\"more\" type=\"button\" aria-controls=\"dataTable\" aria-expanded=\"true\">Hide Detailed Columns</button></div>\n",
        );
    }
    out.push_str("<div class=\"scroll\" role=\"region\" aria-label=\"Results\" tabindex=\"0\">\n<table id=\"dataTable\" class=\"expanded\">\n");
    for (index, group) in results.groups().enumerate() {
        heads(&columns, index, out);
        body(&columns, &group, index, out);
    }
    out.push_str("</table>\n</div>\n");
}

fn heads(columns: &Columns, group_index: usize, out: &mut String) {
    out.push_str("<tbody class=\"heads\">\n");
    if group_index > 0 {
        let _ = writeln!(out, "<tr class=\"gap\"><td colspan=\"{}\"></td></tr>", columns.heads.len());
    }
    out.push_str("<tr>");
    for (column, head) in columns.heads.iter().enumerate() {
        let class = columns.class(column);
        let title = if column >= columns.own {
            format!(" title=\"{}\"", markup::html(OWN_MEANING))
        } else {
            String::new()
        };
        let text = match column {
            column if column < columns.own => (*head).to_owned(),
            // Waits are not response times.
            _ if head.ends_with("WT") => format!("own {head}"),
            _ => format!("resp. {head}"),
        };
        if column < columns.id {
            let _ = write!(out, "<th class=\"{class}\">{text}</th>");
        } else {
            let _ = write!(
                out,
                "<th class=\"{class}\" aria-sort=\"none\"{title}><button type=\"button\">{text}</button></th>"
            );
        }
    }
    out.push_str("</tr>\n</tbody>\n");
}

/// A group's rows.
fn body(columns: &Columns, group: &Group<'_>, group_index: usize, out: &mut String) {
    let name = markup::html(group.benchmark.benchmark.trim());
    let link = format!("<a href=\"#{}\">{name}</a>", plot::group_id(group_index));
    let first = match columns.form {
        Form::Seed => {
            format!("<td class=\"name\">{}</td><td class=\"name\">{link}</td>", group.benchmark.context_index)
        }
        Form::Newest => format!("<td class=\"name\">{link}</td>"),
    };
    let rest: String = (columns.id..columns.heads.len())
        .map(|column| format!("<td class=\"{}\"></td>", columns.class(column)))
        .collect();
    let _ = write!(
        out,
        "<tbody>\n<tr class=\"title\">{first}{rest}</tr>\n</tbody>\n<tbody class=\"sortable\">\n"
    );
    let mut rows = Rows { columns, group, names: names(columns.form, group).into_iter(), number: 0 };
    let duration_ns = group.duration_ns();
    for (index, iteration) in group.iterations.iter().enumerate() {
        let figures = iteration.figures();
        let id = match columns.form {
            Form::Seed => index,
            Form::Newest => index + 1,
        };
        let length_ns = iteration.phase.duration_ns;
        let cells = rows.cells(&figures, cells::seconds_text(length_ns), length_ns, None);
        rows.row("", &Cell::new(id.to_string(), index as f64), None, &cells, out);
    }
    out.push_str("</tbody>\n<tbody class=\"sortable\">\n");
    let length = date::hours(duration_ns);
    for (action_index, (action, figures)) in group.actions().enumerate() {
        let cells = rows.cells(&figures, length.clone(), duration_ns, None);
        let link = plot::action_id(group_index, action_index);
        rows.row("sum", &Cell::new(label(action), f64::from(action.id)), Some(&link), &cells, out);
    }
    out.push_str("</tbody>\n<tbody>\n");
    let cells = rows.cells(&group.total(), length, duration_ns, Some(group.target_per_sec()));
    let summary = match columns.form {
        Form::Seed => Cell::text(""),
        Form::Newest => Cell::text("[Summary]"),
    };
    let link = plot::group_id(group_index);
    rows.row("sum total", &summary, (columns.form == Form::Newest).then_some(&link), &cells, out);
    out.push_str("</tbody>\n");
}

/// What stands in the first column of a group's rows, one text per row.
fn names(form: Form, group: &Group<'_>) -> Vec<String> {
    let facts = group.benchmark;
    match form {
        Form::Seed => vec![format!("(u:{} t:{})", facts.user_count, facts.thread_count)],
        Form::Newest => {
            let tasks = task_count(group.results, &facts.context);
            let users = format!("u:{}, a:{tasks}, t:{}", facts.user_count, facts.thread_count);
            let workflow = facts.workflow.as_ref().map(|name| format!("w:{name}"));
            [Some(users), workflow, Some(format!("c:{}", facts.context_index))]
                .into_iter()
                .flatten()
                .collect()
        }
    }
}

/// The rows of a group as they are written.
struct Rows<'g> {
    columns: &'g Columns,
    group: &'g Group<'g>,
    names: std::vec::IntoIter<String>,
    number: usize,
}

impl Rows<'_> {
    /// The cells behind the run id.
    fn cells(
        &self,
        figures: &Figures,
        length: String,
        length_ns: u64,
        target_per_sec: Option<f64>,
    ) -> Vec<Cell> {
        let results = self.group.results;
        let mut cells = match self.columns.form {
            Form::Seed => {
                let mut cells = vec![Cell::new(length, length_ns as f64)];
                cells.extend(cells::seed_cells(figures, results));
                cells
            }
            Form::Newest => cells::newest_cells(figures, results, length_ns, target_per_sec),
        };
        if results.facts.imported.is_empty() {
            cells.extend(cells::response_cells(figures));
        }
        cells
    }

    fn row(&mut self, class: &str, id: &Cell, link: Option<&String>, cells: &[Cell], out: &mut String) {
        let _ = write!(out, "<tr class=\"{class}\" data-row=\"{}\">", self.number);
        self.number += 1;
        if self.columns.form == Form::Seed {
            out.push_str("<td></td>");
        }
        let _ =
            write!(out, "<td class=\"name\">{}</td>", markup::html(&self.names.next().unwrap_or_default()));
        let text = match link {
            Some(link) => format!("<a href=\"#{link}\">{}</a>", markup::html(&id.text)),
            None => markup::html(&id.text),
        };
        let _ = write!(out, "<td class=\"id\"{}>{text}</td>", value(id));
        for (index, cell) in cells.iter().enumerate() {
            let class = self.columns.class(self.columns.id + 1 + index);
            let text = markup::html(&cell.text);
            let text = if cell.is_marked { format!("<mark>{text}</mark>") } else { text };
            let _ = write!(out, "<td class=\"{class}\"{}>{text}</td>", value(cell));
        }
        out.push_str("</tr>\n");
    }
}

/// The attribute that a cell is sorted by.
fn value(cell: &Cell) -> String {
    cell.sort.map_or(String::new(), |value| format!(" data-v=\"{value}\""))
}
