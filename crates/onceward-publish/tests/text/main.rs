//! Texts by each platform's own rules: counting, finding, cutting.

mod awkward;
#[path = "../awkward/mod.rs"]
mod awkward_texts;
mod count;
mod entities;
mod facets;
mod parts;
mod rich;
mod split;
