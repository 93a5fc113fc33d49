//! The reference of plans as Markdown. Made from the tables that also parse plans; only what is said of all keys at once is written here.

use crate::model::PlanText;
use crate::read::{Field, Presence, Shape, Table, TableInfo};
use crate::schema::prose;

const INTRODUCTION: &str = "# Reference of plans

<!-- Made from the doc comments in `crates/planfile/src/model`; edit those. -->

A plan is a YAML or JSON file (JSON is read as the YAML that it is). `weir check PLAN` lists everything that is wrong with one, and
`weir schema` prints its JSON Schema, which lets editors complete and check keys.

```yaml
target: http://127.0.0.1:7070
request: GET /hello
rate: 500/s
duration: 30s
slos: p99(response) < 50ms
```

**Quantities carry their unit.** Durations: `250us`, `1.5ms`, `30s`, `1m30s`, `2h`. Rates: `200/s`, `90/min`. Sizes: `512B`, `8KiB`,
`1.5MB`. Shares: `20%`.

**Texts may hold variables**: the paths, queries, headers and bodies of requests, what `set` sets, and what checks compare with. Write
`${name}` for a variable from `vars`, `set` or `capture`, and `${feed.column}` for a column of a feed. A variable without a value is empty. `$${` stands
for a literal `${`. Weir itself makes `${random(1,100)}` (a whole number, both ends included), `${uuid}`, `${user_index}` (from 0), `${user_number}`
(from 1) and `${iteration}` (how many actions the user began before). Within `{…}` and `[…]`, YAML wants texts with
`${…}` in quotes.

**Files** are seen from the plan's folder.

**Anchors**: `&name` marks a value, `*name` repeats it, and `<<: *name` takes over a mapping's keys.
";

/// The reference as Markdown: one section for each part of a plan, one row for each key.
pub fn reference() -> String {
    let mut out = INTRODUCTION.to_owned();
    let mut sections: Vec<TableInfo> = vec![PlanText::INFO];
    let mut index = 0;
    while let Some(info) = sections.get(index).copied() {
        out.push_str(&section(&info));
        let short = info.short.map(|short| short());
        let shapes = info.fields.iter().map(|field| (field.shape)()).chain(short);
        for shape in shapes.chain(info.with.iter().map(|table| Shape::Table(*table))) {
            add_tables(&shape, &mut sections);
        }
        index += 1;
    }
    out
}

/// Adds the tables that a shape mentions, each once.
fn add_tables(shape: &Shape, sections: &mut Vec<TableInfo>) {
    match shape {
        Shape::Table(info) => {
            if !sections.iter().any(|known| known.name == info.name) {
                sections.push(*info);
            }
        }
        Shape::List(inner) | Shape::Map(_, inner) => add_tables(inner, sections),
        Shape::AnyOf(shapes) => shapes.iter().for_each(|shape| add_tables(shape, sections)),
        Shape::Scalar(_) | Shape::Choice(_) | Shape::Anything => {}
    }
}

fn section(info: &TableInfo) -> String {
    let mut out = format!("\n## {}\n\n{}\n", info.name, prose(info.doc));
    if let Some(short) = info.short {
        out.push_str(&format!("\nIn place of the mapping: {}.\n", value(&short())));
    }
    for group in info.groups {
        let keys = group.keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
        let how = if group.needed { "Exactly one" } else { "At most one" };
        out.push_str(&format!("\n{how} of {keys}.\n"));
    }
    if !info.fields.is_empty() {
        out.push_str("\n| key | value | without it | meaning |\n|---|---|---|---|\n");
        info.fields.iter().for_each(|field| out.push_str(&row(field)));
    }
    if !info.with.is_empty() {
        let others = info
            .with
            .iter()
            .map(|table| format!("[{0}](#{0})", table.name))
            .collect::<Vec<_>>()
            .join(" and ");
        out.push_str(&format!("\nThe keys of {others} stand here too.\n"));
    }
    out
}

fn row(field: &Field) -> String {
    let shape = (field.shape)();
    let mut meaning = prose(field.doc);
    if let Shape::Choice(choices) = &shape {
        for choice in *choices {
            meaning.push_str(&format!("<br>`{}`: {}", choice.word, prose(choice.doc)));
        }
    }
    let without = match field.presence {
        Presence::Required => "**it must be there**",
        Presence::Optional(default) => default,
    };
    let cell = |text: &str| text.replace('|', "\\|").replace("\n\n", "<br>");
    format!("| `{}` | {} | {} | {} |\n", field.key, cell(&value(&shape)), cell(without), cell(&meaning))
}

/// What may be written, in a few words.
fn value(shape: &Shape) -> String {
    match shape {
        Shape::Scalar(scalar) => match scalar.example {
            "" => "text".to_owned(),
            example => {
                let words = scalar
                    .words
                    .strip_prefix("a ")
                    .or(scalar.words.strip_prefix("an "))
                    .unwrap_or(scalar.words);
                format!("{words}: `{example}`")
            }
        },
        Shape::Choice(choices) => {
            choices.iter().map(|choice| format!("`{}`", choice.word)).collect::<Vec<_>>().join(", ")
        }
        Shape::List(item) => format!("list of {}", value(item)),
        Shape::Map(_, inner) => format!("names, each with {}", value(inner)),
        Shape::Table(info) => format!("[{0}](#{0})", info.name),
        Shape::AnyOf(shapes) => shapes.iter().map(value).collect::<Vec<_>>().join(", or "),
        Shape::Anything => "anything".to_owned(),
    }
}
