// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {IToolRegistry} from "../../interfaces/IToolRegistry.sol";
import {IAllowlistMembership} from "../../interfaces/RequirementTypes.sol";
import {CreatorControlled} from "./CreatorControlled.sol";
import {Predicate} from "./Predicate.sol";

/// @title AllowlistPredicate
/// @notice Grants access to the accounts on a tool's list, which the tool's creator keeps. One deployment serves all tools of one
/// registry. For long lists, `MerkleAllowlistPredicate` costs the creator one slot.
contract AllowlistPredicate is Predicate, CreatorControlled {
    /// @notice An account came onto a tool's list, or left it.
    /// @param toolId  The tool.
    /// @param account The account.
    /// @param allowed Whether it is on the list from now on.
    event AllowlistChanged(uint256 indexed toolId, address indexed account, bool allowed);

    /// @notice Whether an account is on a tool's list.
    mapping(uint256 toolId => mapping(address account => bool)) public isAllowed;

    /// @param registry_ The registry whose tools' creators keep the lists.
    constructor(IToolRegistry registry_) CreatorControlled(registry_) {}

    /// @notice Puts accounts onto the tool's list, or takes them off. Creator only.
    /// @dev Emits `AllowlistChanged` for each account for which something changes. Reverts with `NotToolCreator`, and as the
    /// registry does for tools that do not exist or were deregistered.
    /// @param toolId   The tool.
    /// @param accounts The accounts.
    /// @param allowed  Whether they are on the list from now on.
    function setAllowed(uint256 toolId, address[] calldata accounts, bool allowed) external onlyCreator(toolId) {
        for (uint256 i = 0; i < accounts.length; ++i) {
            address account = accounts[i];
            if (isAllowed[toolId][account] == allowed) continue;
            isAllowed[toolId][account] = allowed;
            emit AllowlistChanged(toolId, account, allowed);
        }
    }

    /// @inheritdoc IAccessPredicate
    /// @dev Reads no `data`. Asked directly and not through the registry, it answers for tools that were deregistered as it did before: what is kept for
    /// a tool stays. The registry answers for none of them.
    function hasAccess(uint256 toolId, address account, bytes calldata) external view returns (bool) {
        return isAllowed[toolId][account];
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "AllowlistPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256) external view returns (AccessRequirement[] memory, RequirementLogic) {
        return only(type(IAllowlistMembership).interfaceId, abi.encode(this), "Be on the list of the tool's creator");
    }
}
