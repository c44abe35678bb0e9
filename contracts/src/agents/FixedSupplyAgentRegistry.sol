// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {CuratedAgentRegistry} from "./CuratedAgentRegistry.sol";

/// @title A curated registry that never holds more than a number of agents that is fixed at construction
contract FixedSupplyAgentRegistry is CuratedAgentRegistry {
    /// @notice There would be more agents than there may be.
    /// @param maxSupply How many there may be.
    error SupplyExhausted(uint256 maxSupply);

    /// @notice Nobody could ever register anything: there may be no agents at all.
    error MissingSupply();

    /// @notice How many agents there may ever be.
    uint256 public immutable maxSupply;

    /// @param registrar Who registers agents, and sets the registry's own metadata. Reverts with `MissingRegistrar` for the zero address.
    /// @param supply How many agents there may ever be. Reverts with `MissingSupply` for zero.
    /// @param entries The registry's own metadata to begin with.
    constructor(address registrar, uint256 supply, MetadataEntry[] memory entries)
        CuratedAgentRegistry(registrar, entries)
    {
        if (supply == 0) revert MissingSupply();
        maxSupply = supply;
    }

    /// @inheritdoc CuratedAgentRegistry
    /// @dev Reverts with `SupplyExhausted`, for a batch also when only a part of it would find room.
    function admit(uint256 count) internal view override {
        super.admit(count);
        if (count > maxSupply - agentCount()) revert SupplyExhausted(maxSupply);
    }
}
