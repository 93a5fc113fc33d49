//! `weir report`: a run's record in another form.

use crate::args::{ReportArgs, ReportFormat};
use crate::exit::{self, Exit, Failure};
use crate::selected::selected;
use crate::talk::Talk;
use ::report::{Format, Json, Junit, Layout, Markdown, OutputFile, Text};
use plan::Diagnostic;
use record::RunRecord;
use std::io;
use std::path::Path;

pub(crate) fn run(args: &ReportArgs, talk: &Talk) -> Result<Exit, Failure> {
    let record = selected(&args.record, &args.store).map_err(|diagnostic| Failure::usage(&diagnostic))?;
    let to = args.output.as_deref().unwrap_or(Path::new("-"));
    let output = OutputFile::open(to).map_err(|error| Failure::output(&error, Exit::BadPlan))?;
    let color = if output.is_stdout() { talk.stdout_color } else { ::report::Color::Never };
    let format: Box<dyn Format> = match args.format {
        ReportFormat::Text => Box::new(Text { color, width: talk.width }),
        ReportFormat::Json => Box::new(Json { layout: Layout::Pretty }),
        ReportFormat::Markdown => Box::new(Markdown),
        ReportFormat::Junit => Box::new(Junit::default()),
        ReportFormat::Tulip => {
            Box::new(Page::of(tulip::table(&record), &args.record, "of a Tulip configuration")?)
        }
        ReportFormat::Wrk => {
            Box::new(Page::of(wrk::page(&record), &args.record, "of `weir wrk` or `weir wrk2`")?)
        }
    };
    let is_stdout = output.is_stdout();
    match output.finish(|out| format.write(&record, out)) {
        Err(error) if is_stdout => exit::of_stdout(Err(error.source)),
        Err(error) => Err(Failure::output(&error, Exit::Internal)),
        Ok(()) => Ok(Exit::Done),
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
