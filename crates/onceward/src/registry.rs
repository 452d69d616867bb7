//! Which kinds a worker can run, and how.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::context::Attempt;
use crate::store::leases::Known;
use crate::{Cause, Context, Failure, Outcome, Run};

type Handler = Arc<dyn Fn(Arc<Attempt>) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;

/// The handlers of one worker, by kind. The application of each is captured when it is registered.
#[derive(Clone, Default)]
pub(crate) struct Registry(HashMap<String, (u32, Handler)>);

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Registry {
    pub(crate) fn register<J: Run>(&mut self, app: J::App) {
        let run = move |attempt: Arc<Attempt>| {
            let app = app.clone();
            Box::pin(async move {
                let job: J = serde_json::from_str(&attempt.job().payload).map_err(|e| unreadable(&e))?;
                job.run(&Context::new(attempt, app)).await
            }) as Pin<Box<dyn Future<Output = Outcome> + Send>>
        };
        self.0.insert(J::KIND.to_owned(), (J::VERSION, Arc::new(run)));
    }

    pub(crate) fn register_fn<A, F, Fut>(&mut self, kind: &str, version: u32, app: A, handler: F)
    where
        A: Clone + Send + Sync + 'static,
        F: Fn(Context<A>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Outcome> + Send + 'static,
    {
        let run = move |attempt: Arc<Attempt>| {
            Box::pin(handler(Context::new(attempt, app.clone())))
                as Pin<Box<dyn Future<Output = Outcome> + Send>>
        };
        self.0.insert(kind.to_owned(), (version, Arc::new(run)));
    }

    /// The kinds and the newest payload version of each, as a claim asks for them.
    pub(crate) fn known(&self) -> Arc<[Known]> {
        self.0.iter().map(|(kind, (version, _))| Known { kind: kind.clone(), version: *version }).collect()
    }

    pub(crate) fn run(&self, attempt: Arc<Attempt>) -> Pin<Box<dyn Future<Output = Outcome> + Send>> {
        match self.0.get(&attempt.job().kind) {
            Some((_, handler)) => handler(attempt),
            None => {
                Box::pin(async { Err(Failure::transient(Cause::new("kind_unknown", "no handler here"))) })
            }
        }
    }
}

fn unreadable(error: &serde_json::Error) -> Failure {
    Failure::permanent(Cause::new(
        "payload_unreadable",
        format!("the payload is not what this kind expects: {error}"),
    ))
}
