//! From recorded bytes to a settled publication: sending, waiting, reading back, recording.
//!
//! Everything here may be interrupted at any point and begun anew: it starts from what the ledger and the chain say, and the only thing that it
//! ever sends are bytes that are recorded.

use std::time::Duration;

use deedbox_chain::{
    Block,
    send::{Broadcast, NotTaken, Receipt, Sending},
};
use deedbox_core::{Command, PublicationId, Refusal, publication::Settlement};
use tokio::time::{Instant, sleep};

use crate::{
    Desk, Options, PublishError, Published, Settled, Step, Teller, earlier,
    error::are,
    publication::Publication,
    replaced::{self, Evidence},
    settle,
    watch::{self, Memory, Move, Seen},
};

const NOWHERE: &str = "no endpoint says that it has it; with --raise-fee it offers more";

/// Goes on with an open publication until it is settled or time is up. `fresh` when its newest attempt was recorded just now, and so
/// was never sent.
///
/// # Errors
/// [`PublishError`] that names the publication, whatever went wrong: it is open.
pub(crate) async fn follow(
    desk: Desk<'_>,
    id: PublicationId,
    fresh: bool,
    options: &Options,
    teller: &mut dyn Teller,
) -> Result<Published, PublishError> {
    let followed = match Publication::load(desk, id).await {
        Ok(publication) => settled(desk, publication, fresh, options, teller).await,
        Err(error) => Err(error),
    };
    followed.map_err(|error| error.while_open(id))
}

async fn settled(
    desk: Desk<'_>,
    publication: Publication,
    fresh: bool,
    options: &Options,
    teller: &mut dyn Teller,
) -> Result<Published, PublishError> {
    let sending = desk.chains.sending(publication.latest.chain_id)?;
    let started = Instant::now();
    let mut watched = Watched {
        desk,
        sending,
        publication,
        memory: Memory::default(),
        started,
        told: None,
        state: NOWHERE.to_owned(),
        offered: false,
    };
    if fresh {
        watched.send(teller).await?;
    }
    loop {
        let late = started.elapsed() >= options.wait;
        match watched.step(options, late, teller).await {
            Ok(Some(settled)) => return Ok(Published::Settled(Box::new(settled))),
            Ok(None) if late => {
                return Err(PublishError::NotYet {
                    id: watched.publication.id,
                    seconds: started.elapsed().as_secs(),
                    state: watched.state.clone(),
                });
            }
            // An endpoint that does not answer for a moment is no reason to lose sight of it.
            Err(PublishError::Read(error)) if late || !error.code.retryable() => {
                let id = watched.publication.id;
                return Err(PublishError::LostSight { id, error });
            }
            Ok(None) | Err(PublishError::Read(_)) => {}
            Err(error) => return Err(error),
        }
        sleep(options.poll.max(Duration::from_millis(1))).await;
    }
}

/// A publication that is waited for.
struct Watched<'a> {
    desk: Desk<'a>,
    sending: Sending<'a>,
    publication: Publication,
    memory: Memory,
    started: Instant,
    /// In which block, and with how many confirmations, it was told to be the last time.
    told: Option<(u64, u64)>,
    /// Where it was seen the last time, in words.
    state: String,
    /// Whether every endpoint was given its bytes.
    offered: bool,
}

