// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import {IERC8048Metadata} from "../../src/interfaces/IERC8048Metadata.sol";
import {IERC8122} from "../../src/interfaces/IERC8122.sol";
import {Vm} from "../Test.sol";
import {AgentTest} from "./AgentTest.sol";

/// @dev ERC-8048, and who may write (ERC-8122, "Agent Metadata").
contract MetadataTest is AgentTest {
    uint256 private id;

    function setUp() public override {
        super.setUp();
        id = agentOfAlice();
    }

    function set(address caller, string memory key, bytes memory value) private {
        vm.prank(caller);
        registry.setMetadata(id, key, value);
    }

    /// @dev 8048-if-01
    function test_the_read_function_has_the_selector_of_the_standard() external view {
        vm.assertEq(bytes32(IERC8048Metadata.metadata.selector), bytes32(bytes4(0xdf670be1)));
        (bool success, bytes memory answer) =
            address(registry).staticcall(abi.encodeWithSelector(bytes4(0xdf670be1), id, "name"));
        vm.assertEq(success, true);
        vm.assertEq(answer, abi.encode(bytes("")));
    }

    /// @dev 8122-md-01, 8048-if-01, 8048-if-02, 8048-if-05: any key, any value, the one over the other.
    function testFuzz_what_is_set_is_logged_and_read(string calldata key, bytes calldata first, bytes calldata second)
        external
    {
        vm.assume(keccak256(bytes(key)) != keccak256("agent_account"));
        bytes[3] memory values = [first, second, second];
        for (uint256 i = 0; i < 3; ++i) {
            vm.recordLogs();
            set(ALICE, key, values[i]);
            Vm.Log[] memory logs = vm.getRecordedLogs();
            vm.assertEq(logs.length, 1);
            isMetadataSet(logs[0], id, key, values[i]);
            vm.assertEq(registry.metadata(id, key), values[i]);
        }
    }

    /// @dev 8048-if-01: keys are compared as exact bytes, and each agent has its own.
    function testFuzz_other_keys_and_other_agents_are_untouched(string calldata key, string calldata other) external {
        vm.assume(keccak256(bytes(key)) != keccak256(bytes(other)));
        vm.assume(keccak256(bytes(key)) != keccak256("agent_account"));
        uint256 neighbour = agentOfAlice();
        set(ALICE, key, bytes(URI));
        vm.assertEq(registry.metadata(id, other), "");
        vm.assertEq(registry.metadata(neighbour, key), "");
        vm.assertEq(registry.contractMetadata(key), "");
    }

    /// @dev 8122-md-02: the owner, a spender and an operator may.
    function test_owner_spender_and_operator_may_write() external {
        vm.prank(ALICE);
        registry.approve(BOB, id, 1);
        vm.prank(ALICE);
        registry.setOperator(CAROL, true);
        address[3] memory writers = [ALICE, BOB, CAROL];
        for (uint256 i = 0; i < 3; ++i) {
            set(writers[i], "name", abi.encodePacked(writers[i]));
            vm.assertEq(registry.metadata(id, "name"), abi.encodePacked(writers[i]));
            vm.prank(writers[i]);
            registry.setMetadataBatch(id, one("name", bytes("batch")));
        }
    }

    /// @dev 8122-md-02, 8048-if-05: nobody else may, who registered it and the registrar included.
    function testFuzz_nobody_else_may_write(address caller) external {
        vm.assume(caller != ALICE);
        address[3] memory callers = [caller, address(this), REGISTRAR];
        for (uint256 i = 0; i < 3; ++i) {
            expectNoPermission(callers[i], id);
            set(callers[i], "name", "x");
            expectNoPermission(callers[i], id);
            vm.prank(callers[i]);
            registry.setMetadataBatch(id, one("name", "x"));
        }
        vm.assertEq(registry.metadata(id, "name"), "");
    }

    /// @dev 8122-md-02: an allowance for another agent, or one that was revoked, is none.
    function test_a_spender_of_something_else_may_not_write() external {
        vm.prank(ALICE);
        registry.approve(BOB, id + 1, 1);
        expectNoPermission(BOB, id);
        set(BOB, "name", "x");

        vm.prank(ALICE);
        registry.approve(BOB, id, 1);
        vm.prank(ALICE);
        registry.approve(BOB, id, 0);
        expectNoPermission(BOB, id);
        set(BOB, "name", "x");
    }

    /// @dev Reading X-21
    function test_writing_uses_no_allowance_up() external {
        vm.prank(ALICE);
        registry.approve(BOB, id, 1);
        set(BOB, "name", "one");
        set(BOB, "name", "two");
        vm.assertEq(registry.allowance(ALICE, BOB, id), 1);
    }

    function test_an_unknown_agent_cannot_be_written_and_reads_as_empty() external {
        expectNotFound(id + 1);
        vm.prank(ALICE);
        registry.setMetadata(id + 1, "name", "x");
        expectNotFound(id + 1);
        vm.prank(ALICE);
        registry.setMetadataBatch(id + 1, one("name", "x"));
        vm.assertEq(registry.metadata(id + 1, "name"), "");
    }

    /// @dev Reading X-27: and it leaves nothing in storage.
    function test_an_empty_value_removes_the_entry_and_is_logged() external {
        set(ALICE, "service", bytes(URI));
        bytes32 head = keccak256(abi.encodePacked("service", keccak256(abi.encode(id, 6))));
        bytes32 tail = keccak256(abi.encode(head));
        vm.assertTrue(vm.load(address(registry), head) != 0, "this is where the value begins");
        vm.assertTrue(vm.load(address(registry), tail) != 0, "this is where it goes on");
        vm.recordLogs();
        set(ALICE, "service", "");
        isMetadataSet(vm.getRecordedLogs()[0], id, "service", "");
        vm.assertEq(registry.metadata(id, "service"), "");
        vm.assertEq(vm.load(address(registry), head), 0);
        vm.assertEq(vm.load(address(registry), tail), 0);
    }

    function testFuzz_the_agent_account_is_an_address_or_nothing(bytes calldata value) external {
        vm.assume(value.length != 20 && value.length != 0);
        set(ALICE, "agent_account", abi.encodePacked(BOB));
        expectInvalidAccount(value);
        set(ALICE, "agent_account", value);
        expectInvalidAccount(value);
        vm.prank(ALICE);
        registry.setMetadataBatch(id, one("agent_account", value));
        expectInvalidAccount(new bytes(20));
        set(ALICE, "agent_account", new bytes(20));
        vm.assertEq(registry.metadata(id, "agent_account"), abi.encodePacked(BOB));
        set(ALICE, "agent_account", "");
        vm.assertEq(registry.metadata(id, "agent_account"), "");
    }

    function testFuzz_any_other_address_is_an_agent_account(address account) external {
        vm.assume(account != address(0));
        set(ALICE, "agent_account", abi.encodePacked(account));
        vm.assertEq(registry.metadata(id, "agent_account"), abi.encodePacked(account));
    }

    /// @dev 8048-if-02
    function test_a_batch_writes_and_logs_each_entry_in_order() external {
        set(ALICE, "service_type", "mcp");
        vm.recordLogs();
        vm.prank(ALICE);
        registry.setMetadataBatch(id, service());
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 3);
        IERC8122.MetadataEntry[] memory entries = service();
        for (uint256 i = 0; i < 3; ++i) {
            isMetadataSet(logs[i], id, entries[i].key, entries[i].value);
            vm.assertEq(registry.metadata(id, entries[i].key), entries[i].value);
        }
        vm.prank(ALICE);
        registry.setMetadataBatch(id, none());
        vm.assertEq(registry.metadata(id, "service"), bytes(URI));
    }

    function test_a_batch_that_fails_leaves_a_service_and_its_type_as_they_were() external {
        vm.prank(ALICE);
        registry.setMetadataBatch(id, service());
        IERC8122.MetadataEntry[] memory entries = service();
        entries[0].value = "a2a";
        entries[1].value = "https://elsewhere.example.com";
        entries[2].value = "nobody";
        expectInvalidAccount("nobody");
        vm.prank(ALICE);
        registry.setMetadataBatch(id, entries);
        vm.assertEq(registry.metadata(id, "service_type"), "mcp");
        vm.assertEq(registry.metadata(id, "service"), bytes(URI));
    }

    function test_metadata_stays_when_the_owner_changes() external {
        vm.prank(ALICE);
        registry.setMetadataBatch(id, service());
        vm.prank(ALICE);
        registry.transfer(BOB, id, 1);
        vm.assertEq(registry.metadata(id, "service"), bytes(URI));
        set(BOB, "service", "https://bob.example.com");
        vm.assertEq(registry.metadata(id, "service"), "https://bob.example.com");
    }
}
