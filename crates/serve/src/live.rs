//! A run in progress as a stream of events: first the record as far as it is known, then what is new of it, and at its end the whole.

use crate::Shared;
use crate::api::apart;
use crate::fault::Fault;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use record::RunRecord;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use store::{News, RunState, Seen, Store};
use tokio::sync::mpsc::{self, Sender};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;

/// Time between two looks into the store: an interval is usually a second, and a fresh one should not wait long.
const LOOK_PERIOD: Duration = Duration::from_millis(250);
/// Events that wait for a slow watcher; the next look then waits too, and sees more at once.
const EVENTS_MAX: usize = 4;

pub(crate) async fn watch(
    State(shared): State<Arc<Shared>>,
    Path(selector): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Fault> {
    let permit = Arc::clone(&shared.watchers).try_acquire_owned().map_err(|_| {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Fault::new(status, "too many pages watch runs", "close some of them")
    })?;
    let (store, head) = apart(move || {
        let store = Store::open_to_read(&shared.store)?;
        let id = store.select(&selector)?;
        let head = RunRecord { phases: Vec::new(), ..store.load(&id)? };
        Ok((store, head))
    })
    .await?;
    let (sender, events) = mpsc::channel(EVENTS_MAX);
    tokio::spawn(async move {
        // An error means that the watcher is gone or the run was deleted: either way the stream is over.
        let _ = follow(store, head, &sender).await;
        drop(permit);
    });
    Ok(Sse::new(ReceiverStream::new(events)).keep_alive(KeepAlive::default()))
}

/// Looks until the run has ended or nobody listens.
async fn follow(
    store: Store,
    head: RunRecord,
    watcher: &Sender<Result<Event, Infallible>>,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let id = head.run_id.clone();
    watcher.send(Ok(Event::default().event("run").json_data(&head)?)).await?;
    let mut place = Some((store, Seen::default()));
    while let Some((store, seen)) = place.take() {
        let run_id = id.clone();
        let (store, news) = apart(move || {
            let news = store.news(&run_id, seen)?;
            Ok((store, news))
        })
        .await
        .map_err(|_| "the run can't be read")?;
        let is_over = news.state != RunState::Running && !news.has_more;
        let has_more = news.has_more;
        let next = news.seen;
        if is_new(&news) {
            watcher.send(Ok(Event::default().event("news").json_data(&news)?)).await?;
        }
        if is_over {
            // The whole record tells more than its intervals did, and a server that ends with its run can't be asked for it.
            let record = apart(move || Ok(store.load(&id)?)).await.map_err(|_| "the run can't be read")?;
            watcher.send(Ok(Event::default().event("end").json_data(&record)?)).await?;
            return Ok(());
        }
        if watcher.is_closed() {
            return Ok(());
        }
        if !has_more {
            tokio::time::sleep(LOOK_PERIOD).await;
        }
        place = Some((store, next));
    }
    Ok(())
}

fn is_new(news: &News) -> bool {
    !news.phases.is_empty() || !news.intervals.is_empty()
}
