//! Sample files: their lines, how they are written, and what happens when they can't be.

use crate::fixture::{ANY_METRIC, THRESHOLDS, registry, samples};
use expect_test::{Expect, expect};
use flate2::read::GzDecoder;
use k6_metrics::output::{
    Metadata, Missing, Origin, OutputFormat, OutputSpec, Sample, SampleWriter, TimeFormat,
};
use k6_metrics::{Json, Registry, SystemTags, TagSetId, Tags, Thresholds, read_thresholds};
use std::io::Read as _;
use std::path::PathBuf;

/// 2026-11-21T08:38:16.71Z
const ORIGIN: Origin = Origin { unix_ns: 1_795_250_296_710_000_000, utc_offset_sec: 0 };

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("k6_metrics-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn start(registry: &Registry, origin: Origin, specs: &[OutputSpec]) -> SampleWriter {
    let option = read_thresholds(&Json::parse(THRESHOLDS).unwrap()).unwrap();
    let thresholds = Thresholds::new(registry, &option).unwrap_or_default();
    SampleWriter::start(registry, &thresholds, origin, specs).unwrap()
}

/// Writes the fixture's samples and some odd ones.
fn written(name: &str, format: OutputFormat, origin: Origin) -> String {
    let folder = Folder::new(name);
    let path = folder.file(name);
    let registry = registry();
    let writer = start(&registry, origin, &[OutputSpec { format, path: Some(path.clone()) }]);
    let mut feed = writer.feed();
    let mut tags = Tags::new(&registry);
    for (index, (name, pairs, value)) in samples().into_iter().enumerate().filter(|(index, _)| index % 5 == 1)
    {
        let tags = tags.with_all(TagSetId::EMPTY, &pairs);
        let metric = registry.find(name).unwrap();
        feed.add(Sample {
            metric,
            tags,
            time_ns: index as u64 * 100_000_001,
            value,
            metadata: Metadata::default(),
        });
    }
    let tags = tags.with_all(
        TagSetId::EMPTY,
        &[("x y", "q&r\"\u{1},z"), ("b", "\n"), ("name", " lead"), ("é<&>", "\u{2028}"), ("group", "")],
    );
    let metadata = Metadata::new([("vu".to_owned(), "7".to_owned()), ("iter".to_owned(), "0".to_owned())]);
    for value in [0.1, 1e21, -2.0, f64::INFINITY] {
        feed.add(Sample { metric: ANY_METRIC, tags, time_ns: 0, value, metadata: metadata.clone() });
    }
    feed.flush();
    let (reports, errors, missing) = writer.finish();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!((reports[0].lost_count, missing), (0, Missing::default()));
    let mut text = String::new();
    let file = std::fs::File::open(&path).unwrap();
    if name.ends_with(".gz") {
        GzDecoder::new(file).read_to_string(&mut text).unwrap();
    } else {
        std::io::BufReader::new(file).read_to_string(&mut text).unwrap();
    }
    let points = text.lines().filter(|line| !line.contains("\"Metric\"")).count();
    assert!(points as u64 >= reports[0].written_count && reports[0].written_count > 4);
    text
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(text);
}

