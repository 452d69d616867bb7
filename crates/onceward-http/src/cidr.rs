//! A range of addresses.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// A range of addresses, written `10.0.0.0/8`, `fd00::/8`, or as one address (RFC 4632, RFC 4291 section 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct Cidr {
    network: IpAddr,
    prefix: u8,
}

/// Why a text is not an address range: what was found and what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CidrError(String);

/// The widest ranges that can be written. `0.0.0.0/0` would be a switch that turns the guard off, which nobody
/// should be able to leave on.
const WIDEST: (u8, u8) = (8, 7);

impl Cidr {
    pub(crate) const fn v4(network: [u8; 4], prefix: u8) -> Cidr {
        let [a, b, c, d] = network;
        Cidr { network: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix }
    }

    /// The range whose first 64 bits are `high`; the rest of the network address is zero.
    pub(crate) const fn v6(high: [u16; 4], prefix: u8) -> Cidr {
        let [a, b, c, d] = high;
        Cidr { network: IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)), prefix }
    }

    pub(crate) const fn v4_mapped() -> Cidr {
        Cidr { network: IpAddr::V6(Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0)), prefix: 96 }
    }

    /// Whether `address` lies in the range. A range of one family never holds an address of the other, not even
    /// an IPv4 address written as IPv6.
    pub fn contains(&self, address: IpAddr) -> bool {
        let shared = match (self.network, address) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                (network.to_bits() ^ address.to_bits()).leading_zeros()
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                (network.to_bits() ^ address.to_bits()).leading_zeros()
            }
            _ => return false,
        };
        shared >= u32::from(self.prefix)
    }

    /// The lowest address that shares the prefix: `10.0.0.0` for `10.1.2.3/8`.
    fn base(&self) -> IpAddr {
        let prefix = u32::from(self.prefix);
        match self.network {
            IpAddr::V4(address) => {
                let kept = u32::MAX.checked_shr(prefix).map_or(u32::MAX, |host_bits| !host_bits);
                IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & kept))
            }
            IpAddr::V6(address) => {
                let kept = u128::MAX.checked_shr(prefix).map_or(u128::MAX, |host_bits| !host_bits);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & kept))
            }
        }
    }
}

impl FromStr for Cidr {
    type Err = CidrError;

    fn from_str(text: &str) -> Result<Cidr, CidrError> {
        let refuse =
            |why: String| CidrError(format!("`{}` is not an address range: {why}", text.escape_debug()));
        let (address, prefix) = text.split_once('/').map_or((text, None), |(a, p)| (a, Some(p)));
        let network: IpAddr = address.parse().map_err(|_| {
            refuse("expected an address and a length, as in `10.0.0.0/8` or `fd00::/8`".into())
        })?;
        let (longest, widest) = if network.is_ipv4() { (32, WIDEST.0) } else { (128, WIDEST.1) };
        let prefix: u8 = match prefix {
            None => longest,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits
                .parse()
                .ok()
                .filter(|length| *length <= longest)
                .ok_or_else(|| refuse(format!("the length must be from {widest} to {longest}")))?,
            Some(_) => return Err(refuse(format!("the length must be from {widest} to {longest}"))),
        };
        if prefix < widest {
            return Err(refuse(format!("it is too wide; name ranges of at least /{widest}")));
        }
        let cidr = Cidr { network, prefix };
        let base = cidr.base();
        if base != network {
            return Err(refuse(format!("bits are set after the length; write `{base}/{prefix}`")));
        }
        Ok(cidr)
    }
}

impl TryFrom<String> for Cidr {
    type Error = CidrError;

    fn try_from(text: String) -> Result<Cidr, CidrError> {
        text.parse()
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.prefix)
    }
}

impl fmt::Display for CidrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CidrError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_its_first_and_last_address_and_not_its_neighbours() {
        let cases = [
            ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0"]),
            ("172.16.0.0/12", ["172.16.0.0", "172.31.255.255"], ["172.15.255.255", "172.32.0.0"]),
            ("192.0.2.7", ["192.0.2.7", "192.0.2.7"], ["192.0.2.6", "192.0.2.8"]),
            ("fc00::/7", ["fc00::", "fdff:ffff::1"], ["fbff::", "fe00::"]),
            ("::1", ["::1", "::1"], ["::", "::2"]),
        ];
        for (range, inside, outside) in cases {
            let range: Cidr = range.parse().unwrap();
            for address in inside {
                assert!(range.contains(address.parse().unwrap()), "{range} must hold {address}");
            }
            for address in outside {
                assert!(!range.contains(address.parse().unwrap()), "{range} must not hold {address}");
            }
        }
    }

    #[test]
    fn a_range_of_one_family_never_holds_the_other() {
        let range: Cidr = "10.0.0.0/8".parse().unwrap();
        assert!(!range.contains("::ffff:10.0.0.1".parse().unwrap()));
    }

    #[test]
    fn a_range_that_is_wrong_or_opens_everything_is_refused() {
        let wrong =
            ["", "10", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/+8", "10.0.0.0/-1", "10.0.0.0/8/8", "host/8"];
        let wide = ["0.0.0.0/0", "0.0.0.0/7", "::/0", "2000::/3", "fd00::/129"];
        for text in wrong.into_iter().chain(wide) {
            assert!(text.parse::<Cidr>().is_err(), "`{text}` must be refused");
        }
        let error = "10.1.2.3/8".parse::<Cidr>().unwrap_err();
        assert!(error.to_string().contains("write `10.0.0.0/8`"), "{error}");
    }
}
