//! Random lives of publications: whatever is asked for in whatever order, no account signs anything new while something of it is
//! open, or has two with one nonce; each that is open can be settled; each whose block is gone can be opened again unless an earlier one
//! is open; and with nothing open the account can go on.
//!
//! The rules are compared with a second and much simpler statement of them, [`Model`], which shares no code with them.
//! The seed is printed; `DEEDBOX_SEED=<number>` repeats a run.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's helpers may fail the test and print its seed"
)]

use std::{cell::RefCell, collections::BTreeMap};

use alloy_rlp::{Encodable, Header};
use deedbox_core::{
    Attribution, BlockHash, ChainAccount, ChainAddress, Command, Deed, Gas, OperationName,
    Principal, Projection, Publication, PublicationId, PublicationState, RawTransaction,
    Settlement, SignedTransaction, State, Stream, Timestamp, TransactionHash, Wei, decide,
    publication::{Inclusion, ReadBack, Replacement},
    replay,
    text::Reason,
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed, TestRunner},
};

/// What is asked for. Publications, accounts, nonces and fees are small numbers, so that they meet each other often.
#[derive(Clone, Copy, Debug)]
enum Act {
    Sign {
        publication: u8,
        account: u8,
        nonce: u8,
        call: u8,
        fee: u8,
    },
    /// By the attempt that offered this fee.
    Include {
        publication: u8,
        fee: u8,
    },
    Replace {
        publication: u8,
        account_nonce: u8,
    },
    Unsettle {
        publication: u8,
    },
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let publication = || 0_u8..4;
    let act = prop_oneof![
        8 => (publication(), 0_u8..2, 0_u8..4, prop::bool::weighted(0.1), 0_u8..4).prop_map(
            |(publication, account, nonce, call, fee)| Act::Sign {
                publication, account, nonce, call: call.into(), fee,
            }
        ),
        4 => (publication(), 0_u8..4).prop_map(|(publication, fee)| Act::Include { publication, fee }),
        2 => (publication(), 0_u8..6).prop_map(|(publication, account_nonce)| Act::Replace {
            publication, account_nonce,
        }),
        3 => publication().prop_map(|publication| Act::Unsettle { publication }),
    ];
    prop::collection::vec(act, 1..50)
}

/// The fees that are offered for a unit of gas. The second is a tenth more than the first, less one; the third a tenth more.
const FEES: [u128; 4] = [1_000, 1_099, 1_100, 5_000];

/// One publication, as plainly as it can be said: what every attempt shares, what each offered, and whether it is open.
#[derive(Clone, Debug)]
struct Told {
    shared: (u8, u8, u8),
    fees: Vec<u8>,
    open: bool,
}

#[derive(Debug, Default)]
struct Model(BTreeMap<u8, Told>);

impl Model {
    fn ask(&mut self, act: Act) -> &'static str {
        // Of this account, with a nonce below that one.
        let open_below = |told: &BTreeMap<u8, Told>, account, nonce| {
            let mut open = told.values().filter(|one| one.open);
            open.any(|one| one.shared.0 == account && one.shared.1 < nonce)
        };
        match act {
            Act::Sign {
                publication,
                account,
                nonce,
                call,
                fee,
            } => {
                let shared = (account, nonce, call);
                let Some(told) = self.0.get_mut(&publication) else {
                    if open_below(&self.0, account, u8::MAX) {
                        return "publication_open";
                    }
                    // Nothing of this account is open, so all of it is settled.
                    let mut own = self.0.values().filter(|one| one.shared.0 == account);
                    if own.any(|one| one.shared.1 >= nonce) {
                        return "nonce_used";
                    }
                    let fees = vec![fee];
                    self.0.insert(
                        publication,
                        Told {
                            shared,
                            fees,
                            open: true,
                        },
                    );
                    return "ok";
                };
                if !told.open {
                    return "publication_settled";
                }
                if told.shared != shared {
                    return "publication_differs";
                }
                let last = FEES[usize::from(*told.fees.last().unwrap())];
                if FEES[usize::from(fee)] * 10 < last * 11 {
                    return "invalid_input";
                }
                told.fees.push(fee);
                "ok"
            }
            Act::Include { publication, fee } => match self.0.get_mut(&publication) {
                None => "publication_not_found",
                Some(told) if !told.open => "publication_settled",
                Some(told) if !told.fees.contains(&fee) => "publication_differs",
                Some(told) => {
                    told.open = false;
                    "ok"
                }
            },
            Act::Replace {
                publication,
                account_nonce,
            } => match self.0.get_mut(&publication) {
                None => "publication_not_found",
                Some(told) if !told.open => "publication_settled",
                Some(told) if told.shared.1 >= account_nonce => "invalid_input",
                Some(told) => {
                    told.open = false;
                    "ok"
                }
            },
            Act::Unsettle { publication } => {
                let Some(told) = self.0.get(&publication) else {
                    return "publication_not_found";
                };
                if told.open || open_below(&self.0, told.shared.0, told.shared.1) {
                    return "publication_open";
                }
                self.0
                    .entry(publication)
                    .and_modify(|told| told.open = true);
                "ok"
            }
        }
    }
}

