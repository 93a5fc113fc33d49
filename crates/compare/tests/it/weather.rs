//! Made-up measurements with the faults of real ones: weather that hangs together, drift, outliers, launches that differ.
//!
//! All on logarithms, so that "5 %" is 5 % of whatever is measured. Rows share the weather and have noise of their own, more in the tail.

use compare::{
    BlockRow, Metric, PairedAnalysis, PairedPlan, PairedSide, RowKey, Settings, Stop, Verdict, block_order,
};
use units::Random;

/// How a machine is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weather {
    pub(crate) name: &'static str,
    /// Standard deviation of what all slices share and that changes slowly (autocorrelation 0.9 from slice to slice).
    pub(crate) slow_sd: f64,
    /// Standard deviation of a slice's own noise.
    pub(crate) slice_sd: f64,
    /// Change over the whole comparison, to either side.
    pub(crate) drift: f64,
    /// Share of slices in which something else happens, and how much slower it makes them on average.
    pub(crate) outliers: (f64, f64),
}

pub(crate) const WEATHERS: [Weather; 3] = [
    Weather { name: "quiet", slow_sd: 0.01, slice_sd: 0.01, drift: 0.02, outliers: (0.0, 0.0) },
    Weather { name: "usual", slow_sd: 0.04, slice_sd: 0.02, drift: 0.10, outliers: (0.03, 0.2) },
    Weather { name: "rough", slow_sd: 0.10, slice_sd: 0.05, drift: 0.30, outliers: (0.08, 0.5) },
];

/// Standard normal, by the polar method's cousin: Box and Muller, Ann. Math. Stat. 29 (1958).
pub(crate) fn normal(random: &mut Random) -> f64 {
    let radius = (2.0 * random.exponential()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

/// The metrics of a row set and how strongly each feels the weather, how noisy it is by itself (in slice noises), whether less is better.
pub(crate) fn metrics() -> Vec<(Metric, f64, f64)> {
    let response = |name: &str| Metric::named(&format!("response.{name}")).unwrap()[0];
    vec![
        (Metric::Rate, -1.0, 0.5),
        (response("mean"), 1.0, 0.7),
        (response("p50"), 1.0, 0.5),
        (response("p90"), 1.2, 1.0),
        (response("p99"), 1.5, 2.0),
    ]
}

/// How a comparison ended.
#[derive(Debug, Clone)]
pub(crate) struct Ending {
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) pairs: u64,
}

impl Ending {
    pub(crate) fn has(&self, verdict: Verdict) -> bool {
        self.verdicts.contains(&verdict)
    }
}

/// An interleaved comparison of a server with one whose actions are so much slower each (as shares), in this weather. The verdicts are those of the
/// actions in turn.
pub(crate) fn interleaved(weather: Weather, effects: &[f64], plan: &PairedPlan, seed: u64) -> Ending {
    let mut random = Random::stream(seed, 1);
    let mut settings = Settings::of_pairs();
    settings.seed = seed;
    let mut analysis = PairedAnalysis::new(settings, plan);
    let slices = 4 * plan.blocks_max;
    let drift = weather.drift * (2.0 * random.unit() - 1.0);
    let mut slow = weather.slow_sd * normal(&mut random);
    let mut slice_index = 0;
    while analysis.block_count() < plan.blocks_max {
        let order = block_order(seed, analysis.block_count());
        let mut sums = vec![[0.0f64; 2]; effects.len() * metrics().len()];
        for side in order {
            slow = 0.9 * slow + 0.19f64.sqrt() * weather.slow_sd * normal(&mut random);
            let outlier = if random.unit() < weather.outliers.0 {
                weather.outliers.1 * random.exponential()
            } else {
                0.0
            };
            let shared = slow + drift * slice_index as f64 / slices as f64 + outlier;
            let common = weather.slice_sd * normal(&mut random);
            let rows = effects.iter().flat_map(|effect| metrics().into_iter().map(move |row| (row, effect)));
            for (((metric, weight, noise), effect), sum) in rows.zip(&mut sums) {
                let own_effect = if side == PairedSide::B { effect.ln_1p() } else { 0.0 };
                let sign = if metric == Metric::Rate { -1.0 } else { 1.0 };
                let own = noise * weather.slice_sd * normal(&mut random);
                let value = weight * shared + sign * (common + own_effect) + own;
                sum[usize::from(side == PairedSide::B)] += 0.5 * value;
            }
            slice_index += 1;
        }
        let keys = (0..effects.len()).flat_map(|action| {
            let key = move |(metric, _, _)| RowKey {
                phase: "measure".to_owned(),
                action: Some(format!("action {action}")),
                metric,
            };
            metrics().into_iter().map(key)
        });
        let rows = keys.zip(sums).map(|(key, [a, b])| BlockRow {
            key,
            a: 1e6 * a.exp(),
            b: 1e6 * b.exp(),
            bounded: (false, false),
            trials: (10_000, 10_000),
        });
        analysis.add_block(rows.collect());
        if plan.stop == Stop::WhenCertain && analysis.is_certain() {
            break;
        }
    }
    Ending { verdicts: analysis.verdicts(), pairs: 2 * analysis.block_count() }
}

/// Shares over many trials.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shares {
    /// Any row was called slower.
    pub(crate) slower: f64,
    /// Any row was called faster.
    pub(crate) faster: f64,
    /// Every row was decided.
    pub(crate) decided: f64,
    /// Mean number of pairs.
    pub(crate) pairs: f64,
}

