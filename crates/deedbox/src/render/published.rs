//! A publication's history, drawn from top to bottom.

use deedbox_core::{
    Attribution, Body, ChainAddress, Deed, Publication, PublicationStatus, Settlement,
    SignedTransaction,
    publication::{Inclusion, ReadBack},
    task::RecordAttribution,
};
use deedbox_id::Address;
use serde_json::{Map, Value};

use super::{
    Output, Paint, line,
    timeline::{Headline, draw},
};

/// An address for people, with its checksum.
pub(crate) fn address(of: ChainAddress) -> String {
    format!("{:#}", Address(of.0))
}

/// Draws a publication and everything that happened to it, oldest first.
pub(crate) fn timeline(publication: &Publication, caller: &Attribution, output: &Output) -> String {
    let (state, paint) = (&publication.state, output.paint);
    let to = state.to.map_or_else(
        || "deploys a contract".to_owned(),
        |to| format!("calls {}", address(to)),
    );
    let mut drawn = vec![
        format!(
            "{} on chain {}",
            paint.strong(state.operation.as_str()),
            state.signer.chain_id
        ),
        format!("{} · {}", state.id, stand(state.status, paint)),
        format!(
            "account {} · nonce {} · {to}",
            address(state.signer.account),
            state.nonce
        ),
        String::new(),
    ];
    let last = publication.deeds.len().saturating_sub(1);
    for (i, deed) in publication.deeds.iter().enumerate() {
        let mut by = RecordAttribution::from(deed);
        by.shown_to(caller);
        let (mark, what, details) = event(deed, paint);
        let headline = Headline {
            mark,
            at: deed.at,
            what,
            by: &by,
        };
        let details: Vec<_> = details
            .iter()
            .map(|(label, text)| (*label, text.as_str()))
            .collect();
        draw(&headline, &details, i == last, output, &mut drawn);
    }
    drawn.join("\n")
}

/// A status in its colour.
fn stand(status: PublicationStatus, paint: Paint) -> String {
    let text = status.as_str();
    match status {
        PublicationStatus::Succeeded => paint.good(text),
        PublicationStatus::Reverted => paint.bad(text),
        PublicationStatus::Open | PublicationStatus::Replaced => paint.alert(text),
    }
}

type Details = Vec<(&'static str, String)>;

fn event(deed: &Deed, paint: Paint) -> (String, String, Details) {
    match &deed.body {
        Body::PublicationSigned(attempt) => {
            let what = format!("signed {}", attempt.transaction_hash);
            let mark = if deed.version == 1 { "○" } else { "●" };
            (mark.to_owned(), what, signed(attempt))
        }
        Body::PublicationSettled(settlement) => settled(settlement, paint),
        Body::PublicationUnsettled { reason } => {
            let details = vec![("", reason.to_string())];
            (paint.alert("↺"), "open again".to_owned(), details)
        }
        // A stream of publications holds nothing else.
        _ => (String::new(), String::new(), vec![]),
    }
}

fn signed(attempt: &SignedTransaction) -> Details {
    let (gas, fee) = (attempt.gas_limit, attempt.max_fee_per_gas);
    let most = u128::from(gas.0).saturating_mul(fee.0);
    let cost = format!(
        "at most {most} wei: {gas} gas at {fee}, of which {} to whoever makes the block",
        attempt.max_priority_fee_per_gas
    );
    let mut details = values(&attempt.arguments);
    details.push(("costs", cost));
    details
}

fn settled(settlement: &Settlement, paint: Paint) -> (String, String, Details) {
    let (number, hash) = settlement.block();
    let block = ("block", hash.to_string());
    match settlement {
        Settlement::Replaced(found) => {
            let what = format!("replaced by another transaction, seen at block {number}");
            let nonce = format!(
                "the account's next nonce was {} there; nothing that was signed here can be in the chain",
                found.account_nonce
            );
            let by = found.transaction_hash;
            let by = by.map(|hash| ("by transaction", hash.to_string()));
            let details = [("", nonce), block].into_iter().chain(by);
            (paint.alert("✗"), what, details.collect())
        }
        Settlement::Included(found) => {
            let (mark, fate) = if found.succeeded {
                (paint.good("✓"), "included")
            } else {
                (paint.bad("✗"), "reverted")
            };
            let mut details = included(found);
            details.push(block);
            (mark, format!("{fate} in block {number}"), details)
        }
    }
}

fn included(found: &Inclusion) -> Details {
    let mut details = vec![("transaction", found.transaction_hash.to_string())];
    details.extend(
        found
            .revert_reason
            .iter()
            .map(|why| ("because", why.to_string())),
    );
    details.extend(values(&found.created));
    let price = found.effective_gas_price;
    let paid = u128::from(found.gas_used.0).saturating_mul(price.0);
    details.push((
        "paid",
        format!("{paid} wei: {} gas at {price}", found.gas_used),
    ));
    let read_back = match found.read_back {
        ReadBack::Matches => Some("the chain says now what it was to say"),
        ReadBack::Differs => Some("the chain says something else than it was to say"),
        ReadBack::NotChecked => None,
    };
    details.extend(read_back.map(|text| ("read back", text.to_owned())));
    details.extend(
        found
            .findings
            .iter()
            .map(|finding| ("finding", finding.to_string())),
    );
    details
}

/// A line for each value under its name.
fn values(map: &Map<String, Value>) -> Details {
    map.iter()
        .map(|(name, value)| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            ("", format!("{}: {value}", line(name)))
        })
        .collect()
}
