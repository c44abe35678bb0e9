// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IToolRegistry, ToolConfig} from "../../src/interfaces/IToolRegistry.sol";
import {ToolRegistry} from "../../src/tools/ToolRegistry.sol";
import {Act, Scripts, Switch} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev Does what accounts may try on a registry, and remembers what must have come of it.
contract ToolHandler is ToolTest {
    struct Ghost {
        address creator;
        string uri;
        bytes32 hash;
        address predicate;
        bool gone;
    }

    ToolRegistry public immutable subject;
    /// @dev Whether anything worked that must not have. An assertion here would count as a call that reverted, and be passed over.
    bool public overstepped;
    Ghost[] private ghosts;
    address[] private predicates;

    constructor(ToolRegistry subject_) {
        subject = subject_;
        predicates.push(OPEN);
        predicates.push(STRANGER);
        predicates.push(address(new Switch(true)));
        predicates.push(address(new Switch(false)));
        predicates.push(address(Scripts.predicate(Act.Fail, "")));
        predicates.push(address(Scripts.predicate(Act.Answer, abi.encode(2))));
        predicates.push(address(Scripts.predicate(Act.Answer, abi.encode(1, 1))));
        predicates.push(address(subject_)); // refused
    }

    function count() external view returns (uint256) {
        return ghosts.length;
    }

    function ghost(uint256 toolId) external view returns (Ghost memory) {
        return ghosts[toolId - 1];
    }

    function who(uint8 seed) private pure returns (address) {
        return address(uint160(0xA0 + seed % 3));
    }

    function what(uint256 seed) private view returns (address) {
        return predicates[seed % predicates.length];
    }

    function registers(uint8 caller, string calldata uri, bytes32 hash, uint8 predicate) external {
        vm.prank(who(caller));
        try subject.registerTool(uri, hash, what(predicate)) returns (uint256 toolId) {
            ghosts.push(Ghost(who(caller), uri, hash, what(predicate), false));
            if (toolId != ghosts.length) overstepped = true;
        } catch {}
    }

    function updates(uint8 caller, uint8 tool, string calldata uri, bytes32 hash) external {
        uint256 toolId = 1 + tool % (ghosts.length + 1);
        vm.prank(who(caller));
        try subject.updateToolMetadata(toolId, uri, hash) {
            Ghost storage known = mayChange(toolId, caller);
            (known.uri, known.hash) = (uri, hash);
        } catch {}
    }

    function sets(uint8 caller, uint8 tool, uint8 predicate) external {
        uint256 toolId = 1 + tool % (ghosts.length + 1);
        vm.prank(who(caller));
        try subject.setAccessPredicate(toolId, what(predicate)) {
            mayChange(toolId, caller).predicate = what(predicate);
        } catch {}
    }

    function deregisters(uint8 caller, uint8 tool) external {
        uint256 toolId = 1 + tool % (ghosts.length + 1);
        if (tool % 4 != 0) return; // or little would be left
        vm.prank(who(caller));
        try subject.deregisterTool(toolId) {
            mayChange(toolId, caller).gone = true;
        } catch {}
    }

    /// @dev The tool, which this account must have been the creator of, and which must not have been gone.
    function mayChange(uint256 toolId, uint8 caller) private returns (Ghost storage known) {
        known = ghosts[toolId - 1];
        if (known.creator != who(caller) || known.gone) overstepped = true;
    }
}

/// @dev What holds after any sequence of calls.
contract ToolRegistryInvariants is ToolTest {
    ToolHandler private handler;

    function setUp() public {
        handler = new ToolHandler(registry);
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// @dev All of the following, of one campaign of calls.
    function invariant_the_registry_is_what_its_creators_made_it() public {
        the_count_is_the_number_of_registrations();
        only_creators_change_tools_that_are_there();
        the_configuration_is_what_the_creator_last_said();
        tombstones_stay();
        a_malfunction_never_grants();
    }

    /// @dev 8257-1-08, 8257-1-09, 8257-1-10
    function the_count_is_the_number_of_registrations() private view {
        vm.assertEq(registry.toolCount(), handler.count());
    }

    /// @dev 8257-1-08, 8257-1-24, 8257-1-25
    function only_creators_change_tools_that_are_there() private view {
        more.assertFalse(handler.overstepped());
    }

    /// @dev 8257-1-01, 8257-1-32: creators never change, and what was set last is what is read.
    function the_configuration_is_what_the_creator_last_said() private view {
        for (uint256 id = 1; id <= handler.count(); ++id) {
            ToolHandler.Ghost memory known = handler.ghost(id);
            if (known.gone) continue;
            ToolConfig memory config = registry.getToolConfig(id);
            vm.assertEq(config.creator, known.creator);
            vm.assertEq(config.metadataURI, known.uri);
            vm.assertEq(config.manifestHash, known.hash);
            vm.assertEq(config.accessPredicate, known.predicate);
        }
    }

    /// @dev 8257-1-13, 8257-1-15, 8257-1-17, 8257-1-26: for good, and with nothing behind it.
    function tombstones_stay() private {
        for (uint256 id = 1; id <= handler.count(); ++id) {
            if (!handler.ghost(id).gone) continue;
            vm.expectRevert(abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, id));
            registry.getToolConfig(id);
            vm.expectRevert(abi.encodeWithSelector(IToolRegistry.ToolIsDeregistered.selector, id));
            registry.tryHasAccess(id, ACCOUNT, "");
            uint256 slot = uint256(keccak256(abi.encode(id, uint256(1))));
            vm.assertEq(vm.load(address(registry), bytes32(slot)), bytes32(uint256(2) << 160));
            for (uint256 i = 1; i <= 3; ++i) {
                vm.assertEq(vm.load(address(registry), bytes32(slot + i)), bytes32(0));
            }
        }
    }

    /// @dev 8257-1-51, 8257-1-41
    function a_malfunction_never_grants() private view {
        for (uint256 id = 1; id <= handler.count(); ++id) {
            if (handler.ghost(id).gone) continue;
            (bool ok, bool granted) = registry.tryHasAccess(id, ACCOUNT, "");
            more.assertTrue(ok || !granted);
            vm.assertEq(registry.hasAccess(id, ACCOUNT, ""), granted);
        }
    }
}
