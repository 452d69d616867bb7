//! dev.to, and every other site that runs Forem: a draft that nobody sees, then one request that publishes it.
//!
//! After <https://developers.forem.com/api/v1> and Forem's own validations: titles are not used twice within five
//! minutes, a body not twice under one title, a canonical address not twice at all. So a draft that a crash orphaned
//! stands in the way of its repeat, and is found by the mark that each body carries.
//!
//! Forem's API takes no files. A picture inside the text is refused unless it is named by an address; other media are
//! left out, and the preview says so.

mod adapter;
mod article;

pub use adapter::DevtoChannel;
