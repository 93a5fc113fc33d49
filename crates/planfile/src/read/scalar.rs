//! Texts, numbers, quantities and words.

use super::{Model, ScalarShape, Shape, wrong_type};
use crate::text::{Faults, Node, Place, Value, quoted};
use plan::{Diagnostic, Slo};
use std::net::IpAddr;
use units::{QuantityError, Rate};

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) at: Place,
}

/// What a single text or number is read into.
pub(crate) trait Scalar: Sized {
    const SHAPE: ScalarShape;

    /// `Err` says what is wrong and how to mend it; the place is added by the caller.
    fn parse(text: &str) -> Result<Self, Diagnostic>;

    /// Choices have a shape of their own.
    fn shape() -> Shape {
        Shape::Scalar(Self::SHAPE)
    }
}

impl<T: Scalar> Model for At<T> {
    fn read(node: &Node, faults: &mut Faults<'_>) -> Option<Self> {
        match &node.value {
            Value::Scalar { text, .. } if !node.is_null() => match T::parse(text) {
                Ok(value) => Some(Self { value, at: node.at }),
                Err(finding) => {
                    faults.push(node.at, finding);
                    None
                }
            },
            _ => {
                wrong_type(node, &T::shape(), faults);
                None
            }
        }
    }

    fn shape() -> Shape {
        T::shape()
    }
}

impl Scalar for String {
    const SHAPE: ScalarShape =
        ScalarShape { words: "a text", example: "", json_types: &["string", "number", "boolean"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        Ok(text.to_owned())
    }
}

impl Scalar for bool {
    const SHAPE: ScalarShape =
        ScalarShape { words: "a truth value", example: "true", json_types: &["boolean"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        match text {
            "true" | "True" | "TRUE" => Ok(true),
            "false" | "False" | "FALSE" => Ok(false),
            _ => Err(Diagnostic::error(format!("{} is no truth value", quoted(text)))
                .hint("write `true` or `false`")),
        }
    }
}

/// A whole number from 0, as `seed`s are.
impl Scalar for u64 {
    const SHAPE: ScalarShape =
        ScalarShape { words: "a whole number", example: "42", json_types: &["integer"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        whole_number(text, 0, Self::MAX)
    }
}

/// How many: a whole number in `MIN..=MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count<const MIN: u32, const MAX: u32>(pub(crate) u32);

impl<const MIN: u32, const MAX: u32> Scalar for Count<MIN, MAX> {
    const SHAPE: ScalarShape = ScalarShape { words: "a count", example: "8", json_types: &["integer"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        let count = whole_number(text, u64::from(MIN), u64::from(MAX))?;
        Ok(Self(u32::try_from(count).unwrap_or(MAX)))
    }
}

/// A great number of things, at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BigCount(pub(crate) u64);

impl Scalar for BigCount {
    const SHAPE: ScalarShape = ScalarShape { words: "a count", example: "1000", json_types: &["integer"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        whole_number(text, 1, u64::MAX).map(Self)
    }
}

fn whole_number(text: &str, min: u64, max: u64) -> Result<u64, Diagnostic> {
    let digits: String = text.trim().chars().filter(|c| *c != '_').collect();
    let range = match max {
        u64::MAX => format!("{min} or more"),
        _ => format!("{min} to {max}"),
    };
    match digits.parse::<u64>() {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        Ok(_) => {
            Err(Diagnostic::error(format!("{} is out of range", quoted(text))).hint(format!("use {range}")))
        }
        Err(_) => {
            let fault = Diagnostic::error(format!("{} is not a whole number", quoted(text)));
            Err(fault.hint(format!("write digits alone: {range}")))
        }
    }
}

/// A length of time in ns, at most a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Duration(pub(crate) u64);

impl Duration {
    /// Longer than any test; keeps sums of times far from the end of `u64`.
    pub(crate) const NS_MAX: u64 = 366 * 86_400 * units::NS_PER_SEC;
}

impl Scalar for Duration {
    const SHAPE: ScalarShape = ScalarShape { words: "a duration", example: "5s", json_types: &["string"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        let ns = units::parse_duration_ns(text).map_err(quantity_fault)?;
        if ns > Self::NS_MAX {
            return Err(
                Diagnostic::error(format!("{} is longer than a year", quoted(text))).hint("shorten it")
            );
        }
        Ok(Self(ns))
    }
}

/// A length of time above 0, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PositiveDuration(pub(crate) u64);

impl Scalar for PositiveDuration {
    const SHAPE: ScalarShape = Duration::SHAPE;

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        match Duration::parse(text)? {
            Duration(0) => {
                Err(Diagnostic::error(format!("{} lasts no time", quoted(text))).hint("use more than 0"))
            }
            Duration(ns) => Ok(Self(ns)),
        }
    }
}

impl Scalar for Rate {
    const SHAPE: ScalarShape = ScalarShape { words: "a rate", example: "200/s", json_types: &["string"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        Rate::parse(text).map_err(quantity_fault)
    }
}

/// A quantity's fault, parted into what is wrong and how to mend it.
pub(crate) fn quantity_fault(error: QuantityError) -> Diagnostic {
    match error {
        QuantityError::MissingUnit { text, example } => {
            Diagnostic::error(format!("{} has no unit", quoted(&text)))
                .hint(format!("write for example {}", quoted(&example)))
        }
        QuantityError::UnknownUnit { unit, known } => {
            Diagnostic::error(format!("unknown unit {}", quoted(&unit))).hint(format!("use one of {known}"))
        }
        QuantityError::NotANumber { text, example } => {
            Diagnostic::error(format!("{} is not a quantity", quoted(&text)))
                .hint(format!("write for example `{example}`"))
        }
        QuantityError::OutOfRange { text, range } => {
            Diagnostic::error(format!("{} is out of range", quoted(&text))).hint(format!("use {range}"))
        }
    }
}

/// A chance in 0..=1, written `20%` or `0.2`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share(pub(crate) f64);

impl Scalar for Share {
    const SHAPE: ScalarShape =
        ScalarShape { words: "a share", example: "20%", json_types: &["string", "number"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        let share = match text.contains('%') {
            true => units::parse_ratio(text).map_err(quantity_fault)?,
            false => decimal(text).ok_or_else(|| {
                Diagnostic::error(format!("{} is not a share", quoted(text))).hint("write `20%` or `0.2`")
            })?,
        };
        if !(0.0..=1.0).contains(&share) {
            return Err(Diagnostic::error(format!("{} is not between 0 and 1", quoted(text)))
                .hint("write `20%` or `0.2`"));
        }
        Ok(Self(share))
    }
}

/// How often an action is chosen, in proportion to others: 0 or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Weight(pub(crate) f64);

impl Scalar for Weight {
    const SHAPE: ScalarShape = ScalarShape { words: "a weight", example: "80", json_types: &["number"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        const WEIGHT_MAX: f64 = 1e9;
        let weight = decimal(text).filter(|weight| *weight <= WEIGHT_MAX);
        weight.map(Self).ok_or_else(|| {
            Diagnostic::error(format!("{} is not a weight", quoted(text)))
                .hint("write a number such as `80`; only proportions count")
        })
    }
}

/// A number of digits with at most one point: no sign, no exponent, no `inf`.
fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_decimal = text.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_decimal.then(|| text.parse().ok()).flatten()
}

/// One character between the values of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Separator(pub(crate) u8);

impl Scalar for Separator {
    const SHAPE: ScalarShape = ScalarShape { words: "a character", example: ";", json_types: &["string"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        match text.as_bytes() {
            [byte @ (b' '..=b'~' | b'\t')] if !byte.is_ascii_alphanumeric() && *byte != b'"' => {
                Ok(Self(*byte))
            }
            _ => {
                let fault = Diagnostic::error(format!("{} can't part values", quoted(text)));
                Err(fault.hint("use one character such as \",\", \";\" or \"\\t\""))
            }
        }
    }
}

impl Scalar for IpAddr {
    const SHAPE: ScalarShape =
        ScalarShape { words: "an IP address", example: "127.0.0.1", json_types: &["string"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        text.parse().map_err(|_| {
            Diagnostic::error(format!("{} is not an IP address", quoted(text)))
                .hint("write `127.0.0.1` or `\"::1\"`, without port and brackets")
        })
    }
}

impl Scalar for Slo {
    const SHAPE: ScalarShape =
        ScalarShape { words: "an objective", example: "p99(response) < 50ms", json_types: &["string"] };

