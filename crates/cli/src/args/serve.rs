//! `weir serve`.

use super::StoreArgs;
use clap::Args;
use std::net::SocketAddr;

/// Where pages are served unless a flag says otherwise.
pub(crate) const LISTEN_DEFAULT: &str = "127.0.0.1:8686";

const EXAMPLES: &str = "\
Examples:
  weir serve                                    the runs of this folder
  weir serve --store /srv/load/runs.db --listen 127.0.0.1:0
  WEIR_TOKEN=$(openssl rand -hex 16) weir serve --listen 0.0.0.0:8686

The page lists runs, shows and compares them, and watches those in progress: any
`weir run` on the same store, whoever started it, with a button to stop it and
a field for the rate of open phases. Other machines need the token.";

/// Serve the kept runs as a page: list, show, compare, delete, and watch those in progress
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// Where to listen; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS", default_value = LISTEN_DEFAULT)]
    pub(crate) listen: SocketAddr,
    /// What others must know to ask: 16 letters and digits or more; needed unless only this machine can reach the address [default: $WEIR_TOKEN]
    #[arg(long)]
    pub(crate) token: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}
