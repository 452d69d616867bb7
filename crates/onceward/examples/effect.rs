//! What happens when the answer is lost? The job is in doubt, and is looked for; it is not sent again blindly.

use std::time::Duration;

use onceward::{Class, Context, Job, Outcome, Receipt, Run, Seen, SendError, Worker};

#[derive(serde::Serialize, serde::Deserialize)]
struct Toot {
    text: String,
}

impl Job for Toot {
    const KIND: &'static str = "toot";
    const QUEUE: &'static str = "social";
}

impl Run for Toot {
    type App = ();

    async fn run(self, ctx: &Context<()>) -> Outcome {
        let receipt = ctx
            .effect("post", self.text)
            .class(Class::LookUp { lag: Duration::from_secs(20) }) // a fresh post may stay unseen for so long
            .timeout(Duration::from_secs(10))
            .verify(async |intent| {
                println!("looks for {:?}", intent.request);
                Seen::Found(Receipt::id("1").at("https://social.example/1"))
            })
            .send(async |intent| {
                println!("sends {:?}", intent.request);
                Err::<Receipt, SendError>(std::io::Error::other("the connection was reset").into()) // `?` does the same
            })
            .await?;
        Ok(receipt.into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let once = onceward::testing::store().await?;
    let now = onceward::Time::now();
    once.set_clock(now);
    let job = once.enqueue(Toot { text: "We are live".to_owned() }).await?.id();
    let worker = Worker::builder(&once).register::<Toot>(()).queue("social", 5).build()?;

    worker.run_until_idle().await?;
    let doubt = once.details(job).await?;
    let until = doubt.effects[0].quiet_until.map(|until| until.to_string());
    println!("{}: it may still happen until {}", doubt.job.state, until.unwrap_or_default());

    once.set_clock(now.after(Duration::from_mins(2))); // past the quiet period
    worker.run_until_idle().await?;
    let job = once.job(job).await?;
    println!("{}, {}", job.state, job.url.unwrap_or_default());
    Ok(())
}
