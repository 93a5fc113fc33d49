//! The JSON Schema (draft 2020-12) of plans, for editors. Made from the tables that also parse plans, so both know the same keys.

use crate::model::PlanText;
use crate::read::{Choice, Field, Group, Presence, ScalarShape, Shape, Table, TableInfo};
use serde_json::{Map, Value, json};

/// The JSON Schema of plans. Each part of a plan is one of its `$defs`.
pub fn schema() -> Value {
    let mut defs = Map::new();
    let root = of_table(&PlanText::INFO, &mut defs);
    let mut schema =
        json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Weir plan" });
    if let (Value::Object(schema), Value::Object(root)) = (&mut schema, root) {
        schema.extend(root);
        schema.insert("$defs".to_owned(), Value::Object(defs));
    }
    schema
}

fn of_shape(shape: &Shape, defs: &mut Map<String, Value>) -> Value {
    match shape {
        Shape::Scalar(ScalarShape { example, json_types, .. }) => {
            let mut schema = match json_types {
                [one] => json!({ "type": one }),
                several => json!({ "type": several }),
            };
            if let (Value::Object(schema), false) = (&mut schema, example.is_empty()) {
                schema.insert("examples".to_owned(), json!([example]));
            }
            schema
        }
        Shape::Choice(choices) => {
            json!({ "enum": choices.iter().map(|choice| choice.word).collect::<Vec<_>>() })
        }
        Shape::List(item) => json!({ "type": "array", "items": of_shape(item, defs) }),
        Shape::Map(_, value) => json!({ "type": "object", "additionalProperties": of_shape(value, defs) }),
        Shape::Table(info) => {
            if !defs.contains_key(info.name) {
                // Taken before its parts are looked at, which may refer to it.
                defs.insert(info.name.to_owned(), Value::Null);
                let schema = of_table(info, defs);
                defs.insert(info.name.to_owned(), schema);
            }
            json!({ "$ref": format!("#/$defs/{}", info.name) })
        }
        Shape::AnyOf(shapes) => {
            json!({ "anyOf": shapes.iter().map(|shape| of_shape(shape, defs)).collect::<Vec<_>>() })
        }
        Shape::Anything => json!({}),
    }
}

fn of_table(info: &TableInfo, defs: &mut Map<String, Value>) -> Value {
    let fields = info.all_fields();
    let mut properties = Map::new();
    for field in &fields {
        properties.insert(field.key.to_owned(), of_field(field, defs));
    }
    let required: Vec<&str> =
        fields.iter().filter(|field| field.presence == Presence::Required).map(|field| field.key).collect();
    let mut object = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if let Value::Object(object) = &mut object {
        if !required.is_empty() {
            object.insert("required".to_owned(), json!(required));
        }
        if !info.groups.is_empty() {
            object.insert("allOf".to_owned(), info.groups.iter().map(of_group).collect());
        }
    }
    let description = prose(info.doc);
    match info.short {
        Some(short) => json!({ "description": description, "anyOf": [of_shape(&short(), defs), object] }),
        None => {
            if let Value::Object(object) = &mut object {
                object.insert("description".to_owned(), json!(description));
            }
            object
        }
    }
}

fn of_field(field: &Field, defs: &mut Map<String, Value>) -> Value {
    let shape = (field.shape)();
    let mut description = prose(field.doc);
    if let Shape::Choice(choices) = &shape {
        description
            .extend(choices.iter().map(|Choice { word, doc }| format!("\n- `{word}`: {}", prose(doc))));
    }
    if let Presence::Optional(default) = field.presence {
        description.push_str(&format!("\nDefault: {default}."));
    }
    let mut schema = of_shape(&shape, defs);
    if let Value::Object(schema) = &mut schema {
        schema.insert("description".to_owned(), json!(description));
    }
    schema
}

fn of_group(group: &Group) -> Value {
    let needs = |key: &&str| json!({ "required": [key] });
    if group.needed {
        return json!({ "oneOf": group.keys.iter().map(needs).collect::<Vec<_>>() });
    }
    let pairs = group.keys.iter().enumerate().flat_map(|(index, first)| {
        let others = group.keys.iter().skip(index + 1);
        others.map(move |second| json!({ "required": [first, second] }))
    });
    json!({ "not": { "anyOf": pairs.collect::<Vec<_>>() } })
}

/// Lines of a doc comment as running text; an empty line parts paragraphs.
pub(crate) fn prose(doc: &[&str]) -> String {
    let paragraphs = doc.split(|line| line.trim().is_empty());
    let joined = paragraphs.map(|lines| lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "));
    joined.collect::<Vec<_>>().join("\n\n")
}