fn id(publication: u8) -> PublicationId {
    format!("0198a1c2-0000-7000-8000-0000000000{publication:02x}")
        .parse()
        .unwrap()
}

fn signer(account: u8) -> ChainAccount {
    ChainAccount {
        chain_id: 31_337,
        account: ChainAddress([account; 20]),
    }
}

fn signed(account: u8, nonce: u8, call: u8, fee: u8) -> SignedTransaction {
    let (of, fee) = (signer(account), FEES[usize::from(fee)]);
    let mut fields = Vec::new();
    of.chain_id.encode(&mut fields);
    u64::from(nonce).encode(&mut fields);
    fee.encode(&mut fields);
    fee.encode(&mut fields);
    21_000_u64.encode(&mut fields);
    [0xcc_u8; 20].encode(&mut fields);
    0_u8.encode(&mut fields);
    [call + 1].as_slice().encode(&mut fields);
    Vec::<u64>::new().encode(&mut fields);
    0_u8.encode(&mut fields);
    // So that two accounts never sign the same bytes.
    [account + 1; 32].encode(&mut fields);
    [0x22_u8; 32].encode(&mut fields);
    let mut raw = vec![2];
    let payload_length = fields.len();
    Header {
        list: true,
        payload_length,
    }
    .encode(&mut raw);
    raw.extend(fields);
    let operation = OperationName::known("agent_register");
    let raw = RawTransaction::new(raw).unwrap();
    SignedTransaction::new(operation, serde_json::Map::new(), of.account, raw).unwrap()
}

fn included(transaction_hash: TransactionHash) -> Box<Settlement> {
    Box::new(Settlement::Included(Inclusion {
        transaction_hash,
        block_number: 1,
        block_hash: BlockHash([1; 32]),
        block_timestamp: None,
        succeeded: true,
        gas_used: Gas(21_000),
        effective_gas_price: Wei(1),
        revert_reason: None,
        read_back: ReadBack::Matches,
        findings: vec![],
        created: serde_json::Map::new(),
    }))
}

fn replaced(account_nonce: u64) -> Box<Settlement> {
    Box::new(Settlement::Replaced(Replacement {
        account_nonce,
        block_number: 1,
        block_hash: BlockHash([1; 32]),
        transaction_hash: None,
    }))
}

/// A store in memory.
#[derive(Debug, Default)]
struct Desk {
    publications: BTreeMap<PublicationId, PublicationState>,
    deeds: Vec<Deed>,
}

impl Desk {
    fn command(&self, act: Act) -> Command {
        match act {
            Act::Sign {
                publication,
                account,
                nonce,
                call,
                fee,
            } => Command::SignPublication {
                id: id(publication),
                attempt: Box::new(signed(account, nonce, call, fee)),
            },
            Act::Include { publication, fee } => {
                let id = id(publication);
                // What offered this fee, if the publication's other values are known.
                let attempt = self.publications.get(&id).map(|state| {
                    let account = state.signer.account.0[0];
                    let nonce = u8::try_from(state.nonce).unwrap();
                    let calls = [0, 1].map(|call| signed(account, nonce, call, fee));
                    let own = calls.iter().find(|attempt| attempt.call() == state.call);
                    own.unwrap().transaction_hash
                });
                let settlement = included(attempt.unwrap_or(TransactionHash([0; 32])));
                Command::SettlePublication { id, settlement }
            }
            Act::Replace {
                publication,
                account_nonce,
            } => Command::SettlePublication {
                id: id(publication),
                settlement: replaced(account_nonce.into()),
            },
            Act::Unsettle { publication } => Command::UnsettlePublication {
                id: id(publication),
                reason: Reason::new("gone").unwrap(),
            },
        }
    }

    fn load(&self, command: &Command) -> State {
        let needs = command.needs();
        let publication = needs.publication.and_then(|id| self.publications.get(&id));
        let signer = needs.signs.map(|(of, _)| of);
        let of = publication.map(|own| own.signer).or(signer);
        let all = || self.publications.values();
        let open = all().filter(|one| one.is_open() && Some(one.signer) == of);
        let settled = all().filter(|one| !one.is_open());
        let used = settled.filter(|one| {
            let signs = needs.signs;
            signs.is_some_and(|(of, nonce)| one.signer == of && one.nonce >= nonce)
        });
        State {
            publication: publication.cloned(),
            open_publication: open.map(PublicationState::taken_nonce).min(),
            used_nonce: used.map(PublicationState::taken_nonce).min(),
            ..State::default()
        }
    }

    fn decide(&self, command: Command) -> Result<Deed, deedbox_core::Refusal> {
        let by = Attribution::of(Principal::local());
        let now = Timestamp::from_millis(1_800_000_000_000).unwrap();
        let mut deeds = decide(&self.load(&command), command, &by, now)?;
        assert_eq!(deeds.len(), 1, "a command is one deed");
        Ok(deeds.remove(0))
    }

