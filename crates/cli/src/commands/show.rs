//! `weir show`: a run as it was shown at its end.

use crate::args::{ReportFormat, ShowArgs};
use crate::exit::{self, Exit, Failure};
use crate::selected::selected;
use crate::talk::Talk;
use report::{Format, Json, Layout, Text};
use std::io::{self, Write as _};
use std::path::Path;

pub(crate) fn run(args: &ShowArgs, talk: &Talk) -> Result<Exit, Failure> {
    let path = Path::new(&args.run);
    if !args.moments && super::search::report::is_search(path) {
        let format = if args.json { ReportFormat::Json } else { ReportFormat::Text };
        return super::search::report::write(path, format, Path::new("-"));
    }
    let record = selected(&args.run, &args.store).map_err(|diagnostic| Failure::usage(&diagnostic))?;
    if args.moments {
        let text = search::cloudi::moments_page(&record);
        return exit::of_stdout(io::stdout().write_all(text.as_bytes()));
    }
    let text = Text { color: talk.stdout_color, width: talk.width };
    let form: &dyn Format = if args.json { &Json { layout: Layout::Pretty } } else { &text };
    let mut out = io::BufWriter::new(io::stdout().lock());
    exit::of_stdout(form.write(&record, &mut out).and_then(|()| out.flush()))
}
