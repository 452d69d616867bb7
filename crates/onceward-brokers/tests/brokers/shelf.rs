//! What the intake does with any broker, shown on one in memory.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceward::{Cause, Job, NewJob, State};
use onceward_brokers::{Delivery, Incoming, Intake, Rules, Source, Taken};

use crate::support::{Record, Verdict, jobs, rules};

/// Messages that lie there until they are acknowledged. What is in somebody's hand does not come again.
#[derive(Debug, Clone)]
struct Shelf {
    lying: Arc<Mutex<VecDeque<Incoming>>>,
    acknowledged: Arc<Mutex<Vec<String>>>,
    can_reject: Result<bool, Cause>,
    reject: Result<(), Cause>,
}

impl Shelf {
    /// A message for each queue; of one without a name nobody can read the body.
    fn of<'q>(queues: impl IntoIterator<Item = &'q str>) -> Self {
        let lying = queues.into_iter().enumerate().map(|(at, queue)| message(at, queue)).collect();
        let lying = Arc::new(Mutex::new(lying));
        Self { lying, acknowledged: Arc::default(), can_reject: Ok(true), reject: Ok(()) }
    }

    fn acknowledged(&self) -> Vec<String> {
        self.acknowledged.lock().unwrap().clone()
    }
}

fn message(at: usize, queue: &str) -> Incoming {
    let headers = BTreeMap::from([("onceward-queue".to_owned(), queue.to_owned())]);
    let (body, headers) = if queue.is_empty() { ("{", BTreeMap::new()) } else { ("{}", headers) };
    Incoming { body: body.as_bytes().to_vec(), headers, id: Some(at.to_string()), published: None }
}

fn away() -> Cause {
    Cause::new("shelf", "it is not told").outage()
}

impl Source for Shelf {
    type Tag = Incoming;

    fn name(&self) -> &'static str {
        "shelf"
    }

    fn extend_every(&self) -> Option<Duration> {
        None
    }

    async fn receive(&self, most: usize, _wait: Duration) -> Result<Vec<Delivery<Incoming>>, Cause> {
        let mut lying = self.lying.lock().unwrap();
        let most = most.min(lying.len());
        Ok(lying.drain(..most).map(|message| Delivery { tag: message.clone(), message }).collect())
    }

    async fn extend(&self, _tags: &[&Incoming]) -> Result<(), Cause> {
        Ok(())
    }

    async fn acknowledge(&self, tags: &[&Incoming]) -> Result<(), Cause> {
        self.acknowledged.lock().unwrap().extend(tags.iter().filter_map(|tag| tag.id.clone()));
        Ok(())
    }

    async fn give_back(&self, tags: &[&Incoming]) -> Result<(), Cause> {
        self.lying.lock().unwrap().extend(tags.iter().copied().cloned());
        Ok(())
    }

    async fn can_reject(&self) -> Result<bool, Cause> {
        self.can_reject.clone()
    }

    async fn reject(&self, _tags: &[&Incoming]) -> Result<(), Cause> {
        self.reject.clone()
    }
}

/// So many jobs of a queue that are due.
async fn due(store: &onceward::Onceward, queue: &str, count: usize) -> Verdict {
    for _ in 0..count {
        store.enqueue(NewJob::untyped(queue, "other", "{}")).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_full_queue_that_no_message_goes_to_stops_no_source() -> Verdict {
    let store = onceward::testing::store().await?;
    due(&store, Record::QUEUE, 25).await?;
    let (shelf, rules) = (Shelf::of(["post"; 10]), Rules { backlog: 25, ..rules() });
    let taken = Intake::new((*store).clone(), shelf, rules).take_all().await;
    assert_eq!(taken, (Taken { jobs: 10, ..Taken::default() }, None));
    Ok(())
}

#[tokio::test]
async fn backlogs_of_several_queues_are_not_added_up() -> Verdict {
    let store = onceward::testing::store().await?;
    due(&store, Record::QUEUE, 15).await?;
    due(&store, "post", 15).await?;
    let shelf = Shelf::of([Record::QUEUE, "post"].into_iter().cycle().take(24));
    let rules = Rules { backlog: 25, batch: 4, ..rules() };
    let (taken, ended) = Intake::new((*store).clone(), shelf, rules).take_all().await;
    assert!((18..=22).contains(&taken.jobs), "each had room for ten: {taken:?}");
    let why = ended.ok_or("it is full, and that is said")?;
    assert!(why.text.contains("25 jobs of records are due"), "{why:?}");
    Ok(())
}

#[tokio::test]
async fn a_failed_rejection_holds_up_no_acknowledgement() -> Verdict {
    let store = onceward::testing::store().await?;
    let shelf = Shelf { reject: Err(away()), ..Shelf::of(["post", "", "post"]) };
    let rules = Rules { reject: true, ..rules() };
    let (taken, ended) = Intake::new((*store).clone(), shelf.clone(), rules).take_all().await;
    assert_eq!((taken.jobs, taken.unreadable, ended), (2, 1, None));
    assert_eq!(shelf.acknowledged(), ["0", "2"]);
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_rejected_is_a_dead_job_and_acknowledged() -> Verdict {
    for can_reject in [Ok(false), Err(away())] {
        let store = onceward::testing::store().await?;
        let shelf = Shelf { can_reject, ..Shelf::of(["", "post"]) };
        let rules = Rules { reject: true, ..rules() };
        Intake::new((*store).clone(), shelf.clone(), rules).take_all().await;
        let dead = jobs(&store, State::Dead).await?;
        assert_eq!(dead[0].error.as_ref().map(|error| error.code.as_str()), Some("message_unreadable"));
        assert_eq!(shelf.acknowledged(), ["0", "1"]);
    }
    Ok(())
}
