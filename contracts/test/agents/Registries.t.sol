// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import {AgentOwnership} from "../../src/agents/AgentOwnership.sol";
import {CuratedAgentRegistry} from "../../src/agents/CuratedAgentRegistry.sol";
import {FixedSupplyAgentRegistry} from "../../src/agents/FixedSupplyAgentRegistry.sol";
import {OpenAgentRegistry} from "../../src/agents/OpenAgentRegistry.sol";
import {Registrar} from "../../src/agents/Registrar.sol";
import {IERC8049} from "../../src/interfaces/IERC8049.sol";
import {IERC8049SetContractMetadata, IERC8122} from "../../src/interfaces/IERC8122.sol";
import {Vm} from "../Test.sol";
import {AgentTest} from "./AgentTest.sol";

/// @dev The registrar, ERC-8049, and the three registries.
contract RegistriesTest is AgentTest {
    CuratedAgentRegistry private curated;
    FixedSupplyAgentRegistry private fixedSupply;

    function setUp() public override {
        super.setUp();
        curated = new CuratedAgentRegistry(REGISTRAR, about());
        fixedSupply = new FixedSupplyAgentRegistry(REGISTRAR, 3, none());
    }

    function about() private pure returns (IERC8122.MetadataEntry[] memory entries) {
        entries = new IERC8122.MetadataEntry[](4);
        entries[0] = IERC8122.MetadataEntry("name", "Whitehat agents");
        entries[1] = IERC8122.MetadataEntry("description", "Agents that look for holes in order to have them closed.");
        entries[2] =
            IERC8122.MetadataEntry("image", "ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy");
        entries[3] = IERC8122.MetadataEntry("symbol", "HAT");
    }

    function batch(uint256 size)
        private
        pure
        returns (address[] memory owners, IERC8122.MetadataEntry[][] memory entries)
    {
        owners = new address[](size);
        entries = new IERC8122.MetadataEntry[][](size);
        for (uint256 i = 0; i < size; ++i) {
            owners[i] = ALICE;
        }
    }

    function expectNotRegistrar(address caller) private {
        vm.expectRevert(abi.encodeWithSelector(Registrar.NotRegistrar.selector, caller));
    }

    function isContractMetadata(Vm.Log memory log, string memory key, bytes memory value) private pure {
        vm.assertEq(log.topics.length, 2);
        vm.assertEq(log.topics[0], keccak256("ContractMetadataUpdated(string,string,bytes)"));
        vm.assertEq(log.topics[1], keccak256(bytes(key)));
        vm.assertEq(log.data, abi.encode(key, value));
    }

    function isRegistrarLog(Vm.Log memory log, string memory signature, address first, address second) private pure {
        vm.assertEq(log.topics.length, 3);
        vm.assertEq(log.topics[0], keccak256(bytes(signature)));
        vm.assertEq(log.topics[1], bytes32(uint256(uint160(first))));
        vm.assertEq(log.topics[2], bytes32(uint256(uint160(second))));
        vm.assertEq(log.data.length, 0);
    }

    /// @dev 8049-if-01, 8122-reg-03, 8122-cm-01: the selector is that of the text.
    function test_contract_metadata_have_the_selectors_of_the_standard() external view {
        vm.assertEq(bytes32(IERC8049.contractMetadata.selector), bytes32(bytes4(0x8ec3f882)));
        vm.assertEq(
            bytes32(IERC8049SetContractMetadata.setContractMetadata.selector),
            bytes32(bytes4(keccak256("setContractMetadata(string,bytes)")))
        );
        vm.assertEq(registry.contractMetadata("name"), "");
    }

    /// @dev 8122-cm-03, 8122-cm-04, 8122-cm-05, 8122-cm-06, 8049-if-02
    function test_contract_metadata_are_set_and_logged_at_construction() external {
        vm.recordLogs();
        OpenAgentRegistry made = new OpenAgentRegistry(REGISTRAR, about());
        Vm.Log[] memory logs = vm.getRecordedLogs();
        IERC8122.MetadataEntry[] memory entries = about();
        vm.assertEq(logs.length, 5);
        isRegistrarLog(logs[0], "RegistrarChanged(address,address)", address(0), REGISTRAR);
        for (uint256 i = 0; i < 4; ++i) {
            isContractMetadata(logs[i + 1], entries[i].key, entries[i].value);
            vm.assertEq(made.contractMetadata(entries[i].key), entries[i].value);
        }
    }

    /// @dev 8122-cm-02, 8049-if-02, 8049-if-03
    function testFuzz_the_registrar_sets_contract_metadata(
        string calldata key,
        bytes calldata first,
        bytes calldata second
    ) external {
        bytes[3] memory values = [first, second, second];
        for (uint256 i = 0; i < 3; ++i) {
            vm.recordLogs();
            vm.prank(REGISTRAR);
            registry.setContractMetadata(key, values[i]);
            Vm.Log[] memory logs = vm.getRecordedLogs();
            vm.assertEq(logs.length, 1);
            isContractMetadata(logs[0], key, values[i]);
            vm.assertEq(registry.contractMetadata(key), values[i]);
        }
    }

    /// @dev 8049-if-03
    function testFuzz_nobody_else_sets_contract_metadata(address caller) external {
        vm.assume(caller != REGISTRAR);
        expectNotRegistrar(caller);
        vm.prank(caller);
        curated.setContractMetadata("name", "Blackhat agents");
        vm.assertEq(curated.contractMetadata("name"), "Whitehat agents");
    }

    function test_without_a_registrar_contract_metadata_are_final() external {
        vm.recordLogs();
        OpenAgentRegistry made = new OpenAgentRegistry(address(0), about());
        vm.assertEq(vm.getRecordedLogs().length, 4);
        vm.assertEq(made.registrar(), address(0));
        address[3] memory callers = [address(this), REGISTRAR, STRANGER];
        for (uint256 i = 0; i < 3; ++i) {
            expectNotRegistrar(callers[i]);
            vm.prank(callers[i]);
            made.setContractMetadata("name", "x");
            expectNotRegistrar(callers[i]);
            vm.prank(callers[i]);
            made.nominateRegistrar(callers[i]);
            vm.expectRevert(abi.encodeWithSelector(Registrar.NotNominated.selector, callers[i]));
            vm.prank(callers[i]);
            made.acceptRegistrar();
        }
        vm.assertEq(made.register(ALICE, none()), 1);
    }

    function test_the_role_is_handed_over_in_two_steps() external {
        vm.recordLogs();
        vm.prank(REGISTRAR);
        registry.nominateRegistrar(BOB);
        vm.assertEq(registry.registrar(), REGISTRAR);
        vm.assertEq(registry.nominatedRegistrar(), BOB);
        expectNotRegistrar(BOB);
        vm.prank(BOB);
        registry.setContractMetadata("name", "x");

        vm.prank(BOB);
        registry.acceptRegistrar();
        vm.assertEq(registry.registrar(), BOB);
        vm.assertEq(registry.nominatedRegistrar(), address(0));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 2);
        isRegistrarLog(logs[0], "RegistrarNominated(address,address)", REGISTRAR, BOB);
        isRegistrarLog(logs[1], "RegistrarChanged(address,address)", REGISTRAR, BOB);

        expectNotRegistrar(REGISTRAR);
        vm.prank(REGISTRAR);
        registry.setContractMetadata("name", "x");
        vm.expectRevert(abi.encodeWithSelector(Registrar.NotNominated.selector, BOB));
        vm.prank(BOB);
        registry.acceptRegistrar();
    }

    function testFuzz_only_who_is_nominated_accepts(address caller) external {
        vm.assume(caller != BOB);
        vm.prank(REGISTRAR);
        registry.nominateRegistrar(BOB);
        vm.expectRevert(abi.encodeWithSelector(Registrar.NotNominated.selector, caller));
        vm.prank(caller);
        registry.acceptRegistrar();
    }

    function testFuzz_only_the_registrar_nominates_and_renounces(address caller) external {
        vm.assume(caller != REGISTRAR);
        expectNotRegistrar(caller);
        vm.prank(caller);
        registry.nominateRegistrar(caller);
        expectNotRegistrar(caller);
        vm.prank(caller);
        registry.renounceRegistrar();
    }

    function test_a_nomination_is_replaced_and_withdrawn() external {
        vm.prank(REGISTRAR);
        registry.nominateRegistrar(BOB);
        vm.prank(REGISTRAR);
        registry.nominateRegistrar(CAROL);
        vm.expectRevert(abi.encodeWithSelector(Registrar.NotNominated.selector, BOB));
        vm.prank(BOB);
        registry.acceptRegistrar();
        vm.prank(REGISTRAR);
        registry.nominateRegistrar(address(0));
        vm.expectRevert(abi.encodeWithSelector(Registrar.NotNominated.selector, CAROL));
        vm.prank(CAROL);
        registry.acceptRegistrar();
    }

    function test_renouncing_ends_the_role_and_every_nomination() external {
        vm.prank(REGISTRAR);
        curated.nominateRegistrar(BOB);
        vm.recordLogs();
        vm.prank(REGISTRAR);
        curated.renounceRegistrar();
        isRegistrarLog(vm.getRecordedLogs()[0], "RegistrarChanged(address,address)", REGISTRAR, address(0));
        vm.assertEq(curated.registrar(), address(0));
        vm.expectRevert(abi.encodeWithSelector(Registrar.NotNominated.selector, BOB));
        vm.prank(BOB);
        curated.acceptRegistrar();
        expectNotRegistrar(REGISTRAR);
        vm.prank(REGISTRAR);
        curated.register(ALICE, none());
        expectNotRegistrar(REGISTRAR);
        vm.prank(REGISTRAR);
        curated.setContractMetadata("name", "x");
    }

    /// @dev They share a slot, which neither may spill out of.
    function test_the_number_of_agents_survives_a_change_of_registrar() external {
        vm.prank(REGISTRAR);
        curated.register(ALICE, none());
        vm.assertEq(vm.load(address(curated), bytes32(uint256(3))), bytes32((uint256(uint160(REGISTRAR)) << 96) | 1));
        vm.prank(REGISTRAR);
        curated.nominateRegistrar(BOB);
        vm.prank(BOB);
        curated.acceptRegistrar();
        vm.assertEq(curated.agentCount(), 1);
        vm.prank(BOB);
        vm.assertEq(curated.register(ALICE, none()), 2);
        vm.assertEq(curated.registrar(), BOB);
    }

    function testFuzz_only_the_registrar_registers_in_a_curated_registry(address caller) external {
        vm.assume(caller != REGISTRAR);
        (address[] memory owners, IERC8122.MetadataEntry[][] memory entries) = batch(1);
        expectNotRegistrar(caller);
        vm.prank(caller);
        curated.register(caller, "mcp", URI, caller);
        expectNotRegistrar(caller);
        vm.prank(caller);
        curated.register(caller, none());
        expectNotRegistrar(caller);
        vm.prank(caller);
        curated.registerBatch(owners, entries);
        expectNotRegistrar(caller);
        vm.prank(caller);
        fixedSupply.register(caller, none());
        vm.assertEq(curated.agentCount(), 0);
    }

    function test_the_registrar_registers_in_every_way() external {
        (address[] memory owners, IERC8122.MetadataEntry[][] memory entries) = batch(2);
        vm.prank(REGISTRAR);
        vm.assertEq(curated.register(ALICE, "mcp", URI, BOB), 1);
        vm.prank(REGISTRAR);
        vm.assertEq(curated.register(ALICE, service()), 2);
        vm.prank(REGISTRAR);
        vm.assertEq(curated.registerBatch(owners, entries)[1], 4);
        vm.assertEq(curated.metadata(2, "service"), bytes(URI));
    }

    function test_the_registrar_has_no_power_over_a_registered_agent() external {
        vm.prank(REGISTRAR);
        curated.register(ALICE, none());
        expectNoPermission(REGISTRAR, 1);
        vm.prank(REGISTRAR);
        curated.setMetadata(1, "name", "x");
        expectNoPermission(REGISTRAR, 1);
        vm.prank(REGISTRAR);
        curated.transferFrom(ALICE, REGISTRAR, 1, 1);
        vm.expectRevert(abi.encodeWithSelector(AgentOwnership.InsufficientBalance.selector, REGISTRAR, 1));
        vm.prank(REGISTRAR);
        curated.transfer(REGISTRAR, 1, 1);
    }

    function test_a_curated_registry_needs_a_registrar() external {
        vm.expectRevert(abi.encodeWithSelector(CuratedAgentRegistry.MissingRegistrar.selector));
        new CuratedAgentRegistry(address(0), none());
        vm.expectRevert(abi.encodeWithSelector(CuratedAgentRegistry.MissingRegistrar.selector));
        new FixedSupplyAgentRegistry(address(0), 3, none());
    }

    /// @dev It could never hold anything, and be taken for one that is full.
    function test_a_registry_for_no_agents_is_refused() external {
        vm.expectRevert(abi.encodeWithSelector(FixedSupplyAgentRegistry.MissingSupply.selector));
        new FixedSupplyAgentRegistry(REGISTRAR, 0, none());
        vm.assertEq(new FixedSupplyAgentRegistry(REGISTRAR, 1, none()).maxSupply(), 1);
    }

    function test_there_are_never_more_agents_than_there_may_be() external {
        bytes memory exhausted = abi.encodeWithSelector(FixedSupplyAgentRegistry.SupplyExhausted.selector, 3);
        (address[] memory owners, IERC8122.MetadataEntry[][] memory entries) = batch(2);
        vm.assertEq(fixedSupply.maxSupply(), 3);
        vm.prank(REGISTRAR);
        fixedSupply.registerBatch(owners, entries);
        vm.expectRevert(exhausted);
        vm.prank(REGISTRAR);
        fixedSupply.registerBatch(owners, entries);
        vm.assertEq(fixedSupply.agentCount(), 2);
        vm.prank(REGISTRAR);
        fixedSupply.register(ALICE, none());
        vm.expectRevert(exhausted);
        vm.prank(REGISTRAR);
        fixedSupply.register(ALICE, none());
        vm.expectRevert(exhausted);
        vm.prank(REGISTRAR);
        fixedSupply.register(ALICE, "mcp", URI, BOB);
        vm.prank(REGISTRAR);
        fixedSupply.registerBatch(new address[](0), new IERC8122.MetadataEntry[][](0));
        vm.assertEq(fixedSupply.agentCount(), 3);
    }

    /// @dev No function takes ether, and there is none to receive it.
    function test_no_ether_is_taken() external {
        bytes[3] memory calls = [
            bytes(""),
            abi.encodeWithSignature("register(address,string,string,address)", ALICE, "mcp", URI, BOB),
            abi.encodeWithSignature("setOperator(address,bool)", BOB, true)
        ];
        for (uint256 i = 0; i < 3; ++i) {
            (bool success,) = address(registry).call{value: 1}(calls[i]);
            vm.assertEq(success, false);
        }
        vm.assertEq(address(registry).balance, 0);
    }
}
