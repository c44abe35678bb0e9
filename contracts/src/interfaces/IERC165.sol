// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// @title ERC-165: which interfaces a contract implements
interface IERC165 {
    /// @notice Whether the contract implements an interface.
    /// @param interfaceId The XOR of the selectors of the interface's functions.
    /// @return True when it does; false for 0xffffffff.
    function supportsInterface(bytes4 interfaceId) external view returns (bool);
}
