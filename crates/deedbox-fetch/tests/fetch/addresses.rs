//! Which addresses are public: beside a list that was written from the registries by hand, and beside the standard library's opinion.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use deedbox_fetch::judge;
use proptest::prelude::*;

fn is_public(address: &str) -> bool {
    judge(address.parse().unwrap()).is_ok()
}

/// The first and the last address of every network that is refused.
const REFUSED: &[&str] = &[
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "100.100.100.200",
    "127.0.0.0",
    "127.1.2.3",
    "127.255.255.255",
    "168.63.129.16",
    "169.254.0.0",
    "169.254.169.254",
    "169.254.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.0",
    "192.0.0.9",
    "192.0.0.192",
    "192.0.0.255",
    "192.0.2.0",
    "192.0.2.255",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.0",
    "192.88.99.255",
    "192.168.0.0",
    "192.168.255.255",
    "192.175.48.1",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.0",
    "198.51.100.255",
    "203.0.113.0",
    "203.0.113.255",
    "224.0.0.0",
    "239.255.255.255",
    "240.0.0.0",
    "255.255.255.254",
    "255.255.255.255",
    "::",
    "::1",
    "::2",
    "::8.8.8.8",
    "::ffff:10.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:8.8.8.8",
    "64:ff9b::10.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b::1:808:808",
    "64:ff9b:1::",
    "64:ff9b:1::8.8.8.8",
    "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
    "100::",
    "100::ffff:ffff:ffff:ffff",
    "100:0:0:1::1",
    "200::1",
    "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001::",
    "2001:0:808:808::1",
    "2001:1::1",
    "2001:2::1",
    "2001:3::1",
    "2001:4:112::1",
    "2001:10::1",
    "2001:20::1",
    "2001:30::1",
    "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db8::",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "2002::",
    "2002:a00:1::1",
    "2002:808:808::1",
    "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2620:4f:8000::1",
    "3ffe::1",
    "3fff::",
    "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
    "4000::",
    "5f00::1",
    "8000::1",
    "fc00::",
    "fd00:ec2::254",
    "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fe80::",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "feff::1",
    "ff02::1",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
];

/// The neighbours of those networks, and a few that everybody knows.
const PUBLIC: &[&str] = &[
    "1.0.0.0",
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.1",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2000::1",
    "2001:200::",
    "2001:4860:4860::8888",
    "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db9::",
    "2003::1",
    "2606:4700:4700::1111",
    "2620:4f:7fff::1",
    "2620:4f:8001::1",
    "2a00:1450::1",
];

#[test]
fn what_the_registries_call_special_is_refused() {
    let wrong: Vec<_> = REFUSED.iter().filter(|text| is_public(text)).collect();
    assert!(wrong.is_empty(), "let through: {wrong:?}");
}

#[test]
fn public_addresses_are_let_through() {
    let wrong: Vec<_> = PUBLIC.iter().filter(|text| !is_public(text)).collect();
    assert!(wrong.is_empty(), "refused: {wrong:?}");
}

#[test]
fn a_refusal_names_the_network() {
    for (address, says) in [
        ("169.254.169.254", "Link Local (169.254.0.0/16)"),
        ("::ffff:10.1.2.3", "Private-Use (10.0.0.0/8)"),
        ("64:ff9b::7f00:1", "Loopback (127.0.0.0/8)"),
        ("255.255.255.255", "Limited Broadcast (255.255.255.255/32)"),
        ("2001:0:808:808::1", "TEREDO (2001::/32)"),
        ("2001:3::1", "IETF Protocol Assignments (2001::/23)"),
        ("fd00::1", "Unique-Local (fc00::/7)"),
        ("4000::1", "Reserved (4000::/2)"),
    ] {
        let why = judge(address.parse().unwrap()).unwrap_err();
        assert_eq!(why.to_string(), says, "{address}");
    }
}

/// What the standard library calls an address that is not for everybody, and the networks that it has no stable word for.
fn is_special_to_others(address: Ipv4Addr) -> bool {
    let number = u32::from(address);
    let within = |first: [u8; 4], last: [u8; 4]| {
        (u32::from_be_bytes(first)..=u32::from_be_bytes(last)).contains(&number)
    };
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_unspecified()
        || address.octets()[0] == 0
        || address.octets()[0] >= 240
        || within([100, 64, 0, 0], [100, 127, 255, 255])
        || within([192, 0, 0, 0], [192, 0, 0, 255])
        || within([198, 18, 0, 0], [198, 19, 255, 255])
        || within([192, 31, 196, 0], [192, 31, 196, 255])
        || within([192, 52, 193, 0], [192, 52, 193, 255])
        || within([192, 88, 99, 0], [192, 88, 99, 255])
        || within([192, 175, 48, 0], [192, 175, 48, 255])
        || number == u32::from_be_bytes([168, 63, 129, 16])
}

/// Any address, and more often one near the beginning or the end of a network.
fn any_v4() -> impl Strategy<Value = Ipv4Addr> {
    let near = (0..REFUSED.len(), -2_i64..=2).prop_filter_map("IPv6", |(at, off)| {
        let address: Ipv4Addr = REFUSED[at].parse().ok()?;
        let moved = i64::from(u32::from(address)) + off;
        Some(Ipv4Addr::from(u32::try_from(moved).ok()?))
    });
    prop_oneof![any::<Ipv4Addr>(), near]
}

proptest! {
    #[test]
    fn every_ipv4_address_is_judged_as_others_judge_it(address in any_v4()) {
        prop_assert_eq!(judge(address.into()).is_err(), is_special_to_others(address));
    }

    #[test]
    fn an_address_in_another_is_judged_as_itself(address in any_v4()) {
        let [a, b, c, d] = address.octets();
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        for holder in [
            address.to_ipv6_mapped(),
            Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
        ] {
            prop_assert_eq!(judge(holder.into()), judge(address.into()));
        }
        for holder in [
            Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            Ipv6Addr::new(0x2001, 0, high, low, 0, 0, 0, 0),
            Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
            Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
        ] {
            prop_assert!(judge(holder.into()).is_err());
        }
    }

    #[test]
    fn nothing_but_global_unicast_of_ipv6_is_public(address in any::<Ipv6Addr>()) {
        let is_global = address.segments()[0] >> 13 == 1;
        if !is_global && address.to_ipv4_mapped().is_none() && !address.to_string().starts_with("64:ff9b::") {
            prop_assert!(judge(IpAddr::V6(address)).is_err());
        }
    }
}
