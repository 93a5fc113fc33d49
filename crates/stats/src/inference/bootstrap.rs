//! Resampling: what other values chance might as well have given.
//!
//! Two kinds. Values that follow each other in time are taken in blocks, so that what hangs together stays together; what resampling them comes to is
//! known in closed form. Values that are independent (blocks of an interleaved comparison) are resampled one by one.

use super::{Spread, trimmed};
use units::Random;

/// How many neighbours are kept together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockLength {
    /// At least 1.
    pub count: usize,
    /// Whether the values hang together over so long that there are only a handful of independent stretches: the result is then too sure of itself.
    pub is_strained: bool,
}

/// Fewer independent stretches than this say little about their own scatter.
const STRETCHES_MIN: usize = 6;

/// The length of blocks for a series: twice the lag from which on five autocorrelations in a row are within chance, 2·√(log₁₀n / n) (the band width of
/// D. N. Politis and H. White, Econometric Reviews 23, 2004), but at least n^(1/3), the rate of H. R. Künsch, Ann. Stat. 17 (1989).
pub fn block_length(series: &[f64]) -> BlockLength {
    let n = series.len();
    if n < 4 {
        return BlockLength { count: 1, is_strained: true };
    }
    let middle = series.iter().sum::<f64>() / n as f64;
    let covariance = |lag: usize| -> f64 {
        series.iter().zip(series.iter().skip(lag)).map(|(x, y)| (x - middle) * (y - middle)).sum()
    };
    let variance = covariance(0);
    let limit = 2.0 * ((n as f64).log10() / n as f64).sqrt();
    let is_chance = |lag: usize| lag >= n || variance <= 0.0 || (covariance(lag) / variance).abs() < limit;
    let longest = n / 2;
    let quiet_from =
        (1..=longest).find(|first| (*first..*first + 5).all(is_chance)).unwrap_or(longest).max(1);
    let least = (n as f64).cbrt().ceil() as usize;
    let wanted = least.max(2 * (quiet_from - 1)).max(1);
    let most = (n / 3).max(1);
    BlockLength { count: wanted.min(most), is_strained: n / wanted < STRETCHES_MIN }
}

/// Standard error of Σ numerators / Σ denominators, both series in time: the one that a bootstrap of circular blocks (D. N. Politis and J. P. Romano, in
/// Exploring the Limits of Bootstrap, 1992) comes to with ever more resamples, the ratio taken as straight near its value. With e = numerator − ratio ·
/// denominator and Sⱼ the sum of e over the block from j on, it is √(n/length · mean Sⱼ²) / Σ denominators, so nothing need be drawn.
/// `None` below four values or without a denominator.
pub fn ratio_block_se(numerators: &[f64], denominators: &[f64], length: BlockLength) -> Option<f64> {
    let n = numerators.len().min(denominators.len());
    let (whole, parts): (f64, f64) = (denominators.iter().sum(), numerators.iter().sum());
    if n < 4 || whole <= 0.0 {
        return None;
    }
    let off: Vec<f64> =
        numerators.iter().zip(denominators).map(|(part, of)| part - parts / whole * of).collect();
    let length = length.count.clamp(1, n);
    let mut block: f64 = off.iter().take(length).sum();
    let mut squares = 0.0;
    // From each block to the next one value goes and one comes.
    for (gone, come) in off.iter().zip(off.iter().cycle().skip(length)) {
        squares += block * block;
        block += come - gone;
    }
    Some((squares / length as f64).sqrt() / whole)
}

