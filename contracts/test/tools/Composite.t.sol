// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IAccessPredicate, RequirementLogic} from "../../src/interfaces/IAccessPredicate.sol";
import {IToolRegistry} from "../../src/interfaces/IToolRegistry.sol";
import {CompositePredicate, Term} from "../../src/tools/predicates/CompositePredicate.sol";
import {IAnswersFromData, Predicate} from "../../src/tools/predicates/Predicate.sol";
import {MerkleAllowlistPredicate} from "../../src/tools/predicates/MerkleAllowlistPredicate.sol";
import {Act, Scripted, Scripts, Switch} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev What a composite answers, given what its terms do.
contract CompositeTest is ToolTest {
    uint64 private constant GAS = 50_000;

    IAccessPredicate private yes = new Switch(true);
    IAccessPredicate private no = new Switch(false);
    IAccessPredicate private broken = IAccessPredicate(address(Scripts.predicate(Act.Fail, abi.encode(1))));

    function compose(RequirementLogic logic, Term[] memory terms) private returns (CompositePredicate) {
        return new CompositePredicate(address(0), logic, terms);
    }

    function compose(RequirementLogic logic, IAccessPredicate a, bool notA, IAccessPredicate b, bool notB)
        private
        returns (CompositePredicate)
    {
        Term[] memory terms = new Term[](2);
        (terms[0], terms[1]) = (Term(a, notA, GAS), Term(b, notB, GAS));
        return compose(logic, terms);
    }

    function one(IAccessPredicate a, bool negated) private pure returns (Term[] memory terms) {
        terms = new Term[](1);
        terms[0] = Term(a, negated, GAS);
    }

    /// @dev 8257-1p-05
    function test_and_wants_all_or_any() public {
        assertGrants(compose(RequirementLogic.AND, yes, false, yes, false), ACCOUNT, "");
        assertDenies(compose(RequirementLogic.AND, yes, false, no, false), ACCOUNT, "");
        assertDenies(compose(RequirementLogic.AND, no, false, yes, false), ACCOUNT, "");
        assertGrants(compose(RequirementLogic.OR, no, false, yes, false), ACCOUNT, "");
        assertGrants(compose(RequirementLogic.OR, yes, false, no, false), ACCOUNT, "");
        assertDenies(compose(RequirementLogic.OR, no, false, no, false), ACCOUNT, "");
    }

    function test_a_negated_no_is_a_yes() public {
        assertGrants(compose(RequirementLogic.AND, one(no, true)), ACCOUNT, "");
        assertDenies(compose(RequirementLogic.AND, one(yes, true)), ACCOUNT, "");
        assertGrants(compose(RequirementLogic.OR, yes, true, no, true), ACCOUNT, "");
        assertDenies(compose(RequirementLogic.AND, yes, false, yes, true), ACCOUNT, "");
    }

    /// @dev A term that breaks may be what it likes; negated, it must not grant either.
    function test_a_broken_term_never_grants_negated_or_not() public {
        Act[7] memory acts = [Act.Fail, Act.Burn, Act.Invalid, Act.Write, Act.Bomb, Act.FailBomb, Act.Answer];
        for (uint256 i = 0; i < acts.length; ++i) {
            IAccessPredicate term = IAccessPredicate(address(Scripts.predicate(acts[i], abi.encode(2))));
            for (uint256 negated = 0; negated < 2; ++negated) {
                bytes memory expected = abi.encodeWithSelector(CompositePredicate.TermIsBroken.selector, 0);
                CompositePredicate alone = compose(RequirementLogic.AND, one(term, negated == 1));
                vm.expectRevert(expected);
                alone.hasAccess(1, ACCOUNT, "");
                alone = compose(RequirementLogic.OR, one(term, negated == 1));
                vm.expectRevert(expected);
                alone.hasAccess(1, ACCOUNT, "");
            }
        }
    }

    function test_a_term_whose_code_is_gone_is_broken() public {
        IAccessPredicate term = new Switch(false);
        CompositePredicate composite = compose(RequirementLogic.AND, one(term, true));
        assertGrants(composite, ACCOUNT, "");
        more.etch(address(term), "");
        assertBreaks(composite, ACCOUNT, "");
    }

    /// @dev The answer is the one that holds whatever the broken terms would have said; where there is none, there is no answer.
    /// Every way in which the broken terms might have answered is tried here.
    function testFuzz_the_answer_is_right_whatever_broken_terms_would_say(uint8 count, uint256 what, bool or) public {
        count = uint8(bound(count, 1, 8));
        Term[] memory terms = new Term[](count);
        for (uint256 i = 0; i < count; ++i) {
            uint256 kind = (what >> (8 * i)) % 3;
            terms[i] = Term(kind == 0 ? no : kind == 1 ? yes : broken, (what >> (8 * i + 4)) & 1 == 1, GAS);
        }
        bool mayGrant = false;
        bool mayDeny = false;
        for (uint256 guess = 0; guess < 2 ** count; ++guess) {
            bool all = true;
            bool any = false;
            for (uint256 i = 0; i < count; ++i) {
                address asked = address(terms[i].predicate);
                bool answer = asked == address(broken) ? (guess >> i) & 1 == 1 : asked == address(yes);
                if (answer != terms[i].negated) any = true;
                else all = false;
            }
            if (or ? any : all) mayGrant = true;
            else mayDeny = true;
        }
        IAccessPredicate composite = compose(or ? RequirementLogic.OR : RequirementLogic.AND, terms);
        (bool ok, bool granted) = ask(composite, 1, ACCOUNT, "");
        vm.assertEq(ok, mayGrant != mayDeny);
        vm.assertEq(granted, mayGrant && !mayDeny);
    }

    function test_a_broken_term_breaks_a_composite_further_up() public {
        CompositePredicate inner = compose(RequirementLogic.OR, broken, false, no, false);
        CompositePredicate outer = compose(RequirementLogic.AND, yes, false, IAccessPredicate(address(inner)), true);
        assertBreaks(outer, ACCOUNT, "");
        uint256 toolId = register(address(outer));
        assertAccess(toolId, "", false, false);
    }

    /// @dev The first term that settles it is the last that is asked.
    function test_asking_ends_when_the_answer_is_settled() public {
        more.expectCall(address(broken), abi.encodeWithSelector(IAccessPredicate.hasAccess.selector), 0);
        assertDenies(compose(RequirementLogic.AND, no, false, broken, false), ACCOUNT, "");
        assertDenies(compose(RequirementLogic.AND, yes, true, broken, false), ACCOUNT, "");
        assertGrants(compose(RequirementLogic.OR, yes, false, broken, false), ACCOUNT, "");
        assertGrants(compose(RequirementLogic.OR, no, true, broken, false), ACCOUNT, "");
    }

    function test_each_term_gets_its_data_and_all_the_question() public {
        Scripted a = new Scripted();
        Scripted b = new Scripted();
        a.onCall(abi.encodeCall(IAccessPredicate.hasAccess, (1, ACCOUNT, hex"aa")), Act.Answer, abi.encode(1));
        b.onCall(abi.encodeCall(IAccessPredicate.hasAccess, (1, ACCOUNT, hex"bb")), Act.Answer, abi.encode(1));
        CompositePredicate composite =
            compose(RequirementLogic.AND, IAccessPredicate(address(a)), false, IAccessPredicate(address(b)), false);
        bytes[] memory each = new bytes[](2);
        (each[0], each[1]) = (hex"aa", hex"bb");
        assertGrants(composite, ACCOUNT, abi.encode(each));
        (each[0], each[1]) = (hex"bb", hex"aa");
        assertBreaks(composite, ACCOUNT, abi.encode(each));
    }

    function test_empty_data_is_empty_for_each_term() public {
        Scripted a = new Scripted();
        a.onCall(abi.encodeCall(IAccessPredicate.hasAccess, (1, ACCOUNT, "")), Act.Answer, abi.encode(1));
        assertGrants(compose(RequirementLogic.AND, one(IAccessPredicate(address(a)), false)), ACCOUNT, "");
    }

    /// @dev Whoever asks chooses the data, and must not be able to make a negated term say no by it.
    function test_no_data_gets_to_a_negated_term() public {
        Scripted a = new Scripted();
        a.on(IAccessPredicate.hasAccess.selector, Act.Answer, abi.encode(0));
        a.onCall(abi.encodeCall(IAccessPredicate.hasAccess, (1, ACCOUNT, "")), Act.Answer, abi.encode(1));
        bytes[] memory each = new bytes[](1);
        each[0] = hex"aa";
        assertDenies(compose(RequirementLogic.AND, one(IAccessPredicate(address(a)), true)), ACCOUNT, abi.encode(each));
    }

    /// @dev A no could be negated further up, and whoever asks chooses the data.
    function testFuzz_data_of_another_form_is_no_answer(bytes calldata data) public {
        vm.assume(data.length > 0);
        CompositePredicate composite = compose(RequirementLogic.AND, no, false, no, false);
        try this.decode(data) returns (uint256 elements) {
            vm.assume(elements != 2);
        } catch {}
        assertBreaks(composite, ACCOUNT, data);
    }

    function decode(bytes calldata data) external pure returns (uint256) {
        return abi.decode(data, (bytes[])).length;
    }

    function test_data_for_more_or_fewer_terms_is_no_answer() public {
        CompositePredicate composite = compose(RequirementLogic.AND, no, false, no, false);
        for (uint256 count = 0; count < 5; ++count) {
            if (count == 2) continue;
            vm.expectRevert(abi.encodeWithSelector(CompositePredicate.InvalidData.selector, count));
            composite.hasAccess(1, ACCOUNT, abi.encode(new bytes[](count)));
        }
    }

    /// @dev How it reverts where there is no list of bytes in `data`: as Solidity does.
    function test_data_that_cannot_be_decoded_is_a_revert_without_a_name() public {
        CompositePredicate composite = compose(RequirementLogic.AND, no, false, no, false);
        vm.expectRevert(bytes(""));
        composite.hasAccess(1, ACCOUNT, hex"00");
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x41));
        composite.hasAccess(1, ACCOUNT, abi.encode(32, type(uint256).max));
    }

    function test_there_are_1_to_8_terms() public {
        vm.expectRevert(abi.encodeWithSelector(CompositePredicate.InvalidTermCount.selector, 0));
        compose(RequirementLogic.AND, new Term[](0));
        vm.expectRevert(abi.encodeWithSelector(CompositePredicate.InvalidTermCount.selector, 9));
        compose(RequirementLogic.AND, new Term[](9));
    }

    function testFuzz_terms_are_read_back(uint64 gasLimit, bool negated, uint8 index) public {
        index = uint8(bound(index, 0, 7));
        Term[] memory terms = new Term[](8);
        for (uint256 i = 0; i < 8; ++i) {
            terms[i] = Term(yes, false, gasLimit / 2);
        }
        terms[index] = Term(no, negated, gasLimit);
        CompositePredicate composite = compose(RequirementLogic.OR, terms);
        vm.assertEq(composite.termCount(), 8);
        more.assertTrue(composite.logic() == RequirementLogic.OR);
        for (uint256 i = 0; i < 8; ++i) {
            vm.assertEq(abi.encode(composite.term(i)), abi.encode(terms[i]));
        }
        vm.assertEq(address(compose(RequirementLogic.OR, one(yes, false)).term(1).predicate), address(0));
    }

    function test_terms_without_code_are_refused() public {
        vm.expectRevert(abi.encodeWithSelector(Predicate.NotAContract.selector, STRANGER));
        compose(RequirementLogic.AND, one(IAccessPredicate(STRANGER), false));
    }

    function test_what_the_registry_refuses_is_no_term() public {
        vm.expectRevert(abi.encodeWithSelector(IToolRegistry.InvalidAccessPredicate.selector, address(registry)));
        compose(RequirementLogic.AND, one(IAccessPredicate(address(registry)), false));
    }

    /// @dev Whoever asks could say "no proof", and a negated list would let them in.
    function test_a_term_that_reads_data_cannot_be_negated_at_any_depth() public {
        IAccessPredicate tree = new MerkleAllowlistPredicate(registry);
        bytes memory expected = abi.encodeWithSelector(CompositePredicate.NegatedTermReadsData.selector, 0);
        vm.expectRevert(expected);
        compose(RequirementLogic.AND, one(tree, true));

        CompositePredicate inner = compose(RequirementLogic.AND, yes, true, tree, false);
        more.assertTrue(inner.supportsInterface(type(IAnswersFromData).interfaceId));
        vm.expectRevert(expected);
        compose(RequirementLogic.AND, one(inner, true));

        CompositePredicate plain = compose(RequirementLogic.AND, yes, true, no, false);
        more.assertFalse(plain.supportsInterface(type(IAnswersFromData).interfaceId));
        compose(RequirementLogic.AND, one(plain, true));
    }
}
