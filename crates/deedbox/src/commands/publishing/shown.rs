//! How a publication came out: for people, for programs, and as an exit code.

use std::process::ExitCode;

use alloy_primitives::{Address, U256};
use deedbox_core::{
    PublicationId, Settlement,
    publication::{Inclusion, ReadBack},
};
use deedbox_id::{EvmChain, InteropAddress, Registry, TokenIdentifier, ToolReference};
use deedbox_publish::{Confirmation, Preview, Published, Settled, in_currency};
use serde_json::{Value, json};

use crate::{
    commands::Desk,
    failure::Failure,
    render::{Output, Paint, line, wrapped},
};

/// How one change came out, and whom it called.
pub(in crate::commands) struct Outcome {
    /// The chain's id.
    pub(in crate::commands) chain_id: u64,
    /// The contract that was called; none where one was created.
    pub(in crate::commands) to: Option<Address>,
    /// How it came out.
    pub(in crate::commands) published: Published,
}

/// Prints how each came out: a list where several were asked for, else the one.
///
/// # Errors
/// When standard output cannot be written to.
pub(super) fn print(
    desk: &Desk<'_>,
    outcomes: &[Outcome],
    several: bool,
) -> Result<ExitCode, Failure> {
    let mut values: Vec<Value> = outcomes.iter().map(value).collect();
    let value = match values.as_mut_slice() {
        [only] if !several => only.take(),
        _ => values.into(),
    };
    desk.output.print(&value, |output| {
        let texts = outcomes.iter().map(|one| text(one, output));
        texts.collect::<Vec<_>>().join("\n\n")
    })?;
    Ok(ExitCode::from(
        outcomes.iter().map(code).max().unwrap_or_default(),
    ))
}

/// The exit code: 1 for what is settled and is not what was wanted.
pub(super) fn code(outcome: &Outcome) -> u8 {
    match &outcome.published {
        Published::DryRun(_) => 0,
        Published::Settled(settled) => match &settled.settlement {
            Settlement::Included(found) => {
                u8::from(!found.succeeded || found.read_back == ReadBack::Differs)
            }
            Settlement::Replaced(_) => 1,
        },
    }
}

/// Under which name it is recorded; none where nothing is.
pub(super) fn publication(outcome: &Outcome) -> Option<PublicationId> {
    match &outcome.published {
        Published::DryRun(_) => None,
        Published::Settled(settled) => Some(settled.publication),
    }
}

/// For programs.
pub(super) fn value(outcome: &Outcome) -> Value {
    match &outcome.published {
        Published::DryRun(preview) => json!({
            "dry_run": true,
            "transaction": {
                "chain_id": preview.chain_id,
                "from": lower(preview.account),
                "to": preview.to.map(lower),
                "value": preview.value.to_string(),
                "data": preview.data.to_string(),
            },
            "preview": preview,
        }),
        Published::Settled(settled) => json!({
            "dry_run": false,
            "publication_id": settled.publication,
            "settlement": settled.settlement,
            "names": names(outcome, settled),
        }),
    }
}

/// For people.
fn text(outcome: &Outcome, output: &Output) -> String {
    match &outcome.published {
        Published::DryRun(preview) => dry_run(preview, output),
        Published::Settled(settled) => self::settled(outcome, settled, output),
    }
}

