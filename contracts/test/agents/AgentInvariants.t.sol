// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import {AgentRegistry} from "../../src/agents/AgentRegistry.sol";
import {FixedSupplyAgentRegistry} from "../../src/agents/FixedSupplyAgentRegistry.sol";
import {OpenAgentRegistry} from "../../src/agents/OpenAgentRegistry.sol";
import {IERC8122} from "../../src/interfaces/IERC8122.sol";
import {Test} from "../Test.sol";

/// @dev Six people, one of them the registrar, who do anything with the agents of a registry. Beside it runs a model that knows
/// only what the standards say. Where the model says that a call must fail, and it does not, or the other way round, the handler
/// notes it; what the calls leave behind is compared afterwards.
contract AgentHandler is Test {
    AgentRegistry public immutable registry;
    bool private immutable onlyRegistrarRegisters;
    uint256 public immutable maxSupply;

    address[6] private people = [address(0x8e6), address(1), address(2), address(3), address(4), address(5)];
    string[3] private keys = ["service_type", "service", "agent_account"];

    address[] private owners;
    mapping(uint256 id => mapping(string key => bytes value)) private values;
    mapping(address owner => mapping(address spender => bool)) private operators;
    mapping(address owner => mapping(address spender => mapping(uint256 id => uint256))) private allowances;
    address private registrar = people[0];
    string public fault;

    constructor(AgentRegistry registry_, bool onlyRegistrarRegisters_, uint256 maxSupply_) {
        (registry, onlyRegistrarRegisters, maxSupply) = (registry_, onlyRegistrarRegisters_, maxSupply_);
        owners.push(address(0));
    }

    /// @dev Calls, and notes when the outcome is not what the model says.
    function act(address caller, bytes memory data, bool allowed, string memory name) private returns (bool) {
        vm.prank(caller);
        (bool success,) = address(registry).call(data);
        if (success != allowed) fault = name;
        return success;
    }

    function person(uint256 seed) private view returns (address) {
        return people[seed % 6];
    }

    /// @dev One of the agents, or one that there is not.
    function agent(uint256 seed) private view returns (uint256 id, address owner) {
        id = seed % (owners.length + 1);
        owner = id < owners.length ? owners[id] : address(0);
    }

    function mayRegister(address caller, uint256 count) private view returns (bool) {
        return (!onlyRegistrarRegisters || caller == registrar) && owners.length - 1 + count <= maxSupply;
    }

    function mayWrite(address caller, uint256 id, address owner) private view returns (bool) {
        return
            owner != address(0) && (caller == owner || operators[owner][caller] || allowances[owner][caller][id] != 0);
    }

    function register(uint256 by, uint256 to, bytes calldata uri) external {
        (address caller, address owner) = (person(by), person(to));
        bytes memory data =
            abi.encodeWithSignature("register(address,string,string,address)", owner, "mcp", uri, caller);
        if (act(caller, data, mayRegister(caller, 1), "register")) {
            values[owners.length]["service_type"] = "mcp";
            values[owners.length]["service"] = uri;
            values[owners.length]["agent_account"] = abi.encodePacked(caller);
            owners.push(owner);
        }
    }

    function registerBatch(uint256 by, uint256 to, uint256 count, bytes calldata uri) external {
        count = count % 4;
        address caller = person(by);
        address[] memory newOwners = new address[](count);
        IERC8122.MetadataEntry[][] memory entries = new IERC8122.MetadataEntry[][](count);
        for (uint256 i = 0; i < count; ++i) {
            newOwners[i] = person(to / (i + 1));
            entries[i] = new IERC8122.MetadataEntry[](1);
            entries[i][0] = IERC8122.MetadataEntry("service", uri);
        }
        if (act(
                caller,
                abi.encodeCall(IERC8122.registerBatch, (newOwners, entries)),
                mayRegister(caller, count),
                "batch"
            )) {
            for (uint256 i = 0; i < count; ++i) {
                values[owners.length]["service"] = uri;
                owners.push(newOwners[i]);
            }
        }
    }

    function transfer(uint256 by, uint256 to, uint256 seed, uint256 amount) external {
        (uint256 id, address owner) = agent(seed);
        (address caller, address receiver) = (person(by), person(to));
        // Every other call by the owner, as otherwise few would succeed.
        if (amount % 2 == 1 && owner != address(0)) caller = owner;
        amount = amount / 2 % 8 == 0 ? amount : 1;
        bool allowed = owner != address(0) && caller == owner && amount == 1;
        if (act(caller, abi.encodeCall(registry.transfer, (receiver, id, amount)), allowed, "transfer")) {
            owners[id] = receiver;
        }
    }

    function transferFrom(uint256 by, uint256 from, uint256 to, uint256 seed) external {
        (uint256 id, address owner) = agent(seed);
        (address caller, address receiver) = (person(by), person(to));
        address sender = owner == address(0) || from % 8 == 0 ? person(from) : owner;
        uint256 allowance = allowances[sender][caller][id];
        bool free = caller == sender || operators[sender][caller];
        bool allowed = owner == sender && (free || allowance != 0);
        if (act(caller, abi.encodeCall(registry.transferFrom, (sender, receiver, id, 1)), allowed, "transferFrom")) {
            owners[id] = receiver;
            if (!free && allowance != type(uint256).max) allowances[sender][caller][id] = allowance - 1;
        }
    }

    function approve(uint256 by, uint256 to, uint256 seed, uint256 amount) external {
        (uint256 id,) = agent(seed);
        (address caller, address spender) = (person(by), person(to));
        amount = amount % 4 == 3 ? type(uint256).max : amount % 4;
        act(caller, abi.encodeCall(registry.approve, (spender, id, amount)), true, "approve");
        allowances[caller][spender][id] = amount;
    }

    function setOperator(uint256 by, uint256 to, bool approved) external {
        (address caller, address spender) = (person(by), person(to));
        act(caller, abi.encodeCall(registry.setOperator, (spender, approved)), true, "setOperator");
        operators[caller][spender] = approved;
    }

    function setMetadata(uint256 by, uint256 seed, uint256 which, bytes calldata value) external {
        (uint256 id, address owner) = agent(seed);
        address caller = by % 2 == 0 && owner != address(0) ? owner : person(by);
        string memory key = keys[which % 3];
        bool wellFormed = which % 3 != 2 || value.length == 0;
        bool allowed = mayWrite(caller, id, owner) && wellFormed;
        // Bytes that happen to be an address are left to the unit tests.
        if (which % 3 == 2 && value.length == 20) return;
        if (act(caller, abi.encodeCall(registry.setMetadata, (id, key, value)), allowed, "setMetadata")) {
            values[id][key] = value;
        }
    }

    function setMetadataBatch(uint256 by, uint256 seed, bytes calldata kind, bytes calldata uri) external {
        (uint256 id, address owner) = agent(seed);
        address caller = person(by);
        IERC8122.MetadataEntry[] memory entries = new IERC8122.MetadataEntry[](2);
        entries[0] = IERC8122.MetadataEntry("service_type", kind);
        entries[1] = IERC8122.MetadataEntry("service", uri);
        bytes memory data = abi.encodeCall(registry.setMetadataBatch, (id, entries));
        if (act(caller, data, mayWrite(caller, id, owner), "setMetadataBatch")) {
            values[id]["service_type"] = kind;
            values[id]["service"] = uri;
        }
    }

    function handOver(uint256 by, uint256 to) external {
        (address caller, address nominee) = (person(by), person(to));
        bytes memory data = abi.encodeCall(registry.nominateRegistrar, (nominee));
        if (!act(caller, data, caller == registrar, "nominateRegistrar")) return;
        act(nominee, abi.encodeCall(registry.acceptRegistrar, ()), true, "acceptRegistrar");
        registrar = nominee;
    }

    function setContractMetadata(uint256 by, bytes calldata value) external {
        address caller = person(by);
        bytes memory data = abi.encodeCall(registry.setContractMetadata, ("name", value));
        act(caller, data, caller == registrar, "setContractMetadata");
    }

    /// @dev 8122-own-01, 8122-own-02, 8122-rg-01, 8122-rg-03, 8122-xfer-03: of each agent one person has one and is the owner, and
    /// there are as many agents as were registered.
    function compareOwners() external view {
        vm.assertEq(registry.agentCount(), owners.length - 1);
        for (uint256 id = 1; id < owners.length; ++id) {
            uint256 sum;
            for (uint256 i = 0; i < 6; ++i) {
                uint256 balance = registry.balanceOf(people[i], id);
                vm.assertEq(balance, owners[id] == people[i] ? 1 : 0);
                sum += balance;
            }
            vm.assertEq(sum, 1);
            vm.assertEq(registry.ownerOf(id), owners[id]);
        }
    }

    /// @dev 8122-md-02: what is there was written last by somebody who might; the calls of the registrar and of strangers changed nothing.
    function compareMetadata() external view {
        for (uint256 id = 0; id <= owners.length; ++id) {
            for (uint256 i = 0; i < 3; ++i) {
                vm.assertEq(registry.metadata(id, keys[i]), values[id][keys[i]]);
            }
        }
    }

    /// @dev 6909-tf-04, 6909-tf-05, 6909-tf-06, 6909-ap-01, 6909-op-01: what was given, less what was spent.
    function compareApprovals() external view {
        for (uint256 i = 0; i < 6; ++i) {
            for (uint256 j = 0; j < 6; ++j) {
                (address owner, address spender) = (people[i], people[j]);
                vm.assertEq(registry.isOperator(owner, spender), operators[owner][spender]);
                for (uint256 id = 0; id < 3; ++id) {
                    vm.assertEq(registry.allowance(owner, spender, id), allowances[owner][spender][id]);
                }
            }
        }
    }
}

/// @dev What holds after any calls by anybody. One function, as forge makes all the calls anew for each.
abstract contract AgentInvariants is Test {
    AgentHandler internal handler;

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function invariant_what_the_standards_allow_is_done_and_nothing_else() external view {
        vm.assertEq(handler.fault(), "");
        handler.compareOwners();
        handler.compareMetadata();
        handler.compareApprovals();
        vm.assertTrue(handler.registry().agentCount() <= handler.maxSupply(), "never more agents than there may be");
    }
}

contract OpenAgentInvariantsTest is AgentInvariants {
    function setUp() external {
        OpenAgentRegistry registry = new OpenAgentRegistry(address(0x8e6), new IERC8122.MetadataEntry[](0));
        handler = new AgentHandler(registry, false, type(uint256).max);
    }
}

contract FixedSupplyAgentInvariantsTest is AgentInvariants {
    function setUp() external {
        FixedSupplyAgentRegistry registry =
            new FixedSupplyAgentRegistry(address(0x8e6), 7, new IERC8122.MetadataEntry[](0));
        handler = new AgentHandler(registry, true, 7);
    }
}
