// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {INeverGranted} from "../../interfaces/RequirementTypes.sol";
import {Predicate} from "./Predicate.sol";

/// @title AlwaysDenyPredicate
/// @notice Denies everybody. A creator who sets it pauses a tool, and can set another predicate again later; deregistering is for
/// good. One deployment serves all tools of all registries.
contract AlwaysDenyPredicate is Predicate {
    /// @inheritdoc IAccessPredicate
    /// @dev Always false; reads no `data`.
    function hasAccess(uint256, address, bytes calldata) external pure returns (bool) {
        return false;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "AlwaysDenyPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256) external pure returns (AccessRequirement[] memory, RequirementLogic) {
        return only(type(INeverGranted).interfaceId, "", "Nobody has access");
    }
}
