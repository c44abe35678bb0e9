// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// @title ERC-8049: metadata of the contract itself, kept on the chain
/// @dev Its ERC-165 identifier is 0x8ec3f882.
interface IERC8049 {
    /// @notice Metadata of the contract was set.
    /// @param indexedKey The key once more, as its keccak-256 hash, to search by.
    /// @param key The key.
    /// @param value The new value; empty when it was removed.
    event ContractMetadataUpdated(string indexed indexedKey, string key, bytes value);

    /// @notice The contract's metadata value for a key.
    /// @param key The key, compared as exact bytes.
    /// @return The value; empty when there is none.
    function contractMetadata(string calldata key) external view returns (bytes memory);
}