#[test]
fn lines_of_json() {
    check(
        &written("a.json", OutputFormat::Json, ORIGIN),
        &expect![[r#"
        {"type":"Metric","data":{"name":"http_req_duration","type":"trend","contains":"time","thresholds":["p(95)<300",{"threshold":"p(99.5) < 100","abortOnFail":true,"delayAbortEval":"1m30s"}],"submetrics":[{"name":"http_req_duration{expected_response:true}","suffix":"expected_response:true","tags":{"expected_response":"true"}},{"name":"http_req_duration{gzip:yes}","suffix":"gzip:yes","tags":{"gzip":"yes"}}]},"metric":"http_req_duration"}
        {"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-21T08:38:16.810000001Z","value":100,"tags":{"expected_response":"true","group":"::cart","gzip":"yes","scenario":"shop","url":"http://h/"}}}
        {"type":"Metric","data":{"name":"found","type":"rate","contains":"default","thresholds":[],"submetrics":null},"metric":"found"}
        {"metric":"found","type":"Point","data":{"time":"2026-11-21T08:38:17.310000006Z","value":1,"tags":{"group":"","scenario":"shop"}}}
        {"type":"Metric","data":{"name":"http_req_failed","type":"rate","contains":"default","thresholds":[],"submetrics":null},"metric":"http_req_failed"}
        {"metric":"http_req_failed","type":"Point","data":{"time":"2026-11-21T08:38:17.810000011Z","value":0,"tags":{"expected_response":"true","group":"::cart","gzip":"yes","scenario":"shop","url":"http://h/"}}}
        {"type":"Metric","data":{"name":"http_reqs","type":"counter","contains":"default","thresholds":[],"submetrics":null},"metric":"http_reqs"}
        {"metric":"http_reqs","type":"Point","data":{"time":"2026-11-21T08:38:18.310000016Z","value":1,"tags":{"expected_response":"true","group":"::cart","gzip":"yes","scenario":"shop","url":"http://h/"}}}
        {"type":"Metric","data":{"name":"steps","type":"trend","contains":"time","thresholds":[],"submetrics":null},"metric":"steps"}
        {"metric":"steps","type":"Point","data":{"time":"2026-11-21T08:38:18.810000021Z","value":123000,"tags":{"group":"::cart::pay","scenario":"shop"}}}
        {"type":"Metric","data":{"name":"http_req_waiting","type":"trend","contains":"time","thresholds":[],"submetrics":null},"metric":"http_req_waiting"}
        {"metric":"http_req_waiting","type":"Point","data":{"time":"2026-11-21T08:38:19.310000026Z","value":399.5,"tags":{"expected_response":"true","group":"::cart","gzip":"yes","scenario":"shop","url":"http://h/"}}}
        {"type":"Metric","data":{"name":"queue","type":"gauge","contains":"default","thresholds":[],"submetrics":null},"metric":"queue"}
        {"metric":"queue","type":"Point","data":{"time":"2026-11-21T08:38:19.810000031Z","value":1,"tags":{"group":"","scenario":"shop"}}}
        {"type":"Metric","data":{"name":"data_received","type":"counter","contains":"data","thresholds":[],"submetrics":null},"metric":"data_received"}
        {"metric":"data_received","type":"Point","data":{"time":"2026-11-21T08:38:20.310000036Z","value":123456,"tags":{"group":"","scenario":"default"}}}
        {"metric":"http_reqs","type":"Point","data":{"time":"2026-11-21T08:38:16.71Z","value":0.1,"tags":{"b":"\n","group":"","name":" lead","x y":"q&r\"\u0001,z","é<&>":"\u2028"},"metadata":{"iter":"0","vu":"7"}}}
        {"metric":"http_reqs","type":"Point","data":{"time":"2026-11-21T08:38:16.71Z","value":1e+21,"tags":{"b":"\n","group":"","name":" lead","x y":"q&r\"\u0001,z","é<&>":"\u2028"},"metadata":{"iter":"0","vu":"7"}}}
        {"metric":"http_reqs","type":"Point","data":{"time":"2026-11-21T08:38:16.71Z","value":-2,"tags":{"b":"\n","group":"","name":" lead","x y":"q&r\"\u0001,z","é<&>":"\u2028"},"metadata":{"iter":"0","vu":"7"}}}
        {"metric":"http_reqs","type":"Point","data":{"time":"2026-11-21T08:38:16.71Z","value":null,"tags":{"b":"\n","group":"","name":" lead","x y":"q&r\"\u0001,z","é<&>":"\u2028"},"metadata":{"iter":"0","vu":"7"}}}
    "#]],
    );
}

#[test]
fn every_line_is_json_and_compressed_ones_are_the_same() {
    let plain = written("b.json", OutputFormat::Json, ORIGIN);
    assert_eq!(written("b.json.gz", OutputFormat::Json, ORIGIN), plain);
    for line in plain.lines() {
        let json = Json::parse(line).unwrap();
        assert!(json.get("metric").is_some() && json.get("type").is_some(), "{line}");
    }
}

#[test]
fn rows_of_csv() {
    check(
        &written("a.csv", OutputFormat::Csv(TimeFormat::Unix), ORIGIN),
        &expect![[r#"
        metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata
        http_req_duration,1795250296,100.000000,,,,true,::cart,,,,shop,,,,,http://h/,gzip=yes,
        found,1795250297,1.000000,,,,,,,,,shop,,,,,,,
        http_req_failed,1795250297,0.000000,,,,true,::cart,,,,shop,,,,,http://h/,gzip=yes,
        http_reqs,1795250298,1.000000,,,,true,::cart,,,,shop,,,,,http://h/,gzip=yes,
        steps,1795250298,123000.000000,,,,,::cart::pay,,,,shop,,,,,,,
        http_req_waiting,1795250299,399.500000,,,,true,::cart,,,,shop,,,,,http://h/,gzip=yes,
        queue,1795250299,1.000000,,,,,,,,,shop,,,,,,,
        data_received,1795250300,123456.000000,,,,,,,,,default,,,,,,,
        http_reqs,1795250296,0.100000,,,,,,," lead",,,,,,,,"b=
        &x y=q&r"",z&é<&>= ",iter=0&vu=7
        http_reqs,1795250296,1000000000000000000000.000000,,,,,,," lead",,,,,,,,"b=
        &x y=q&r"",z&é<&>= ",iter=0&vu=7
        http_reqs,1795250296,-2.000000,,,,,,," lead",,,,,,,,"b=
        &x y=q&r"",z&é<&>= ",iter=0&vu=7
        http_reqs,1795250296,+Inf,,,,,,," lead",,,,,,,,"b=
        &x y=q&r"",z&é<&>= ",iter=0&vu=7
    "#]],
    );
}

#[test]
fn rows_have_the_time_that_was_asked_for() {
    let origin = Origin { utc_offset_sec: 3_600, ..ORIGIN };
    let check = |word: &str, expected: &str| {
        let format = TimeFormat::from_word(word).unwrap();
        let text = written(&format!("{word}.csv"), OutputFormat::Csv(format), origin);
        let row = text.lines().nth(1).unwrap();
        assert_eq!(row.split(',').nth(1), Some(expected), "{row}");
    };
    check("unix", "1795250296");
    check("unix_milli", "1795250296810");
    check("unix_micro", "1795250296810000");
    check("unix_nano", "1795250296810000001");
    check("rfc3339", "2026-11-21T09:38:16+01:00");
    check("rfc3339_nano", "2026-11-21T09:38:16.810000001+01:00");
    assert_eq!(TimeFormat::from_word("iso"), None);
}

#[test]
fn columns_follow_the_system_tags() {
    let folder = Folder::new("columns");
    let path = folder.file("c.csv");
    let registry = Registry::new(SystemTags::named(["vu", "url", "ip"]));
    let writer = start(
        &registry,
        ORIGIN,
        &[OutputSpec { format: OutputFormat::Csv(TimeFormat::Unix), path: Some(path.clone()) }],
    );
    let tags = registry.tags(&[("group", "::g"), ("url", "u")]);
    writer.feed().add(Sample {
        metric: ANY_METRIC,
        tags,
        time_ns: 0,
        value: 1.0,
        metadata: Metadata::default(),
    });
    writer.finish();
    let expected = "metric_name,timestamp,metric_value,ip,url,extra_tags,metadata\nhttp_reqs,1795250296,1.000000,,u,group=::g,\n";
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
}

#[test]
fn workers_write_beside_each_other_and_nothing_is_lost() {
    const EACH: u64 = 20_000;
    let folder = Folder::new("workers");
    let registry = registry();
    let specs = ["a.json", "b.json.gz"]
        .map(|name| OutputSpec { format: OutputFormat::Json, path: Some(folder.file(name)) });
    let writer = start(&registry, ORIGIN, &specs);
    let tags = registry.tags(&[("a", "b")]);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            let mut feed = writer.feed();
            scope.spawn(move || {
                for index in 0..EACH {
                    let metadata = Metadata::default();
                    feed.add(Sample {
                        metric: ANY_METRIC,
                        tags,
                        time_ns: index,
                        value: index as f64,
                        metadata,
                    });
                }
            });
        }
    });
    let (reports, errors, missing) = writer.finish();
    assert!(errors.is_empty() && missing.count == 0);
    assert_eq!(reports.iter().map(|report| report.written_count).collect::<Vec<_>>(), [3 * EACH; 2]);
    let plain = std::fs::read_to_string(folder.file("a.json")).unwrap();
    assert_eq!(plain.lines().count() as u64, 3 * EACH + 1);
    let sum: f64 =
        plain.lines().filter_map(|line| Json::parse(line).unwrap().get("data")?.get("value")?.number()).sum();
    assert_eq!(sum, (3 * EACH * (EACH - 1) / 2) as f64);
    let mut compressed = String::new();
    let file = std::fs::File::open(folder.file("b.json.gz")).unwrap();
    GzDecoder::new(file).read_to_string(&mut compressed).unwrap();
    assert_eq!(compressed, plain);
}

