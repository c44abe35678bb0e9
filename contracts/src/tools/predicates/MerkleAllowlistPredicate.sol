// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {IToolRegistry} from "../../interfaces/IToolRegistry.sol";
import {IMerkleMembership} from "../../interfaces/RequirementTypes.sol";
import {CreatorControlled} from "./CreatorControlled.sol";
import {DataPredicate} from "./Predicate.sol";

/// @title MerkleAllowlistPredicate
/// @notice Grants access to accounts that prove to be in a tool's Merkle tree, whose root the tool's creator sets. One deployment
/// serves all tools of one registry.
/// @dev `data = abi.encode(bytes32[] proof)`, the hashes beside the path from the account's leaf up to the root. Anything else is a
/// no, and so is a tool without a root.
///
/// A leaf is `keccak256(bytes.concat(keccak256(abi.encode(account))))`, a node `keccak256(bytes.concat(lower, higher))`. A leaf's
/// inner hash is taken over 32 bytes and a node's over 64, and the leaf is hashed once more, so that no node passes as a leaf. Trees
/// like this, one address to a leaf, are what the common JavaScript libraries for Merkle trees make.
contract MerkleAllowlistPredicate is DataPredicate, CreatorControlled {
    /// @notice A tool's root changed.
    /// @param toolId The tool.
    /// @param root   The root from now on; zero means that nobody has access.
    event RootSet(uint256 indexed toolId, bytes32 root);

    /// @notice A tool's root; zero means that nobody has access.
    mapping(uint256 toolId => bytes32) public rootOf;

    /// @param registry_ The registry whose tools' creators set the roots.
    constructor(IToolRegistry registry_) CreatorControlled(registry_) {}

    /// @notice Sets the tool's root. Creator only.
    /// @dev Emits `RootSet`. Reverts with `NotToolCreator`, and as the registry does for tools that do not exist or were deregistered.
    /// @param toolId The tool.
    /// @param root   The root from now on; zero to grant nobody access.
    function setRoot(uint256 toolId, bytes32 root) external onlyCreator(toolId) {
        rootOf[toolId] = root;
        emit RootSet(toolId, root);
    }

    /// @inheritdoc IAccessPredicate
    /// @dev Asked directly and not through the registry, it answers for tools that were deregistered as it did before: what is kept for
    /// a tool stays. The registry answers for none of them.
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        bytes32 root = rootOf[toolId];
        // An array's encoding: where it begins (32), how many words it has, and these.
        if (root == 0 || data.length < 64 || data.length % 32 != 0) return false;
        if (uint256(bytes32(data[:32])) != 32 || uint256(bytes32(data[32:64])) != data.length / 32 - 2) return false;

        bytes32 node = keccak256(bytes.concat(keccak256(abi.encode(account))));
        for (uint256 begin = 64; begin < data.length; begin += 32) {
            bytes32 sibling = bytes32(data[begin:begin + 32]);
            node = node < sibling ? keccak256(bytes.concat(node, sibling)) : keccak256(bytes.concat(sibling, node));
        }
        return node == root;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "MerkleAllowlistPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256 toolId) external view returns (AccessRequirement[] memory, RequirementLogic) {
        return
            only(
                type(IMerkleMembership).interfaceId, abi.encode(rootOf[toolId]), "Be in the tree of the tool's creator"
            );
    }
}
