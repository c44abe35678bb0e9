//! Replaying a ledger through the rules: would they have led to this deed?

use crate::{
    ActorId, Attribution, Body, BrokenDeed, Command, Deed, EvidenceId, KeyId, MemoryId, Principal,
    Projection, PublicationId, Reading, RegistryId, Space, SpaceId, State, Stream, TaskId, decide,
    decide::memories,
};

/// Checks that the rules, asked in the state `before`, lead to exactly this deed.
///
/// What the ledger alone cannot say is taken as given: that the actors and tasks that are named were known and the
/// cited evidence was recorded at that time, that the credential might act as the actor, and that the account of a
/// publication had no other one open and none settled at or above its nonce.
///
/// # Errors
/// [`BrokenDeed::Forbidden`] when they would have refused it, or written something else (another snapshot in
/// a handoff, say); [`BrokenDeed::Misapplied`] when its kind does not belong in its stream.
pub fn justify(before: Option<&Projection>, deed: &Deed) -> Result<(), BrokenDeed> {
    if let Stream::Memory(id) = &deed.stream {
        return memory(before, *id, deed);
    }
    let command = command_of(deed).ok_or(BrokenDeed::Misapplied)?;
    let needs = command.needs();
    let mut state = State {
        actors: needs.actors.into_iter().collect(),
        // What a task's claim cites was there; what a reading becomes was not, unless its stream says so.
        evidence: !matches!(deed.stream, Stream::Evidence(_)),
        named_task: true,
        ..State::default()
    };
    match before {
        Some(Projection::Task(task)) => state.task = Some((**task).clone()),
        Some(Projection::Actor(actor, _)) => state.actor = Some(actor.clone()),
        Some(Projection::Key(key, head)) => state.key = Some((key.clone(), *head)),
        Some(Projection::Evidence(_)) => state.evidence = true,
        Some(Projection::Publication(publication)) => {
            state.publication = Some((**publication).clone());
        }
        Some(Projection::Registry(registry)) => state.registry = Some((**registry).clone()),
        Some(Projection::Space(space)) => state.space = Some(Space::Team(space.clone())),
        // Of another family of streams.
        Some(Projection::Memory(_)) | None => {}
    }
    let by = Attribution::of(Principal::local());
    let led_to = decide(&state, command, &by, deed.at)
        .map_err(|refusal| BrokenDeed::Forbidden(refusal.to_string()))?;
    if led_to.iter().map(|deed| &deed.body).eq([&deed.body]) {
        Ok(())
    } else {
        Err(BrokenDeed::Forbidden(
            "they would have written something else".to_owned(),
        ))
    }
}

/// The same of a memory. Its words are not in the deed, so what cannot be asked again is who said which words; what may follow what can.
fn memory(before: Option<&Projection>, id: MemoryId, deed: &Deed) -> Result<(), BrokenDeed> {
    let before = match before {
        None => None,
        Some(Projection::Memory(memory)) => Some(&**memory),
        Some(_) => return Err(BrokenDeed::Misapplied),
    };
    memories::admits(before, id, &deed.body, deed.at)
        .map_err(|refusal| BrokenDeed::Forbidden(refusal.to_string()))
}

/// The command that a deed carries out.
fn command_of(deed: &Deed) -> Option<Command> {
    let body = deed.body.clone();
    match &deed.stream {
        Stream::Task(task) => of_task(*task, body),
        Stream::Evidence(id) => of_evidence(*id, body),
        Stream::Actor(id) => of_actor(id.clone(), body),
        Stream::Key(id) => of_key(id.clone(), body),
        Stream::Publication(id) => of_publication(*id, body),
        Stream::Registry(id) => of_registry(*id, body),
        Stream::Space(id) => of_space(id.clone(), body),
        Stream::Memory(_) => None,
    }
}

