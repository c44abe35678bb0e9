// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IAccessPredicate} from "../../src/interfaces/IAccessPredicate.sol";
import {IERC165} from "../../src/interfaces/IERC165.sol";
import {IToolRegistry, ToolConfig} from "../../src/interfaces/IToolRegistry.sol";
import {ToolRegistry} from "../../src/tools/ToolRegistry.sol";
import {Vm} from "../Test.sol";
import {Scripted, Scripts, Switch} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev Registering, updating, deregistering, reading.
contract ToolRegistryTest is ToolTest {
    address private gate = address(new Switch(true));
    uint256 private toolId;

    function setUp() public {
        toolId = register(gate);
    }

    function assertConfig(uint256 id, address creator, string memory uri, bytes32 hash, address predicate)
        private
        view
    {
        ToolConfig memory config = registry.getToolConfig(id);
        vm.assertEq(config.creator, creator);
        vm.assertEq(config.metadataURI, uri);
        vm.assertEq(config.manifestHash, hash);
        vm.assertEq(config.accessPredicate, predicate);
    }

    function notFound(uint256 id) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IToolRegistry.ToolNotFound.selector, id);
    }

    function deregistered(uint256 id) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, id);
    }

    function deregister() private {
        vm.prank(CREATOR);
        registry.deregisterTool(toolId);
    }

    function long(uint256 length) private pure returns (string memory) {
        bytes memory text = new bytes(length);
        for (uint256 i = 0; i < length; ++i) {
            text[i] = "a";
        }
        return string(text);
    }

    /// @dev 8257-1-01
    function test_the_caller_is_the_creator_and_stays_it() public {
        assertConfig(toolId, CREATOR, URI, HASH, gate);
        vm.prank(CREATOR);
        registry.updateToolMetadata(toolId, "https://b.example", bytes32(uint256(2)));
        vm.prank(CREATOR);
        registry.setAccessPredicate(toolId, OPEN);
        assertConfig(toolId, CREATOR, "https://b.example", bytes32(uint256(2)), OPEN);
    }

    /// @dev 8257-1-02
    function test_registering_with_a_zero_hash_is_refused() public {
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.InvalidManifestHash.selector));
        registry.registerTool(URI, 0, OPEN);
    }

    /// @dev 8257-1-03
    function test_registering_with_an_empty_uri_is_refused() public {
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector));
        registry.registerTool("", HASH, OPEN);
    }

    /// @dev 8257-1-04, 8257-uri-01
    function test_a_uri_of_2048_bytes_is_the_longest() public {
        uint256 id = registry.registerTool(long(2048), HASH, OPEN);
        vm.assertEq(registry.getToolConfig(id).metadataURI, long(2048));
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector));
        registry.registerTool(long(2049), HASH, OPEN);
    }

    /// @dev 8257-1-04: 1,025 characters of two bytes are 2,050 bytes.
    function test_the_length_of_a_uri_counts_bytes() public {
        bytes memory text;
        for (uint256 i = 0; i < 1025; ++i) {
            text = bytes.concat(text, unicode"é");
        }
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector));
        registry.registerTool(string(text), HASH, OPEN);
    }

    function testFuzz_what_was_registered_is_read_back(string calldata uri, bytes32 hash, address creator) public {
        vm.assume(bytes(uri).length > 0 && bytes(uri).length <= 2048 && hash != 0 && creator != address(0));
        vm.prank(creator);
        assertConfig(registry.registerTool(uri, hash, gate), creator, uri, hash, gate);
    }

    /// @dev 8257-1-07
    function test_registering_is_told_with_three_topics_and_two_values() public {
        vm.recordLogs();
        uint256 id = register(gate);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        vm.assertEq(logs[0].topics.length, 4);
        vm.assertEq(logs[0].topics[0], keccak256("ToolRegistered(uint256,address,address,string,bytes32)"));
        vm.assertEq(logs[0].topics[1], bytes32(id));
        vm.assertEq(logs[0].topics[2], bytes32(uint256(uint160(CREATOR))));
        vm.assertEq(logs[0].topics[3], bytes32(uint256(uint160(gate))));
        vm.assertEq(logs[0].data, abi.encode(URI, HASH));
    }

    /// @dev 8257-1-08, 8257-1-10
    function test_ids_are_1_2_3() public {
        registry = new ToolRegistry();
        vm.assertEq(registry.toolCount(), 0);
        for (uint256 i = 1; i <= 3; ++i) {
            vm.assertEq(register(OPEN), i);
            vm.assertEq(registry.toolCount(), i);
        }
    }

    /// @dev 8257-1-09, 8257-1-10
    function test_an_id_is_never_used_again_and_the_count_never_falls() public {
        deregister();
        vm.assertEq(registry.toolCount(), 1);
        vm.assertEq(register(OPEN), 2);
        vm.assertEq(registry.toolCount(), 2);
    }

    /// @dev 8257-1-12, 8257-1-14, 8257-1-16, 8257-1-18, 8257-1-20, 8257-1-23
    function test_no_operation_knows_an_id_that_was_never_registered() public {
        uint256[3] memory ids = [0, toolId + 1, type(uint256).max];
        for (uint256 i = 0; i < ids.length; ++i) {
            assertEveryOperationReverts(ids[i], CREATOR, notFound(ids[i]));
        }
    }

    /// @dev 8257-1-13, 8257-1-15, 8257-1-17, 8257-1-19, 8257-1-21, 8257-1-22
    function test_no_operation_works_on_a_tombstone() public {
        deregister();
        assertEveryOperationReverts(toolId, CREATOR, deregistered(toolId));
    }

    /// @dev 8257-1-24: neither who calls nor what else is wrong comes before that.
    function test_a_tombstone_is_told_to_strangers_with_bad_arguments() public {
        deregister();
        assertEveryOperationReverts(toolId, STRANGER, deregistered(toolId));
        vm.prank(STRANGER);
        vm.expectRevert(deregistered(toolId));
        registry.updateToolMetadata(toolId, "", 0);
        vm.prank(STRANGER);
        vm.expectRevert(deregistered(toolId));
        registry.setAccessPredicate(toolId, address(registry));
    }

    function assertEveryOperationReverts(uint256 id, address caller, bytes memory expected) private {
        vm.expectRevert(expected);
        registry.getToolConfig(id);
        vm.expectRevert(expected);
        registry.hasAccess(id, ACCOUNT, "");
        vm.expectRevert(expected);
        registry.tryHasAccess(id, ACCOUNT, "");
        vm.prank(caller);
        vm.expectRevert(expected);
        registry.updateToolMetadata(id, URI, HASH);
        vm.prank(caller);
        vm.expectRevert(expected);
        registry.setAccessPredicate(id, OPEN);
        vm.prank(caller);
        vm.expectRevert(expected);
        registry.deregisterTool(id);
    }

    /// @dev 8257-1-25
    function testFuzz_only_the_creator_changes_a_tool(address stranger) public {
        vm.assume(stranger != CREATOR);
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, toolId, stranger);
        vm.prank(stranger);
        vm.expectRevert(expected);
        registry.updateToolMetadata(toolId, URI, HASH);
        vm.prank(stranger);
        vm.expectRevert(expected);
        registry.setAccessPredicate(toolId, OPEN);
        vm.prank(stranger);
        vm.expectRevert(expected);
        registry.deregisterTool(toolId);
        assertConfig(toolId, CREATOR, URI, HASH, gate);
    }

    /// @dev 8257-1-25: who is not the creator is told that first, then the URI, the hash, the predicate.
    function test_of_several_errors_the_first_is_told() public {
        vm.prank(STRANGER);
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.NotToolCreator.selector, toolId, STRANGER));
        registry.updateToolMetadata(toolId, "", 0);
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector));
        registry.registerTool("", 0, address(registry));
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.InvalidManifestHash.selector));
        registry.registerTool(URI, 0, address(registry));
    }

    /// @dev 8257-1-26: the first slot keeps the state, and nothing else is left in any slot that was ever written.
    function testFuzz_a_tombstone_is_all_that_deregistering_leaves(uint16 length, uint16 second) public {
        more.record();
        vm.prank(CREATOR);
        toolId = registry.registerTool(long(bound(length, 1, 2048)), HASH, gate);
        vm.prank(CREATOR);
        registry.updateToolMetadata(toolId, long(bound(second, 1, 2048)), bytes32(uint256(2)));
        deregister();
        (, bytes32[] memory written) = more.accesses(address(registry));
        uint256 left = 0;
        for (uint256 i = 0; i < written.length; ++i) {
            uint256 word = uint256(vm.load(address(registry), written[i]));
            if (written[i] == 0 || word == 0) continue; // the count of tools is in slot 0
            vm.assertEq(written[i], keccak256(abi.encode(toolId, uint256(1))));
            vm.assertEq(word, 2 << 160);
            ++left;
        }
        more.assertGt(left, 0);
    }

    /// @dev 8257-1-27
    function test_deregistering_is_told_once() public {
        vm.recordLogs();
        deregister();
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        vm.assertEq(logs[0].topics.length, 2);
        vm.assertEq(logs[0].topics[0], keccak256("ToolDeregistered(uint256)"));
        vm.assertEq(logs[0].topics[1], bytes32(toolId));
        vm.assertEq(logs[0].data.length, 0);
    }

    /// @dev 8257-1-29, 8257-1-30, 8257-1-31, 8257-1-32, 8257-uri-01
    function test_an_update_that_is_refused_changes_nothing() public {
        vm.prank(CREATOR);
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.InvalidManifestHash.selector));
        registry.updateToolMetadata(toolId, "https://b.example", 0);
        vm.prank(CREATOR);
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector));
        registry.updateToolMetadata(toolId, "", bytes32(uint256(2)));
        vm.prank(CREATOR);
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.InvalidMetadataURI.selector));
        registry.updateToolMetadata(toolId, long(2049), bytes32(uint256(2)));
        assertConfig(toolId, CREATOR, URI, HASH, gate);
    }

    /// @dev 8257-1-32, 8257-1-33, 8257-1-60
    function testFuzz_an_update_of_either_is_told_with_both(string calldata uri, bytes32 hash, bool sameURI) public {
        vm.assume(bytes(uri).length > 0 && bytes(uri).length <= 2048 && hash != 0 && hash != HASH);
        string memory newURI = sameURI ? URI : uri;
        vm.recordLogs();
        vm.prank(CREATOR);
        registry.updateToolMetadata(toolId, newURI, hash);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        vm.assertEq(logs[0].topics.length, 2);
        vm.assertEq(logs[0].topics[0], keccak256("ToolMetadataUpdated(uint256,string,bytes32)"));
        vm.assertEq(logs[0].topics[1], bytes32(toolId));
        vm.assertEq(logs[0].data, abi.encode(newURI, hash));
        assertConfig(toolId, CREATOR, newURI, hash, gate);
    }

    /// @dev 8257-1-33
    function test_another_uri_with_the_same_hash_is_told_too() public {
        vm.recordLogs();
        vm.prank(CREATOR);
        registry.updateToolMetadata(toolId, "https://b.example", HASH);
        vm.assertEq(vm.getRecordedLogs().length, 1);
        assertConfig(toolId, CREATOR, "https://b.example", HASH, gate);
    }

    /// @dev 8257-1-34
    function test_an_update_to_what_is_stored_is_not_told() public {
        vm.recordLogs();
        more.record();
        vm.prank(CREATOR);
        registry.updateToolMetadata(toolId, URI, HASH);
        (, bytes32[] memory written) = more.accesses(address(registry));
        vm.assertEq(written.length, 0);
        vm.assertEq(vm.getRecordedLogs().length, 0);
    }

    /// @dev 8257-1-37
    function test_another_predicate_is_told_with_both_topics() public {
        vm.recordLogs();
        vm.prank(CREATOR);
        registry.setAccessPredicate(toolId, STRANGER);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        vm.assertEq(logs[0].topics.length, 3);
        vm.assertEq(logs[0].topics[0], keccak256("AccessPredicateUpdated(uint256,address)"));
        vm.assertEq(logs[0].topics[1], bytes32(toolId));
        vm.assertEq(logs[0].topics[2], bytes32(uint256(uint160(STRANGER))));
        vm.assertEq(logs[0].data.length, 0);
        assertConfig(toolId, CREATOR, URI, HASH, STRANGER);
    }

    /// @dev 8257-1-56, 8257-1-57
    function test_the_registry_has_a_name_and_a_version() public view {
        vm.assertEq(registry.name(), "DeedboxToolRegistry");
        vm.assertEq(registry.version(), "1.0");
    }

    /// @dev 8257-9-01, 8257-9-02, 8257-9-03, 8257-9-06
    function test_the_interfaces_are_the_pinned_ones() public view {
        bytes4 tools = IToolRegistry.registerTool.selector ^ IToolRegistry.deregisterTool.selector
            ^ IToolRegistry.updateToolMetadata.selector ^ IToolRegistry.setAccessPredicate.selector
            ^ IToolRegistry.getToolConfig.selector ^ IToolRegistry.hasAccess.selector
            ^ IToolRegistry.tryHasAccess.selector ^ IToolRegistry.toolCount.selector ^ IToolRegistry.name.selector
            ^ IToolRegistry.version.selector;
        more.assertTrue(tools == 0xf1dc8075 && type(IToolRegistry).interfaceId == 0xf1dc8075);
        more.assertTrue(type(IAccessPredicate).interfaceId == 0xbdf9dc18);
        more.assertTrue(registry.supportsInterface(0xf1dc8075));
        more.assertTrue(registry.supportsInterface(type(IERC165).interfaceId));
        more.assertFalse(registry.supportsInterface(0xbdf9dc18));
        more.assertFalse(registry.supportsInterface(0xffffffff));
    }

    /// @dev 8257-1-02, 8257-1-03, 8257-1-12, 8257-1-13, 8257-1-25, 8257-1-39: the selectors that clients know.
    function test_the_errors_are_the_pinned_ones() public pure {
        more.assertTrue(IToolRegistry.ToolNotFound.selector == 0xb73d6f8b);
        more.assertTrue(IToolRegistry.NotToolCreator.selector == 0xd594d2e7);
        more.assertTrue(IToolRegistry.InvalidMetadataURI.selector == 0xeec403f0);
        more.assertTrue(IToolRegistry.InvalidManifestHash.selector == 0x03d0cf2a);
        more.assertTrue(IToolRegistry.InvalidAccessPredicate.selector == 0x4c8ce4df);
        more.assertTrue(IToolRegistry.ToolIsDeregistered.selector == 0x0bf47976);
    }

    /// @dev 8257-spam-04: there is no fee, and money that comes all the same is sent back.
    function test_the_registry_takes_no_money() public {
        (bool taken,) = address(registry).call{value: 1}(abi.encodeCall(registry.registerTool, (URI, HASH, OPEN)));
        more.assertFalse(taken);
        (taken,) = address(registry).call{value: 1}("");
        more.assertFalse(taken);
    }

    /// @dev A creator may be a contract, and may register from its constructor.
    function test_contracts_may_be_creators() public {
        Scripted wallet = new Scripted();
        vm.prank(address(wallet));
        uint256 id = registry.registerTool(URI, HASH, OPEN);
        assertConfig(id, address(wallet), URI, HASH, OPEN);
    }
}
