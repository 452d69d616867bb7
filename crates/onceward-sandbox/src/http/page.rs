//! The page at `/`: what each platform received, newest first.

use std::fmt::Write as _;

use crate::clock::{Micros, SECOND};
use crate::date;
use crate::ledger::{Accepted, Ledger};
use crate::text::{html, shortened};

use super::Site;

const STYLE: &str = include_str!("page.css");
/// How many items of a platform are shown.
const SHOWN: usize = 100;

pub(super) fn page(site: &Site) -> String {
    let (ledger, now) = (site.core.ledger(), site.core.now());
    let mut body = String::new();
    let (used, idle): (Vec<_>, Vec<_>) = site
        .platforms
        .iter()
        .map(|platform| platform.name())
        .partition(|name| ledger.arrivals.iter().any(|arrival| arrival.platform == *name));
    for name in used {
        platform(&mut body, name, &ledger, now);
    }
    if !idle.is_empty() {
        let _ = write!(body, "<p class=quiet>Nothing has arrived yet for {}.</p>", html(&idle.join(", ")));
    }
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>Onceward sandbox</title><style>{STYLE}</style><main><h1>Sandbox</h1>\
         <p>A rehearsal: stand-ins for the platforms, on this machine. Nothing here was published.</p>{body}</main>"
    )
}

fn platform(page: &mut String, name: &str, ledger: &Ledger, now: Micros) {
    let arrivals = ledger.arrivals.iter().filter(|arrival| arrival.platform == name).count();
    let accepted: Vec<_> = ledger.visible(name).collect();
    let _ =
        write!(page, "<section><h2>{}</h2><p>{} posts, {arrivals} requests</p>", html(name), accepted.len());
    for item in accepted.iter().rev().take(SHOWN) {
        post(page, item, now);
    }
    if let Some(more) = accepted.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = write!(page, "<p class=quiet>and {more} earlier ones</p>");
    }
    page.push_str("</section>");
}

fn post(page: &mut String, item: &Accepted, now: Micros) {
    let instant = html(&date::iso(item.at));
    let place = item.place.as_deref().map(|place| format!(" → {}", html(place))).unwrap_or_default();
    let _ = write!(
        page,
        "<article><p class=text>{}</p><footer><span title=\"accepted\">● {}</span>{place} \
         <time datetime=\"{instant}\" title=\"{instant}\">{}</time> <code>{}</code></footer></article>",
        html(&shortened(&item.text, 3000)),
        html(&item.act),
        ago(now - item.at),
        html(&item.remote_id),
    );
}

/// How long ago, in the largest unit that fits.
fn ago(micros: Micros) -> String {
    let seconds = micros / SECOND;
    match seconds {
        ..5 => "now".to_owned(),
        5..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}
