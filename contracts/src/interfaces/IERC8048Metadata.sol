// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// @title ERC-8048: metadata of a token, kept on the chain
/// @dev Its ERC-165 identifier is 0xdf670be1.
interface IERC8048Metadata {
    /// @notice Metadata of a token was set.
    /// @param tokenId The token.
    /// @param indexedKey The key once more, as its keccak-256 hash, to search by.
    /// @param key The key.
    /// @param value The new value; empty when it was removed.
    event MetadataSet(uint256 indexed tokenId, string indexed indexedKey, string key, bytes value);

    /// @notice The metadata value of a token for a key.
    /// @param tokenId The token.
    /// @param key The key, compared as exact bytes.
    /// @return The value; empty when there is none.
    function metadata(uint256 tokenId, string calldata key) external view returns (bytes memory);
}
