//! Transactions that are handed to a real node: what becomes of them, and what is said of it.

use std::time::{Duration, Instant};

use alloy_consensus::{SignableTransaction, TxEip1559};
use alloy_primitives::{Address, B256, Bytes, TxKind, U256, keccak256};
use alloy_signer::SignerSync as _;
use alloy_signer_local::PrivateKeySigner;
use alloy_sol_types::SolValue as _;
use anyhow::{Context as _, Result, bail};
use deedbox_chain::{
    Chains, Code,
    send::{
        AccountState, Broadcast, Draft, Nonces, NotTaken, Receipt, Sending, Simulation, Tip,
        Whereabouts,
    },
};
use deedbox_core::EndpointId;
use deedbox_neighbours::anvil::{Anvil, artifact};
use deedbox_tests::chain::{CHAIN, Way, call, chains};
use serde_json::json;

/// How long anything may take: far more than it does.
const PATIENCE: Duration = Duration::from_secs(60);

/// A node with a contract that refuses in every way, and an account that signs for itself.
struct World {
    anvil: Anvil,
    chains: Chains,
    signer: PrivateKeySigner,
    contract: Address,
}

impl World {
    fn start() -> Result<Self> {
        let anvil = Anvil::start()?;
        let contract = anvil.deploy("Refusing", &(false,).abi_encode_params())?;
        // The first account has deployed already; the second one has done nothing.
        let signer: PrivateKeySigner = Anvil::key(1).parse()?;
        assert_eq!(format!("{:#x}", signer.address()), anvil.account(1));
        Ok(Self {
            chains: chains(&anvil.url(), Way::Batch)?,
            contract: contract.parse()?,
            anvil,
            signer,
        })
    }

