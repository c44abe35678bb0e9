// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC165} from "../../interfaces/IERC165.sol";
import {IToolRegistry} from "../../interfaces/IToolRegistry.sol";

/// @title What predicates share that keep something for each tool
/// @notice A tool's creator, and nobody else, says what is kept for the tool. Who that is, the registry is asked each time. Tool ids
/// are unique within one registry only, so a predicate serves the one that it was deployed for: a tool of another registry that used
/// it would be gated by whoever created the tool with the same id here. What is kept for a tool can be changed no more once the
/// tool is deregistered, and stays.
abstract contract CreatorControlled {
    /// @notice This is no registry of tools: it does not say by ERC-165 that it implements `IToolRegistry`.
    error NotAToolRegistry(address registry);

    /// @notice The registry whose tools' creators are obeyed.
    IToolRegistry public immutable registry;

    /// @dev Reverts with `NotAToolRegistry` where the registry denies being one, and without data where there is no ERC-165 contract.
    constructor(IToolRegistry registry_) {
        if (!IERC165(address(registry_)).supportsInterface(type(IToolRegistry).interfaceId)) {
            revert NotAToolRegistry(address(registry_));
        }
        registry = registry_;
    }

    /// @dev Reverts with `NotToolCreator` for all but the tool's creator; for tools that do not exist or were deregistered, as the
    /// registry does.
    modifier onlyCreator(uint256 toolId) {
        if (registry.getToolConfig(toolId).creator != msg.sender) {
            revert IToolRegistry.NotToolCreator(toolId, msg.sender);
        }
        _;
    }
}
