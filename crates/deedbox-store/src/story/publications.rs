//! Publications: signed, signed again for more, settled, open again, and never anything new beside what is open.

use alloy_rlp::{Encodable, Header};
use deedbox_core::{
    BlockHash, ChainAccount, ChainAddress, Gas, OperationName, Publication, PublicationId,
    PublicationState, PublicationStatus, RawTransaction, Settlement, SignedTransaction, TakenNonce,
    Wei,
    publication::{Inclusion, ReadBack, Replacement},
    text::Statement,
};
use serde_json::{Map, Value, json};

use super::*;
use crate::{PublicationPlace, Publications};

/// The first attempt's fee for one unit of gas.
pub(super) const FEE: u128 = 1_000;

/// A call with `data` by `account` on `chain_id`, that offers `fee` for one unit of gas, half of it to whoever makes the
/// block. Its signature is of the right form, and nobody's.
///
/// # Panics
/// For chain 0, which there is not.
#[must_use]
pub fn signed(of: ChainAccount, nonce: u64, fee: u128, data: &[u8]) -> Box<SignedTransaction> {
    let mut fields = Vec::new();
    of.chain_id.encode(&mut fields);
    nonce.encode(&mut fields);
    (fee / 2).encode(&mut fields);
    fee.encode(&mut fields);
    100_000_u64.encode(&mut fields);
    [0xcc_u8; 20].encode(&mut fields);
    0_u8.encode(&mut fields);
    data.encode(&mut fields);
    Vec::<u64>::new().encode(&mut fields); // the access list
    1_u8.encode(&mut fields);
    [0x11_u8; 32].encode(&mut fields);
    [0x22_u8; 32].encode(&mut fields);
    let mut raw = vec![2];
    Header {
        list: true,
        payload_length: fields.len(),
    }
    .encode(&mut raw);
    raw.extend(fields);
    let arguments = Map::from_iter([("name".to_owned(), json!("Ünsinn \u{202e} '; --"))]);
    let operation = OperationName::known("agent_set_metadata");
    let raw = RawTransaction::new(raw).unwrap();
    Box::new(SignedTransaction::new(operation, arguments, of.account, raw).unwrap())
}

/// That `attempt` is in block `number`.
///
/// # Panics
/// Never.
#[must_use]
pub fn included(attempt: &SignedTransaction, number: u64, succeeded: bool) -> Box<Settlement> {
    Box::new(Settlement::Included(Inclusion {
        transaction_hash: attempt.transaction_hash,
        block_number: number,
        block_hash: BlockHash([7; 32]),
        block_timestamp: None,
        succeeded,
        gas_used: Gas(54_321),
        effective_gas_price: Wei(FEE),
        revert_reason: (!succeeded).then(|| Statement::new("NotAgentOwner(1)").unwrap()),
        read_back: ReadBack::NotChecked,
        findings: vec![Statement::new("Nobody looked. \u{202e}").unwrap()],
        created: Map::<String, Value>::new(),
    }))
}

pub(super) fn replaced(account_nonce: u64) -> Box<Settlement> {
    Box::new(Settlement::Replaced(Replacement {
        account_nonce,
        block_number: 12,
        block_hash: BlockHash([8; 32]),
        transaction_hash: None,
    }))
}

pub(super) fn account(byte: u8) -> ChainAccount {
    ChainAccount {
        chain_id: 31_337,
        account: ChainAddress([byte; 20]),
    }
}

impl Teller {
    pub(super) fn sign(&self, attempt: Box<SignedTransaction>) -> (PublicationId, Command) {
        let id = PublicationId(self.world.uuid());
        (id, Command::SignPublication { id, attempt })
    }

    pub(super) async fn published(&self, attempt: Box<SignedTransaction>) -> PublicationId {
        let (id, command) = self.sign(attempt);
        self.done(command).await;
        id
    }

    pub(super) async fn publication(&self, id: PublicationId) -> Publication {
        let publication = self.store.publication(id).await.unwrap();
        publication.unwrap()
    }

