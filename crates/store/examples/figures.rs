//! What the store takes of room and time: `cargo run --release -p store --example figures`.
//!
//! Room: ten minutes of twenty actions in intervals of a second, by how much load there was, for histograms grow with their values. Time: that
//! run kept and read, and ten thousand runs listed, selected and filtered. Each time is the median of several, with the least and the greatest.

#[path = "../tests/it/made.rs"]
mod made;

use made::{ten_minutes, ten_thousand};
use record::VerdictState;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::{Filter, Store};

const TIMES: usize = 7;

fn main() -> Result<(), store::StoreError> {
    let folder = std::env::temp_dir().join(format!("weir-store-figures-{}", std::process::id()));
    let done = room(&folder).and_then(|()| lists(&folder));
    // What is left in the folder of temporary files goes with it.
    let _ = std::fs::remove_dir_all(&folder);
    done
}

fn room(folder: &Path) -> Result<(), store::StoreError> {
    println!("ten minutes, twenty actions, intervals of a second");
    for per_sec in [200, 1_000, 1_500, 2_000, 5_000, 10_000, 20_000] {
        let path = folder.join(format!("{per_sec}.db"));
        let record = ten_minutes(per_sec);
        let mut store = Store::open(&path)?;
        let begun = Instant::now();
        store.insert(&record)?;
        let kept = begun.elapsed();
        let read = timed(|| store.load("a1").map(drop))?;
        drop(store);
        let bytes = std::fs::metadata(&path).map_or(0, |facts| facts.len());
        println!("  {per_sec:>6}/s  {:>8.2} MB  kept in {kept:.0?}  read in {read}", bytes as f64 / 1e6);
    }
    Ok(())
}

fn lists(folder: &Path) -> Result<(), store::StoreError> {
    let path: PathBuf = folder.join("many.db");
    Store::open(&path)?.insert_all(&ten_thousand())?;
    println!("ten thousand runs");
    // Opened each time, as a command does it.
    let list = |filter: &Filter| timed(|| Store::open_to_read(&path)?.list(filter).map(drop));
    println!("  all listed            {}", list(&Filter::default())?);
    println!("  the newest 20         {}", list(&Filter { limit: Some(20), ..Filter::default() })?);
    let label = Filter { labels: vec![("seed".to_owned(), "7".to_owned())], ..Filter::default() };
    println!("  by a label that all have  {}", list(&label)?);
    let verdict = Filter { verdict: Some(VerdictState::Invalid), ..Filter::default() };
    println!("  by verdict            {}", list(&verdict)?);
    let select = timed(|| Store::open_to_read(&path)?.select("last~5000").map(drop))?;
    println!("  last~5000 selected    {select}");
    Ok(())
}

/// Median, least and greatest time of some work.
fn timed(mut work: impl FnMut() -> Result<(), store::StoreError>) -> Result<String, store::StoreError> {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..TIMES {
        let begun = Instant::now();
        work()?;
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    Ok(format!("{:.1?} ({:.1?} to {:.1?})", at(TIMES / 2), at(0), at(TIMES - 1)))
}
