//! Readings for people: what was read, in which unit, at which block, and where the evidence is. Texts from a chain are
//! shown safely, with what is odd about them.

use deedbox_chain::{Request, request::AddressText};
use deedbox_server::{
    Envelope,
    operations::{ChainList, Provenance},
};
use serde_json::{Map, Value};

use super::units::scaled;
use crate::{
    render::{Output, cell, line, moment, table},
    settings::Settings,
};

/// Columns that a text from a chain may take.
const TEXT_WIDTH: usize = 64;

type Data = Map<String, Value>;
pub(super) type Rows = Vec<(&'static str, String)>;

pub(in crate::commands) fn reading(
    request: &Request,
    envelope: &Envelope,
    settings: &Settings,
    output: &Output,
) -> String {
    let (Some(data), Some(provenance)) = (&envelope.data, &envelope.provenance) else {
        return String::new();
    };
    let mut text = String::new();
    let about = request.addresses().into_iter();
    let about = about.map(|(name, AddressText(address))| (name, line(address)));
    let rows = match request {
        Request::NativeBalance(_) => amount(data, Some(symbol(request, settings))),
        Request::Erc20Balance(_) => amount(data, None),
        Request::TokenMetadata(_) => metadata(data, output),
        Request::PoolReserves(_) => pool(data),
        Request::RecentTransfers(_) => {
            text = transfers(data, output);
            Vec::new()
        }
    };
    let rows = about.chain(rows).chain(origin(provenance, settings));
    text.push_str(&listed(rows.collect(), output));
    text
}

/// Names and values under each other.
pub(super) fn listed(rows: Rows, output: &Output) -> String {
    listed_at(0, rows, output)
}

/// The same, with values at this column at least: in line with rows that follow.
pub(super) fn listed_at(least: usize, rows: Rows, output: &Output) -> String {
    let names = rows.iter().map(|(name, _)| name.len());
    let width = names.max().unwrap_or(0).max(least);
    let row = |(name, value)| {
        let name = format!("{name:<width$}");
        format!("{}  {value}\n", output.paint.faint(&name))
    };
    rows.into_iter().map(row).collect()
}

fn symbol(request: &Request, settings: &Settings) -> String {
    let mut chains = settings.chains.iter();
    let chain = chains.find(|chain| chain.id == request.chain_id());
    chain
        .and_then(|chain| chain.native.as_ref())
        .map_or_else(String::new, |native| line(&native.symbol))
}

/// A member of what was read, as text: numbers are decimal strings already.
fn text(data: &Value, key: &str) -> String {
    match &data[key] {
        Value::Null => "-".to_owned(),
        Value::String(text) => line(text),
        other => line(&other.to_string()),
    }
}

fn decimals(data: &Data) -> Option<u8> {
    data.get("decimals")
        .and_then(Value::as_u64)
        .and_then(|decimals| u8::try_from(decimals).ok())
}

fn raw(data: &Data, key: &str) -> String {
    let raw = data.get(key).and_then(Value::as_str);
    raw.map_or_else(|| "-".to_owned(), line)
}

fn amount(data: &Data, unit: Option<String>) -> Rows {
    let raw = raw(data, "raw_amount");
    let scaled = match (decimals(data), &unit) {
        (Some(decimals), Some(unit)) => {
            format!(
                "{} {unit} ({decimals} decimals, as configured)",
                scaled(&raw, decimals)
            )
        }
        (Some(decimals), None) => {
            format!(
                "{} ({decimals} decimals, as the token says)",
                scaled(&raw, decimals)
            )
        }
        (None, _) => "unknown: the token does not say its decimals".to_owned(),
    };
    vec![
        ("amount", scaled),
        ("raw amount", format!("{raw} (smallest unit)")),
    ]
}

fn metadata(data: &Data, output: &Output) -> Rows {
    let name = |key: &str| {
        data.get(key)
            .map_or_else(|| "-".to_owned(), |text| untrusted(text, output))
    };
    let decimals = decimals(data);
    let supply = raw(data, "total_supply");
    let total = match decimals {
        Some(decimals) if supply != "-" => {
            format!(
                "{} ({supply} in the smallest unit)",
                scaled(&supply, decimals)
            )
        }
        _ => supply,
    };
    let said = |decimals: u8| decimals.to_string();
    vec![
        ("name", name("name")),
        ("symbol", name("symbol")),
        ("decimals", decimals.map_or_else(|| "-".to_owned(), said)),
        ("total supply", total),
    ]
}

/// A stranger's text with its flags behind it. Nothing in it can reach the terminal, and it cannot look like the flags.
pub(in crate::commands) fn untrusted(text: &Value, output: &Output) -> String {
    untrusted_in(text, TEXT_WIDTH, output)
}

/// The same in so many columns.
pub(super) fn untrusted_in(text: &Value, width: usize, output: &Output) -> String {
    let Some(said) = text["text"].as_str() else {
        return "- (it does not say)".to_owned();
    };
    let mut odd: Vec<String> = text["flags"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|flag| flag.as_str().map(line))
        .collect();
    if text["truncated"] == true {
        odd.push("truncated".to_owned());
    }
    // A quote of its own would end it, and what follows would look like ours.
    let said = said.replace('\\', "\\\\").replace('"', "\\\"");
    let shown = format!("\"{}\"", cell(&said, width));
    if odd.is_empty() {
        shown
    } else {
        format!("{shown}  {}", output.paint.alert(&odd.join(", ")))
    }
}

fn pool(data: &Data) -> Rows {
    let data = Value::Object(data.clone());
    let mut rows = vec![
        ("kind", text(&data, "kind")),
        ("token 0", text(&data, "token0")),
        ("token 1", text(&data, "token1")),
    ];
    if data["kind"] == "uniswap_v2" {
        let reserve = |key| format!("{} (smallest unit)", text(&data, key));
        rows.push(("reserve 0", reserve("reserve0")));
        rows.push(("reserve 1", reserve("reserve1")));
    } else {
        let balances = &data["balances"];
        let balance = |key| {
            format!(
                "{} (smallest unit; a balance, not depth)",
                text(balances, key)
            )
        };
        rows.push((
            "sqrt price x96",
            format!(
                "{} (square root of token 1 per token 0 in smallest units, times 2^96)",
                text(&data, "sqrt_price_x96")
            ),
        ));
        rows.push(("tick", text(&data, "tick")));
        rows.push(("liquidity", text(&data, "liquidity")));
        rows.push(("fee", format!("{} (millionths)", text(&data, "fee"))));
        rows.push(("balance 0", balance("token0")));
        rows.push(("balance 1", balance("token1")));
    }
    rows
}

fn transfers(data: &Data, output: &Output) -> String {
    let items = data.get("transfers").and_then(Value::as_array);
    let row = |transfer: &Value| {
        let moved = if transfer["kind"] == "erc721" {
            format!("token {}", text(transfer, "token_id"))
        } else {
            text(transfer, "raw_amount")
        };
        let flags = transfer["flags"].as_array().into_iter().flatten();
        let flags: Vec<&str> = flags.filter_map(Value::as_str).collect();
        vec![
            text(transfer, "block_number"),
            text(transfer, "direction"),
            text(transfer, "token"),
            moved,
            text(transfer, "from"),
            text(transfer, "to"),
            text(transfer, "transaction_hash"),
            line(&flags.join(", ")),
        ]
    };
    let rows: Vec<Vec<String>> = items.into_iter().flatten().map(row).collect();
    let mut shown = if rows.is_empty() {
        "No transfers in this range.".to_owned()
    } else {
        let header = [
            "BLOCK",
            "WAY",
            "TOKEN",
            "RAW AMOUNT",
            "FROM",
            "TO",
            "TRANSACTION",
            "FLAGS",
        ];
        table(output, &header, rows)
    };
    let left_out = data.get("ambiguous").and_then(Value::as_u64).unwrap_or(0);
    if left_out > 0 {
        shown.push_str(&format!(
            "\n{left_out} logs can be read in two ways and were left out."
        ));
    }
    if let Some(next) = data.get("next").and_then(Value::as_str) {
        shown.push_str(&format!(
            "\nThere is more: the same with --to-block {}",
            line(next)
        ));
    }
    shown.push_str("\n\n");
    shown
}

pub(super) fn origin(provenance: &Provenance, settings: &Settings) -> Rows {
    let read = &provenance.read;
    let chain = settings
        .chains
        .iter()
        .find(|chain| chain.id == read.chain_id);
    let name = chain.map_or_else(String::new, |chain| format!(" ({})", line(&chain.name)));
    vec![
        ("chain", format!("{}{name}", read.chain_id)),
        (
            "block",
            format!("{} {}", read.block_number, read.block_hash),
        ),
        ("block time", moment(read.block_timestamp)),
        ("endpoint", read.endpoint_id.to_string()),
        ("evidence", provenance.evidence_id.to_string()),
    ]
}

pub(in crate::commands) fn chains(list: &ChainList, output: &Output) -> String {
    let mut rows = Vec::new();
    for chain in &list.chains {
        for endpoint in &chain.endpoints {
            let word = |word: serde_json::Result<Value>| {
                let word = word.unwrap_or_default();
                word.as_str().unwrap_or_default().replace('_', " ")
            };
            let mut state = word(serde_json::to_value(endpoint.health));
            // Of the wrong chain, the state says it all.
            if let Some(reason) = endpoint.reason.map(|why| word(serde_json::to_value(why)))
                && reason != state
            {
                state = format!("{state}: {reason}");
            }
            rows.push(vec![
                chain.chain_id.to_string(),
                line(&chain.name),
                format!(
                    "{}, {} decimals",
                    line(&chain.native_symbol),
                    chain.native_decimals
                ),
                endpoint.endpoint_id.to_string(),
                state,
                endpoint
                    .head
                    .map_or_else(|| "-".to_owned(), |head| head.to_string()),
            ]);
        }
    }
    if rows.is_empty() {
        return "No chain is configured. Name one with --chain, DEEDBOX_CHAINS or [chains] in deedbox.toml."
            .to_owned();
    }
    let header = ["CHAIN", "NAME", "NATIVE", "ENDPOINT", "STATE", "HEAD"];
    table(output, &header, rows)
}