impl Watched<'_> {
    /// Looks once and does what follows. Something when that settled it. When it is `late`, what cannot be read of its effect is left unread.
    async fn step(
        &mut self,
        options: &Options,
        late: bool,
        teller: &mut dyn Teller,
    ) -> Result<Option<Settled>, PublishError> {
        let account = self.publication.account;
        // Before the attempts: of one that was included in between it is then not said that its nonce had passed.
        let progress = self
            .sending
            .progress(account, options.confirmations)
            .await?;
        let head = progress.head.number;
        let seen = Seen {
            attempts: self.publication.whereabouts(&self.sending).await?,
            account_nonce: progress.nonce,
            settled_nonce: progress.settled_nonce,
            head,
        };
        let nonce = self.publication.latest.nonce;
        let (desk, sending) = (self.desk, &self.sending);
        earlier::none_is_gone(desk, sending, &self.publication, progress.nonce).await?;
        let (next, gone) = watch::next(&mut self.memory, &seen, nonce, options.confirmations);
        if let Some(block_number) = gone {
            teller.tell(&Step::Reorganised { block_number });
        }
        match next {
            Move::Wait { pending, passed } => {
                let missing = nonce.saturating_sub(progress.nonce);
                self.state = match (pending, passed) {
                    _ if missing > 0 => format!(
                        "the account's next nonce on this chain is {}, and this one is {nonce}: {} missing before it. Either they are still to come; or the chain took back blocks that they were in; or this is another chain than the one that it was signed for, or one that began anew: then it never settles, and the chain needs a ledger of its own, with another --data-dir",
                        progress.nonce,
                        are(missing, "transaction")
                    ),
                    (true, _) => {
                        "an endpoint has it, and it is in no block; with --raise-fee it offers more"
                            .to_owned()
                    }
                    (false, true) => {
                        "its nonce is used, and not every endpoint has said yet whether by this transaction, in a block that is deep enough".to_owned()
                    }
                    (false, false) => NOWHERE.to_owned(),
                };
                teller.tell(&Step::Waiting {
                    seconds: self.started.elapsed().as_secs(),
                    head,
                    pending,
                });
            }
            Move::Deepen {
                receipt,
                confirmations,
            } => {
                self.state = format!(
                    "it is in block {}, with {confirmations} of {} confirmations",
                    receipt.block_number, options.confirmations
                );
                self.included(&receipt, confirmations, options, teller);
            }
            Move::SendAgain => {
                let (_, transaction) = self.publication.newest();
                teller.tell(&Step::Dropped { transaction });
                self.send(teller).await?;
            }
            Move::Settle(receipt) => {
                let depth = head.saturating_sub(receipt.block_number) + 1;
                self.included(&receipt, depth, options, teller);
                return self.settle_inclusion(&receipt, late, teller).await;
            }
            Move::Disputed(deniers) => {
                let deniers = deniers.iter().map(ToString::to_string).collect::<Vec<_>>();
                self.state = format!(
                    "an endpoint tells a receipt of it, and {} does not have it in the block that the receipt names: one of them is wrong, or on another branch of the chain",
                    deniers.join(", ")
                );
                self.offer(teller).await;
            }
            Move::Passed => {
                if self.offer(teller).await {
                    return self.replaced(progress.settled.number, teller).await;
                }
                // Of one that was not given them it is told until it is.
                if self.offered {
                    self.memory.look_anew();
                }
            }
        }
        Ok(None)
    }

    /// Gives the newest attempt to every endpoint, once: one that says that it took it, or that its nonce is used, may be the only one that ever
    /// heard of it. Whether all were given it before.
    async fn offer(&mut self, teller: &mut dyn Teller) -> bool {
        if self.offered {
            return true;
        }
        let (raw, transaction) = self.publication.newest();
        let offered = self.sending.offer(raw).await;
        for answer in &offered {
            if let Broadcast::Taken(endpoint) = answer {
                teller.tell(&Step::Sent {
                    transaction,
                    endpoint: endpoint.clone(),
                });
            }
        }
        match replaced::unheard(&offered) {
            None => self.offered = true,
            Some(why) => {
                self.state = format!(
                    "its nonce is used, and not every endpoint of the chain could be given its bytes to make sure that it was not by this one: {why}"
                );
            }
        }
        false
    }

    /// Records that something else used its nonce, where that is proven.
    async fn replaced(
        &mut self,
        by: u64,
        teller: &mut dyn Teller,
    ) -> Result<Option<Settled>, PublishError> {
        match replaced::evidence(&self.sending, &self.publication, by).await? {
            Evidence::Replaced(found) => self.record(Settlement::Replaced(found), teller).await,
            Evidence::Open(why) => {
                self.state = why;
                Ok(None)
            }
        }
    }

    /// Tells in which block it is, unless that was told.
    fn included(
        &mut self,
        receipt: &Receipt,
        confirmations: u64,
        options: &Options,
        teller: &mut dyn Teller,
    ) {
        let now = Some((receipt.block_number, confirmations));
        if self.told == now {
            return;
        }
        self.told = now;
        teller.tell(&Step::Included {
            transaction: receipt.transaction,
            block_number: receipt.block_number,
            confirmations,
            wanted: options.confirmations.max(1),
        });
    }

    /// Hands the newest attempt over. What it came to is told; only what waiting cannot help is an error.
    async fn send(&self, teller: &mut dyn Teller) -> Result<(), PublishError> {
        let (raw, transaction) = self.publication.newest();
        match self.sending.broadcast(raw).await {
            Broadcast::Taken(endpoint) => teller.tell(&Step::Sent {
                transaction,
                endpoint,
            }),
            Broadcast::AlreadyKnown(endpoint) => teller.tell(&Step::Known {
                transaction,
                endpoint,
            }),
            Broadcast::Unclear(error) => teller.tell(&Step::Unclear {
                reason: error.to_string(),
            }),
            // Whether by one of ours or by another, the next looks tell.
            Broadcast::NotTaken(why @ NotTaken::NonceTooLow) => teller.tell(&Step::Unclear {
                reason: why.to_string(),
            }),
            Broadcast::NotTaken(why @ NotTaken::ReplacementUnderpriced)
                if self.publication.attempts.len() > 1 =>
            {
                teller.tell(&Step::Unclear {
                    reason: why.to_string(),
                });
            }
            Broadcast::NotTaken(why) => {
                return Err(PublishError::NotTaken {
                    id: self.publication.id,
                    advice: advice(&why),
                    why,
                });
            }
        }
        Ok(())
    }

    /// Reads back what an inclusion did, and records it. Nothing when the block is gone meanwhile.
    async fn settle_inclusion(
        &self,
        receipt: &Receipt,
        late: bool,
        teller: &mut dyn Teller,
    ) -> Result<Option<Settled>, PublishError> {
        let (desk, publication) = (self.desk, &self.publication);
        let read = settle::inclusion(desk, &self.sending, publication, receipt, late).await;
        let inclusion = match read {
            Ok(inclusion) => inclusion,
            Err(error) if error.code == deedbox_chain::Code::Reorged => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if inclusion.succeeded || !inclusion.findings.is_empty() {
            teller.tell(&Step::ReadBack {
                read_back: inclusion.read_back,
                findings: inclusion.findings.iter().map(ToString::to_string).collect(),
            });
        }
        self.record(Settlement::Included(inclusion), teller).await
    }

    /// Records how it ended. Nothing when another process has recorded that, and opened it again.
    async fn record(
        &self,
        settlement: Settlement,
        teller: &mut dyn Teller,
    ) -> Result<Option<Settled>, PublishError> {
        let id = self.publication.id;
        let command = Command::SettlePublication {
            id,
            settlement: Box::new(settlement.clone()),
        };
        match self.desk.execute(command).await {
            Ok(()) => {}
            // Another process waited for the same, and was faster. What it recorded counts.
            Err(PublishError::Refused(Refusal::PublicationSettled { .. })) => {
                let publication = Publication::load(self.desk, id).await?;
                return Ok(publication.settlement.map(|settlement| Settled {
                    publication: id,
                    settlement,
                }));
            }
            Err(error) => return Err(error),
        }
        teller.tell(&Step::Settled { publication: id });
        Ok(Some(Settled {
            publication: id,
            settlement,
        }))
    }
}

