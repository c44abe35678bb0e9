// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {IERC721Holding} from "../../interfaces/RequirementTypes.sol";
import {IERC721Holders} from "./External.sol";
import {Predicate} from "./Predicate.sol";

/// @title Erc721HolderPredicate
/// @notice Grants access to accounts that hold any token of an ERC-721 collection. What it asks is fixed at deployment; it stores
/// nothing, and any tool may use it.
contract Erc721HolderPredicate is Predicate {
    /// @notice The ERC-721 collection.
    address public immutable collection;

    /// @param collection_ The ERC-721 collection. Reverts with `NotAContract` when it has no code.
    constructor(address collection_) {
        collection = withCode(collection_);
    }

    /// @inheritdoc IAccessPredicate
    /// @dev Reads no `data`. Reverts when the collection does not answer as it must.
    function hasAccess(uint256, address account, bytes calldata) external view returns (bool) {
        return account != address(0) && IERC721Holders(collection).balanceOf(account) > 0;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "Erc721HolderPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256) external view returns (AccessRequirement[] memory, RequirementLogic) {
        return only(type(IERC721Holding).interfaceId, abi.encode(collection), "Hold any token of this collection");
    }
}
