// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IAccessPredicate} from "../../src/interfaces/IAccessPredicate.sol";
import {Act, OldRegistry, Reentrant, Scripted, Scripts, Switch} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev `hasAccess` and `tryHasAccess`, of predicates that answer and of such that do not.
contract ToolAccessTest is ToolTest {
    /// @dev A gated tool whose predicate does this.
    function tool(Act act, bytes memory answer) private returns (uint256) {
        return register(address(Scripts.predicate(act, answer)));
    }

    /// @dev 8257-1-06
    function testFuzz_an_open_tool_is_open_to_everybody(address account, bytes calldata data) public {
        vm.assertEq(registry.hasAccess(register(OPEN), account, data), true);
    }

    /// @dev 8257-1-43
    function testFuzz_asking_about_an_open_tool_calls_nobody(bytes calldata data) public {
        uint256 toolId = register(OPEN);
        more.expectCall(OPEN, "", 0);
        assertAccess(toolId, data, true, true);
    }

    /// @dev 8257-1-43: nothing but the first slot of the tool is read.
    function test_asking_about_an_open_tool_reads_one_slot() public {
        uint256 toolId = register(OPEN);
        more.record();
        registry.hasAccess(toolId, ACCOUNT, "");
        (bytes32[] memory read,) = more.accesses(address(registry));
        for (uint256 i = 0; i < read.length; ++i) {
            vm.assertEq(read[i], keccak256(abi.encode(toolId, uint256(1))));
        }
        more.cool(address(registry));
        uint256 before = gasleft();
        registry.hasAccess(toolId, ACCOUNT, "");
        // 2,600 of it is this test touching the registry.
        more.assertLe(before - gasleft(), 2_600 + 3_500);
    }

    /// @dev 8257-1-44, 8257-1-41
    function test_the_word_1_grants() public {
        assertAccess(tool(Act.Answer, abi.encode(1)), "", true, true);
    }

    /// @dev 8257-1-45
    function test_the_word_0_denies() public {
        assertAccess(tool(Act.Answer, abi.encode(0)), "", true, false);
    }

    /// @dev 8257-1-46, 8257-1-42
    function test_a_revert_is_a_malfunction() public {
        assertAccess(tool(Act.Fail, ""), "", false, false);
        assertAccess(tool(Act.Fail, abi.encode(1)), "", false, false);
    }

    /// @dev 8257-1-47, 8257-1-42, 8257-gas-01
    function test_running_out_of_gas_is_a_malfunction_and_leaves_enough_to_say_so() public {
        uint256 burner = tool(Act.Burn, "");
        for (uint256 gas_ = 60_000; gas_ <= 2_000_000; gas_ += 97_000) {
            (bool ok, bool granted) = registry.tryHasAccess{gas: gas_}(burner, ACCOUNT, "");
            more.assertFalse(ok || granted);
            more.assertFalse(registry.hasAccess{gas: gas_}(burner, ACCOUNT, ""));
        }
    }

    /// @dev 8257-1-47, 8257-1-42
    function test_an_invalid_opcode_is_a_malfunction() public {
        uint256 invalid = tool(Act.Invalid, "");
        (bool ok, bool granted) = registry.tryHasAccess{gas: 1_000_000}(invalid, ACCOUNT, "");
        more.assertFalse(ok || granted);
        more.assertFalse(registry.hasAccess{gas: 1_000_000}(invalid, ACCOUNT, ""));
    }

    /// @dev 8257-1-48, 8257-1-42
    function test_an_answer_of_another_length_is_a_malfunction() public {
        assertAccess(tool(Act.Answer, ""), "", false, false);
        assertAccess(tool(Act.Answer, new bytes(31)), "", false, false);
        assertAccess(tool(Act.Answer, bytes.concat(bytes32(uint256(1)), hex"00")), "", false, false);
        assertAccess(tool(Act.Answer, abi.encode(1, 0)), "", false, false);
    }

    /// @dev 8257-1-49, 8257-1-41
    function test_a_word_that_is_no_bool_is_a_malfunction() public {
        assertAccess(tool(Act.Answer, abi.encode(2)), "", false, false);
        assertAccess(tool(Act.Answer, abi.encode(1 << 255)), "", false, false);
        assertAccess(tool(Act.Answer, abi.encode(type(uint256).max)), "", false, false);
    }

    /// @dev 8257-1-50, 8257-1-42
    function test_a_predicate_without_code_is_a_malfunction() public {
        assertAccess(register(STRANGER), "", false, false);
    }

    /// @dev 8257-1-51, 8257-1-41: words, of which a fuzzer finds few among all bytes.
    function testFuzz_no_word_but_0_and_1_is_an_answer(uint256 word) public {
        assertAccess(tool(Act.Answer, abi.encode(word)), "", word < 2, word == 1);
    }

    /// @dev 8257-1-51, 8257-1-41
    function testFuzz_a_malfunction_never_grants(bytes calldata answer, bool fails) public {
        uint256 toolId = tool(fails ? Act.Fail : Act.Answer, answer);
        bool granted = !fails && keccak256(answer) == keccak256(abi.encode(true));
        bool denied = !fails && keccak256(answer) == keccak256(abi.encode(false));
        assertAccess(toolId, "", granted || denied, granted);
    }

    /// @dev 8257-1-52
    function test_a_predicate_that_writes_is_a_malfunction_and_writes_nothing() public {
        Scripted writer = Scripts.predicate(Act.Write, abi.encode(1));
        (bool written,) = address(writer).call(abi.encodeCall(IAccessPredicate.hasAccess, (1, ACCOUNT, "")));
        more.assertTrue(written && writer.state() == 1);
        uint256 toolId = register(address(writer));
        (bool ok, bool granted) = registry.tryHasAccess{gas: 1_000_000}(toolId, ACCOUNT, "");
        more.assertFalse(ok || granted);
        more.assertFalse(registry.hasAccess{gas: 1_000_000}(toolId, ACCOUNT, ""));
        vm.assertEq(writer.state(), 1);
    }

    /// @dev 8257-gas-01: what a predicate returns or reverts with is not copied; its cost is the predicate's alone.
    function test_a_megabyte_of_answer_costs_the_asker_nothing() public {
        uint256 bomb = tool(Act.Bomb, "");
        uint256 failing = tool(Act.FailBomb, "");
        // A megabyte of memory costs 2.2 million gas. Two of them do not fit into this.
        (bool ok, bool granted) = registry.tryHasAccess{gas: 2_500_000}(bomb, ACCOUNT, "");
        more.assertFalse(ok || granted);
        (ok, granted) = registry.tryHasAccess{gas: 2_500_000}(failing, ACCOUNT, "");
        more.assertFalse(ok || granted);
    }

    /// @dev 8257-1-44, 8257-1-45: the predicate is asked about this tool, this account, with this data.
    function testFuzz_the_question_reaches_the_predicate_as_it_was_put(address account, bytes calldata data) public {
        Scripted predicate = new Scripted();
        uint256 toolId = register(address(predicate));
        predicate.onCall(abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data)), Act.Answer, abi.encode(1));
        vm.assertEq(registry.hasAccess(toolId, account, data), true);
        vm.assertEq(registry.hasAccess(toolId, account, bytes.concat(data, hex"00")), false);
    }

    /// @dev 8257-1-35
    function test_the_zero_predicate_opens_a_tool() public {
        uint256 toolId = tool(Act.Fail, "");
        vm.prank(CREATOR);
        registry.setAccessPredicate(toolId, OPEN);
        assertAccess(toolId, hex"1234", true, true);
    }

    /// @dev 8257-reent-05
    function test_every_question_is_put_to_the_predicate_anew() public {
        Switch predicate = new Switch(false);
        uint256 toolId = register(address(predicate));
        assertAccess(toolId, "", true, false);
        predicate.turn(true);
        assertAccess(toolId, "", true, true);
        predicate.turn(false);
        assertAccess(toolId, "", true, false);
    }

    /// @dev 8257-zero-02
    function test_a_predicate_without_code_denies_until_it_has_some() public {
        address later = address(uint160(uint256(keccak256("later"))));
        uint256 toolId = register(later);
        assertAccess(toolId, "", false, false);
        more.etch(later, address(Scripts.predicate(Act.Answer, abi.encode(1))).code);
        Scripted(later).on(IAccessPredicate.hasAccess.selector, Act.Answer, abi.encode(1));
        assertAccess(toolId, "", true, true);
    }

    /// @dev 8257-val-11
    function test_a_registry_that_asks_itself_without_end_is_a_malfunction() public {
        uint256 toolId = register(address(new OldRegistry()));
        (bool ok, bool granted) = registry.tryHasAccess{gas: 3_000_000}(toolId, ACCOUNT, "");
        more.assertFalse(ok || granted);
    }

    /// @dev 8257-val-11, 8257-1-52: a predicate may ask the registry again, and may not change it.
    function test_a_predicate_cannot_change_its_tool_while_it_is_asked() public {
        Reentrant predicate = new Reentrant();
        uint256 toolId = predicate.registerTool(registry);
        assertAccess(toolId, "", true, true);
        assertAccess(toolId, hex"01", false, false);
        vm.assertEq(registry.getToolConfig(toolId).creator, address(predicate));
    }

    /// @dev 8257-reent-01: what changes a tool asks the predicate for its interfaces, and never for access.
    function test_changing_a_tool_never_asks_for_access() public {
        Switch predicate = new Switch(true);
        more.expectCall(address(predicate), abi.encodeWithSelector(IAccessPredicate.hasAccess.selector), 0);
        uint256 toolId = register(OPEN);
        vm.prank(CREATOR);
        registry.setAccessPredicate(toolId, address(predicate));
        vm.prank(CREATOR);
        registry.updateToolMetadata(toolId, "https://b.example", HASH);
        vm.prank(CREATOR);
        registry.deregisterTool(toolId);
        register(address(predicate));
    }
}
