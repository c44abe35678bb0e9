//! What an included transaction did, as the ledger keeps it.

use deedbox_chain::{
    Code, ReadError,
    send::{Receipt, Sending},
};
use deedbox_core::{
    Gas, Timestamp, TransactionHash, Wei, json, limits,
    publication::{Inclusion, ReadBack},
    text::Statement,
};

use crate::{Desk, expect::Expected, follow::at, publication::Publication, revert};

/// Reads back, at the receipt's block, what the change was to make true, and compares; also when the receipt says that it was reverted. When it is
/// `late`, or reading will never do, the receipt stands there without, and where that leaves something open, with a finding that says so.
///
/// # Errors
/// [`ReadError`]; with [`Code::Reorged`] the block is not part of the chain any more.
pub(crate) async fn inclusion(
    desk: Desk<'_>,
    sending: &Sending<'_>,
    publication: &Publication,
    receipt: &Receipt,
    late: bool,
) -> Result<Inclusion, ReadError> {
    if receipt.succeeded {
        let Some(change) = &publication.change else {
            let unknown = "what was to be there is not known: this program does not make such calls (any more)";
            let findings = [unknown.to_owned()];
            return Ok(of(receipt, ReadBack::NotChecked, &findings, None));
        };
        let expected = Expected::of(
            change,
            publication.account,
            publication.latest.nonce,
            receipt,
        );
        let chain_id = publication.latest.chain_id;
        let (read_back, mut findings, at) = match desk
            .chains
            .look(chain_id, at(receipt), expected.wanted())
            .await
        {
            Ok(looked) => {
                let (read_back, findings) = expected.compare(&looked.got);
                (read_back, findings, Some(looked.provenance.block_timestamp))
            }
            Err(error) if is_final(&error, late) => {
                (ReadBack::NotChecked, vec![error.to_string()], None)
            }
            Err(error) => return Err(error),
        };
        let mut created = expected.created;
        if json::canonical_len(&created) > limits::PUBLICATION_ARGUMENTS_BYTES {
            findings.insert(
                0,
                "what was created is too much to be kept here; the receipt tells it".to_owned(),
            );
            created.clear();
        }
        // Of two receipts that say the opposite, the state decides.
        let succeeded = receipt.denied_by.is_empty() || read_back != ReadBack::Differs;
        if let Some(disagree) = disagreement(receipt) {
            findings.insert(0, disagree);
        }
        let mut inclusion = of(receipt, read_back, &findings, at);
        inclusion.succeeded = succeeded;
        if succeeded {
            inclusion.created = created;
        }
        return Ok(inclusion);
    }
    let reverted = revert::examine(desk, sending, publication, receipt, late).await?;
    let mut inclusion = of(receipt, reverted.read_back, &reverted.findings, None);
    inclusion.revert_reason = statement(&reverted.reason);
    Ok(inclusion)
}

/// That endpoints say the opposite of whether the transaction took effect.
fn disagreement(receipt: &Receipt) -> Option<String> {
    let ids = receipt.denied_by.iter().map(ToString::to_string);
    let ids = ids.collect::<Vec<_>>().join(", ");
    (!ids.is_empty()).then(|| {
        format!("endpoints disagree: by the receipt of {ids} the transaction was reverted, and by that of another endpoint it was not")
    })
}

/// Whether something is left unread for good: it cannot be read any more, or time is up. Never because the block is gone.
pub(crate) const fn is_final(error: &ReadError, late: bool) -> bool {
    match error.code {
        Code::Reorged => false,
        Code::ArchiveUnavailable | Code::RangeTooLarge | Code::CallReverted => true,
        _ => late,
    }
}

fn of(
    receipt: &Receipt,
    read_back: ReadBack,
    findings: &[String],
    block_timestamp: Option<Timestamp>,
) -> Inclusion {
    Inclusion {
        transaction_hash: TransactionHash(receipt.transaction.0),
        block_number: receipt.block_number,
        block_hash: receipt.block_hash,
        block_timestamp,
        succeeded: receipt.succeeded,
        gas_used: Gas(receipt.gas_used),
        effective_gas_price: Wei(receipt.effective_gas_price),
        revert_reason: None,
        read_back,
        findings: statements(findings),
        created: serde_json::Map::new(),
    }
}

/// At most as many as are kept, the last one saying how many more there are.
fn statements(findings: &[String]) -> Vec<Statement> {
    let most = limits::PUBLICATION_FINDINGS;
    let kept = if findings.len() > most {
        most - 1
    } else {
        findings.len()
    };
    let more = (kept < findings.len()).then(|| format!("and {} more", findings.len() - kept));
    let texts = findings[..kept].iter().cloned().chain(more);
    texts.filter_map(|text| statement(&text)).collect()
}

/// As much of a text as is kept. None when there is none.
fn statement(text: &str) -> Option<Statement> {
    let text = text.replace('\0', "\u{fffd}");
    let most = limits::STATEMENT_BYTES;
    if text.len() <= most {
        return Statement::new(text).ok();
    }
    let mark = "…";
    let head = &text[..text.floor_char_boundary(most - mark.len())];
    Statement::new(format!("{head}{mark}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_cut_and_never_lost() {
        for (text, length) in [
            ("a".repeat(4096), 4096),
            ("a".repeat(4097), 4096),
            // Three bytes each, and so is the mark: 4095 is the most that fits.
            ("テ".repeat(2000), 4095),
        ] {
            let kept = statement(&text).unwrap();
            assert_eq!(kept.as_str().len(), length);
            assert_eq!(kept.as_str().ends_with('…'), text.len() > 4096);
        }
        assert_eq!(statement("a\0b").unwrap().as_str(), "a\u{fffd}b");
    }

    #[test]
    fn findings_beyond_what_is_kept_are_counted() {
        let many: Vec<_> = (0..60).map(|n| format!("finding {n}")).collect();
        let kept = statements(&many);
        assert_eq!(kept.len(), 50);
        assert_eq!(kept[49].as_str(), "and 11 more");
        assert_eq!(statements(&many[..50]).len(), 50);
    }

    #[test]
    fn what_cannot_be_read_is_waited_for_until_it_is_late_but_a_block_that_is_gone_is_never_settled()
     {
        for (code, early, late) in [
            (Code::Timeout, false, true),
            (Code::EndpointUnavailable, false, true),
            (Code::WrongChain, false, true),
            (Code::ArchiveUnavailable, true, true),
            (Code::Reorged, false, false),
        ] {
            let error = ReadError::new(code, "x");
            assert_eq!(
                (is_final(&error, false), is_final(&error, true)),
                (early, late),
                "{code}"
            );
        }
    }
}