    fn ask(&mut self, act: Act) -> &'static str {
        let deed = match self.decide(self.command(act)) {
            Ok(deed) => deed,
            Err(refusal) => return refusal.code(),
        };
        let Stream::Publication(id) = deed.stream else {
            panic!("a publication's deed is in another stream")
        };
        let before = self.publications.remove(&id);
        let before = before.map(|state| Projection::Publication(Box::new(state)));
        replay::justify(before.as_ref(), &deed).unwrap();
        let Projection::Publication(after) = Projection::apply(before, &deed).unwrap() else {
            panic!("a publication's deed led to something else")
        };
        self.publications.insert(id, *after);
        self.deeds.push(deed);
        "ok"
    }
}

fn holds(desk: &Desk) -> Result<(), TestCaseError> {
    for (id, state) in &desk.publications {
        let own = desk.deeds.iter();
        let own = own.filter(|deed| deed.stream == Stream::Publication(*id));
        let rebuilt = Publication::from_deeds(own.cloned().collect());
        prop_assert_eq!(&rebuilt.unwrap().unwrap().state, state);
        let mut others = desk.publications.values();
        let one_nonce = (state.signer, state.nonce);
        let twice = others.any(|one| one.id != *id && (one.signer, one.nonce) == one_nonce);
        prop_assert!(!twice, "two have one nonce");
        if !state.is_open() {
            continue;
        }
        let hashes = state.attempts.iter().map(|hash| included(*hash));
        for settlement in hashes.chain([replaced(state.nonce + 1)]) {
            let id = *id;
            let settled = desk.decide(Command::SettlePublication { id, settlement });
            prop_assert!(settled.is_ok(), "it cannot be settled: {:?}", settled);
        }
    }
    // An account with nothing open goes on with the nonce after its last.
    for account in 0..2 {
        let of = signer(account);
        let own = || desk.publications.values().filter(|one| one.signer == of);
        let last = own().map(|one| one.nonce).max();
        let next = last.map_or(0, |last| u8::try_from(last).unwrap() + 1);
        let next = desk.command(Act::Sign {
            publication: u8::MAX,
            account,
            nonce: next,
            call: 0,
            fee: 0,
        });
        let goes_on = desk.decide(next).is_ok();
        prop_assert_eq!(goes_on, own().all(|one| !one.is_open()));
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a run is repeated by naming its seed"
)]
fn seed() -> u64 {
    let seed = std::env::var("DEEDBOX_SEED").map_or_else(
        |_| std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0),
        |text| text.parse().unwrap(),
    );
    println!("DEEDBOX_SEED={seed}");
    seed
}

#[test]
fn an_account_signs_nothing_new_while_one_is_open_and_no_nonce_twice_and_each_can_be_settled() {
    let config = Config {
        cases: 150,
        rng_seed: RngSeed::Fixed(seed()),
        failure_persistence: None,
        ..Config::default()
    };
    let answers = RefCell::new(BTreeMap::<_, u32>::new());
    let outcome = TestRunner::new(config).run(&acts(), |acts| {
        let (mut desk, mut model) = (Desk::default(), Model::default());
        for act in acts {
            let found = desk.ask(act);
            *answers.borrow_mut().entry(found).or_default() += 1;
            prop_assert_eq!(found, model.ask(act), "the answer to {:?}", act);
            holds(&desk)?;
            let open = desk.publications.values().filter(|one| one.is_open());
            let signers: Vec<_> = open.map(|one| one.signer).collect();
            if signers
                .iter()
                .any(|of| signers.iter().filter(|one| *one == of).count() > 1)
            {
                *answers.borrow_mut().entry("several open").or_default() += 1;
            }
        }
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    // What was never tried was not tested.
    let answers = answers.into_inner();
    println!("answers: {answers:#?}");
    for answer in [
        "ok",
        "invalid_input",
        "publication_not_found",
        "publication_open",
        "nonce_used",
        "publication_settled",
        "publication_differs",
        "several open",
    ] {
        let count = answers.get(answer).copied().unwrap_or_default();
        assert!(count >= 50, "{answer} came up only {count} times");
    }
}

#[test]
fn attempts_have_an_end_and_the_last_can_still_be_settled() {
    let mut desk = Desk::default();
    assert_eq!(
        desk.ask(Act::Sign {
            publication: 0,
            account: 0,
            nonce: 0,
            call: 0,
            fee: 0
        }),
        "ok"
    );
    let state = desk.publications.get_mut(&id(0)).unwrap();
    let most = deedbox_core::limits::PUBLICATION_ATTEMPTS;
    while state.attempts.len() < most {
        state.attempts.push(TransactionHash([9; 32]));
    }
    let attempt = Box::new(signed(0, 0, 0, 3));
    let raised = desk.decide(Command::SignPublication { id: id(0), attempt });
    assert_eq!(raised.unwrap_err().code(), "invalid_input");
    let settlement = included(TransactionHash([9; 32]));
    let settled = desk.decide(Command::SettlePublication {
        id: id(0),
        settlement,
    });
    assert!(settled.is_ok());
}
