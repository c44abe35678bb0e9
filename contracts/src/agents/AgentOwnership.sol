// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC6909} from "../interfaces/IERC6909.sol";
import {IERC8122} from "../interfaces/IERC8122.sol";

/// @title Agents as ERC-6909 tokens of which each has one owner (ERC-8122, "Ownership Model")
/// @notice Whose an agent is, is the only thing stored about ownership: `balanceOf` is 1 for that owner and 0 for all others. There is
/// no burning, because ERC-8122 knows none and says nothing of what would become of the metadata.
///
/// Approvals are the owner's, not the agent's. ERC-6909 keeps an allowance by owner, spender and id, and an operator by owner and
/// spender. A transfer touches neither, and so:
/// - they do not bind the new owner: whom the old owner approved can do nothing with the agent any more;
/// - they count again if the agent comes back to that owner. Who wants none of this revokes them by `approve` and `setOperator`.
/// Only what a spender spends is used up: a finite allowance falls by 1 when the spender, not being an operator, transfers.
abstract contract AgentOwnership is IERC6909, IERC8122 {
    /// @notice There is no such agent.
    /// @param agentId The id that is nobody's.
    error AgentNotFound(uint256 agentId);

    /// @notice An agent cannot be divided: the amount must be 1.
    /// @param amount The amount that was asked for.
    error InvalidAmount(uint256 amount);

    /// @notice An agent cannot belong to this address.
    /// @param owner The zero address.
    error InvalidOwner(address owner);

    /// @notice The agent is not the sender's.
    /// @param owner From whom it should go.
    /// @param id The agent.
    error InsufficientBalance(address owner, uint256 id);

    /// @notice The caller is neither the owner, nor an operator for the owner, nor a spender whose allowance suffices.
    /// @param spender The caller.
    /// @param id The agent.
    error InsufficientPermission(address spender, uint256 id);

    /// @dev Each owner is a whole word: writing an `address` would first read the twelve bytes beside it, in order to keep them.
    mapping(uint256 agentId => uint256 owner) private _owners;

    /// @inheritdoc IERC6909
    mapping(address owner => mapping(address spender => bool status)) public isOperator;

    /// @inheritdoc IERC6909
    mapping(address owner => mapping(address spender => mapping(uint256 id => uint256 amount))) public allowance;

    /// @dev The last variable here, with 96 bits, so that it shares a slot with the registrar, which comes next in `AgentRegistry`:
    /// registering in a curated registry then reads one slot, not two.
    uint96 private _agentCount;

    /// @notice How many agents there are. Their ids are 1, 2, … up to this number.
    /// @return The number of agents ever registered, as none is ever removed.
    function agentCount() public view returns (uint256) {
        return _agentCount;
    }

    /// @inheritdoc IERC6909
    /// @dev 1 for the owner of the agent, otherwise 0; an id that is nobody's has no owner, the zero address neither.
    function balanceOf(address owner, uint256 id) external view returns (uint256 amount) {
        return owner != address(0) && _owners[id] == word(owner) ? 1 : 0;
    }

    /// @inheritdoc IERC6909
    /// @dev Reverts with `InvalidAmount` unless the amount is 1, `InvalidOwner` for the zero address, `AgentNotFound`, and
    /// `InsufficientBalance` when the agent is not the caller's. The metadata stays as it is, `agent_account` included.
    function transfer(address receiver, uint256 id, uint256 amount) external returns (bool success) {
        move(msg.sender, receiver, id, amount);
        return true;
    }

    /// @inheritdoc IERC6909
    /// @dev Reverts with `InsufficientPermission` when the caller is neither the sender, nor an operator for the sender, nor has an
    /// allowance; after that as `transfer` does. Whether the caller is an operator is asked
    /// before the allowance, which is not lowered then.
    function transferFrom(address sender, address receiver, uint256 id, uint256 amount)
        external
        returns (bool success)
    {
        if (msg.sender != sender && !isOperator[sender][msg.sender]) {
            uint256 allowed = allowance[sender][msg.sender][id];
            if (allowed == 0) revert InsufficientPermission(msg.sender, id);
            if (allowed != type(uint256).max) allowance[sender][msg.sender][id] = allowed - 1;
        }
        move(sender, receiver, id, amount);
        return true;
    }

    /// @inheritdoc IERC6909
    /// @dev Reverts for no id, not even one that is not the caller's: ERC-6909 lets everybody allow ahead of time. A spender with an
    /// allowance of 1 or more may also write the agent's metadata (ERC-8122), which uses nothing of it up.
    function approve(address spender, uint256 id, uint256 amount) external returns (bool success) {
        allowance[msg.sender][spender][id] = amount;
        emit Approval(msg.sender, spender, id, amount);
        return true;
    }

    /// @inheritdoc IERC6909
    /// @dev An operator may also write the metadata of all the caller's agents (ERC-8122).
    function setOperator(address spender, bool approved) external returns (bool success) {
        isOperator[msg.sender][spender] = approved;
        emit OperatorSet(msg.sender, spender, approved);
        return true;
    }

    /// @inheritdoc IERC8122
    /// @dev Reverts with `AgentNotFound`.
    function ownerOf(uint256 agentId) public view returns (address) {
        uint256 owner = _owners[agentId];
        if (owner == 0) revert AgentNotFound(agentId);
        // Only addresses are ever written there.
        // forge-lint: disable-next-line(unsafe-typecast)
        return address(uint160(owner));
    }

    /// @dev Reverts with `AgentNotFound`, or with `InsufficientPermission` unless the caller is the owner, an operator for the owner,
    /// or a spender with an allowance.
    modifier onlyWriter(uint256 agentId) {
        address owner = ownerOf(agentId);
        if (msg.sender != owner) {
            if (!isOperator[owner][msg.sender] && allowance[owner][msg.sender][agentId] == 0) {
                revert InsufficientPermission(msg.sender, agentId);
            }
        }
        _;
    }

    /// @dev A new agent of `owner`, under the next id. Reverts with `InvalidOwner` for the zero address.
    function mint(address owner) internal returns (uint256 agentId) {
        if (owner == address(0)) revert InvalidOwner(owner);
        agentId = ++_agentCount;
        _owners[agentId] = word(owner);
        emit Transfer(msg.sender, address(0), owner, agentId, 1);
    }

    function move(address sender, address receiver, uint256 id, uint256 amount) private {
        if (amount != 1) revert InvalidAmount(amount);
        if (receiver == address(0)) revert InvalidOwner(receiver);
        if (ownerOf(id) != sender) revert InsufficientBalance(sender, id);
        _owners[id] = word(receiver);
        emit Transfer(msg.sender, sender, receiver, id, amount);
    }

    function word(address owner) private pure returns (uint256) {
        return uint160(owner);
    }
}
