use super::*;
use std::net::TcpListener;

/// The options of a command line for this server.
fn options(line: &str, listener: &TcpListener) -> Options {
    let url = format!("http://{}/a?b", listener.local_addr().unwrap());
    let words: Vec<String> = line.split_whitespace().map(|word| word.replace("URL", &url)).collect();
    crate::read(&words, Mode::Wrk, "wrk").outcome.unwrap()
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// A state with the prelude alone.
pub(super) fn bare() -> (Lua, Table) {
    new_state(&options("URL", &listener()), "bare.lua", b"").unwrap()
}

fn start(line: &str, source: &str) -> Result<Script, ScriptError> {
    let listener = listener();
    Script::start(&options(line, &listener), source.as_bytes())
}

/// What `expression` is in a thread's state once the script has started.
fn eval(script: &Script, thread_index: usize, expression: &str) -> String {
    let lua = &script.threads[thread_index].lua;
    let value: Value = lua.load(format!("return tostring({expression})")).eval().unwrap();
    value.to_string().unwrap()
}

fn request(script: &Script, thread_index: usize) -> String {
    let (mut bytes, mut kinds) = (Vec::new(), Vec::new());
    script.threads[thread_index].request(&mut bytes, &mut kinds).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn texts(line: &str, source: &str) -> Vec<String> {
    let script = start(line, source).unwrap();
    (0..script.threads.len())
        .map(|index| String::from_utf8(script.fixed(index).unwrap().0).unwrap())
        .collect()
}

#[test]
fn without_request_one_text_is_made_for_each_thread() {
    let texts =
        texts("-t2 -H b:1 -H A:2 -H b:3 URL", "wrk.headers['X-Thread'] = tostring(wrk.thread) ~= nil");
    let port = |text: &str| text.split("127.0.0.1:").nth(1).unwrap().split('\r').next().unwrap().to_owned();
    let expected = format!(
        "GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nb: 1\r\nb: 3\r\nA: 2\r\nX-Thread: true\r\n\r\n",
        port(&texts[0])
    );
    assert_eq!(texts, [expected.clone(), expected]);
}

#[test]
fn format_takes_what_is_missing_from_the_table_and_keeps_the_headers_true() {
    let source = "
        function init()
           wrk.method, wrk.body = 'PUT', 'four'
           a = wrk.format()
           b = wrk.format('POST', '/p', { Accept = 'x' }, 12345)
           left = wrk.headers['Content-Length']
           wrk.body = nil
           c = wrk.format('GET')
           gone = wrk.headers['Content-Length']
        end";
    let script = start("-H host:h URL", source).unwrap();
    let at = |name: &str| eval(&script, 0, name);
    let rest = "Content-Length: 4\r\n\r\nfour";
    assert_eq!(at("a"), format!("PUT /a?b HTTP/1.1\r\nhost: h\r\n{rest}"), "no second Host");
    assert!(at("b").starts_with("POST /p HTTP/1.1\r\n"), "{}", at("b"));
    assert!(at("b").contains("Accept: x\r\n") && at("b").contains("Content-Length: 5\r\n"));
    assert!(at("b").ends_with("\r\n\r\n12345"), "{}", at("b"));
    assert_eq!(at("c"), "GET /a?b HTTP/1.1\r\nhost: h\r\n\r\n");
    assert_eq!((at("left").as_str(), at("gone").as_str()), ("4", "nil"));
}

#[test]
fn the_order_of_calls_is_that_of_wrk() {
    let source = "
        log = log or {}
        local function note(text) log[#log + 1] = text end
        note(wrk.thread and 'file in a thread' or 'file in main')
        function setup(thread) note('setup') thread:set('given', #log) end
        function init(args) note('init ' .. args[0]:sub(1, 4) .. ' ' .. args[1] .. ' ' .. #args .. ' ' .. given) end
        function request() note('request') return wrk.request() end";
    let script = start("-t2 URL one -- two", source).unwrap();
    let log = |index| eval(&script, index, "table.concat(log, '; ')");
    assert_eq!(log(0), "file in main; init http one 2 2; request", "the thread is there after its file");
    assert_eq!(log(1), "file in main; init http one 2 3", "only the first thread's request is verified");
    let main: String = script.main.load("return table.concat(log, '; ')").eval().unwrap();
    assert_eq!(main, "file in main; setup; setup");
    assert_eq!((script.depth(), script.failure()), (1, None));
}

#[test]
fn values_cross_between_states_as_copies() {
    let source = "
        function setup(thread)
           thread:set('data', { 1, 'two', { deep = true }, [5] = 2.5 })
           data = thread:get('data')
           absent = thread:get('nothing')
           ok, why = pcall(thread.set, thread, 'f', print)
           cycle = {} cycle[1] = cycle
           deep_ok, deep = pcall(thread.set, thread, 'c', cycle)
           local big = {}
           for i = 1, 100000 do big[i] = i end
           thread:set('big', big)
           field_ok = pcall(function() thread.name = 1 end)
        end";
    let script = start("-t1 -c1 URL", source).unwrap();
    let data = "data[1] .. data[2] .. tostring(data[3].deep) .. data[5]";
    assert_eq!(eval(&script, 0, data), "1twotrue2.5");
    assert_eq!(eval(&script, 0, "#big"), "100000");
    let main =
        |code: &str| -> String { script.main.load(format!("return tostring({code})")).eval().unwrap() };
    assert_eq!(main(data), "1twotrue2.5");
    assert_eq!(
        (main("absent"), main("ok"), main("deep_ok"), main("field_ok")),
        ("nil".to_owned(), "false".to_owned(), "false".to_owned(), "false".to_owned())
    );
    assert!(main("why").contains("a function can't be given to another thread"), "{}", main("why"));
    assert!(main("deep").contains("more than 64 levels deep"), "{}", main("deep"));
    assert_eq!(eval(&script, 0, "wrk.thread:get('data')[2]"), "two", "a thread reaches itself");
}

#[test]
fn addresses_are_looked_up_tried_and_given_to_threads() {
    let listener = listener();
    let source = "
        local n = 0
        function setup(thread)
           n = n + 1
           first = tostring(thread.addr)
           found = wrk.lookup(wrk.host, wrk.port)
           same = found[1] == wrk.lookup(wrk.host, wrk.port)[1]
           connects = wrk.connect(found[1])
           usable = #wrk.addrs
           if n == 2 then thread.addr = found[1] end
           bad_ok, bad = pcall(function() thread.addr = 'x' end)
        end";
    let script = Script::start(&options("-t2 URL", &listener), source.as_bytes()).unwrap();
    let address = listener.local_addr().unwrap();
    assert_eq!((script.address(0), script.address(1)), (None, Some(address)));
    let main =
        |code: &str| -> String { script.main.load(format!("return tostring({code})")).eval().unwrap() };
    assert_eq!((main("first"), main("tostring(found[1])")), (address.to_string(), address.to_string()));
    assert_eq!((main("same"), main("connects"), main("usable")), ("true".into(), "true".into(), "1".into()));
    assert_eq!(main("bad_ok"), "false");
    assert!(main("bad").contains("an address of wrk.lookup expected, got string"), "{}", main("bad"));
    assert_eq!(eval(&script, 1, "wrk.thread.addr"), address.to_string());
    assert_eq!(eval(&script, 0, "wrk.time_us() > 1.7e15"), "true");
    let services = eval(&script, 0, "tostring(wrk.lookup('127.0.0.1', 'https')[1])");
    assert_eq!(services, "127.0.0.1:443");
}

#[test]
fn a_server_that_is_not_there_is_said_as_wrk_does() {
    let listener = listener();
    let options = options("-s x.lua URL", &listener);
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let said = Script::start(&options, b"").err().unwrap().to_string();
    assert!(said.starts_with(&format!("unable to connect to 127.0.0.1:{port} Connection refused")), "{said}");
    let mut options = options;
    options.url.host = "no.such.host.invalid".to_owned();
    let said = Script::start(&options, b"").err().unwrap().to_string();
    assert!(said.starts_with(&format!("unable to resolve no.such.host.invalid:{port} ")), "{said}");
}

#[test]
fn all_standard_libraries_are_there() {
    let names = "bit.band(6, 3) .. type(ffi or require('ffi')) .. type(jit.version) .. type(debug.getinfo)
        .. type(io.write) .. type(os.time) .. type(package.path) .. type(coroutine.wrap) .. type(loadstring)";
    let expected = "2tablestringfunctionfunctionfunctionstringfunctionfunction";
    assert_eq!(eval(&start("URL", "#!/usr/bin/env luajit\nok = true").unwrap(), 0, names), expected);
}

#[test]
fn errors_name_file_and_line_once() {
    let check = |source: &str, expected: &str| {
        let said = start("-s dir/bad.lua URL", source).err().map(|error| error.to_string());
        assert_eq!(said.as_deref(), Some(expected), "{source}");
    };
    check("x = = 1", "dir/bad.lua:1: unexpected symbol near '='");
    check("\n\nfoo.bar()", "dir/bad.lua:3: attempt to index global 'foo' (a nil value)");
    check("error('no', 0)", "dir/bad.lua:1: no");
    check(
        "function setup(t)\nt:set('x', print)\nend",
        "dir/bad.lua:2: a function can't be given to another thread: only nil, booleans, numbers, strings and tables of these",
    );
    check("function init() error('stop here') end", "dir/bad.lua:1: stop here");
    check("function request() return nil end", "dir/bad.lua: request gave a nil, and must give a string");
    check("function request() return {} end", "dir/bad.lua: request gave a table, and must give a string");
    check("function request() return 'GET' end", "incomplete request at 1:4");
    check("wrk.path = '/a b'", "invalid HTTP version at 1:8");
    check(
        "wrk.lookup('no.such.host.invalid', 'nonsense')",
        "dir/bad.lua:1: unable to resolve no.such.host.invalid:nonsense unknown service",
    );
    let long = format!("{}/bad.lua", "d".repeat(80));
    let said = start(&format!("-s {long} URL"), "\nx()").err().unwrap().to_string();
    assert_eq!(said, format!("{long}:2: attempt to call global 'x' (a nil value)"));
}

#[test]
fn a_callback_that_fails_rings_once_and_says_where() {
    let source =
        "n = 0\nfunction request()\nn = n + 1\nif n > 2 then error('enough') end\nreturn wrk.request()\nend";
    let script = start("-s counted.lua URL", source).unwrap();
    let (rang, heard) = std::sync::mpsc::channel();
    script.on_failure(move || rang.send(()).unwrap());
    assert!(request(&script, 0).starts_with("GET /a?b"));
    assert!(!script.threads[0].is_over());
    let (mut bytes, mut kinds) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        assert!(script.threads[0].request(&mut bytes, &mut kinds).is_err());
    }
    assert_eq!(heard.try_iter().count(), 1);
    assert!(script.threads.iter().all(|calls| calls.is_over()), "all threads end");
    assert_eq!(script.failure().unwrap().to_string(), "counted.lua:4: enough");
}

#[test]
fn done_is_called_with_the_figures_and_reaches_the_threads() {
    let source = "
        threads = {}
        function setup(thread) threads[#threads + 1] = thread thread:set('id', #threads) end
        function done(summary, latency, requests)
           said = summary.requests .. ' ' .. latency:percentile(50) .. ' ' .. #requests
           for _, thread in ipairs(threads) do said = said .. ' ' .. thread:get('id') end
           thread = threads[1]
           thread:stop()
        end";
    let script = start("-t2 URL", source).unwrap();
    let summary = Summary { requests: 7, ..Summary::default() };
    script.done(&summary, Statistics::of_samples([3, 4, 5]), Statistics::of_samples([9, 9])).unwrap();
    let said: String = script.main.globals().get("said").unwrap();
    assert_eq!(said, "7 4 1 1 2");
    assert!(script.threads[0].is_over() && !script.threads[1].is_over());
    let failing = start("-s f.lua URL", "function done(summary)\nsummary.no.such = 1\nend").unwrap();
    let error = failing.done(&summary, Statistics::default(), Statistics::default()).unwrap_err();
    assert_eq!(error.to_string(), "f.lua:2: attempt to index field 'no' (a nil value)");
    start("URL", "").unwrap().done(&summary, Statistics::default(), Statistics::default()).unwrap();
}

#[test]
fn states_end_with_all_that_scripts_held() {
    // Destructors run when a state is dropped and when it collects.
    let source = "
        function setup(thread) kept = { thread, wrk.lookup(wrk.host, wrk.port) } collectgarbage() end
        function init() pcall(wrk.connect, 1) collectgarbage() collectgarbage() end";
    let script = start("-t2 URL", source).unwrap();
    let summary = Summary::default();
    script.done(&summary, Statistics::default(), Statistics::default()).unwrap();
    for calls in &script.threads {
        calls.lua.gc_collect().unwrap();
    }
    let weak = script.threads[0].lua.weak();
    drop(script);
    assert!(weak.try_upgrade().is_none(), "no state holds itself");
}
