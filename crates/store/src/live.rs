//! A run that goes on, as others see it: what is new since they last looked, and what they wish of it.
//!
//! Both go by the store, so that whoever watches need not be the program that runs, and the run needs no socket of its own.

use crate::load::state_of;
use crate::store::Fault;
use crate::write::RunKey;
use crate::{RunState, Store, StoreError, codec, rebuild};
use record::{IntervalRecord, PhaseRecord};
use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;
use units::Rate;

/// So many intervals are told at once: a watcher that comes late to a long run takes several looks, none of which is large.
const INTERVALS_MAX: i64 = 600;
/// Wishes beyond so many that no run has taken yet are refused: something asks in a loop, or the run is gone.
const WISHES_MAX: i64 = 64;

/// What has become of a run since a look.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct News {
    /// How far it has come.
    pub state: RunState,
    /// The phases that began or ended, by their index among the run's phases, without their intervals. One that goes on has its name and kind, and is
    /// otherwise empty.
    pub phases: Vec<(u64, PhaseRecord)>,
    /// Intervals that are new, by the index of their phase, in order.
    pub intervals: Vec<(u64, IntervalRecord)>,
    /// To be given at the next look.
    pub seen: Seen,
    /// There is more already: look again.
    pub has_more: bool,
}

/// How much of a run was seen. The default: nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Seen {
    interval_key: i64,
    phase_count: i64,
    whole_count: i64,
}

/// What somebody who watches wants a run to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wish {
    /// End the load, drain, report; a second one gives up what is under way.
    Stop,
    /// Give the open phases that run this rate.
    ChangeRate(Rate),
}

impl Wish {
    fn to_row(self) -> (&'static str, i64, i64) {
        match self {
            Self::Stop => ("stop", 0, 0),
            Self::ChangeRate(rate) => {
                let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
                ("rate", number(rate.count()), number(rate.period_ns()))
            }
        }
    }

    fn of_row(kind: &str, count: i64, period_ns: i64) -> Option<Self> {
        let number = |value: i64| u64::try_from(value).ok();
        match kind {
            "stop" => Some(Self::Stop),
            "rate" => Rate::new(number(count)?, number(period_ns)?).map(Self::ChangeRate),
            _ => None,
        }
    }
}

impl Store {
    /// What is new of a run since a look.
    ///
    /// # Errors
    /// There is none with this id; the file is damaged.
    pub fn news(&self, id: &str, seen: Seen) -> Result<News, StoreError> {
        let news = self.find_news(id, seen).map_err(|fault| fault.at(self.path()))?;
        news.ok_or_else(|| StoreError::NoSuchRun {
            selector: id.to_owned(),
            run_count: self.count().unwrap_or(1),
        })
    }

    /// Leaves a wish for a run that goes on. It is taken within about an interval.
    ///
    /// # Errors
    /// There is no run with this id, or it is over, or takes no wishes; the store can't be written.
    pub fn leave_wish(&mut self, id: &str, wish: Wish) -> Result<(), StoreError> {
        let (kind, count, period_ns) = wish.to_row();
        let is_left = self.write(|transaction| {
            let sql = "SELECT key, state, writer, touched_unix_ns FROM run WHERE id = ?1";
            let mut statement = transaction.prepare_cached(sql)?;
            let mut rows = statement.query([id])?;
            let Some(row) = rows.next()? else { return Ok(false) };
            let state = state_of(row.get_ref(1)?, row.get_ref(2)?, row.get_ref(3)?)?;
            if state != RunState::Running {
                return Err(Fault::NotRunning(id.to_owned()));
            }
            let key: i64 = row.get(0)?;
            let sql = "INSERT INTO wish (run, kind, count, period_ns)
                SELECT ?1, ?2, ?3, ?4 WHERE (SELECT count(*) FROM wish WHERE run = ?1) < ?5";
            Ok(transaction.execute(sql, params![key, kind, count, period_ns, WISHES_MAX])? == 1)
        })?;
        let none = || StoreError::NoSuchRun { selector: id.to_owned(), run_count: self.count().unwrap_or(1) };
        if is_left { Ok(()) } else { Err(none()) }
    }

