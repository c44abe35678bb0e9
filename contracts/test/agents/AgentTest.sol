// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import {AgentOwnership} from "../../src/agents/AgentOwnership.sol";
import {AgentRegistry} from "../../src/agents/AgentRegistry.sol";
import {OpenAgentRegistry} from "../../src/agents/OpenAgentRegistry.sol";
import {IERC8122} from "../../src/interfaces/IERC8122.sol";
import {Test, Vm} from "../Test.sol";

/// @dev An open registry, people, and what the events of the standards look like, spelled out anew.
abstract contract AgentTest is Test {
    address internal constant REGISTRAR = address(0x8e6);
    address internal constant ALICE = address(0xa11ce);
    address internal constant BOB = address(0xb0b);
    address internal constant CAROL = address(0xca401);
    address internal constant STRANGER = address(0x57a46e4);
    string internal constant URI = "https://agents.example.com/mcp/agent";

    OpenAgentRegistry internal registry;

    function setUp() public virtual {
        registry = new OpenAgentRegistry(REGISTRAR, none());
    }

    function none() internal pure returns (IERC8122.MetadataEntry[] memory) {
        return new IERC8122.MetadataEntry[](0);
    }

    function one(string memory key, bytes memory value)
        internal
        pure
        returns (IERC8122.MetadataEntry[] memory entries)
    {
        entries = new IERC8122.MetadataEntry[](1);
        entries[0] = IERC8122.MetadataEntry(key, value);
    }

    /// @dev The metadata that a registration of one service has.
    function service() internal pure returns (IERC8122.MetadataEntry[] memory entries) {
        entries = new IERC8122.MetadataEntry[](3);
        entries[0] = IERC8122.MetadataEntry("service_type", "mcp");
        entries[1] = IERC8122.MetadataEntry("service", bytes(URI));
        entries[2] = IERC8122.MetadataEntry("agent_account", abi.encodePacked(BOB));
    }

    /// @dev An agent of Alice's, without metadata.
    function agentOfAlice() internal returns (uint256) {
        return registry.register(ALICE, none());
    }

    function isTransfer(Vm.Log memory log, address caller, address sender, address receiver, uint256 id) internal pure {
        vm.assertEq(log.topics.length, 4);
        vm.assertEq(log.topics[0], keccak256("Transfer(address,address,address,uint256,uint256)"));
        vm.assertEq(log.topics[1], bytes32(uint256(uint160(sender))));
        vm.assertEq(log.topics[2], bytes32(uint256(uint160(receiver))));
        vm.assertEq(log.topics[3], bytes32(id));
        vm.assertEq(log.data, abi.encode(caller, 1));
    }

    function isMetadataSet(Vm.Log memory log, uint256 id, string memory key, bytes memory value) internal pure {
        vm.assertEq(log.topics.length, 3);
        vm.assertEq(log.topics[0], keccak256("MetadataSet(uint256,string,string,bytes)"));
        vm.assertEq(log.topics[1], bytes32(id));
        vm.assertEq(log.topics[2], keccak256(bytes(key)));
        vm.assertEq(log.data, abi.encode(key, value));
    }

    function isRegistered(
        Vm.Log memory log,
        uint256 id,
        address owner,
        string memory kind,
        string memory uri,
        address account
    ) internal pure {
        vm.assertEq(log.topics.length, 3);
        vm.assertEq(log.topics[0], keccak256("Registered(uint256,address,string,string,address)"));
        vm.assertEq(log.topics[1], bytes32(id));
        vm.assertEq(log.topics[2], bytes32(uint256(uint160(owner))));
        vm.assertEq(log.data, abi.encode(kind, uri, account));
    }

    function expectNotFound(uint256 id) internal {
        vm.expectRevert(abi.encodeWithSelector(AgentOwnership.AgentNotFound.selector, id));
    }

    function expectNoPermission(address caller, uint256 id) internal {
        vm.expectRevert(abi.encodeWithSelector(AgentOwnership.InsufficientPermission.selector, caller, id));
    }

    function expectInvalidAccount(bytes memory value) internal {
        vm.expectRevert(abi.encodeWithSelector(AgentRegistry.InvalidAgentAccount.selector, value));
    }
}