/// What will be done, as it is shown before anybody is asked.
pub(super) fn preview(preview: &Preview, paint: Paint, width: usize) -> String {
    let mut text = format!("{}\n", paint.strong("What will change"));
    let width = width.saturating_sub(4).max(20);
    let mut listed = |mark: &str, sentence: &str| {
        for (index, part) in wrapped(sentence, width).iter().enumerate() {
            let mark = if index == 0 { mark } else { " " };
            text.push_str(&format!("  {mark} {part}\n"));
        }
    };
    for change in &preview.changes {
        listed("•", change);
    }
    let alert = paint.alert("!");
    for warning in &preview.warnings {
        listed(&alert, warning);
    }
    if let Confirmation::Typed(_) = preview.confirmation {
        listed(&alert, "This cannot be undone.");
    }
    let to = preview
        .to
        .map_or_else(|| "a new contract".to_owned(), |to| to.to_string());
    for (name, value) in [
        (
            "chain",
            format!("{} ({})", preview.chain_id, line(&preview.chain)),
        ),
        ("account", preview.account.to_string()),
        ("nonce", preview.nonce.to_string()),
        ("to", to),
        (
            "gas",
            format!("{}, at most {}", preview.gas, preview.gas_limit),
        ),
        (
            "price",
            format!(
                "at most {} for each gas, {} of it a priority fee",
                gwei(preview.max_fee_per_gas),
                gwei(preview.max_priority_fee_per_gas)
            ),
        ),
        ("costs", format!("at most {}", line(&preview.max_cost_text))),
    ] {
        text.push_str(&format!(
            "  {} {value}\n",
            paint.faint(&format!("{name:<8}"))
        ));
    }
    text
}

/// A price of gas as people name it.
fn gwei(wei: u128) -> String {
    in_currency(U256::from(wei), "gwei", 9)
}

fn dry_run(preview: &Preview, output: &Output) -> String {
    let call = serde_json::to_string_pretty(&preview.arguments).unwrap_or_default();
    let call = call.lines().map(line).collect::<Vec<_>>().join("\n");
    let to = preview.to.map_or_else(
        || "(empty: it creates a contract)".to_owned(),
        |to| to.to_string(),
    );
    let mut shown = self::preview(preview, output.paint, output.width);
    if preview.to.is_none() {
        let alert = output.paint.alert("!");
        shown.push_str(&format!(
            "  {alert} Most wallets of several owners cannot create contracts. Any account can deploy it for them: nobody\n    has power over it for that.\n"
        ));
    }
    format!(
        "{shown}\n{}\nchain  {} ({})\nfrom   {}\nto     {to}\nvalue  {}\ndata   {}\n\n{} {call}",
        output
            .paint
            .strong("Nothing was signed. What a wallet has to send:"),
        preview.chain_id,
        line(&preview.chain),
        preview.account,
        preview.value,
        preview.data,
        line(&preview.operation),
    )
}

fn settled(outcome: &Outcome, settled: &Settled, output: &Output) -> String {
    let publication = settled.publication;
    let found = match &settled.settlement {
        Settlement::Included(found) => found,
        Settlement::Replaced(found) => {
            let by = found.transaction_hash.map(|hash| format!(" {hash}"));
            return format!(
                "{}\npublication {publication}\nAnother transaction{} has used its nonce (block {}), so it can never happen. What was wanted can be asked for again",
                output.paint.bad("Replaced: it did not happen."),
                by.unwrap_or_default(),
                found.block_number
            );
        }
    };
    let head = match (found.succeeded, found.read_back) {
        (false, _) if found.findings.is_empty() => output
            .paint
            .bad("Reverted: nothing changed, and the gas is spent."),
        (false, _) => output
            .paint
            .bad("Reverted, as its receipt says, and whether nothing changed is in doubt. Look at the chain before you ask for it again."),
        (true, ReadBack::Matches) => output.paint.good("Done, and read back from the chain."),
        (true, ReadBack::Differs) => output
            .paint
            .bad("Done, but the chain says something else than was signed."),
        (true, ReadBack::NotChecked) => output.paint.alert("Done; it was not read back."),
    };
    let mut lines = vec![head];
    if let Some(reason) = &found.revert_reason {
        lines.push(format!("because     {}", line(reason.as_str())));
    }
    lines.extend(
        found
            .findings
            .iter()
            .map(|finding| format!("finding     {}", line(finding.as_str()))),
    );
    lines.extend(spoken(outcome, settled));
    lines.push(format!("transaction {}", found.transaction_hash));
    lines.push(format!(
        "block       {} {}",
        found.block_number, found.block_hash
    ));
    lines.push(format!("gas         {}", found.gas_used));
    lines.push(format!("publication {publication}"));
    lines.join("\n")
}

