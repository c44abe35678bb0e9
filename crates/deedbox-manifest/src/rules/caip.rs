//! As much of CAIP-2, CAIP-10 and CAIP-19 as a price needs (ERC-8257 §3), and what `eip155` adds to it.

/// The longest account or asset reference, and the longest token id (CAIP-10, CAIP-19).
const REFERENCE: usize = 128;
const TOKEN: usize = 78;

/// An asset: `chain/namespace:reference` or `chain/namespace:reference/token`.
pub(super) struct Asset<'t> {
    pub(super) chain: &'t str,
    pub(super) namespace: &'t str,
    pub(super) reference: &'t str,
}

/// An account: `chain:reference`.
pub(super) struct Account<'t> {
    pub(super) chain: &'t str,
    pub(super) reference: &'t str,
}

pub(super) fn asset(text: &str) -> Option<Asset<'_>> {
    let (chain, rest) = text.split_once('/')?;
    let (name, token) = rest
        .split_once('/')
        .map_or((rest, None), |(a, b)| (a, Some(b)));
    let (namespace, reference) = name.split_once(':')?;
    let good = is_chain(chain)
        && is_namespace(namespace)
        && is_reference(reference, REFERENCE)
        && token.is_none_or(|token| is_reference(token, TOKEN));
    good.then_some(Asset {
        chain,
        namespace,
        reference,
    })
}

pub(super) fn account(text: &str) -> Option<Account<'_>> {
    let (chain, reference) = text.rsplit_once(':')?;
    (is_chain(chain) && is_reference(reference, REFERENCE)).then_some(Account { chain, reference })
}

/// CAIP-2: `[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}`.
fn is_chain(text: &str) -> bool {
    text.split_once(':').is_some_and(|(namespace, reference)| {
        is_namespace(namespace)
            && (1..=32).contains(&reference.len())
            && reference
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    })
}

fn is_namespace(text: &str) -> bool {
    (3..=8).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn is_reference(text: &str, most: usize) -> bool {
    (1..=most).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'%'))
}

/// Whether a chain is an EVM chain by its namespace.
pub(super) fn is_eip155(chain: &str) -> bool {
    chain.starts_with("eip155:")
}

/// Whether an `eip155` chain names its number in decimal, without zeros at the front.
pub(super) fn is_eip155_number(chain: &str) -> bool {
    chain.strip_prefix("eip155:").is_some_and(|number| {
        number.bytes().all(|byte| byte.is_ascii_digit())
            && (number == "0" || !number.starts_with('0'))
    })
}

/// Whether a text is `0x` and 40 hexadecimal digits in whatever case.
pub(super) fn is_evm_address(text: &str) -> bool {
    hex_digits(text).is_some_and(|digits| {
        digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Whether a text is only zeros, with or without a `0x`.
pub(super) fn is_zero(text: &str) -> bool {
    let digits = hex_digits(text).unwrap_or(text);
    digits.bytes().all(|byte| byte == b'0')
}

fn hex_digits(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

/// The first capital hexadecimal digit behind a `0x`, as an offset into `text` (reading M-25: what does not
/// begin with `0x` is left alone, because base58 tells cases apart).
pub(super) fn capital_hex(text: &str) -> Option<usize> {
    let mut at = 0;
    for part in text.split_inclusive(['/', ':']) {
        if part.starts_with("0X") {
            return Some(at + 1);
        }
        let capital = |byte: u8| matches!(byte, b'A'..=b'F');
        if part.starts_with("0x")
            && let Some(found) = part.bytes().position(capital)
        {
            return Some(at + found);
        }
        at += part.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_caip_19_are_assets() {
        for text in [
            "eip155:1/slip44:60",
            "bip122:000000000019d6689c085ae165831e93/slip44:0",
            "cosmos:cosmoshub-3/slip44:118",
            "cosmos:Binance-Chain-Tigris/slip44:714",
            "lip9:9ee11e9df416b18b/slip44:134",
            "eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f",
            "eip155:1/erc721:0x06012c8cf97BEaD5deAe237070F9587f8E7A266d",
            "eip155:1/erc721:0x06012c8cf97BEaD5deAe237070F9587f8E7A266d/771769",
            "hedera:mainnet/nft:0.0.55492/12",
        ] {
            assert!(asset(text).is_some(), "{text}");
        }
    }

    #[test]
    fn the_examples_of_caip_10_are_accounts() {
        for text in [
            "eip155:1:0xab16a96d359ec26a11e2c2b3d8f8b8942d5bfcdb",
            "bip122:000000000019d6689c085ae165831e93:128Lkh3S7CkDTBZ8W7BbpsN3YYizJMp8p6",
            "cosmos:cosmoshub-3:cosmos1t2uflqwqe0fsj0shcfkrvpukewcw40yjj6hdc0",
            "polkadot:b0a8d493285c2df73290dfb7e61f870f:5hmuyxw9xdgbpptgypokw4thfyoe3ryenebr381z9iaegmfy",
            "starknet:SN_GOERLI:0x02dd1b492765c064eac4039e3841aa5f382773b598097a40073bd8b48170ab57",
            "chainstd:8c3444cf8970a9e41a706fab93e7a6c4:6d9b0b4b9994e8a6afbd3dc3ed983cd51c755afb27cd1dc7825ef59c134a39f7",
            "hedera:mainnet:0.0.1234567890-zbhlt",
        ] {
            assert!(account(text).is_some(), "{text}");
        }
    }

    #[test]
    fn other_texts_are_neither() {
        for text in [
            "",
            "8453:usdc",
            "eip155:1",
            "eip155/erc20:0x",
            "eip155:1/erc20:",
            "ab:1/erc20:0x1",
            "EIP155:1/erc20:0x1",
            "eip155:1/erc20:0x1/",
            "eip155:1//erc20:0x1",
        ] {
            assert!(asset(text).is_none(), "{text}");
        }
        for text in [
            "",
            "0xab16a96d359ec26a11e2c2b3d8f8b8942d5bfcdb",
            "eip155:1:",
            "1:0x1",
            "eip155:1:0x1/2",
            "eip155:1:a b",
        ] {
            assert!(account(text).is_none(), "{text}");
        }
        assert!(account(&format!("eip155:1:{}", "a".repeat(128))).is_some());
        assert!(account(&format!("eip155:1:{}", "a".repeat(129))).is_none());
    }

    #[test]
    fn only_what_0x_introduces_has_to_be_in_lower_case() {
        assert_eq!(capital_hex("eip155:1/erc20:0xaBc"), Some(18));
        assert_eq!(capital_hex("eip155:1/erc721:0xabc/0xA"), Some(24));
        assert_eq!(capital_hex("eip155:1:0Xab"), Some(10));
        assert_eq!(
            capital_hex(
                "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv"
            ),
            None
        );
        assert_eq!(capital_hex("cosmos:Binance-Chain-Tigris/slip44:714"), None);
    }
}
