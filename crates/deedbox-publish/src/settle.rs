//! What an included transaction did, as the ledger keeps it.

use deedbox_chain::{
    Code, ReadError,
    send::{Draft, Receipt, Sending},
};
use deedbox_core::{
    Gas, Timestamp, TransactionHash, Wei, limits,
    publication::{Inclusion, ReadBack},
    text::Statement,
};
use deedbox_registry::Revert;

use crate::{
    Desk,
    expect::Expected,
    follow::{Publication, at},
};

/// Reads back, at the receipt's block, what the change was to make true, and compares.
///
/// # Errors
/// [`ReadError`]; with [`Code::Reorged`] the block is not part of the chain any more.
pub(crate) async fn inclusion(
    desk: Desk<'_>,
    sending: &Sending<'_>,
    publication: &Publication,
    receipt: &Receipt,
) -> Result<Inclusion, ReadError> {
    if receipt.succeeded {
        let expected = Expected::of(&publication.change, publication.account, receipt);
        let chain_id = publication.latest.chain_id;
        let (read_back, findings, at) = match desk
            .chains
            .look(chain_id, at(receipt), expected.wanted())
            .await
        {
            Ok(looked) => {
                let (read_back, findings) = expected.compare(&looked.got);
                (read_back, findings, Some(looked.provenance.block_timestamp))
            }
            // It is in the chain; what it did there cannot be read any more, however often one tries.
            Err(error) if error.code == Code::ArchiveUnavailable => {
                (ReadBack::NotChecked, vec![error.to_string()], None)
            }
            Err(error) => return Err(error),
        };
        let mut inclusion = of(receipt, read_back, &findings, at);
        inclusion.created = expected.created;
        return Ok(inclusion);
    }
    let reason = reason(sending, publication, receipt).await?;
    let mut inclusion = of(receipt, ReadBack::NotChecked, &[], None);
    inclusion.revert_reason = Statement::new(reason).ok();
    Ok(inclusion)
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
    texts
        .filter_map(|text| {
            let cut: String = text.chars().take(limits::STATEMENT_BYTES / 4).collect();
            Statement::new(cut).ok()
        })
        .collect()
}

/// Why it was reverted: by making the same call once more, on the state before its block. A chain keeps no reason.
async fn reason(
    sending: &Sending<'_>,
    publication: &Publication,
    receipt: &Receipt,
) -> Result<String, ReadError> {
    if receipt.gas_used >= publication.latest.offer.gas_limit {
        return Ok("it used up all the gas that it was given".to_owned());
    }
    let draft = Draft {
        from: publication.account,
        to: publication.latest.to,
        data: publication.latest.data.clone(),
    };
    match sending.why_reverted(&draft, receipt.block_number).await {
        Ok(Some(data)) => Ok(Revert::name(&data).to_string()),
        Ok(None) => {
            Ok("not known: the same call is accepted before and after that block".to_owned())
        }
        Err(error) if error.code == Code::ArchiveUnavailable => Ok(format!("not known: {error}")),
        Err(error) => Err(error),
    }
}
