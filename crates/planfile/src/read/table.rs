//! Tables of known keys, each declared once by [`model!`].

use super::{Model, Shape, wrong_type};
use crate::text::{Entry, Faults, Node, Place, Value, quoted};
use plan::Diagnostic;

/// Whether a key must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    /// What holds without it, for the reference.
    Optional(&'static str),
}

/// One key of a table.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) key: &'static str,
    /// Its doc comment, line by line.
    pub(crate) doc: &'static [&'static str],
    pub(crate) presence: Presence,
    pub(crate) shape: fn() -> Shape,
}

/// Keys that exclude each other.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub(crate) keys: &'static [&'static str],
    /// Whether one of them must be there.
    pub(crate) needed: bool,
}

impl Group {
    pub(crate) const fn exactly_one(keys: &'static [&'static str]) -> Self {
        Self { keys, needed: true }
    }

    pub(crate) const fn at_most_one(keys: &'static [&'static str]) -> Self {
        Self { keys, needed: false }
    }
}

/// What is known of a table.
#[derive(Clone, Copy)]
pub(crate) struct TableInfo {
    /// Its name in schema and reference.
    pub(crate) name: &'static str,
    /// Its doc comment, line by line.
    pub(crate) doc: &'static [&'static str],
    /// Its own keys.
    pub(crate) fields: &'static [Field],
    /// Tables whose keys stand in the same mapping.
    pub(crate) with: &'static [TableInfo],
    pub(crate) groups: &'static [Group],
    /// What may stand in place of the mapping.
    pub(crate) short: Option<fn() -> Shape>,
}

impl TableInfo {
    /// All keys that may stand in the mapping; of two tables with the same key, the outer one's.
    pub(crate) fn all_fields(&self) -> Vec<Field> {
        let mut fields = self.fields.to_vec();
        for field in self.with.iter().flat_map(Self::all_fields) {
            if !fields.iter().any(|known| known.key == field.key) {
                fields.push(field);
            }
        }
        fields
    }
}

/// A model with known keys. Implemented by [`model!`] alone.
pub(crate) trait Table: Sized {
    const INFO: TableInfo;

    /// Where the mapping stands.
    fn at(&self) -> Place;

    /// Its own keys that are given, faulty ones too.
    fn given(&self) -> &[(&'static str, Place)];

    /// Whether a key is given, if only a faulty value.
    fn has(&self, key: &str) -> bool {
        self.given().iter().any(|(given, _)| *given == key)
    }

    /// Where a key stands; the mapping's place if it is not given.
    fn key_at(&self, key: &str) -> Place {
        self.given().iter().find(|(given, _)| *given == key).map_or(self.at(), |(_, at)| *at)
    }

    /// Takes its keys, and leaves others to whoever shares the mapping.
    fn read_fields(fields: &mut Fields<'_>, faults: &mut Faults<'_>) -> Self;

    /// Reads what may stand in place of the mapping.
    fn read_short(node: &Node, faults: &mut Faults<'_>) -> Option<Self> {
        wrong_type(node, &Shape::Table(Self::INFO), faults);
        None
    }
}

impl<T: Table> Model for T {
    fn read(node: &Node, faults: &mut Faults<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            return Self::read_short(node, faults);
        };
        let mut fields = Fields { entries, at: node.at, taken: vec![false; entries.len()] };
        let table = Self::read_fields(&mut fields, faults);
        fields.finish(&Self::INFO, faults);
        Some(table)
    }

    fn shape() -> Shape {
        Shape::Table(Self::INFO)
    }
}

/// The entries of a mapping while its keys are taken.
pub(crate) struct Fields<'n> {
    entries: &'n [Entry],
    at: Place,
    taken: Vec<bool>,
}

impl Fields<'_> {
    /// Where the mapping stands.
    pub(crate) fn at(&self) -> Place {
        self.at
    }

    /// Those of the keys that are given.
    pub(crate) fn given(&self, fields: &'static [Field]) -> Vec<(&'static str, Place)> {
        let place = |field: &Field| {
            self.entries.iter().find(|entry| entry.key == field.key).map(|entry| entry.key_at)
        };
        fields.iter().filter_map(|field| Some((field.key, place(field)?))).collect()
    }

    /// The value of a key; `None` when it is absent or faulty. Two tables that share a mapping may both take a key.
    pub(crate) fn take<T: Model>(&mut self, key: &str, faults: &mut Faults<'_>) -> Option<T> {
        let index = self.entries.iter().position(|entry| entry.key == key)?;
        *self.taken.get_mut(index)? = true;
        T::read(&self.entries.get(index)?.node, faults)
    }

    /// Says what is unknown, missing, or too much.
    fn finish(self, info: &TableInfo, faults: &mut Faults<'_>) {
        let fields = info.all_fields();
        for (entry, _) in self.entries.iter().zip(&self.taken).filter(|(_, taken)| !**taken) {
            faults.push(entry.key_at, unknown_key(&entry.key, &fields));
        }
        let has = |key: &str| self.entries.iter().any(|entry| entry.key == key);
        for field in fields.iter().filter(|field| field.presence == Presence::Required && !has(field.key)) {
            let fault = Diagnostic::error(format!("`{}` is missing", field.key));
            faults
                .push(self.at, fault.hint(format!("add `{}:` with {}", field.key, (field.shape)().words())));
        }
        for group in info.groups {
            let mut given = self.entries.iter().filter(|entry| group.keys.contains(&entry.key.as_str()));
            let list = || group.keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            match given.next() {
                None if group.needed => {
                    let fault = Diagnostic::error(format!("this {} needs one of {}", info.name, list()));
                    faults.push(self.at, fault);
                }
                None => {}
                Some(first) => {
                    for other in given {
                        let message = format!("`{}` and `{}` exclude each other", first.key, other.key);
                        faults.push(
                            other.key_at,
                            Diagnostic::error(message).hint(format!("keep one of {}", list())),
                        );
                    }
                }
            }
        }
    }
}

