// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {
    ICompositeTerm,
    IAllowlistMembership,
    IERC1155Holding,
    IERC20Balance,
    IERC721Holding,
    IERC8122AgentOwnership,
    IMerkleMembership,
    INeverGranted,
    ISignedAccessProof,
    ISubscription
} from "../../src/interfaces/RequirementTypes.sol";
import {IAnswersFromData} from "../../src/tools/predicates/Predicate.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev The kinds of requirement: pinned, each its own selector, no two alike.
contract RequirementTypesTest is ToolTest {
    /// @dev 8257-1p-06, 8257-1p-07, 8257-1p-08
    function test_the_kinds_of_the_standard_are_the_pinned_ones() public pure {
        more.assertTrue(type(IERC721Holding).interfaceId == 0xbdf8c428);
        more.assertTrue(type(IERC1155Holding).interfaceId == 0xcb429230);
        more.assertTrue(type(ISubscription).interfaceId == 0x44387cc2);
    }

    /// @dev 8257-1p-10, 8257-1p-11, 8257-tc-01: with one function, an interface's id is that function's selector.
    function test_each_kind_is_the_selector_of_its_marker() public pure {
        more.assertTrue(type(IERC20Balance).interfaceId == bytes4(keccak256("erc20Balance()")));
        more.assertTrue(type(IERC8122AgentOwnership).interfaceId == bytes4(keccak256("erc8122AgentOwnership()")));
        more.assertTrue(type(IAllowlistMembership).interfaceId == bytes4(keccak256("allowlistMembership()")));
        more.assertTrue(type(IMerkleMembership).interfaceId == bytes4(keccak256("merkleMembership()")));
        more.assertTrue(type(ISignedAccessProof).interfaceId == bytes4(keccak256("signedAccessProof()")));
        more.assertTrue(type(ICompositeTerm).interfaceId == bytes4(keccak256("compositeTerm()")));
        more.assertTrue(type(INeverGranted).interfaceId == bytes4(keccak256("neverGranted()")));
    }

    /// @dev 8257-1p-10, 8257-tc-01: as the documentation of `RequirementTypes.sol` has them.
    function test_our_kinds_are_the_published_ones() public pure {
        more.assertTrue(type(IERC20Balance).interfaceId == 0x812b02ee);
        more.assertTrue(type(IERC8122AgentOwnership).interfaceId == 0x89e8f097);
        more.assertTrue(type(IAllowlistMembership).interfaceId == 0xf611ae64);
        more.assertTrue(type(IMerkleMembership).interfaceId == 0xbf61b1e7);
        more.assertTrue(type(ISignedAccessProof).interfaceId == 0x9ff15914);
        more.assertTrue(type(ICompositeTerm).interfaceId == 0x50c8899f);
        more.assertTrue(type(INeverGranted).interfaceId == 0x9c5986e7);
        more.assertTrue(type(IAnswersFromData).interfaceId == bytes4(keccak256("answersFromData()")));
    }

    /// @dev 8257-1p-12: among ours, the standard's, those that others published, and the one for "unknown".
    function test_no_two_kinds_are_the_same() public pure {
        bytes4[13] memory kinds = [
            bytes4(0),
            type(IERC721Holding).interfaceId,
            type(IERC1155Holding).interfaceId,
            type(ISubscription).interfaceId,
            type(IERC20Balance).interfaceId,
            type(IERC8122AgentOwnership).interfaceId,
            type(IAllowlistMembership).interfaceId,
            type(IMerkleMembership).interfaceId,
            type(ISignedAccessProof).interfaceId,
            type(ICompositeTerm).interfaceId,
            type(INeverGranted).interfaceId,
            bytes4(keccak256("erc7496Trait()")),
            bytes4(keccak256("walletStateAttestation()"))
        ];
        more.assertTrue(kinds[11] == 0x37d8dc22 && kinds[12] == 0x7a111640);
        for (uint256 i = 0; i < kinds.length; ++i) {
            for (uint256 j = 0; j < i; ++j) {
                more.assertFalse(kinds[i] == kinds[j]);
            }
        }
    }
}
