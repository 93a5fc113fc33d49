//! `weir tulip kwrk`: kwrk's flags → its configuration → a run → its files.

use crate::args::KwrkArgs;
use crate::change;
use crate::commands::tulip::{Config, load};
use crate::exit::{Exit, Failure};
use crate::perform::{Job, Keep, Tulip, perform_then};
use crate::talk::Talk;
use ::tulip::{Form, Kwrk, output_json};
use plan::Diagnostic;
use record::RunRecord;
use report::OutputFile;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

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
    let open = |name: &str| OutputFile::open(Path::new(name));
    let (config_file, output_file) = (open(&file("config.json")), open(&file("output.json")));
    let config_file = config_file.map_err(|error| Failure::output(&error, Exit::BadPlan))?;
    let output_file = output_file.map_err(|error| Failure::output(&error, Exit::BadPlan))?;
    let lost = |error| Failure::output(&error, Exit::Internal);
    config_file.finish(|out| out.write_all(text.as_bytes())).map_err(lost)?;
    let tulip = Tulip { facts: &loaded.facts, thread_count: loaded.thread_count };
    let keep = Keep::In(Path::new(""));
    let job = Job { plan, runner: &runner, output: &args.output, tulip: Some(tulip), origin: "tulip", keep };
    let written = format!("\nwritten: {}, {}", file("config.json"), file("output.json"));
    let write = |record: &RunRecord| {
        let text = output_json(record, Form::Newest).unwrap_or_default();
        output_file.finish(|out| out.write_all(text.as_bytes())).map_err(lost)?;
        talk.say(&written);
        Ok(())
    };
    perform_then(job, talk, write)
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
        warmup_s: args.warmup,
        duration_s: args.duration,
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
