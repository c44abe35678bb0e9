// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// @dev Those of forge's cheat codes that the tests use.
interface Vm {
    function prank(address caller) external;
    function expectRevert(bytes calldata data) external;
}

/// @dev What the tests share.
abstract contract Test {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
}
