// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import {AgentOwnership} from "../../src/agents/AgentOwnership.sol";
import {AgentRegistry} from "../../src/agents/AgentRegistry.sol";
import {IERC8122} from "../../src/interfaces/IERC8122.sol";
import {Vm} from "../Test.sol";
import {AgentTest} from "./AgentTest.sol";

/// @dev ERC-8122, "Registration".
contract RegistrationTest is AgentTest {
    /// @dev 8122-reg-01, 8122-reg-02, 8048-if-03, 8048-if-04, 8049-if-04, 6909-165-01, 8122-rg-08: the numbers are those of the texts.
    function test_the_interfaces_are_told() external view {
        bytes4[5] memory told = [bytes4(0x01ffc9a7), 0x0f632fb3, 0xdf670be1, 0x8ec3f882, 0x2bb55cdc];
        for (uint256 i = 0; i < 5; ++i) {
            vm.assertEq(registry.supportsInterface(told[i]), true);
        }
        vm.assertEq(registry.supportsInterface(0xffffffff), false);
        vm.assertEq(registry.supportsInterface(0xf9cb127d), false);
    }

    /// @dev 8122-rg-08: the four functions under the selectors of the signatures, and no others.
    function test_the_selectors_are_those_of_the_standard() external pure {
        bytes4 all = bytes4(keccak256("register(address,string,string,address)"))
            ^ bytes4(keccak256("register(address,(string,bytes)[])"))
            ^ bytes4(keccak256("registerBatch(address[],(string,bytes)[][])")) ^ bytes4(keccak256("ownerOf(uint256)"));
        vm.assertEq(bytes32(all), bytes32(bytes4(0x2bb55cdc)));
        vm.assertEq(bytes32(type(IERC8122).interfaceId), bytes32(all));
    }

    /// @dev 8122-rg-01
    function test_ids_count_from_one_and_are_never_given_twice() external {
        vm.assertEq(registry.agentCount(), 0);
        for (uint256 i = 1; i <= 1000; ++i) {
            vm.assertEq(registry.register(ALICE, none()), i);
            vm.assertEq(registry.agentCount(), i);
        }
    }

    /// @dev 8122-rg-02 to 8122-rg-06, 6909-ev-02: anyone registers for anyone.
    function test_a_registration_of_one_service() external {
        vm.recordLogs();
        vm.prank(STRANGER);
        uint256 id = registry.register(ALICE, "mcp", URI, BOB);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 5);
        isTransfer(logs[0], STRANGER, address(0), ALICE, id);
        isMetadataSet(logs[1], id, "service_type", "mcp");
        isMetadataSet(logs[2], id, "service", bytes(URI));
        isMetadataSet(logs[3], id, "agent_account", abi.encodePacked(BOB));
        isRegistered(logs[4], id, ALICE, "mcp", URI, BOB);
        vm.assertEq(registry.ownerOf(id), ALICE);
        vm.assertEq(registry.balanceOf(ALICE, id), 1);
        vm.assertEq(registry.balanceOf(STRANGER, id), 0);
        vm.assertEq(registry.metadata(id, "service_type"), "mcp");
        vm.assertEq(registry.metadata(id, "service"), bytes(URI));
        vm.assertEq(registry.metadata(id, "agent_account"), abi.encodePacked(BOB));
    }

    /// @dev 8122-rg-07: what is empty is neither stored nor logged, each for itself.
    function testFuzz_what_is_not_given_is_not_metadata(bool kind, bool uri, bool account) external {
        vm.recordLogs();
        uint256 id = registry.register(ALICE, kind ? "a2a" : "", uri ? URI : "", account ? BOB : address(0));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        uint256 next = 1;
        if (kind) isMetadataSet(logs[next++], id, "service_type", "a2a");
        if (uri) isMetadataSet(logs[next++], id, "service", bytes(URI));
        if (account) isMetadataSet(logs[next++], id, "agent_account", abi.encodePacked(BOB));
        vm.assertEq(logs.length, next + 1);
        isRegistered(logs[next], id, ALICE, kind ? "a2a" : "", uri ? URI : "", account ? BOB : address(0));
        vm.assertEq(registry.metadata(id, "service_type"), kind ? bytes("a2a") : bytes(""));
        vm.assertEq(registry.metadata(id, "service"), uri ? bytes(URI) : bytes(""));
        vm.assertEq(registry.metadata(id, "agent_account"), account ? abi.encodePacked(BOB) : bytes(""));
    }

    /// @dev 8122-rg-05, 8122-rg-06
    function test_a_registration_with_metadata_says_the_same_as_one_of_a_service() external {
        vm.recordLogs();
        uint256 id = registry.register(ALICE, service());
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 5);
        isTransfer(logs[0], address(this), address(0), ALICE, id);
        isMetadataSet(logs[1], id, "service_type", "mcp");
        isMetadataSet(logs[2], id, "service", bytes(URI));
        isMetadataSet(logs[3], id, "agent_account", abi.encodePacked(BOB));
        isRegistered(logs[4], id, ALICE, "mcp", URI, BOB);
    }

    /// @dev 8122-rg-07
    function test_registered_has_empty_fields_for_what_is_not_among_the_metadata() external {
        vm.recordLogs();
        uint256 id = registry.register(ALICE, none());
        isRegistered(vm.getRecordedLogs()[1], id, ALICE, "", "", address(0));

        vm.recordLogs();
        id = registry.register(ALICE, one("name", "no service"));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        isMetadataSet(logs[1], id, "name", "no service");
        isRegistered(logs[2], id, ALICE, "", "", address(0));
    }

    /// @dev 8122-rg-07: keys that look alike are other keys.
    function test_registered_takes_only_the_keys_of_the_standard() external {
        string[7] memory alike = [
            "service/1",
            "Service",
            "service_typ",
            "service_type/1",
            "agent_account\x00",
            "agent_accoun",
            "tneg_account_"
        ];
        for (uint256 i = 0; i < alike.length; ++i) {
            vm.recordLogs();
            uint256 id = registry.register(ALICE, one(alike[i], "x"));
            isRegistered(vm.getRecordedLogs()[2], id, ALICE, "", "", address(0));
            vm.assertEq(registry.metadata(id, alike[i]), "x");
        }
    }

    /// @dev 8122-rg-05, reading X-18: each entry is logged, and the last one counts.
    function test_of_two_values_for_a_key_the_last_one_counts() external {
        IERC8122.MetadataEntry[] memory entries = new IERC8122.MetadataEntry[](6);
        entries[0] = IERC8122.MetadataEntry("service_type", "mcp");
        entries[1] = IERC8122.MetadataEntry("service", bytes(URI));
        entries[2] = IERC8122.MetadataEntry("agent_account", abi.encodePacked(BOB));
        entries[3] = IERC8122.MetadataEntry("service_type", "a2a");
        entries[4] = IERC8122.MetadataEntry("service", "");
        entries[5] = IERC8122.MetadataEntry("agent_account", "");
        vm.recordLogs();
        uint256 id = registry.register(ALICE, entries);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 8);
        for (uint256 i = 0; i < 6; ++i) {
            isMetadataSet(logs[i + 1], id, entries[i].key, entries[i].value);
        }
        isRegistered(logs[7], id, ALICE, "a2a", "", address(0));
        vm.assertEq(registry.metadata(id, "service_type"), "a2a");
        vm.assertEq(registry.metadata(id, "service"), "");
        vm.assertEq(registry.metadata(id, "agent_account"), "");
    }

    /// @dev Reading X-18
    function testFuzz_a_registration_with_a_malformed_account_reverts(bytes calldata value) external {
        vm.assume(value.length != 20 && value.length != 0);
        expectInvalidAccount(value);
        registry.register(ALICE, one("agent_account", value));
        vm.assertEq(registry.agentCount(), 0);
    }

    function test_the_zero_address_is_no_account() external {
        expectInvalidAccount(new bytes(20));
        registry.register(ALICE, one("agent_account", new bytes(20)));
    }

    /// @dev Reading X-19
    function test_nothing_is_registered_for_the_zero_address() external {
        bytes memory refusal = abi.encodeWithSelector(AgentOwnership.InvalidOwner.selector, address(0));
        vm.expectRevert(refusal);
        registry.register(address(0), "mcp", URI, BOB);
        vm.expectRevert(refusal);
        registry.register(address(0), service());
        address[] memory owners = new address[](2);
        owners[0] = ALICE;
        vm.expectRevert(refusal);
        registry.registerBatch(owners, new IERC8122.MetadataEntry[][](2));
        vm.assertEq(registry.agentCount(), 0);
    }

    /// @dev 8122-rg-09, 8122-rg-04 to 8122-rg-06
    function test_a_batch_pairs_owners_with_metadata_and_returns_ids_in_order() external {
        agentOfAlice();
        address[] memory owners = new address[](3);
        (owners[0], owners[1], owners[2]) = (BOB, ALICE, BOB);
        IERC8122.MetadataEntry[][] memory entries = new IERC8122.MetadataEntry[][](3);
        (entries[0], entries[1], entries[2]) = (one("name", "first"), none(), service());

        vm.recordLogs();
        vm.prank(STRANGER);
        uint256[] memory ids = registry.registerBatch(owners, entries);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(ids.length, 3);
        for (uint256 i = 0; i < 3; ++i) {
            vm.assertEq(ids[i], i + 2);
            vm.assertEq(registry.ownerOf(ids[i]), owners[i]);
        }
        vm.assertEq(logs.length, 10);
        isTransfer(logs[0], STRANGER, address(0), BOB, 2);
        isMetadataSet(logs[1], 2, "name", "first");
        isRegistered(logs[2], 2, BOB, "", "", address(0));
        isTransfer(logs[3], STRANGER, address(0), ALICE, 3);
        isRegistered(logs[4], 3, ALICE, "", "", address(0));
        isTransfer(logs[5], STRANGER, address(0), BOB, 4);
        isMetadataSet(logs[6], 4, "service_type", "mcp");
        isRegistered(logs[9], 4, BOB, "mcp", URI, BOB);
        vm.assertEq(registry.metadata(2, "name"), "first");
        vm.assertEq(registry.metadata(4, "service"), bytes(URI));
    }

    /// @dev 8122-rg-09
    function testFuzz_a_batch_of_unequal_lengths_reverts(uint8 owners, uint8 entries) external {
        vm.assume(owners != entries);
        vm.expectRevert(abi.encodeWithSelector(AgentRegistry.BatchLengthMismatch.selector, owners, entries));
        registry.registerBatch(new address[](owners), new IERC8122.MetadataEntry[][](entries));
    }

    function test_an_empty_batch_registers_nothing() external {
        vm.recordLogs();
        vm.assertEq(registry.registerBatch(new address[](0), new IERC8122.MetadataEntry[][](0)).length, 0);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.assertEq(registry.agentCount(), 0);
    }

    /// @dev Reading X-19
    function test_a_batch_is_all_or_nothing() external {
        address[] memory owners = new address[](2);
        (owners[0], owners[1]) = (ALICE, BOB);
        IERC8122.MetadataEntry[][] memory entries = new IERC8122.MetadataEntry[][](2);
        (entries[0], entries[1]) = (service(), one("agent_account", "0xb0b"));
        expectInvalidAccount("0xb0b");
        registry.registerBatch(owners, entries);
        vm.assertEq(registry.agentCount(), 0);
        vm.assertEq(registry.metadata(1, "service"), "");
        expectNotFound(1);
        registry.ownerOf(1);
    }
}
