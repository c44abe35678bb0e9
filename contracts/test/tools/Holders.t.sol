// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {OpenAgentRegistry} from "../../src/agents/OpenAgentRegistry.sol";
import {IAccessPredicate} from "../../src/interfaces/IAccessPredicate.sol";
import {IERC8122} from "../../src/interfaces/IERC8122.sol";
import {AgentOwnerPredicate} from "../../src/tools/predicates/AgentOwnerPredicate.sol";
import {AnyAgentOwnerPredicate} from "../../src/tools/predicates/AnyAgentOwnerPredicate.sol";
import {Erc1155HolderPredicate} from "../../src/tools/predicates/Erc1155HolderPredicate.sol";
import {Erc20BalancePredicate} from "../../src/tools/predicates/Erc20BalancePredicate.sol";
import {Erc721HolderPredicate} from "../../src/tools/predicates/Erc721HolderPredicate.sol";
import {
    IERC1155Balances,
    IERC20Balances,
    IERC721Holders,
    ISubscriptions
} from "../../src/tools/predicates/External.sol";
import {OwnedPredicate} from "../../src/tools/predicates/OwnedPredicate.sol";
import {Predicate} from "../../src/tools/predicates/Predicate.sol";
import {SubscriptionPredicate} from "../../src/tools/predicates/SubscriptionPredicate.sol";
import {Act, Forwarder, Scripted} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev Predicates that ask token contracts: what they grant, and that a broken token contract is a revert and not a no.
contract HoldersTest is ToolTest {
    Scripted private token;
    Erc20BalancePredicate private erc20;
    Erc721HolderPredicate private erc721;
    Erc1155HolderPredicate private erc1155;
    SubscriptionPredicate private subscription;
    SubscriptionPredicate private tiered;
    AgentOwnerPredicate private agent;
    AnyAgentOwnerPredicate private anyAgent;

    bytes4 private constant BALANCE = IERC20Balances.balanceOf.selector;
    bytes4 private constant BALANCE_OF_ID = IERC1155Balances.balanceOf.selector;
    bytes4 private constant OWNER = IERC721Holders.ownerOf.selector;
    bytes4 private constant EXPIRES = ISubscriptions.expiresAt.selector;
    bytes4 private constant TIER = ISubscriptions.tierOf.selector;
    bytes private constant TOKEN_7 = abi.encode(7);

    function setUp() public {
        token = new Scripted();
        erc20 = new Erc20BalancePredicate(address(token), 100);
        erc721 = new Erc721HolderPredicate(address(token));
        erc1155 = new Erc1155HolderPredicate(address(token), 7);
        subscription = new SubscriptionPredicate(address(token), 0);
        tiered = new SubscriptionPredicate(address(token), 3);
        anyAgent = new AnyAgentOwnerPredicate(address(token));
        token.on(OWNER, Act.Answer, abi.encode(ACCOUNT));
        agent = new AgentOwnerPredicate(address(token), 7);
    }

    /// @dev What the token answers to `selector` breaks the predicate, where it is no answer.
    function assertBrokenTokensBreak(IAccessPredicate predicate, bytes4 selector, bytes memory data) private {
        token.on(selector, Act.Fail, "");
        assertBreaks(predicate, ACCOUNT, data);
        assertUnknownBreaks(predicate, selector, data);
    }

    /// @dev The same, but for a revert, which says that there is no such thing.
    function assertUnknownBreaks(IAccessPredicate predicate, bytes4 selector, bytes memory data) private {
        Act[4] memory acts = [Act.Burn, Act.Invalid, Act.Write, Act.FailBomb];
        for (uint256 i = 0; i < acts.length; ++i) {
            token.on(selector, acts[i], abi.encode(type(uint128).max));
            assertBreaks(predicate, ACCOUNT, data);
        }
        token.on(selector, Act.Answer, "");
        assertBreaks(predicate, ACCOUNT, data);
        token.on(selector, Act.Answer, new bytes(31));
        assertBreaks(predicate, ACCOUNT, data);
        bytes memory code = address(token).code;
        more.etch(address(token), "");
        assertBreaks(predicate, ACCOUNT, data);
        more.etch(address(token), code);
    }

    function testFuzz_erc20_grants_from_the_minimum_on(uint256 balance) public {
        token.onCall(abi.encodeCall(IERC20Balances.balanceOf, (ACCOUNT)), Act.Answer, abi.encode(balance));
        token.on(BALANCE, Act.Answer, abi.encode(0));
        if (balance >= 100) assertGrants(erc20, ACCOUNT, "");
        else assertDenies(erc20, ACCOUNT, "");
        assertDenies(erc20, STRANGER, "");
    }

    function test_erc20_grants_exactly_at_the_minimum() public {
        token.on(BALANCE, Act.Answer, abi.encode(99));
        assertDenies(erc20, ACCOUNT, "");
        token.on(BALANCE, Act.Answer, abi.encode(100));
        assertGrants(erc20, ACCOUNT, "");
        assertGrants(erc20, ACCOUNT, "data is not read");
    }

    function test_erc20_that_asks_for_nothing_is_not_deployed() public {
        vm.expectRevert(abi.encodeWithSelector(Erc20BalancePredicate.NothingRequired.selector));
        new Erc20BalancePredicate(address(token), 0);
    }

    function test_erc20_breaks_with_its_token() public {
        assertBrokenTokensBreak(erc20, BALANCE, "");
    }

    function test_erc721_grants_holders() public {
        token.on(BALANCE, Act.Answer, abi.encode(0));
        assertDenies(erc721, ACCOUNT, "");
        token.onCall(abi.encodeCall(IERC721Holders.balanceOf, (ACCOUNT)), Act.Answer, abi.encode(1));
        assertGrants(erc721, ACCOUNT, "");
        assertDenies(erc721, STRANGER, "");
    }

    function test_erc721_breaks_with_its_collection() public {
        assertBrokenTokensBreak(erc721, BALANCE, "");
    }

    function test_erc1155_grants_holders_of_the_one_token() public {
        token.on(BALANCE_OF_ID, Act.Answer, abi.encode(0));
        token.onCall(abi.encodeCall(IERC1155Balances.balanceOf, (ACCOUNT, 8)), Act.Answer, abi.encode(1));
        assertDenies(erc1155, ACCOUNT, "");
        token.onCall(abi.encodeCall(IERC1155Balances.balanceOf, (ACCOUNT, 7)), Act.Answer, abi.encode(1));
        assertGrants(erc1155, ACCOUNT, "");
        assertDenies(erc1155, STRANGER, "");
    }

    function test_erc1155_breaks_with_its_collection() public {
        assertBrokenTokensBreak(erc1155, BALANCE_OF_ID, "");
    }

    /// @dev `address(0)` is never asked about: tokens answer differently, and burnt ones may lie there.
    function test_the_zero_address_has_access_to_nothing() public {
        token.on(BALANCE, Act.Answer, abi.encode(1000)).on(BALANCE_OF_ID, Act.Answer, abi.encode(1));
        token.on(OWNER, Act.Answer, abi.encode(address(0))).on(EXPIRES, Act.Answer, abi.encode(type(uint64).max));
        assertDenies(erc20, address(0), "");
        assertDenies(erc721, address(0), "");
        assertDenies(erc1155, address(0), "");
        assertDenies(subscription, address(0), TOKEN_7);
        assertDenies(agent, address(0), "");
        assertDenies(anyAgent, address(0), TOKEN_7);
    }

    function test_subscriptions_grant_until_the_second_they_expire_in() public {
        more.warp(1_000);
        token.onCall(abi.encodeCall(ISubscriptions.expiresAt, (7)), Act.Answer, abi.encode(1_001));
        assertGrants(subscription, ACCOUNT, TOKEN_7);
        more.warp(1_001);
        assertDenies(subscription, ACCOUNT, TOKEN_7);
        more.warp(1_002);
        assertDenies(subscription, ACCOUNT, TOKEN_7);
    }

    function test_somebody_elses_subscription_is_a_no() public {
        token.on(EXPIRES, Act.Answer, abi.encode(type(uint64).max));
        assertGrants(subscription, ACCOUNT, TOKEN_7);
        assertDenies(subscription, STRANGER, TOKEN_7);
    }

    function test_a_subscription_that_does_not_exist_is_a_no() public {
        token.on(OWNER, Act.Fail, "").on(EXPIRES, Act.Answer, abi.encode(type(uint64).max));
        assertDenies(subscription, ACCOUNT, TOKEN_7);
    }

    function testFuzz_data_that_names_no_subscription_is_a_no(bytes calldata data) public {
        vm.assume(data.length != 32);
        token.on(EXPIRES, Act.Answer, abi.encode(type(uint64).max));
        assertDenies(subscription, ACCOUNT, data);
        assertDenies(anyAgent, ACCOUNT, data);
    }

    function test_tiers_from_the_lowest_that_suffices_on_grant() public {
        token.on(EXPIRES, Act.Answer, abi.encode(type(uint64).max)).on(TIER, Act.Answer, abi.encode(2));
        assertDenies(tiered, ACCOUNT, TOKEN_7);
        token.on(TIER, Act.Answer, abi.encode(3));
        assertGrants(tiered, ACCOUNT, TOKEN_7);
        token.on(TIER, Act.Answer, abi.encode(255));
        assertGrants(tiered, ACCOUNT, TOKEN_7);
    }

    function test_tiers_are_not_asked_for_where_any_will_do() public {
        token.on(EXPIRES, Act.Answer, abi.encode(type(uint64).max)).on(TIER, Act.Fail, "");
        assertGrants(subscription, ACCOUNT, TOKEN_7);
    }

    function test_subscriptions_break_with_their_collection() public {
        token.on(TIER, Act.Answer, abi.encode(3));
        assertBrokenTokensBreak(subscription, EXPIRES, TOKEN_7);
        token.on(EXPIRES, Act.Answer, abi.encode(uint256(1) << 64));
        assertBreaks(subscription, ACCOUNT, TOKEN_7);
        token.on(EXPIRES, Act.Answer, abi.encode(type(uint64).max));
        assertBrokenTokensBreak(tiered, TIER, TOKEN_7);
        assertUnknownBreaks(subscription, OWNER, TOKEN_7);
        token.on(OWNER, Act.Answer, abi.encode(type(uint256).max));
        assertBreaks(subscription, ACCOUNT, TOKEN_7);
    }

    /// @dev What used up its gas has not said that there is no such thing.
    function test_an_owner_that_is_not_told_for_lack_of_gas_is_no_answer() public {
        token.on(OWNER, Act.Burn, "");
        bytes memory expected = abi.encodeWithSelector(OwnedPredicate.OwnerUnknown.selector, 7);
        vm.expectRevert(expected);
        subscription.hasAccess{gas: 500_000}(1, ACCOUNT, TOKEN_7);
        vm.expectRevert(expected);
        anyAgent.hasAccess{gas: 500_000}(1, ACCOUNT, TOKEN_7);
    }

    /// @dev Whoever asks chooses the gas, and must not be able to choose the answer by it; nor through a proxy, which reverts with
    /// what was kept back for it when what is behind it lacks gas.
    function test_no_amount_of_gas_makes_a_no_of_an_owner() public {
        token.on(OWNER, Act.Spend, abi.encode(ACCOUNT)).on(EXPIRES, Act.Answer, abi.encode(type(uint64).max));
        address proxy = address(new Forwarder(address(new Forwarder(address(token)))));
        IAccessPredicate[3] memory asked = [IAccessPredicate(subscription), anyAgent, new AnyAgentOwnerPredicate(proxy)];
        for (uint256 i = 0; i < asked.length; ++i) {
            uint256 granted = 0;
            for (uint256 gas_ = 1_000; gas_ < 120_000; gas_ += 97) {
                more.cool(address(token));
                try asked[i].hasAccess{gas: gas_}(1, ACCOUNT, TOKEN_7) returns (bool answer) {
                    more.assertTrue(answer);
                    ++granted;
                } catch {}
            }
            more.assertGt(granted, 50);
        }
    }

    /// @dev A no that costs something is one all the same, where there is gas enough.
    function test_a_thing_that_does_not_exist_is_a_no_or_no_answer_at_any_gas() public {
        token.on(OWNER, Act.Fail, hex"7e273289");
        uint256 denied = 0;
        for (uint256 gas_ = 1_000; gas_ < 60_000; gas_ += 97) {
            more.cool(address(token));
            try anyAgent.hasAccess{gas: gas_}(1, ACCOUNT, TOKEN_7) returns (bool answer) {
                more.assertFalse(answer);
                ++denied;
            } catch {}
        }
        more.assertGt(denied, 50);
    }

    function test_an_agent_grants_its_owner_whoever_that_is() public {
        OpenAgentRegistry agents = new OpenAgentRegistry(address(0), new IERC8122.MetadataEntry[](0));
        uint256 id = agents.register(ACCOUNT, "mcp", "https://agent.example", STRANGER);
        AgentOwnerPredicate its = new AgentOwnerPredicate(address(agents), id);
        AnyAgentOwnerPredicate any = new AnyAgentOwnerPredicate(address(agents));
        assertGrants(its, ACCOUNT, "");
        assertGrants(any, ACCOUNT, abi.encode(id));
        // The agent's account is no owner.
        assertDenies(its, STRANGER, "");
        assertDenies(any, STRANGER, abi.encode(id));
        vm.prank(ACCOUNT);
        agents.transfer(STRANGER, id, 1);
        assertDenies(its, ACCOUNT, "");
        assertGrants(its, STRANGER, "");
        assertGrants(any, STRANGER, abi.encode(id));
        assertDenies(any, STRANGER, abi.encode(id + 1));
    }

    function test_an_agent_that_does_not_exist_is_refused_at_deployment() public {
        token.on(OWNER, Act.Fail, hex"12345678");
        vm.expectRevert(hex"12345678");
        new AgentOwnerPredicate(address(token), 8);
    }

    function test_agents_break_with_their_registry() public {
        assertBrokenTokensBreak(agent, OWNER, "");
        token.on(OWNER, Act.Answer, abi.encode(type(uint256).max));
        assertBreaks(agent, ACCOUNT, "");
        assertBreaks(anyAgent, ACCOUNT, TOKEN_7);
        assertUnknownBreaks(anyAgent, OWNER, TOKEN_7);
        token.on(OWNER, Act.Fail, "");
        assertDenies(anyAgent, ACCOUNT, TOKEN_7);
    }

    function test_an_address_without_code_is_refused_at_deployment() public {
        bytes memory expected = abi.encodeWithSelector(Predicate.NotAContract.selector, STRANGER);
        vm.expectRevert(expected);
        new Erc20BalancePredicate(STRANGER, 1);
        vm.expectRevert(expected);
        new Erc721HolderPredicate(STRANGER);
        vm.expectRevert(expected);
        new Erc1155HolderPredicate(STRANGER, 1);
        vm.expectRevert(expected);
        new SubscriptionPredicate(STRANGER, 1);
        vm.expectRevert(expected);
        new AgentOwnerPredicate(STRANGER, 1);
        vm.expectRevert(expected);
        new AnyAgentOwnerPredicate(STRANGER);
    }
}
