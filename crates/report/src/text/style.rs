//! Colour as a help, never as the only sign of anything.

/// Whether to colour. The caller knows the terminal and `NO_COLOR`; nothing here looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Escape sequences for terminals.
    Always,
    /// Plain text.
    Never,
}

/// What a stretch of text is, from which follows how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Titles.
    Title,
    /// What matters less.
    Aside,
    /// What is as it should be.
    Good,
    /// What wants a look.
    Doubtful,
    /// What is not as it should be.
    Bad,
}

impl Color {
    /// `text` as its role looks. Pad before, for escape sequences have no width.
    pub(crate) fn paint(self, role: Role, text: &str) -> String {
        // SGR codes of ECMA-48 §8.3.117 that every terminal of today has.
        let code = match role {
            Role::Title => "1",
            Role::Aside => "2",
            Role::Good => "32",
            Role::Doubtful => "33",
            Role::Bad => "31",
        };
        match self {
            Self::Always if !text.is_empty() => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }
}
