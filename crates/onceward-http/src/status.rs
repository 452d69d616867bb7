//! What a status means when nothing better is known.

/// What a status means for a request that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatusClass {
    /// 2xx: carried out (some platforms put the real verdict into the body).
    Success,
    /// 429: not carried out; wait as [`retry_after`](crate::Response::retry_after) says.
    RateLimited,
    /// 401, 403: the credentials are missing, expired or not enough.
    Auth,
    /// Any other 4xx but 408: this request will not be carried out as it is.
    Refused,
    /// 1xx, 3xx, 408, 5xx and codes nobody knows: it may have been carried out. A gateway's 504 after a success
    /// is the classic.
    Unclear,
}

/// The default meaning of a status. A platform's own table overrides it, above all where an error means "that is
/// already live" (403 duplicate, 409, 422).
pub fn classify(status: u16) -> StatusClass {
    match status {
        200..=299 => StatusClass::Success,
        429 => StatusClass::RateLimited,
        401 | 403 => StatusClass::Auth,
        408 => StatusClass::Unclear,
        400..=499 => StatusClass::Refused,
        _ => StatusClass::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::{StatusClass::*, classify};

    #[test]
    fn every_status_has_its_default_class() {
        let table = [
            (200, Success),
            (201, Success),
            (202, Success),
            (204, Success),
            (299, Success),
            (429, RateLimited),
            (401, Auth),
            (403, Auth),
            (400, Refused),
            (404, Refused),
            (409, Refused),
            (410, Refused),
            (422, Refused),
            (499, Refused),
            (408, Unclear),
            (500, Unclear),
            (502, Unclear),
            (503, Unclear),
            (504, Unclear),
            (599, Unclear),
            (100, Unclear),
            (199, Unclear),
            (301, Unclear),
            (302, Unclear),
            (307, Unclear),
            (399, Unclear),
            (0, Unclear),
            (600, Unclear),
            (999, Unclear),
        ];
        for (status, class) in table {
            assert_eq!(classify(status), class, "{status}");
        }
    }
}
