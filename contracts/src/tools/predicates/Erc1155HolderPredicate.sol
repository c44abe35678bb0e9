// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {IERC1155Holding} from "../../interfaces/RequirementTypes.sol";
import {IERC1155Balances} from "./External.sol";
import {Predicate} from "./Predicate.sol";

/// @title Erc1155HolderPredicate
/// @notice Grants access to accounts that hold at least one of a certain ERC-1155 token. What it asks is fixed at deployment; it
/// stores nothing, and any tool may use it.
contract Erc1155HolderPredicate is Predicate {
    /// @notice The ERC-1155 collection.
    address public immutable collection;

    /// @notice The token in it.
    uint256 public immutable tokenId;

    /// @param collection_ The ERC-1155 collection. Reverts with `NotAContract` when it has no code.
    /// @param tokenId_    The token in it.
    constructor(address collection_, uint256 tokenId_) {
        collection = withCode(collection_);
        tokenId = tokenId_;
    }

    /// @inheritdoc IAccessPredicate
    /// @dev Reads no `data`. Reverts when the collection does not answer as it must.
    function hasAccess(uint256, address account, bytes calldata) external view returns (bool) {
        return account != address(0) && IERC1155Balances(collection).balanceOf(account, tokenId) > 0;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "Erc1155HolderPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256) external view returns (AccessRequirement[] memory, RequirementLogic) {
        return only(type(IERC1155Holding).interfaceId, abi.encode(collection, tokenId), "Hold this token");
    }
}
