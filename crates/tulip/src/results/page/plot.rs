//! Percentiles as plots: time over the percentile on a scale that gives each nine the same room, as HdrHistogram's plots have it.
//!
//! x is log10 of 1 / (1 − percentile). Of service time and of response time a line each; where fewer than ten values lie beyond a point it is
//! dotted, since such points are anecdotes. A table beneath says the same in figures.

use crate::results::figures::{Figures, Group, label};
use record::QUANTILES;
use stats::{Histogram, SAMPLES_BEYOND_MIN};
use std::fmt::Write as _;
use units::markup;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 250.0;
/// Room for the axes' figures.
const LEFT: f64 = 76.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 34.0;
/// Points of a line: one every few pixels.
const POINT_COUNT: usize = 160;
/// From this greatest to least value on, the scale of times is logarithmic.
const LINEAR_RATIO_MAX: f64 = 20.0;
/// Fewest and most nines on the scale.
const NINES: (f64, f64) = (1.0, 9.0);

/// The place of a group's plots.
pub(super) fn group_id(group_index: usize) -> String {
    format!("g{}", group_index + 1)
}

/// The place of an action's plot.
pub(super) fn action_id(group_index: usize, action_index: usize) -> String {
    format!("g{}a{}", group_index + 1, action_index + 1)
}

/// Writes a group's plots: of all its actions together, and of each where there are several.
pub(super) fn write(group: &Group<'_>, group_index: usize, out: &mut String) {
    let name = markup::html(group.benchmark.benchmark.trim());
    let _ = write!(out, "<section id=\"{}\">\n<h3>{name}</h3>\n", group_id(group_index));
    // One action is all of them.
    if group.actions().nth(1).is_some() {
        figure(&format!("{name}: all actions"), "", &group.total(), out);
    }
    for (action_index, (action, figures)) in group.actions().enumerate() {
        let id = format!(" id=\"{}\"", action_id(group_index, action_index));
        figure(&format!("{name}: {}", markup::html(&label(action))), &id, &figures, out);
    }
    out.push_str("</section>\n");
}

/// One plot. `caption` is HTML.
fn figure(caption: &str, id: &str, figures: &Figures, out: &mut String) {
    let lines: Vec<(&str, &Histogram)> = [("service", &figures.service), ("response", &figures.response)]
        .into_iter()
        .filter(|(_, histogram)| !histogram.is_empty())
        .collect();
    let _ = write!(
        out,
        "<figure{id}>\n<figcaption>{caption} <a href=\"#dataTable\" aria-label=\"back to the table\">↑</a></figcaption>\n"
    );
    if lines.is_empty() {
        out.push_str("<p class=\"dim\">no times</p>\n</figure>\n");
        return;
    }
    svg(caption, &lines, out);
    let has_response = lines.len() > 1;
    out.push_str("<p class=\"dim\"><span class=\"key\"></span>service time, sent to done");
    if has_response {
        out.push_str(" <span class=\"key r\"></span>response time, due to done");
    }
    out.push_str("; dotted where fewer than ten values lie beyond</p>\n");
    quantiles(&lines, out);
    out.push_str("</figure>\n");
}

