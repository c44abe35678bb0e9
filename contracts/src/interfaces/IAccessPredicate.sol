// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// @notice One requirement for access that a program can read (ERC-8257 §1).
/// @param kind  Interface id of the requirement type's marker interface (see `RequirementTypes.sol`); `0x00000000` stands
///              for a requirement that could not be read.
/// @param data  ABI-encoded; its layout follows from `kind`. Consumers refuse more than 4,096 bytes.
/// @param label A hint for people, at most 256 bytes.
struct AccessRequirement {
    bytes4 kind;
    bytes data;
    string label;
}

/// @notice How requirements combine: all of them, or any one.
enum RequirementLogic {
    AND,
    OR
}

/// @title IAccessPredicate
/// @notice Decides who may use a tool (ERC-8257 §1).
/// @dev ERC-165 interface id: 0xbdf9dc18.
interface IAccessPredicate {
    /// @notice Whether `account` has access to the tool.
    /// @dev `account` is a claim of whoever asks, not the caller: an enforcer binds it to the real principal before acting on
    ///      the answer (ERC-8257, Account Parameter Is Advisory). A revert means that the predicate could not decide.
    /// @param toolId  The tool, in the registry that asks.
    /// @param account The account that asks for access.
    /// @param data    Context whose layout the predicate defines (a token id, a proof, a signature). It is public: no secrets.
    /// @return Whether access is granted.
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool);

    /// @notice Which implementation this is, for people and for comparing; never empty, at most 256 bytes.
    function name() external view returns (string memory);

    /// @notice What it takes to be granted access, for planning. `hasAccess` decides, not this.
    /// @param toolId The tool, in the registry whose tools are gated.
    /// @return requirements What is required; consumers refuse more than 256 entries.
    /// @return logic        Whether all of them are required or any one suffices.
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic);
}
