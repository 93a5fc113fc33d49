//! Lua scripts under `weir wrk`, against a target in this process: what each one did is read off the target, and what it printed off stdout.
//!
//! The scripts are those of `examples/wrk`, and small ones of the tests' own.

use crate::command::{Folder, Transcript, command, weir};
use crate::server::{signal, target};
use record::RunRecord;
use regex::Regex;
use rustix::process::Signal;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

fn example(name: &str) -> String {
    format!("{}/../../examples/wrk/{name}.lua", env!("CARGO_MANIFEST_DIR"))
}

/// A run that ends well and says nothing on stderr.
fn quiet(words: &[&str]) -> Transcript {
    let (mode, rest) = words.split_first().unwrap();
    let run = weir(&[&[mode, "-q"], rest].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    run
}

/// The whole number that a pattern finds.
fn number(text: &str, pattern: &str) -> u64 {
    let found = Regex::new(pattern).unwrap().captures(text).unwrap_or_else(|| panic!("{pattern}\n{text}"));
    found[1].parse().unwrap()
}

const REQUESTS: &str = r"(\d+) requests in";

fn record(path: &str) -> RunRecord {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn addr_gives_each_thread_an_address() {
    let (running, address) = target();
    let url = format!("http://{address}/hello");
    let run = quiet(&["wrk", "-t2", "-c4", "-d100ms", "-s", &example("addr"), &url]);
    let line = format!("this thread goes to {address}\n");
    // Before the page, though C's buffer and Rust's are two.
    assert!(run.stdout.starts_with(&format!("{line}{line}Running ")), "{}", run.stdout);
    assert!(running.stop().paths["/hello"] >= number(&run.stdout, REQUESTS));
}

#[test]
fn threads_go_where_their_script_sends_them() {
    let folder = Folder::new("wrk-addresses");
    let ((first, first_address), (second, second_address)) = (target(), target());
    let source = format!(
        "n = 0
         function setup(thread)
            n = n + 1
            if n == 2 then thread.addr = wrk.lookup('127.0.0.1', '{}')[1] end
         end",
        second_address.rsplit(':').next().unwrap()
    );
    let script = folder.write("addresses.lua", &source);
    let json = folder.file("run.json");
    let url = format!("http://{first_address}/hello");
    quiet(&["wrk", "-t2", "-c5", "-d100ms", "-s", &script, "--json", &json, &url]);
    let (first, second) = (first.stop(), second.stop());
    assert!(first.paths["/hello"] > 0 && second.paths["/hello"] > 0);
    assert_eq!(second.connections_accepted, 2, "the second thread's share of five, and no trial");
    assert_eq!(first.paths["/hello"] + second.paths["/hello"], record(&json).phases[0].traffic.requests);
}

#[test]
fn auth_signs_in_and_sends_what_it_was_given() {
    let folder = Folder::new("wrk-auth");
    // Answers of /cookie are what the client sent.
    let source = format!(
        "dofile('{}')
         local inner = response
         function response(status, headers, body)
            inner(status, headers, body)
            if body:find('4711', 1, true) and not headers['set-cookie'] then known = (known or 0) + 1 end
         end
         local thread
         function setup(made) thread = made end
         function done() print('known ' .. thread:get('known')) end",
        example("auth")
    );
    let script = folder.write("auth.lua", &source);
    let (running, address) = target();
    let run = quiet(&["wrk", "-t1", "-c3", "-d100ms", "-s", &script, &format!("http://{address}")]);
    let stats = running.stop();
    let known = number(&run.stdout, r"known (\d+)");
    assert!((1..=3).contains(&stats.paths["/cookie/set"]), "{:?}", stats.paths);
    assert!(known > 3 && known <= stats.paths["/cookie"], "{known} of {:?}", stats.paths);
}

#[test]
fn counter_sends_every_number_once_for_each_thread() {
    let folder = Folder::new("wrk-counter");
    // The echo is the request: number in path and header, each once, without a gap but for the one that was looked at before the start.
    let source = format!(
        "dofile('{}')
         local seen = {{}}
         highest, count, wrong = 0, 0, 0
         function response(status, headers, body)
            local n = tonumber(body:match('\"query\":\"n=(%d+)\"'))
            local header = tonumber(body:match('X%-Counter\",\"(%d+)\"'))
            if n ~= header or seen[n] then wrong = wrong + 1 end
            seen[n] = true
            count = count + 1
            if n > highest then highest = n end
         end
         local threads = {{}}
         function setup(thread) threads[#threads + 1] = thread end
         function done()
            for _, thread in ipairs(threads) do
               print(('saw %d of %d, wrong %d'):format(thread:get('count'), thread:get('highest'), thread:get('wrong')))
            end
         end",
        example("counter")
    );
    let script = folder.write("counter.lua", &source);
    let (running, address) = target();
    let run = quiet(&["wrk", "-t2", "-c4", "-d100ms", "-s", &script, &format!("http://{address}")]);
    let stats = running.stop();
    let lines = Regex::new(r"saw (\d+) of (\d+), wrong (\d+)").unwrap();
    let lines: Vec<Vec<u64>> = lines
        .captures_iter(&run.stdout)
        .map(|found| (1..4).map(|group| found[group].parse().unwrap()).collect())
        .collect();
    assert_eq!(lines.len(), 2, "{}", run.stdout);
    for line in &lines {
        // Two connections per thread: what was under way at the end may lack an answer.
        assert!(line[0] > 10 && line[1].abs_diff(line[0]) <= 2 && line[2] == 0, "{lines:?}");
    }
    let seen: u64 = lines.iter().map(|line| line[0]).sum();
    assert!(stats.paths["/echo"].abs_diff(seen) <= 4, "{lines:?} {:?}", stats.paths);
}

#[test]
fn delay_is_before_each_request_and_in_no_latency() {
    let folder = Folder::new("wrk-delay");
    let json = folder.file("run.json");
    let (running, address) = target();
    let url = format!("http://{address}/hello");
    quiet(&["wrk", "-t1", "-c20", "-d500ms", "-s", &example("delay"), "--json", &json, &url]);
    // 20 users, one request per 30 ms and a bit.
    let sent = running.stop().paths["/hello"];
    assert!((250..=350).contains(&sent), "{sent}");
    let phase = &record(&json).phases[0];
    let p50_ns = phase.response_ns.to_histogram().unwrap().quantile_ns(0.5).unwrap();
    assert!(p50_ns < 10_000_000, "{p50_ns}");
}

#[test]
fn what_rests_in_a_delay_is_no_request_without_an_answer() {
    let folder = Folder::new("wrk-resting");
    // Text counts as the number in it, as it does in Lua. The second pause is longer than the run.
    let source = "local n = 0\nfunction delay() n = n + 1 return n > 3 and '60000' or '1' end";
    let script = folder.write("resting.lua", source);
    let (running, address) = target();
    let url = format!("http://{address}/hello");
    let run = weir(&["wrk", "-t1", "-c3", "-d100ms", "-s", &script, &url]);
    assert_eq!((number(&run.stdout, REQUESTS), running.stop().requests), (3, 3), "{}", run.stdout);
    assert!(!run.stderr.contains("had no answer"), "{}", run.stderr);
}

#[test]
fn pipeline_sends_three_at_once_and_hears_each() {
    let folder = Folder::new("wrk-pipeline");
    let json = folder.file("run.json");
    let (running, address) = target();
    let url = format!("http://{address}");
    let script = example("pipeline");
    let page = quiet(&["wrk", "-t1", "-c2", "-d100ms", "-s", &script, "--json", &json, &url]).stdout;
    let stats = running.stats();
    let phase = record(&json).phases.remove(0);
    assert_eq!((stats.paths["/hello"], stats.paths["/file"]), (stats.paths["/echo"], stats.paths["/echo"]));
    assert_eq!(stats.requests, phase.traffic.requests);
    assert!(stats.methods["HEAD"] == stats.paths["/file"] && phase.errors.is_empty(), "{stats:?}");
    // One latency per batch, and each answer is a request.
    let answered = number(&page, REQUESTS);
    assert!(answered.abs_diff(3 * phase.counts.completed) <= 6, "{page} {:?}", phase.counts);
    // wrk2: the rate is that of requests, and each answer has its latency unless it is asked not to.
    let rated = |flags: &[&str]| {
        let words = ["wrk2", "-t1", "-c4", "-R300", "-d200ms", "-s", &script, "--json", &json, &url];
        quiet(&[&words[..], flags].concat());
        let phase = record(&json).phases.remove(0);
        (phase.counts.completed, phase.requests.first().map(|request| request.counts.completed))
    };
    assert_eq!(rated(&[]), (20, Some(60)));
    assert_eq!(rated(&["-B"]), (20, None));
}

#[test]
fn a_batch_may_change_from_call_to_call() {
    let folder = Folder::new("wrk-batches");
    let source = "
        n = 0
        function request()
           n = n + 1
           local batch = {}
           for i = 1, n % 4 + 1 do
              batch[i] = wrk.format(i % 2 == 0 and 'HEAD' or 'POST', '/echo', {}, i % 2 == 1 and ('x'):rep(n % 7) or nil)
           end
           return table.concat(batch)
        end";
    let (running, address) = target();
    let script = folder.write("batches.lua", source);
    let page = quiet(&["wrk", "-t1", "-c3", "-d100ms", "-s", &script, &format!("http://{address}")]).stdout;
    let stats = running.stop();
    assert!(!page.contains("errors") && !page.contains("Non-2xx"), "{page}");
    assert!(stats.methods["HEAD"] > 0 && stats.methods["POST"] > stats.methods["HEAD"], "{stats:?}");
    assert!(stats.requests.abs_diff(number(&page, REQUESTS)) <= 12, "{page} {stats:?}");
}

#[test]
fn post_sends_its_form() {
    let folder = Folder::new("wrk-post");
    let source = format!(
        "dofile('{}')
         function response(status, headers, body) last = body end
         local thread
         function setup(made) thread = made end
         function done() print(thread:get('last')) end",
        example("post")
    );
    let script = folder.write("post.lua", &source);
    let (running, address) = target();
    let url = format!("http://{address}/echo");
    let run = quiet(&["wrk", "-t1", "-c1", "-d50ms", "-H", "X-B: 2", "-H", "X-A: 1", "-s", &script, &url]);
    let echo: serde_json::Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&echo["method"], &echo["body"]), (&"POST".into(), &"name=ann&answer=42".into()));
    let mut headers: Vec<(String, String)> = serde_json::from_value(echo["headers"].clone()).unwrap();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(headers[..3], [pair("Host", &address), pair("X-B", "2"), pair("X-A", "1")], "{headers:?}");
    headers.drain(..3);
    headers.sort();
    let form = pair("Content-Type", "application/x-www-form-urlencoded");
    assert_eq!(headers, [pair("Content-Length", "18"), form]);
    assert_eq!(running.stop().methods.keys().collect::<Vec<_>>(), ["POST"]);
}

#[test]
fn report_prints_after_the_page_what_the_page_shows() {
    let (_running, address) = target();
    let url = format!("http://{address}/hello");
    for words in [&["wrk"][..], &["wrk2", "-R200"]] {
        let script = example("report");
        let run = quiet(&[words, &["-t2", "-c4", "-d200ms", "-L", "-s", &script, &url]].concat());
        let (page, report) = run.stdout.split_once("percentile,us\n").unwrap();
        assert!(page.ends_with("B\n"), "{}", run.stdout);
        let values: Vec<u64> =
            [50.0, 90.0, 99.0, 99.9].iter().map(|p| number(report, &format!(r"(?m)^{p},(\d+)$"))).collect();
        assert!(values[0] > 0 && values.is_sorted(), "{report}");
        assert_eq!(number(report, r"(\d+) requests, \d+ bytes, 0 failed"), number(page, REQUESTS));
        assert_eq!(number(report, r"in (\d+) us"), 200_000, "{report}");
    }
}

#[test]
fn stop_ends_the_run_early_and_true() {
    let folder = Folder::new("wrk-stop");
    let json = folder.file("run.json");
    let (running, address) = target();
    let url = format!("http://{address}/delay?ms=1");
    let run =
        quiet(&["wrk", "-t2", "-c4", "-d1h", "-s", &example("stop"), "--json", &json, &url, "--", "50"]);
    let answered = number(&run.stdout, REQUESTS);
    // Each thread's own 50, and what its connections had under way.
    assert!((100..=104).contains(&answered), "{}", run.stdout);
    assert_eq!(running.stop().requests, answered);
    let phase = &record(&json).phases[0];
    // 50 answers over two connections, 1 ms each: at least 25 ms, and nothing like an hour.
    assert!((25_000_000..5_000_000_000).contains(&phase.duration_ns), "{}", phase.duration_ns);
    assert!(run.stdout.starts_with("Running 60m test"), "{}", run.stdout);
    assert!(Regex::new(r"requests in \d+\.\d\d(ms|s), ").unwrap().is_match(&run.stdout), "{}", run.stdout);
}

#[test]
fn threads_take_data_in_and_give_it_back() {
    let (running, address) = target();
    let url = format!("http://{address}/hello");
    let run = quiet(&["wrk", "-t2", "-c4", "-d100ms", "-s", &example("threads"), &url]);
    let counts = |name: &str| {
        let line = format!(r"{name} made (\d+) requests and got \d+ responses");
        let responses = format!(r"{name} made \d+ requests and got (\d+) responses");
        (number(&run.stdout, &line), number(&run.stdout, &responses))
    };
    let (first, second) = (counts("thread 1"), counts("thread 2"));
    assert!(first.1 > 0 && second.1 > 0, "{}", run.stdout);
    assert_eq!(running.stop().requests, first.0 - 1 + second.0, "one request was only looked at");
}

#[test]
fn a_response_sees_what_was_received() {
    let folder = Folder::new("wrk-response");
    let source = "
        function response(status, headers, body)
           seen = status .. ' ' .. headers['content-type'] .. ' ' .. headers['set-cookie'] .. ' ' .. #body
           if status == 200 then response = nil end
        end
        local thread
        function setup(made) thread = made end
        function done(summary) print(thread:get('seen') .. ' | ' .. summary.errors.status) end";
    let script = folder.write("response.lua", source);
    let (_running, address) = target();
    let url = format!("http://{address}/cookie/set?a=1&b=2");
    let run = quiet(&["wrk", "-t1", "-c2", "-d50ms", "-s", &script, &url]);
    let expected = "200 application/json; charset=utf-8 b=2; Path=/ 29 | 0";
    assert_eq!(run.stdout.lines().last(), Some(expected), "of lines with one name the last stands");
}

#[test]
fn headers_are_each_answers_own_whether_heads_repeat_or_not() {
    let folder = Folder::new("wrk-heads");
    // One to seven kinds of answers in turn: more than are kept in mind, and fewer. The header says what the body says.
    let source = "
        local sent = 0
        right, wrong = 0, 0
        function request()
           sent = sent + 1
           local kinds = math.floor(sent / 200) % 7 + 1
           return wrk.format(nil, '/cookie/set?n=' .. sent % kinds .. 'x')
        end
        function response(status, headers, body)
           local said = headers['set-cookie']:match('^n=(.*); Path')
           local fresh = headers.mark == nil
           headers.mark, headers['set-cookie'] = true, nil
           if fresh and said and body:find(said, 1, true) then right = right + 1 else wrong = wrong + 1 end
        end
        local thread
        function setup(made) thread = made end
        function done(summary) print('right ' .. thread:get('right') .. ' wrong ' .. thread:get('wrong')) end";
    let script = folder.write("heads.lua", source);
    let (_running, address) = target();
    let run = quiet(&["wrk", "-t1", "-c3", "-d300ms", "-s", &script, &format!("http://{address}")]);
    assert_eq!(number(&run.stdout, r"wrong (\d+)"), 0, "{}", run.stdout);
    assert!(number(&run.stdout, r"right (\d+)") > 1_000, "{}", run.stdout);
}

#[test]
fn c_modules_would_find_lua_in_the_program() {
    let folder = Folder::new("wrk-symbols");
    // What the dynamic linker looks up for a module.
    let source = "
        local ffi = require('ffi')
        ffi.cdef('int lua_pushnumber(void *state, double n); int luaL_checknumber(void *state, int at);')
        function init() print(ffi.C.lua_pushnumber ~= nil and ffi.C.luaL_checknumber ~= nil) end";
    let script = folder.write("symbols.lua", source);
    let (_running, address) = target();
    let run = quiet(&["wrk", "-t1", "-c1", "-d50ms", "-s", &script, &format!("http://{address}")]);
    assert!(run.stdout.starts_with("true\nRunning "), "{}", run.stdout);
}

#[test]
fn a_script_that_cannot_start_is_said_once() {
    let folder = Folder::new("wrk-faults");
    let (running, address) = target();
    let check = |source: &str, code: i32, expected: &str| {
        let script = folder.write("bad.lua", source);
        let run = weir(&["wrk", "-t3", "-c3", "-d50ms", "-s", &script, &format!("http://{address}/")]);
        let said = run.stderr.replace(&script, "bad.lua");
        assert_eq!((run.code, said.as_str(), run.stdout.as_str()), (Some(code), expected, ""), "{source}");
    };
    check("\nfunction (", 2, "bad.lua:2: '<name>' expected near '('\n");
    check("local t = nil\nt.x = 1", 2, "bad.lua:2: attempt to index local 't' (a nil value)\n");
    let told =
        "function init()\n  error(setmetatable({}, { __tostring = function() return 'told' end }))\nend";
    check(told, 2, "bad.lua:2: told\n");
    check(
        "function request() return 'GET / HTTP/1.1\\r\\nHost: a\\r\\n' end",
        1,
        "incomplete request at 3:1\n",
    );
    check("wrk.method = 'G T'", 1, "invalid HTTP version at 1:5\n");
    check("\u{1b}LJ\u{2}garbage", 2, "bad.lua: cannot load incompatible bytecode\n");
    // In the system's words, as both tools say it.
    let unresolved = |text: &str| text.split("invalid:http ").nth(1).unwrap_or_default().to_owned();
    let url = "http://nowhere.invalid/";
    let script = folder.write("plain.lua", "");
    let (with_script, without) = (weir(&["wrk", "-s", &script, url]).stderr, weir(&["wrk", url]).stderr);
    assert!(!unresolved(&without).is_empty() && with_script == without, "{with_script}{without}");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = weir(&["wrk", "-s", &script, &format!("http://{free}/")]);
    assert_eq!(refused.stderr, format!("unable to connect to {free} Connection refused\n"));
    assert_eq!(running.stop().requests, 0, "nothing was sent");
}

#[test]
fn a_callback_that_fails_ends_the_run_with_file_and_line() {
    let folder = Folder::new("wrk-callbacks");
    let (_running, address) = target();
    let check = |source: &str, expected: &str| {
        let script = folder.write("late.lua", source);
        let url = format!("http://{address}/hello");
        let run = weir(&["wrk", "-q", "-t2", "-c4", "-d1h", "-s", &script, &url]);
        let said = run.stderr.replace(&script, "late.lua");
        assert_eq!((run.code, said.matches("late.lua").count()), (Some(2), 1), "{said}");
        assert!(said.ends_with(expected), "{said}");
        // A run that was broken off has no result on stdout; one whose `done` fails has.
        let is_whole = source.contains("done");
        assert_eq!(
            (run.stdout.contains("Requests/sec"), said.contains("Requests/sec")),
            (is_whole, !is_whole)
        );
    };
    check(
        "local n = 0\nfunction request()\n  n = n + 1\n  if n > 50 then return nil + 1 end\n  return wrk.request()\nend",
        "late.lua:4: attempt to perform arithmetic on a nil value\n",
    );
    check(
        "function response(status, headers)\n  x = headers.no.such\nend",
        "late.lua:2: attempt to index field 'no' (a nil value)\n",
    );
    check(
        "local n = 0\nfunction delay()\n  n = n + 1\n  if n > 9 then error('tired') end\n  return 1\nend",
        "late.lua:4: tired\n",
    );
    check(
        "function response() wrk.thread:stop() end\nfunction done() error('at last') end",
        "late.lua:2: at last\n",
    );
}

#[test]
fn a_loop_without_end_yields_to_the_second_interrupt() {
    let folder = Folder::new("wrk-endless");
    let script = folder.write("endless.lua", "function response() while true do end end");
    let (running, address) = target();
    let url = format!("http://{address}/hello");
    let child = command(&["wrk", "-q", "-t1", "-c1", "-d1h", "-s", &script, &url])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while running.stats().requests == 0 {
        std::thread::yield_now();
    }
    signal(&child, Signal::INT);
    signal(&child, Signal::TERM);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("look for a loop without end"), "{said}");
}

#[test]
fn a_done_without_end_is_cut_off_by_one_interrupt() {
    let folder = Folder::new("wrk-done");
    let source = "function done() io.stderr:write('done\\n') while true do end end";
    let script = folder.write("done.lua", source);
    let json = folder.file("run.json");
    let (_running, address) = target();
    let url = format!("http://{address}/hello");
    let mut child = command(&["wrk", "-q", "-t1", "-c1", "-d50ms", "-s", &script, "--json", &json, &url])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "done\n");
    signal(&child, Signal::INT);
    said.read_to_string(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), line.lines().count()), (Some(4), 2), "{line}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("Transfer/sec"));
    assert!(record(&json).phases[0].counts.completed > 0);
}
