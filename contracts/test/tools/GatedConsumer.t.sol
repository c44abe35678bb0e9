// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IToolRegistry} from "../../src/interfaces/IToolRegistry.sol";
import {Act, Scripts, Switch} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev How a contract builds upon a registry: an example, and what its rules are tested with. Members of a tool may count.
contract GatedConsumer {
    error NoAccess(address account);
    error Busy();

    /// @dev What asking may cost; the registry sets no limit of its own.
    uint256 public constant ACCESS_GAS = 200_000;

    IToolRegistry public immutable registry;
    uint256 public immutable toolId;
    mapping(address account => uint256) public count;
    bool private transient busy;

    constructor(IToolRegistry registry_, uint256 toolId_) {
        (registry, toolId) = (registry_, toolId_);
    }

    /// @dev Asks first and writes then. Whom the call is for is who calls, not who they say they are.
    function increment(address account, bytes calldata data) external {
        if (busy) revert Busy();
        busy = true;
        if (account != msg.sender || !mayUse(account, data)) revert NoAccess(account);
        ++count[account];
        // The caller gets a word, which is where a guard is needed.
        (bool told,) = msg.sender.call(abi.encodeWithSignature("counted(uint256)", count[account]));
        told;
        busy = false;
    }

    /// @dev A failure of any kind is a denial, and costs `ACCESS_GAS` at most.
    function mayUse(address account, bytes calldata data) public view returns (bool) {
        try registry.hasAccess{gas: ACCESS_GAS}(toolId, account, data) returns (bool granted) {
            return granted;
        } catch {
            return false;
        }
    }

    /// @dev Asks once for all accounts of a batch, the answers being kept for the rest of the transaction.
    function incrementTwice(bytes calldata data) external {
        bytes32 key = keccak256(abi.encode(toolId, msg.sender));
        for (uint256 i = 0; i < 2; ++i) {
            if (!known(key) && !mayUse(msg.sender, data)) revert NoAccess(msg.sender);
            remember(key);
            ++count[msg.sender];
        }
    }

    function known(bytes32 key) private view returns (bool yes) {
        assembly {
            yes := tload(key)
        }
    }

    function remember(bytes32 key) private {
        assembly {
            tstore(key, 1)
        }
    }
}

/// @dev An account that calls back while it is told its count.
contract Caller {
    GatedConsumer private immutable consumer;
    bytes public answer;

    constructor(GatedConsumer consumer_) {
        consumer = consumer_;
    }

    function start() external {
        consumer.increment(address(this), "");
    }

    function counted(uint256) external {
        bool done;
        (done, answer) = address(consumer).call(abi.encodeCall(consumer.increment, (address(this), "")));
        require(!done);
    }
}

/// @dev The rules for contracts that gate on a registry.
contract GatedConsumerTest is ToolTest {
    Switch private gate = new Switch(true);
    GatedConsumer private consumer = new GatedConsumer(registry, register(address(gate)));

    /// @dev 8257-acct-13
    function test_nobody_counts_in_anothers_name() public {
        vm.prank(ACCOUNT);
        consumer.increment(ACCOUNT, "");
        vm.assertEq(consumer.count(ACCOUNT), 1);
        vm.prank(STRANGER);
        vm.expectRevert(abi.encodeWithSelector(GatedConsumer.NoAccess.selector, ACCOUNT));
        consumer.increment(ACCOUNT, "");
    }

    /// @dev 8257-reent-02: what is denied has written nothing.
    function test_a_denial_comes_before_any_write() public {
        gate.turn(false);
        vm.prank(ACCOUNT);
        vm.expectRevert(abi.encodeWithSelector(GatedConsumer.NoAccess.selector, ACCOUNT));
        consumer.increment(ACCOUNT, "");
        vm.assertEq(consumer.count(ACCOUNT), 0);
    }

    /// @dev 8257-reent-03
    function test_a_callback_within_the_gated_flow_is_refused() public {
        Caller caller = new Caller(consumer);
        caller.start();
        vm.assertEq(caller.answer(), abi.encodeWithSelector(GatedConsumer.Busy.selector));
        vm.assertEq(consumer.count(address(caller)), 1);
    }

    /// @dev 8257-gas-03, 8257-gas-01
    function test_a_burner_costs_the_consumer_its_budget_and_no_more() public {
        GatedConsumer gated = new GatedConsumer(registry, register(address(Scripts.predicate(Act.Burn, ""))));
        uint256 before = gasleft();
        more.assertFalse(gated.mayUse(ACCOUNT, ""));
        more.assertLe(before - gasleft(), gated.ACCESS_GAS() + 15_000);
    }

    /// @dev 8257-gas-03: a tool that is gone denies, too.
    function test_a_failure_of_the_registry_is_a_denial() public {
        vm.prank(CREATOR);
        registry.deregisterTool(1);
        more.assertFalse(consumer.mayUse(ACCOUNT, ""));
    }

    /// @dev 8257-reent-04
    function test_an_answer_may_be_kept_for_one_transaction() public {
        more.expectCall(address(gate), abi.encodeCall(gate.hasAccess, (1, ACCOUNT, "")), 1);
        vm.prank(ACCOUNT);
        consumer.incrementTwice("");
        vm.assertEq(consumer.count(ACCOUNT), 2);
    }
}
