use deedbox_id::{Asset, error::code};

#[test]
fn an_error_says_where_and_what() {
    let error = "eip155:1/slip44:6 0".parse::<Asset>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "at byte 17: found ' ', expected an asset reference of letters, digits, hyphen, full stop and percent \
         sign, then '/' or the end"
    );
}

#[test]
fn codes_are_distinct() {
    let mut codes = code::ALL.to_vec();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), code::ALL.len());
}