/// The `trim`med mean of independent values with its resampled error: how far the trimmed means of resamples lie from that of the sample (percentile
/// bootstrap, made symmetric; for trimmed means R. R. Wilcox, Introduction to Robust Estimation, §4.4.3). Its intervals are too short for few values, so
/// [`Spread::Resampled`] takes the greater of it and Tukey and McLaughlin's. The studentised bootstrap was tried: with ten values of which one is wild it
/// gives intervals of many powers of ten. `None` below three values.
///
/// `se_floor` is what the values are known to at best, 0 where they are exact. It matters where most values are equal, as rates of a schedule are: with
/// no error in those that are kept, nothing would tell how far the others are off, and no interval would be finite.
pub fn trimmed_resampled(
    values: &[f64],
    trim: f64,
    se_floor: f64,
    resample_count: u32,
    random: &mut Random,
) -> Option<(f64, Spread)> {
    let n = values.len();
    if n < 3 {
        return None;
    }
    let mut sorted = values.to_vec();
    let (middle, se, freedom) = trimmed(&mut sorted, trim)?;
    let se = se.max(se_floor);
    let cut = (trim * n as f64) as usize;
    let mut drawn = vec![0usize; n];
    let mut deviations = Vec::with_capacity(resample_count as usize);
    for _ in 0..resample_count {
        drawn.fill(0);
        for _ in 0..n {
            drawn.get_mut(random.below(n as u64) as usize).into_iter().for_each(|times| *times += 1);
        }
        let again = trimmed_mean_of(&sorted, &drawn, cut);
        deviations.push(match (again - middle).abs() {
            distance if se > 0.0 => distance / se,
            // What is kept is all the same, and what is trimmed is not: nothing tells how far that is.
            distance if distance > 0.0 => f64::INFINITY,
            _ => 0.0,
        });
    }
    deviations.sort_unstable_by(f64::total_cmp);
    Some((middle, Spread::Resampled { se, freedom, deviations }))
}

