//! `weir serve`: the run store as a page, in the foreground until a signal; and the same beside a run.

use crate::args::ServeArgs;
use crate::exit::{self, Exit, Failure};
use crate::selected::{path_of, said};
use crate::signals::SignalWatch;
use crate::talk::Talk;
use plan::Diagnostic;
use serve::{Options, Serving, Token};
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use store::{Store, StoreError};

/// Gives the token where no flag does.
const TOKEN_VARIABLE: &str = "WEIR_TOKEN";

pub(crate) fn run(args: &ServeArgs, talk: &Talk) -> Result<Exit, Failure> {
    let store = path_of(&args.store).map_err(|diagnostic| Failure::usage(&diagnostic))?;
    match Store::open_to_read(&store) {
        // It comes into being with the first run.
        Ok(_) | Err(StoreError::Absent { .. }) => {}
        Err(error) => return Err(Failure::usage(&said(&error))),
    }
    // Watched before the address is told, so that whoever reads it can stop the server.
    let (_watch, stopped) = SignalWatch::first()?;
    let serving =
        start(args.listen, args.token.as_deref(), &store).map_err(|fault| Failure::usage(&fault))?;
    let text = format!("the runs of {} at {}\nCtrl-C stops\n", store.display(), address(&serving));
    exit::of_stdout(std::io::stdout().write_all(text.as_bytes()))?;
    // An error means that the watch ended, and with it the wait.
    let _ = stopped.recv();
    talk.say("");
    serving.stop();
    Ok(Exit::Done)
}

/// Serves a store; the token is the one given, else the environment's.
pub(crate) fn start(listen: SocketAddr, token: Option<&str>, store: &Path) -> Result<Serving, Diagnostic> {
    let of_environment = std::env::var(TOKEN_VARIABLE).ok().filter(|text| !text.is_empty());
    let token = token.map(str::to_owned).or(of_environment).map(|text| {
        let fault = || {
            Diagnostic::error("the token is too short or has other characters than letters, digits, - _ .")
                .hint("make one of 16 characters or more: openssl rand -hex 16")
        };
        Token::new(&text).ok_or_else(fault)
    });
    let options = Options { listen, store: store.to_owned(), token: token.transpose()? };
    Serving::start(options).map_err(|error| Diagnostic::error(error.to_string()).hint(error.hint()))
}

/// What to open in a browser.
pub(crate) fn address(serving: &Serving) -> String {
    let address = serving.local_addr();
    let token = if serving.needs_token() { "?token=YOUR-TOKEN" } else { "" };
    format!("http://{address}/{token}")
}
