//! What kwrk, the front end of one URL, makes of its flags: a configuration of the newest form.

use serde_json::{Map, Value, json};

/// kwrk's flags.
#[derive(Debug, Clone, PartialEq)]
pub struct Kwrk {
    /// Where to; several with commas between are taken in turn by users.
    pub url: String,
    /// Actions per second; 0: as fast as possible.
    pub rate: f64,
    /// Added to the rate at each step.
    pub rate_step_change: f64,
    /// Iterations per step.
    pub rate_step_count: u32,
    /// Users.
    pub users: u32,
    /// Most actions under way.
    pub tasks: u32,
    /// Threads; 0: any number.
    pub threads: u32,
    /// Seconds of both warm-ups.
    pub warmup_s: u32,
    /// Seconds of an iteration.
    pub duration_s: u32,
    /// Measured iterations.
    pub iterations: u32,
    /// The one header, `Name: value`.
    pub header: String,
    /// `GET`; anything else is POST.
    pub method: String,
    /// What a POST sends.
    pub json_body: String,
    /// `HTTP_1_1`.
    pub version: String,
    /// Names of the files are `kwrk_STEM_output.json` and so on.
    pub stem: String,
}

impl Kwrk {
    /// The configuration's text.
    pub fn config(&self) -> String {
        // Below one action per second a warm-up would have to be long to send anything.
        let warmup_s = if self.rate > 0.0 && self.rate < 1.0 { 0 } else { self.warmup_s };
        let id = if self.method.eq_ignore_ascii_case("GET") { 1 } else { 2 };
        let file = |what: &str| format!("kwrk_{}_{what}", self.stem);
        let actions = object([
            ("description", json!("kwrk")),
            ("output_filename", json!(file("output.json"))),
            ("report_filename", json!(file("report.html"))),
            ("user_class", json!("KwrkHttpUser")),
            (
                "user_params",
                object([
                    ("url", json!(self.url)),
                    ("httpVersion", json!(self.version)),
                    ("httpHeader", json!(self.header)),
                    ("connectTimeoutMillis", json!(1000)),
                    ("readTimeoutMillis", json!(10_000)),
                    ("jsonBody", json!(self.json_body)),
                ]),
            ),
            ("user_actions", object([("1", json!("GET:url")), ("2", json!("POST:url"))])),
        ]);
        let benchmark = object([
            ("enabled", json!(true)),
            ("aps_rate", json!(self.rate)),
            ("aps_rate_step_change", json!(self.rate_step_change)),
            ("aps_rate_step_count", json!(self.rate_step_count)),
            ("scenario_actions", json!([{ "id": id }])),
            ("warmup_duration1", json!(warmup_s)),
            ("warmup_duration2", json!(warmup_s)),
            ("benchmark_duration", json!(self.duration_s)),
            ("benchmark_iterations", json!(self.iterations)),
        ]);
        let context = object([
            ("enabled", json!(true)),
            ("num_users", json!(self.users)),
            ("num_tasks", json!(self.tasks)),
            ("num_threads", json!(self.threads)),
        ]);
        let config = object([
            ("actions", actions),
            ("benchmarks", object([("HTTP", benchmark)])),
            ("contexts", object([("Context-1", context)])),
        ]);
        format!("{config:#}\n")
    }
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_a_configuration() {
        let kwrk = Kwrk {
            url: "http://127.0.0.1:8181/".to_owned(),
            rate: 0.5,
            rate_step_change: 10.0,
            rate_step_count: 2,
            users: 3,
            tasks: 2,
            threads: 0,
            warmup_s: 5,
            duration_s: 30,
            iterations: 3,
            header: "User-Agent: kwrk".to_owned(),
            method: "PUT".to_owned(),
            json_body: "{\"title\": \"foo\"}".to_owned(),
            version: "HTTP_1_1".to_owned(),
            stem: "test".to_owned(),
        };
        let text = kwrk.config();
        let loaded = crate::parse(&text, "kwrk.json", None);
        assert_eq!(loaded.diagnostics, [], "{text}");
        let run = loaded.run.unwrap();
        let names: Vec<&str> = run.plan.phases.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names, ["onStart", "HTTP step 1", "HTTP step 2", "HTTP step 3", "onStop"], "{text}");
        assert_eq!(run.plan.scenarios[1].actions[0].name, "POST:url");
        let own = Kwrk { rate: 5.0, method: "GET".to_owned(), rate_step_change: 0.0, ..kwrk };
        let run = crate::parse(&own.config(), "kwrk.json", None).run.unwrap();
        assert_eq!((run.plan.phases.len(), run.plan.phases[3].repeat_count), (5, 6));
        assert_eq!(run.plan.scenarios[1].actions[0].name, "GET:url");
    }
}
