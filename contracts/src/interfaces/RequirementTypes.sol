// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

// The kinds of requirement that our predicates report, each as a marker interface with one function that takes nothing and
// that nobody calls: its selector, which is the interface's ERC-165 id, is the `kind` of an `AccessRequirement` (ERC-8257,
// Marker Interfaces). A name may be used once; the test `RequirementTypes.t.sol` compares every id that is known to be used.
//
// The first three are pinned by ERC-8257. `IERC20Balance` is in use by others already, with this id and this layout. The
// rest are ours. A composite that cannot read one of its terms reports the kind 0x00000000, which no interface has.

/// @notice Holding any token of an ERC-721 collection: 0xbdf8c428.
/// @dev `data = abi.encode(address collection)`
interface IERC721Holding {
    function erc721Holding() external;
}

/// @notice Holding a certain token of an ERC-1155 collection: 0xcb429230.
/// @dev `data = abi.encode(address collection, uint256 tokenId)`
interface IERC1155Holding {
    function erc1155Holding() external;
}

/// @notice A subscription that has not expired, of a tier or above: 0x44387cc2.
/// @dev `data = abi.encode(address collection, uint8 minTier)`; tier 0 means any.
interface ISubscription {
    function subscription() external;
}

/// @notice Holding at least so much of an ERC-20 token: 0x812b02ee.
/// @dev `data = abi.encode(address token, uint256 minBalance)`, in the token's smallest unit.
interface IERC20Balance {
    function erc20Balance() external;
}

/// @notice Owning an agent of an ERC-8122 registry: a certain one, or any: 0x89e8f097.
/// @dev `data = abi.encode(address registry, bool anyAgent, uint256 agentId)`; `agentId` is zero where any will do.
interface IERC8122AgentOwnership {
    function erc8122AgentOwnership() external;
}

/// @notice Being on a list that the tool's creator keeps: 0xf611ae64.
/// @dev `data = abi.encode(address predicate)`, the contract that holds the list.
interface IAllowlistMembership {
    function allowlistMembership() external;
}

/// @notice Being a leaf of a Merkle tree whose root the tool's creator sets: 0xbf61b1e7.
/// @dev `data = abi.encode(bytes32 root)`. How leaves are made: `MerkleAllowlistPredicate`.
interface IMerkleMembership {
    function merkleMembership() external;
}

/// @notice Showing an `AccessProof` that the account signed: 0x9ff15914.
/// @dev `data = abi.encode(address verifyingContract)`, as in the proof's EIP-712 domain.
interface ISignedAccessProof {
    function signedAccessProof() external;
}

/// @notice What another predicate decides, or its opposite: 0x50c8899f.
/// @dev `data = abi.encode(address predicate, bool negated)`. Its own requirements are read there, with its own logic.
interface ICompositeTerm {
    function compositeTerm() external;
}

/// @notice What nobody meets: 0x9c5986e7.
/// @dev `data` is empty.
interface INeverGranted {
    function neverGranted() external;
}