    fn sending(&self) -> Result<Sending<'_>> {
        Ok(self.chains.sending(CHAIN)?)
    }

    fn draft(&self, data: Vec<u8>) -> Draft {
        Draft {
            from: self.signer.address(),
            to: Some(self.contract),
            data: data.into(),
        }
    }

    /// Keeps a number, with this nonce, offering far more than it takes.
    fn keep(&self, nonce: u64, value: u64) -> TxEip1559 {
        TxEip1559 {
            chain_id: CHAIN,
            nonce,
            gas_limit: 200_000,
            max_fee_per_gas: 20_000_000_000,
            max_priority_fee_per_gas: 1_000_000_000,
            to: TxKind::Call(self.contract),
            input: call("keep(uint256)", (U256::from(value),)).into(),
            ..TxEip1559::default()
        }
    }

    fn sign(&self, transaction: TxEip1559) -> Result<Bytes> {
        let signature = self.signer.sign_hash_sync(&transaction.signature_hash())?;
        let mut raw = Vec::new();
        transaction.into_signed(signature).eip2718_encode(&mut raw);
        Ok(raw.into())
    }

    async fn hand_over(&self, transaction: TxEip1559) -> Result<(Broadcast, B256)> {
        let raw = self.sign(transaction)?;
        let outcome = self.sending()?.broadcast(&raw).await;
        Ok((outcome, keccak256(&raw)))
    }

    async fn refusal(&self, transaction: TxEip1559) -> Result<NotTaken> {
        match self.hand_over(transaction).await? {
            (Broadcast::NotTaken(reason), transaction) => {
                let whereabouts = self.sending()?.whereabouts(transaction).await?;
                assert_eq!(whereabouts, Whereabouts::Unknown { everywhere: true });
                Ok(reason)
            }
            (other, _) => bail!("it was not refused: {other:?}"),
        }
    }

    /// A transaction is taken before its block is made.
    async fn included(&self, transaction: B256) -> Result<Receipt> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Whereabouts::Included(receipt) = self.sending()?.whereabouts(transaction).await?
            {
                return Ok(*receipt);
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        bail!("transaction {transaction} is in no block");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_becomes_a_transaction_that_did_what_was_foretold() -> Result<()> {
    let world = World::start()?;
    let sending = world.sending()?;
    let account = world.signer.address();
    let state = sending.account(account).await?;
    let expected = AccountState {
        nonce: 0,
        pending_nonce: 0,
        balance: U256::from(10_000) * U256::from(10).pow(U256::from(18)),
        has_code: false,
        nonces: vec![Nonces {
            endpoint: EndpointId::known("anvil"),
            latest: 0,
            pending: 0,
        }],
    };
    assert_eq!(state, expected);
    assert!(state.is_agreed());
    assert!(sending.account(world.contract).await?.has_code);
    let data = call("keep(uint256)", (U256::from(5),));
    let tried = sending.simulate(&world.draft(data.clone())).await?;
    assert_eq!(tried.on, Tip::Pending);
    let Simulation::Succeeds { gas } = tried.outcome else {
        bail!("{:?}", tried.outcome);
    };
    let fees = sending.fees().await?;
    let base = fees.base_fee_per_gas.context("anvil has EIP-1559")?;
    let transaction = TxEip1559 {
        gas_limit: gas,
        max_fee_per_gas: 2 * base + fees.max_priority_fee_per_gas,
        max_priority_fee_per_gas: fees.max_priority_fee_per_gas,
        ..world.keep(state.nonce, 5)
    };
    let (outcome, transaction) = world.hand_over(transaction).await?;
    assert!(matches!(outcome, Broadcast::Taken(_)), "{outcome:?}");
    let receipt = world.included(transaction).await?;
    assert!(receipt.succeeded);
    assert_eq!(receipt.transaction, transaction);
    assert!(receipt.gas_used <= gas, "{} of {gas}", receipt.gas_used);
    // The base fee of the pending block is the one that was paid.
    assert_eq!(
        receipt.effective_gas_price,
        base + fees.max_priority_fee_per_gas
    );
    assert_eq!(receipt.contract, None);
    let [log] = &receipt.logs[..] else {
        bail!("{:?}", receipt.logs);
    };
    assert_eq!(log.address, world.contract);
    assert_eq!(
        log.topics,
        [keccak256("Kept(address,uint256)"), account.into_word()]
    );
    assert_eq!(log.data, U256::from(5).abi_encode());
    let head = sending.head().await?;
    assert_eq!(
        (head.number, head.hash),
        (receipt.block_number, receipt.block_hash)
    );
    assert!(sending.is_canonical(head.number, head.hash).await?);
    let state = sending.account(account).await?;
    assert_eq!((state.nonce, state.pending_nonce), (1, 1));
    let paid = U256::from(receipt.gas_used) * U256::from(receipt.effective_gas_price);
    assert_eq!(state.balance, expected.balance - paid);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_says_the_code_before_and_the_address_after() -> Result<()> {
    let world = World::start()?;
    let artifact = artifact("Refusing")?;
    let code = artifact["bytecode"].as_str().context("no bytecode")?;
    let code: Bytes = code.parse()?;
    let with = |refuses: bool| Bytes::from([&code, &(refuses,).abi_encode_params()[..]].concat());
    let draft = |data| Draft {
        from: world.signer.address(),
        to: None,
        data,
    };
    let sending = world.sending()?;
    let Simulation::Succeeds { gas } = sending.simulate(&draft(with(false))).await?.outcome else {
        bail!("it would not be deployed");
    };
    let refused = sending.simulate(&draft(with(true))).await?.outcome;
    assert_eq!(refused, unwanted(&world, 0));
    let transaction = TxEip1559 {
        to: TxKind::Create,
        input: with(false),
        gas_limit: gas,
        ..world.keep(0, 0)
    };
    let (outcome, transaction) = world.hand_over(transaction).await?;
    assert!(matches!(outcome, Broadcast::Taken(_)), "{outcome:?}");
    let receipt = world.included(transaction).await?;
    assert_eq!(receipt.contract, Some(world.signer.address().create(0)));
    Ok(())
}

fn unwanted(world: &World, value: u64) -> Simulation {
    let error = call(
        "Unwanted(address,uint256)",
        (world.signer.address(), U256::from(value)),
    );
    Simulation::Reverts { data: error.into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_contract_says_when_it_refuses_is_known_before() -> Result<()> {
    let world = World::start()?;
    let reason = call("Error(string)", ("not today".to_owned(),));
    let panic = call("Panic(uint256)", (U256::from(1),));
    let nothing = Simulation::Reverts { data: Bytes::new() };
    for (data, expected) in [
        (
            call("withError(uint256)", (U256::from(7),)),
            unwanted(&world, 7),
        ),
        (
            keccak256("withReason()")[..4].to_vec(),
            Simulation::Reverts {
                data: reason.into(),
            },
        ),
        (
            keccak256("withPanic()")[..4].to_vec(),
            Simulation::Reverts { data: panic.into() },
        ),
        (keccak256("withNothing()")[..4].to_vec(), nothing.clone()),
        (keccak256("withoutEnd()")[..4].to_vec(), nothing),
    ] {
        let tried = world
            .sending()?
            .simulate(&world.draft(data.clone()))
            .await?;
        assert_eq!(tried.outcome, expected, "{data:?}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_is_tried_behind_what_waits_already() -> Result<()> {
    let world = World::start()?;
    world.anvil.mine_at_once(false)?;
    let draft = world.draft(call("onlyFrom(uint256)", (U256::from(5),)));
    let sending = world.sending()?;
    assert_eq!(sending.simulate(&draft).await?.outcome, unwanted(&world, 0));
    let (outcome, _) = world.hand_over(world.keep(0, 5)).await?;
    assert!(matches!(outcome, Broadcast::Taken(_)), "{outcome:?}");
    let tried = sending.simulate(&draft).await?;
    assert!(
        matches!(tried.outcome, Simulation::Succeeds { .. }),
        "{tried:?}"
    );
    let state = sending.account(world.signer.address()).await?;
    assert_eq!((state.nonce, state.pending_nonce), (0, 1));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_reverts_in_its_block_is_included_and_did_not_succeed() -> Result<()> {
    let world = World::start()?;
    world.anvil.mine_at_once(false)?;
    // The second would have succeeded but for the first, which pays more.
    let second = TxEip1559 {
        input: call("onlyFrom(uint256)", (U256::from(0),)).into(),
        ..world.keep(1, 0)
    };
    let (_, first) = world.hand_over(world.keep(0, 9)).await?;
    let (outcome, second) = world.hand_over(second).await?;
    assert!(matches!(outcome, Broadcast::Taken(_)), "{outcome:?}");
    world.anvil.mine(1)?;
    assert!(world.included(first).await?.succeeded);
    let receipt = world.included(second).await?;
    assert!(!receipt.succeeded && receipt.logs.is_empty());
    assert!(receipt.gas_used > 21_000);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_bytes_are_known_while_they_wait_and_when_they_are_included() -> Result<()> {
    let world = World::start()?;
    world.anvil.mine_at_once(false)?;
    let again = || world.hand_over(world.keep(0, 5));
    let (outcome, transaction) = again().await?;
    assert!(matches!(outcome, Broadcast::Taken(_)), "{outcome:?}");
    let sending = world.sending()?;
    assert_eq!(
        sending.whereabouts(transaction).await?,
        Whereabouts::Pending
    );
    assert!(matches!(again().await?.0, Broadcast::AlreadyKnown(_)));
    world.anvil.mine(1)?;
    world.included(transaction).await?;
    // The node says that the nonce is too low.
    assert!(matches!(again().await?.0, Broadcast::AlreadyKnown(_)));
    assert_eq!(sending.account(world.signer.address()).await?.nonce, 1);
    // Another one with that nonce is not.
    assert_eq!(
        world.refusal(world.keep(0, 6)).await?,
        NotTaken::NonceTooLow
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_ahead_waits_for_those_before_it() -> Result<()> {
    let world = World::start()?;
    let (outcome, ahead) = world.hand_over(world.keep(1, 6)).await?;
    assert!(matches!(outcome, Broadcast::Taken(_)), "{outcome:?}");
    let sending = world.sending()?;
    assert_eq!(sending.whereabouts(ahead).await?, Whereabouts::Pending);
    let (outcome, before) = world.hand_over(world.keep(0, 5)).await?;
    assert!(matches!(outcome, Broadcast::Taken(_)), "{outcome:?}");
    world.included(before).await?;
    world.included(ahead).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_waits_is_replaced_only_by_one_that_pays_more() -> Result<()> {
    let world = World::start()?;
    world.anvil.mine_at_once(false)?;
    let (outcome, first) = world.hand_over(world.keep(0, 5)).await?;
    assert!(matches!(outcome, Broadcast::Taken(_)), "{outcome:?}");
    let same_fee = world.refusal(world.keep(0, 6)).await?;
    assert_eq!(same_fee, NotTaken::ReplacementUnderpriced);
    let more = TxEip1559 {
        max_fee_per_gas: 22_000_000_000,
        max_priority_fee_per_gas: 1_100_000_000,
        ..world.keep(0, 6)
    };
    let (outcome, second) = world.hand_over(more).await?;
    assert!(matches!(outcome, Broadcast::Taken(_)), "{outcome:?}");
    world.anvil.mine(1)?;
    world.included(second).await?;
    let sending = world.sending()?;
    assert_eq!(
        sending.whereabouts(first).await?,
        Whereabouts::Unknown { everywhere: true }
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_transaction_is_said() -> Result<()> {
    let world = World::start()?;
    let keep = || world.keep(0, 5);
    let cheap = TxEip1559 {
        max_fee_per_gas: 1,
        max_priority_fee_per_gas: 1,
        ..keep()
    };
    assert_eq!(world.refusal(cheap).await?, NotTaken::FeeBelowBase);
    let greedy = TxEip1559 {
        gas_limit: 40_000_000,
        ..keep()
    };
    assert_eq!(world.refusal(greedy).await?, NotTaken::GasLimitTooHigh);
    let stingy = TxEip1559 {
        gas_limit: 20_000,
        ..keep()
    };
    assert_eq!(world.refusal(stingy).await?, NotTaken::IntrinsicGasTooLow);
    let elsewhere = TxEip1559 {
        chain_id: 5,
        ..keep()
    };
    assert_eq!(world.refusal(elsewhere).await?, NotTaken::WrongChain);
    let large = TxEip1559 {
        to: TxKind::Create,
        input: vec![0; 60_000].into(),
        gas_limit: 10_000_000,
        ..keep()
    };
    assert_eq!(world.refusal(large).await?, NotTaken::TooLarge);
    let rich = TxEip1559 {
        max_fee_per_gas: 1_000_000_000_000_000_000,
        gas_limit: 1_000_000,
        ..keep()
    };
    assert_eq!(world.refusal(rich).await?, NotTaken::InsufficientFunds);
    // Nothing of it was sent.
    let state = world.sending()?.account(world.signer.address()).await?;
    assert_eq!((state.nonce, state.pending_nonce), (0, 0));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_was_dropped_is_unknown_and_can_be_handed_over_again() -> Result<()> {
    let world = World::start()?;
    world.anvil.mine_at_once(false)?;
    let again = || world.hand_over(world.keep(0, 5));
    let (_, transaction) = again().await?;
    world
        .anvil
        .rpc("anvil_dropTransaction", json!([transaction]))?;
    let sending = world.sending()?;
    assert_eq!(
        sending.whereabouts(transaction).await?,
        Whereabouts::Unknown { everywhere: true }
    );
    assert!(matches!(again().await?.0, Broadcast::Taken(_)));
    world.anvil.mine(1)?;
    assert!(world.included(transaction).await?.succeeded);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inclusion_that_left_the_chain_is_none_any_more() -> Result<()> {
    let world = World::start()?;
    let (_, transaction) = world.hand_over(world.keep(0, 5)).await?;
    let receipt = world.included(transaction).await?;
    world.anvil.mine(2)?;
    let sending = world.sending()?;
    let (number, hash) = (receipt.block_number, receipt.block_hash);
    assert!(sending.is_canonical(number, hash).await?);
    world.anvil.reorg(3)?;
    assert!(!sending.is_canonical(number, hash).await?);
    let whereabouts = sending.whereabouts(transaction).await?;
    assert!(
        matches!(
            whereabouts,
            Whereabouts::Pending | Whereabouts::Unknown { .. }
        ),
        "{whereabouts:?}"
    );
    // It never happened, and so it can be handed over again: the nonce is free.
    assert_eq!(sending.account(world.signer.address()).await?.nonce, 0);
    let (outcome, _) = world.hand_over(world.keep(0, 5)).await?;
    assert!(
        matches!(outcome, Broadcast::Taken(_) | Broadcast::AlreadyKnown(_)),
        "{outcome:?}"
    );
    let there = world.included(transaction).await?;
    assert_ne!(there.block_hash, hash);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_height_that_the_chain_does_not_have_is_not_said_to_be_another_block() -> Result<()> {
    let world = World::start()?;
    let sending = world.sending()?;
    let head = sending.head().await?;
    let error = sending
        .is_canonical(head.number + 1, head.hash)
        .await
        .unwrap_err();
    assert_eq!(error.code, Code::EndpointLagging);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_without_a_base_fee_has_a_gas_price() -> Result<()> {
    let anvil = Anvil::start_with(&["--hardfork", "berlin"])?;
    let chains = chains(&anvil.url(), Way::Batch)?;
    let fees = chains.sending(CHAIN)?.fees().await?;
    assert_eq!(fees.base_fee_per_gas, None);
    assert_eq!(fees.max_priority_fee_per_gas, 0);
    assert!(fees.gas_price > 0);
    Ok(())
}
