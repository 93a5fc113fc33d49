//! `weir tulip kwrk`: kwrk's flags → its configuration → a run → its files.

use crate::args::KwrkArgs;
use crate::change;
use crate::commands::tulip::{Config, load};
use crate::exit::{Exit, Failure};
use crate::outputs;
use crate::perform::{Job, Keep, Tulip, perform_then};
use crate::talk::Talk;
use crate::tulip_files::TulipFiles;
use ::tulip::Kwrk;
use plan::Diagnostic;
use report::OutputFile;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The page that lists all runs in a folder.
const INDEX: &str = "kwrk_index.html";
/// What tells it from anybody's own file.
const INDEX_MARK: &str = "<meta name=\"generator\" content=\"weir tulip kwrk\">";

pub(crate) fn run(args: &KwrkArgs, talk: &Talk) -> Result<Exit, Failure> {
    let stem = args.file_name.clone().unwrap_or_else(time_of_day);
    if stem.is_empty() || stem.contains(['/', '\0']) {
        let fault = Diagnostic::error(format!("--name `{stem}` can't be in the name of a file"));
        return Err(Failure::usage(&fault.hint("use letters and digits")));
    }
    let text = kwrk(args, &stem).config();
    let file = |what: &str| format!("kwrk_{stem}_{what}");
    let config = Config::new(file("config.json"), text.clone());
    let loaded = load(&config, None, talk)?;
    let mut plan = loaded.plan;
    if let Some(factor) = args.time_scale {
        change::scale_time(&mut plan, factor).map_err(|fault| Failure::usage(&fault))?;
    }
    let runner = args.runner().ok_or_else(|| Failure::internal("the flags of runs have no defaults"))?;
    // Before anything is sent: a result that can't be written is known now.
    let files = TulipFiles::open(&loaded.facts, &args.output)?;
    let config_file = outputs::open(Path::new(&file("config.json")))?;
    outputs::write(config_file, |out| out.write_all(text.as_bytes()))?;
    let tulip = Tulip { facts: &loaded.facts, thread_count: loaded.thread_count };
    let keep = Keep::In(Path::new(""));
    let job = Job { plan, runner: &runner, output: &args.output, tulip: Some(tulip), origin: "tulip", keep };
    perform_then(job, talk, |record| {
        files.write(record, (!args.output.quiet).then_some(talk))?;
        index(talk)
    })
}

/// Writes the page that lists the reports of all runs in this folder, the newest first.
fn index(talk: &Talk) -> Result<(), Failure> {
    /// More than this a person does not look through.
    const REPORTS_MAX: usize = 10_000;
    let entries = std::fs::read_dir(".").into_iter().flatten().flatten();
    let mut reports: Vec<(SystemTime, String)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_report = name.starts_with("kwrk_") && name.ends_with("_report.html");
            let time = entry.metadata().ok()?.modified().unwrap_or(UNIX_EPOCH);
            is_report.then_some((time, name))
        })
        .take(REPORTS_MAX)
        .collect();
    reports.sort_by(|one, other| other.cmp(one));
    let is_ours = |text: &str| text.contains(INDEX_MARK);
    if std::fs::read_to_string(INDEX).is_ok_and(|text| !is_ours(&text)) {
        talk.say(&format!("note: {INDEX} is there and not of this command's making; it is left alone"));
        return Ok(());
    }
    let items = reports.iter().map(|(_, name)| {
        let name = units::markup::html(name);
        format!("<li><a href=\"./{name}\">{name}</a></li>\n")
    });
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n{INDEX_MARK}\n<title>kwrk</title>\n<h1>kwrk: runs</h1>\n<ul>\n{}</ul>\n</html>\n",
        items.collect::<String>()
    );
    let file = OutputFile::open(Path::new(INDEX)).map_err(|error| Failure::output(&error, Exit::Internal))?;
    let written = file.finish(|out| out.write_all(page.as_bytes()));
    written.map_err(|error| Failure::output(&error, Exit::Internal))
}

fn kwrk(args: &KwrkArgs, stem: &str) -> Kwrk {
    Kwrk {
        url: args.url.clone(),
        rate: args.rate,
        rate_step_change: args.rate_step_change,
        rate_step_count: args.rate_step_count,
        users: args.users,
        tasks: args.tasks,
        threads: args.threads,
        warmup_s: args.warmup_s,
        duration_s: args.duration_s,
        iterations: args.iterations,
        header: args.header.clone(),
        method: args.method.clone(),
        json_body: args.json_body.clone(),
        version: args.version.clone(),
        stem: stem.to_owned(),
    }
}

/// `HH-MM-SS`, UTC.
fn time_of_day() -> String {
    let secs = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() % 86_400;
    format!("{:02}-{:02}-{:02}", secs / 3600, secs % 3600 / 60, secs % 60)
}
