//! Text that is no YAML, or no YAML that a plan may be; and what YAML can do that a plan may use.

use expect_test::{Expect, expect};
use planfile::{InMemory, Loaded, parse};

fn parse_text(text: &str) -> Loaded {
    parse(text, "plan.yaml", &InMemory::default())
}

fn check(text: &str, expected: Expect) {
    let said: Vec<String> = parse_text(text).diagnostics.iter().map(ToString::to_string).collect();
    expected.assert_eq(&said.join("\n"));
}

#[test]
fn what_is_no_yaml_says_what_to_try() {
    check(
        "target:\n\turl: x\n",
        expect![[r#"
        error: not valid YAML: tabs disallowed within this context (block indentation)
          --> plan.yaml:2:2
        hint: indent with spaces instead of tabs"#]],
    );
    check(
        "body: { json: { id: ${id} } }\n",
        expect![[r#"
        error: not valid YAML: while parsing a flow mapping, did not find expected ',' or '}'
          --> plan.yaml:1:22
        hint: within `{…}` and `[…]`, put texts with `${…}` into quotes"#]],
    );
    check(
        "check: { size: > 10KiB }\n",
        expect![[r#"
            error: unknown key `check`
              --> plan.yaml:1:1
            hint: keys here: $schema, name, seed, vars, target, targets, feeds, request, actions, scenario, scenarios, warmup, phases, slos, interval, users, user_stages, rate, stages, once, duration, count, in_flight_max, users_from, ramp_down, arrivals, on_saturation, users_max, users_in_turn, drain, repeat
            error: the plan says nothing of what users do
              --> plan.yaml:1:1
            hint: add `request: GET /`, or `actions:`, or `scenarios:`
            error: the plan says nothing of how much load
              --> plan.yaml:1:1
            hint: add `rate: 100/s` or `users: 10`, and `duration: 30s`; or `phases:`"#]],
    );
    check(
        "size: > 10KiB\n",
        expect![[r#"
        error: not valid YAML: while scanning a block scalar, did not find expected comment or line break
          --> plan.yaml:1:7
        hint: a text that begins with `>` or `|` needs quotes: "> 10KiB""#]],
    );
    check(
        "a: \"x\n",
        expect![[r#"
        error: not valid YAML: while scanning a quoted scalar, found unexpected end of stream
          --> plan.yaml:1:4
        hint: close the quote; within "…" a backslash is written twice, within '…' it stands for itself"#]],
    );
    check(
        "regex: \"\\d\"\n",
        expect![[r#"
        error: not valid YAML: while parsing a quoted scalar, found unknown escape character
          --> plan.yaml:1:8
        hint: close the quote; within "…" a backslash is written twice, within '…' it stands for itself"#]],
    );
    check(
        "a: [1, 2\nb: 3\n",
        expect![[r#"
        error: not valid YAML: illegal placement of ':' indicator
          --> plan.yaml:2:2
        hint: close the `{` or `[`, and put a comma between what is within"#]],
    );
    check(
        "expect: note: this\n",
        expect![[r#"
        error: not valid YAML: mapping values are not allowed in this context
          --> plan.yaml:1:13
        hint: a text that contains `: ` needs quotes; keys of one mapping begin in the same column"#]],
    );
    check(
        "a: @x\n",
        expect![[r#"
        error: not valid YAML: unexpected character: `@'
          --> plan.yaml:1:4
        hint: a text that begins with this character needs quotes"#]],
    );
    check(
        "a: *x\n",
        expect![[r#"
        error: not valid YAML: while parsing node, found unknown anchor
          --> plan.yaml:1:4
        hint: an alias such as `*name` needs an anchor `&name` before it; a text that begins with `*` needs quotes"#]],
    );
    check(
        "a: 1\n b: 2\n",
        expect![[r#"
        error: not valid YAML: mapping values are not allowed in this context
          --> plan.yaml:2:3
        hint: a text that contains `: ` needs quotes; keys of one mapping begin in the same column"#]],
    );
    check(
        "- a\nb: 1\n",
        expect![[r#"
        error: not valid YAML: while parsing a block collection, did not find expected '-' indicator
          --> plan.yaml:2:1
        hint: keys of one mapping, and the `-` of one list, begin in the same column"#]],
    );
}

#[test]
fn what_is_no_plan() {
    check(
        "",
        expect![[r#"
        error: the plan is empty
          --> plan.yaml:1:1
        hint: begin with `target: http://127.0.0.1:7070` and `request: GET /hello`"#]],
    );
    check(
        "# a comment\n",
        expect![[r#"
        error: the plan is empty
          --> plan.yaml:1:1
        hint: begin with `target: http://127.0.0.1:7070` and `request: GET /hello`"#]],
    );
    check(
        "just text\n",
        expect![[r#"
            error: expected a mapping, found `just text`
              --> plan.yaml:1:1
            hint: its keys: $schema, name, seed, vars, target, targets, feeds, request, actions, scenario, scenarios, warmup, phases, slos, interval, users, user_stages, rate, stages, once, duration, count, in_flight_max, users_from, ramp_down, arrivals, on_saturation, users_max, users_in_turn, drain, repeat"#]],
    );
    check(
        "- a\n- b\n",
        expect![[r#"
            error: expected a mapping, found a list
              --> plan.yaml:1:1
            hint: its keys: $schema, name, seed, vars, target, targets, feeds, request, actions, scenario, scenarios, warmup, phases, slos, interval, users, user_stages, rate, stages, once, duration, count, in_flight_max, users_from, ramp_down, arrivals, on_saturation, users_max, users_in_turn, drain, repeat"#]],
    );
    check(
        "~\n",
        expect![[r#"
            error: expected a mapping, found nothing
              --> plan.yaml:1:1
            hint: give it a value, or remove it"#]],
    );
    check(
        "{}\n",
        expect![[r#"
        error: the plan says nothing of what users do
          --> plan.yaml:1:1
        hint: add `request: GET /`, or `actions:`, or `scenarios:`
        error: the plan says nothing of how much load
          --> plan.yaml:1:1
        hint: add `rate: 100/s` or `users: 10`, and `duration: 30s`; or `phases:`"#]],
    );
    check(
        "name: a\n---\nname: b\n",
        expect![[r#"
        error: a file holds one plan, and here a second document begins
          --> plan.yaml:2:1
        hint: keep each plan in a file of its own"#]],
    );
    check(
        "name: !secret x\n",
        expect![[r#"
        error: the plan says nothing of what users do
          --> plan.yaml:1:1
        hint: add `request: GET /`, or `actions:`, or `scenarios:`
        error: the plan says nothing of how much load
          --> plan.yaml:1:1
        hint: add `rate: 100/s` or `users: 10`, and `duration: 30s`; or `phases:`
        error: the tag `!secret` has no meaning in a plan
          --> plan.yaml:1:7
        hint: remove it; a text that begins with `!` needs quotes"#]],
    );
    check(
        "name: &a [*a]\n",
        expect![[r#"
        error: the alias stands for a value that contains it
          --> plan.yaml:1:11
        hint: write the value out"#]],
    );
    check(
        "<<: 3\n",
        expect![[r#"
        error: the plan says nothing of what users do
          --> plan.yaml:1:1
        hint: add `request: GET /`, or `actions:`, or `scenarios:`
        error: the plan says nothing of how much load
          --> plan.yaml:1:1
        hint: add `rate: 100/s` or `users: 10`, and `duration: 30s`; or `phases:`
        error: `<<` takes over a mapping, found `3`
          --> plan.yaml:1:5
        hint: write `<<: *name`, with the anchor `&name` at a mapping"#]],
    );
    check(
        "name: \"\\e[31m\\u202e\"\n",
        expect![[r#"
        error: the plan says nothing of what users do
          --> plan.yaml:1:1
        hint: add `request: GET /`, or `actions:`, or `scenarios:`
        error: the plan says nothing of how much load
          --> plan.yaml:1:1
        hint: add `rate: 100/s` or `users: 10`, and `duration: 30s`; or `phases:`
        error: `\u{1b}[31m\u{202e}` can't be a name
          --> plan.yaml:1:7
        hint: use 1 to 200 characters on one line"#]],
    );
}

#[test]
fn anchors_tags_and_merges_are_understood() {
    let text = "\
target: { url: http://h, headers: &common { accept: x, via: y } }
actions:
  - &first { get: /a, headers: { <<: *common, via: z } }
  - { <<: [{ get: /b }, *first], name: !!str 7 }
  - *first
users: 1
duration: 1s
";
    let loaded = parse_text(text);
    assert_eq!(loaded.diagnostics, []);
    let plan = loaded.plan.expect("no findings");
    let actions = &plan.scenarios[0].actions;
    let named: Vec<&str> = actions.iter().map(|action| action.name.as_str()).collect();
    assert_eq!(named, ["GET /a", "7", "GET /a (3)"]);
    let plan::Step::Request(request) = &actions[1].steps[0] else { panic!("a request") };
    let headers: Vec<String> =
        request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(
        (request.path.to_string().as_str(), headers.as_slice()),
        ("/b", &["via: z".to_owned(), "accept: x".to_owned()][..])
    );
}

#[test]
fn limits_hold() {
    let messages = |text: &str| -> Vec<String> {
        parse_text(text).diagnostics.iter().map(|d| d.message.clone()).collect()
    };
    let bomb: String = (1..12).fold("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, n| {
        let items = vec![format!("*a{}", n - 1); 10].join(", ");
        text + &format!("a{n}: &a{n} [{items}]\n")
    });
    assert_eq!(messages(&bomb), ["the plan holds more than 250000 values"]);
    let deep = format!("a: {}{}", "[".repeat(200), "]".repeat(200));
    assert_eq!(messages(&deep), ["values are nested more than 128 deep"]);
    let deeper = "[".repeat(100_000);
    assert_eq!(messages(&deeper).len(), 1);
    let indented: String = (0..200).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    assert_eq!(messages(&indented), ["values are nested more than 128 deep"]);
    assert_eq!(messages(&" ".repeat((16 << 20) + 1)), ["the plan is longer than 16 MiB"]);
    let many: String = (0..300).map(|n| format!("key{n}: 1\n")).collect();
    let said = messages(&many);
    assert_eq!((said.len(), said.last().map(String::as_str)), (101, Some("202 more findings are left out")));
}

#[test]
fn json_of_any_layout_is_read() {
    let text = "{\r\n\t\"target\" : \"http:\\/\\/h\",\r\n\t\"request\":{\"method\":\"POST\",\"path\":\"/\",\"body\":\"\\ud83d\\ude00\\u00e9 \\\\ud83d\"},\r\n\
        \t\"users\":1,\"duration\":\"1s\"}";
    let loaded = parse(text, "plan.json", &InMemory::default());
    assert_eq!(loaded.diagnostics, []);
    let plan = loaded.plan.expect("no findings");
    let plan::Step::Request(request) = &plan.scenarios[0].actions[0].steps[0] else { panic!("a request") };
    assert_eq!(request.body, plan::Body::Bytes("😀é \\ud83d".as_bytes().to_vec()));
}

#[test]
fn json_bodies_keep_every_digit_and_every_type() {
    let body = "{ a: [1, -0.50, 1e9, 18446744073709551616, +7, 007, .5, 0x1F, 0o17], b: [true, False, ~, null], \
        c: ['1', \"true\", 1.2.3, 2026-11-21, 1_000, 0x, '-'], \"\\\"\\n\": é, e: {}, f: [] }";
    let text = format!(
        "target: http://h\nrequest: {{ path: /, body: {{ json: {body} }} }}\nusers: 1\nduration: 1s\n"
    );
    let plan = parse_text(&text).plan.expect("no findings");
    let plan::Step::Request(request) = &plan.scenarios[0].actions[0].steps[0] else { panic!("a request") };
    let plan::Body::Bytes(bytes) = &request.body else { panic!("fixed bytes") };
    expect![[r#"{"a":[1,-0.50,1e9,18446744073709551616,7,7,0.5,31,15],"b":[true,false,null,null],"c":["1","true","1.2.3","2026-11-21","1_000","0x","-"],"\"\n":"é","e":{},"f":[]}"#]].assert_eq(std::str::from_utf8(bytes).expect("text"));
}
