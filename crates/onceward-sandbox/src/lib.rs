//! Stand-in platforms on loopback.
