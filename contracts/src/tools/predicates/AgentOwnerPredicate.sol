// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {IERC8122} from "../../interfaces/IERC8122.sol";
import {IERC8122AgentOwnership} from "../../interfaces/RequirementTypes.sol";
import {Predicate} from "./Predicate.sol";

/// @title AgentOwnerPredicate
/// @notice Grants access to the owner of a certain agent of an ERC-8122 registry, whoever that is at the time. What it asks is fixed
/// at deployment; it stores nothing, and any tool may use it.
/// @dev The owner is what the registry enforces. The metadata value `agent_account` is not asked: it is whatever the owner wrote, and
/// whoever it names has not agreed to anything.
contract AgentOwnerPredicate is Predicate {
    /// @notice The ERC-8122 registry.
    address public immutable agents;

    /// @notice The agent in it.
    uint256 public immutable agentId;

    /// @param agents_  The ERC-8122 registry. Reverts with `NotAContract` when it has no code.
    /// @param agentId_ The agent. Reverts as the registry does when it does not exist.
    constructor(address agents_, uint256 agentId_) {
        agents = withCode(agents_);
        agentId = agentId_;
        IERC8122(agents_).ownerOf(agentId_);
    }

    /// @inheritdoc IAccessPredicate
    /// @dev Reads no `data`. Reverts when the registry does not answer as it must.
    function hasAccess(uint256, address account, bytes calldata) external view returns (bool) {
        return account != address(0) && IERC8122(agents).ownerOf(agentId) == account;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "AgentOwnerPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256) external view returns (AccessRequirement[] memory, RequirementLogic) {
        return only(type(IERC8122AgentOwnership).interfaceId, abi.encode(agents, false, agentId), "Own this agent");
    }
}
