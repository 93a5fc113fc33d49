//! Ranges of IP addresses: those that must not be called (CIDR), and those that VUs call from (single ones, from–to, CIDR).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// More blocks than anybody writes by hand; a longer list is a mistake, and each request of a VU walks it once.
const BLOCK_COUNT_MAX: usize = 10_000;

/// A network in CIDR notation: `10.0.0.0/8`, `fe80::/10`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IpRange {
    /// The lowest address.
    network: IpAddr,
    /// Leading bits that all addresses share.
    prefix_bits: u8,
}

impl IpRange {
    /// Reads a network; bits behind the prefix are dropped.
    ///
    /// # Errors
    ///
    /// What is no network, a lone address too, with k6's text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parse = || {
            let (address, bits) = text.split_once('/')?;
            let address: IpAddr = address.parse().ok()?;
            let is_number =
                !bits.is_empty() && bits.len() <= 3 && bits.bytes().all(|byte| byte.is_ascii_digit());
            let prefix_bits: u8 = bits.parse().ok().filter(|_| is_number)?;
            (prefix_bits <= width(address)).then(|| Self::new(address, prefix_bits))
        };
        parse().ok_or_else(|| {
            let short: String = text.chars().take(64).collect();
            format!("failed to parse CIDR '{short}': invalid CIDR address: {short}")
        })
    }

    fn new(address: IpAddr, prefix_bits: u8) -> Self {
        let free_bits = u32::from(width(address) - prefix_bits);
        let mask = u128::MAX.checked_shl(free_bits).unwrap_or(0);
        Self { network: from_bits(bits(address) & mask, address), prefix_bits }
    }

    /// Whether an address lies in it. An IPv4 address in IPv6 form counts as what it is.
    pub fn contains(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let network = self.network.to_canonical();
        network.is_ipv4() == address.is_ipv4()
            && network.is_ipv4() == self.network.is_ipv4()
            && Self::new(address, self.prefix_bits).network == self.network
    }

    fn last(self) -> u128 {
        let free_bits = u32::from(width(self.network) - self.prefix_bits);
        bits(self.network) | !u128::MAX.checked_shl(free_bits).unwrap_or(0)
    }
}

impl fmt::Display for IpRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.prefix_bits)
    }
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    }
}

/// An address of the same family as `like`.
fn from_bits(bits: u128, like: IpAddr) -> IpAddr {
    match like {
        // Only bits that came from 32 are given here.
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from(bits as u32)),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from(bits)),
    }
}

/// The addresses that VUs call from, in the order in which they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IpPool {
    text: String,
    blocks: Vec<Block>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    first: IpAddr,
    /// At least 1; a whole /0 of IPv6 has one less than it has.
    count: u128,
}

impl IpPool {
    /// Reads a comma list of addresses, ranges `a-b` and networks: `10.0.0.1,10.0.0.5-10.0.0.9,fd00::/120`.
    ///
    /// # Errors
    ///
    /// The entry that is none of these.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.split(',').count() > BLOCK_COUNT_MAX {
            return Err(format!("more than {BLOCK_COUNT_MAX} ranges of local addresses"));
        }
        let blocks = text.split(',').map(Block::parse).collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), blocks })
    }

    /// How many addresses there are, at least 1.
    pub fn size(&self) -> u128 {
        self.blocks.iter().fold(0u128, |sum, block| sum.saturating_add(block.count))
    }

    /// The address of the VU with this number, from 1: each in turn.
    pub fn address_of(&self, vu_number: u64) -> IpAddr {
        let mut index = u128::from(vu_number.saturating_sub(1)) % self.size().max(1);
        for block in &self.blocks {
            if index < block.count {
                return from_bits(bits(block.first) + index, block.first);
            }
            index -= block.count;
        }
        IpAddr::V4(Ipv4Addr::UNSPECIFIED)
    }
}

impl Block {
    fn parse(text: &str) -> Result<Self, String> {
        let short: String = text.chars().take(100).collect();
        if text.contains('/') {
            let range = IpRange::parse(text);
            let range = range
                .map_err(|_| format!("parseCIDR() failed parsing {short}: invalid CIDR address: {short}"))?;
            return Ok(Self::of_network(range));
        }
        let Some((first, last)) = text.split_once('-') else {
            let first = text.parse().map_err(|_| format!("{short} is not a valid IP, IP range or CIDR"))?;
            return Ok(Self { first, count: 1 });
        };
        let address = |text: &str| text.parse().map_err(|_| format!("wrong IP range format: {short}"));
        let (first, last): (IpAddr, IpAddr) = (address(first)?, address(last)?);
        if first.is_ipv4() != last.is_ipv4() {
            return Err(format!("mixed IP range format: {short}"));
        }
        let between = bits(last).checked_sub(bits(first));
        let count = between.ok_or_else(|| format!("negative IP range: {short}"))?.saturating_add(1);
        Ok(Self { first, count })
    }

