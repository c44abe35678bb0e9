// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC8122} from "../../src/interfaces/IERC8122.sol";
import {CuratedAgentRegistry} from "../../src/agents/CuratedAgentRegistry.sol";
import {OpenAgentRegistry} from "../../src/agents/OpenAgentRegistry.sol";
import {Gas} from "./Gas.sol";

contract AgentGasTest is Gas {
    OpenAgentRegistry private open;
    CuratedAgentRegistry private curated;
    uint256 private agent;

    function setUp() public {
        open = new OpenAgentRegistry(address(0), new IERC8122.MetadataEntry[](0));
        curated = new CuratedAgentRegistry(address(this), new IERC8122.MetadataEntry[](0));
        agent = open.register(address(this), "mcp", SERVICE, address(0xA9));
        curated.register(address(this), "mcp", SERVICE, address(0xA9));
        open.setMetadata(agent, "name", bytes("a name of thirty bytes, or so."));
    }

    function test_gas_of_registering_with_a_service() public {
        open.register(address(0xB0B), "mcp", SERVICE, address(0xA9));
        measured("agents", "register with a service");
    }

    function test_gas_of_registering_in_a_curated_registry() public {
        curated.register(address(0xB0B), "mcp", SERVICE, address(0xA9));
        measured("agents", "register with a service, curated");
    }

    function test_gas_of_registering_with_entries() public {
        open.register(address(0xB0B), entries());
        measured("agents", "register with three entries");
    }

    function test_gas_of_registering_ten() public {
        address[] memory owners = new address[](10);
        IERC8122.MetadataEntry[][] memory lists = new IERC8122.MetadataEntry[][](10);
        for (uint256 i = 0; i < 10; ++i) {
            (owners[i], lists[i]) = (address(uint160(i + 1)), entries());
        }
        open.registerBatch(owners, lists);
        measured("agents", "register a batch of ten");
    }

    function test_gas_of_metadata() public {
        open.setMetadata(agent, "description", bytes("a text of thirty bytes, or so."));
        measured("agents", "setMetadata, new");
        open.setMetadata(agent, "name", bytes("some other name of 30 bytes..."));
        measured("agents", "setMetadata, overwrite");
        open.setMetadata(agent, "name", "");
        measured("agents", "setMetadata, remove");
        open.metadata(agent, "service");
        measured("agents", "metadata");
    }

    function test_gas_of_owning() public {
        open.ownerOf(agent);
        measured("agents", "ownerOf");
        open.approve(address(0xB0B), agent, 1);
        measured("agents", "approve");
        open.setOperator(address(0xB0B), true);
        measured("agents", "setOperator");
        open.transfer(address(0xB0B), agent, 1);
        measured("agents", "transfer");
    }

    function entries() private pure returns (IERC8122.MetadataEntry[] memory list) {
        list = new IERC8122.MetadataEntry[](3);
        list[0] = IERC8122.MetadataEntry("service_type", bytes("mcp"));
        list[1] = IERC8122.MetadataEntry("service", bytes(SERVICE));
        list[2] = IERC8122.MetadataEntry("agent_account", abi.encodePacked(address(0xA9)));
    }
}
