// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// @title ERC-6909: many tokens in one contract
/// @dev Its ERC-165 identifier is 0x0f632fb3.
interface IERC6909 {
    /// @notice An `amount` of a token went from `sender` to `receiver`.
    /// @param caller Who called the function that moved it.
    /// @param sender From whom; the zero address when it was minted.
    /// @param receiver To whom; the zero address when it was burned.
    /// @param id The token.
    /// @param amount How much of it.
    event Transfer(
        address caller, address indexed sender, address indexed receiver, uint256 indexed id, uint256 amount
    );

    /// @notice `owner` said whether `spender` may do with every token of the owner what the owner may.
    /// @param owner Whose tokens.
    /// @param spender Who became, or is no longer, an operator.
    /// @param approved Whether `spender` is an operator now.
    event OperatorSet(address indexed owner, address indexed spender, bool approved);

    /// @notice `owner` said how much of a token `spender` may transfer for the owner.
    /// @param owner Whose token.
    /// @param spender Who may transfer.
    /// @param id The token.
    /// @param amount How much of it from now on; 2^256-1 is without end.
    event Approval(address indexed owner, address indexed spender, uint256 indexed id, uint256 amount);

    /// @notice How much of the token `id` belongs to `owner`.
    /// @param owner Whose.
    /// @param id The token.
    /// @return amount In the token's smallest unit.
    function balanceOf(address owner, uint256 id) external view returns (uint256 amount);

    /// @notice How much of the token `id` the `spender` may transfer for `owner`.
    /// @param owner Whose token.
    /// @param spender Who may transfer.
    /// @param id The token.
    /// @return amount In the token's smallest unit; 2^256-1 is without end.
    function allowance(address owner, address spender, uint256 id) external view returns (uint256 amount);

    /// @notice Whether `spender` is an operator for `owner`.
    /// @param owner Whose tokens.
    /// @param spender Who may transfer them.
    /// @return status True for an operator.
    function isOperator(address owner, address spender) external view returns (bool status);

    /// @notice Transfers an `amount` of the token `id` from the caller to `receiver`.
    /// @param receiver To whom.
    /// @param id The token.
    /// @param amount How much of it.
    /// @return success Always true; what cannot be done reverts.
    function transfer(address receiver, uint256 id, uint256 amount) external returns (bool success);

    /// @notice Transfers an `amount` of the token `id` from `sender` to `receiver`.
    /// @param sender From whom.
    /// @param receiver To whom.
    /// @param id The token.
    /// @param amount How much of it.
    /// @return success Always true; what cannot be done reverts.
    function transferFrom(address sender, address receiver, uint256 id, uint256 amount) external returns (bool success);

    /// @notice Sets how much of the token `id` the `spender` may transfer for the caller.
    /// @param spender Who may transfer.
    /// @param id The token.
    /// @param amount How much of it from now on, not in addition; 2^256-1 is without end.
    /// @return success Always true.
    function approve(address spender, uint256 id, uint256 amount) external returns (bool success);

    /// @notice Makes `spender` an operator for the caller, or ends that.
    /// @param spender Who.
    /// @param approved Whether `spender` is an operator from now on.
    /// @return success Always true.
    function setOperator(address spender, bool approved) external returns (bool success);
}
