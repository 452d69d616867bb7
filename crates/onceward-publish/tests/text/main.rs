//! Texts by each platform's own rules: counting, finding, cutting.

mod count;
mod entities;
mod facets;
mod parts;
mod rich;
mod split;
