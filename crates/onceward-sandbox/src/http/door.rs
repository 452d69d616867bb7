//! The control door, for tests in other processes.
//!
//! | request | does |
//! | --- | --- |
//! | `GET /-/ledger` | everything that arrived and was accepted |
//! | `GET /-/faults` | the faults that still wait |
//! | `POST /-/faults` | adds one, or a list |
//! | `DELETE /-/faults` | clears them |
//! | `POST /-/advance` `{"seconds": 3600}` | moves the clock forward |

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use crate::answer::Answer;
use crate::call::Call;
use crate::core::Core;
use crate::fault::Fault;

/// One fault, or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Faults {
    Many(Vec<Fault>),
    One(Fault),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    seconds: f64,
}

pub(super) fn answer(core: &Core, call: &Call) -> Answer {
    match (call.method.as_str(), call.path.as_str()) {
        ("GET", "/ledger") => Answer::json(200, &json!(core.ledger())),
        ("GET", "/faults") => Answer::json(200, &json!(core.faults())),
        ("DELETE", "/faults") => {
            core.clear_faults();
            Answer::json(200, &json!([]))
        }
        ("POST", "/faults") => add(core, call),
        ("POST", "/advance") => advance(core, call),
        _ => Answer::text(404, "the door knows /-/ledger, /-/faults and /-/advance\n"),
    }
}

fn add(core: &Core, call: &Call) -> Answer {
    let faults = match serde_json::from_slice(&call.body) {
        Ok(Faults::Many(faults)) => faults,
        Ok(Faults::One(fault)) => vec![fault],
        // A list or one of them: the reader's own words do not say which was wrong, so it is read as one again.
        Err(_) => match serde_json::from_slice::<Fault>(&call.body) {
            Ok(fault) => vec![fault],
            Err(error) => return Answer::text(400, format!("{error}\n")),
        },
    };
    for fault in faults {
        core.add_fault(fault);
    }
    Answer::json(200, &json!(core.faults()))
}

fn advance(core: &Core, call: &Call) -> Answer {
    let wish = serde_json::from_slice::<Advance>(&call.body).map_err(|error| error.to_string());
    let by =
        wish.and_then(|wish| Duration::try_from_secs_f64(wish.seconds).map_err(|error| error.to_string()));
    match by {
        Ok(by) => {
            core.advance(by);
            Answer::json(200, &json!({ "now": crate::date::iso(core.now()) }))
        }
        Err(error) => Answer::text(400, format!("{error}\n")),
    }
}
