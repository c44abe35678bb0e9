// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {RequirementLogic} from "../../src/interfaces/IAccessPredicate.sol";
import {ToolRegistry} from "../../src/tools/ToolRegistry.sol";
import {AllowlistPredicate} from "../../src/tools/predicates/AllowlistPredicate.sol";
import {AlwaysDenyPredicate} from "../../src/tools/predicates/AlwaysDenyPredicate.sol";
import {CompositePredicate, Term} from "../../src/tools/predicates/CompositePredicate.sol";
import {Gas} from "./Gas.sol";

contract ToolGasTest is Gas {
    ToolRegistry private registry;
    AlwaysDenyPredicate private predicate;
    AllowlistPredicate private allowlist;
    uint256 private openTool;
    uint256 private deniedTool;
    uint256 private listedTool;
    uint256 private composedTool;

    function setUp() public {
        registry = new ToolRegistry();
        predicate = new AlwaysDenyPredicate();
        allowlist = new AllowlistPredicate(registry);
        openTool = registry.registerTool(URI, bytes32(uint256(1)), address(0));
        deniedTool = registry.registerTool(URI, bytes32(uint256(1)), address(predicate));
        listedTool = registry.registerTool(URI, bytes32(uint256(1)), address(allowlist));
        address[] memory accounts = new address[](1);
        accounts[0] = address(this);
        allowlist.setAllowed(listedTool, accounts, true);
        Term[] memory terms = new Term[](3);
        terms[0] = Term(predicate, true, 30_000);
        terms[1] = Term(predicate, true, 30_000);
        terms[2] = Term(predicate, true, 30_000);
        CompositePredicate composite = new CompositePredicate(address(0), RequirementLogic.AND, terms);
        composedTool = registry.registerTool(URI, bytes32(uint256(1)), address(composite));
    }

    function test_gas_of_registering() public {
        registry.registerTool(URI, bytes32(uint256(2)), address(0));
        measured("tools", "registerTool, open");
        registry.registerTool(URI, bytes32(uint256(2)), address(predicate));
        measured("tools", "registerTool, trivial predicate");
    }

    function test_gas_of_changing() public {
        registry.updateToolMetadata(
            openTool, "https://tools.example.com/.well-known/ai-tool/summarize.json", bytes32(uint256(3))
        );
        measured("tools", "updateToolMetadata, URI and hash");
        registry.setAccessPredicate(openTool, address(predicate));
        measured("tools", "setAccessPredicate, from none");
        registry.deregisterTool(openTool);
        measured("tools", "deregisterTool");
    }

    function test_gas_of_asking() public {
        registry.hasAccess(openTool, address(this), "");
        measured("tools", "hasAccess, open");
        registry.hasAccess(deniedTool, address(this), "");
        measured("tools", "hasAccess, trivial predicate");
        registry.hasAccess(listedTool, address(this), "");
        measured("tools", "hasAccess, allowlist");
        registry.hasAccess(composedTool, address(this), "");
        measured("tools", "hasAccess, composite of three");
        registry.getToolConfig(openTool);
        measured("tools", "getToolConfig");
    }
}
