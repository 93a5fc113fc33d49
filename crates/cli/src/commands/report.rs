//! `weir report`: a record read back from its JSON, in another form.

use crate::args::{ReportArgs, ReportFormat};
use crate::exit::{self, Exit, Failure};
use crate::talk::Talk;
use ::report::{Format, Json, Junit, Layout, Markdown, OutputFile, Text};
use plan::Diagnostic;
use record::{RunRecord, SCHEMA_VERSION};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Greatest record read: an hour of intervals of a second with many actions is below 100 MB.
const RECORD_BYTES_MAX: u64 = 1 << 30;

pub(crate) fn run(args: &ReportArgs, talk: &Talk) -> Result<Exit, Failure> {
    let record = read(&args.record).map_err(|diagnostic| Failure::usage(&diagnostic))?;
    let to = args.output.as_deref().unwrap_or(Path::new("-"));
    let output = OutputFile::open(to).map_err(|error| Failure::output(&error, Exit::BadPlan))?;
    let color = if output.is_stdout() { talk.stdout_color } else { ::report::Color::Never };
    let format: Box<dyn Format> = match args.format {
        ReportFormat::Text => Box::new(Text { color, width: talk.width }),
        ReportFormat::Json => Box::new(Json { layout: Layout::Pretty }),
        ReportFormat::Markdown => Box::new(Markdown),
        ReportFormat::Junit => Box::new(Junit::default()),
        ReportFormat::Tulip => Box::new(Tulip::of(&record, &args.record)?),
    };
    let is_stdout = output.is_stdout();
    match output.finish(|out| format.write(&record, out)) {
        Err(error) if is_stdout => exit::of_stdout(Err(error.source)),
        Err(error) => Err(Failure::output(&error, Exit::Internal)),
        Ok(()) => Ok(Exit::Done),
    }
}

/// Tulip's table, which only runs of its configurations have.
struct Tulip(String);

impl Tulip {
    fn of(record: &RunRecord, path: &Path) -> Result<Self, Failure> {
        let table = tulip::table(record).ok_or_else(|| {
            let message = format!("`{}` is no run of a Tulip configuration", path.display());
            Failure::usage(&Diagnostic::error(message).hint("use --format text"))
        })?;
        Ok(Self(table))
    }
}

impl Format for Tulip {
    fn write(&self, _: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
        out.write_all(self.0.as_bytes())
    }
}

fn read(path: &Path) -> Result<RunRecord, Diagnostic> {
    let name = path.display();
    let opened: io::Result<Box<dyn Read>> = if path == Path::new("-") {
        Ok(Box::new(io::stdin().lock()))
    } else {
        File::open(path).map(|file| Box::new(file) as Box<dyn Read>)
    };
    let mut bytes = Vec::new();
    let read = opened.and_then(|from| from.take(RECORD_BYTES_MAX + 1).read_to_end(&mut bytes));
    read.map_err(|error| {
        Diagnostic::error(format!("can't read `{name}`: {}", units::system_words(&error)))
            .hint("name a record that --json wrote")
    })?;
    if bytes.len() as u64 > RECORD_BYTES_MAX {
        let limit = units::size(RECORD_BYTES_MAX);
        return Err(Diagnostic::error(format!("`{name}` is larger than {limit}")).hint("name a run's record"));
    }
    let no_record = |error: serde_json::Error| {
        Diagnostic::error(format!("`{name}` is no record of a run: {error}"))
            .hint("name a file that --json wrote")
    };
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(no_record)?;
    let version = value.get("schema_version").and_then(serde_json::Value::as_u64);
    if let Some(version) = version.filter(|version| *version > u64::from(SCHEMA_VERSION)) {
        let message =
            format!("`{name}` has schema version {version}, and this weir reads up to {SCHEMA_VERSION}");
        return Err(Diagnostic::error(message).hint("use the weir that wrote it, or a newer one"));
    }
    serde_json::from_value(value).map_err(no_record)
}
