//! As much of a JSON Schema validator (draft 2020-12) as the generated schema needs. An unknown keyword is a panic, so that none is
//! passed over.

use serde_json::Value;

/// Where and how a value offends against a schema; `None` if it does not.
pub(crate) fn fault(root: &Value, value: &Value) -> Option<String> {
    check(root, root, value, "$")
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    let keywords = schema.as_object().expect("a schema is an object");
    keywords.iter().find_map(|(keyword, rule)| match keyword.as_str() {
        "$schema" | "$defs" | "title" | "description" | "examples" => None,
        "$ref" => {
            let pointer = rule.as_str().expect("a reference").trim_start_matches('#');
            check(root, root.pointer(pointer).expect("a definition"), value, at)
        }
        "type" => {
            let fits = match rule {
                Value::Array(types) => types.iter().any(|name| has_type(value, name)),
                one => has_type(value, one),
            };
            (!fits).then(|| format!("{at} is no {rule}"))
        }
        "enum" => (!items(rule).contains(value)).then(|| format!("{at} is none of {rule}")),
        "required" => {
            let missing =
                items(rule).iter().find(|key| key.as_str().is_none_or(|key| value.get(key).is_none()))?;
            value.is_object().then(|| format!("{at} has no {missing}"))
        }
        "properties" => {
            let properties = rule.as_object().expect("schemas by key");
            let given = value.as_object()?;
            given
                .iter()
                .find_map(|(key, inner)| check(root, properties.get(key)?, inner, &format!("{at}.{key}")))
        }
        "additionalProperties" => {
            let known = schema.get("properties").and_then(Value::as_object);
            let mut others = value
                .as_object()?
                .iter()
                .filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)));
            match rule {
                Value::Bool(false) => others.next().map(|(key, _)| format!("{at} may not have {key}")),
                rule => others.find_map(|(key, inner)| check(root, rule, inner, &format!("{at}.{key}"))),
            }
        }
        "items" => {
            let given = value.as_array()?;
            given
                .iter()
                .enumerate()
                .find_map(|(index, item)| check(root, rule, item, &format!("{at}[{index}]")))
        }
        "allOf" => items(rule).iter().find_map(|part| check(root, part, value, at)),
        "anyOf" => {
            let faults: Vec<Option<String>> =
                items(rule).iter().map(|part| check(root, part, value, at)).collect();
            faults
                .iter()
                .all(Option::is_some)
                .then(|| format!("{at} is nothing of what it may be: {faults:?}"))
        }
        "oneOf" => {
            let count = items(rule).iter().filter(|part| check(root, part, value, at).is_none()).count();
            (count != 1).then(|| format!("{at} is {count} of {rule}"))
        }
        "not" => check(root, rule, value, at).is_none().then(|| format!("{at} is {rule}")),
        other => panic!("the validator does not know `{other}`"),
    })
}

fn items(rule: &Value) -> &[Value] {
    rule.as_array().expect("a list")
}

fn has_type(value: &Value, name: &Value) -> bool {
    match name.as_str().expect("a type's name") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        other => panic!("the validator does not know the type `{other}`"),
    }
}
