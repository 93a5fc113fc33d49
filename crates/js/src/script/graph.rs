//! Loading: modules are read breadth first, each once; then it is settled what importers want of those that the engine does not link.

use super::compile::{Compiler, deep};
use super::text::{Asked, Edit, Goal, Surface, edited, fault_place, place_of, surface};
use super::types::without_types;
use super::{Form, NAMESPACE, Script, Unit, commonjs};
use crate::raw::Bytecode;
use crate::{ErrorKind, Frame, Loaded, ScriptError, Sources};
use std::collections::{BTreeSet, HashMap};

/// Modules of one script at most. A script that imports more has gone astray.
const MODULES_MAX: usize = 10_000;
/// The stack that a parser without a limit of its own may need for each byte of a text with types, which can be one level of nesting.
const TYPED_STACK_BYTES_PER_BYTE: usize = 4 << 10;
/// Length of a text in which the column of a fault is looked for at most, bytes.
const PLACED_BYTES_MAX: usize = 1 << 20;
/// Length of a module's text at most, bytes.
const TEXT_BYTES_MAX: usize = 128 << 20;

/// A module on its way.
struct Draft {
    url: String,
    text: String,
    kind: Kind,
    /// What a native module offers, where it says so.
    offered: Option<&'static [&'static str]>,
    surface: Surface,
    links: HashMap<String, Result<usize, String>>,
    resolved: HashMap<String, Result<String, String>>,
    wanted: BTreeSet<String>,
    /// What importers name and a lenient module does not export.
    lacks: BTreeSet<String>,
}

enum Kind {
    /// An ES module, the text that is compiled, and its bytecode if that text needs no edits.
    Module(String, Bytecode),
    CommonJs(Bytecode),
    Json,
    Native,
}

struct Graph<'a> {
    sources: &'a mut dyn Sources,
    drafts: Vec<Draft>,
    /// Indexes of modules by URL; those that could not be loaded have a place in `drafts` too.
    by_url: HashMap<String, usize>,
    /// What is to be loaded, and who imports it under which name.
    waiting: Vec<(String, Option<(String, String)>)>,
    errors: Vec<ScriptError>,
}

/// Loads all and compiles it.
pub(super) fn load(specifier: &str, sources: &mut dyn Sources) -> Result<Script, Vec<ScriptError>> {
    let unresolved = |reason: String| vec![ScriptError::new(ErrorKind::Module, reason)];
    let url = sources.resolve(specifier, "").map_err(unresolved)?;
    let mut graph = Graph {
        sources,
        drafts: Vec::new(),
        by_url: HashMap::new(),
        waiting: Vec::new(),
        errors: Vec::new(),
    };
    graph.index(url, None);
    // Bytes that parsers need for what stands in a text are in proportion to its length; here is room for what is not.
    deep(0, move || graph.finish()).map_err(|error| vec![error])?
}

