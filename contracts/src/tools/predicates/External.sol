// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

// What the predicates ask token contracts, and nothing else of these contracts' interfaces.

/// @notice Of ERC-20.
interface IERC20Balances {
    /// @notice How much `account` holds, in the token's smallest unit.
    function balanceOf(address account) external view returns (uint256);
}

/// @notice Of ERC-721.
interface IERC721Holders {
    /// @notice How many tokens of the collection `account` holds. Reverts for `address(0)`.
    function balanceOf(address account) external view returns (uint256);

    /// @notice Who holds the token. Reverts when nobody does.
    function ownerOf(uint256 tokenId) external view returns (address);
}

/// @notice Of ERC-1155.
interface IERC1155Balances {
    /// @notice How many of the token `account` holds.
    function balanceOf(address account, uint256 tokenId) external view returns (uint256);
}

/// @notice Of ERC-5643, subscriptions that are ERC-721 tokens, with tiers as the published subscription predicate of ERC-8257 asks
/// for them.
interface ISubscriptions is IERC721Holders {
    /// @notice When the subscription ends, in seconds since 1970.
    function expiresAt(uint256 tokenId) external view returns (uint64);

    /// @notice The subscription's tier, from 1. No part of ERC-5643: asked only where a tier is required.
    function tierOf(uint256 tokenId) external view returns (uint8);
}

/// @notice Of ERC-1271, accounts that are contracts and sign in their own way.
interface IERC1271 {
    /// @notice 0x1626ba7e when the signature is the account's, of this hash.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}
