// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// @dev Those of forge's cheat codes that the tests use.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    /// @dev The next call is made by `caller`.
    function prank(address caller) external;
    /// @dev The next call must revert with exactly this data.
    function expectRevert(bytes calldata data) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function load(address target, bytes32 slot) external view returns (bytes32);
    /// @dev Throws this run of a fuzz test away when the condition does not hold.
    function assume(bool condition) external pure;
    function assertEq(uint256 got, uint256 wanted) external pure;
    function assertEq(address got, address wanted) external pure;
    function assertEq(bytes32 got, bytes32 wanted) external pure;
    function assertEq(bytes calldata got, bytes calldata wanted) external pure;
    function assertEq(string calldata got, string calldata wanted) external pure;
    function assertEq(bool got, bool wanted) external pure;
    function assertTrue(bool condition, string calldata otherwise) external pure;
}

/// @dev What the tests share.
abstract contract Test {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev A value from `low` to `high`, both included, that a fuzzer's value is mapped to.
    function bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        return high - low == type(uint256).max ? value : low + value % (high - low + 1);
    }
}
