//! Signed transactions, as they are recorded before they are sent.

use deedbox_core::{ChainAddress, OperationName, RawTransaction, SignedTransaction};

/// Bytes that are accepted say what the record says of them, and nothing else: written anew from the record, they are the same
/// bytes. Only the data and the signature, which no record has, are taken over, by a reader of its own.
pub fn signed_transaction(input: &[u8]) {
    let Ok(raw) = RawTransaction::new(input.to_vec()) else {
        return;
    };
    let (operation, account) = (
        OperationName::known("agent_register"),
        ChainAddress([1; 20]),
    );
    let arguments = serde_json::Map::new();
    let Ok(record) = SignedTransaction::new(operation, arguments, account, raw) else {
        return;
    };
    assert_eq!(record.check(), Ok(()));
    assert_eq!(record.raw_transaction.as_bytes(), input);

    let typed = input[0] == 2;
    let fields = fields(if typed { &input[1..] } else { input });
    let to = record.to.map(|to| to.0.to_vec()).unwrap_or_default();
    let number = |n: u128| text(&digits(n));
    let head = [
        number(record.max_fee_per_gas.0),
        number(record.gas_limit.0.into()),
        text(&to),
        text(&[]), // no money
    ];
    let payload = if typed {
        let [.., data, access, parity, r, s] = &fields[..] else {
            panic!("too few fields")
        };
        assert!(access.is_empty() && [&[][..], &[1]].contains(parity));
        let front = [
            number(record.chain_id.into()),
            number(record.nonce.into()),
            number(record.max_priority_fee_per_gas.0),
        ];
        let back = [text(data), list(&[]), text(parity), text(r), text(s)];
        [front.concat(), head.concat(), back.concat()].concat()
    } else {
        assert_eq!(record.max_priority_fee_per_gas, record.max_fee_per_gas);
        let [.., data, v, r, s] = &fields[..] else {
            panic!("too few fields")
        };
        // EIP-155: 35 or 36, and twice the chain's id.
        let least = 35 + 2 * u128::from(record.chain_id);
        assert!(
            [digits(least), digits(least + 1)]
                .iter()
                .any(|one| one == v)
        );
        let back = [text(data), text(v), text(r), text(s)];
        [number(record.nonce.into()), head.concat(), back.concat()].concat()
    };
    let mut anew = if typed { vec![2] } else { vec![] };
    anew.extend(list(&payload));
    assert_eq!(anew, input);
}

/// A number's bytes, without zeros in front.
fn digits(number: u128) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    bytes.into_iter().skip_while(|byte| *byte == 0).collect()
}

/// A text in RLP.
fn text(bytes: &[u8]) -> Vec<u8> {
    match bytes {
        [byte] if *byte < 0x80 => vec![*byte],
        _ => [header(0x80, bytes.len()), bytes.to_vec()].concat(),
    }
}

/// A list in RLP, of what is written already.
fn list(payload: &[u8]) -> Vec<u8> {
    [header(0xc0, payload.len()), payload.to_vec()].concat()
}

fn header(first: u8, length: usize) -> Vec<u8> {
    let byte = |n: usize| u8::try_from(n).expect("lengths have eight bytes at most");
    if length < 56 {
        return vec![first + byte(length)];
    }
    let digits = digits(length as u128);
    [vec![first + 55 + byte(digits.len())], digits].concat()
}

/// What stands in the fields of a list that was accepted.
fn fields(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut rest, behind) = field(bytes);
    assert!(behind.is_empty());
    let mut fields = vec![];
    while !rest.is_empty() {
        let (one, behind) = field(rest);
        fields.push(one);
        rest = behind;
    }
    fields
}

/// What stands in the first field, and what comes behind it.
fn field(bytes: &[u8]) -> (&[u8], &[u8]) {
    let first = bytes[0];
    let short = match first {
        0..0x80 => return bytes.split_at(1),
        0x80..0xc0 => first - 0x80,
        _ => first - 0xc0,
    };
    let (start, length) = match usize::from(short) {
        short @ 0..56 => (1, short),
        long => {
            let digits = &bytes[1..=long - 55];
            let length = digits
                .iter()
                .fold(0, |all, one| all << 8 | usize::from(*one));
            (1 + digits.len(), length)
        }
    };
    bytes[start..].split_at(length)
}
