//! `weir report`: runs' records in another form.

use super::search;
use crate::args::{ReportArgs, ReportFormat, TulipDialect};
use crate::exit::{Exit, Failure};
use crate::outputs;
use crate::selected::selected_all;
use crate::talk::Talk;
use ::report::{Color, Format, Html, Json, Junit, Layout, Markdown, Text};
use plan::Diagnostic;
use record::RunRecord;
use std::io;
use std::path::Path;

pub(crate) fn run(args: &ReportArgs, talk: &Talk) -> Result<Exit, Failure> {
    let format = args.format.unwrap_or_else(|| format_of(args.output.as_deref()));
    if let [only] = args.runs.as_slice()
        && search::report::is_search(Path::new(only))
    {
        let to = args.output.as_deref().unwrap_or(Path::new("-"));
        return search::report::write(Path::new(only), format, to);
    }
    let records = read(args)?;
    let single = match (format, records.as_slice()) {
        (ReportFormat::Html, _) => None,
        (_, [record]) => Some(record),
        (_, records) => return Err(too_many(records.len())),
    };
    let to = args.output.as_deref().unwrap_or(Path::new("-"));
    let output = outputs::open(to)?;
    let color = if output.is_stdout() { talk.stdout_color } else { Color::Never };
    match single {
        None => outputs::write(output, |out| Html.write_all(&records, out)),
        Some(record) => {
            let form = form(format, record, args, Text { color, width: talk.width })?;
            outputs::write(output, |out| form.write(record, out))
        }
    }
}

/// All runs that were named; all that can't be read is said at once.
fn read(args: &ReportArgs) -> Result<Vec<RunRecord>, Failure> {
    let mut failure = Failure { exit: Exit::BadPlan, messages: Vec::new() };
    let mut records = Vec::new();
    for named in &args.runs {
        match selected_all(named, &args.store) {
            Ok(found) => records.extend(found),
            Err(diagnostic) => failure.messages.push(diagnostic.to_string()),
        }
    }
    if failure.messages.is_empty() { Ok(records) } else { Err(failure) }
}

/// The form that a file's ending asks for; text where there is none that says so.
fn format_of(output: Option<&Path>) -> ReportFormat {
    let ending = output.and_then(Path::extension).unwrap_or_default().to_string_lossy();
    match ending.to_ascii_lowercase().as_str() {
        "html" | "htm" => ReportFormat::Html,
        "json" => ReportFormat::Json,
        "md" => ReportFormat::Markdown,
        "csv" => ReportFormat::Csv,
        "xml" => ReportFormat::Junit,
        _ => ReportFormat::Text,
    }
}

/// A form that shows one run.
fn form(
    format: ReportFormat,
    record: &RunRecord,
    args: &ReportArgs,
    text: Text,
) -> Result<Box<dyn Format>, Failure> {
    let named = args.runs.first().map_or("", String::as_str);
    let of_tulip = "of a Tulip configuration";
    let form = args.dialect.map(|dialect| match dialect {
        TulipDialect::A => tulip::Form::Seed,
        TulipDialect::Newest => tulip::Form::Newest,
    });
    let form = form.or_else(|| tulip::Form::of(record));
    Ok(match format {
        ReportFormat::Text => Box::new(text),
        ReportFormat::Html => Box::new(Html),
        ReportFormat::Json => Box::new(Json { layout: Layout::Pretty }),
        ReportFormat::Markdown => Box::new(Markdown),
        ReportFormat::Csv => Box::new(Csv),
        ReportFormat::Junit => Box::new(Junit::default()),
        ReportFormat::Tulip => Box::new(Page::of(tulip::table(record), named, of_tulip)?),
        ReportFormat::TulipJson => {
            let page = form.and_then(|form| tulip::output_json(record, form));
            Box::new(Page::of(page, named, of_tulip)?)
        }
        ReportFormat::TulipHtml => {
            let page = form.and_then(|form| tulip::html(record, form));
            Box::new(Page::of(page, named, of_tulip)?)
        }
        ReportFormat::Wrk => Box::new(Page::of(wrk::page(record), named, "of `weir wrk` or `weir wrk2`")?),
    })
}

fn too_many(count: usize) -> Failure {
    let message = format!("{count} runs are named, and this form shows one");
    let hint = "write a page that shows all of them (-o runs.html), or hold them against each other with `weir compare`";
    Failure::usage(&Diagnostic::error(message).hint(hint))
}

/// A row for each phase and each action: the figures that the other forms show. `weir export --of intervals` has the course.
struct Csv;

impl Format for Csv {
    fn write(&self, record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
        store::export::actions_csv(record, out)
    }
}

/// Another tool's page, which only runs of its input have.
struct Page(String);

impl Page {
    fn of(page: Option<String>, named: &str, of_what: &str) -> Result<Self, Failure> {
        let no_page = || {
            let message = format!("`{named}` is no run {of_what}");
            Failure::usage(&Diagnostic::error(message).hint("use --format text"))
        };
        page.map(Self).ok_or_else(no_page)
    }
}

impl Format for Page {
    fn write(&self, _: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
        out.write_all(self.0.as_bytes())
    }
}
