//! `POST /signup` with `{"email": "ada@example.org"}`.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use serde::Deserialize;
use tokio::net::TcpListener;

use crate::versions::Version;
use crate::{Fallible, Stop, mail};

#[derive(Debug, Deserialize)]
struct Person {
    email: String,
}

/// Answers until `stop`, on a port of its own, which it says.
pub(crate) async fn serve(version: Version, port: u16, stop: Stop) -> Fallible {
    let version = Arc::new(version);
    let router = Router::new().route("/signup", post(sign_up)).with_state(Arc::clone(&version));
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on {}", listener.local_addr()?);
    axum::serve(listener, router).with_graceful_shutdown(stop.told()).await?;
    version.close().await;
    Ok(())
}

async fn sign_up(State(version): State<Arc<Version>>, body: String) -> (StatusCode, String) {
    let person: Person = match serde_json::from_str(&body) {
        Ok(person) => person,
        Err(error) => return (StatusCode::BAD_REQUEST, format!("expected {{\"email\": \"…\"}}: {error}\n")),
    };
    if let Err(error) = mail::address(&person.email) {
        return (StatusCode::BAD_REQUEST, format!("{:?} is no address: {error}\n", person.email));
    }
    match version.sign_up(&person.email).await {
        Ok(()) => (StatusCode::CREATED, "welcome\n".to_owned()),
        Err(error) => {
            eprintln!("{}: {error}", person.email);
            (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n"))
        }
    }
}
