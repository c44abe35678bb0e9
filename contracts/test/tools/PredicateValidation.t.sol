// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IAccessPredicate} from "../../src/interfaces/IAccessPredicate.sol";
import {IERC165} from "../../src/interfaces/IERC165.sol";
import {IToolRegistry} from "../../src/interfaces/IToolRegistry.sol";
import {StrictCall} from "../../src/tools/StrictCall.sol";
import {ToolRegistry} from "../../src/tools/ToolRegistry.sol";
import {Act, Scripted, Scripts, Switch, YesToAll} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev The ladder, through both doors: `registerTool` and `setAccessPredicate`.
contract PredicateValidationTest is ToolTest {
    bytes4 private constant ERC165 = type(IERC165).interfaceId;
    bytes4 private constant PREDICATE = type(IAccessPredicate).interfaceId;
    bytes private constant YES = abi.encode(1);
    bytes private constant NO = abi.encode(0);

    uint256 private open;

    function setUp() public {
        open = register(OPEN);
    }

    /// @dev A contract that answers the two probes so.
    function probed(Act first, bytes memory firstAnswer, Act second, bytes memory secondAnswer)
        private
        returns (address)
    {
        return address(
            new Scripted().onCall(Scripts.probe(ERC165), first, firstAnswer)
                .onCall(Scripts.probe(PREDICATE), second, secondAnswer)
        );
    }

    function assertAccepted(address predicate) private {
        vm.assertEq(registry.getToolConfig(register(predicate)).accessPredicate, predicate);
        vm.prank(CREATOR);
        registry.setAccessPredicate(open, predicate);
        vm.assertEq(registry.getToolConfig(open).accessPredicate, predicate);
        vm.prank(CREATOR);
        registry.setAccessPredicate(open, OPEN);
    }

    function assertRefused(address predicate) private {
        uint256 count = registry.toolCount();
        bytes memory expected = abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, predicate);
        vm.prank(CREATOR);
        vm.expectRevert(expected);
        registry.registerTool(URI, HASH, predicate);
        vm.prank(CREATOR);
        vm.expectRevert(expected);
        registry.setAccessPredicate(open, predicate);
        vm.assertEq(registry.toolCount(), count);
        vm.assertEq(registry.getToolConfig(open).accessPredicate, OPEN);
    }

    /// @dev 8257-val-01
    function test_step_1_the_zero_address_is_accepted_and_not_asked() public {
        more.expectCall(OPEN, "", 0);
        register(OPEN);
        vm.prank(CREATOR);
        registry.setAccessPredicate(open, STRANGER);
        vm.prank(CREATOR);
        registry.setAccessPredicate(open, OPEN);
    }

    /// @dev 8257-val-02, 8257-zero-01
    function test_step_2_an_address_without_code_is_accepted_and_not_asked() public {
        more.expectCall(STRANGER, "", 0);
        assertAccepted(STRANGER);
    }

    /// @dev 8257-val-03
    function test_step_3_a_first_probe_that_fails_is_no_erc165() public {
        assertAccepted(probed(Act.Fail, "", Act.Answer, NO));
        assertAccepted(probed(Act.Fail, YES, Act.Answer, NO));
        assertAccepted(probed(Act.Burn, "", Act.Answer, NO));
        assertAccepted(probed(Act.Invalid, "", Act.Answer, NO));
        assertAccepted(probed(Act.Write, YES, Act.Answer, NO));
        assertAccepted(probed(Act.Bomb, "", Act.Answer, NO));
        assertAccepted(address(new Scripted()));
    }

    /// @dev 8257-val-03: with a canonical `true` it would be refused.
    function test_step_3_an_odd_answer_is_no_erc165() public {
        assertAccepted(probed(Act.Answer, "", Act.Answer, NO));
        assertAccepted(probed(Act.Answer, new bytes(31), Act.Answer, NO));
        assertAccepted(probed(Act.Answer, bytes.concat(YES, hex"00"), Act.Answer, NO));
        assertAccepted(probed(Act.Answer, bytes.concat(YES, YES), Act.Answer, NO));
        assertAccepted(probed(Act.Answer, abi.encode(2), Act.Answer, NO));
        assertAccepted(probed(Act.Answer, abi.encode(type(uint256).max), Act.Answer, NO));
    }

    /// @dev 8257-val-06
    function test_step_4_one_that_denies_erc165_is_accepted() public {
        assertAccepted(probed(Act.Answer, NO, Act.Answer, NO));
    }

    /// @dev 8257-val-07, 8257-val-04: of the second probe, and both with 30,000 gas.
    function test_step_5_both_probes_get_30000_gas() public {
        address predicate = address(new Switch(true));
        more.expectCall(predicate, 0, 30_000, Scripts.probe(ERC165), 2);
        more.expectCall(predicate, 0, 30_000, Scripts.probe(PREDICATE), 2);
        assertAccepted(predicate);
    }

    /// @dev 8257-val-08, 8257-1-05, 8257-1-36, 8257-1-39
    function test_step_5_a_second_probe_that_fails_refuses() public {
        assertRefused(probed(Act.Answer, YES, Act.Answer, NO));
        assertRefused(probed(Act.Answer, YES, Act.Fail, ""));
        assertRefused(probed(Act.Answer, YES, Act.Fail, YES));
        assertRefused(probed(Act.Answer, YES, Act.Burn, ""));
        assertRefused(probed(Act.Answer, YES, Act.Invalid, ""));
        assertRefused(probed(Act.Answer, YES, Act.Bomb, ""));
    }

    /// @dev 8257-val-08
    function test_step_5_an_odd_answer_refuses() public {
        assertRefused(probed(Act.Answer, YES, Act.Answer, ""));
        assertRefused(probed(Act.Answer, YES, Act.Answer, new bytes(31)));
        assertRefused(probed(Act.Answer, YES, Act.Answer, bytes.concat(YES, hex"00")));
        assertRefused(probed(Act.Answer, YES, Act.Answer, bytes.concat(YES, YES)));
        assertRefused(probed(Act.Answer, YES, Act.Answer, abi.encode(2)));
    }

    /// @dev 8257-val-08, 8257-val-09, 8257-9-06
    function test_no_registry_is_a_predicate() public {
        assertRefused(address(registry));
        assertRefused(address(new ToolRegistry()));
    }

    /// @dev 8257-val-04
    function test_a_predicate_that_takes_29000_gas_for_a_probe_is_recognised() public {
        assertAccepted(probed(Act.Spend, YES, Act.Spend, YES));
        assertRefused(probed(Act.Spend, YES, Act.Spend, NO));
    }

    /// @dev 8257-val-06: the ladder has no probe for 0xffffffff.
    function test_one_that_answers_1_to_everything_passes() public {
        assertAccepted(address(new YesToAll()));
    }

    /// @dev 8257-val-05: at no amount of gas is a registry taken for a contract without ERC-165.
    function test_no_amount_of_gas_gets_a_registry_past_the_ladder() public {
        address predicate = probed(Act.Spend, YES, Act.Answer, NO);
        uint256 starved = 0;
        uint256 refused = 0;
        for (uint256 gas_ = 5_000; gas_ <= 160_000; gas_ += 251) {
            more.cool(predicate);
            more.cool(address(registry));
            vm.prank(CREATOR);
            (bool done, bytes memory why) =
                address(registry).call{gas: gas_}(abi.encodeCall(IToolRegistry.setAccessPredicate, (open, predicate)));
            more.assertFalse(done);
            if (why.length == 0) continue; // not even as far as the ladder
            if (isError(why, StrictCall.InsufficientGas.selector)) ++starved;
            else if (isError(why, IToolRegistry.InvalidAccessPredicate.selector)) ++refused;
            else revert("another error");
        }
        more.assertGt(starved, 100);
        more.assertGt(refused, 100);
    }

    /// @dev 8257-val-05
    function test_a_lack_of_gas_is_told_with_what_was_required() public {
        address predicate = address(new Switch(true));
        vm.prank(CREATOR);
        vm.expectRevert(abi.encodeWithSelector(StrictCall.InsufficientGas.selector, 30_000 + 476 + 10_000));
        registry.setAccessPredicate{gas: 40_000}(open, predicate);
    }

    /// @dev 8257-1-38, 8257-val-10: what was a predicate when it was set may be set again when it is none any more.
    function test_setting_what_is_set_does_nothing() public {
        Scripted predicate = Scripted(probed(Act.Answer, YES, Act.Answer, YES));
        uint256 toolId = register(address(predicate));
        predicate.onCall(Scripts.probe(PREDICATE), Act.Answer, NO);
        more.expectCall(address(predicate), "", 0);
        more.record();
        vm.recordLogs();
        vm.prank(CREATOR);
        registry.setAccessPredicate(toolId, address(predicate));
        (, bytes32[] memory written) = more.accesses(address(registry));
        vm.assertEq(written.length, 0);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.prank(CREATOR);
        registry.setAccessPredicate(open, OPEN);
        vm.assertEq(vm.getRecordedLogs().length, 0);
    }
}
