//! The pages in Tulip's columns: what they show, and that nothing hostile gets out of its cell.

use crate::table::record;
use expect_test::expect_file;
use std::collections::BTreeSet;
use tulip::{Facts, Form, html, is_report, output_json};

/// The text between two marks, as often as they stand there.
fn between<'t>(text: &'t str, from: &str, to: &str) -> Vec<&'t str> {
    text.split(from).skip(1).filter_map(|rest| rest.split(to).next()).collect()
}

/// Histograms by what they are; how they are packed is a library's business.
fn without_histograms(text: &str) -> String {
    text.split("\"HISTFAAAA")
        .enumerate()
        .map(|(index, part)| if index == 0 { part } else { part.split_once('"').unwrap().1 })
        .collect::<Vec<_>>()
        .join("\"HIST…\"")
}

#[test]
fn results_are_written_as_ever() {
    let record = record();
    for (name, form) in [("a", Form::Seed), ("newest", Form::Newest)] {
        let text = without_histograms(&output_json(&record, form).unwrap());
        expect_file![format!("gold/output-{name}.json")].assert_eq(&text);
        let page = html(&record, form).unwrap();
        let (head, rest) = page.split_once("<style>").unwrap();
        let (_, rest) = rest.split_once("</style>").unwrap();
        let (body, _) = rest.split_once("<script>").unwrap();
        let text = format!("{head}{body}").replace(env!("CARGO_PKG_VERSION"), "VERSION");
        expect_file![format!("gold/page-{name}.html")].assert_eq(&text);
    }
}

/// Every element is closed in its order, every link leads somewhere, and nothing asks the network.
fn check_sound(page: &str) {
    const VOID: [&str; 2] = ["meta", "br"];
    let (markup, script) = page.split_once("<script>").unwrap();
    let (head, rest) = markup.split_once("<style>").unwrap();
    let (style, body) = rest.split_once("</style>").unwrap();
    let mut open: Vec<&str> = Vec::new();
    for tag in between(&format!("{head}{body}"), "<", ">") {
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap().to_owned();
        let is_empty = tag.ends_with('/') || VOID.contains(&name.as_str()) || name == "!DOCTYPE";
        match tag.starts_with('/') {
            true => assert_eq!(open.pop().map(str::to_owned), Some(name), "{tag}"),
            false if is_empty => {}
            false => open.push(Box::leak(name.into_boxed_str())),
        }
    }
    assert_eq!(open, ["html", "body"]);
    let ids: Vec<&str> = between(body, " id=\"", "\"");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "ids are unique");
    for link in between(body, "href=\"", "\"") {
        assert!(link.starts_with('#') && ids.contains(&&link[1..]), "{link}");
    }
    assert!(!page.contains("://") && !page.contains("src=") && !style.contains("url("), "no network");
    assert!(script.matches("</script>").count() == 1 && head.contains("default-src 'none'"));
}

#[test]
fn pages_are_whole_and_hostile_names_stay_texts() {
    let mut record = record();
    let mut facts = Facts::of(&record.plan).unwrap();
    facts.description = "</title><script>alert(1)</script>".to_owned();
    facts.benchmarks[0].benchmark = "\"><img src=x onerror='alert(2)'>".to_owned();
    facts.benchmarks[0].workflow = Some("<b>&amp;\u{202e}".to_owned());
    facts.actions[0].name = Some("</svg><script>alert(3)</script>\u{7}".to_owned());
    facts.put_into(&mut record.plan);
    record.aborted = Some("<i>".to_owned());
    for form in [Form::Seed, Form::Newest] {
        let page = html(&record, form).unwrap();
        let shown = page.replace("src=x onerror", "");
        check_sound(&shown);
        assert!(page.contains("&lt;/title&gt;&lt;script&gt;alert(1)"));
        assert!(page.contains("&quot;&gt;&lt;img src=x onerror=&#39;alert(2)&#39;&gt;"));
        assert!(!page.contains("<script>alert") && !page.contains("<img") && !page.contains('\u{202e}'));
        assert!(is_report(&page));
    }
    assert!(!is_report("<!DOCTYPE html><p>my own page about Tulip") && !is_report("notes"));
    assert!(is_report("<!DOCTYPE html>\n<html>\n<body>\n\n<h2>Benchmark Report / x"));
}

#[test]
fn what_a_file_of_tulip_has_is_shown_without_columns_of_weirs_own() {
    let text = include_str!("../corpus/output-2.1.12.json");
    let record = tulip::read_output(text).unwrap().unwrap();
    let page = html(&record, Form::Newest).unwrap();
    check_sound(&page);
    assert!(!page.contains("resp. 50p") && page.contains("<b>Measurement suspect</b>"));
    assert!(page.contains("<td class=\"name\">u:4, a:11, t:2</td>"), "tokens of a context");
    // Of the file: 3,000,000 at 100,000/s.
    assert!(page.contains(">3000000</td>") && page.contains(">100000.0</td>"));
}

#[test]
fn rates_off_their_target_and_failures_are_marked_in_summaries() {
    // 30/s were done of 50/s asked, and two failed.
    let page = html(&record(), Form::Newest).unwrap();
    assert_eq!(between(&page, "<mark>", "</mark>"), ["2", "30.0"]);
    assert!(!html(&record(), Form::Seed).unwrap().contains("<mark>"));
}