#[test]
fn a_full_disk_is_said_once_and_the_other_output_goes_on() {
    // Linux's device that is always full.
    let full = PathBuf::from("/dev/full");
    if !full.exists() {
        return;
    }
    let folder = Folder::new("full");
    let registry = registry();
    let json = |path: PathBuf| OutputSpec { format: OutputFormat::Json, path: Some(path) };
    let writer = start(&registry, ORIGIN, &[json(full), json(folder.file("whole.json"))]);
    let mut feed = writer.feed();
    let tags = TagSetId::EMPTY;
    for index in 0..50_000 {
        feed.add(Sample {
            metric: ANY_METRIC,
            tags,
            time_ns: index,
            value: 1.0,
            metadata: Metadata::default(),
        });
    }
    drop(feed);
    let (reports, errors, missing) = writer.finish();
    let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("can't write `/dev/full`: "), "{said:?}");
    assert_eq!((reports[0].written_count, reports[0].lost_count), (0, 50_000));
    assert_eq!((reports[1].written_count, reports[1].lost_count), (50_000, 0));
    assert_eq!(missing.count, 0);
    assert_eq!(std::fs::read_to_string(folder.file("whole.json")).unwrap().lines().count(), 50_001);
}

#[test]
fn an_output_that_cant_be_opened_is_known_before_the_run() {
    let registry = registry();
    let path = PathBuf::from("/no/such/folder/x.json");
    let spec = OutputSpec { format: OutputFormat::Json, path: Some(path) };
    let error = SampleWriter::start(&registry, &Thresholds::default(), ORIGIN, &[spec]).unwrap_err();
    assert!(error.to_string().starts_with("can't open `/no/such/folder/x.json`: "), "{error}");
}

