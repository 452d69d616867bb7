//! Calls of the AT Protocol over HTTP (XRPC), and their answers.

use std::time::Duration;

use onceward::{SendError, Time};
use onceward_http::{Client, Request, Response, SendFailure, Target};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::errors;
use crate::channels::answer;

/// One server, as an account's own calls see it.
#[derive(Debug, Clone)]
pub(super) struct Api {
    server: Target,
    client: Client,
    /// How long one call may take.
    pub(super) timeout: Duration,
}

impl Api {
    pub(super) fn new(server: &str, client: Client, timeout: Duration) -> Result<Self, SendFailure> {
        Ok(Self { server: Target::operator(server)?, client, timeout })
    }

    /// A call that reads: `name` with these parameters.
    pub(super) fn query(&self, name: &str, parameters: &[(&str, &str)]) -> Request {
        let target = self.target(name);
        Request::get(parameters.iter().fold(target, |target, (name, value)| target.query(name, value)))
    }

    /// A call that writes, without a body.
    pub(super) fn empty(&self, name: &str) -> Request {
        Request::post(self.target(name))
    }

    /// A call that writes JSON.
    pub(super) fn procedure(&self, name: &str, body: &Json) -> Result<Request, SendFailure> {
        self.upload(name, "application/json", body.to_string())
    }

    /// A call that writes bytes.
    pub(super) fn upload(
        &self,
        name: &str,
        kind: &str,
        body: impl Into<Vec<u8>>,
    ) -> Result<Request, SendFailure> {
        self.empty(name).body(kind, body)
    }

    /// Sends it, once.
    pub(super) async fn send(&self, request: Request, within: Duration) -> Result<Response, SendError> {
        let response = self.client.send(request.deadline(within)).await;
        let response = response.map_err(|failure| answer::lost(&failure))?;
        match response.status() {
            200..=299 => Ok(response),
            _ => Err(errors::means(&response, Time::now())),
        }
    }

    /// Sends it, once, and reads the answer.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        request: Request,
        within: Duration,
    ) -> Result<T, SendError> {
        let response = self.send(request, within).await?;
        response.json().map_err(|failure| answer::lost(&failure))
    }

    fn target(&self, name: &str) -> Target {
        self.server.join(&format!("/xrpc/{name}"))
    }
}