    fn parse(text: &str) -> Result<Self, Diagnostic> {
        Slo::parse(text).map_err(|error| match error {
            plan::SloError::BadBound(error) => quantity_fault(error),
            other => {
                let message = other.to_string();
                match message.split_once("; ") {
                    Some((what, mend)) => Diagnostic::error(what).hint(mend),
                    None => Diagnostic::error(message),
                }
            }
        })
    }
}

/// Declares words that a key may hold: `choice! { /// doc\n enum Order { /// doc\n Sequence = "sequence", … } }`.
macro_rules! choice {
    (
        $(#[doc = $doc:literal])*
        $vis:vis enum $name:ident: $words:literal {
            $( $(#[doc = $word_doc:literal])* $variant:ident = $word:literal, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $( $(#[doc = $word_doc])* $variant, )* }

        impl $name {
            const CHOICES: &'static [$crate::read::Choice] =
                &[$( $crate::read::Choice { word: $word, doc: &[$($word_doc),*] }, )*];
        }

        impl $crate::read::Scalar for $name {
            const SHAPE: $crate::read::ScalarShape =
                $crate::read::ScalarShape { words: $words, example: "", json_types: &["string"] };

            fn parse(text: &str) -> Result<Self, ::plan::Diagnostic> {
                match text {
                    $( $word => Ok(Self::$variant), )*
                    _ => Err($crate::read::unknown_word($words, text, Self::CHOICES)),
                }
            }

            fn shape() -> $crate::read::Shape {
                $crate::read::Shape::Choice(Self::CHOICES)
            }
        }
    };
}
pub(crate) use choice;
