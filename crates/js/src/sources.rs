//! Where the text of modules comes from: the front end's files, archives, built-in libraries.

/// Gives the text of modules. Asked while a script is loaded and never later.
pub trait Sources {
    /// The final URL (or whatever names it, without zero bytes) of the module that `referrer`, a final URL, calls `specifier`.
    ///
    /// # Errors
    /// What is wrong with the specifier and how to mend it.
    fn resolve(&mut self, specifier: &str, referrer: &str) -> Result<String, String>;

    /// What a native module offers, in order, beside its default, which is all of it: `import * as it` then makes none of it. `None`: what
    /// the module has is known when it is made.
    fn names(&self, _url: &str) -> Option<&'static [&'static str]> {
        None
    }

    /// Final URLs of the modules that [`crate::Calls::load`] runs for what a native module offers.
    fn behind(&self, _url: &str) -> &'static [&'static str] {
        &[]
    }

    /// The module behind a final URL; asked once for each.
    ///
    /// # Errors
    /// Why it can't be read and how to mend that.
    fn load(&mut self, url: &str) -> Result<Loaded, String>;

    /// Whether a name that the ES module behind a final URL does not export is `undefined` to its importers, in place of an error.
    fn is_lenient(&self, _url: &str) -> bool {
        false
    }
}

/// A module's text and kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loaded {
    /// An ES module, or CommonJS when it has no `import`, `export` and top-level `await`, or is none that can be parsed.
    JavaScript(String),
    /// The same with types, which are taken out.
    TypeScript(String),
    /// A value, which is the default export.
    Json(String),
    /// Made for each user by [`crate::Host::module`], which gets the URL.
    Native,
}
