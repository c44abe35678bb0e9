// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AgentRegistry} from "./AgentRegistry.sol";
import {RegistryMetadata} from "./RegistryMetadata.sol";

/// @title A registry in which only the registrar registers agents
/// @notice Once registered, an agent is its owner's alone: the registrar can neither change it nor take it back.
contract CuratedAgentRegistry is AgentRegistry {
    /// @notice Nobody could ever register anything.
    error MissingRegistrar();

    /// @param registrar Who registers agents, and sets the registry's own metadata. Reverts with `MissingRegistrar` for the zero address.
    /// @param entries The registry's own metadata to begin with.
    constructor(address registrar, MetadataEntry[] memory entries) RegistryMetadata(registrar, entries) {
        if (registrar == address(0)) revert MissingRegistrar();
    }

    /// @inheritdoc AgentRegistry
    /// @dev Reverts with `NotRegistrar` for everybody else.
    function admit(uint256) internal view virtual override onlyRegistrar {}
}
