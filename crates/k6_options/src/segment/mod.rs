//! Execution segments: which part of a test one instance runs, so that several instances together run exactly the whole.
//!
//! A segment is a half-open interval (from, to] of 0…1, a sequence is how the whole is cut, and a [`Share`] is what follows from both:
//! which numbered elements of the whole (VUs, iterations) this instance takes. Everything is exact arithmetic on fractions.

mod ratio;
mod share;

pub use ratio::Ratio;
pub use share::Share;

use crate::exit::Fault;
use std::fmt;

/// More instances than anybody starts for one test; bounds the cost of dealing elements out.
const SEGMENT_COUNT_MAX: usize = 1_000;

/// A part of the whole test: (from, to] within 0…1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Segment {
    from: Ratio,
    to: Ratio,
}

impl Segment {
    /// All of it.
    pub const WHOLE: Self = Self { from: Ratio::ZERO, to: Ratio::ONE };

    /// From one boundary to the next.
    ///
    /// # Errors
    ///
    /// Where `from` is not below `to`, or `to` is above 1: 104 with k6's text.
    pub fn new(from: Ratio, to: Ratio) -> Result<Self, Fault> {
        if from >= to {
            return Err(Fault::config(format!(
                "segment start({:.2}) must be less than its end({:.2})",
                from.as_f64(),
                to.as_f64()
            )));
        }
        if to > Ratio::ONE {
            let said = format!("segment end value can't be more than 1 but was {:.2}", to.as_f64());
            return Err(Fault::config(said));
        }
        Ok(Self { from, to })
    }

    /// Reads `1/3:1/2`, or a single value such as `10%`, `1/3` or `0.5`, which stands for `0:` and that.
    ///
    /// # Errors
    ///
    /// What is no such text: 104.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        match text.split_once(':') {
            None => Self::new(Ratio::ZERO, boundary(text)?),
            Some((from, to)) => Self::new(boundary(from)?, boundary(to)?),
        }
    }

    /// The lower boundary, which does not belong to it.
    pub fn from(self) -> Ratio {
        self.from
    }

    /// The upper boundary, which does.
    pub fn to(self) -> Ratio {
        self.to
    }

    /// How much of the whole it is, above 0. Boundaries with large denominators that have nothing in common can't be told apart exactly; such
    /// sequences are refused by [`Share::new`], so here the nearest number is enough.
    pub fn length_ratio(self) -> f64 {
        self.length().map_or_else(|| self.to.as_f64() - self.from.as_f64(), Ratio::as_f64)
    }

    /// Exactly; `None` where the denominator would be too large.
    pub(crate) fn length(self) -> Option<Ratio> {
        self.to.minus(self.from)
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.from, self.to)
    }
}

fn boundary(text: &str) -> Result<Ratio, Fault> {
    Ratio::parse(text).ok_or_else(|| {
        let short: String = text.chars().take(64).collect();
        Fault::config(format!("'{short}' is not a valid percentage, decimal, fraction or interval value"))
            .hint("write for example `10%`, `1/3`, `0.5` or `1/3:2/3`")
    })
}

/// How the whole is cut: segments that follow one another without gaps, not necessarily from 0 to 1 as they were given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SegmentSequence {
    segments: Vec<Segment>,
}

impl SegmentSequence {
    /// Reads ascending boundaries: `0,1/4,1/2,1`.
    ///
    /// # Errors
    ///
    /// Fewer than two boundaries, such as do not ascend, more than a thousand: 104.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let boundaries: Vec<&str> = text.split(',').take(SEGMENT_COUNT_MAX + 2).collect();
        if boundaries.len() < 2 {
            return Err(Fault::config(
                "at least 2 points are needed for an execution segment sequence, 1 given",
            )
            .hint("write ascending boundaries, for example `0,1/4,1/2,1`"));
        }
        if boundaries.len() > SEGMENT_COUNT_MAX + 1 {
            return Err(Fault::config(format!("more than {SEGMENT_COUNT_MAX} execution segments")));
        }
        let points: Vec<Ratio> = boundaries.iter().map(|text| boundary(text)).collect::<Result<_, _>>()?;
        let pairs = points.iter().zip(points.iter().skip(1));
        let segments = pairs.map(|(from, to)| Segment::new(*from, *to)).collect::<Result<_, _>>()?;
        Ok(Self { segments })
    }

    /// In ascending order, at least one.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The sequence in which a segment is the only one that was named.
    pub fn of(segment: Segment) -> Self {
        Self { segments: vec![segment] }
    }

    /// The same with what is missing before and after, so that it spans the whole.
    pub(crate) fn filled(&self) -> Self {
        let mut segments = self.segments.clone();
        if let Some(first) = segments.first().filter(|first| first.from > Ratio::ZERO).copied() {
            segments.insert(0, Segment { from: Ratio::ZERO, to: first.from });
        }
        if let Some(last) = segments.last().filter(|last| last.to < Ratio::ONE).copied() {
            segments.push(Segment { from: last.to, to: Ratio::ONE });
        }
        Self { segments }
    }
}

impl fmt::Display for SegmentSequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.segments.first().map_or(Ratio::ZERO, |first| first.from);
        write!(f, "{first}")?;
        self.segments.iter().try_for_each(|segment| write!(f, ",{}", segment.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let said = Segment::parse(text).map(|segment| segment.to_string()).map_err(|fault| fault.message);
        assert_eq!(said.as_ref().map(String::as_str).map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn segments_are_read_in_all_forms() {
        check("10%", Ok("0:1/10"));
        check("1/3", Ok("0:1/3"));
        check("0.5", Ok("0:1/2"));
        check("1/3:1/2", Ok("1/3:1/2"));
        check("0:1", Ok("0:1"));
        check("20%:1", Ok("1/5:1"));
        check("2", Err("segment end value can't be more than 1 but was 2.00"));
        check("0:0", Err("segment start(0.00) must be less than its end(0.00)"));
        check("1/2:1/3", Err("segment start(0.50) must be less than its end(0.33)"));
        check("x", Err("'x' is not a valid percentage, decimal, fraction or interval value"));
        check("", Err("'' is not a valid percentage, decimal, fraction or interval value"));
    }

    #[test]
    fn sequences_are_read_and_filled() {
        let sequence = SegmentSequence::parse("0,1/4,1/2,1").unwrap();
        assert_eq!(sequence.to_string(), "0,1/4,1/2,1");
        assert_eq!(sequence.segments().len(), 3);
        let middle = SegmentSequence::parse("1/4,1/2").unwrap();
        assert_eq!(middle.filled().to_string(), "0,1/4,1/2,1");
        assert_eq!(sequence.filled(), sequence);
        for text in ["", "0", "0,0", "0,1/2,1/3", "0,x,1", "0,2"] {
            assert!(SegmentSequence::parse(text).is_err(), "{text}");
        }
        let many: Vec<String> = (0..=1_001).map(|point| format!("{point}/1001")).collect();
        assert_eq!(
            SegmentSequence::parse(&many.join(",")).map_err(|fault| fault.message),
            Err("more than 1000 execution segments".to_owned())
        );
    }
}
