// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IAccessPredicate, RequirementLogic} from "../../src/interfaces/IAccessPredicate.sol";
import {StrictCall} from "../../src/tools/StrictCall.sol";
import {CompositePredicate, Term} from "../../src/tools/predicates/CompositePredicate.sol";
import {Erc721HolderPredicate} from "../../src/tools/predicates/Erc721HolderPredicate.sol";
import {IERC721Holders} from "../../src/tools/predicates/External.sol";
import {Act, Scripted, Scripts, Swallower, Switch} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev Whatever gas is sent, whatever was touched before: a composite gives its one answer, or none.
contract CompositeGasTest is ToolTest {
    address[] private touched;

    function term(IAccessPredicate predicate, bool negated, uint64 gasLimit) private returns (Term memory) {
        touched.push(address(predicate));
        return Term(predicate, negated, gasLimit);
    }

    function scripted(Act act, uint256 answer) private returns (IAccessPredicate) {
        return IAccessPredicate(address(Scripts.predicate(act, abi.encode(answer))));
    }

    function two(RequirementLogic logic, Term memory a, Term memory b) private returns (CompositePredicate composite) {
        Term[] memory terms = new Term[](2);
        (terms[0], terms[1]) = (a, b);
        composite = new CompositePredicate(address(0), logic, terms);
        touched.push(address(composite));
    }

    function cool() private {
        more.cool(address(registry));
        for (uint256 i = 0; i < touched.length; ++i) {
            more.cool(touched[i]);
        }
    }

    /// @dev Asks with every amount of gas, in steps, untouched and touched before. `granted` is the one answer; a `broken` composite
    /// has none.
    function sweep(CompositePredicate composite, bool broken, bool granted) private {
        uint256 toolId = register(address(composite));
        uint256 enough = composite.gasNeeded() * 65 / 64 + 30_000;
        uint256 answers = 0;
        for (uint256 gas_ = 2_000; gas_ < enough * 2; gas_ += 499) {
            for (uint256 warm = 0; warm < 2; ++warm) {
                if (warm == 0) cool();
                try registry.tryHasAccess{gas: gas_}(toolId, ACCOUNT, "") returns (bool ok, bool was) {
                    if (ok) {
                        ++answers;
                        more.assertFalse(broken);
                        vm.assertEq(was, granted);
                    } else {
                        more.assertFalse(was);
                        vm.assertTrue(broken || gas_ < enough, "there was enough gas, and no answer");
                    }
                } catch {
                    vm.assertTrue(gas_ < enough, "there was enough gas, and a revert");
                }
            }
        }
        vm.assertEq(answers > 100, !broken);
    }

    /// @dev The fault of the published composite: a NOT whose term runs out of gas grants.
    function test_not_of_a_yes_that_costs_much_never_grants() public {
        sweep(
            two(
                RequirementLogic.AND,
                term(scripted(Act.Answer, 1), false, 60_000),
                term(scripted(Act.Spend, 1), true, 60_000)
            ),
            false,
            false
        );
    }

    /// @dev One that takes a lack of gas for a no. It gets all of its gas, or is not asked.
    function test_not_of_what_takes_a_lack_of_gas_for_a_no_never_grants() public {
        IAccessPredicate swallower = IAccessPredicate(address(new Swallower(address(scripted(Act.Spend, 1)))));
        sweep(
            two(RequirementLogic.AND, term(scripted(Act.Answer, 1), false, 60_000), term(swallower, true, 60_000)),
            false,
            false
        );
    }

    /// @dev Passing on so much `data` that nothing is left for what is asked with it is a lack of gas, too, which the asker causes.
    function test_much_data_does_not_make_not_of_a_yes_grant() public {
        IAccessPredicate swallower = IAccessPredicate(address(new Swallower(address(scripted(Act.Spend, 1)))));
        CompositePredicate inner =
            two(RequirementLogic.OR, term(swallower, false, 60_000), term(scripted(Act.Answer, 0), false, 60_000));
        Term[] memory terms = new Term[](2);
        terms[0] = Term(swallower, true, 60_000);
        terms[1] = Term(inner, true, uint64(inner.gasNeeded()));
        IAccessPredicate composite = new CompositePredicate(address(0), RequirementLogic.OR, terms);
        uint256 toolId = register(address(composite));
        bytes[] memory each = new bytes[](2);
        bytes[] memory nested = new bytes[](2);
        for (uint256 length = 60_000; length < 100_000; length += 2_111) {
            nested[0] = new bytes(length);
            (each[0], each[1]) = (nested[0], abi.encode(nested));
            more.assertFalse(registry.hasAccess{gas: 30_000_000}(toolId, ACCOUNT, abi.encode(each)));
        }
    }

    function test_not_of_a_no_that_costs_much_grants_or_does_not_answer() public {
        sweep(
            two(
                RequirementLogic.AND,
                term(scripted(Act.Spend, 0), true, 60_000),
                term(scripted(Act.Spend, 1), false, 60_000)
            ),
            false,
            true
        );
    }

    function test_not_of_what_burns_all_its_gas_never_grants() public {
        sweep(
            two(
                RequirementLogic.AND,
                term(scripted(Act.Answer, 1), false, 60_000),
                term(scripted(Act.Burn, 1), true, 60_000)
            ),
            true,
            false
        );
        sweep(
            two(
                RequirementLogic.OR,
                term(scripted(Act.Burn, 1), true, 60_000),
                term(scripted(Act.Burn, 1), false, 60_000)
            ),
            true,
            false
        );
    }

    function test_or_with_a_burner_grants_by_the_other_term() public {
        sweep(
            two(
                RequirementLogic.OR,
                term(scripted(Act.Burn, 1), true, 60_000),
                term(scripted(Act.Spend, 1), false, 60_000)
            ),
            false,
            true
        );
    }

    /// @dev A limit that suffices only for what was touched before: with it, an answer; without, none. Never the opposite one.
    function test_a_limit_that_is_tight_makes_no_answer_of_a_cold_term() public {
        Scripted token = new Scripted();
        token.on(IERC721Holders.balanceOf.selector, Act.Answer, abi.encode(1));
        touched.push(address(token));
        IAccessPredicate holder = new Erc721HolderPredicate(address(token));
        for (uint64 limit = 1_000; limit < 40_000; limit += 500) {
            Term[] memory terms = new Term[](1);
            terms[0] = term(holder, true, limit);
            CompositePredicate composite = new CompositePredicate(address(0), RequirementLogic.AND, terms);
            touched.push(address(composite));
            for (uint256 warm = 0; warm < 2; ++warm) {
                if (warm == 0) cool();
                (bool ok, bool granted) = ask(composite, 1, ACCOUNT, "");
                more.assertFalse(granted);
                if (limit > 25_000) more.assertTrue(ok);
            }
        }
    }

    function test_a_composite_in_a_composite_never_grants_by_a_lack_of_gas() public {
        CompositePredicate inner = two(
            RequirementLogic.OR,
            term(scripted(Act.Spend, 0), false, 50_000),
            term(scripted(Act.Spend, 1), false, 50_000)
        );
        // The inner one grants, so its NOT denies.
        sweep(
            two(
                RequirementLogic.AND,
                term(scripted(Act.Spend, 1), false, 50_000),
                term(inner, true, uint64(inner.gasNeeded()))
            ),
            false,
            false
        );
        // And a NOT of a NOT grants.
        CompositePredicate not = two(
            RequirementLogic.AND,
            term(inner, true, uint64(inner.gasNeeded())),
            term(inner, true, uint64(inner.gasNeeded()))
        );
        sweep(
            two(
                RequirementLogic.AND,
                term(not, true, uint64(not.gasNeeded())),
                term(scripted(Act.Answer, 1), false, 50_000)
            ),
            false,
            true
        );
    }

    function test_a_composite_in_a_composite_with_too_little_for_it_never_grants() public {
        CompositePredicate inner = two(
            RequirementLogic.AND,
            term(scripted(Act.Spend, 1), false, 50_000),
            term(scripted(Act.Spend, 1), false, 50_000)
        );
        for (uint64 limit = 1_000; limit < uint64(inner.gasNeeded()); limit += 4_999) {
            Term[] memory terms = new Term[](1);
            terms[0] = Term(inner, true, limit);
            CompositePredicate outer = new CompositePredicate(address(0), RequirementLogic.AND, terms);
            cool();
            (, bool granted) = ask(outer, 1, ACCOUNT, "");
            more.assertFalse(granted);
        }
    }

    /// @dev With `gasNeeded`, and nothing touched before, no composite lacks gas, though each term burns all it gets.
    function testFuzz_gas_needed_is_enough(uint64[8] calldata limits, uint8 count, uint16 dataLength) public {
        Term[] memory terms = new Term[](bound(count, 1, 8));
        for (uint256 i = 0; i < terms.length; ++i) {
            terms[i] = term(scripted(Act.Burn, 1), false, uint64(bound(limits[i], 0, 200_000)));
        }
        CompositePredicate composite = new CompositePredicate(address(0), RequirementLogic.AND, terms);
        touched.push(address(composite));
        bytes[] memory each = new bytes[](terms.length);
        for (uint256 i = 0; i < each.length; ++i) {
            each[i] = new bytes(bound(dataLength, 0, 2_048) / terms.length);
        }
        bytes memory question = abi.encodeCall(IAccessPredicate.hasAccess, (1, ACCOUNT, abi.encode(each)));
        uint256 needed = composite.gasNeeded();
        cool();
        (bool done, bytes memory why) = address(composite).staticcall{gas: needed}(question);
        more.assertFalse(done);
        vm.assertEq(why, abi.encodeWithSelector(CompositePredicate.TermIsBroken.selector, terms.length - 1));
    }

    /// @dev The term gets exactly its gas, or the composite says what is missing.
    function test_a_term_gets_all_of_its_gas() public {
        IAccessPredicate predicate = new Switch(true);
        Term[] memory terms = new Term[](1);
        terms[0] = Term(predicate, false, 44_444);
        CompositePredicate composite = new CompositePredicate(address(0), RequirementLogic.AND, terms);
        more.expectCall(address(predicate), 0, 44_444, abi.encodeWithSelector(IAccessPredicate.hasAccess.selector), 1);
        assertGrants(composite, ACCOUNT, "");
        vm.expectRevert(abi.encodeWithSelector(StrictCall.InsufficientGas.selector, 44_444 + 705 + 10_000));
        composite.hasAccess{gas: 55_000}(1, ACCOUNT, "");
    }
}