    /// Takes the wishes that were left for a run, oldest first.
    pub(crate) fn take_wishes(&mut self, run: RunKey) -> Result<Vec<Wish>, StoreError> {
        // Nearly always there are none: looking is no write.
        let has_wishes = self.has_wishes(run).map_err(|error| StoreError::of(&error, self.path()))?;
        if !has_wishes {
            return Ok(Vec::new());
        }
        self.write(|transaction| {
            let sql = "SELECT kind, count, period_ns FROM wish WHERE run = ?1 ORDER BY key";
            let mut statement = transaction.prepare_cached(sql)?;
            let of_row = |row: &rusqlite::Row<'_>| {
                Ok(Wish::of_row(&row.get::<_, String>(0)?, row.get(1)?, row.get(2)?))
            };
            let rows = statement.query_map([run.number()], of_row)?;
            let wishes: Vec<Option<Wish>> = rows.collect::<Result<_, _>>()?;
            transaction.execute("DELETE FROM wish WHERE run = ?1", [run.number()])?;
            Ok(wishes.into_iter().flatten().collect())
        })
    }

    fn has_wishes(&self, run: RunKey) -> rusqlite::Result<bool> {
        self.connection().prepare_cached("SELECT 1 FROM wish WHERE run = ?1 LIMIT 1")?.exists([run.number()])
    }

    fn find_news(&self, id: &str, mut seen: Seen) -> Result<Option<News>, Fault> {
        // All of it as it was at one moment: an interval whose phase is not told yet could not be shown.
        let _moment = self.connection().unchecked_transaction()?;
        let sql = "SELECT key FROM run WHERE id = ?1";
        let key = self.connection().prepare_cached(sql)?.query_row([id], |row| row.get::<_, i64>(0));
        let Some(key) = key.optional()? else { return Ok(None) };
        let phases = self.news_of_phases(key, &mut seen)?;
        let sql = "SELECT key, phase_index, content FROM interval WHERE run = ?1 AND key > ?2 ORDER BY key LIMIT ?3";
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query(params![key, seen.interval_key, INTERVALS_MAX])?;
        let mut intervals = Vec::new();
        while let Some(row) = rows.next()? {
            seen.interval_key = row.get(0)?;
            let content: Vec<u8> = row.get(2)?;
            intervals.push((row.get::<_, i64>(1)?.unsigned_abs(), codec::decode(&content)?));
        }
        let has_more = intervals.len() as i64 == INTERVALS_MAX;
        let state = self.state_of(key)?;
        Ok(Some(News { state, phases, intervals, seen, has_more }))
    }

    /// All phases where one began or ended since, else none.
    fn news_of_phases(&self, key: i64, seen: &mut Seen) -> Result<Vec<(u64, PhaseRecord)>, Fault> {
        let sql = "SELECT count(*), coalesce(sum(is_whole), 0) FROM phase WHERE run = ?1";
        let counts =
            self.connection().prepare_cached(sql)?.query_row([key], |row| Ok((row.get(0)?, row.get(1)?)));
        let (phase_count, whole_count): (i64, i64) = counts?;
        let mut phases = Vec::new();
        if (phase_count, whole_count) != (seen.phase_count, seen.whole_count) {
            let sql = "SELECT phase_index, is_whole, content FROM phase WHERE run = ?1 ORDER BY phase_index";
            let mut statement = self.connection().prepare_cached(sql)?;
            let mut rows = statement.query([key])?;
            while let Some(row) = rows.next()? {
                let content: Vec<u8> = row.get(2)?;
                let phase = if row.get(1)? {
                    codec::decode(&content)?
                } else {
                    rebuild::phase(codec::decode(&content)?, Vec::new())
                };
                phases.push((row.get::<_, i64>(0)?.unsigned_abs(), phase));
            }
        }
        (seen.phase_count, seen.whole_count) = (phase_count, whole_count);
        Ok(phases)
    }
}
