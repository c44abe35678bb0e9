// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IAccessPredicate} from "../../src/interfaces/IAccessPredicate.sol";
import {ToolRegistry} from "../../src/tools/ToolRegistry.sol";
import {Test} from "../Test.sol";

/// @dev Cheat codes that only these tests use.
interface MoreVm {
    function warp(uint256 time) external;
    function chainId(uint256 id) external;
    function addr(uint256 key) external pure returns (address);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function getNonce(address account) external view returns (uint64);
    function computeCreateAddress(address deployer, uint256 nonce) external pure returns (address);
    /// @dev Puts code at an address.
    function etch(address account, bytes calldata code) external;
    /// @dev Makes an account and its slots as if nothing had touched them in this transaction.
    function cool(address account) external;
    /// @dev From here to the end of the test, exactly `count` calls with data that begins so.
    function expectCall(address callee, bytes calldata data, uint64 count) external;
    /// @dev The same, of calls with this value and this gas.
    function expectCall(address callee, uint256 value, uint64 gas, bytes calldata data, uint64 count) external;
    /// @dev The slots that an account reads and writes from here on.
    function record() external;
    function accesses(address account) external returns (bytes32[] memory read, bytes32[] memory written);
    function assertTrue(bool condition) external pure;
    function assertFalse(bool condition) external pure;
    function assertLe(uint256 left, uint256 right) external pure;
    function assertGt(uint256 left, uint256 right) external pure;
}

/// @dev What the tests of the tool contracts share.
abstract contract ToolTest is Test {
    MoreVm internal constant more = MoreVm(address(vm));

    address internal constant OPEN = address(0);
    address internal constant CREATOR = address(0xC0FFEE);
    address internal constant STRANGER = address(0xBAD);
    address internal constant ACCOUNT = address(0xACC);
    string internal constant URI = "https://tools.example/.well-known/ai-tool/translator.json";
    bytes32 internal constant HASH = keccak256("manifest");

    /// @dev More than any question needs, and little enough to burn.
    uint256 private constant ENOUGH = 2_000_000;

    ToolRegistry internal registry = new ToolRegistry();

    /// @dev A tool of CREATOR's.
    function register(address predicate) internal returns (uint256 toolId) {
        vm.prank(CREATOR);
        return registry.registerTool(URI, HASH, predicate);
    }

    /// @dev What the registry answers about ACCOUNT must be this.
    function assertAccess(uint256 toolId, bytes memory data, bool ok, bool granted) internal view {
        (bool wasOk, bool wasGranted) = registry.tryHasAccess(toolId, ACCOUNT, data);
        vm.assertEq(wasOk, ok);
        vm.assertEq(wasGranted, granted);
        vm.assertEq(registry.hasAccess(toolId, ACCOUNT, data), granted);
    }

    /// @dev Whether what a call reverted with is this error.
    function isError(bytes memory why, bytes4 selector) internal pure returns (bool) {
        // The rest of the data is the error's arguments.
        // forge-lint: disable-next-line(unsafe-typecast)
        return bytes4(why) == selector;
    }

    /// @dev What a predicate answers to this contract: yes, no, or a revert.
    function ask(IAccessPredicate predicate, uint256 toolId, address account, bytes memory data)
        internal
        view
        returns (bool ok, bool granted)
    {
        try predicate.hasAccess{gas: ENOUGH}(toolId, account, data) returns (bool answer) {
            return (true, answer);
        } catch {
            return (false, false);
        }
    }

    function assertGrants(IAccessPredicate predicate, address account, bytes memory data) internal view {
        (bool ok, bool granted) = ask(predicate, 1, account, data);
        vm.assertTrue(ok && granted, "a yes was expected");
    }

    function assertDenies(IAccessPredicate predicate, address account, bytes memory data) internal view {
        (bool ok, bool granted) = ask(predicate, 1, account, data);
        vm.assertTrue(ok && !granted, "a no was expected");
    }

    function assertBreaks(IAccessPredicate predicate, address account, bytes memory data) internal view {
        (bool ok,) = ask(predicate, 1, account, data);
        vm.assertTrue(!ok, "a revert was expected");
    }
}