/// What to do about a transaction that nobody takes.
fn advice(why: &NotTaken) -> &'static str {
    match why {
        NotTaken::Underpriced | NotTaken::FeeBelowBase => {
            "Offer more with deedbox publication resume --raise-fee, or wait until gas is cheaper and resume"
        }
        NotTaken::ReplacementUnderpriced => {
            "Another wallet sent something with the same nonce. Wait until that is included and resume, which then records that it took this one's place; or offer more with --raise-fee"
        }
        NotTaken::InsufficientFunds => "Send the account what is missing, and resume",
        NotTaken::NonceGap => {
            "The endpoint does not have the account's earlier transactions (yet). Resume a little later"
        }
        NotTaken::PoolFull | NotTaken::Unsent(_) => {
            "Resume a little later; the same bytes are sent again"
        }
        NotTaken::SenderHasCode
        | NotTaken::GasLimitTooHigh
        | NotTaken::IntrinsicGasTooLow
        | NotTaken::TooLarge
        | NotTaken::WrongChain
        | NotTaken::Refused(_)
        | NotTaken::NonceTooLow => {
            "Resume to try again. To give it up, send any other transaction of the account with the same nonce from a wallet, and resume: that one then stands on record as having taken its place"
        }
    }
}

/// At which block a receipt is read back.
pub(crate) const fn at(receipt: &Receipt) -> Block {
    Block::Hash(receipt.block_hash)
}