fn of_task(task: TaskId, body: Body) -> Option<Command> {
    Some(match body {
        Body::TaskCreated {
            title,
            description,
            injected_by,
            authority_scope,
            recipient_only,
        } => Command::CreateTask {
            task,
            title,
            description,
            injected_by,
            authority_scope,
            recipient_only,
        },
        Body::TaskAccepted {
            id,
            actor_id,
            context_note,
        } => Command::AcceptTask {
            task,
            id,
            actor: actor_id,
            context_note,
        },
        Body::CompletionReported {
            id,
            actor_id,
            provenance,
            claim_text,
            source_reference,
        } => Command::ReportCompletion {
            task,
            id,
            actor: actor_id,
            provenance,
            claim_text,
            source_reference,
        },
        Body::TaskHandedOff {
            id,
            from_actor_id,
            to_actor_id,
            reason,
            ..
        } => Command::HandoffTask {
            task,
            id,
            from: from_actor_id,
            to: to_actor_id,
            reason,
        },
        _ => return None,
    })
}

fn of_evidence(id: EvidenceId, body: Body) -> Option<Command> {
    let Body::ReadingRecorded {
        tool,
        arguments,
        data,
        provenance,
        // Computed again, so that a reading under another digest is not justified.
        digest: _,
        task_id,
    } = body
    else {
        return None;
    };
    Some(Command::RecordReading {
        id,
        reading: Box::new(Reading {
            tool,
            arguments,
            data,
            provenance,
        }),
        task: task_id,
    })
}

fn of_actor(id: ActorId, body: Body) -> Option<Command> {
    let Body::ActorAdded { actor_kind, name } = body else {
        return None;
    };
    Some(Command::AddActor {
        id,
        kind: actor_kind,
        name,
    })
}

fn of_key(id: KeyId, body: Body) -> Option<Command> {
    Some(match body {
        Body::KeyIssued {
            secret_hash,
            actor_id,
            scopes,
            label,
            agent_label,
            expires_at,
        } => Command::IssueKey {
            id,
            secret_hash,
            actor: actor_id,
            scopes,
            label,
            agent_label,
            expires_at,
            only_first_operator: false,
        },
        Body::KeyRevoked {} => Command::RevokeKey { id },
        _ => return None,
    })
}

fn of_publication(id: PublicationId, body: Body) -> Option<Command> {
    Some(match body {
        Body::PublicationSigned(attempt) => Command::SignPublication { id, attempt },
        Body::PublicationSettled(settlement) => Command::SettlePublication { id, settlement },
        Body::PublicationUnsettled { reason } => Command::UnsettlePublication { id, reason },
        _ => return None,
    })
}

fn of_registry(id: RegistryId, body: Body) -> Option<Command> {
    Some(match body {
        Body::RegistryFollowed(following) => Command::FollowRegistry { id, following },
        Body::RegistryUnfollowed {} => Command::UnfollowRegistry { id },
        Body::RegistryTrustSet { trust } => Command::SetTrust { id, trust },
        Body::RegistryCodeAccepted(seen) => Command::AcceptCode { id, seen },
        Body::ToolPinned {
            tool_id,
            manifest_hash,
        } => Command::PinTool {
            registry: id,
            tool: tool_id,
            manifest_hash,
        },
        Body::ToolUnpinned { tool_id } => Command::UnpinTool {
            registry: id,
            tool: tool_id,
        },
        _ => return None,
    })
}

