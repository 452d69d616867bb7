//! Two rates side by side: the median of alternating pairs, since a machine's speed drifts.

use crate::Outcome;
use crate::watch::Rate;

/// What was measured, and beside what.
pub(crate) struct Pair {
    pub(crate) this: Rate,
    pub(crate) other: Rate,
}

impl Pair {
    /// Measures both. Which goes first is to alternate: whoever comes second on a server would have to write out what the
    /// first one left in its memory.
    pub(crate) async fn measured(
        this_first: bool,
        this: impl AsyncFnOnce() -> Outcome<Rate>,
        other: impl AsyncFnOnce() -> Outcome<Rate>,
    ) -> Outcome<Self> {
        if this_first {
            let this = this().await?;
            Ok(Self { this, other: other().await? })
        } else {
            let other = other().await?;
            Ok(Self { this: this().await?, other })
        }
    }

    /// Above 1 where this one is faster.
    pub(crate) fn ratio(&self) -> f64 {
        self.this.per_second() / self.other.per_second()
    }

    /// The same in CPU time, here and in the server together.
    fn ratio_in_cpu_time(&self) -> Option<f64> {
        let (this, other) = (self.this.cpu()?, self.other.cpu()?);
        Some((other.0 + other.1) / (this.0 + this.1))
    }
}

/// Prints the median of the ratios, the range, and the rates that the median came from.
pub(crate) fn report(name: &str, mut pairs: Vec<Pair>) {
    pairs.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    let [first, .., last] = pairs.as_slice() else { return };
    let pair = &pairs[pairs.len() / 2];
    println!(
        "  {name}: {:.2} ({:.2} to {:.2}); {:.0} against {:.0} a second",
        pair.ratio(),
        first.ratio(),
        last.ratio(),
        pair.this.per_second(),
        pair.other.per_second()
    );
    println!("    {}", in_cpu_time(&pairs));
}

fn in_cpu_time(pairs: &[Pair]) -> String {
    let mut ratios: Vec<(f64, &Pair)> =
        pairs.iter().filter_map(|pair| Some((pair.ratio_in_cpu_time()?, pair))).collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [(least, _), .., (most, _)] = ratios.as_slice() else {
        return "CPU time is not known here".to_owned();
    };
    let (ratio, pair) = &ratios[ratios.len() / 2];
    format!(
        "in CPU time: {ratio:.2} ({least:.2} to {most:.2}); µs a job here and in the server: {}, against {}",
        pair.this.in_cpu_time(),
        pair.other.in_cpu_time()
    )
}