fn unknown_key(key: &str, fields: &[Field]) -> Diagnostic {
    let known = || fields.iter().map(|field| field.key);
    let fault = Diagnostic::error(format!("unknown key {}", quoted(key)));
    match plan::nearest(key, known()) {
        Some(meant) => fault.hint(format!("did you mean `{meant}`?")),
        None => fault.hint(format!("keys here: {}", known().collect::<Vec<_>>().join(", "))),
    }
}

/// Declares a table of keys:
///
/// ```text
/// model! {
///     /// What it is.
///     pub(crate) struct Stage: "stage" {
///         /// What the key means.
///         rate: At<Rate> = Optional("none"),
///         hold as "for": At<Duration> = Required,
///     }
///     with { load: Load }                       // tables whose keys stand in the same mapping
///     also { line: Option<At<String>> }         // fields without a key
///     short At<Rate> => |rate| Self { … };      // what may stand in place of the mapping
///     groups [Group::at_most_one(&["rate", "to"])];
/// }
/// ```
///
/// Each field becomes an `Option`; `at` is the mapping's place. A missing `Required` key was said to be missing.
macro_rules! model {
    (
        $(#[doc = $doc:literal])*
        $vis:vis struct $name:ident: $title:literal {
            $( $(#[doc = $field_doc:literal])* $field:ident $(as $key:literal)?: $type:ty = $presence:expr, )*
        }
        $(with { $($flat:ident: $flat_type:ty),* })?
        $(also { $($also:ident: $also_type:ty),* })?
        $(short $short:ty => $make:expr;)?
        $(groups [$($group:expr),*];)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Default)]
        $vis struct $name {
            /// Where the mapping stands.
            pub(crate) at: $crate::text::Place,
            /// Its own keys that are given, faulty ones too.
            pub(crate) given: Vec<(&'static str, $crate::text::Place)>,
            $( $(#[doc = $field_doc])* pub(crate) $field: Option<$type>, )*
            $($( #[doc = "Keys of the same mapping."] pub(crate) $flat: $flat_type, )*)?
            $($( #[doc = "Set by the short form alone."] pub(crate) $also: $also_type, )*)?
        }

        impl $crate::read::Table for $name {
            const INFO: $crate::read::TableInfo = $crate::read::TableInfo {
                name: $title,
                doc: &[$($doc),*],
                fields: {
                    use $crate::read::Presence::*;
                    &[$( $crate::read::Field {
                        key: $crate::read::table::key!($field $($key)?),
                        doc: &[$($field_doc),*],
                        presence: $presence,
                        shape: <$type as $crate::read::Model>::shape,
                    }, )*]
                },
                with: &[$($( <$flat_type as $crate::read::Table>::INFO, )*)?],
                groups: &[$($($group),*)?],
                short: $crate::read::table::short_shape!($($short)?),
            };

            fn at(&self) -> $crate::text::Place {
                self.at
            }

            fn given(&self) -> &[(&'static str, $crate::text::Place)] {
                &self.given
            }

            fn read_fields(fields: &mut $crate::read::Fields<'_>, faults: &mut $crate::text::Faults<'_>) -> Self {
                Self {
                    at: fields.at(),
                    given: fields.given(Self::INFO.fields),
                    $( $field: fields.take($crate::read::table::key!($field $($key)?), faults), )*
                    $($( $flat: <$flat_type as $crate::read::Table>::read_fields(fields, faults), )*)?
                    $($( $also: Default::default(), )*)?
                }
            }

            $(
                fn read_short(node: &$crate::text::Node, faults: &mut $crate::text::Faults<'_>) -> Option<Self> {
                    let make: fn($short) -> Self = $make;
                    if matches!(node.value, $crate::text::Value::Scalar { .. }) && node.is_null() {
                        $crate::read::wrong_type(node, &$crate::read::Shape::Table(Self::INFO), faults);
                        return None;
                    }
                    <$short as $crate::read::Model>::read(node, faults).map(|short| Self { at: node.at, ..make(short) })
                }
            )?
        }
    };
}
pub(crate) use model;

/// The key of a field: its own name unless another is given.
macro_rules! key {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $key:literal) => {
        $key
    };
}
pub(crate) use key;

macro_rules! short_shape {
    () => {
        None
    };
    ($short:ty) => {
        Some(<$short as $crate::read::Model>::shape)
    };
}
pub(crate) use short_shape;
