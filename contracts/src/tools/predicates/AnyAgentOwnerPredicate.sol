// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {IERC8122AgentOwnership} from "../../interfaces/RequirementTypes.sol";
import {OwnedPredicate} from "./OwnedPredicate.sol";

/// @title AnyAgentOwnerPredicate
/// @notice Grants access to accounts that own an agent, any agent, of an ERC-8122 registry. What it asks is fixed at deployment; it
/// stores nothing, and any tool may use it.
/// @dev `data = abi.encode(uint256 agentId)`: ERC-8122 has no way from an account to its agents. `data` of any other length, an agent
/// that does not exist, and somebody else's agent are a no. Why an agent's `agent_account` is not asked: `AgentOwnerPredicate`.
contract AnyAgentOwnerPredicate is OwnedPredicate {
    /// @notice The ERC-8122 registry.
    address public immutable agents;

    /// @param agents_ The ERC-8122 registry. Reverts with `NotAContract` when it has no code.
    constructor(address agents_) {
        agents = withCode(agents_);
    }

    /// @inheritdoc IAccessPredicate
    /// @dev Reverts when the registry does not answer as it must, with `OwnerUnknown` when asking for the owner used up the gas.
    function hasAccess(uint256, address account, bytes calldata data) external view returns (bool) {
        if (account == address(0) || data.length != 32) return false;
        return owns(agents, account, abi.decode(data, (uint256)));
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "AnyAgentOwnerPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256) external view returns (AccessRequirement[] memory, RequirementLogic) {
        return
            only(type(IERC8122AgentOwnership).interfaceId, abi.encode(agents, true, 0), "Own an agent of this registry");
    }
}
