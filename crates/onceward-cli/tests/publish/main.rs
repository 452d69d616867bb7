//! `onceward publish` as a person and a script meet it: the real binary, in a folder of its own.

mod alerts;
mod canary;
mod edits;
mod feeds;
mod holds;
mod isolation;
mod mastodon;
mod refusals;
mod rehearsal;
mod restored;
mod site;
mod waiting;
mod webhook;
