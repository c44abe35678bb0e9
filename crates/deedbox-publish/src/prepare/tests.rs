use alloy_primitives::{B256, U256};
use deedbox_chain::UntrustedText;
use deedbox_core::{BlockHash, ReadProvenance, Timestamp, evidence::Source};
use deedbox_registry::{
    Inspection, NewAgent,
    entry::Entry,
    inspect::{Kind, Proxy},
};

use super::*;

fn inspection(kind: Kind) -> Inspection {
    Inspection {
        provenance: ReadProvenance {
            chain_id: 1,
            block_number: 1,
            block_hash: BlockHash([1; 32]),
            block_timestamp: Timestamp::from_millis(0).unwrap(),
            source: Source::Rpc,
            endpoint_id: "main".parse().unwrap(),
        },
        address: Address::repeat_byte(1),
        kind,
        code_hash: Some(B256::ZERO),
        code_bytes: 10,
        known_as: None,
        interfaces: Vec::new(),
        claims_everything: false,
        proxy: None,
        name: None,
        version: None,
        count: None,
        max_supply: None,
        registrar: None,
        registrar_nominee: None,
        serves: None,
        metadata: Vec::new(),
        metadata_keys: Vec::new(),
    }
}

/// The registry that asks a predicate.
const ASKING: Address = Address::repeat_byte(0x77);

const PROXY: Proxy = Proxy {
    implementation: Some(Address::ZERO),
    admin: None,
    beacon: None,
};

#[test]
fn a_registry_of_an_older_draft_is_called_that_and_not_broken() {
    let found = inspection(Kind::OlderDraftAgentRegistry);
    let error = registry::judge(&found, Kind::AgentRegistry, &mut Findings::default());
    let text = error.unwrap_err().to_string();
    assert!(text.contains("older draft of ERC-8122"), "{text}");
    assert!(text.contains("not broken"), "{text}");
}

#[test]
fn a_registry_of_somebody_else_passes_and_a_proxy_is_warned_about() {
    let mut findings = Findings::default();
    let mut found = inspection(Kind::AgentRegistry);
    registry::judge(&found, Kind::AgentRegistry, &mut findings).unwrap();
    assert_eq!((findings.passed.len(), findings.warnings.len()), (1, 0));
    found.proxy = Some(PROXY);
    registry::judge(&found, Kind::AgentRegistry, &mut findings).unwrap();
    assert!(findings.warnings[0].contains("ERC-1967"), "{findings:?}");
}

/// Rules 8257-zero-07, 8257-val-12, 8257-upg-01, and reading R-07.
#[test]
fn what_is_odd_about_a_predicate_is_a_warning_and_no_code_needs_a_word() {
    let judged = |found: &Inspection, without_code| {
        let mut findings = Findings::default();
        predicate::judge(found, ASKING, without_code, &mut findings)
            .map(|()| findings.warnings.join("\n"))
    };
    let fine = inspection(Kind::AccessPredicate);
    assert_eq!(judged(&fine, false).unwrap(), "");
    let nothing = inspection(Kind::NoCode);
    let refused = judged(&nothing, false);
    assert!(matches!(
        refused,
        Err(PublishError::PredicateWithoutCode(_))
    ));
    assert!(
        judged(&nothing, true)
            .unwrap()
            .contains("nobody has access")
    );
    let other = judged(&inspection(Kind::Other), false).unwrap();
    assert!(
        other.contains("does not advertise IAccessPredicate"),
        "{other}"
    );
    let old = judged(&inspection(Kind::OlderDraftAccessPredicate), false).unwrap();
    assert!(old.contains("older draft"), "{old}");
    assert!(judged(&inspection(Kind::DelegatedAccount), true).is_err());
    let everything = Inspection {
        claims_everything: true,
        proxy: Some(PROXY),
        ..fine
    };
    let warned = judged(&everything, false).unwrap();
    assert!(
        warned.contains("says yes to every interface") && warned.contains("is a proxy"),
        "{warned}"
    );
}

#[test]
fn a_predicate_that_serves_somebody_else_denies_this_registry() {
    let other = Address::repeat_byte(0x66);
    for (serves, is_told) in [(None, false), (Some(ASKING), false), (Some(other), true)] {
        let mut findings = Findings::default();
        let mut found = inspection(Kind::AccessPredicate);
        found.serves = serves;
        predicate::judge(&found, ASKING, false, &mut findings).unwrap();
        let words =
            format!("this predicate serves {other} only; this registry would always be denied");
        assert_eq!(
            findings.warnings.iter().any(|w| w.starts_with(&words)),
            is_told
        );
    }
}

#[test]
fn what_a_predicate_calls_itself_is_quoted_as_a_strangers_text() {
    let mut findings = Findings::default();
    let mut found = inspection(Kind::AccessPredicate);
    found.name = Some(UntrustedText::read(b"x\x1b[31m", false));
    predicate::judge(&found, ASKING, false, &mut findings).unwrap();
    assert!(!findings.passed[0].contains('\x1b'), "{findings:?}");
}

#[test]
fn only_what_cannot_be_undone_has_to_be_typed() {
    let of = |call| {
        let to = Address::ZERO;
        confirmation(&Change::Call { to, call })
    };
    let typed = |text: &str| Confirmation::Typed(text.to_owned());
    assert_eq!(of(Call::DeregisterTool(U256::from(12))), typed("12"));
    assert_eq!(of(Call::RenounceRegistrar), typed("renounce"));
    assert_eq!(of(Call::AcceptRegistrar), Confirmation::Plain);
    assert_eq!(
        confirmation(&Change::Create(Deployment::Tools)),
        Confirmation::Plain
    );
}

#[test]
fn a_registry_that_nobody_could_ever_use_is_refused() {
    let deploy = |admission, registrar| {
        let deployment = Deployment::Agents(AgentRegistry {
            admission,
            registrar,
            metadata: Vec::new(),
        });
        let mut findings = Findings::default();
        check_deployment(Address::repeat_byte(1), &deployment, &mut findings)
            .map(|()| findings.warnings.join("\n"))
    };
    let somebody = Address::repeat_byte(1);
    assert!(deploy(Admission::Curated, Address::ZERO).is_err());
    let none = Admission::FixedSupply {
        max_supply: U256::ZERO,
    };
    assert!(deploy(none, somebody).is_err());
    let warned = deploy(Admission::Open, Address::ZERO).unwrap();
    assert!(
        warned.contains("nobody will be its registrar, ever"),
        "{warned}"
    );
    assert!(warned.contains("image is not set"), "{warned}");
    let warned = deploy(Admission::Curated, Address::repeat_byte(2)).unwrap();
    assert!(
        warned.contains("not the account that deploys it"),
        "{warned}"
    );
}

#[test]
fn more_than_one_transaction_can_hold_is_known_before_anything_is_asked() {
    let change = |bytes: usize| {
        let value = vec![b'x'; bytes];
        let metadata = vec![Entry::new("name".parse().unwrap(), value).unwrap()];
        let agent = NewAgent {
            owner: Address::ZERO,
            metadata,
        };
        let to = Address::ZERO;
        Change::Call {
            to,
            call: Call::Register(agent),
        }
    };
    assert!(check_size(&change(20_000)).is_ok());
    let refused = check_size(&change(25_000));
    assert!(matches!(refused, Err(PublishError::TooMuchGas { .. })));
}