impl Graph<'_> {
    /// The place of a module, which is loaded if it is new. `importer`: its URL, and what it calls the module.
    fn index(&mut self, url: String, importer: Option<(&str, &str)>) -> usize {
        if let Some(index) = self.by_url.get(&url) {
            return *index;
        }
        let index = self.by_url.len();
        self.by_url.insert(url.clone(), index);
        let importer = importer.map(|(importer, name)| (importer.to_owned(), name.to_owned()));
        self.waiting.push((url, importer));
        index
    }

    fn finish(mut self) -> Result<Script, Vec<ScriptError>> {
        let compiler = Compiler::new().map_err(|error| vec![error])?;
        while !self.waiting.is_empty() {
            for (url, importer) in std::mem::take(&mut self.waiting) {
                if self.drafts.len() >= MODULES_MAX {
                    let reason = format!("more than {MODULES_MAX} modules");
                    return Err(vec![ScriptError::new(ErrorKind::Module, reason)]);
                }
                let draft = self.draft(&compiler, url, importer);
                self.drafts.push(draft);
                self.link_last();
            }
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        self.settle();
        self.compile(&compiler)
    }

    /// Reads one module. One that has a fault has it noted, and stands as an empty one until all are read.
    fn draft(&mut self, compiler: &Compiler, url: String, importer: Option<(String, String)>) -> Draft {
        let loaded = match self.sources.load(&url) {
            Ok(loaded) => loaded,
            Err(mut reason) => {
                if let Some((importer, name)) = importer {
                    reason = format!("{reason}; {importer} imports it as {name:?}");
                }
                self.errors.push(ScriptError::new(ErrorKind::Module, reason));
                Loaded::Native
            }
        };
        let mut draft = Draft {
            url,
            text: String::new(),
            kind: Kind::Native,
            offered: None,
            surface: Surface::default(),
            links: HashMap::new(),
            resolved: HashMap::new(),
            wanted: BTreeSet::new(),
            lacks: BTreeSet::new(),
        };
        let read = match loaded {
            Loaded::Native => {
                draft.offered = self.sources.names(&draft.url);
                Ok(())
            }
            Loaded::Json(text) => {
                draft.text = text.trim_start_matches('\u{feff}').to_owned();
                draft.kind = Kind::Json;
                compiler.json(&draft.url, &draft.text)
            }
            Loaded::JavaScript(text) => {
                draft.text = text.trim_start_matches('\u{feff}').to_owned();
                check_size(&draft).and_then(|()| read(compiler, &mut draft, None))
            }
            Loaded::TypeScript(text) => {
                draft.text = text.trim_start_matches('\u{feff}').to_owned();
                check_size(&draft).and_then(|()| {
                    let bytes = draft.text.len().saturating_mul(TYPED_STACK_BYTES_PER_BYTE);
                    let plain = deep(bytes, || without_types(&draft.url, &draft.text))??;
                    read(compiler, &mut draft, Some(plain))
                })
            }
        };
        if let Err(error) = read {
            let mut error = error;
            let line = error.stack.first().and_then(|frame| usize::try_from(frame.line).ok()?.checked_sub(1));
            if let Some(line) = line.and_then(|index| draft.text.lines().nth(index)) {
                error.show_line(line);
            }
            self.errors.push(error);
        }
        draft
    }

    /// Follows the imports of the module that was read last.
    fn link_last(&mut self) {
        let Some(draft) = self.drafts.last() else { return };
        let url = draft.url.clone();
        let is_native = matches!(draft.kind, Kind::Native);
        let imported: BTreeSet<String> =
            draft.surface.imports.iter().map(|import| import.specifier.clone()).collect();
        let required = match draft.kind {
            Kind::Module(..) | Kind::CommonJs(_) => commonjs::required(&draft.text),
            Kind::Json | Kind::Native => BTreeSet::new(),
        };
        let resolved = commonjs::resolved(&draft.text);
        let mut links = HashMap::new();
        for specifier in imported.union(&required) {
            let link = match self.sources.resolve(specifier, &url) {
                Ok(found) => Ok(self.index(found, Some((&url, specifier)))),
                Err(reason) => {
                    // What is required may be missing until it is required; what is imported may not.
                    if imported.contains(specifier) {
                        self.errors.push(ScriptError::new(ErrorKind::Module, reason.clone()));
                    }
                    Err(reason)
                }
            };
            links.insert(specifier.clone(), link);
        }
        let resolved =
            resolved.into_iter().map(|name| (name.clone(), self.sources.resolve(&name, &url))).collect();
        if let Some(draft) = self.drafts.last_mut() {
            draft.links = links;
            draft.resolved = resolved;
        }
        if is_native {
            for behind in self.sources.behind(&url) {
                self.index((*behind).to_owned(), None);
            }
        }
    }

    /// Settles what importers want of modules that the engine does not link, through all that export on what they import.
    fn settle(&mut self) {
        let mut open: Vec<(usize, String)> = Vec::new();
        for draft in &self.drafts {
            for import in &draft.surface.imports {
                let Some(Ok(target)) = draft.links.get(&import.specifier) else { continue };
                match &import.asked {
                    Some(Asked::Name(name)) => open.push((*target, name.clone())),
                    Some(Asked::Namespace(_)) => open.push((*target, NAMESPACE.to_owned())),
                    Some(Asked::Star) | None => {}
                }
            }
        }
        let mut seen = BTreeSet::new();
        let mut lacking: Vec<(usize, String)> = Vec::new();
        while let Some((index, name)) = open.pop() {
            if !seen.insert((index, name.clone())) {
                continue;
            }
            let Some(draft) = self.drafts.get_mut(index) else { continue };
            if !matches!(draft.kind, Kind::Module(..)) {
                draft.wanted.insert(name);
                continue;
            }
            if draft.surface.exports.contains(&name) {
                continue;
            }
            if self.sources.is_lenient(&draft.url) && name != NAMESPACE {
                lacking.push((index, name));
                continue;
            }
            for import in draft.surface.imports.iter().filter(|import| import.asked == Some(Asked::Star)) {
                if let Some(Ok(target)) = draft.links.get(&import.specifier) {
                    open.push((*target, name.clone()));
                }
            }
        }
        for (index, name) in lacking {
            if let Some(draft) = self.drafts.get_mut(index) {
                draft.lacks.insert(name);
            }
        }
    }

    /// Compiles anew what has to be edited, and puts all together.
    fn compile(self, compiler: &Compiler) -> Result<Script, Vec<ScriptError>> {
        let is_module: Vec<bool> =
            self.drafts.iter().map(|draft| matches!(draft.kind, Kind::Module(..))).collect();
        let mut errors = Vec::new();
        let mut units = Vec::with_capacity(self.drafts.len());
        for draft in self.drafts {
            let mut edits = edits(&draft, &is_module);
            if let Kind::Module(text, _) = &draft.kind {
                edits.extend(
                    draft.lacks.iter().enumerate().map(|(number, name)| undefined(text, number, name)),
                );
            }
            let is_common_js = matches!(draft.kind, Kind::CommonJs(_));
            let form = match draft.kind {
                Kind::Module(text, bytecode) if edits.is_empty() => {
                    drop(text);
                    Form::Module(bytecode)
                }
                Kind::Module(text, _) => match compiler.module(&draft.url, &edited(&text, edits)) {
                    Ok(bytecode) => Form::Module(bytecode),
                    Err(error) => {
                        errors.push(error);
                        continue;
                    }
                },
                Kind::CommonJs(bytecode) => Form::CommonJs(bytecode),
                Kind::Json => Form::Json(draft.text.clone()),
                Kind::Native => Form::Native,
            };
            units.push(Unit {
                url: draft.url,
                form,
                links: draft.links,
                resolved: draft.resolved,
                wanted: draft.wanted.into_iter().collect(),
                offered: draft.offered,
                has_import_meta: draft.surface.has_import_meta,
                text: draft.text,
                first_line_shift: if is_common_js { commonjs::FIRST_LINE_SHIFT } else { 0 },
            });
        }
        if errors.is_empty() { Ok(Script::new(units, self.by_url)) } else { Err(errors) }
    }
}

