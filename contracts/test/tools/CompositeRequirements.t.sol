// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../src/interfaces/IAccessPredicate.sol";
import {ICompositeTerm} from "../../src/interfaces/RequirementTypes.sol";
import {StrictCall} from "../../src/tools/StrictCall.sol";
import {CompositePredicate, Term} from "../../src/tools/predicates/CompositePredicate.sol";
import {Act, Scripted, Switch} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev What a composite says that it requires.
contract CompositeRequirementsTest is ToolTest {
    bytes4 private constant OPAQUE = type(ICompositeTerm).interfaceId;
    bytes4 private constant UNKNOWN = 0;
    RequirementLogic private constant AND = RequirementLogic.AND;
    RequirementLogic private constant OR = RequirementLogic.OR;

    /// @dev What must be left for reading a term: 3,000,000, a 63rd of it, and 10,000.
    uint256 private constant LIST_GAS = 3_000_000 + 47_619 + 10_000;

    Term[] private terms;

    function add(IAccessPredicate predicate, bool negated) private {
        terms.push(Term(predicate, negated, 50_000));
    }

    /// @dev A predicate with so many requirements of this kind.
    function with(bytes4 kind, uint256 count, RequirementLogic logic) private returns (IAccessPredicate) {
        return new Switch(true).require_(kind, count, 32, 8, logic);
    }

    function requirements(RequirementLogic logic) private returns (AccessRequirement[] memory found) {
        RequirementLogic combined;
        (found, combined) = new CompositePredicate(address(0), logic, terms).getRequirements(1);
        more.assertTrue(combined == logic);
    }

    function assertKind(AccessRequirement memory found, bytes4 kind) private pure {
        vm.assertEq(bytes32(found.kind), bytes32(kind));
    }

    function assertOpaque(AccessRequirement memory found, IAccessPredicate predicate, bool negated) private pure {
        assertKind(found, OPAQUE);
        vm.assertEq(found.data, abi.encode(address(predicate), negated));
        more.assertGt(bytes(found.label).length, 0);
    }

    function assertUnknown(AccessRequirement memory found) private pure {
        assertKind(found, UNKNOWN);
        vm.assertEq(found.data.length, 0);
        vm.assertEq(found.label, "unknown");
    }

    /// @dev 8257-1p-05
    function test_terms_with_the_same_logic_are_told_in_full_and_in_order() public {
        add(with(0x11111111, 2, OR), false);
        add(with(0x22222222, 3, OR), false);
        AccessRequirement[] memory found = requirements(OR);
        vm.assertEq(found.length, 5);
        for (uint256 i = 0; i < 5; ++i) {
            assertKind(found[i], i < 2 ? bytes4(0x11111111) : bytes4(0x22222222));
            vm.assertEq(found[i].data.length, 32);
            vm.assertEq(bytes(found[i].label).length, 8);
        }
    }

    function test_one_requirement_fits_into_either_logic() public {
        add(with(0x11111111, 1, OR), false);
        add(with(0x22222222, 1, AND), false);
        AccessRequirement[] memory found = requirements(AND);
        vm.assertEq(found.length, 2);
        assertKind(found[0], 0x11111111);
        assertKind(found[1], 0x22222222);
    }

    function test_other_logic_negation_and_nothing_are_told_as_terms() public {
        IAccessPredicate other = with(0x11111111, 2, OR);
        IAccessPredicate negated = with(0x22222222, 1, AND);
        IAccessPredicate nothing = with(0x33333333, 0, AND);
        add(other, false);
        add(negated, true);
        add(nothing, false);
        AccessRequirement[] memory found = requirements(AND);
        vm.assertEq(found.length, 3);
        assertOpaque(found[0], other, false);
        assertOpaque(found[1], negated, true);
        assertOpaque(found[2], nothing, false);
    }

    /// @dev 8257-intro-08
    function test_a_term_that_cannot_be_read_is_unknown() public {
        bytes4 selector = IAccessPredicate.getRequirements.selector;
        Act[5] memory acts = [Act.Fail, Act.Burn, Act.Invalid, Act.Write, Act.FailBomb];
        for (uint256 i = 0; i < acts.length; ++i) {
            add(IAccessPredicate(address(new Scripted().on(selector, acts[i], hex"1234"))), false);
        }
        add(IAccessPredicate(address(new Scripted())), false);
        // The logic 2 does not exist.
        add(IAccessPredicate(address(new Scripted().on(selector, Act.Answer, abi.encode(64, 2, 0)))), false);
        // A megabyte costs more to make and to read than one term is given.
        add(IAccessPredicate(address(new Scripted().on(selector, Act.Bomb, ""))), false);
        AccessRequirement[] memory found = requirements(AND);
        vm.assertEq(found.length, 8);
        for (uint256 i = 0; i < 8; ++i) {
            assertUnknown(found[i]);
        }
    }

    /// @dev 8257-intro-08
    function test_a_term_whose_code_is_gone_is_unknown() public {
        IAccessPredicate gone = with(0x11111111, 1, AND);
        add(gone, false);
        CompositePredicate composite = new CompositePredicate(address(0), AND, terms);
        more.etch(address(gone), "");
        (AccessRequirement[] memory found,) = composite.getRequirements(1);
        assertUnknown(found[0]);
    }

    /// @dev 8257-intro-09
    function test_a_term_over_a_limit_is_unknown() public {
        add(with(0x11111111, 257, AND), false);
        add(new Switch(true).require_(0x22222222, 1, 4_097, 0, AND), false);
        add(new Switch(true).require_(0x33333333, 1, 0, 257, AND), false);
        add(new Switch(true).require_(0x44444444, 9, 4_096, 0, AND), false);
        AccessRequirement[] memory found = requirements(AND);
        vm.assertEq(found.length, 4);
        for (uint256 i = 0; i < 4; ++i) {
            assertUnknown(found[i]);
        }
    }

    /// @dev 8257-intro-09
    function test_a_term_at_a_limit_is_told() public {
        add(new Switch(true).require_(0x22222222, 1, 4_096, 256, AND), false);
        add(new Switch(true).require_(0x33333333, 8, 4_096, 0, AND), false);
        AccessRequirement[] memory found = requirements(AND);
        vm.assertEq(found.length, 9);
        assertKind(found[0], 0x22222222);
        assertKind(found[8], 0x33333333);
    }

    /// @dev 8257-intro-09: each of the later terms keeps a place.
    function test_the_list_never_has_more_than_256_entries() public {
        add(with(0x11111111, 200, AND), false);
        add(with(0x22222222, 56, AND), false); // one too many, as another term follows
        add(with(0x33333333, 54, AND), false);
        AccessRequirement[] memory found = requirements(AND);
        vm.assertEq(found.length, 255);
        assertKind(found[199], 0x11111111);
        assertUnknown(found[200]);
        assertKind(found[201], 0x33333333);

        terms.pop();
        add(with(0x44444444, 55, AND), false);
        found = requirements(AND);
        vm.assertEq(found.length, 256);
        assertKind(found[255], 0x44444444);

        terms.pop();
        add(with(0x55555555, 56, AND), false);
        found = requirements(AND);
        vm.assertEq(found.length, 202);
        assertUnknown(found[201]);
    }

    function test_a_composite_in_a_composite_is_told_in_full() public {
        add(with(0x11111111, 2, AND), false);
        add(with(0x22222222, 2, OR), false);
        IAccessPredicate second = terms[1].predicate;
        IAccessPredicate inner = new CompositePredicate(address(0), AND, terms);
        delete terms;
        add(inner, false);
        add(with(0x33333333, 1, AND), false);
        AccessRequirement[] memory found = requirements(AND);
        vm.assertEq(found.length, 4);
        assertKind(found[0], 0x11111111);
        assertOpaque(found[2], second, false);
        assertKind(found[3], 0x33333333);
    }

    /// @dev Whoever asks chooses the gas: a term that can be read is told, or there is no list.
    function test_no_amount_of_gas_makes_a_term_unknown_that_can_be_read() public {
        add(with(0x11111111, 3, AND), false);
        add(with(0x22222222, 2, AND), false);
        Term memory last = terms[1];
        terms.pop();
        terms.push(Term(new CompositePredicate(address(0), AND, terms), false, 50_000));
        terms.push(last);
        IAccessPredicate composite = new CompositePredicate(address(0), AND, terms);
        uint256 told = 0;
        uint256 lacked = 0;
        for (uint256 gas_ = 5_000; gas_ < 250_000; gas_ += 499) {
            try composite.getRequirements{gas: gas_}(1) returns (AccessRequirement[] memory found, RequirementLogic) {
                vm.assertEq(found.length, 8);
                for (uint256 i = 0; i < 8; ++i) {
                    assertKind(found[i], i < 6 ? bytes4(0x11111111) : bytes4(0x22222222));
                }
                ++told;
            } catch (bytes memory why) {
                if (why.length == 0) continue;
                vm.assertEq(why, abi.encodeWithSelector(StrictCall.InsufficientGas.selector, LIST_GAS));
                ++lacked;
            }
        }
        more.assertGt(told, 20);
        more.assertGt(lacked, 20);
    }

    /// @dev 8257-intro-08
    function test_a_term_is_unknown_only_once_it_got_all_of_its_gas() public {
        bytes4 selector = IAccessPredicate.getRequirements.selector;
        Act[2] memory acts = [Act.Burn, Act.Fail];
        for (uint256 i = 0; i < acts.length; ++i) {
            delete terms;
            add(IAccessPredicate(address(new Scripted().on(selector, acts[i], ""))), false);
            IAccessPredicate composite = new CompositePredicate(address(0), AND, terms);
            vm.expectRevert(abi.encodeWithSelector(StrictCall.InsufficientGas.selector, LIST_GAS));
            composite.getRequirements{gas: LIST_GAS}(1);
            (AccessRequirement[] memory found,) = composite.getRequirements{gas: LIST_GAS + 20_000}(1);
            assertUnknown(found[0]);
        }
    }

    /// @dev 8257-intro-08: it cannot tell a term that cannot be read from one for which it got too little.
    function test_a_composite_as_a_term_is_unknown_when_a_term_of_its_own_is() public {
        bytes4 selector = IAccessPredicate.getRequirements.selector;
        add(with(0x11111111, 1, AND), false);
        add(IAccessPredicate(address(new Scripted().on(selector, Act.Fail, ""))), false);
        IAccessPredicate inner = new CompositePredicate(address(0), AND, terms);
        delete terms;
        add(inner, false);
        add(with(0x22222222, 1, AND), false);
        AccessRequirement[] memory found = requirements(AND);
        vm.assertEq(found.length, 2);
        assertUnknown(found[0]);
        assertKind(found[1], 0x22222222);
    }

    /// @dev Eight terms that answer as much as they can, and burn what they get, leave an answer within what nodes let a call cost.
    function test_hostile_terms_leave_the_list_readable() public {
        bytes4 selector = IAccessPredicate.getRequirements.selector;
        for (uint256 i = 0; i < 4; ++i) {
            add(IAccessPredicate(address(new Scripted().on(selector, Act.Burn, ""))), false);
            add(new Switch(true).require_(0x33333333, 8, 4_096, 0, AND), false);
        }
        IAccessPredicate composite = new CompositePredicate(address(0), AND, terms);
        (AccessRequirement[] memory found,) = composite.getRequirements{gas: 40_000_000}(1);
        vm.assertEq(found.length, 4 + 4 * 8);
    }
}
