//! The answers: the page, and the store's contents as JSON.

use crate::Shared;
use crate::fault::Fault;
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::response::Html;
use compare::{Comparison, Objection, Settings, Side, compare_runs};
use record::RunRecord;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::{Filter, RunState, RunSummary, Store, StoreError, Wish};
use units::Rate;

/// Most runs in a list unless asked otherwise.
const LIST_COUNT: usize = 500;
/// Most runs compared at once: more than this is no comparison any more.
const COMPARED_MAX: usize = 16;

pub(crate) async fn page() -> Html<String> {
    Html(report::served_page())
}

pub(crate) async fn unknown() -> Fault {
    Fault::new(StatusCode::NOT_FOUND, "there is nothing here", "the page is at /, its data below /api")
}

/// Does what may wait for the disk on a thread where that harms nobody.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(Fault::internal("the answer can't be made")))
}

/// What `GET /api/runs` answers.
#[derive(Serialize)]
pub(crate) struct List {
    runs: Vec<RunSummary>,
    /// Of all runs in the store.
    count: u64,
}

pub(crate) async fn list(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
) -> Result<Json<List>, Fault> {
    let filter = filter_of(query.as_deref().unwrap_or_default())?;
    apart(move || {
        let store = match Store::open_to_read(&shared.store) {
            // A store comes into being with its first run.
            Err(StoreError::Absent { .. }) => return Ok(Json(List { runs: Vec::new(), count: 0 })),
            opened => opened?,
        };
        Ok(Json(List { runs: store.list(&filter)?, count: store.count()? }))
    })
    .await
}

fn filter_of(query: &str) -> Result<Filter, Fault> {
    let mut filter = Filter { limit: Some(LIST_COUNT), ..Filter::default() };
    for (key, value) in pairs(query) {
        match key.as_str() {
            "limit" => {
                let limit =
                    value.parse().map_err(|_| Fault::bad("`limit` is no number", "write limit=100"))?;
                filter.limit = Some(limit);
            }
            "name" => filter.names.push(value),
            "state" => {
                let known = [RunState::Ended, RunState::Aborted, RunState::Running];
                let state = known.into_iter().find(|state| state.as_str() == value);
                filter.state = Some(state.ok_or_else(|| {
                    Fault::bad("there is no such `state`", "write state=running, ended or aborted")
                })?);
            }
            "label" => {
                let pair = value.split_once('=');
                let (name, value) =
                    pair.ok_or_else(|| Fault::bad("`label` has no value", "write label=KEY%3DVALUE"))?;
                filter.labels.push((name.to_owned(), value.to_owned()));
            }
            other => {
                return Err(Fault::bad(
                    format!("`{other}` filters nothing"),
                    "use limit, name, label or state",
                ));
            }
        }
    }
    Ok(filter)
}

pub(crate) async fn run(
    State(shared): State<Arc<Shared>>,
    Path(selector): Path<String>,
) -> Result<Json<RunRecord>, Fault> {
    apart(move || load(&shared, &selector).map(Json)).await
}

fn load(shared: &Shared, selector: &str) -> Result<RunRecord, Fault> {
    let store = Store::open_to_read(&shared.store)?;
    Ok(store.load(&store.select(selector)?)?)
}

pub(crate) async fn remove(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<StatusCode, Fault> {
    apart(move || {
        let mut store = Store::open(&shared.store)?;
        // The whole id, so that nothing is deleted by a selector that has come to mean another run.
        if store.summary(&id)?.state == RunState::Running {
            let message = format!("the run `{id}` is still going on");
            return Err(Fault::new(StatusCode::CONFLICT, message, "stop it first, or wait for its end"));
        }
        match store.remove(std::slice::from_ref(&id))? {
            0 => Err(StoreError::NoSuchRun { selector: id, run_count: store.count()? }.into()),
            _ => Ok(StatusCode::NO_CONTENT),
        }
    })
    .await
}

/// What `POST /api/runs/ID/wishes` takes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WishBody {
    #[serde(default)]
    stop: bool,
    rate: Option<String>,
}

