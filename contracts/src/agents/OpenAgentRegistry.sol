// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AgentRegistry} from "./AgentRegistry.sol";
import {RegistryMetadata} from "./RegistryMetadata.sol";

/// @title A registry in which anyone registers an agent for any owner
/// @notice That somebody owns an agent is no sign that they asked for it.
contract OpenAgentRegistry is AgentRegistry {
    /// @param registrar Who sets the registry's own metadata; the zero address makes `entries` final.
    /// @param entries The registry's own metadata to begin with.
    constructor(address registrar, MetadataEntry[] memory entries) RegistryMetadata(registrar, entries) {}

    /// @inheritdoc AgentRegistry
    function admit(uint256) internal view override {}
}