/// Many trials, each with a seed of its own.
pub(crate) fn shares(trials: u64, trial: impl Fn(u64) -> Ending) -> Shares {
    let endings: Vec<Ending> = (0..trials).map(trial).collect();
    let share = |is: &dyn Fn(&Ending) -> bool| {
        endings.iter().filter(|ending| is(ending)).count() as f64 / trials as f64
    };
    Shares {
        slower: share(&|ending| ending.has(Verdict::Slower)),
        faster: share(&|ending| ending.has(Verdict::Faster)),
        decided: share(&|ending| !ending.has(Verdict::Undecided)),
        pairs: endings.iter().map(|ending| ending.pairs as f64).sum::<f64>() / trials as f64,
    }
}

/// Of claims of a difference, where the first action is `effect` slower and the other just as much as the margin: shares of wrong claims.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mixed {
    /// Wrong ones among all that a comparison claims, on average: what the step-up procedure bounds.
    pub(crate) wrong_ratio: f64,
    /// Comparisons with at least one wrong claim.
    pub(crate) any_wrong: f64,
    /// Comparisons that find the first action slower in some row.
    pub(crate) found: f64,
}

/// Many trials of a comparison in which half of the rows differ and half stand on the margin itself, where a claim is likeliest to be wrong.
pub(crate) fn mixed(weather: Weather, effect: f64, plan: &PairedPlan, trials: u64) -> Mixed {
    let margin = Settings::of_pairs().margin_ratio;
    let (mut wrong_ratios, mut any_wrong, mut found) = (0.0, 0u64, 0u64);
    for seed in 0..trials {
        let ending = interleaved(weather, &[effect, margin], plan, seed);
        let is_claim = |verdict: &&Verdict| matches!(verdict, Verdict::Slower | Verdict::Faster);
        let (first, other) = ending.verdicts.split_at(metrics().len());
        let [right, wrong] = [first, other].map(|rows| rows.iter().filter(is_claim).count());
        wrong_ratios += wrong as f64 / (right + wrong).max(1) as f64;
        any_wrong += u64::from(wrong > 0);
        found += u64::from(right > 0);
    }
    let share = |sum: f64| sum / trials as f64;
    Mixed { wrong_ratio: share(wrong_ratios), any_wrong: share(any_wrong as f64), found: share(found as f64) }
}