pub(crate) async fn wish(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    body: Result<Json<WishBody>, JsonRejection>,
) -> Result<StatusCode, Fault> {
    let example = r#"send {"stop": true} or {"rate": "500/s"}"#;
    let Json(body) = body.map_err(|error| Fault::bad(error.body_text(), example))?;
    let wish = match (body.stop, body.rate) {
        (true, None) => Wish::Stop,
        (false, Some(rate)) => {
            let rate = Rate::parse(&rate)
                .map_err(|error| Fault::bad(error.to_string(), "rates are such as 500/s or 90/min"))?;
            Wish::ChangeRate(rate)
        }
        _ => return Err(Fault::bad("one wish at a time", example)),
    };
    apart(move || {
        Store::open(&shared.store)?.leave_wish(&id, wish)?;
        Ok(StatusCode::ACCEPTED)
    })
    .await
}

pub(crate) async fn compare(
    State(shared): State<Arc<Shared>>,
    RawQuery(query): RawQuery,
) -> Result<Json<Comparison>, Fault> {
    let pairs = pairs(query.as_deref().unwrap_or_default());
    apart(move || {
        let example = "write /api/compare?baseline=A&candidate=B";
        if pairs.len() > COMPARED_MAX {
            return Err(Fault::bad(format!("more than {COMPARED_MAX} runs"), example));
        }
        let runs = |side: &str| -> Result<Vec<RunRecord>, Fault> {
            let named = pairs.iter().filter(|(key, _)| key == side);
            named.map(|(_, selector)| load(&shared, selector)).collect()
        };
        let (baseline, candidates) = (runs("baseline")?, runs("candidate")?);
        if baseline.is_empty() || candidates.is_empty() {
            return Err(Fault::bad("a comparison needs two sides", example));
        }
        let is_forced = pairs.iter().any(|(key, value)| key == "force" && value == "1");
        compared(&baseline, &candidates, is_forced).map(Json)
    })
    .await
}

/// Each candidate is a side of its own; the runs of the baseline are one.
fn compared(baseline: &[RunRecord], candidates: &[RunRecord], is_forced: bool) -> Result<Comparison, Fault> {
    fn side(runs: &[RunRecord]) -> Side<'_> {
        let name = runs.first().map_or_else(String::new, |run| run.name.clone());
        Side { name, runs: runs.iter().collect() }
    }
    let sides: Vec<Side<'_>> =
        std::iter::once(side(baseline)).chain(candidates.chunks(1).map(side)).collect();
    let settings = Settings { force: is_forced, ..Settings::of_runs() };
    compare_runs(&sides, &settings).map_err(|objections| {
        let joined = |of: fn(&Objection) -> &str| -> String {
            let texts: Vec<&str> = objections.iter().map(of).filter(|text| !text.is_empty()).collect();
            texts.join("; ")
        };
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Fault::new(status, joined(|objection| &objection.message), joined(|objection| &objection.hint))
    })
}

/// Key and value of each pair of a query, decoded.
fn pairs(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(key), decoded(value))
        })
        .collect()
}

/// Percent-decoding (RFC 3986 §2.1), with `+` for a space as forms have it. What is no escape stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = |index: usize| after.get(index).and_then(|byte| char::from(*byte).to_digit(16));
        match (*first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = after.get(2..).unwrap_or_default();
                continue;
            }
            (b'+', ..) => bytes.push(b' '),
            (other, ..) => bytes.push(other),
        }
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            pairs("a=1&b=x%20y+z&c&&d=%C3%BC%"),
            [pair("a", "1"), pair("b", "x y z"), pair("c", ""), pair("d", "ü%"),]
        );
    }

    #[test]
    fn filters_are_read_or_refused() {
        let filter = filter_of("name=shop&label=branch%3Dmain&limit=3").unwrap();
        assert_eq!(filter.names, ["shop"]);
        assert_eq!(filter.labels, [("branch".to_owned(), "main".to_owned())]);
        assert_eq!(filter.limit, Some(3));
        assert_eq!(filter_of("state=running").unwrap().state, Some(RunState::Running));
        for bad in ["limit=x", "label=x", "state=gone", "colour=red"] {
            assert!(filter_of(bad).is_err(), "{bad}");
        }
    }
}
