//! Modules that scripts import by https and that are not built in: a lock with its folder, a folder that mirrors hosts, or the network.
//!
//! One idea: a script that loads today loads tomorrow with the same text. So nothing is fetched unless somebody asks for it
//! ([`Remote::network`]), and what was fetched by [`crate::vendor`] is held to its sum ([`Lock`]).

mod address;
mod fetch;
mod lock;

pub(crate) use address::Address;
pub use fetch::{FetchError, Network};
pub use lock::{LOCK_NAME, Lock, LockError, Locked};

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where modules by https come from, in this order.
#[derive(Debug, Clone, Default)]
pub struct Remote {
    /// What was fetched before and must not have changed.
    pub lock: Option<Arc<Lock>>,
    /// A folder with a folder for each host: `DIR/jslib.k6.io/url/1.0.0/index.js`.
    pub mirror: Option<PathBuf>,
    /// Whether, and how, it may be fetched while the script loads.
    pub network: Option<Network>,
    /// Whether what is built in is passed over, and fetched as all else.
    pub fetches_built_in: bool,
}

impl Remote {
    /// The bytes behind a URL.
    pub(crate) fn load(&self, url: &str) -> Result<Vec<u8>, String> {
        let address = Address::parse(url).ok_or_else(|| format!("{url} is no https URL"))?;
        if let Some(found) = self.lock.as_ref().and_then(|lock| lock.load(url)) {
            return found.map_err(|error| error.to_string());
        }
        let mirrored = self.mirror.as_ref().map(|folder| folder.join(address.mirrored()));
        if let Some(file) = mirrored.as_deref().filter(|file| file.is_file()) {
            return crate::sources::read_bytes(file);
        }
        match &self.network {
            Some(network) => network.module(&address).map_err(|error| error.to_string()),
            None => Err(self.ways_out(url, mirrored.as_deref())),
        }
    }

    /// What to do about a module that is not on this machine.
    fn ways_out(&self, url: &str, mirrored: Option<&Path>) -> String {
        let mirror = match mirrored {
            Some(file) => format!("put it at {} (--jslib)", file.display()),
            None => "save it in a folder that mirrors hosts and name that with --jslib DIR".to_owned(),
        };
        format!(
            "{url} is not on this machine, and nothing is fetched while a script loads. Three ways out: {mirror}; \
             fetch it once and lock its content with `weir k6 vendor SCRIPT`; fetch it each time with --allow-remote"
        )
    }
}
