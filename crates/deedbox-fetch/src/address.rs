//! Which addresses may be connected to: those of the public Internet, and no others (ERC-8257, Security Considerations,
//! *SSRF*; reading V-12).
//!
//! The list of what is refused is the pair of IANA registries of special-purpose addresses, under their names there, with what
//! those leave out: multicast, addresses that hold another address, and what is no unicast address that anybody was given.
//! An address that holds an IPv4 address which decides where a packet goes is judged as that one.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// A network that nobody on the public Internet has an address in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Special {
    /// The network.
    pub network: IpNet,
    /// What it is for, as the IANA registry names it where it has a name for it.
    pub name: &'static str,
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.network)
    }
}

/// Whether an address is one of the public Internet.
///
/// IPv4-mapped addresses (`::ffff:0:0/96`) and those that a translator at the edge of the network makes of IPv4 addresses
/// (`64:ff9b::/96`, RFC 6052) are judged as the IPv4 address that they hold. Addresses of 6to4 and Teredo are refused whatever they hold:
/// both are switched off in the Internet, and on within some networks.
///
/// What cannot be seen in an address is not judged: a network may give public addresses to hosts that only itself may reach, and
/// may translate IPv4 addresses behind a prefix of its own.
///
/// # Errors
/// The special network that the address is in: the narrowest that is listed.
pub fn judge(address: IpAddr) -> Result<(), Special> {
    match address.to_canonical() {
        IpAddr::V4(address) => judge_v4(address),
        IpAddr::V6(address) => judge_v6(address),
    }
}

fn judge_v4(address: Ipv4Addr) -> Result<(), Special> {
    let found = V4.iter().find(|(network, _)| network.contains(&address));
    found.map_or(Ok(()), |&(network, name)| {
        Err(Special {
            network: network.into(),
            name,
        })
    })
}

fn judge_v6(address: Ipv6Addr) -> Result<(), Special> {
    if TRANSLATED.contains(&address) {
        let [.., a, b, c, d] = address.octets();
        return judge_v4(Ipv4Addr::new(a, b, c, d));
    }
    let found = V6.iter().find(|(network, _)| network.contains(&address));
    found.map_or(Ok(()), |&(network, name)| {
        Err(Special {
            network: network.into(),
            name,
        })
    })
}

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

/// The network whose address begins with these four groups.
const fn v6(groups: [u16; 4], length: u8) -> Ipv6Net {
    let [a, b, c, d] = groups;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0), length)
}

/// The narrower before the wider.
const V4: &[(Ipv4Net, &str)] = &[
    (v4(0, 0, 0, 0, 8), "This network"),
    (v4(10, 0, 0, 0, 8), "Private-Use"),
    (v4(100, 64, 0, 0, 10), "Shared Address Space"),
    (v4(127, 0, 0, 0, 8), "Loopback"),
    // A public address by the registries. In Azure's data centres it is where every machine asks for its secrets.
    (v4(168, 63, 129, 16, 32), "Azure platform"),
    (v4(169, 254, 0, 0, 16), "Link Local"),
    (v4(172, 16, 0, 0, 12), "Private-Use"),
    (v4(192, 0, 0, 0, 24), "IETF Protocol Assignments"),
    (v4(192, 0, 2, 0, 24), "Documentation (TEST-NET-1)"),
    (v4(192, 31, 196, 0, 24), "AS112-v4"),
    (v4(192, 52, 193, 0, 24), "AMT"),
    (v4(192, 88, 99, 0, 24), "Deprecated (6to4 Relay Anycast)"),
    (v4(192, 168, 0, 0, 16), "Private-Use"),
    (v4(192, 175, 48, 0, 24), "Direct Delegation AS112 Service"),
    (v4(198, 18, 0, 0, 15), "Benchmarking"),
    (v4(198, 51, 100, 0, 24), "Documentation (TEST-NET-2)"),
    (v4(203, 0, 113, 0, 24), "Documentation (TEST-NET-3)"),
    (v4(224, 0, 0, 0, 4), "Multicast"),
    (v4(255, 255, 255, 255, 32), "Limited Broadcast"),
    (v4(240, 0, 0, 0, 4), "Reserved"),
];

/// The narrower before the wider. The last three are all that is not 2000::/3, the space of global unicast addresses; what stands
/// before them and lies in them is here for its name.
const V6: &[(Ipv6Net, &str)] = &[
    (
        Ipv6Net::new_assert(Ipv6Addr::UNSPECIFIED, 128),
        "Unspecified Address",
    ),
    (
        Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128),
        "Loopback Address",
    ),
    (v6([0, 0, 0, 0], 96), "IPv4-Compatible (deprecated)"),
    (
        v6([0x64, 0xff9b, 1, 0], 48),
        "IPv4-IPv6 Translation, local use",
    ),
    (v6([0x100, 0, 0, 0], 64), "Discard-Only Address Block"),
    (v6([0x100, 0, 0, 1], 64), "Dummy IPv6 Prefix"),
    (v6([0x2001, 0, 0, 0], 32), "TEREDO"),
    (v6([0x2001, 2, 0, 0], 48), "Benchmarking"),
    (v6([0x2001, 0x10, 0, 0], 28), "Deprecated (ORCHID)"),
    (v6([0x2001, 0x20, 0, 0], 28), "ORCHIDv2"),
    (v6([0x2001, 0, 0, 0], 23), "IETF Protocol Assignments"),
    (v6([0x2001, 0xdb8, 0, 0], 32), "Documentation"),
    (v6([0x2002, 0, 0, 0], 16), "6to4"),
    (
        v6([0x2620, 0x4f, 0x8000, 0], 48),
        "Direct Delegation AS112 Service",
    ),
    (v6([0x3ffe, 0, 0, 0], 16), "6bone (returned)"),
    (v6([0x3fff, 0, 0, 0], 20), "Documentation"),
    (v6([0x5f00, 0, 0, 0], 16), "Segment Routing (SRv6) SIDs"),
    (v6([0xfc00, 0, 0, 0], 7), "Unique-Local"),
    (v6([0xfe80, 0, 0, 0], 10), "Link-Local Unicast"),
    (v6([0xfec0, 0, 0, 0], 10), "Site-Local Unicast (deprecated)"),
    (v6([0xff00, 0, 0, 0], 8), "Multicast"),
    (v6([0, 0, 0, 0], 3), "Reserved"),
    (v6([0x4000, 0, 0, 0], 2), "Reserved"),
    (v6([0x8000, 0, 0, 0], 1), "Reserved"),
];

/// What NAT64 makes of IPv4 addresses with the prefix that is the same everywhere: the last four bytes are the address.
const TRANSLATED: Ipv6Net = v6([0x64, 0xff9b, 0, 0], 96);