#[test]
fn a_file_follows_the_run() {
    let folder = Folder::new("follows");
    let path = folder.file("f.json");
    let registry = registry();
    let writer =
        start(&registry, ORIGIN, &[OutputSpec { format: OutputFormat::Json, path: Some(path.clone()) }]);
    let mut feed = writer.feed();
    let tags = TagSetId::EMPTY;
    feed.add(Sample { metric: ANY_METRIC, tags, time_ns: 0, value: 1.0, metadata: Metadata::default() });
    feed.flush();
    // The file is whole within 200 ms though the writer goes on; a minute is for machines that stand still.
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while std::fs::read_to_string(&path).unwrap().lines().count() < 2 {
        assert!(std::time::Instant::now() < patience, "nothing was written");
        std::thread::yield_now();
    }
    assert_eq!(writer.finish().0[0].written_count, 1);
}

#[test]
fn samples_after_the_end_are_counted() {
    let registry = registry();
    let folder = Folder::new("after");
    let writer =
        start(&registry, ORIGIN, &[OutputSpec { format: OutputFormat::Json, path: Some(folder.file("x")) }]);
    let mut feed = writer.feed();
    let (reports, _, _) = writer.finish();
    feed.add(Sample {
        metric: ANY_METRIC,
        tags: TagSetId::EMPTY,
        time_ns: 0,
        value: 1.0,
        metadata: Metadata::default(),
    });
    drop(feed);
    assert_eq!(reports[0].written_count, 0);
}
