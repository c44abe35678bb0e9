//! Tools, and the lists that predicates keep for them.

use alloy_sol_types::SolCall;

use super::{Call, Decoded, Encoded, read};
use crate::abi::{
    AllowlistPredicate as Allowlist, MerkleAllowlistPredicate as Merkle, ToolRegistry as Tools,
};

pub(super) fn encode(call: &Call) -> Encoded {
    Some(match call.clone() {
        Call::RegisterTool {
            metadata_uri,
            manifest_hash,
            access_predicate,
        } => Tools::registerToolCall {
            metadataURI: metadata_uri,
            manifestHash: manifest_hash,
            accessPredicate: access_predicate,
        }
        .abi_encode(),
        Call::UpdateToolMetadata {
            tool_id,
            metadata_uri,
            manifest_hash,
        } => Tools::updateToolMetadataCall {
            toolId: tool_id,
            newURI: metadata_uri,
            newHash: manifest_hash,
        }
        .abi_encode(),
        Call::SetAccessPredicate {
            tool_id,
            access_predicate,
        } => Tools::setAccessPredicateCall {
            toolId: tool_id,
            newPredicate: access_predicate,
        }
        .abi_encode(),
        Call::DeregisterTool(tool_id) => Tools::deregisterToolCall { toolId: tool_id }.abi_encode(),
        Call::SetAllowed {
            tool_id,
            accounts,
            allowed,
        } => Allowlist::setAllowedCall {
            toolId: tool_id,
            accounts,
            allowed,
        }
        .abi_encode(),
        Call::SetRoot { tool_id, root } => Merkle::setRootCall {
            toolId: tool_id,
            root,
        }
        .abi_encode(),
        _ => return None,
    })
}

pub(super) fn decode(data: &[u8]) -> Decoded {
    if let Some(call) = read::<Tools::registerToolCall>(data)? {
        return Ok(Some(Call::RegisterTool {
            metadata_uri: call.metadataURI,
            manifest_hash: call.manifestHash,
            access_predicate: call.accessPredicate,
        }));
    }
    if let Some(call) = read::<Tools::updateToolMetadataCall>(data)? {
        return Ok(Some(Call::UpdateToolMetadata {
            tool_id: call.toolId,
            metadata_uri: call.newURI,
            manifest_hash: call.newHash,
        }));
    }
    if let Some(call) = read::<Tools::setAccessPredicateCall>(data)? {
        return Ok(Some(Call::SetAccessPredicate {
            tool_id: call.toolId,
            access_predicate: call.newPredicate,
        }));
    }
    if let Some(call) = read::<Tools::deregisterToolCall>(data)? {
        return Ok(Some(Call::DeregisterTool(call.toolId)));
    }
    if let Some(call) = read::<Allowlist::setAllowedCall>(data)? {
        return Ok(Some(Call::SetAllowed {
            tool_id: call.toolId,
            accounts: call.accounts,
            allowed: call.allowed,
        }));
    }
    let root = read::<Merkle::setRootCall>(data)?;
    Ok(root.map(|call| Call::SetRoot {
        tool_id: call.toolId,
        root: call.root,
    }))
}