fn of_space(id: SpaceId, body: Body) -> Option<Command> {
    let space = id;
    Some(match body {
        Body::SpaceCreated { name, owner } => Command::CreateSpace {
            id: space,
            name,
            owner,
        },
        Body::SpaceMemberAdded { actor_id: actor } => Command::AddMember { space, actor },
        Body::SpaceMemberRemoved { actor_id: actor } => Command::RemoveMember { space, actor },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AcceptanceId, Timestamp,
        deed::Authorship,
        text::{Description, Title},
    };
    use uuid::Uuid;

    fn seal(head: Option<&crate::Head>, body: Body) -> Deed {
        let by = Authorship::from(&Attribution::of(Principal::local()));
        let at = Timestamp::from_millis(1_000).unwrap();
        Deed::seal(Stream::Task(TaskId(Uuid::nil())), head, body, by, at)
    }

    fn accepted(head: &crate::Head, by: &str) -> Deed {
        let actor_id = ActorId::new(by).unwrap();
        let id = AcceptanceId(Uuid::max());
        seal(
            Some(head),
            Body::TaskAccepted {
                id,
                actor_id,
                context_note: None,
            },
        )
    }

    #[test]
    fn a_well_sealed_second_acceptance_is_not_justified() {
        let created = seal(
            None,
            Body::TaskCreated {
                title: Title::new("t").unwrap(),
                description: Description::new("").unwrap(),
                injected_by: ActorId::new("alice").unwrap(),
                authority_scope: None,
                recipient_only: false,
            },
        );
        assert_eq!(justify(None, &created), Ok(()));
        let pending = Projection::apply(None, &created).unwrap();
        let first = accepted(&created.head(), "bob");
        assert_eq!(justify(Some(&pending), &first), Ok(()));
        let owned = Projection::apply(Some(pending), &first).unwrap();
        let forged = accepted(&first.head(), "carol");
        assert!(forged.to_stored().verify(Some(&first.head())).is_ok());
        assert!(matches!(
            justify(Some(&owned), &forged),
            Err(BrokenDeed::Forbidden(_))
        ));
    }

    #[test]
    fn a_reading_under_another_digest_is_not_justified() {
        let reading: Reading = serde_json::from_value(serde_json::json!({
            "tool": "get_native_balance",
            "arguments": {},
            "data": {"raw_amount": "1", "decimals": 18},
            "provenance": {
                "chain_id": 1,
                "block_number": 1,
                "block_hash": crate::BlockHash([1; 32]),
                "block_timestamp": "2026-11-29T19:28:54.000Z",
                "source": "rpc",
                "endpoint_id": "main",
            },
        }))
        .unwrap();
        let sealed = |digest, head: Option<&crate::Head>| {
            let by = Authorship::from(&Attribution::of(Principal::local()));
            let body = Body::ReadingRecorded {
                tool: reading.tool.clone(),
                arguments: reading.arguments.clone(),
                data: reading.data.clone(),
                provenance: reading.provenance.clone(),
                digest,
                task_id: Some(TaskId(Uuid::nil())),
            };
            let stream = Stream::Evidence(crate::EvidenceId(Uuid::nil()));
            Deed::seal(
                stream,
                head,
                body,
                by,
                Timestamp::from_millis(1_000).unwrap(),
            )
        };
        let honest = sealed(reading.digest(), None);
        assert_eq!(justify(None, &honest), Ok(()));
        let forged = sealed(crate::hash::ReadingDigest([0; 32]), None);
        assert!(forged.to_stored().verify(None).is_ok());
        assert!(matches!(
            justify(None, &forged),
            Err(BrokenDeed::Forbidden(_))
        ));
        // Evidence is recorded once.
        let recorded = Projection::apply(None, &honest).unwrap();
        let second = sealed(reading.digest(), Some(&honest.head()));
        assert!(matches!(
            justify(Some(&recorded), &second),
            Err(BrokenDeed::Forbidden(_))
        ));
    }

    #[test]
    fn a_forged_attempt_is_not_justified() {
        use crate::{SignedTransaction, Wei, publication::attempts};
        let sealed = |attempt: &SignedTransaction, head: Option<&crate::Head>| {
            let by = Authorship::from(&Attribution::of(Principal::local()));
            let stream = Stream::Publication(PublicationId(Uuid::nil()));
            let body = Body::PublicationSigned(Box::new(attempt.clone()));
            let at = Timestamp::from_millis(1_000).unwrap();
            Deed::seal(stream, head, body, by, at)
        };
        let forbidden = |before: Option<&Projection>, deed: &Deed| {
            let judged = justify(before, deed);
            assert!(
                matches!(judged, Err(BrokenDeed::Forbidden(_))),
                "{judged:?}"
            );
        };
        let [call, dearer, deploy] = attempts();
        let honest = sealed(&call, None);
        assert_eq!(justify(None, &honest), Ok(()));
        // Other bytes under the same record, and another record over the same bytes.
        let mut bytes = call.clone();
        bytes.raw_transaction = deploy.raw_transaction.clone();
        let mut record = call.clone();
        record.max_fee_per_gas = Wei(1);
        for forged in [bytes, record] {
            let forged = sealed(&forged, None);
            assert!(forged.to_stored().verify(None).is_ok());
            forbidden(None, &forged);
        }
        let open = Projection::apply(None, &honest).unwrap();
        let head = honest.head();
        assert_eq!(justify(Some(&open), &sealed(&dearer, Some(&head))), Ok(()));
        // The same again, and something else under the same publication.
        for attempt in [call, deploy] {
            forbidden(Some(&open), &sealed(&attempt, Some(&head)));
        }
    }
}
