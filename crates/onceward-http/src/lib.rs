//! onceward-http