    /// All addresses of a network; of one with more than two in IPv4 neither the network's own nor the broadcast address.
    fn of_network(range: IpRange) -> Self {
        let (network, last) = (bits(range.network), range.last());
        let count = (last - network).saturating_add(1);
        match range.network {
            IpAddr::V4(_) if count > 2 => {
                Self { first: from_bits(network + 1, range.network), count: count - 2 }
            }
            _ => Self { first: range.network, count },
        }
    }
}

impl fmt::Display for IpPool {
    /// As it was given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_hold_their_addresses() {
        let check = |network: &str, address: &str, expected: bool| {
            let range = IpRange::parse(network).unwrap();
            assert_eq!(range.contains(address.parse().unwrap()), expected, "{network} {address}");
        };
        check("10.0.0.0/8", "10.255.255.255", true);
        check("10.0.0.0/8", "11.0.0.0", false);
        check("10.1.2.3/8", "10.0.0.0", true);
        check("0.0.0.0/0", "1.2.3.4", true);
        check("0.0.0.0/0", "::1", false);
        check("10.0.0.0/8", "::ffff:10.1.1.1", true);
        check("1.2.3.4/32", "1.2.3.4", true);
        check("1.2.3.4/32", "1.2.3.5", false);
        check("fe80::/10", "fe80::1", true);
        check("fe80::/10", "fec0::1", false);
        check("::/0", "2001:db8::1", true);
        assert_eq!(IpRange::parse("10.1.2.3/8").unwrap().to_string(), "10.0.0.0/8");
        for text in ["", "1.2.3.4", "x", "1.2.3.4/33", "1.2.3.4/", "1.2.3/8", "::/129", "1.2.3.4/+8", "/8"] {
            let said = IpRange::parse(text).unwrap_err();
            assert_eq!(said, format!("failed to parse CIDR '{text}': invalid CIDR address: {text}"));
        }
    }

    #[test]
    fn vus_take_addresses_in_turn() {
        let pool = IpPool::parse("10.0.0.1,10.0.0.5-10.0.0.6,fd00::1/128").unwrap();
        assert_eq!(pool.size(), 4);
        let said: Vec<String> = (1..=5).map(|vu| pool.address_of(vu).to_string()).collect();
        assert_eq!(said, ["10.0.0.1", "10.0.0.5", "10.0.0.6", "fd00::1", "10.0.0.1"]);
        assert_eq!(IpPool::parse("0.0.0.0-255.255.255.255").unwrap().size(), 1 << 32);
        let all = IpPool::parse("::/0").unwrap();
        assert_eq!(
            (all.size(), all.address_of(u64::MAX).to_string()),
            (u128::MAX, "::ffff:ffff:ffff:fffe".to_owned())
        );
        // The network's own and the broadcast address are left out where there are others.
        let of = |text: &str| {
            let pool = IpPool::parse(text).unwrap();
            let addresses = (1..=pool.size().min(9) as u64).map(|vu| pool.address_of(vu).to_string());
            addresses.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("127.0.0.9/30"), "127.0.0.9 127.0.0.10");
        assert_eq!(of("127.0.0.9/31"), "127.0.0.8 127.0.0.9");
        assert_eq!(of("127.0.0.9/32"), "127.0.0.9");
        assert_eq!(of("fd00::/126"), "fd00:: fd00::1 fd00::2 fd00::3");
        for (text, said) in [
            ("", " is not a valid IP, IP range or CIDR"),
            ("10.0.0.1,,", " is not a valid IP, IP range or CIDR"),
            ("x", "x is not a valid IP, IP range or CIDR"),
            ("10.0.0.1 - 10.0.0.2", "wrong IP range format: 10.0.0.1 - 10.0.0.2"),
            ("10.0.0.2-10.0.0.1", "negative IP range: 10.0.0.2-10.0.0.1"),
            ("10.0.0.1-::1", "mixed IP range format: 10.0.0.1-::1"),
            ("1.2.3.0/33", "parseCIDR() failed parsing 1.2.3.0/33: invalid CIDR address: 1.2.3.0/33"),
        ] {
            assert_eq!(IpPool::parse(text), Err(said.to_owned()));
        }
    }
}
