//! TypeScript: types are taken out and blanks put in their places, so that what is left stands in the lines and columns where it stood.
//!
//! What has no counterpart in JavaScript is written anew in the same lines: enums, namespaces, parameter properties, `import x = require()`. An import
//! of which no name is used as a value is taken out, as TypeScript does.

mod namespaces;

use super::text::{Edit, edited, place_of};
use crate::{ErrorKind, Frame, ScriptError};
use namespaces::has_values;
use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};
use oxc_syntax::scope::ScopeFlags;
use std::collections::BTreeSet;

/// The text of a module without its types.
pub(super) fn without_types(url: &str, text: &str) -> Result<String, ScriptError> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, text, SourceType::ts()).parse();
    if let Some(fault) = parsed.diagnostics.iter().next() {
        let offset = fault.labels.first().map(|label| label.offset());
        return Err(fault_at(url, text, offset.map(|offset| offset as usize), &fault.message));
    }
    let mut stripper = Stripper::new(text);
    stripper.types_and_values(&parsed.program);
    stripper.visit_program(&parsed.program);
    stripper.imports(&parsed.program);
    match stripper.fault {
        Some((offset, reason)) => Err(fault_at(url, text, Some(offset), reason)),
        None => Ok(edited(text, stripper.edits)),
    }
}

fn fault_at(url: &str, text: &str, offset: Option<usize>, message: &str) -> ScriptError {
    let mut error = ScriptError::new(ErrorKind::Syntax, message);
    error.name = "SyntaxError".to_owned();
    let (line, column) = place_of(text, offset.unwrap_or_default());
    error.stack = vec![Frame { function: "<module>".to_owned(), file: url.to_owned(), line, column }];
    error
}

/// Words before a member's name that say something about types alone.
const MODIFIERS: [&str; 7] =
    ["public", "private", "protected", "readonly", "override", "abstract", "declare"];

struct Stripper<'t> {
    text: &'t str,
    edits: Vec<Edit>,
    /// Names that are used as values anywhere.
    values: BTreeSet<String>,
    /// Names that are declared as types and as nothing else.
    types: BTreeSet<String>,
    /// Names that several declarations are merged under, and those of functions and classes.
    merged: BTreeSet<String>,
    hosts: BTreeSet<String>,
    /// Enums and namespaces that were exported already.
    exported: BTreeSet<String>,
    /// The first thing that can't be made JavaScript.
    fault: Option<(usize, &'static str)>,
}