/// The figures of the lines; - where the samples don't carry them.
fn quantiles(lines: &[(&str, &Histogram)], out: &mut String) {
    out.push_str("<div class=\"scroll\" role=\"region\" aria-label=\"Percentiles\" tabindex=\"0\"><table><tr><th></th><th>count</th>");
    for (_, quantile) in QUANTILES {
        let _ = write!(out, "<th>{}p</th>", percent(quantile));
    }
    out.push_str("<th>max</th></tr>\n");
    for (name, histogram) in lines {
        let _ = write!(out, "<tr><th>{name}</th><td>{}</td>", units::count(histogram.count()));
        let times = QUANTILES.into_iter().map(|(_, quantile)| histogram.carried_quantile_ns(quantile));
        for ns in times.chain([histogram.max_ns()]) {
            let _ = write!(out, "<td>{}</td>", ns.map_or("-".to_owned(), units::duration));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

/// `99.9` for 0.999.
fn percent(quantile: f64) -> String {
    format!("{:.2}", quantile * 100.0).trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The scale of times.
#[derive(Clone, Copy)]
enum Scale {
    Linear { max: f64 },
    Logarithmic { min: f64, max: f64 },
}

impl Scale {
    fn of(lines: &[(&str, &Histogram)]) -> Self {
        // Times of nothing stand at the foot of either scale.
        let something = |histogram: &Histogram| {
            histogram
                .min_ns()
                .filter(|ns| *ns > 0)
                .or(histogram.values().map(|(ns, _)| ns).find(|ns| *ns > 0))
        };
        let least = lines.iter().filter_map(|(_, histogram)| something(histogram)).min().unwrap_or(1) as f64;
        let greatest =
            lines.iter().filter_map(|(_, histogram)| histogram.max_ns()).max().unwrap_or(0).max(1) as f64;
        if greatest / least <= LINEAR_RATIO_MAX {
            Self::Linear { max: greatest * 1.05 }
        } else {
            Self::Logarithmic { min: least, max: greatest * 1.2 }
        }
    }

    /// 0 at the bottom, 1 at the top.
    fn place(self, ns: f64) -> f64 {
        match self {
            Self::Linear { max } => ns / max,
            Self::Logarithmic { min, max } => (ns.max(min) / min).ln() / (max / min).ln(),
        }
    }

    /// Where lines and figures stand, ns.
    fn ticks(self) -> Vec<f64> {
        match self {
            Self::Linear { max } => {
                let rough = max / 4.0;
                let decade = 10f64.powf(rough.log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * decade).find(|step| *step >= rough);
                // Less than a nanosecond is nothing.
                let step = step.unwrap_or(rough).max(1.0);
                (0..=4).map(|n| f64::from(n) * step).take_while(|ns| *ns <= max).collect()
            }
            Self::Logarithmic { min, max } => {
                let (from, to) = (min.log10().floor() as i32, max.log10().ceil() as i32);
                let is_wide = to - from > 3;
                let of_decade = |decade: i32| {
                    let steps: &[f64] = if is_wide { &[1.0] } else { &[1.0, 2.0, 5.0] };
                    steps.iter().map(move |step| step * 10f64.powi(decade))
                };
                (from..=to).flat_map(of_decade).filter(|ns| (min..=max).contains(ns)).collect()
            }
        }
    }
}

fn svg(caption: &str, lines: &[(&str, &Histogram)], out: &mut String) {
    let scale = Scale::of(lines);
    let most = lines.iter().map(|(_, histogram)| histogram.count()).max().unwrap_or(1);
    let nines = (most as f64).log10().clamp(NINES.0, NINES.1);
    let x = |nine: f64| LEFT + nine / nines * (WIDTH - LEFT - RIGHT);
    let y = |ns: f64| HEIGHT - BOTTOM - scale.place(ns) * (HEIGHT - TOP - BOTTOM);
    let _ = write!(
        out,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Percentiles of {caption}\">\n<g class=\"grid\">"
    );
    let ticks = scale.ticks();
    for ns in &ticks {
        let _ = write!(out, "<path d=\"M{LEFT} {y:.1}H{}\"/>", WIDTH - RIGHT, y = y(*ns));
    }
    let whole_nines = (0..=nines as u32).map(f64::from);
    for nine in whole_nines.clone() {
        let _ = write!(out, "<path d=\"M{x:.1} {TOP}V{}\"/>", HEIGHT - BOTTOM, x = x(nine));
    }
    out.push_str("</g>\n<g>");
    for ns in &ticks {
        let text = units::duration(ns.round() as u64);
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            LEFT - 6.0,
            y(*ns) + 4.0
        );
    }
    for nine in whole_nines {
        let text = nine_text(nine);
        let anchor = if x(nine) > WIDTH - 40.0 { "end" } else { "middle" };
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{text}</text>",
            x(nine),
            HEIGHT - BOTTOM + 16.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">percentile</text></g>",
        WIDTH - RIGHT,
        HEIGHT - 4.0
    );
    let _ = writeln!(
        out,
        "<path class=\"axis\" d=\"M{LEFT} {TOP}V{bottom}H{}\"/>",
        WIDTH - RIGHT,
        bottom = HEIGHT - BOTTOM
    );
    // The response time first: it is the broader line, and the other stays seen on it.
    for (class, histogram) in lines.iter().rev() {
        let points = curve(histogram, nines);
        // Beyond this fewer than ten values remain.
        let carried = (histogram.count() as f64 / SAMPLES_BEYOND_MIN as f64).max(1.0).log10();
        let (sound, few): (Vec<_>, Vec<_>) = points.iter().partition(|(nine, _)| *nine <= carried);
        let few: Vec<(f64, f64)> = sound.last().copied().into_iter().chain(few).collect();
        for (points, more) in [(sound, ""), (few, " few")] {
            if points.len() > 1 {
                let path: Vec<String> =
                    points.iter().map(|(nine, ns)| format!("{:.1} {:.1}", x(*nine), y(*ns))).collect();
                let _ = writeln!(out, "<path class=\"{class}{more}\" d=\"M{}\"/>", path.join("L"));
            }
        }
    }
    out.push_str("</svg>\n");
}

/// `0%`, `90%`, `99%`, `99.9%` for 0, 1, 2, 3 nines.
fn nine_text(nine: f64) -> String {
    match nine as usize {
        0 => "0%".to_owned(),
        1 => "90%".to_owned(),
        2 => "99%".to_owned(),
        more => format!("99.{}%", "9".repeat(more - 2)),
    }
}

/// Nines and times along a line, in one pass over the histogram; it ends at the greatest value.
fn curve(histogram: &Histogram, nines: f64) -> Vec<(f64, f64)> {
    let count = histogram.count() as f64;
    let (min_ns, max_ns) = (histogram.min_ns().unwrap_or(0), histogram.max_ns().unwrap_or(0));
    let mut values = histogram.values();
    let (mut value_ns, mut below) = (min_ns, 0.0);
    let mut points = Vec::with_capacity(POINT_COUNT + 1);
    let end = count.log10().clamp(0.0, nines);
    for step in 0..=POINT_COUNT {
        let nine = end * step as f64 / POINT_COUNT as f64;
        // The rank of the quantile, as `Histogram::quantile_ns` has it.
        let rank = ((1.0 - 10f64.powf(-nine)) * count).ceil().max(1.0);
        while below < rank {
            let Some((next_ns, more)) = values.next() else { break };
            value_ns = next_ns;
            below += more as f64;
        }
        points.push((nine, value_ns.clamp(min_ns, max_ns) as f64));
    }
    points.push((end, max_ns as f64));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_quantiles_of_its_histogram() {
        let mut histogram = Histogram::default();
        (1..=100_000u64).for_each(|us| histogram.record(us * 1_000));
        let points = curve(&histogram, 9.0);
        for (nine, ns) in &points[..POINT_COUNT] {
            let expected = histogram.quantile_ns(1.0 - 10f64.powf(-nine)).unwrap() as f64;
            assert!((ns - expected).abs() <= expected * 0.002 + 1_000.0, "{nine}: {ns} {expected}");
        }
        assert_eq!(points.last(), Some(&(5.0, 1e8)));
    }

    #[test]
    fn scales_have_round_figures() {
        let ticks = |values: &[u64]| {
            let mut histogram = Histogram::default();
            values.iter().for_each(|ns| histogram.record(*ns));
            let scale = Scale::of(&[("service", &histogram)]);
            scale.ticks().into_iter().map(|ns| units::duration(ns as u64)).collect::<Vec<_>>()
        };
        assert_eq!(ticks(&[10_000_000, 10_400_000]), ["0", "5.00 ms", "10.0 ms"]);
        assert_eq!(ticks(&[1_000_000, 2_000_000_000]), ["1.00 ms", "10.0 ms", "100 ms", "1.00 s"]);
        assert_eq!(ticks(&[0, 0]), ["0", "1 ns"]);
    }
}
