//! What a user types to mean a run: `last`, an id or its beginning, a name, a label; each with `~N` for the Nth before it.

/// A text that means a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector<'a> {
    /// As it was typed.
    pub text: &'a str,
    /// Without its `~N`.
    pub(crate) base: &'a str,
    /// How many runs before the newest that the base means.
    pub(crate) back: u64,
}

impl<'a> Selector<'a> {
    /// Reads one. Any text is one; whether a run is meant is for the store to say.
    pub fn parse(text: &'a str) -> Self {
        let back = text.rsplit_once('~').and_then(|(base, digits)| {
            let is_number = !base.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let back = if digits.is_empty() { Some(1) } else { digits.parse().ok() };
            back.filter(|_| is_number).map(|back| (base, back))
        });
        let (base, back) = back.unwrap_or((text, 0));
        Self { text, base, back }
    }

    /// The two sides of `KEY=VALUE`.
    pub(crate) fn label(&self) -> Option<(&'a str, &'a str)> {
        self.base.split_once('=').filter(|(key, _)| !key.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilde_counts_back() {
        let check = |text: &str, base: &str, back: u64| {
            let selector = Selector::parse(text);
            assert_eq!((selector.base, selector.back), (base, back), "{text}");
        };
        check("last", "last", 0);
        check("last~", "last", 1);
        check("last~12", "last", 12);
        check("checkout~2", "checkout", 2);
        check("a~b", "a~b", 0);
        check("~1", "~1", 0);
        check("last~99999999999999999999", "last~99999999999999999999", 0);
        assert_eq!(Selector::parse("branch=main~1").label(), Some(("branch", "main")));
        assert_eq!(Selector::parse("=x").label(), None);
    }
}
