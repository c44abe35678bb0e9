// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IToolRegistry} from "../../src/interfaces/IToolRegistry.sol";
import {AllowlistPredicate} from "../../src/tools/predicates/AllowlistPredicate.sol";
import {AlwaysDenyPredicate} from "../../src/tools/predicates/AlwaysDenyPredicate.sol";
import {CreatorControlled} from "../../src/tools/predicates/CreatorControlled.sol";
import {MerkleAllowlistPredicate} from "../../src/tools/predicates/MerkleAllowlistPredicate.sol";
import {Vm} from "../Test.sol";
import {Switch} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev Lists that a tool's creator keeps, and the one on which nobody is.
contract ListsTest is ToolTest {
    AllowlistPredicate private list = new AllowlistPredicate(registry);
    MerkleAllowlistPredicate private tree = new MerkleAllowlistPredicate(registry);
    uint256 private listed;
    uint256 private rooted;

    function setUp() public {
        listed = register(address(list));
        rooted = register(address(tree));
    }

    function allow(uint256 toolId, address account, bool allowed) private {
        address[] memory accounts = new address[](1);
        accounts[0] = account;
        list.setAllowed(toolId, accounts, allowed);
    }

    function test_always_deny_pauses_a_tool() public {
        uint256 toolId = register(OPEN);
        address deny = address(new AlwaysDenyPredicate());
        vm.prank(CREATOR);
        registry.setAccessPredicate(toolId, deny);
        assertAccess(toolId, "", true, false);
        vm.prank(CREATOR);
        registry.setAccessPredicate(toolId, OPEN);
        assertAccess(toolId, "", true, true);
    }

    function test_the_list_grants_who_is_on_it() public {
        assertAccess(listed, "", true, false);
        vm.prank(CREATOR);
        allow(listed, ACCOUNT, true);
        assertAccess(listed, "data is not read", true, true);
        vm.assertEq(registry.hasAccess(listed, STRANGER, ""), false);
        vm.prank(CREATOR);
        allow(listed, ACCOUNT, false);
        assertAccess(listed, "", true, false);
    }

    /// @dev The registry answers for a tool that was deregistered no more; the predicates, asked directly, as they did before.
    function test_lists_outlive_their_tools_only_for_who_asks_directly() public {
        bytes memory path = abi.encode(new bytes32[](0));
        vm.prank(CREATOR);
        allow(listed, ACCOUNT, true);
        vm.prank(CREATOR);
        tree.setRoot(rooted, keccak256(bytes.concat(keccak256(abi.encode(ACCOUNT)))));
        vm.prank(CREATOR);
        registry.deregisterTool(listed);
        vm.prank(CREATOR);
        registry.deregisterTool(rooted);
        bytes memory gone = abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, listed);
        vm.expectRevert(gone);
        registry.hasAccess(listed, ACCOUNT, "");
        more.assertTrue(list.hasAccess(listed, ACCOUNT, ""));
        more.assertTrue(tree.hasAccess(rooted, ACCOUNT, path));
    }

    function test_each_tool_has_a_list_of_its_own() public {
        uint256 other = register(address(list));
        vm.prank(CREATOR);
        allow(other, ACCOUNT, true);
        assertAccess(listed, "", true, false);
        assertAccess(other, "", true, true);
    }

    function test_of_many_accounts_only_changes_are_told() public {
        address[] memory accounts = new address[](3);
        (accounts[0], accounts[1], accounts[2]) = (ACCOUNT, STRANGER, ACCOUNT);
        vm.recordLogs();
        vm.prank(CREATOR);
        list.setAllowed(listed, accounts, true);
        vm.prank(CREATOR);
        list.setAllowed(listed, accounts, true);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 2);
        vm.assertEq(logs[0].topics[0], keccak256("AllowlistChanged(uint256,address,bool)"));
        vm.assertEq(logs[0].topics[1], bytes32(listed));
        vm.assertEq(logs[0].topics[2], bytes32(uint256(uint160(ACCOUNT))));
        vm.assertEq(logs[0].data, abi.encode(true));
        vm.assertEq(logs[1].topics[2], bytes32(uint256(uint160(STRANGER))));
    }

    function testFuzz_only_a_tools_creator_keeps_its_list_and_root(address stranger) public {
        vm.assume(stranger != CREATOR);
        vm.prank(stranger);
        registry.registerTool(URI, HASH, address(list)); // a creator too, of another tool
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, listed, stranger);
        address[] memory accounts = new address[](1);
        vm.prank(stranger);
        vm.expectRevert(expected);
        list.setAllowed(listed, accounts, true);
        vm.prank(stranger);
        vm.expectRevert(expected);
        tree.setRoot(listed, HASH);
    }

    function test_tools_that_are_not_there_have_no_list_and_no_root() public {
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, 99);
        vm.expectRevert(expected);
        list.setAllowed(99, new address[](1), true);
        vm.expectRevert(expected);
        tree.setRoot(99, HASH);
        vm.prank(CREATOR);
        registry.deregisterTool(listed);
        expected = abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, listed);
        vm.prank(CREATOR);
        vm.expectRevert(expected);
        list.setAllowed(listed, new address[](1), true);
    }

    function test_only_a_registry_of_tools_is_obeyed() public {
        IToolRegistry none = IToolRegistry(address(new Switch(true)));
        bytes memory expected = abi.encodeWithSelector(CreatorControlled.NotAToolRegistry.selector, none);
        vm.expectRevert(expected);
        new AllowlistPredicate(none);
        vm.expectRevert(expected);
        new MerkleAllowlistPredicate(none);
        vm.assertEq(address(list.registry()), address(registry));
    }

    function leaf(address account) private pure returns (bytes32) {
        return keccak256(bytes.concat(keccak256(abi.encode(account))));
    }

    function pair(bytes32 a, bytes32 b) private pure returns (bytes32) {
        return a < b ? keccak256(bytes.concat(a, b)) : keccak256(bytes.concat(b, a));
    }

    function setRoot(bytes32 root) private {
        vm.prank(CREATOR);
        tree.setRoot(rooted, root);
    }

    function proof(bytes32 sibling) private pure returns (bytes memory) {
        bytes32[] memory hashes = new bytes32[](1);
        hashes[0] = sibling;
        return abi.encode(hashes);
    }

    /// @dev Hashes that viem computed: of the tree over 0x11…11 and 0x22…22, and over that and 0x33…33.
    function test_a_tree_made_elsewhere_is_understood() public {
        setRoot(0xae6afff7b7c4d883d5efd44afa0b98e80317697e8984b4c2de7c54b49c1c4dd4);
        bytes32[] memory path = new bytes32[](2);
        path[0] = 0x708e7cb9a75ffb24191120fba1c3001faa9078147150c6f2747569edbadee751;
        path[1] = 0xbd164a4590db938a0b098da1b25cf37b155f857b38c37c016ad5b8f8fce80192;
        address first = 0x1111111111111111111111111111111111111111;
        vm.assertEq(registry.hasAccess(rooted, first, abi.encode(path)), true);
        vm.assertEq(registry.hasAccess(rooted, ACCOUNT, abi.encode(path)), false);
    }

    function testFuzz_every_leaf_of_a_tree_is_granted(address[5] calldata accounts, address other) public {
        bytes32[5] memory leaves;
        for (uint256 i = 0; i < 5; ++i) {
            vm.assume(accounts[i] != other);
            leaves[i] = leaf(accounts[i]);
        }
        bytes32 left = pair(pair(leaves[0], leaves[1]), pair(leaves[2], leaves[3]));
        setRoot(pair(left, leaves[4]));

        bytes32[] memory path = new bytes32[](3);
        (path[0], path[1], path[2]) = (leaves[1], pair(leaves[2], leaves[3]), leaves[4]);
        vm.assertEq(registry.hasAccess(rooted, accounts[0], abi.encode(path)), true);
        vm.assertEq(registry.hasAccess(rooted, other, abi.encode(path)), false);
        vm.assertEq(registry.hasAccess(rooted, accounts[4], proof(left)), true);
        vm.assertEq(registry.hasAccess(rooted, other, proof(left)), false);
        path[1] ^= bytes32(uint256(1));
        vm.assertEq(registry.hasAccess(rooted, accounts[0], abi.encode(path)), false);
    }

    function test_a_tree_of_one_leaf_needs_an_empty_proof() public {
        setRoot(leaf(ACCOUNT));
        assertAccess(rooted, abi.encode(new bytes32[](0)), true, true);
        assertAccess(rooted, "", true, false);
        assertAccess(rooted, proof(leaf(ACCOUNT)), true, false);
    }

    function test_without_a_root_nobody_is_granted() public {
        assertAccess(rooted, abi.encode(new bytes32[](0)), true, false);
        setRoot(leaf(ACCOUNT));
        setRoot(0);
        assertAccess(rooted, abi.encode(new bytes32[](0)), true, false);
    }

    /// @dev The node above two leaves is no leaf itself, whoever's address its hash may look like.
    function test_a_node_is_no_leaf() public {
        bytes32 node = pair(leaf(ACCOUNT), leaf(STRANGER));
        setRoot(node);
        assertAccess(rooted, abi.encode(new bytes32[](0)), true, false);
        vm.assertEq(registry.hasAccess(rooted, address(uint160(uint256(node))), abi.encode(new bytes32[](0))), false);
    }

    function test_a_new_root_is_told() public {
        vm.recordLogs();
        setRoot(HASH);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        vm.assertEq(logs[0].topics[0], keccak256("RootSet(uint256,bytes32)"));
        vm.assertEq(logs[0].topics[1], bytes32(rooted));
        vm.assertEq(logs[0].data, abi.encode(HASH));
        vm.assertEq(tree.rootOf(rooted), HASH);
    }

    /// @dev 8257-acct-14: a no, at any data and any length; only the one encoding of the right proof is a yes.
    function testFuzz_junk_for_a_proof_is_a_no(bytes calldata data) public {
        setRoot(pair(leaf(ACCOUNT), leaf(STRANGER)));
        vm.assume(keccak256(data) != keccak256(proof(leaf(STRANGER))));
        assertAccess(rooted, data, true, false);
    }

    /// @dev 8257-acct-14
    function test_a_proof_in_another_encoding_is_a_no() public {
        setRoot(pair(leaf(ACCOUNT), leaf(STRANGER)));
        bytes32 s = leaf(STRANGER);
        assertAccess(rooted, abi.encode(32, 1, s), true, true);
        assertAccess(rooted, abi.encode(32, 2, s), true, false);
        assertAccess(rooted, abi.encode(32, 0, s), true, false);
        assertAccess(rooted, abi.encode(32, type(uint256).max, s), true, false);
        assertAccess(rooted, abi.encode(64, 1, s), true, false);
        assertAccess(rooted, abi.encode(64, 0, 1, s), true, false);
        assertAccess(rooted, abi.encode(32, 1, s, 0), true, false);
        assertAccess(rooted, bytes.concat(abi.encode(32, 1, s), hex"00"), true, false);
        assertAccess(rooted, abi.encodePacked(s), true, false);
    }
}