impl<'t> Stripper<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            edits: Vec::new(),
            values: BTreeSet::new(),
            types: BTreeSet::new(),
            merged: BTreeSet::new(),
            hosts: BTreeSet::new(),
            exported: BTreeSet::new(),
            fault: None,
        }
    }

    fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Puts `new` in a part's place; its line breaks are kept behind it.
    fn replace(&mut self, start: usize, end: usize, new: &str) {
        let lines = self.slice(start, end).matches('\n').count();
        self.edits.push(Edit { start, end, text: format!("{new}{}", "\n".repeat(lines)) });
    }

    /// Puts blanks in a part's place, and `first` at its beginning.
    fn blank_from(&mut self, start: usize, end: usize, first: &str) {
        if start >= end {
            return;
        }
        let blanks = blanks(self.slice(start + first.len(), end));
        self.edits.push(Edit { start, end, text: format!("{first}{blanks}") });
    }

    fn blank(&mut self, start: usize, end: usize) {
        self.blank_from(start, end, "");
    }

    fn blank_span(&mut self, span: Span) {
        self.blank(span.start as usize, span.end as usize);
    }

    /// Takes a statement out. A semicolon stays, so that the lines around it don't become one statement.
    fn blank_statement(&mut self, span: Span) {
        self.blank_from(span.start as usize, span.end as usize, ";");
    }

    /// Takes out what follows an expression up to the end of the node around it, `as T` for example.
    fn blank_after(&mut self, inner: Span, outer: Span) {
        let (start, end) = (inner.end as usize, outer.end as usize);
        // What follows in the next line would be a call of the expression or an index of it; behind a type it never is.
        let rest = self.text.get(end..).unwrap_or_default();
        let next = rest.trim_start();
        let gap = rest.get(..rest.len() - next.len()).unwrap_or_default();
        let joins = gap.contains('\n') && next.starts_with(['(', '[', '`']);
        self.blank_from(start, end, if joins { ";" } else { "" });
    }

    /// Takes out words about types between the start of a member and its name, and a `?` or `!` behind the name.
    fn member_modifiers(&mut self, start: usize, key: Span, is_computed: bool) {
        let region = self.slice(start, key.start as usize);
        let mut at = 0;
        for word in region.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            let place = start + at;
            at += word.len() + 1;
            if MODIFIERS.contains(&word) {
                let rest = self.slice(place + word.len(), key.start as usize).trim_start();
                // Behind the end of a field without a semicolon, `['a']` and `*a` would go on with that field.
                let joins = is_computed && rest.trim() == "[" || rest.starts_with('*');
                self.blank_from(place, place + word.len(), if joins { ";" } else { "" });
            }
        }
    }

    /// Takes out a `?` or `!` between a name and what follows it.
    fn mark(&mut self, after: usize, before: usize) {
        if let Some(at) = self.slice(after, before).find(['?', '!']) {
            self.blank(after + at, after + at + 1);
        }
    }

    /// Gathers the names of values and of types, which decide what is imported and exported.
    fn types_and_values(&mut self, program: &Program<'_>) {
        let mut names = Names::default();
        names.visit_program(program);
        (self.merged, self.hosts) = (names.merged, names.hosts);
        self.types = names.types.difference(&names.declared).cloned().collect();
        self.values = names.values;
    }

    /// Takes imports and exports of types out.
    fn imports(&mut self, program: &Program<'_>) {
        for statement in &program.body {
            match statement {
                Statement::ImportDeclaration(import) => self.import(import),
                Statement::ExportNamedDeclaration(export) => {
                    if export.export_kind.is_type() {
                        self.blank_statement(export.span);
                    } else {
                        self.export_specifiers(&export.specifiers, true);
                    }
                }
                Statement::ExportFromDeclaration(export) => {
                    if export.export_kind.is_type() {
                        self.blank_statement(export.span);
                    } else {
                        self.export_specifiers(&export.specifiers, false);
                    }
                }
                Statement::ExportAllDeclaration(export) if export.export_kind.is_type() => {
                    self.blank_statement(export.span);
                }
                _ => {}
            }
        }
    }

    fn import(&mut self, import: &ImportDeclaration<'_>) {
        if import.import_kind.is_type() {
            return self.blank_statement(import.span);
        }
        let Some(specifiers) = import.specifiers.as_ref().filter(|specifiers| !specifiers.is_empty()) else {
            return;
        };
        let is_used = |specifier: &ImportDeclarationSpecifier<'_>| {
            let is_type = matches!(specifier, ImportDeclarationSpecifier::ImportSpecifier(named)
                if named.import_kind.is_type());
            !is_type && self.values.contains(specifier.name().as_ref())
        };
        let used: Vec<bool> = specifiers.iter().map(is_used).collect();
        if !used.contains(&true) {
            return self.blank_statement(import.span);
        }
        let default_unused =
            matches!(specifiers.first(), Some(ImportDeclarationSpecifier::ImportDefaultSpecifier(_)))
                && used.first() == Some(&false);
        for (specifier, _) in specifiers.iter().zip(&used).filter(|(_, used)| !**used) {
            let span = specifier.span();
            // `import it, { other } from`: the comma goes too. `import { it, other }`: likewise, where there is one.
            let is_default = matches!(specifier, ImportDeclarationSpecifier::ImportDefaultSpecifier(_));
            if is_default == default_unused || !is_default {
                self.blank_listed(span);
            }
        }
        let named_unused = specifiers.iter().zip(&used).skip(1).all(|(_, used)| !used);
        if used.first() == Some(&true) && named_unused && specifiers.len() > 1 && !default_unused {
            self.only_default(import, specifiers);
        }
    }

    /// `import it, * as types from` of which `types` is used as no value.
    fn only_default(
        &mut self,
        import: &ImportDeclaration<'_>,
        specifiers: &[ImportDeclarationSpecifier<'_>],
    ) {
        let (Some(first), Some(second)) = (specifiers.first(), specifiers.get(1)) else { return };
        if matches!(first, ImportDeclarationSpecifier::ImportDefaultSpecifier(_))
            && matches!(second, ImportDeclarationSpecifier::ImportNamespaceSpecifier(_))
        {
            let before_from = self.slice(second.span().end as usize, import.source.span.start as usize);
            if before_from.contains("from") {
                self.blank(first.span().end as usize, second.span().start as usize);
            }
        }
    }

    fn export_specifiers(&mut self, specifiers: &[ExportSpecifier<'_>], is_local: bool) {
        for specifier in specifiers {
            let is_type = is_local && self.types.contains(specifier.local.name().as_str());
            if specifier.export_kind.is_type() || is_type {
                self.blank_listed(specifier.span);
            }
        }
    }

    /// Takes out an entry of a list and the comma behind it.
    fn blank_listed(&mut self, span: Span) {
        let (start, end) = (span.start as usize, span.end as usize);
        let rest = self.text.get(end..).unwrap_or_default();
        let gap = rest.len() - rest.trim_start().len();
        let has_comma = rest.trim_start().starts_with(',');
        self.blank(start, if has_comma { end + gap + 1 } else { end });
    }

    /// Writes an enum as a function that fills an object.
    fn write_enum(&mut self, it: &TSEnumDeclaration<'_>) {
        let name = it.id.name.as_str();
        let members = &it.body.members;
        let own: BTreeSet<String> =
            members.iter().map(|member| member.id.static_name().to_string()).collect();
        let mut used = Names::default();
        for initializer in members.iter().filter_map(|member| member.initializer.as_ref()) {
            used.visit_expression(initializer);
        }
        let (start, end) = (it.span.start as usize, it.span.end as usize);
        let first = members.first().map_or(end - 1, |member| member.span.start as usize);
        let (head, tail) = self.filler(name);
        self.replace(start, first, &format!("{head} "));
        let mut previous: Option<String> = None;
        for (index, member) in members.iter().enumerate() {
            let key = member.id.static_name().to_string();
            let quoted = quoted(&key);
            let is_text = matches!(
                member.initializer,
                Some(Expression::StringLiteral(_) | Expression::TemplateLiteral(_))
            );
            let local = if used.values.contains(&key) && own.contains(&key) {
                format!("const {key} = ")
            } else {
                String::new()
            };
            let back = if is_text { String::new() } else { format!("{name}[{name}[{quoted}]] = {quoted}; ") };
            let (member_start, member_end) = (member.span.start as usize, member.span.end as usize);
            let head = format!("{local}{name}[{quoted}] = ");
            if let Some(initializer) = &member.initializer {
                self.replace(member_start, initializer.span().start as usize, &head);
                self.visit_expression(initializer);
            } else {
                let value =
                    previous.map_or_else(|| "0".to_owned(), |previous| format!("{name}[{previous}] + 1"));
                self.replace(member_start, member_end, &format!("{head}{value}"));
            }
            let next = members.get(index + 1).map_or(end - 1, |next| next.span.start as usize);
            self.tail(member_end, next, &format!("; {back}"));
            previous = Some(quoted);
        }
        self.replace(end - 1, end, &tail);
    }

    /// Between two members of an enum: the comma becomes `new`, blanks and comments stay.
    fn tail(&mut self, start: usize, end: usize, new: &str) {
        let gap = self.slice(start, end);
        match gap.find(',') {
            Some(comma) => self.replace(start + comma, start + comma + 1, new),
            None => self.replace(start, start, new),
        }
    }

    /// What a constructor does with parameters that are properties too.
    fn parameter_properties(&mut self, function: &Function<'_>) {
        let Some(body) = &function.body else { return };
        let names = function.params.items.iter().filter(|parameter| {
            parameter.accessibility.is_some() || parameter.readonly || parameter.r#override
        });
        let sets = names.filter_map(|parameter| match &parameter.pattern {
            BindingPattern::BindingIdentifier(name) => Some(format!(" this.{0} = {0};", name.name)),
            _ => None,
        });
        let sets: String = sets.collect();
        if sets.is_empty() {
            return;
        }
        let is_super = |statement: &&Statement<'_>| {
            matches!(statement, Statement::ExpressionStatement(expression)
                if matches!(&expression.expression, Expression::CallExpression(call)
                    if matches!(call.callee, Expression::Super(_))))
        };
        let after_super =
            body.statements.iter().find(is_super).map(|statement| statement.span().end as usize);
        let place = after_super.unwrap_or(body.span.start as usize + 1);
        let sets = if after_super.is_some() { format!(";{sets}") } else { sets };
        self.edits.push(Edit { start: place, end: place, text: sets });
    }

    /// Takes out what is about types between a class's head and its body.
    fn class_head(&mut self, it: &Class<'_>) {
        let head_end = it.body.span.start as usize;
        if it.r#abstract {
            let start = it.decorators.last().map_or(it.span.start, |last| last.span.end) as usize;
            if let Some(at) = self.slice(start, head_end).find("abstract") {
                self.blank(start + at, start + at + "abstract".len());
            }
        }
        if let Some(first) = it.implements.first() {
            let after = [
                it.id.as_ref().map(|id| id.span.end),
                it.type_parameters.as_ref().map(|parameters| parameters.span.end),
                it.heritage.as_ref().map(|heritage| heritage.expression.span().end),
                it.heritage.as_ref().and_then(|heritage| Some(heritage.type_arguments.as_ref()?.span.end)),
            ];
            let after = after.into_iter().flatten().max().unwrap_or(it.span.start) as usize;
            let word = self.slice(after, first.span.start as usize).rfind("implements");
            if let Some(at) = word {
                self.blank(after + at, head_end);
            }
        }
    }
}

