//! The HTTP side: a page at `/`, the control door at `/-/`, and each platform below its prefix.

mod door;
mod page;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderName;
use axum::response::Response;

use crate::answer::Answer;
use crate::call::Call;
use crate::core::{Core, End, Served};
use crate::date;
use crate::platforms::Platform;
use crate::text;
use crate::wire::Line;

/// More than any platform takes.
const MOST_BYTES: usize = 256 << 20;

/// What every request needs.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) core: Arc<Core>,
    pub(crate) platforms: Vec<Box<dyn Platform>>,
}

pub(crate) fn router(site: Arc<Site>) -> Router {
    Router::new().fallback(answer).with_state(site)
}

async fn answer(
    State(site): State<Arc<Site>>,
    ConnectInfo(line): ConnectInfo<Line>,
    request: Request,
) -> Response {
    let Some((first, call)) = read(request).await else {
        return written(&site.core, Answer::text(413, "the body did not arrive whole, or is too large"));
    };
    let served = match site.platforms.iter().find(|platform| platform.name() == first) {
        Some(platform) => site.core.serve(platform.as_ref(), &call),
        None => Served { answer: ours(&site, &first, &call), end: End::Whole },
    };
    line.end(served.end);
    if served.end == End::Never {
        site.core.closed().await;
        line.end(End::Reset);
    }
    written(&site.core, served.answer)
}

/// What the sandbox itself answers.
fn ours(site: &Site, first: &str, call: &Call) -> Answer {
    match first {
        "" => Answer::html(page::page(site)),
        "-" => door::answer(&site.core, call),
        _ => Answer::text(404, "no such platform here\n"),
    }
}

/// The first part of the path, and the rest of the request.
async fn read(request: Request) -> Option<(String, Call)> {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, MOST_BYTES).await.ok()?.to_vec();
    let headers = head.headers.iter().map(|(name, value)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    });
    let host = head.headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
    let path = head.uri.path().trim_start_matches('/');
    let (first, path) = path.split_at(path.find('/').unwrap_or(path.len()));
    let call = Call {
        method: head.method.as_str().to_owned(),
        path: text::percent_decoded(path),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: headers.collect(),
        body,
        base: format!("http://{host}/{first}"),
    };
    Some((first.to_owned(), call))
}

fn written(core: &Core, answer: Answer) -> Response {
    let mut response = Response::builder().status(answer.status).header("date", date::http(core.now()));
    for (name, value) in answer.headers {
        response = response.header(HeaderName::from_static(name), value);
    }
    response.body(Body::from(answer.body)).unwrap_or_default()
}
