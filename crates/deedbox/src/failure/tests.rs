//! The pages that list codes of failures list all of them, and no others.

use std::collections::BTreeSet;

use crate::commands::BAD_USAGE;

/// What stands in quotes in [`super::Failure::code`].
fn codes() -> BTreeSet<&'static str> {
    let source = include_str!("../failure.rs");
    let start = source.find("const fn code(").unwrap();
    let body = source[start..].split("\n    }\n").next().unwrap();
    let publishing = include_str!("publishing.rs");
    let publishing = publishing.split("const fn code(").nth(1).unwrap();
    let publishing = publishing.split("\n}\n").next().unwrap();
    let quoted = [body, publishing].map(|body| body.split('"').skip(1).step_by(2));
    quoted.into_iter().flatten().chain([BAD_USAGE]).collect()
}

#[test]
fn the_page_about_commands_lists_every_code_and_no_other() {
    let page = include_str!("../../../../docs/cli.md");
    let table = page.split("## Error codes").nth(1).unwrap();
    let table = table.split("\n## ").next().unwrap();
    let listed: BTreeSet<&str> = table
        .lines()
        .filter_map(|row| row.strip_prefix("| `")?.split('`').next())
        .collect();
    assert!(listed.len() > 10, "{listed:?}");
    assert_eq!(listed, codes());
}

#[test]
fn the_page_about_chains_lists_every_code_of_a_reading_and_whether_to_try_again() {
    use deedbox_chain::Code;

    let page = include_str!("../../../../docs/chains.md");
    let table = page.split("## When there is no reading").nth(1).unwrap();
    let row = |row: &str| {
        let mut cells = row.strip_prefix("| `")?.split(" | ");
        let code = cells.next()?.trim_end_matches('`').to_owned();
        Some((code, cells.next()? == "yes"))
    };
    let mut listed: BTreeSet<(String, bool)> = table.lines().filter_map(row).collect();
    // It is the policy's, not the chain's, and says when it may be tried again.
    assert!(listed.remove(&("policy_refused".to_owned(), false)));
    let source = include_str!("../../../deedbox-chain/src/error.rs");
    let names = source.split("pub const fn as_str(self)").nth(1).unwrap();
    let names = names.split("\n    }\n").next().unwrap();
    let names: BTreeSet<&str> = names.split('"').skip(1).step_by(2).collect();
    let codes: BTreeSet<(String, bool)> = [
        Code::InvalidArgument,
        Code::ChainNotConfigured,
        Code::BlockNotFound,
        Code::NotAContract,
        Code::DelegatedAccount,
        Code::CallReverted,
        Code::InvalidResponse,
        Code::UnsupportedPool,
        Code::Reorged,
        Code::ArchiveUnavailable,
        Code::RangeTooLarge,
        Code::RateLimited,
        Code::EndpointLagging,
        Code::EndpointUnavailable,
        Code::WrongChain,
        Code::Timeout,
        Code::Busy,
    ]
    .map(|code| (code.as_str().to_owned(), code.retryable()))
    .into();
    let known: BTreeSet<&str> = codes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(known, names, "a code is new: put it here");
    assert_eq!(listed, codes);
}
