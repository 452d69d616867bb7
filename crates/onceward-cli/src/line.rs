//! The queues that the configuration knows: its own, and one for each channel, of the channel's name. What was
//! enqueued under a channel's former name waits in the queue of that name, which is served like the present one.

use onceward::QueueSettings;
use onceward::retry::RetryPolicy;

use crate::config::{Channel, Config, Pace, Queue};
use crate::stop::Stop;
use crate::store::Store;

/// Jobs at once in one process, where the configuration sets no limit.
const AT_ONCE: usize = 20;

/// One queue, and how its jobs are treated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// The channel that it belongs to.
    pub(crate) channel: Option<String>,
    /// What limits it over all workers.
    pub(crate) settings: QueueSettings,
    pub(crate) retry: RetryPolicy,
}

impl Line {
    /// Jobs at once in this process; the limit over all workers is the store's to keep.
    pub(crate) fn at_once(&self) -> usize {
        self.settings.concurrency.map_or(AT_ONCE, |most| usize::try_from(most).unwrap_or(AT_ONCE))
    }

    /// Whether the name of a queue or channel means it.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        self.name == name || self.channel.as_deref() == Some(name)
    }

    fn new(name: &str, concurrency: Option<u32>, pace: &Pace) -> Self {
        let settings = QueueSettings { concurrency, rate: pace.rate, circuit: pace.circuit };
        Self { name: name.to_owned(), channel: None, settings, retry: pace.retry }
    }

    fn of(channel: &Channel, name: &str) -> Self {
        let channel_name = Some(channel.name.clone());
        Self { channel: channel_name, ..Self::new(name, Some(channel.concurrency), &channel.pace) }
    }
}

impl From<&Queue> for Line {
    fn from(queue: &Queue) -> Self {
        Self::new(&queue.name, queue.concurrency, &queue.pace)
    }
}

impl From<&Channel> for Line {
    fn from(channel: &Channel) -> Self {
        Self::of(channel, &channel.name)
    }
}

/// All of them: channels first, then queues, then former names that nothing bears now, each in the file's order.
pub(crate) fn lines(config: &Config) -> Vec<Line> {
    let mut lines: Vec<Line> =
        config.channels.iter().map(Line::from).chain(config.queues.iter().map(Line::from)).collect();
    for channel in &config.channels {
        let former = channel.was.as_deref().filter(|was| lines.iter().all(|line| line.name != **was));
        if let Some(was) = former {
            lines.push(Line::of(channel, was));
        }
    }
    lines
}

/// Those that the names of queues, channels and groups stand for; all of them when none is named.
pub(crate) fn named(config: &Config, names: &[String]) -> Result<Vec<Line>, Stop> {
    let all = lines(config);
    if names.is_empty() {
        return Ok(all);
    }
    let mut wanted = Vec::new();
    for name in names {
        let group = config.groups.iter().find(|group| group.name == *name);
        match group {
            Some(group) => wanted.extend(group.channels.iter().cloned()),
            None if all.iter().any(|line| line.is_of(name)) => wanted.push(name.clone()),
            None => return Err(unknown(name, &all, config)),
        }
    }
    Ok(all.into_iter().filter(|line| wanted.iter().any(|name| line.is_of(name))).collect())
}

fn unknown(name: &str, all: &[Line], config: &Config) -> Stop {
    let groups = config.groups.iter().map(|group| group.name.as_str());
    let known: Vec<&str> = all.iter().map(|line| line.name.as_str()).chain(groups).collect();
    let text = match known.as_slice() {
        [] => format!("no queue or channel is called `{name}`: none is configured"),
        _ => format!("no queue, channel or group is called `{name}`; {}", crate::config::advice(name, known)),
    };
    Stop::usage("unknown_name", text)
}

impl Store {
    /// Tells the store what limits each configured queue. What it has learnt about them stays.
    pub(crate) async fn define_queues(&self) -> Result<(), Stop> {
        for line in lines(&self.config) {
            self.once.define_queue(&line.name, line.settings).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Env;

    const FILE: &str = "[queues.mail]\n[channels.a]\ntype = \"archive\"\npath = \"a\"\n[channels.b]\ntype = \"archive\"\n\
                        path = \"b\"\nconcurrency = 3\n[groups]\nboth = [\"a\", \"b\"]\n";

    fn config() -> Config {
        Config::parse(FILE, Path::new("/srv/onceward.toml"), Env::default()).unwrap()
    }

    fn names(asked: &[&str]) -> Vec<String> {
        let asked: Vec<String> = asked.iter().map(|&name| name.to_owned()).collect();
        named(&config(), &asked).unwrap().into_iter().map(|line| line.name).collect()
    }

    #[test]
    fn a_group_stands_for_its_channels_and_nothing_for_all() {
        assert_eq!(names(&[]), ["a", "b", "mail"]);
        assert_eq!(names(&["both", "a"]), ["a", "b"]);
        assert_eq!(names(&["mail"]), ["mail"]);
    }

    #[test]
    fn a_renamed_channel_serves_the_queue_of_its_former_name() {
        let file = FILE.replace("path = \"b\"\n", "path = \"b\"\nwas = \"old\"\n");
        let config = Config::parse(&file, Path::new("/srv/onceward.toml"), Env::default()).unwrap();
        let names = |asked: &[&str]| -> Vec<String> {
            let asked: Vec<String> = asked.iter().map(|&name| name.to_owned()).collect();
            named(&config, &asked).unwrap().into_iter().map(|line| line.name).collect()
        };
        assert_eq!(names(&[]), ["a", "b", "mail", "old"]);
        assert_eq!(names(&["both"]), ["a", "b", "old"]);
        assert_eq!(names(&["old"]), ["old"]);
        assert_eq!(lines(&config)[3].at_once(), 3);
    }

    #[test]
    fn a_former_name_that_a_queue_bears_now_is_that_queue() {
        let file = FILE.replace("path = \"b\"\n", "path = \"b\"\nwas = \"mail\"\n");
        let config = Config::parse(&file, Path::new("/srv/onceward.toml"), Env::default()).unwrap();
        assert_eq!(lines(&config).len(), 3);
    }

    #[test]
    fn a_mistyped_name_is_refused_with_the_nearest() {
        let stop = named(&config(), &["mial".to_owned()]).unwrap_err();
        assert_eq!(stop.exit, crate::exit::Exit::Usage);
        assert!(stop.text.contains("did you mean `mail`?"), "{}", stop.text);
    }

    #[test]
    fn a_queue_without_a_limit_still_has_one_in_this_process() {
        let lines = lines(&config());
        assert_eq!(lines.iter().map(Line::at_once).collect::<Vec<_>>(), [1, 3, AT_ONCE]);
    }
}