/// What is new in the chain, by every name that the standards give it.
fn names(outcome: &Outcome, settled: &Settled) -> Value {
    let chain_id = outcome.chain_id;
    let Settlement::Included(found) = &settled.settlement else {
        return json!({});
    };
    let registry = outcome.to.map(|to| (to, spell(chain_id, to)));
    let mut names = serde_json::Map::new();
    if let Some(address) = created_address(found) {
        names.insert("contract".to_owned(), contract(chain_id, address));
    }
    if let Some((_, Some(registry))) = &registry {
        let ids = created_ids(found, "agent_ids");
        if !ids.is_empty() {
            let agents = ids
                .iter()
                .map(|id| TokenIdentifier::new(*id, registry.clone()).to_string());
            names.insert("agents".to_owned(), agents.collect::<Vec<_>>().into());
        }
    }
    if let Some((to, _)) = registry {
        let ids = created_ids(found, "tool_id");
        let tool = ids.first().and_then(|id| tool(chain_id, to, *id));
        if let Some(tool) = tool {
            names.insert("tool".to_owned(), tool.into());
        }
    }
    names.into()
}

fn spoken(outcome: &Outcome, settled: &Settled) -> Vec<String> {
    let names = names(outcome, settled);
    let mut lines = Vec::new();
    if let Some(contract) = names.get("contract") {
        for (label, key) in [("contract", "address"), ("", "caip10"), ("", "erc7930")] {
            if let Some(text) = contract[key].as_str() {
                lines.push(format!("{label:<11} {text}"));
            }
        }
    }
    for agent in names["agents"].as_array().into_iter().flatten() {
        lines.push(format!(
            "agent       {}",
            agent.as_str().unwrap_or_default()
        ));
    }
    if let Some(tool) = names["tool"].as_str() {
        lines.push(format!("tool        {tool}"));
    }
    lines
}

/// A contract in each notation.
pub(in crate::commands) fn contract(chain_id: u64, address: Address) -> Value {
    let interop = EvmChain::try_from(chain_id)
        .map(|chain| InteropAddress::evm(chain, deedbox_id::Address(address.0.0)).to_string());
    json!({
        "address": address.to_string(),
        "caip10": format!("eip155:{chain_id}:{}", lower(address)),
        "erc7930": interop.ok(),
    })
}

fn spell(chain_id: u64, registry: Address) -> Option<Registry> {
    let chain = EvmChain::try_from(chain_id).ok()?;
    Some(Registry::evm(chain, deedbox_id::Address(registry.0.0)))
}

fn tool(chain_id: u64, registry: Address, id: U256) -> Option<String> {
    let chain = EvmChain::try_from(chain_id).ok()?;
    let registry = deedbox_id::Address(registry.0.0);
    let tool = ToolReference::new(chain, registry, id).ok()?;
    Some(tool.to_string())
}

/// The address of the contract that a deployment created.
pub(in crate::commands) fn created_address(found: &Inclusion) -> Option<Address> {
    found.created.get("contract")?.as_str()?.parse().ok()
}

/// Ids that an inclusion created: one, or a list.
fn created_ids(found: &Inclusion, key: &str) -> Vec<U256> {
    let read = |value: &Value| value.as_str().and_then(|text| text.parse().ok());
    match found.created.get(key) {
        Some(Value::Array(ids)) => ids.iter().filter_map(read).collect(),
        Some(one) => read(one).into_iter().collect(),
        None => Vec::new(),
    }
}

/// For people.
pub(super) const fn read_back(read_back: ReadBack) -> &'static str {
    match read_back {
        ReadBack::Matches => "it says what was signed",
        ReadBack::Differs => "it says something else",
        ReadBack::NotChecked => "not compared",
    }
}

fn lower(address: Address) -> String {
    format!("{address:#x}")
}