    async fn used_of(&self, of: ChainAccount, nonce: u64) -> Option<TakenNonce> {
        self.store.used_nonce(of, nonce).await.unwrap()
    }

    pub(super) async fn open_of(&self, of: ChainAccount) -> Option<PublicationState> {
        self.store.open_publication(of).await.unwrap()
    }

    pub(super) async fn a_publication_lives_its_whole_life(&self) {
        let of = account(1);
        let ghost = PublicationId(self.world.uuid());
        assert_eq!(self.store.publication(ghost).await.unwrap(), None);
        assert_eq!(self.open_of(of).await, None);
        let first = signed(of, 7, FEE, b"call");
        let id = self.published(first.clone()).await;
        let state = self.publication(id).await.state;
        assert_eq!(self.open_of(of).await, Some(state.clone()));
        assert_eq!((state.signer, state.nonce, state.to), (of, 7, first.to));
        assert_eq!(state.status, PublicationStatus::Open);

        self.world.pass(1_000);
        let second = signed(of, 7, FEE + FEE / 10, b"call");
        self.done(Command::SignPublication {
            id,
            attempt: second.clone(),
        })
        .await;
        let open = self.open_of(of).await.unwrap();
        let hashes = [first.transaction_hash, second.transaction_hash];
        assert_eq!(open.attempts, hashes);
        assert_eq!(open.signed_at, state.signed_at, "its place in lists stays");
        let publication = self.publication(id).await;
        assert_eq!(publication.state, open);
        assert!(publication.attempts().eq([&*first, &*second]));
        assert_eq!(publication.settlement(), None);

        // The older of the two made it into a block, as happens.
        let settlement = included(&first, 10, true);
        self.done(Command::SettlePublication {
            id,
            settlement: settlement.clone(),
        })
        .await;
        assert_eq!(self.open_of(of).await, None);
        let publication = self.publication(id).await;
        assert_eq!(publication.state.status, PublicationStatus::Succeeded);
        assert_eq!(publication.settlement(), Some(&*settlement));
        assert_eq!(publication.deeds.len(), 3);
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn a_publication_is_refused_and_says_what_to_do(&self) {
        let of = account(2);
        let first = signed(of, 3, FEE, b"call");
        let id = self.published(first.clone()).await;
        let ghost = PublicationId(self.world.uuid());
        let sign = |attempt| Command::SignPublication { id, attempt };
        let settle = |settlement| Command::SettlePublication { id, settlement };
        let unsettle = |id| Command::UnsettlePublication {
            id,
            reason: Reason::new("").unwrap(),
        };
        let before = self.deeds().await;
        let open = Refusal::PublicationOpen { id, signer: of };
        let (_, second) = self.sign(signed(of, 4, FEE, b"other"));
        assert_eq!(self.refused(second.clone()).await, open);
        assert_eq!(self.refused(unsettle(id)).await, open);
        for (attempt, what) in [
            (signed(of, 4, 2 * FEE, b"call"), "nonce"),
            (signed(of, 3, 2 * FEE, b"call!"), "call"),
            (signed(account(3), 3, 2 * FEE, b"call"), "account"),
        ] {
            let differs = Refusal::PublicationDiffers { id, what };
            assert_eq!(self.refused(sign(attempt)).await, differs);
        }
        let too_little = self.refused(sign(signed(of, 3, FEE + FEE / 10 - 1, b"call")));
        assert_eq!(too_little.await.code(), "invalid_input");
        let foreign = included(&signed(of, 3, 2 * FEE, b"call"), 10, true);
        assert_eq!(
            self.refused(settle(foreign)).await.code(),
            "publication_differs"
        );
        let unproven = self.refused(settle(replaced(3))).await;
        assert_eq!(unproven.code(), "invalid_input");
        assert!(
            unproven.to_string().contains("cannot be given up"),
            "{unproven}"
        );
        for command in [
            unsettle(ghost),
            Command::SettlePublication {
                id: ghost,
                settlement: included(&first, 10, true),
            },
        ] {
            assert_eq!(
                self.refused(command).await,
                Refusal::PublicationNotFound(ghost)
            );
        }
        let by_actor = self.run(second.clone(), bound_to("bob")).await;
        assert_eq!(by_actor.unwrap_err(), Refusal::OperatorOnly);
        assert_eq!(self.deeds().await, before);

        self.done(settle(replaced(4))).await;
        let settled = Refusal::PublicationSettled {
            id,
            status: PublicationStatus::Replaced,
        };
        assert_eq!(
            self.refused(sign(signed(of, 3, 2 * FEE, b"call"))).await,
            settled
        );
        assert_eq!(self.refused(settle(replaced(4))).await, settled);
        self.done(second).await;
    }

    pub(super) async fn a_block_that_is_gone_opens_a_publication_again(&self) {
        let of = account(4);
        let first = signed(of, 0, FEE, b"call");
        let id = self.published(first.clone()).await;
        let settle = |number, succeeded| Command::SettlePublication {
            id,
            settlement: included(&first, number, succeeded),
        };
        let unsettle = Command::UnsettlePublication {
            id,
            reason: Reason::new("Block 10 is gone from the chain").unwrap(),
        };
        self.done(settle(10, true)).await;
        self.done(unsettle.clone()).await;
        assert_eq!(self.open_of(of).await.unwrap().id, id);
        assert_eq!(self.publication(id).await.settlement(), None);
        // In its new block it comes behind another one, and is reverted.
        self.done(settle(11, false)).await;
        let status = self.publication(id).await.state.status;
        assert_eq!(status, PublicationStatus::Reverted);
        self.done(unsettle).await;
        self.done(settle(12, true)).await;
        assert_eq!(self.publication(id).await.deeds.len(), 6);
        self.the_ledger_is_sound().await;
    }

    /// With one confirmation a block can be taken back whose transaction no pool has any more; and an endpoint can lag. Either
    /// names a used nonce as the next one.
    pub(super) async fn a_recorded_success_is_not_replaced_behind_the_ledgers_back(&self) {
        let of = account(5);
        let attempts = [5, 6, 8].map(|nonce| signed(of, nonce, FEE, b"call"));
        let mut used = vec![];
        for attempt in &attempts {
            let publication = self.published(attempt.clone()).await;
            // The last one by another transaction of the account: its nonce is as used as theirs.
            let settlement = match attempt.nonce {
                8 => replaced(9),
                _ => included(attempt, 10, true),
            };
            self.done(Command::SettlePublication {
                id: publication,
                settlement,
            })
            .await;
            used.push(TakenNonce {
                nonce: attempt.nonce,
                publication,
            });
        }
        let before = self.deeds().await;
        // Named is the lowest that is not below: it has to be back in the chain before those above it can be.
        for (nonce, used) in [(0, 0), (5, 0), (6, 1), (7, 2), (8, 2)].map(|(n, i)| (n, used[i])) {
            let (_, anew) = self.sign(signed(of, nonce, FEE, b"other"));
            let signer = of;
            let refusal = Refusal::NonceUsed {
                signer,
                nonce,
                used,
            };
            assert_eq!(self.refused(anew).await, refusal);
            // Whoever asks before anything is signed hears the same.
            assert_eq!(self.used_of(of, nonce).await, Some(used));
        }
        assert_eq!(self.used_of(of, 9).await, None);
        assert_eq!(self.deeds().await, before);
        // Another account, and the same one elsewhere, have nonces of their own.
        let elsewhere = ChainAccount {
            chain_id: 8_453,
            ..of
        };
        for other in [account(6), elsewhere] {
            self.published(signed(other, 0, FEE, b"call")).await;
            assert_eq!(self.used_of(other, 0).await, None, "it is open");
        }

        // What was taken back is opened, offered again for more under its own nonce, and settled; then the account goes on.
        let id = used[0].publication;
        let reason = Reason::new("Block 10 is gone from the chain").unwrap();
        self.done(Command::UnsettlePublication { id, reason }).await;
        let attempt = signed(of, 5, 2 * FEE, b"call");
        let settlement = included(&attempt, 11, true);
        self.done(Command::SignPublication { id, attempt }).await;
        self.done(Command::SettlePublication { id, settlement })
            .await;
        self.published(signed(of, 9, FEE, b"other")).await;
        self.the_ledger_is_sound().await;
    }

    pub(super) async fn of_many_signatures_at_once_one_is_kept(&self) {
        for round in 0..20 {
            let of = account(100 + round);
            let signs = (0..8_u8).map(|i| {
                // Endpoints that lag name different nonces.
                let nonce = 5 + u64::from(i % 2);
                let (_, command) = self.sign(signed(of, nonce, FEE, &[i]));
                self.run(command, operator())
            });
            let answers = futures::future::join_all(signs).await;
            assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
            let open = self.open_of(of).await.unwrap();
            let refusal = Refusal::PublicationOpen {
                id: open.id,
                signer: of,
            };
            let refused = answers.iter().filter_map(|answer| answer.as_ref().err());
            assert!(refused.clone().all(|no| *no == refusal), "{answers:?}");
            // Settling it and signing the next at once: whichever comes first, nothing is lost and nothing is two.
            let attempt = self.publication(open.id).await;
            let attempt = attempt.attempts().next().unwrap().clone();
            let settle = Command::SettlePublication {
                id: open.id,
                settlement: included(&attempt, 10, true),
            };
            let (next, sign) = self.sign(signed(of, 7, FEE, b"next"));
            let (settled, signed) = tokio::join!(
                self.run(settle, operator()),
                self.run(sign.clone(), operator())
            );
            settled.unwrap();
            match signed {
                Ok(_) => {}
                Err(no) => {
                    assert_eq!(no, refusal);
                    self.done(sign).await;
                }
            }
            assert_eq!(self.open_of(of).await.unwrap().id, next);
        }
    }

    pub(super) async fn publications_are_listed_newest_first_without_gaps(&self) {
        let far = ChainAccount {
            chain_id: 8_453,
            ..account(9)
        };
        let mut newest_first = vec![];
        for nonce in 0..5 {
            let attempt = signed(far, nonce, FEE, b"call");
            let id = self.published(attempt.clone()).await;
            newest_first.insert(0, id);
            if nonce < 4 {
                let settlement = included(&attempt, 20 + nonce, true);
                self.done(Command::SettlePublication { id, settlement })
                    .await;
            }
            self.world.pass(i64::try_from(nonce % 2).unwrap()); // so that some share their millisecond
        }
        let ask = async |query: &Publications| self.store.publications(query).await.unwrap();
        let mut query = Publications {
            account: Some(far.account),
            limit: 3,
            ..Publications::default()
        };
        let first = ask(&query).await;
        query.after = first.last().map(PublicationPlace::from);
        let all: Vec<_> = first.into_iter().chain(ask(&query).await).collect();
        assert!(all.is_sorted_by(|a, b| (a.signed_at, a.id) > (b.signed_at, b.id)));
        let mut ids: Vec<_> = all.iter().map(|one| one.id).collect();
        ids.sort_by_key(|id| newest_first.iter().position(|other| other == id));
        assert_eq!(ids, newest_first);
        for one in &all {
            assert_eq!(self.publication(one.id).await.state, *one);
        }
        let found = async |open, chain_id, of: Option<ChainAccount>| {
            let query = Publications {
                open,
                chain_id,
                account: of.map(|of| of.account),
                after: None,
                limit: limits::PAGE_MAX,
            };
            ask(&query).await.len()
        };
        let every = found(false, None, None).await;
        assert_eq!(found(false, Some(8_453), None).await, 5);
        assert_eq!(found(true, Some(8_453), None).await, 1);
        assert_eq!(found(true, None, Some(far)).await, 1);
        assert_eq!(found(true, Some(1), Some(far)).await, 0);
        assert_eq!(found(false, Some(31_337), None).await, every - 5);
        assert!(found(true, None, None).await > 20);
    }
}
