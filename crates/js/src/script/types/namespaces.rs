//! Namespaces: a function that fills an object with what the namespace exports, in the lines where it stood.
//!
//! What is exported keeps its own name within, so that nothing that refers to it has to be written anew: constants, functions, classes are
//! put into the object behind their statement, variables as accessors, so that both sides see what is assigned to them. What another
//! declaration of the same namespace exports has to be named with the namespace, as `Name.it`.

use super::{Stripper, quoted};
use oxc_ast::ast::*;
use oxc_ast_visit::Visit as _;
use oxc_span::GetSpan as _;

impl Stripper<'_> {
    /// What stands before and behind the statements that fill the object of this name. Several declarations of a name fill one object,
    /// which may be a function or a class.
    pub(super) fn filler(&self, name: &str) -> (String, String) {
        if self.hosts.contains(name) {
            return (format!(";(({name}) => {{"), format!("return {name} }})({name});"));
        }
        let filled = if self.merged.contains(name) { format!("{name} || {{}}") } else { "{}".to_owned() };
        (format!("var {name} = (({name}) => {{"), format!("return {name} }})({filled});"))
    }

    /// The first declaration of a name exports it for all.
    pub(super) fn export_once(&mut self, export: &ExportDeclaration<'_>, name: &str) {
        if self.hosts.contains(name) || !self.exported.insert(name.to_owned()) {
            self.blank(export.span.start as usize, export.declaration.span().start as usize);
        }
    }

    pub(super) fn write_namespace(&mut self, it: &TSNamespaceDeclaration<'_>) {
        let (mut head, mut tail) = self.filler(it.id.name.as_str());
        let (mut name, mut inner) = (it.id.name.as_str(), &it.body);
        let block = loop {
            match inner {
                TSNamespaceDeclarationBody::TSModuleBlock(block) => break block,
                // `namespace A.B`: the one fills the other.
                TSNamespaceDeclarationBody::TSNamespaceDeclaration(next) => {
                    let own = next.id.name.as_str();
                    head.push_str(&format!(" const {own} = {name}.{own} = (({own}) => {{"));
                    tail = format!("return {own} }})({name}.{own} || {{}}); {tail}");
                    (name, inner) = (own, &next.body);
                }
            }
        };
        self.replace(it.span.start as usize, block.span.start as usize + 1, &head);
        for statement in &block.body {
            match statement {
                Statement::ExportDeclaration(export) => self.fill(name, export, statement),
                other => self.visit_statement(other),
            }
        }
        let end = block.span.end as usize;
        self.replace(end - 1, end, &format!(";{tail}"));
    }

    /// Puts what a statement exports into the object `space`.
    fn fill(&mut self, space: &str, export: &ExportDeclaration<'_>, statement: &Statement<'_>) {
        let one = |name: &str| format!(" {space}.{name} = {name};");
        let own = |id: &Option<BindingIdentifier<'_>>| id.as_ref().map(|id| one(id.name.as_str()));
        let filled = match &export.declaration {
            Declaration::VariableDeclaration(variables) if !variables.declare => {
                Some(bound(space, variables))
            }
            Declaration::FunctionDeclaration(function) if function.body.is_some() => own(&function.id),
            Declaration::ClassDeclaration(class) if !class.declare => own(&class.id),
            Declaration::TSEnumDeclaration(declared) if !declared.declare => {
                Some(one(declared.id.name.as_str()))
            }
            Declaration::TSNamespaceDeclaration(inner) if !inner.declare && has_values(inner) => {
                Some(one(inner.id.name.as_str()))
            }
            Declaration::TSImportEqualsDeclaration(import) if !import.import_kind.is_type() => {
                let start = import.span.start as usize;
                self.replace(start, start + "import".len(), "const");
                Some(one(import.id.name.as_str()))
            }
            _ => None,
        };
        let Some(filled) = filled else { return self.visit_statement(statement) };
        self.blank(export.span.start as usize, export.declaration.span().start as usize);
        match &export.declaration {
            Declaration::TSEnumDeclaration(declared) => self.write_enum(declared),
            Declaration::TSNamespaceDeclaration(inner) => self.write_namespace(inner),
            Declaration::TSImportEqualsDeclaration(_) => {}
            other => self.visit_declaration(other),
        }
        let end = export.span.end as usize;
        self.replace(end, end, &format!(";{filled}"));
    }
}

/// Variables in their namespace.
fn bound(space: &str, variables: &VariableDeclaration<'_>) -> String {
    let names = variables.declarations.iter().flat_map(|declared| declared.id.get_binding_identifiers());
    let put = |id: &BindingIdentifier<'_>| {
        let (name, key) = (id.name.as_str(), quoted(id.name.as_str()));
        match variables.kind {
            VariableDeclarationKind::Const => format!(" {space}.{name} = {name};"),
            _ => format!(
                " Object.defineProperty({space}, {key}, {{ get: () => {name}, set: (it) => {{ {name} = it }}, enumerable: true }});"
            ),
        }
    };
    names.map(put).collect()
}

/// Whether a namespace is more than types.
pub(super) fn has_values(it: &TSNamespaceDeclaration<'_>) -> bool {
    let of_declaration = |declaration: &Declaration<'_>| match declaration {
        Declaration::TSTypeAliasDeclaration(_) | Declaration::TSInterfaceDeclaration(_) => false,
        Declaration::TSNamespaceDeclaration(inner) => has_values(inner),
        _ => true,
    };
    match &it.body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => has_values(inner),
        TSNamespaceDeclarationBody::TSModuleBlock(block) => {
            block.body.iter().any(|statement| match statement {
                Statement::TSTypeAliasDeclaration(_) | Statement::TSInterfaceDeclaration(_) => false,
                Statement::TSNamespaceDeclaration(inner) => has_values(inner),
                Statement::ExportDeclaration(export) => of_declaration(&export.declaration),
                _ => true,
            })
        }
    }
}
