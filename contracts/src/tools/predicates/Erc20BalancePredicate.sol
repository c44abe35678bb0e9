// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {IERC20Balance} from "../../interfaces/RequirementTypes.sol";
import {IERC20Balances} from "./External.sol";
import {Predicate} from "./Predicate.sol";

/// @title Erc20BalancePredicate
/// @notice Grants access to accounts that hold at least so much of an ERC-20 token. What it asks is fixed at deployment; it stores
/// nothing, and any tool may use it.
/// @dev A balance can be borrowed for the time of one transaction: grant nothing by it that lasts.
contract Erc20BalancePredicate is Predicate {
    /// @notice A balance of nothing was required, which everybody has.
    error NothingRequired();

    /// @notice The ERC-20 token.
    address public immutable token;

    /// @notice How much of it is required, in its smallest unit.
    uint256 public immutable minBalance;

    /// @param token_      The ERC-20 token. Reverts with `NotAContract` when it has no code.
    /// @param minBalance_ How much is required, in its smallest unit. Reverts with `NothingRequired` when zero.
    constructor(address token_, uint256 minBalance_) {
        if (minBalance_ == 0) revert NothingRequired();
        token = withCode(token_);
        minBalance = minBalance_;
    }

    /// @inheritdoc IAccessPredicate
    /// @dev Reads no `data`. Reverts when the token does not answer as it must.
    function hasAccess(uint256, address account, bytes calldata) external view returns (bool) {
        return account != address(0) && IERC20Balances(token).balanceOf(account) >= minBalance;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "Erc20BalancePredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256) external view returns (AccessRequirement[] memory, RequirementLogic) {
        return only(type(IERC20Balance).interfaceId, abi.encode(token, minBalance), "Hold enough of this token");
    }
}
