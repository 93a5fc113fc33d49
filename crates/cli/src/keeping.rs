//! Keeping a run: the store is opened before it, watches it, and is told of its end. Whatever goes wrong with it is said once and changes
//! nothing else: the run goes on, its other results are written, the exit code stays.

use crate::args::KeepArgs;
use crate::commands::serve;
use crate::exit::Failure;
use crate::selected::{said, store_path};
use crate::talk::Talk;
use ::serve::Serving;
use plan::{Diagnostic, Severity};
use record::{RunObserver, RunRecord};
use runner::RunControl;
use std::net::SocketAddr;
use std::path::Path;
use store::{Keeper, StoreError, Wish};

/// A run's place in the store; empty when it is not to be kept or can't be.
pub(crate) struct Keeping {
    keeper: Option<Keeper>,
    /// The page, where it was asked for.
    serving: Option<Serving>,
    talk: Talk,
}

impl Keeping {
    /// Opens the store: the one that flags or environment name, else the one in `folder`. What those who watch the run there wish of it goes to
    /// `control`.
    ///
    /// A store that can't be had is only said; a page that was asked for and can't be served is a failure, for somebody waits for it.
    pub(crate) fn begin(
        args: &KeepArgs,
        folder: &Path,
        control: &RunControl,
        talk: &Talk,
    ) -> Result<Self, Failure> {
        let path = store_path(args.store.as_deref(), folder).filter(|_| !args.no_store);
        let serving = args.serve.map(|listen| page(listen, path.as_deref(), talk)).transpose();
        let serving = serving.map_err(|fault| Failure::usage(&fault))?;
        let control = control.clone();
        let on_wish = Box::new(move |wish| match wish {
            Wish::Stop => control.stop(),
            Wish::ChangeRate(rate) => control.change_rate(rate),
        });
        let keeper = match path.map(|path| Keeper::start(&path, on_wish)) {
            Some(Ok(keeper)) => Some(keeper),
            Some(Err(error)) => {
                say_lost(&error, talk);
                None
            }
            None => None,
        };
        Ok(Self { keeper, serving, talk: *talk })
    }

    /// A run that is not kept.
    pub(crate) fn none(talk: &Talk) -> Self {
        Self { keeper: None, serving: None, talk: *talk }
    }

    /// What is to see the run.
    pub(crate) fn observer(&mut self) -> Option<&mut dyn RunObserver> {
        self.keeper.as_mut().map(|keeper| keeper as &mut dyn RunObserver)
    }

    /// Writes the run's end, and lets those who watch it see that. Returns whether the run is kept.
    pub(crate) fn finish(self, record: &RunRecord) -> bool {
        let is_kept = match self.keeper.map(|keeper| keeper.finish(record)) {
            Some(Ok(())) => true,
            Some(Err(error)) => {
                say_lost(&error, &self.talk);
                false
            }
            None => false,
        };
        if let Some(serving) = self.serving {
            serving.stop_when_told();
        }
        is_kept
    }
}

/// Serves the store for as long as the run takes, and says where.
fn page(listen: SocketAddr, store: Option<&Path>, talk: &Talk) -> Result<Serving, Diagnostic> {
    let none = || Diagnostic::error("--serve shows what the store has of the run, and there is no store");
    let store = store.ok_or_else(|| none().hint("name one: --store FILE"))?;
    let serving = serve::start(listen, None, store)?;
    talk.say(&format!("watch it at {}", serve::address(&serving)));
    Ok(serving)
}

/// One message, whatever became of how many rows.
fn say_lost(error: &StoreError, talk: &Talk) {
    let mut diagnostic = said(error);
    diagnostic.severity = Severity::Warning;
    diagnostic.message = format!("this run is not kept: {}", diagnostic.message);
    talk.say(&diagnostic.to_string());
}
