//! What the program says about its own work, on standard error.

use onceward_db::STATEMENT_LOG;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::output::Output;

/// Starts logging, once.
pub(crate) fn start(output: &Output) {
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(output.err.color);
    // A second start, which only tests could make, keeps the first.
    let _ = tracing_subscriber::registry().with(targets(output.verbosity)).with(layer).try_init();
}

/// Ours speak up first; the crates below us only when asked twice.
fn targets(verbosity: i8) -> Targets {
    let (ours, others) = match verbosity {
        ..0 => (LevelFilter::ERROR, LevelFilter::ERROR),
        0 => (LevelFilter::WARN, LevelFilter::WARN),
        1 => (LevelFilter::INFO, LevelFilter::WARN),
        2 => (LevelFilter::DEBUG, LevelFilter::INFO),
        3.. => (LevelFilter::TRACE, LevelFilter::DEBUG),
    };
    // The driver warns of a slow statement with its whole text, which says nothing to a user.
    let statements = if verbosity < 3 { LevelFilter::OFF } else { others };
    // The names are prefixes: the first covers onceward_db and the rest.
    let targets = Targets::new().with_default(others).with_target("onceward", ours);
    targets.with_target(STATEMENT_LOG, statements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn each_v_says_more_and_q_says_less() {
        let says = |verbosity, target, level| targets(verbosity).would_enable(target, &level);
        assert!(says(0, "onceward_db::writer", Level::WARN) && !says(0, "onceward", Level::INFO));
        assert!(says(1, "onceward_publish", Level::INFO) && !says(1, "sqlx", Level::INFO));
        assert!(says(2, "onceward", Level::DEBUG) && says(2, "sqlx", Level::INFO));
        assert!(says(0, "sqlx", Level::WARN));
        assert!(says(-1, "onceward", Level::ERROR) && !says(-1, "onceward", Level::WARN));
    }

    #[test]
    fn a_statement_is_shown_only_at_the_finest_level() {
        let says = |verbosity, level| targets(verbosity).would_enable(STATEMENT_LOG, &level);
        assert!([-1, 0, 1, 2].iter().all(|verbosity| !says(*verbosity, Level::WARN)));
        assert!(says(3, Level::WARN) && says(3, Level::DEBUG));
    }
}