/// The mean of sorted values, each drawn so many times, `cut` of them left out at each end: no sorting of each resample.
fn trimmed_mean_of(sorted: &[f64], drawn: &[usize], cut: usize) -> f64 {
    let n = sorted.len();
    let (mut before, mut sum) = (0, 0.0);
    for (value, times) in sorted.iter().zip(drawn) {
        let after = before + times;
        let kept = after.clamp(cut, n - cut) - before.clamp(cut, n - cut);
        sum += value * kept as f64;
        before = after;
    }
    sum / (n - 2 * cut).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::{mean, stdev};

    fn normal(random: &mut Random) -> f64 {
        (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
    }

    /// An autoregressive series of mean 10, standard deviation 1 and correlation `phi` between neighbours.
    fn series(phi: f64, n: usize, random: &mut Random) -> Vec<f64> {
        let mut state = normal(random);
        let next = |_| {
            state = phi * state + (1.0 - phi * phi).sqrt() * normal(random);
            10.0 + state
        };
        (0..n).map(next).collect()
    }

    #[test]
    fn the_mouse_data() {
        // Efron and Tibshirani, An Introduction to the Bootstrap, tables 2.1 and 2.2: with blocks of one value the standard error of the treated mice's mean is 23.36.
        let treated = [94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0];
        let ones = [1.0; 7];
        let single = BlockLength { count: 1, is_strained: false };
        let se = ratio_block_se(&treated, &ones, single).unwrap();
        assert!((se - 23.36).abs() < 0.005, "{se}");
    }

    #[test]
    fn the_closed_form_is_what_resampling_comes_to() {
        let mut random = Random::new(5);
        let numerators = series(0.6, 120, &mut random);
        let denominators: Vec<f64> = (0..120).map(|_| 1.0 + 0.2 * random.unit()).collect();
        for count in [1, 4, 10] {
            let resample = |_| {
                let mut sums = (0.0, 0.0);
                for _ in 0..120 / count {
                    let start = random.below(120) as usize;
                    for index in (start..start + count).map(|index| index % 120) {
                        sums = (sums.0 + numerators[index], sums.1 + denominators[index]);
                    }
                }
                sums.0 / sums.1
            };
            let resampled = stdev(&(0..20_000).map(resample).collect::<Vec<_>>()).unwrap();
            let closed =
                ratio_block_se(&numerators, &denominators, BlockLength { count, is_strained: false })
                    .unwrap();
            assert!((closed / resampled - 1.0).abs() < 0.03, "{count}: {closed} against {resampled}");
        }
    }

    #[test]
    fn blocks_see_what_single_values_do_not() {
        // The mean of n values with lag-one correlation φ has variance about (1 + φ)/(1 − φ) times that of independent ones.
        let (n, phi) = (300, 0.7f64);
        let trials = 60;
        let (mut blocks, mut singles, mut strained) = (Vec::new(), Vec::new(), 0);
        let mut means = Vec::new();
        for trial in 0..trials {
            let mut random = Random::stream(23, trial);
            let values = series(phi, n, &mut random);
            let ones = vec![1.0; n];
            let length = block_length(&values);
            strained += u32::from(length.is_strained);
            let single = BlockLength { count: 1, is_strained: false };
            blocks.push(ratio_block_se(&values, &ones, length).unwrap());
            singles.push(ratio_block_se(&values, &ones, single).unwrap());
            means.push(mean(&values).unwrap());
        }
        let exact = ((1.0 + phi) / (1.0 - phi) / n as f64).sqrt();
        let (blocks, singles) = (mean(&blocks).unwrap(), mean(&singles).unwrap());
        assert!((stdev(&means).unwrap() / exact - 1.0).abs() < 0.25);
        assert!((0.75..1.15).contains(&(blocks / exact)), "{blocks} against {exact}");
        assert!(singles / exact < 0.55, "{singles} against {exact}");
        assert!(strained < 6, "{strained}");
        let ramp: Vec<f64> = (0..60).map(f64::from).collect();
        assert!(block_length(&ramp).is_strained);
    }

    #[test]
    fn intervals_of_trimmed_means_cover_even_with_outliers() {
        // One value in ten is ten times as wide. The trimmed mean's truth is 0 by symmetry.
        let trials = 1_000;
        let covered = (0..trials).filter(|trial| {
            let mut random = Random::stream(29, *trial);
            let draw = |_| normal(&mut random) * if random.below(10) == 0 { 10.0 } else { 1.0 };
            let values: Vec<f64> = (0..12).map(draw).collect();
            let (middle, spread) = trimmed_resampled(&values, 0.2, 0.0, 399, &mut random).unwrap();
            middle.abs() <= spread.half_width(0.05)
        });
        let share = covered.count() as f64 / trials as f64;
        assert!((0.945..=1.0).contains(&share), "{share}");
    }

    #[test]
    fn drawn_values_have_the_trimmed_mean_of_their_list() {
        let mut random = Random::new(7);
        let mut sorted: Vec<f64> = (0..13).map(|_| random.unit()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        for _ in 0..50 {
            let mut drawn = vec![0; 13];
            (0..13).for_each(|_| drawn[random.below(13) as usize] += 1);
            let list = sorted.iter().zip(&drawn).flat_map(|(value, times)| vec![*value; *times]);
            let expected = trimmed(&mut list.collect::<Vec<_>>(), 0.2).unwrap().0;
            assert!((trimmed_mean_of(&sorted, &drawn, 2) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn few_or_equal_values() {
        let mut random = Random::new(1);
        assert_eq!(trimmed_resampled(&[1.0, 2.0], 0.2, 0.0, 99, &mut random), None);
        let (middle, spread) = trimmed_resampled(&[2.0; 5], 0.2, 0.0, 99, &mut random).unwrap();
        assert_eq!((middle, spread.half_width(0.05)), (2.0, 0.0));
        // What is trimmed is off by 3: how far the middle may be off is told by what the values are known to, and by nothing else.
        let mut flat = [0.0; 10];
        flat[9] = 3.0;
        let width = |se_floor| {
            let (_, spread) = trimmed_resampled(&flat, 0.2, se_floor, 999, &mut Random::new(7)).unwrap();
            spread.half_width(0.01)
        };
        assert_eq!(width(0.0), f64::INFINITY);
        assert!((0.1..3.0).contains(&width(0.001)), "{}", width(0.001));
        assert_eq!(block_length(&[1.0; 2]).count, 1);
        assert!(ratio_block_se(&[1.0; 3], &[1.0; 3], block_length(&[1.0; 3])).is_none());
    }
}
