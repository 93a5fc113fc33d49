//! Text with `${variables}` in it.

use serde::{Serialize, Serializer};

/// Points into [`crate::Plan::variables`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct VariableIndex(pub u16);

/// Text whose variables were found once, when the plan was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    /// In order; adjacent texts are joined.
    pub parts: Vec<TemplatePart>,
}

/// A piece of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    /// Taken as it stands.
    Text(String),
    /// The user's value of a variable; empty while it has none.
    Variable {
        /// Which one.
        index: VariableIndex,
        /// Its name, for printing.
        name: String,
    },
    /// A value that Weir makes.
    Builtin(Builtin),
}

/// Values that need no variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// `${user_index}`: the user's number in its scenario, from 0, over all workers.
    UserIndex,
    /// `${user_number}`: the same from 1.
    UserNumber,
    /// `${iteration}`: how many actions the user began before this one.
    Iteration,
    /// `${uuid}`: a random UUID (version 4), from the plan's seed.
    Uuid,
    /// `${random(LOW,HIGH)}`: a whole number, uniform in LOW..=HIGH.
    Random {
        /// Smallest.
        low: u64,
        /// Greatest.
        high: u64,
    },
}

impl Template {
    /// A text without variables.
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: vec![TemplatePart::Text(text.into())] }
    }

    /// Reads `a ${name} b`; `$${` stands for a literal `${`. `lookup` numbers a variable, or says that there is none of that name.
    ///
    /// Errors: an unclosed `${`, an unknown variable (its name is returned).
    pub fn parse(
        text: &str,
        mut lookup: impl FnMut(&str) -> Option<VariableIndex>,
    ) -> Result<Self, TemplateError> {
        let mut parts: Vec<TemplatePart> = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            if at > 0 && rest.as_bytes()[at - 1] == b'$' {
                literal.push_str(&rest[..at - 1]);
                literal.push_str("${");
                rest = &rest[at + 2..];
                continue;
            }
            literal.push_str(&rest[..at]);
            let Some(length) = rest[at + 2..].find('}') else {
                return Err(TemplateError::Unclosed);
            };
            let name = rest[at + 2..at + 2 + length].trim();
            if !literal.is_empty() {
                parts.push(TemplatePart::Text(std::mem::take(&mut literal)));
            }
            let part = match Builtin::parse(name) {
                Some(builtin) => TemplatePart::Builtin(builtin),
                None => match lookup(name) {
                    Some(index) => TemplatePart::Variable { index, name: name.to_owned() },
                    None => return Err(TemplateError::UnknownVariable(name.to_owned())),
                },
            };
            parts.push(part);
            rest = &rest[at + 2 + length + 1..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(TemplatePart::Text(literal));
        }
        Ok(Self { parts })
    }

    /// The text, when no part of it varies.
    pub fn as_static(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [TemplatePart::Text(text)] => Some(text),
            _ => None,
        }
    }
}

impl Builtin {
    /// Reads what stands between `${` and `}`.
    fn parse(name: &str) -> Option<Self> {
        match name {
            "user_index" => return Some(Self::UserIndex),
            "user_number" => return Some(Self::UserNumber),
            "iteration" => return Some(Self::Iteration),
            "uuid" => return Some(Self::Uuid),
            _ => {}
        }
        let (low, high) = name.strip_prefix("random(")?.strip_suffix(')')?.split_once(',')?;
        let (low, high) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
        (low <= high).then_some(Self::Random { low, high })
    }
}

/// Why a text is no template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateError {
    /// A `${` without `}`.
    Unclosed,
    /// No variable, capture or feed column of that name.
    UnknownVariable(String),
}

impl std::fmt::Display for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for part in &self.parts {
            match part {
                TemplatePart::Text(text) => f.write_str(text)?,
                TemplatePart::Variable { name, .. } => write!(f, "${{{name}}}")?,
                TemplatePart::Builtin(Builtin::UserIndex) => f.write_str("${user_index}")?,
                TemplatePart::Builtin(Builtin::UserNumber) => f.write_str("${user_number}")?,
                TemplatePart::Builtin(Builtin::Iteration) => f.write_str("${iteration}")?,
                TemplatePart::Builtin(Builtin::Uuid) => f.write_str("${uuid}")?,
                TemplatePart::Builtin(Builtin::Random { low, high }) => {
                    write!(f, "${{random({low},{high})}}")?
                }
            }
        }
        Ok(())
    }
}

impl Serialize for Template {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_and_the_text_comes_back() {
        let lookup = |name: &str| (name == "id").then_some(VariableIndex(3));
        for text in ["/posts/${id}/x", "plain", "", "${user_index}-${user_number}-${random(1,9)}${uuid}"] {
            assert_eq!(Template::parse(text, lookup).map(|t| t.to_string()), Ok(text.to_owned()));
        }
        assert_eq!(
            Template::parse("a $${id}", lookup).map(|t| t.as_static().map(str::to_owned)),
            Ok(Some("a ${id}".into()))
        );
        assert_eq!(Template::parse("${nope}", lookup), Err(TemplateError::UnknownVariable("nope".into())));
        assert_eq!(Template::parse("${id", lookup), Err(TemplateError::Unclosed));
    }
}
