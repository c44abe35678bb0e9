//! Interface ids (ERC-165) of the standards, pinned. The selectors that they are made of are those of the bindings, and a test compares.

/// ERC-165 itself.
pub const ERC165: [u8; 4] = [0x01, 0xff, 0xc9, 0xa7];
/// What no contract may claim (ERC-165): one that does says yes to everything.
pub const NONE: [u8; 4] = [0xff; 4];
/// ERC-6909, which every agent registry is.
pub const ERC6909: [u8; 4] = [0x0f, 0x63, 0x2f, 0xb3];
/// `IERC8048Metadata`, which every agent registry has.
pub const ERC8048: [u8; 4] = [0xdf, 0x67, 0x0b, 0xe1];
/// ERC-8048's metadata authority, which agent registries do not have.
pub const ERC8048_AUTHORITY: [u8; 4] = [0xf9, 0xcb, 0x12, 0x7d];
/// `IERC8049`, a registry's own metadata.
pub const ERC8049: [u8; 4] = [0x8e, 0xc3, 0xf8, 0x82];
/// The four functions of `IERC8122`. The standard pins no id, so that a registry need not claim it.
pub const ERC8122: [u8; 4] = [0x2b, 0xb5, 0x5c, 0xdc];
/// `IToolRegistry` (ERC-8257).
pub const TOOL_REGISTRY: [u8; 4] = [0xf1, 0xdc, 0x80, 0x75];
/// `IAccessPredicate` (ERC-8257).
pub const ACCESS_PREDICATE: [u8; 4] = [0xbd, 0xf9, 0xdc, 0x18];
/// `IAccessPredicate` before its functions were renamed.
pub const OLD_ACCESS_PREDICATE: [u8; 4] = [0xa1, 0x1e, 0xa9, 0x58];
/// `getMetadata(uint256,string)`: ERC-8048 in an older draft, with another name for its function.
pub const OLD_ERC8048: [u8; 4] = [0xcb, 0x47, 0x99, 0xf2];
/// `IServesOneCaller`, of our predicates that answer nobody but one registry or composite.
pub const SERVES_ONE_CALLER: [u8; 4] = [0xfc, 0x9c, 0x8d, 0x39];

#[cfg(test)]
mod tests {
    use alloy_primitives::keccak256;

    use super::*;

    /// The exclusive or of the selectors, as ERC-165 defines an id.
    fn id(signatures: &[&str]) -> [u8; 4] {
        signatures.iter().fold([0; 4], |mut id, signature| {
            let hash = keccak256(signature);
            for (byte, of) in id.iter_mut().zip(&hash[..4]) {
                *byte ^= of;
            }
            id
        })
    }

    #[test]
    fn ids_are_those_of_the_functions_that_the_standards_name() {
        assert_eq!(ERC165, id(&["supportsInterface(bytes4)"]));
        assert_eq!(SERVES_ONE_CALLER, id(&["caller()"]));
        assert_eq!(ERC8048, id(&["metadata(uint256,string)"]));
        assert_eq!(ERC8049, id(&["contractMetadata(string)"]));
        assert_eq!(OLD_ERC8048, id(&["getMetadata(uint256,string)"]));
        assert_eq!(
            ERC6909,
            id(&[
                "balanceOf(address,uint256)",
                "allowance(address,address,uint256)",
                "isOperator(address,address)",
                "transfer(address,uint256,uint256)",
                "transferFrom(address,address,uint256,uint256)",
                "approve(address,uint256,uint256)",
                "setOperator(address,bool)",
            ])
        );
        assert_eq!(
            ERC8122,
            id(&[
                "register(address,string,string,address)",
                "register(address,(string,bytes)[])",
                "registerBatch(address[],(string,bytes)[][])",
                "ownerOf(uint256)",
            ])
        );
        assert_eq!(
            TOOL_REGISTRY,
            id(&[
                "registerTool(string,bytes32,address)",
                "deregisterTool(uint256)",
                "updateToolMetadata(uint256,string,bytes32)",
                "setAccessPredicate(uint256,address)",
                "getToolConfig(uint256)",
                "hasAccess(uint256,address,bytes)",
                "tryHasAccess(uint256,address,bytes)",
                "toolCount()",
                "name()",
                "version()",
            ])
        );
        assert_eq!(
            ACCESS_PREDICATE,
            id(&[
                "hasAccess(uint256,address,bytes)",
                "name()",
                "getRequirements(uint256)",
            ])
        );
    }
}
