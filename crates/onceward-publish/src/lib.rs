//! onceward-publish
