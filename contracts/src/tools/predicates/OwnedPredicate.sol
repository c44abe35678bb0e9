// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {StrictCall} from "../StrictCall.sol";
import {IERC721Holders} from "./External.sol";
import {DataPredicate} from "./Predicate.sol";

/// @title What predicates share to which `data` names something that the account must own
/// @notice That there is no such thing, ERC-721 and ERC-8122 have `ownerOf` say by a revert, so a revert is a no here, unlike
/// anywhere else. Only one that gives back gas, though: what used up all that it got has lacked gas or is broken, and has not said
/// anything. Whoever asks can therefore not make a no by sending little gas.
abstract contract OwnedPredicate is DataPredicate {
    /// @notice `ownerOf` used up its gas and gave no answer.
    error OwnerUnknown(uint256 id);

    /// @dev Whether `account` owns `id`, by the `ownerOf(uint256)` of `tokens`. Reverts with `OwnerUnknown`, and without data when
    /// what is returned is no address or there is no code.
    function owns(address tokens, address account, uint256 id) internal view returns (bool) {
        uint256 before = gasleft();
        try IERC721Holders(tokens).ownerOf(id) returns (address owner) {
            return owner == account;
        } catch {
            if (StrictCall.usedUp(before)) revert OwnerUnknown(id);
            return false;
        }
    }
}
