//! Refusals: each one's status, code and text.

use deedbox_core::{
    ChainAccount, ChainAddress, MemoryId, PublicationId, PublicationStatus, RegistryId, SpaceId,
    SpaceUsage, TakenNonce,
};

use super::*;

/// One of each refusal. The match has no wildcard: a new refusal does not compile until it stands here.
fn one_of_each() -> Vec<(Refusal, u16, &'static str, Vec<&'static str>)> {
    let (task, alice, bob) = (task_id(), actor("alice"), actor("bob"));
    let key = ApiKey::generate(&Seven).id().clone();
    let latest = ClaimProvenance::Reported;
    let publication: PublicationId = "0198a1c2-0000-7000-8000-0000000000bb".parse().unwrap();
    let signer = ChainAccount {
        chain_id: 8453,
        account: ChainAddress([0xab; 20]),
    };
    let registry: RegistryId = "eip155:8453:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1"
        .parse()
        .unwrap();
    let space = SpaceId::new("team").unwrap();
    let memory: MemoryId = "0198a1c2-0000-7000-8000-0000000000cc".parse().unwrap();
    let all = vec![
        Refusal::invalid("title", "must not be empty"),
        Refusal::TaskNotFound(task),
        Refusal::ActorNotFound(alice.clone()),
        Refusal::KeyNotFound(key.clone()),
        Refusal::EvidenceNotFound("x".to_owned()),
        Refusal::AlreadyOwned {
            task,
            owner: alice.clone(),
        },
        Refusal::NotRecipient {
            task,
            recipient: bob.clone(),
        },
        Refusal::NoCurrentOwner(task),
        Refusal::NotOwner {
            task,
            actor: bob.clone(),
            owner: Some(alice.clone()),
        },
        Refusal::EvidenceRequired {
            latest,
            claimed: ClaimProvenance::Observed,
        },
        Refusal::HistoryFull(task),
        Refusal::ActorExists(alice.clone()),
        Refusal::KeyRevoked(key),
        Refusal::OperatorExists,
        Refusal::PublicationNotFound(publication),
        Refusal::PublicationOpen {
            id: publication,
            signer,
        },
        Refusal::NonceUsed {
            signer,
            nonce: 4,
            used: TakenNonce {
                nonce: 5,
                publication,
            },
        },
        Refusal::PublicationSettled {
            id: publication,
            status: PublicationStatus::Reverted,
        },
        Refusal::PublicationDiffers {
            id: publication,
            what: "nonce",
        },
        Refusal::AlreadyFollowed(registry),
        Refusal::RegistryNotFollowed(registry),
        Refusal::NotAToolRegistry(registry),
        Refusal::ToolNotPinned {
            registry,
            tool: "7".parse().unwrap(),
        },
        Refusal::PinsFull(registry),
        Refusal::Unchanged {
            registry,
            what: "is trusted".to_owned(),
        },
        Refusal::SpaceNotFound(space.clone()),
        Refusal::SpaceExists(space.clone()),
        Refusal::NotSpaceOwner(space.clone()),
        Refusal::AlreadyMember {
            space: space.clone(),
            actor: bob.clone(),
        },
        Refusal::NotMember {
            space: space.clone(),
            actor: bob.clone(),
        },
        Refusal::OwnerStays {
            space: space.clone(),
            owner: alice.clone(),
        },
        Refusal::MembersFull(space.clone()),
        Refusal::SpaceFull {
            space: space.clone(),
            usage: SpaceUsage {
                memories: 17,
                bytes: 4_711,
            },
        },
        Refusal::MemoryNotFound(memory),
        Refusal::NotMemoryAuthor { memory, space },
        Refusal::MemoryRedacted(memory),
        Refusal::MemoryFull(memory),
        Refusal::WrongActor {
            bound: bob,
            named: alice,
        },
        Refusal::MissingScope {
            scope: Scope::TasksWrite,
        },
        Refusal::OperatorOnly,
        Refusal::IdempotencyConflict,
    ];
    all.into_iter()
        .map(|refusal| {
            let (status, code, words) = match &refusal {
                Refusal::InvalidInput { .. } => (400, "invalid_input", vec!["title", "empty"]),
                Refusal::TaskNotFound(_) => {
                    (404, "task_not_found", vec!["0198a1c2-0000", "not found"])
                }
                Refusal::ActorNotFound(_) => (404, "actor_not_found", vec!["alice", "not found"]),
                Refusal::KeyNotFound(_) => (404, "key_not_found", vec!["not found"]),
                Refusal::EvidenceNotFound(_) => {
                    (404, "evidence_not_found", vec!["x", "No reading"])
                }
                Refusal::AlreadyOwned { .. } => {
                    (409, "already_owned", vec!["alice", "already owned"])
                }
                Refusal::NotRecipient { .. } => (403, "not_recipient", vec!["bob", "recipient"]),
                Refusal::NoCurrentOwner(_) => (409, "no_current_owner", vec!["no current owner"]),
                Refusal::NotOwner { .. } => (403, "not_owner", vec!["bob", "alice", "own"]),
                Refusal::EvidenceRequired { .. } => (
                    409,
                    "evidence_required",
                    vec!["sourceReference", "observed", "reported"],
                ),
                Refusal::HistoryFull(_) => (409, "history_full", vec!["10000", "8 MiB"]),
                Refusal::ActorExists(_) => (409, "actor_exists", vec!["alice"]),
                Refusal::KeyRevoked(_) => (409, "key_revoked", vec!["revoked"]),
                Refusal::OperatorExists => (409, "operator_exists", vec!["operator"]),
                Refusal::PublicationNotFound(_) => (
                    404,
                    "publication_not_found",
                    vec!["0000000000bb", "deedbox publication list"],
                ),
                Refusal::PublicationOpen { .. } => (
                    409,
                    "publication_open",
                    vec![
                        "0xababab",
                        "chain 8453",
                        "deedbox publication resume 0198a1c2-",
                    ],
                ),
                Refusal::NonceUsed { .. } => (
                    409,
                    "nonce_used",
                    vec![
                        "Nonce 4",
                        "0xababab",
                        "chain 8453",
                        "has nonce 5",
                        "deedbox publication resume 0198a1c2-",
                    ],
                ),
                Refusal::PublicationSettled { .. } => (
                    409,
                    "publication_settled",
                    vec!["reverted", "deedbox publication show 0198a1c2-"],
                ),
                Refusal::PublicationDiffers { .. } => (
                    409,
                    "publication_differs",
                    vec!["another nonce", "deedbox publication resume 0198a1c2-"],
                ),
                Refusal::AlreadyFollowed(_) => (
                    409,
                    "already_followed",
                    vec!["deedbox registry show eip155:8453:0x265b"],
                ),
                Refusal::RegistryNotFollowed(_) => (
                    404,
                    "registry_not_followed",
                    vec!["deedbox registry add eip155:8453:0x265b"],
                ),
                Refusal::NotAToolRegistry(_) => {
                    (409, "not_a_tool_registry", vec!["ERC-8122", "no tools"])
                }
                Refusal::ToolNotPinned { .. } => {
                    (404, "tool_not_pinned", vec!["Tool 7", "eip155:8453:0x265b"])
                }
                Refusal::PinsFull(_) => (409, "pins_full", vec!["1000"]),
                Refusal::Unchanged { .. } => (409, "unchanged", vec!["is trusted already"]),
                Refusal::SpaceNotFound(_) => (404, "space_not_found", vec!["team"]),
                Refusal::SpaceExists(_) => (409, "space_exists", vec!["team", "exists already"]),
                Refusal::NotSpaceOwner(_) => (403, "not_space_owner", vec!["owner", "team"]),
                Refusal::AlreadyMember { .. } => {
                    (409, "already_member", vec!["bob", "team", "already"])
                }
                Refusal::NotMember { .. } => (404, "not_a_member", vec!["bob", "team"]),
                Refusal::OwnerStays { .. } => (409, "owner_stays", vec!["alice", "team"]),
                Refusal::MembersFull(_) => (409, "members_full", vec!["team", "1000"]),
                Refusal::SpaceFull { .. } => (
                    409,
                    "space_full",
                    vec!["17 of 2000000", "4711 of 8589934592"],
                ),
                Refusal::MemoryNotFound(_) => (404, "memory_not_found", vec!["0000000000cc"]),
                Refusal::NotMemoryAuthor { .. } => (
                    403,
                    "not_memory_author",
                    vec!["0000000000cc", "somebody else", "team"],
                ),
                Refusal::MemoryRedacted(_) => {
                    (409, "memory_redacted", vec!["0000000000cc", "redacted"])
                }
                Refusal::MemoryFull(_) => (409, "memory_full", vec!["0000000000cc", "10000"]),
                Refusal::WrongActor { .. } => (403, "wrong_actor", vec!["bob", "alice"]),
                Refusal::MissingScope { .. } => (403, "missing_scope", vec!["tasks:write"]),
                Refusal::OperatorOnly => (403, "operator_only", vec!["operator"]),
                Refusal::IdempotencyConflict => {
                    (409, "idempotency_conflict", vec!["24 hours", "arguments"])
                }
            };
            (refusal, status, code, words)
        })
        .collect()
}

#[test]
fn every_refusal_has_its_status_its_code_and_a_text_that_helps() {
    let all = one_of_each();
    let codes: std::collections::BTreeSet<_> = all.iter().map(|row| row.2).collect();
    assert_eq!(codes.len(), 41, "each refusal has a code of its own");
    for (refusal, status, code, words) in all {
        assert_eq!((refusal.status(), refusal.code()), (status, code));
        let text = refusal.to_string();
        for word in words {
            assert!(
                text.contains(word),
                "{code}: {text:?} does not say {word:?}"
            );
        }
        let json = serde_json::to_value(&refusal).unwrap();
        assert_eq!(
            json,
            serde_json::json!({"status": status, "error": text, "code": code})
        );
    }
}
