//! A curve as text: a row per rate, with a bar for the throughput and a place on a logarithmic scale for the response times.

use super::{Curve, Point};
use crate::find::Outcome;
use std::fmt::Write as _;

/// Cells of the bar.
const BAR: usize = 14;
/// Cells of the scale of response times.
const SCALE: usize = 19;
/// Eighths of a cell.
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// Table and drawing, at most 80 columns wide.
pub fn draw(curve: &Curve) -> String {
    let highest = curve.points.iter().map(|point| point.achieved_per_sec).fold(0.0, f64::max);
    let times = || curve.points.iter().flat_map(|point| [point.p50_ns, point.p99_ns]).flatten();
    let (low, high) = (times().min().unwrap_or(1).max(1), times().max().unwrap_or(2).max(2));
    let mut text = format!(
        "   offered  achieved  {:<BAR$}      p50      p99  {} … {}\n",
        "",
        units::duration(low),
        units::duration(high)
    );
    for point in &curve.points {
        let share = if highest > 0.0 { point.achieved_per_sec / highest } else { 0.0 };
        let mark = match (point.outcome, curve.knee_per_sec == Some(point.offered_per_sec)) {
            (_, true) => "←knee",
            (Outcome::Sustained, false) => "",
            (Outcome::NotSustained, false) => "✗",
            (Outcome::ClientLimited, false) => "?",
        };
        let time = |ns: Option<u64>| ns.map_or("–".to_owned(), units::duration);
        let line = format!(
            "{:>8}/s {:>7}/s  {:<BAR$} {:>8} {:>8}  {}{mark}",
            units::per_sec(point.offered_per_sec),
            units::per_sec(point.achieved_per_sec),
            bar(share),
            time(point.p50_ns),
            time(point.p99_ns),
            scale(point, low, high),
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push_str("\n  • p50, × p99 of the response time, on a logarithmic scale; ✗ not sustained; ? the client was the limit\n");
    text.push_str(&descriptions(curve));
    text
}

/// Cells up to `share` of all.
fn bar(share: f64) -> String {
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    let mut text = "█".repeat(eighths / 8);
    if let Some(part) = EIGHTHS.get(eighths % 8).filter(|part| **part != ' ') {
        text.push(*part);
    }
    text
}

fn scale(point: &Point, low_ns: u64, high_ns: u64) -> String {
    let mut cells = vec!['·'; SCALE];
    let width = (high_ns as f64 / low_ns as f64).ln().max(1e-9);
    for (ns, sign) in [(point.p50_ns, '•'), (point.p99_ns, '×')] {
        let Some(ns) = ns else { continue };
        let at = (ns.max(1) as f64 / low_ns as f64).ln() / width * (SCALE - 1) as f64;
        if let Some(cell) = cells.get_mut(at.round().clamp(0.0, (SCALE - 1) as f64) as usize) {
            *cell = sign;
        }
    }
    cells.into_iter().collect()
}

/// Knee, choice and fits: label and text of each line.
pub fn lines(curve: &Curve) -> Vec<(&'static str, String)> {
    let rate = |per_sec: f64| format!("{}/s", units::per_sec(per_sec));
    let mut lines = Vec::new();
    if curve.points.is_empty() {
        return lines;
    }
    let knee =
        curve.knee_per_sec.map_or("not seen: no rate, or every rate, is beyond it".to_owned(), |knee| {
            format!("{}: the last rate before answers took twice as long or were not sustained", rate(knee))
        });
    lines.push(("knee", knee));
    let chosen =
        curve.chosen_per_sec.map_or("none: the lowest rate was not sustained".to_owned(), |chosen| {
            format!("{}: the highest that was sustained, as were all below", rate(chosen))
        });
    lines.push(("choice", chosen));
    if let Some(queue) = curve.queue {
        lines.push((
            "queue",
            format!(
                "mean ≈ {} + {} ρ/(1−ρ), ρ = rate / {} (error {}); a description only",
                units::duration(queue.service_ns as u64),
                units::duration(queue.queue_ns as u64),
                rate(queue.capacity_per_sec),
                units::ratio(queue.error_ratio)
            ),
        ));
    }
    if let Some(usl) = curve.usl {
        let most = usl.maximum_per_sec.map_or(String::new(), |most| format!(", at most {}", rate(most)));
        lines.push((
            "scalability",
            format!(
                "λ {}, σ {:.4}, κ {:.6}{most} (error {}); a description only",
                rate(usl.lambda_per_sec),
                usl.sigma,
                usl.kappa,
                units::ratio(usl.error_ratio)
            ),
        ));
    }
    lines
}

fn descriptions(curve: &Curve) -> String {
    lines(curve).iter().map(|(label, line)| format!("  {label:<12} {line}\n")).collect()
}

/// The same as Markdown.
pub fn markdown(curve: &Curve) -> String {
    let mut text =
        "| offered | achieved | mean | p50 | p99 | in flight | outcome |\n|--:|--:|--:|--:|--:|--:|---|\n"
            .to_owned();
    for point in &curve.points {
        let time = |ns: Option<u64>| ns.map_or("–".to_owned(), units::duration);
        let outcome = match point.outcome {
            Outcome::Sustained => "✓",
            Outcome::NotSustained => "✗",
            Outcome::ClientLimited => "? client",
        };
        let _ = writeln!(
            text,
            "| {}/s | {}/s | {} | {} | {} | {:.1} | {outcome} |",
            units::per_sec(point.offered_per_sec),
            units::per_sec(point.achieved_per_sec),
            time(point.mean_ns),
            time(point.p50_ns),
            time(point.p99_ns),
            point.in_flight_mean,
        );
    }
    let _ = write!(text, "\n```\n{}```\n", descriptions(curve));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_fits_a_terminal() {
        let point = |offered: f64, achieved: f64, ms: u64, outcome| Point {
            offered_per_sec: offered,
            achieved_per_sec: achieved,
            mean_ns: Some(ms * 1_000_000),
            p50_ns: Some(ms * 1_000_000),
            p99_ns: Some(ms * 3_000_000),
            in_flight_mean: offered * ms as f64 / 1e3,
            outcome,
        };
        let curve = Curve::of(vec![
            point(12_000.0, 10_100.0, 900, Outcome::NotSustained),
            point(3_000.0, 3_000.0, 4, Outcome::Sustained),
            point(6_000.0, 6_000.0, 5, Outcome::Sustained),
            point(9_000.0, 9_000.0, 20, Outcome::Sustained),
        ]);
        assert_eq!(curve.knee_per_sec, Some(6_000.0));
        let text = draw(&curve);
        for line in text.lines().take(5) {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let row = text.lines().nth(1).unwrap();
        assert!(row.starts_with("   3,000/s   3,000/s  ████▏ "), "{text}");
        assert!(text.contains("←knee") && text.contains("✗"), "{text}");
        assert!(text.contains("\n  choice       9,000/s: the highest"), "{text}");
        assert!(markdown(&curve).contains("| 12,000/s | 10,100/s | 900 ms |"));
        assert!(draw(&Curve::default()).contains("offered"));
    }
}
