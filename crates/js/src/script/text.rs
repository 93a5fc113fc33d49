//! What a text imports and exports, and edits of it that keep its lines.

use oxc_allocator::Allocator;
use oxc_parser::{Parser, ParserReturn};
use oxc_span::{SourceType, Span};
use oxc_syntax::module_record::{ExportExportName, ExportImportName, ImportImportName, ModuleRecord};

/// A text put in the place of a part of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

/// What an importer asks of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// This export, `default` among them.
    Name(String),
    /// All as an object. Where it is written, and what is written there when the module is not one of the engine's.
    Namespace(Edit),
    /// All names but `default`, to be exported on.
    Star,
}

/// An `import … from` or `export … from`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) specifier: String,
    pub(super) asked: Option<Asked>,
}

/// What is on a module's surface.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Surface {
    /// Whether it has `import` or `export` or `import.meta`.
    pub(super) is_module: bool,
    pub(super) has_import_meta: bool,
    pub(super) imports: Vec<Import>,
    /// The names that it exports itself.
    pub(super) exports: Vec<String>,
}

/// Reads the surface of a text that is JavaScript. One that can't be parsed has none: the engine says what is wrong with it.
pub(super) fn surface(text: &str) -> Surface {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::mjs()).parse();
    let ParserReturn { module_record, panicked, .. } = parsed;
    if panicked {
        return Surface::default();
    }
    of_record(text, &module_record)
}

/// Where a text stops being JavaScript, as a line from 1 and a column from 1 in UTF-16 units: the engine knows lines alone.
pub(super) fn fault_place(text: &str, kind: Goal) -> Option<(u32, u32)> {
    let allocator = Allocator::default();
    let source_type = match kind {
        Goal::Module => SourceType::mjs(),
        Goal::Script => SourceType::cjs(),
    };
    let parsed = Parser::new(&allocator, text, source_type).parse();
    let fault = parsed.diagnostics.iter().next()?;
    Some(place_of(text, fault.labels.first()?.offset() as usize))
}

/// What a text is parsed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    Module,
    Script,
}

/// Line and column, from 1, of a byte.
pub(super) fn place_of(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    let column = before.get(line_start..).unwrap_or_default().encode_utf16().count() + 1;
    (u32::try_from(line).unwrap_or_default(), u32::try_from(column).unwrap_or_default())
}

fn of_record(text: &str, record: &ModuleRecord<'_>) -> Surface {
    let mut imports: Vec<Import> = Vec::new();
    for specifier in record.requested_modules.keys() {
        imports.push(Import { specifier: specifier.as_str().to_owned(), asked: None });
    }
    for entry in &record.import_entries {
        let asked = match &entry.import_name {
            ImportImportName::Name(name) => Asked::Name(name.name.as_str().to_owned()),
            ImportImportName::Default(_) => Asked::Name("default".to_owned()),
            ImportImportName::NamespaceObject => {
                let local = entry.local_name.name.as_str();
                match namespace_edit(text, entry.statement_span, entry.local_name.span, local) {
                    Some(edit) => Asked::Namespace(edit),
                    None => continue,
                }
            }
        };
        imports.push(Import { specifier: entry.module_request.name.as_str().to_owned(), asked: Some(asked) });
    }
    for entry in record.indirect_export_entries.iter().chain(&record.star_export_entries) {
        let Some(request) = &entry.module_request else { continue };
        let asked = match &entry.import_name {
            ExportImportName::Name(name) => Asked::Name(name.name.as_str().to_owned()),
            ExportImportName::AllButDefault => Asked::Star,
            ExportImportName::All => {
                match exported_namespace_edit(text, entry.statement_span, request.span) {
                    Some(edit) => Asked::Namespace(edit),
                    None => continue,
                }
            }
            ExportImportName::Null => continue,
        };
        imports.push(Import { specifier: request.name.as_str().to_owned(), asked: Some(asked) });
    }
    let entries = record.local_export_entries.iter().chain(&record.indirect_export_entries);
    let exports = entries.filter_map(|entry| match &entry.export_name {
        ExportExportName::Name(name) => Some(name.name.as_str().to_owned()),
        ExportExportName::Default(_) => Some("default".to_owned()),
        ExportExportName::Null => None,
    });
    Surface {
        is_module: record.has_module_syntax,
        has_import_meta: !record.import_metas.is_empty(),
        exports: exports.collect(),
        imports,
    }
}

/// `* as it` in an import becomes `{ "*namespace*" as it }`; behind a default import it stays where it is.
fn namespace_edit(text: &str, statement: Span, local: Span, name: &str) -> Option<Edit> {
    let before = text.get(statement.start as usize..local.start as usize)?;
    let start = statement.start as usize + before.rfind('*')?;
    Some(Edit { start, end: local.end as usize, text: named_namespace(name) })
}

/// `export * as it from` becomes `export { "*namespace*" as it } from`.
fn exported_namespace_edit(text: &str, statement: Span, specifier: Span) -> Option<Edit> {
    let whole = text.get(statement.start as usize..specifier.start as usize)?;
    let star = whole.find('*')?;
    let from = whole.rfind("from")?;
    let name = whole.get(star + 1..from)?.trim().strip_prefix("as")?.trim();
    let start = statement.start as usize + star;
    let end = statement.start as usize + from;
    Some(Edit { start, end, text: format!("{} ", named_namespace(name)) })
}

fn named_namespace(name: &str) -> String {
    format!("{{ \"{}\" as {name} }}", super::NAMESPACE)
}

/// The text with all edits made; they don't overlap.
pub(super) fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let mut result = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for edit in edits {
        if edit.start < at {
            continue;
        }
        result.push_str(text.get(at..edit.start).unwrap_or_default());
        result.push_str(&edit.text);
        at = edit.end;
    }
    result.push_str(text.get(at..).unwrap_or_default());
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_imported_by_name() {
        let check = |text: &str, expected: &str| {
            let edits = surface(text).imports.into_iter().filter_map(|import| match import.asked {
                Some(Asked::Namespace(edit)) => Some(edit),
                _ => None,
            });
            assert_eq!(edited(text, edits.collect()), expected);
        };
        check("import * as a from 'x'", "import { \"*namespace*\" as a } from 'x'");
        check("import d, * as a from 'x'", "import d, { \"*namespace*\" as a } from 'x'");
        check("export * as a from 'x'", "export { \"*namespace*\" as a } from 'x'");
        check("export * as 'a b' from 'from'", "export { \"*namespace*\" as 'a b' } from 'from'");
        check("import a from 'x'; export * from 'y'", "import a from 'x'; export * from 'y'");
    }

    #[test]
    fn surfaces_are_read() {
        let read =
            surface("import a, { b as c } from 'x'; export { d } from 'y'; export let e; export default 1");
        let names: Vec<(String, Asked)> = read
            .imports
            .into_iter()
            .filter_map(|import| import.asked.map(|asked| (import.specifier, asked)))
            .collect();
        let name = |specifier: &str, name: &str| (specifier.to_owned(), Asked::Name(name.to_owned()));
        assert_eq!(names, [name("x", "default"), name("x", "b"), name("y", "d")]);
        assert_eq!(read.exports, ["e", "default", "d"]);
        assert!(read.is_module && !surface("let a = 1").is_module && !surface("let a = ").is_module);
        assert!(surface("import.meta.url").has_import_meta);
    }
}
