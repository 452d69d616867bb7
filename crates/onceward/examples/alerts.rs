//! How am I told when something goes wrong? By a job like any other, for a handler of yours.

use onceward::{AlertMessage, AlertRule, Cause, Context, Done, Failure, Job, Outcome, Run, Topic, Worker};

#[derive(serde::Serialize, serde::Deserialize)]
struct Welcome {
    email: String,
}

impl Job for Welcome {
    const KIND: &'static str = "email.welcome";
    const QUEUE: &'static str = "mail";
}

impl Run for Welcome {
    type App = ();

    async fn run(self, _: &Context<()>) -> Outcome {
        Err(Failure::permanent(Cause::new("bad_address", format!("{} is no address", self.email))))
    }
}

/// Here it goes to the terminal; yours goes to a chat or a pager, through `ctx.effect`. An error that stands in the
/// text is somebody else's words: escape them for where you show them.
async fn tell(ctx: Context<()>) -> Outcome {
    let message: AlertMessage = serde_json::from_str(&ctx.job().payload)?;
    println!("{}\n\n{}", message.title, message.text);
    Ok(Done::Nothing)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let once = onceward::testing::store().await?;
    for name in ["ada", "grace"] {
        once.enqueue(Welcome { email: name.to_owned() }).await?;
    }
    let rule = AlertRule { on: vec![Topic::Dead, Topic::InDoubt], ..AlertRule::new("ops", "pager") };
    let worker = Worker::builder(&once)
        .register::<Welcome>(())
        .register_fn(AlertMessage::KIND, AlertMessage::VERSION, (), tell)
        .queue("mail", 20)
        .queue("pager", 1)
        .alerts(vec![rule.clone()])
        .build()?;
    println!("{:?}", worker.run_until_idle().await?);
    for standing in once.alerts(&[rule]).await? {
        println!("{}: {} message(s), {}", standing.name, standing.messages, standing.open.join("; "));
    }
    Ok(())
}
