// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC8049} from "../interfaces/IERC8049.sol";
import {IERC8049SetContractMetadata, IERC8122} from "../interfaces/IERC8122.sol";
import {PackedBytes} from "../storage/PackedBytes.sol";
import {Registrar} from "./Registrar.sol";

/// @title A registry's metadata about itself (ERC-8049)
/// @notice The registrar sets it. Without a registrar, what was given at construction is final.
abstract contract RegistryMetadata is IERC8049, IERC8049SetContractMetadata, Registrar {
    using PackedBytes for PackedBytes.Value;

    mapping(string key => PackedBytes.Value) private _contractMetadata;

    /// @param initialRegistrar The registrar, or the zero address for none, ever.
    /// @param entries The metadata to begin with. ERC-8122 asks for `name`, `description` and `image`.
    constructor(address initialRegistrar, IERC8122.MetadataEntry[] memory entries) Registrar(initialRegistrar) {
        for (uint256 i = 0; i < entries.length; ++i) {
            updateContractMetadata(entries[i].key, entries[i].value);
        }
    }

    /// @inheritdoc IERC8049
    function contractMetadata(string calldata key) external view returns (bytes memory) {
        return _contractMetadata[key].read();
    }

    /// @inheritdoc IERC8049SetContractMetadata
    /// @dev Only the registrar may: reverts with `NotRegistrar`, and with `ValueTooLong` at 2^24 bytes. An empty value removes the
    /// entry and frees its storage. Logs `ContractMetadataUpdated`, also when the value is what it was.
    function setContractMetadata(string calldata key, bytes calldata value) external onlyRegistrar {
        updateContractMetadata(key, value);
    }

    function updateContractMetadata(string memory key, bytes memory value) private {
        _contractMetadata[key].write(value);
        emit ContractMetadataUpdated(key, key, value);
    }
}