/// What has to be changed in a module because what it imports is none of the engine's.
fn edits(draft: &Draft, is_module: &[bool]) -> Vec<Edit> {
    let edits = draft.surface.imports.iter().filter_map(|import| {
        let Some(Asked::Namespace(edit)) = &import.asked else { return None };
        let target = draft.links.get(&import.specifier)?.as_ref().ok()?;
        let is_linked = is_module.get(*target).copied().unwrap_or_default();
        (!is_linked).then(|| edit.clone())
    });
    edits.collect()
}

/// An export that is `undefined`, behind the text.
fn undefined(text: &str, number: usize, name: &str) -> Edit {
    let new = format!("\nlet lacking{number}; export {{ lacking{number} as {name:?} }};");
    Edit { start: text.len(), end: text.len(), text: new }
}

fn check_size(draft: &Draft) -> Result<(), ScriptError> {
    if draft.text.len() <= TEXT_BYTES_MAX {
        return Ok(());
    }
    let reason = format!("{}: a module of more than {} MiB", draft.url, TEXT_BYTES_MAX >> 20);
    Err(ScriptError::new(ErrorKind::Module, reason))
}

/// Finds out what a text is. It is an ES module when it can be one and has an `import`, an `export` or a top-level `await`.
fn read(compiler: &Compiler, draft: &mut Draft, plain: Option<String>) -> Result<(), ScriptError> {
    let text = plain.unwrap_or_else(|| draft.text.clone());
    if let Some(at) = text.find('\0') {
        let (line, column) = place_of(&text, at);
        let mut error =
            ScriptError::new(ErrorKind::Syntax, "a byte that is zero: write \\0 where it is meant");
        error.name = "SyntaxError".to_owned();
        error.stack =
            vec![Frame { function: "<anonymous>".to_owned(), file: draft.url.clone(), line, column }];
        return Err(error);
    }
    match compiler.module(&draft.url, &text) {
        Ok(bytecode) => {
            let surface = surface(&text);
            let common_js = (!surface.is_module).then(|| compiler.common_js(&draft.url, &text));
            match common_js {
                Some(Ok(common_js)) => draft.kind = Kind::CommonJs(common_js),
                // Without a function around it, it is a module, so it awaits.
                _ => {
                    draft.surface = surface;
                    draft.kind = Kind::Module(text, bytecode);
                }
            }
            Ok(())
        }
        Err(as_module) => match compiler.common_js(&draft.url, &text) {
            Ok(bytecode) => {
                draft.kind = Kind::CommonJs(bytecode);
                Ok(())
            }
            Err(as_common_js) => Err(further(&text, as_module, as_common_js)),
        },
    }
}

/// The error that stands further down: what comes before it was understood.
fn further(text: &str, mut as_module: ScriptError, mut as_common_js: ScriptError) -> ScriptError {
    place(text, Goal::Module, &mut as_module);
    place(text, Goal::Script, &mut as_common_js);
    let place = |error: &ScriptError| error.stack.first().map(|frame| (frame.line, frame.column));
    // A module's text that is nested too deep has no place.
    let is_further = place(&as_module).is_some() && place(&as_common_js) > place(&as_module);
    if is_further { as_common_js } else { as_module }
}

/// Gives a syntax error its column. Not where the text is too long or too deep for a parser that has no limit of its own.
fn place(text: &str, goal: Goal, error: &mut ScriptError) {
    let Some(frame) = error.stack.first_mut() else { return };
    if error.name != "SyntaxError" || text.len() > PLACED_BYTES_MAX {
        frame.column = 0;
        return;
    }
    let found = deep(text.len().saturating_mul(TYPED_STACK_BYTES_PER_BYTE), || fault_place(text, goal));
    match found.ok().flatten() {
        Some((line, column)) if line == frame.line => frame.column = column,
        _ => frame.column = 0,
    }
}
