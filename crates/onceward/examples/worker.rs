//! How do I run jobs, and stop without losing any? Ctrl-C finishes what runs, or hands it back; SIGKILL loses nothing either.

use std::time::Duration;

use onceward::retry::RetryPolicy;
use onceward::{Context, Dedup, Done, Job, Outcome, Run, Worker};

#[derive(serde::Serialize, serde::Deserialize)]
struct Report {
    month: String,
}

impl Job for Report {
    const KIND: &'static str = "report";
}

impl Run for Report {
    type App = ();

    /// Outside `ctx.effect` a handler is at-least-once: after a crash it runs again.
    async fn run(self, ctx: &Context<()>) -> Outcome {
        for page in 1..=3 {
            if ctx.stopping() {
                return Ok(Done::Interrupted); // runs again elsewhere, at once; no try is spent
            }
            println!("{}, page {page}", self.month);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(Done::Nothing)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let once = onceward::testing::store().await?;
    for _ in 0..2 {
        let job = Report { month: "2026-11".to_owned() }.with().dedup("report-2026-11", Dedup::Forever);
        println!("{:?}", once.enqueue(job).await?);
    }
    let patient = RetryPolicy { max_attempts: 8, ..RetryPolicy::GENERIC };
    let worker = Worker::builder(&once)
        .register::<Report>(())
        .queue_with("default", 20, patient)
        .lease(Duration::from_mins(1)) // after a crash it runs elsewhere after that, or at once where the host can tell
        .grace(Duration::from_secs(25))
        .build()?;
    println!("Ctrl-C to stop");
    let report = worker.run_until(async { drop(tokio::signal::ctrl_c().await) }).await?;
    println!("{report:?}");
    Ok(())
}
