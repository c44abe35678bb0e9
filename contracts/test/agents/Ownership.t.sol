// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import {AgentOwnership} from "../../src/agents/AgentOwnership.sol";
import {Vm} from "../Test.sol";
import {AgentTest} from "./AgentTest.sol";

/// @dev ERC-6909, and what ERC-8122 makes of it.
contract OwnershipTest is AgentTest {
    uint256 private id;

    function setUp() public override {
        super.setUp();
        id = agentOfAlice();
    }

    function belongsTo(address owner) private view {
        vm.assertEq(registry.ownerOf(id), owner);
        vm.assertEq(registry.balanceOf(ALICE, id), owner == ALICE ? 1 : 0);
        vm.assertEq(registry.balanceOf(BOB, id), owner == BOB ? 1 : 0);
        vm.assertEq(registry.balanceOf(CAROL, id), owner == CAROL ? 1 : 0);
    }

    /// @dev 8122-own-01
    function test_an_agent_has_one_owner_with_balance_one() external view {
        belongsTo(ALICE);
        vm.assertEq(registry.balanceOf(ALICE, id + 1), 0);
    }

    /// @dev 8122-own-01: an agent that there is not is not the zero address's either.
    function test_the_zero_address_owns_nothing() external view {
        vm.assertEq(registry.balanceOf(address(0), id), 0);
        vm.assertEq(registry.balanceOf(address(0), id + 1), 0);
    }

    /// @dev 8122-own-02, 8122-xfer-03, 6909-tr-02, 6909-tr-03, 6909-ev-01, 6909-ev-04
    function test_a_transfer_changes_the_owner_and_is_logged() external {
        vm.recordLogs();
        vm.prank(ALICE);
        vm.assertEq(registry.transfer(BOB, id, 1), true);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        isTransfer(logs[0], ALICE, ALICE, BOB, id);
        belongsTo(BOB);
    }

    /// @dev 6909-tf-03, 6909-tf-07, 6909-ev-01, 8122-xfer-03
    function test_a_transfer_by_another_names_the_caller() external {
        vm.prank(ALICE);
        registry.setOperator(CAROL, true);
        vm.recordLogs();
        vm.prank(CAROL);
        vm.assertEq(registry.transferFrom(ALICE, BOB, id, 1), true);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        isTransfer(logs[0], CAROL, ALICE, BOB, id);
        belongsTo(BOB);
    }

    function test_a_transfer_to_oneself_is_a_transfer() external {
        vm.recordLogs();
        vm.prank(ALICE);
        registry.transfer(ALICE, id, 1);
        isTransfer(vm.getRecordedLogs()[0], ALICE, ALICE, ALICE, id);
        belongsTo(ALICE);
    }

    /// @dev 8122-own-03
    function testFuzz_an_unknown_agent_has_no_owner(uint256 unknown) external {
        vm.assume(unknown != id);
        expectNotFound(unknown);
        registry.ownerOf(unknown);
    }

    /// @dev 8122-xfer-01
    function testFuzz_a_transfer_of_another_amount_than_one_reverts(uint256 amount) external {
        vm.assume(amount != 1);
        vm.expectRevert(abi.encodeWithSelector(AgentOwnership.InvalidAmount.selector, amount));
        vm.prank(ALICE);
        registry.transfer(BOB, id, amount);
    }

    /// @dev 8122-xfer-02: for the owner, an operator, and a spender whose allowance is large enough.
    function testFuzz_a_transfer_for_another_of_another_amount_than_one_reverts(uint256 amount) external {
        vm.assume(amount != 1);
        vm.prank(ALICE);
        registry.setOperator(BOB, true);
        vm.prank(ALICE);
        registry.approve(CAROL, id, type(uint256).max);
        address[3] memory callers = [ALICE, BOB, CAROL];
        for (uint256 i = 0; i < 3; ++i) {
            vm.expectRevert(abi.encodeWithSelector(AgentOwnership.InvalidAmount.selector, amount));
            vm.prank(callers[i]);
            registry.transferFrom(ALICE, BOB, id, amount);
        }
    }

    /// @dev 6909-tr-01
    function test_who_does_not_have_it_cannot_transfer_it() external {
        vm.expectRevert(abi.encodeWithSelector(AgentOwnership.InsufficientBalance.selector, BOB, id));
        vm.prank(BOB);
        registry.transfer(CAROL, id, 1);
    }

    /// @dev 6909-tf-02: not for a sender who lets the caller do everything, either.
    function test_nobody_can_transfer_what_the_sender_does_not_have() external {
        vm.prank(BOB);
        registry.setOperator(CAROL, true);
        vm.expectRevert(abi.encodeWithSelector(AgentOwnership.InsufficientBalance.selector, BOB, id));
        vm.prank(CAROL);
        registry.transferFrom(BOB, CAROL, id, 1);
    }

    function test_an_unknown_agent_cannot_be_transferred() external {
        expectNotFound(id + 1);
        vm.prank(ALICE);
        registry.transfer(BOB, id + 1, 1);
        expectNotFound(id + 1);
        vm.prank(ALICE);
        registry.transferFrom(ALICE, BOB, id + 1, 1);
        expectNotFound(id + 1);
        vm.prank(address(0));
        registry.transferFrom(address(0), BOB, id + 1, 1);
    }

    /// @dev 6909-ev-03: nothing is burned, so nothing has to be logged.
    function test_an_agent_cannot_be_burned() external {
        vm.expectRevert(abi.encodeWithSelector(AgentOwnership.InvalidOwner.selector, address(0)));
        vm.prank(ALICE);
        registry.transfer(address(0), id, 1);
        vm.expectRevert(abi.encodeWithSelector(AgentOwnership.InvalidOwner.selector, address(0)));
        vm.prank(ALICE);
        registry.transferFrom(ALICE, address(0), id, 1);
        belongsTo(ALICE);
    }

    /// @dev 6909-tf-01
    function test_a_stranger_cannot_transfer() external {
        expectNoPermission(STRANGER, id);
        vm.prank(STRANGER);
        registry.transferFrom(ALICE, STRANGER, id, 1);
        belongsTo(ALICE);
    }

    /// @dev 6909-tf-01: an allowance for another agent is none.
    function test_an_allowance_is_for_one_agent() external {
        uint256 other = agentOfAlice();
        vm.prank(ALICE);
        registry.approve(BOB, other, 1);
        expectNoPermission(BOB, id);
        vm.prank(BOB);
        registry.transferFrom(ALICE, BOB, id, 1);
    }

    /// @dev 6909-tf-04: by the amount moved, which is always 1; the last one is spent.
    function testFuzz_a_finite_allowance_falls_by_one(uint256 amount) external {
        amount = bound(amount, 1, type(uint256).max - 1);
        vm.prank(ALICE);
        registry.approve(BOB, id, amount);
        vm.prank(BOB);
        registry.transferFrom(ALICE, CAROL, id, 1);
        vm.assertEq(registry.allowance(ALICE, BOB, id), amount - 1);
    }

    /// @dev 6909-tf-05
    function test_an_infinite_allowance_stays() external {
        vm.prank(ALICE);
        registry.approve(BOB, id, type(uint256).max);
        vm.prank(BOB);
        registry.transferFrom(ALICE, CAROL, id, 1);
        vm.assertEq(registry.allowance(ALICE, BOB, id), type(uint256).max);
    }

    /// @dev 6909-tf-06
    function test_operator_and_sender_spend_no_allowance() external {
        vm.prank(ALICE);
        registry.setOperator(BOB, true);
        vm.prank(ALICE);
        registry.approve(BOB, id, 1);
        vm.prank(BOB);
        registry.transferFrom(ALICE, CAROL, id, 1);
        vm.assertEq(registry.allowance(ALICE, BOB, id), 1);

        vm.prank(CAROL);
        registry.approve(CAROL, id, 1);
        vm.prank(CAROL);
        registry.transferFrom(CAROL, ALICE, id, 1);
        vm.assertEq(registry.allowance(CAROL, CAROL, id), 1);
    }

    /// @dev 6909-tf-06, 6909-tf-08: the sender needs no allowance, and an operator none either.
    function test_operators_are_asked_for_before_allowances() external {
        vm.prank(ALICE);
        registry.transferFrom(ALICE, BOB, id, 1);
        vm.prank(BOB);
        registry.setOperator(CAROL, true);
        vm.prank(CAROL);
        registry.transferFrom(BOB, ALICE, id, 1);
        belongsTo(ALICE);
    }

    /// @dev 6909-ap-01, 6909-ap-02, 6909-ap-03, 6909-ev-07
    function testFuzz_approve_sets_the_allowance_and_is_logged(uint256 first, uint256 second) external {
        vm.prank(ALICE);
        registry.approve(BOB, id, first);
        vm.recordLogs();
        vm.prank(ALICE);
        vm.assertEq(registry.approve(BOB, id, second), true);
        vm.assertEq(registry.allowance(ALICE, BOB, id), second);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        vm.assertEq(logs[0].topics.length, 4);
        vm.assertEq(logs[0].topics[0], keccak256("Approval(address,address,uint256,uint256)"));
        vm.assertEq(logs[0].topics[1], bytes32(uint256(uint160(ALICE))));
        vm.assertEq(logs[0].topics[2], bytes32(uint256(uint160(BOB))));
        vm.assertEq(logs[0].topics[3], bytes32(id));
        vm.assertEq(logs[0].data, abi.encode(second));
    }

    /// @dev 6909-ap-01: also for an agent that is not, or not yet, the caller's.
    function test_approving_ahead_of_time_counts_when_the_agent_is_there() external {
        vm.prank(BOB);
        registry.approve(CAROL, id, 1);
        vm.prank(BOB);
        registry.approve(CAROL, id + 1, 1);
        vm.assertEq(registry.allowance(BOB, CAROL, id + 1), 1);
        vm.prank(ALICE);
        registry.transfer(BOB, id, 1);
        vm.prank(CAROL);
        registry.transferFrom(BOB, CAROL, id, 1);
        belongsTo(CAROL);
    }

    /// @dev 6909-op-01, 6909-op-02, 6909-op-03, 6909-ev-05, 6909-ev-06: also when the status is what it was.
    function test_setting_an_operator_is_stored_and_logged() external {
        bool[4] memory statuses = [true, true, false, false];
        for (uint256 i = 0; i < 4; ++i) {
            vm.recordLogs();
            vm.prank(ALICE);
            vm.assertEq(registry.setOperator(BOB, statuses[i]), true);
            vm.assertEq(registry.isOperator(ALICE, BOB), statuses[i]);
            Vm.Log[] memory logs = vm.getRecordedLogs();
            vm.assertEq(logs.length, 1);
            vm.assertEq(logs[0].topics.length, 3);
            vm.assertEq(logs[0].topics[0], keccak256("OperatorSet(address,address,bool)"));
            vm.assertEq(logs[0].topics[1], bytes32(uint256(uint160(ALICE))));
            vm.assertEq(logs[0].topics[2], bytes32(uint256(uint160(BOB))));
            vm.assertEq(logs[0].data, abi.encode(statuses[i]));
        }
        expectNoPermission(BOB, id);
        vm.prank(BOB);
        registry.transferFrom(ALICE, BOB, id, 1);
    }

    /// @dev 6909-op-01: the other way round is another thing.
    function test_being_an_operator_is_not_mutual() external {
        vm.prank(BOB);
        registry.setOperator(ALICE, true);
        expectNoPermission(BOB, id);
        vm.prank(BOB);
        registry.transferFrom(ALICE, BOB, id, 1);
    }

    function test_allowances_do_not_bind_the_new_owner_and_count_again_when_the_agent_comes_back() external {
        vm.prank(ALICE);
        registry.approve(CAROL, id, 1);
        vm.prank(ALICE);
        registry.transfer(BOB, id, 1);
        vm.assertEq(registry.allowance(ALICE, CAROL, id), 1);
        vm.assertEq(registry.allowance(BOB, CAROL, id), 0);

        expectNoPermission(CAROL, id);
        vm.prank(CAROL);
        registry.transferFrom(BOB, CAROL, id, 1);
        vm.expectRevert(abi.encodeWithSelector(AgentOwnership.InsufficientBalance.selector, ALICE, id));
        vm.prank(CAROL);
        registry.transferFrom(ALICE, CAROL, id, 1);
        expectNoPermission(CAROL, id);
        vm.prank(CAROL);
        registry.setMetadata(id, "name", "mine");
        vm.assertEq(registry.allowance(ALICE, CAROL, id), 1);

        vm.prank(BOB);
        registry.transfer(ALICE, id, 1);
        vm.prank(CAROL);
        registry.setMetadata(id, "name", "back");
        vm.prank(CAROL);
        registry.transferFrom(ALICE, CAROL, id, 1);
        belongsTo(CAROL);
        vm.assertEq(registry.allowance(ALICE, CAROL, id), 0);
    }

    function test_operators_do_not_bind_the_new_owner_and_count_again_when_the_agent_comes_back() external {
        vm.prank(ALICE);
        registry.setOperator(CAROL, true);
        vm.prank(ALICE);
        registry.transfer(BOB, id, 1);

        expectNoPermission(CAROL, id);
        vm.prank(CAROL);
        registry.transferFrom(BOB, CAROL, id, 1);
        expectNoPermission(CAROL, id);
        vm.prank(CAROL);
        registry.setMetadata(id, "name", "mine");

        vm.prank(BOB);
        registry.transfer(ALICE, id, 1);
        vm.prank(CAROL);
        registry.setMetadata(id, "name", "back");
        vm.prank(CAROL);
        registry.transferFrom(ALICE, CAROL, id, 1);
        belongsTo(CAROL);
    }

    function test_who_gave_an_agent_away_has_no_power_over_it() external {
        vm.prank(ALICE);
        registry.transfer(BOB, id, 1);
        expectNoPermission(ALICE, id);
        vm.prank(ALICE);
        registry.setMetadata(id, "name", "still mine");
        expectNoPermission(ALICE, id);
        vm.prank(ALICE);
        registry.transferFrom(BOB, ALICE, id, 1);
    }
}