/// A blank for each byte, since the engine counts columns in bytes; line breaks stay.
fn blanks(text: &str) -> String {
    let blank = |byte: u8| if matches!(byte, b'\n' | b'\r' | b'\t') { char::from(byte) } else { ' ' };
    text.bytes().map(blank).collect()
}

/// A text as JavaScript writes it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

impl<'a> Visit<'a> for Stripper<'_> {
    fn visit_statement(&mut self, it: &Statement<'a>) {
        match it {
            Statement::TSTypeAliasDeclaration(_)
            | Statement::TSInterfaceDeclaration(_)
            | Statement::TSExternalModuleDeclaration(_)
            | Statement::TSGlobalDeclaration(_)
            | Statement::TSNamespaceExportDeclaration(_) => self.blank_statement(it.span()),
            Statement::VariableDeclaration(variables) if variables.declare => self.blank_statement(it.span()),
            Statement::ClassDeclaration(class) if class.declare => self.blank_statement(it.span()),
            Statement::FunctionDeclaration(function) if function.body.is_none() => {
                self.blank_statement(it.span())
            }
            Statement::TSEnumDeclaration(declared) if declared.declare => self.blank_statement(it.span()),
            Statement::TSNamespaceDeclaration(namespace) => {
                if namespace.declare || !has_values(namespace) {
                    self.blank_statement(it.span());
                } else {
                    self.write_namespace(namespace);
                }
            }
            Statement::TSExportAssignment(export) => {
                let (start, value) = (export.span.start as usize, export.expression.span().start as usize);
                self.replace(start, value, "module.exports = ");
                self.visit_expression(&export.expression);
            }
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::TSTypeAliasDeclaration(_)
                | Declaration::TSInterfaceDeclaration(_)
                | Declaration::TSExternalModuleDeclaration(_)
                | Declaration::TSGlobalDeclaration(_) => self.blank_statement(it.span()),
                Declaration::VariableDeclaration(variables) if variables.declare => {
                    self.blank_statement(it.span())
                }
                Declaration::ClassDeclaration(class) if class.declare => self.blank_statement(it.span()),
                Declaration::FunctionDeclaration(function) if function.body.is_none() => {
                    self.blank_statement(it.span());
                }
                Declaration::TSEnumDeclaration(declared) if declared.declare => {
                    self.blank_statement(it.span())
                }
                Declaration::TSNamespaceDeclaration(namespace) => {
                    if namespace.declare || !has_values(namespace) {
                        self.blank_statement(it.span());
                    } else {
                        self.export_once(export, namespace.id.name.as_str());
                        self.write_namespace(namespace);
                    }
                }
                Declaration::TSEnumDeclaration(declared) => {
                    self.export_once(export, declared.id.name.as_str());
                    self.write_enum(declared);
                }
                _ => walk::walk_statement(self, it),
            },
            Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => self.blank_statement(it.span()),
                ExportDefaultDeclarationKind::FunctionDeclaration(function) if function.body.is_none() => {
                    self.blank_statement(it.span());
                }
                _ => walk::walk_statement(self, it),
            },
            Statement::ImportDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
            | Statement::ExportFromDeclaration(_)
            | Statement::ExportAllDeclaration(_) => {}
            _ => walk::walk_statement(self, it),
        }
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        self.write_enum(it);
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        if it.import_kind.is_type() || !self.values.contains(it.id.name.as_str()) {
            return self.blank_statement(it.span);
        }
        let start = it.span.start as usize;
        self.replace(start, start + "import".len(), "const");
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.blank_span(it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.blank_span(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank_span(it.span);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_after(it.expression.span(), it.span);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_after(it.expression.span(), it.span);
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_after(it.expression.span(), it.span);
    }

    fn visit_ts_instantiation_expression(&mut self, it: &TSInstantiationExpression<'a>) {
        self.visit_expression(&it.expression);
        self.blank_after(it.expression.span(), it.span);
    }

    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        self.blank(it.span.start as usize, it.expression.span().start as usize);
        self.visit_expression(&it.expression);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let Some(annotation) = it.type_annotation.as_ref().filter(|_| it.definite) {
            self.mark(it.id.span().end as usize, annotation.span.start as usize);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            let start = it.decorators.last().map_or(it.span.start, |last| last.span.end) as usize;
            self.member_modifiers(start, it.pattern.span(), false);
        }
        if it.optional {
            let end = it.type_annotation.as_ref().map_or(it.span.end, |annotation| annotation.span.start);
            let end = (end as usize).max(it.pattern.span().end as usize);
            // A parameter's span may end before its mark.
            let end = if end == it.pattern.span().end as usize { self.text.len() } else { end };
            self.mark(it.pattern.span().end as usize, end);
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.blank_listed(it.span);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        walk::walk_function(self, it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let returned = it.return_type.as_ref().map(|returned| returned.span);
        walk::walk_arrow_function_expression(self, it);
        // The parameters must begin in the line of `async`: their bracket moves to the types' begin.
        let types = it.type_parameters.as_ref().filter(|_| it.r#async).map(|types| types.span);
        if let Some(span) = types
            && self.slice(span.start as usize, span.end as usize).contains('\n')
        {
            self.edits.retain(|edit| edit.start != span.start as usize || edit.end != span.end as usize);
            self.blank_from(span.start as usize, span.end as usize, "(");
            let open = it.params.span.start as usize;
            self.blank(open, open + 1);
        }
        // `=>` must stand in the line of the parameters' end: that moves to the type's end.
        let returned =
            returned.filter(|span| self.slice(span.start as usize, span.end as usize).contains('\n'));
        if let Some(span) = returned {
            let close = it.params.span.end as usize;
            self.edits.retain(|edit| edit.start != span.start as usize || edit.end != span.end as usize);
            self.blank(close - 1, close);
            let (start, end) = (span.start as usize, span.end as usize);
            let mut blanks = blanks(self.slice(start, end));
            blanks.pop();
            self.edits.push(Edit { start, end, text: format!("{blanks})") });
        }
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.class_head(it);
        for decorator in &it.decorators {
            self.visit_decorator(decorator);
        }
        if let Some(parameters) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        if let Some(heritage) = &it.heritage {
            self.visit_expression(&heritage.expression);
            if let Some(arguments) = &heritage.type_arguments {
                self.visit_ts_type_parameter_instantiation(arguments);
            }
        }
        self.visit_class_body(&it.body);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        if matches!(it, ClassElement::TSIndexSignature(_)) {
            return self.blank_statement(it.span());
        }
        walk::walk_class_element(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        if it.value.body.is_none() {
            return self.blank_statement(it.span);
        }
        let start = it.decorators.last().map_or(it.span.start, |last| last.span.end) as usize;
        self.member_modifiers(start, it.key.span(), it.computed);
        if it.optional {
            self.mark(it.key.span().end as usize, it.value.span.start as usize);
        }
        if it.kind == MethodDefinitionKind::Constructor {
            self.parameter_properties(&it.value);
        }
        walk::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        if it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
            return self.blank_statement(it.span);
        }
        let start = it.decorators.last().map_or(it.span.start, |last| last.span.end) as usize;
        self.member_modifiers(start, it.key.span(), it.computed);
        if it.optional || it.definite {
            let annotated = it.type_annotation.as_ref().map(|annotation| annotation.span.start);
            let value = it.value.as_ref().map(|value| value.span().start);
            let end = annotated.or(value).unwrap_or(it.span.end) as usize;
            self.mark(it.key.span().end as usize, end);
        }
        walk::walk_property_definition(self, it);
    }

    fn visit_accessor_property(&mut self, it: &AccessorProperty<'a>) {
        self.fault.get_or_insert((it.span.start as usize, "the keyword `accessor` is not known"));
    }
}

/// Gathers names. By name alone and not by scope: a name that is used as a value anywhere counts as used.
#[derive(Default)]
struct Names {
    values: BTreeSet<String>,
    types: BTreeSet<String>,
    /// Names that are bound to values.
    declared: BTreeSet<String>,
    /// Names of enums and namespaces, and those of them that there are several declarations of.
    filled: BTreeSet<String>,
    merged: BTreeSet<String>,
    /// Names of functions and classes.
    hosts: BTreeSet<String>,
}

impl Names {
    fn fill(&mut self, name: &str) {
        if !self.filled.insert(name.to_owned()) {
            self.merged.insert(name.to_owned());
        }
    }
}

impl<'a> Visit<'a> for Names {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        self.values.insert(it.name.to_string());
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.declared.insert(it.name.to_string());
    }

    fn visit_declaration(&mut self, it: &Declaration<'a>) {
        match it {
            Declaration::FunctionDeclaration(function) if function.body.is_some() => {
                self.hosts.extend(function.id.as_ref().map(|id| id.name.to_string()));
            }
            Declaration::ClassDeclaration(class) => {
                self.hosts.extend(class.id.as_ref().map(|id| id.name.to_string()));
            }
            _ => {}
        }
        walk::walk_declaration(self, it);
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        self.fill(it.id.name.as_str());
        walk::walk_ts_enum_declaration(self, it);
    }

    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if has_values(it) {
            self.fill(it.id.name.as_str());
        }
        walk::walk_ts_namespace_declaration(self, it);
    }

    fn visit_export_specifier(&mut self, it: &ExportSpecifier<'a>) {
        if !it.export_kind.is_type() {
            self.values.insert(it.local.name().to_string());
        }
    }

    fn visit_import_specifier(&mut self, it: &ImportSpecifier<'a>) {
        if !it.import_kind.is_type() {
            self.declared.insert(it.local.name.to_string());
        }
    }

    fn visit_ts_type_alias_declaration(&mut self, it: &TSTypeAliasDeclaration<'a>) {
        self.types.insert(it.id.name.to_string());
    }

    fn visit_ts_interface_declaration(&mut self, it: &TSInterfaceDeclaration<'a>) {
        self.types.insert(it.id.name.to_string());
    }

    fn visit_ts_type_annotation(&mut self, _: &TSTypeAnnotation<'a>) {}

    fn visit_ts_type(&mut self, _: &TSType<'a>) {}

    fn visit_ts_type_parameter_declaration(&mut self, _: &TSTypeParameterDeclaration<'a>) {}

    fn visit_ts_type_parameter_instantiation(&mut self, _: &TSTypeParameterInstantiation<'a>) {}

    fn visit_ts_class_implements(&mut self, _: &TSClassImplements<'a>) {}
}

#[cfg(test)]
#[path = "types_tests.rs"]
mod tests;
#[cfg(test)]
mod torn_tests;
