use deedbox_id::{Address, Checksum, EvmChain, U256, error::code};

use crate::{VITALIK, check, read, refused};

/// The vectors of EIP-55 and those that EIP-1191 lists for Ethereum itself.
const ETHEREUM: [&str; 13] = [
    "0x27b1fdb04752bbc536007a920d24acb045561c26",
    "0x3599689E6292b81B2d85451025146515070129Bb",
    "0x42712D45473476b98452f434e72461577D686318",
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0x6549f4939460DE12611948b3f82b88C3C8975323",
    "0x66f9664f97F2b50F62D13eA064982f936dE76657",
    "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "0x88021160C5C792225E4E5452585947470010289D",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xde709f2102306220921060314715629080e2fb77",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
];
const RSK: [&str; 13] = [
    "0x27b1FdB04752BBc536007A920D24ACB045561c26",
    "0x3599689E6292B81B2D85451025146515070129Bb",
    "0x42712D45473476B98452f434E72461577d686318",
    "0x52908400098527886E0F7030069857D2E4169ee7",
    "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD",
    "0x6549F4939460DE12611948B3F82B88C3C8975323",
    "0x66F9664f97f2B50F62d13EA064982F936de76657",
    "0x8617E340b3D01Fa5f11f306f4090fd50E238070D",
    "0x88021160c5C792225E4E5452585947470010289d",
    "0xD1220A0Cf47c7B9BE7a2e6ba89F429762E7B9adB",
    "0xDBF03B407c01E7CD3cBea99509D93F8Dddc8C6FB",
    "0xDe709F2102306220921060314715629080e2FB77",
    "0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359",
];
const RSK_TEST: [&str; 13] = [
    "0x27B1FdB04752BbC536007a920D24acB045561C26",
    "0x3599689e6292b81b2D85451025146515070129Bb",
    "0x42712D45473476B98452F434E72461577D686318",
    "0x52908400098527886E0F7030069857D2e4169EE7",
    "0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd",
    "0x6549f4939460dE12611948b3f82b88C3c8975323",
    "0x66f9664F97F2b50f62d13eA064982F936DE76657",
    "0x8617e340b3D01fa5F11f306F4090Fd50e238070d",
    "0x88021160c5C792225E4E5452585947470010289d",
    "0xd1220a0CF47c7B9Be7A2E6Ba89f429762E7b9adB",
    "0xdbF03B407C01E7cd3cbEa99509D93f8dDDc8C6fB",
    "0xDE709F2102306220921060314715629080e2Fb77",
    "0xFb6916095CA1dF60bb79CE92ce3Ea74C37c5D359",
];

fn chain(id: u64) -> EvmChain {
    EvmChain::try_from(id).unwrap()
}

#[test]
fn every_published_vector_of_eip_55_is_printed_and_read() {
    for text in ETHEREUM {
        let address: Address = read(&text.to_lowercase());
        assert_eq!(address.to_checksummed(Checksum::Eip55), text);
        assert_eq!(format!("{address:#}"), text);
        assert_eq!(read::<Address>(text), address);
        assert_eq!(address.to_string(), text.to_lowercase());
    }
}

#[test]
fn every_published_vector_of_eip_1191_is_printed_and_read() {
    for (id, vectors) in [(1, ETHEREUM), (30, RSK), (31, RSK_TEST)] {
        let checksum = Checksum::of(chain(id));
        for text in vectors {
            let address: Address = read(&text.to_lowercase());
            assert_eq!(address.to_checksummed(checksum), text, "chain {id}");
            assert_eq!(Address::parse(text, checksum).unwrap(), address);
        }
    }
    // The checksum of one chain is wrong on another: that is what it is for.
    let error = Address::parse(RSK[0], Checksum::of(chain(31))).unwrap_err();
    check(&error, RSK[0], 4, code::CHECKSUM);
    assert!(error.message().contains(RSK_TEST[0]), "{error}");
    assert!(error.message().contains("chain 31"), "{error}");
    refused::<Address>(RSK[0], 6, code::CHECKSUM);
    assert_eq!(Checksum::of(chain(8453)), Checksum::Eip55);
}

#[test]
fn lower_and_upper_case_carry_no_checksum() {
    let upper = format!("0x{}", VITALIK[2..].to_uppercase());
    for text in [VITALIK, &VITALIK.to_lowercase(), &upper] {
        assert_eq!(read::<Address>(text).to_string(), VITALIK.to_lowercase());
    }
}

#[test]
fn a_wrong_checksum_points_at_the_letter_and_names_the_right_spelling() {
    for at in (2..42).filter(|at| VITALIK.as_bytes()[*at].is_ascii_alphabetic()) {
        let mut bytes = VITALIK.as_bytes().to_vec();
        bytes[at] ^= 0x20;
        let wrong = String::from_utf8(bytes).unwrap();
        refused::<Address>(&wrong, at, code::CHECKSUM);
        let error = wrong.parse::<Address>().unwrap_err();
        assert!(error.message().contains(VITALIK), "{error}");
    }
}

#[test]
fn an_address_is_0x_and_forty_hex_digits() {
    for (text, at, code) in [
        ("", 0, code::HEX_PREFIX),
        (&VITALIK[2..], 0, code::HEX_PREFIX),
        (&VITALIK.replace("0x", "0X"), 1, code::HEX_PREFIX),
        ("0x", 2, code::ADDRESS_LENGTH),
        (&VITALIK[..41], 41, code::ADDRESS_LENGTH),
        (&format!("{VITALIK}0"), 42, code::ADDRESS_LENGTH),
        (&format!("{VITALIK} "), 42, code::ADDRESS_LENGTH),
        (&VITALIK.replace('6', "g"), 6, code::CHARACTER),
        (&VITALIK[..20].replace('6', "é"), 6, code::CHARACTER),
        (&format!(" {VITALIK}"), 0, code::HEX_PREFIX),
    ] {
        refused::<Address>(text, at, code);
    }
}

#[test]
fn the_zero_address_is_known() {
    assert!(read::<Address>("0x0000000000000000000000000000000000000000").is_zero());
    assert!(!read::<Address>(VITALIK).is_zero());
}

#[test]
fn a_word_is_an_address_when_twelve_zeros_stand_in_front() {
    let word = U256::from_be_slice(&read::<Address>(VITALIK).0);
    assert_eq!(Address::try_from(word).unwrap(), read(VITALIK));
    let error = Address::try_from(word | U256::ONE << 160).unwrap_err();
    check(&error, "word", 11, code::ADDRESS_LENGTH);
}
