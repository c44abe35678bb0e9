// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IAccessPredicate} from "../interfaces/IAccessPredicate.sol";
import {IERC165} from "../interfaces/IERC165.sol";
import {IToolRegistry} from "../interfaces/IToolRegistry.sol";
import {StrictCall} from "./StrictCall.sol";

/// @title What may become an access predicate
/// @notice The ladder of ERC-8257, Predicate Validation at Registration: it refuses a contract that says by ERC-165 what it is, and
/// is no predicate. Another registry is one: its `hasAccess` has the selector of a predicate's.
/// @dev An answer of the first probe that is not a canonical `true` counts as not implementing ERC-165, and one of the second as not
/// being a predicate. ERC-165's own probe for 0xffffffff is no step of the ladder, so a contract that answers `true` to everything
/// passes; who shows tools to people should run that probe and warn.
library PredicateValidation {
    /// @notice The gas that each probe gets: what ERC-165 allows `supportsInterface` to use.
    uint256 internal constant PROBE_GAS = 30_000;

    /// @notice Reverts with `InvalidAccessPredicate` when `predicate` must not become one, and with `InsufficientGas` when a probe
    /// could not be given all its gas: otherwise sending little gas would be a way around the ladder.
    /// @param predicate The candidate.
    function validate(address predicate) internal view {
        // Steps 1 and 2: nobody to ask. An address without code denies everybody until it has some.
        if (predicate == address(0) || predicate.code.length == 0) return;
        // Steps 3 and 4: one that does not implement ERC-165 cannot be told apart, and is taken as it is.
        if (!claims(predicate, type(IERC165).interfaceId)) return;
        // Step 5.
        if (!claims(predicate, type(IAccessPredicate).interfaceId)) {
            revert IToolRegistry.InvalidAccessPredicate(predicate);
        }
    }

    /// @notice Whether `account` answers with a canonical `true` when asked for the interface, within `PROBE_GAS`.
    function claims(address account, bytes4 interfaceId) internal view returns (bool answer) {
        bytes memory probe = abi.encodeCall(IERC165.supportsInterface, (interfaceId));
        StrictCall.requireGas(PROBE_GAS);
        (, answer) = StrictCall.tryBool(account, PROBE_GAS, probe);
    }
}
