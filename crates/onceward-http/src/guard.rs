//! Which addresses an untrusted URL may reach.
//!
//! Two doors lead to an address, and the guard stands at both: a literal in the URL (the resolver never sees it)
//! and the answers of the name system. The addresses that were vetted are the ones connected to, so a name that
//! changes its answer between check and use gains nothing.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use url::{Host, Url};

use crate::Cidr;

/// IPv4 ranges that are not the public internet (IANA special-purpose registry, RFC 6890), with the word for each.
const FORBIDDEN_V4: [(Cidr, &str); 16] = [
    (Cidr::v4([0, 0, 0, 0], 8), "a `this network` address"),
    (Cidr::v4([10, 0, 0, 0], 8), "a private address"),
    (Cidr::v4([100, 64, 0, 0], 10), "a carrier-grade NAT address"),
    (Cidr::v4([127, 0, 0, 0], 8), "a loopback address"),
    (Cidr::v4([168, 63, 129, 16], 32), "a cloud host agent"), // Azure's, public by its number only
    (Cidr::v4([169, 254, 0, 0], 16), "a link-local address"),
    (Cidr::v4([172, 16, 0, 0], 12), "a private address"),
    (Cidr::v4([192, 0, 0, 0], 24), "a protocol assignment"),
    (Cidr::v4([192, 0, 2, 0], 24), "a documentation address"),
    (Cidr::v4([192, 88, 99, 0], 24), "a 6to4 relay address"),
    (Cidr::v4([192, 168, 0, 0], 16), "a private address"),
    (Cidr::v4([198, 18, 0, 0], 15), "a benchmarking address"),
    (Cidr::v4([198, 51, 100, 0], 24), "a documentation address"),
    (Cidr::v4([203, 0, 113, 0], 24), "a documentation address"),
    (Cidr::v4([224, 0, 0, 0], 4), "a multicast address"),
    (Cidr::v4([240, 0, 0, 0], 4), "a reserved or broadcast address"),
];

/// IPv6 ranges with the word for each. Whatever else lies outside `2000::/3` is refused too: see [`forbidden`].
const FORBIDDEN_V6: [(Cidr, &str); 15] = [
    (Cidr::v4_mapped(), "an IPv4-mapped address"),
    (Cidr::v6([0, 0, 0, 0], 96), "an unspecified, loopback or IPv4-compatible address"),
    (Cidr::v6([0x64, 0xff9b, 0, 0], 96), "a NAT64 address"),
    (Cidr::v6([0x64, 0xff9b, 1, 0], 48), "a NAT64 address"),
    (Cidr::v6([0x100, 0, 0, 0], 64), "a discard address"),
    (Cidr::v6([0x2001, 0, 0, 0], 32), "a Teredo address"),
    (Cidr::v6([0x2001, 0, 0, 0], 23), "a protocol assignment"),
    (Cidr::v6([0x2001, 0xdb8, 0, 0], 32), "a documentation address"),
    (Cidr::v6([0x2002, 0, 0, 0], 16), "a 6to4 address"),
    (Cidr::v6([0x3fff, 0, 0, 0], 20), "a documentation address"),
    (Cidr::v6([0x5f00, 0, 0, 0], 16), "a segment-routing address"),
    (Cidr::v6([0xfc00, 0, 0, 0], 7), "a unique local address"),
    (Cidr::v6([0xfe80, 0, 0, 0], 10), "a link-local address"),
    (Cidr::v6([0xfec0, 0, 0, 0], 10), "a site-local address"),
    (Cidr::v6([0xff00, 0, 0, 0], 8), "a multicast address"),
];

/// The only part of IPv6 that is handed out for the public internet (RFC 4291 section 2.4).
const GLOBAL_V6: Cidr = Cidr::v6([0x2000, 0, 0, 0], 3);

/// The check that an untrusted URL and every address behind it must pass.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    allow: Vec<Cidr>,
}

/// Why a URL or address is out of bounds. The text names the kind of address, never the address: an answer of an
/// internal name server is not for the eyes of whoever wrote the URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forbidden(String);

impl Guard {
    /// A guard that lets public addresses pass, and those in `allow`.
    pub fn new(allow: Vec<Cidr>) -> Guard {
        Guard { allow }
    }

    /// Checks one address, exactly as it is written: an allowed IPv4 range opens no IPv6 form of it.
    pub fn vet(&self, address: IpAddr) -> Result<(), Forbidden> {
        if self.allow.iter().any(|range| range.contains(address)) {
            return Ok(());
        }
        forbidden(address).map_or(Ok(()), |kind| Err(Forbidden(format!("it is {kind}"))))
    }

    /// Checks what can be seen in the URL itself: the scheme, and the host if it is an address in any notation.
    /// A name passes here and is vetted when it is resolved.
    pub fn vet_url(&self, url: &Url) -> Result<(), Forbidden> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Forbidden("only http and https are allowed".into()));
        }
        match url.host() {
            Some(Host::Ipv4(address)) => self.vet(address.into()),
            Some(Host::Ipv6(address)) => self.vet(address.into()),
            Some(Host::Domain(_)) => Ok(()),
            None => Err(Forbidden("it names no host".into())),
        }
    }

    /// Checks all answers for a name. One bad answer spoils them all: a name that points both outside and inside
    /// is an attack or a mistake, and which answer gets used would be up to chance.
    pub(crate) fn vet_answers(&self, answers: &[IpAddr]) -> Result<(), Forbidden> {
        answers.iter().try_for_each(|address| self.vet(*address))
    }
}

/// The kind of address, if it is not one of the public internet.
///
/// Transition forms (mapped, 6to4, NAT64, Teredo, ISATAP) are refused whatever they embed. A NAT64 prefix of an
/// operator's own cannot be told from other global addresses; nothing here sees through it.
fn forbidden(address: IpAddr) -> Option<&'static str> {
    let listed = |table: &[(Cidr, &'static str)]| {
        table.iter().find(|(range, _)| range.contains(address)).map(|(_, kind)| *kind)
    };
    match address {
        IpAddr::V4(_) => listed(&FORBIDDEN_V4),
        IpAddr::V6(v6) => listed(&FORBIDDEN_V6)
            .or_else(|| is_isatap(v6).then_some("an ISATAP address"))
            .or_else(|| (!GLOBAL_V6.contains(address)).then_some("an unassigned address")),
    }
}

/// RFC 5214 section 6.1: the interface identifier is `[02]00:5efe` and an IPv4 address, under any prefix.
fn is_isatap(address: Ipv6Addr) -> bool {
    let [_, _, _, _, flags, marker, _, _] = address.segments();
    matches!(flags, 0 | 0x0200) && marker == 0x5efe
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Forbidden {}
