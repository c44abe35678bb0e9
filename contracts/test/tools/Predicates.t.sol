// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../src/interfaces/IAccessPredicate.sol";
import {IERC165} from "../../src/interfaces/IERC165.sol";
import {
    IAllowlistMembership,
    ICompositeTerm,
    IERC1155Holding,
    IERC20Balance,
    IERC721Holding,
    IERC8122AgentOwnership,
    IMerkleMembership,
    INeverGranted,
    ISignedAccessProof,
    ISubscription
} from "../../src/interfaces/RequirementTypes.sol";
import {AccessProofPredicate} from "../../src/tools/predicates/AccessProofPredicate.sol";
import {AgentOwnerPredicate} from "../../src/tools/predicates/AgentOwnerPredicate.sol";
import {AllowlistPredicate} from "../../src/tools/predicates/AllowlistPredicate.sol";
import {AlwaysDenyPredicate} from "../../src/tools/predicates/AlwaysDenyPredicate.sol";
import {AnyAgentOwnerPredicate} from "../../src/tools/predicates/AnyAgentOwnerPredicate.sol";
import {CompositePredicate, Term} from "../../src/tools/predicates/CompositePredicate.sol";
import {Erc1155HolderPredicate} from "../../src/tools/predicates/Erc1155HolderPredicate.sol";
import {Erc20BalancePredicate} from "../../src/tools/predicates/Erc20BalancePredicate.sol";
import {Erc721HolderPredicate} from "../../src/tools/predicates/Erc721HolderPredicate.sol";
import {
    IERC1155Balances,
    IERC20Balances,
    IERC721Holders,
    ISubscriptions
} from "../../src/tools/predicates/External.sol";
import {MerkleAllowlistPredicate} from "../../src/tools/predicates/MerkleAllowlistPredicate.sol";
import {IAnswersFromData} from "../../src/tools/predicates/Predicate.sol";
import {SubscriptionPredicate} from "../../src/tools/predicates/SubscriptionPredicate.sol";
import {Act, Scripted} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev What holds of all our predicates.
contract PredicatesTest is ToolTest {
    uint256 private constant STORAGE_FREE = 9;
    uint256 private constant KEY = 42;

    Scripted private token = new Scripted();
    address private signer = more.addr(KEY);
    /// @dev Those that keep nothing in storage come first.
    IAccessPredicate[] private all;
    /// @dev For each, data with which `signer` has access, if anybody has.
    bytes[] private data;
    string[] private names;
    AccessRequirement[] private required;

    function setUp() public {
        more.warp(1_000);
        token.on(IERC20Balances.balanceOf.selector, Act.Answer, abi.encode(100));
        token.on(IERC1155Balances.balanceOf.selector, Act.Answer, abi.encode(1));
        token.on(IERC721Holders.ownerOf.selector, Act.Answer, abi.encode(signer));
        token.on(ISubscriptions.expiresAt.selector, Act.Answer, abi.encode(2_000));
        token.on(ISubscriptions.tierOf.selector, Act.Answer, abi.encode(3));
        address t = address(token);

        add(new AlwaysDenyPredicate(), "AlwaysDenyPredicate", type(INeverGranted).interfaceId, "");
        add(new Erc721HolderPredicate(t), "Erc721HolderPredicate", type(IERC721Holding).interfaceId, abi.encode(t));
        add(
            new Erc1155HolderPredicate(t, 7),
            "Erc1155HolderPredicate",
            type(IERC1155Holding).interfaceId,
            abi.encode(t, 7)
        );
        add(
            new Erc20BalancePredicate(t, 100),
            "Erc20BalancePredicate",
            type(IERC20Balance).interfaceId,
            abi.encode(t, 100)
        );
        add(new SubscriptionPredicate(t, 3), "SubscriptionPredicate", type(ISubscription).interfaceId, abi.encode(t, 3));
        data[4] = abi.encode(7);
        add(
            new AgentOwnerPredicate(t, 7),
            "AgentOwnerPredicate",
            type(IERC8122AgentOwnership).interfaceId,
            abi.encode(t, false, 7)
        );
        add(
            new AnyAgentOwnerPredicate(t),
            "AnyAgentOwnerPredicate",
            type(IERC8122AgentOwnership).interfaceId,
            abi.encode(t, true, 0)
        );
        data[6] = abi.encode(7);
        AccessProofPredicate proof = new AccessProofPredicate(address(this));
        add(proof, "AccessProofPredicate", type(ISignedAccessProof).interfaceId, abi.encode(proof));
        (uint8 v, bytes32 r, bytes32 s) = more.sign(KEY, proof.proofDigest(1, signer, 2_000));
        data[7] = abi.encode(2_000, abi.encodePacked(r, s, v));

        Term[] memory terms = new Term[](8);
        for (uint256 i = 0; i < 8; ++i) {
            terms[i] = Term(all[0], i > 0, 20_000);
        }
        terms[0] = Term(all[1], false, 40_000);
        for (uint256 i = 1; i < 8; ++i) {
            terms[i] = Term(all[0], true, 20_000);
        }
        add(
            new CompositePredicate(address(0), RequirementLogic.AND, terms),
            "CompositePredicate",
            type(IERC721Holding).interfaceId,
            abi.encode(t)
        );

        uint256 toolId = register(OPEN);
        AllowlistPredicate list = new AllowlistPredicate(registry);
        add(list, "AllowlistPredicate", type(IAllowlistMembership).interfaceId, abi.encode(list));
        address[] memory accounts = new address[](1);
        accounts[0] = signer;
        vm.prank(CREATOR);
        list.setAllowed(toolId, accounts, true);

        MerkleAllowlistPredicate tree = new MerkleAllowlistPredicate(registry);
        bytes32[] memory path = new bytes32[](20);
        bytes32 root = keccak256(bytes.concat(keccak256(abi.encode(signer))));
        for (uint256 i = 0; i < path.length; ++i) {
            path[i] = bytes32(i << 250);
            root = root < path[i] ? keccak256(bytes.concat(root, path[i])) : keccak256(bytes.concat(path[i], root));
        }
        vm.prank(CREATOR);
        tree.setRoot(toolId, root);
        add(tree, "MerkleAllowlistPredicate", type(IMerkleMembership).interfaceId, abi.encode(root));
        data[10] = abi.encode(path);
    }

    function add(IAccessPredicate predicate, string memory name, bytes4 kind, bytes memory encoded) private {
        all.push(predicate);
        names.push(name);
        data.push();
        required.push(AccessRequirement(kind, encoded, ""));
    }

    /// @dev 8257-1p-01: the selector is the registry's own, which is what the ladder is for.
    function test_access_is_asked_for_by_one_selector() public view {
        more.assertTrue(IAccessPredicate.hasAccess.selector == 0xa7e3775b);
        for (uint256 i = 0; i < all.length; ++i) {
            bytes memory question = abi.encodeWithSelector(bytes4(0xa7e3775b), 1, signer, data[i]);
            (bool done, bytes memory answer) = address(all[i]).staticcall(question);
            more.assertTrue(done);
            vm.assertEq(answer, abi.encode(i != 0));
        }
    }

    /// @dev 8257-1p-02
    function test_each_has_a_name_of_its_own() public view {
        for (uint256 i = 0; i < all.length; ++i) {
            vm.assertEq(all[i].name(), names[i]);
        }
    }

    /// @dev 8257-1p-03, 8257-1p-06, 8257-1p-07, 8257-1p-08, 8257-1p-10, 8257-tc-01
    function test_each_says_what_it_requires() public view {
        for (uint256 i = 0; i < all.length; ++i) {
            (AccessRequirement[] memory found, RequirementLogic logic) = all[i].getRequirements(1);
            vm.assertEq(found.length, address(all[i]) == address(all[8]) ? 8 : 1);
            vm.assertEq(bytes32(found[0].kind), bytes32(required[i].kind));
            vm.assertEq(found[0].data, required[i].data);
            more.assertGt(bytes(found[0].label).length, 0);
            more.assertLe(bytes(found[0].label).length, 256);
            more.assertTrue(logic == RequirementLogic.AND);
        }
        (AccessRequirement[] memory negated,) = all[8].getRequirements(1);
        vm.assertEq(bytes32(negated[7].kind), bytes32(type(ICompositeTerm).interfaceId));
    }

    /// @dev 8257-9-04, 8257-9-05
    function test_each_says_by_erc165_that_it_is_a_predicate() public view {
        for (uint256 i = 0; i < all.length; ++i) {
            IERC165 predicate = IERC165(address(all[i]));
            more.assertTrue(predicate.supportsInterface(0x01ffc9a7));
            more.assertTrue(predicate.supportsInterface(0xbdf9dc18));
            more.assertFalse(predicate.supportsInterface(0xffffffff));
            bool fromData = predicate.supportsInterface(type(IAnswersFromData).interfaceId);
            vm.assertEq(fromData, data[i].length > 0);
        }
    }

    /// @dev 8257-zero-05: all but the two lists, which a creator edits.
    function test_a_predicate_keeps_nothing_in_storage() public {
        more.record();
        for (uint256 i = 0; i < all.length; ++i) {
            all[i].hasAccess(1, signer, data[i]);
            all[i].getRequirements(1);
            (bytes32[] memory read,) = more.accesses(address(all[i]));
            vm.assertEq(read.length == 0, i < STORAGE_FREE);
        }
    }

    /// @dev 8257-gas-04: half of the 200,000 that callers commonly give, with nothing touched before, a proof of 20 hashes, eight
    /// terms, and a token that is a script, which costs several times what a token does.
    function test_each_grants_well_below_what_callers_give() public {
        // All but the one that never does, which says no for no more.
        for (uint256 i = 0; i < all.length; ++i) {
            more.cool(address(all[i]));
            more.cool(address(token));
            more.cool(address(all[0]));
            more.cool(address(all[1]));
            uint256 before = gasleft();
            bool granted = all[i].hasAccess(1, signer, data[i]);
            more.assertLe(before - gasleft(), 100_000);
            vm.assertEq(granted, address(all[i]) != address(all[0]));
        }
    }
}
