// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// @notice What the registry holds about a tool (ERC-8257 §1).
/// @param creator         The account that registered the tool; never changes.
/// @param metadataURI     Resolves to the tool's manifest (JSON); 1 to 2,048 bytes.
/// @param manifestHash    keccak256 of the manifest's canonical bytes (ERC-8257 §2); never zero.
/// @param accessPredicate The contract that decides who has access; `address(0)` means everybody.
struct ToolConfig {
    address creator;
    string metadataURI;
    bytes32 manifestHash;
    address accessPredicate;
}

/// @title IToolRegistry
/// @notice A minimal registry of tools for AI agents (ERC-8257 §1).
/// @dev ERC-165 interface id: 0xf1dc8075, the XOR of the ten selectors below. A tool is identified by
///      (chain id, registry address, tool id); the same id in another registry is another tool.
interface IToolRegistry {
    /// @notice A tool was registered.
    /// @param toolId          Its id: one more than the last one.
    /// @param creator         The account that registered it.
    /// @param accessPredicate The contract that decides who has access, or `address(0)`.
    /// @param metadataURI     Where its manifest is.
    /// @param manifestHash    keccak256 of the manifest's canonical bytes.
    event ToolRegistered(
        uint256 indexed toolId,
        address indexed creator,
        address indexed accessPredicate,
        string metadataURI,
        bytes32 manifestHash
    );

    /// @notice A tool's metadata URI, manifest hash, or both, changed.
    /// @param toolId  The tool.
    /// @param newURI  Where its manifest is from now on.
    /// @param newHash keccak256 of the canonical bytes of the manifest there.
    event ToolMetadataUpdated(uint256 indexed toolId, string newURI, bytes32 newHash);

    /// @notice A tool's access predicate changed.
    /// @param toolId       The tool.
    /// @param newPredicate The contract that decides from now on, or `address(0)`.
    event AccessPredicateUpdated(uint256 indexed toolId, address indexed newPredicate);

    /// @notice A tool was removed for good by its creator.
    /// @param toolId The tool.
    event ToolDeregistered(uint256 indexed toolId);

    /// @notice No tool was ever registered under this id.
    error ToolNotFound(uint256 toolId);

    /// @notice Only the tool's creator may do this.
    error NotToolCreator(uint256 toolId, address caller);

    /// @notice The metadata URI is empty or longer than 2,048 bytes.
    error InvalidMetadataURI();

    /// @notice The manifest hash is zero, which is the hash of nothing.
    error InvalidManifestHash();

    /// @notice The predicate says that it implements ERC-165, and then does not confirm `IAccessPredicate`.
    error InvalidAccessPredicate(address predicate);

    /// @notice The tool was removed for good by its creator.
    error ToolIsDeregistered(uint256 toolId);

    /// @notice Registers a tool; the caller becomes its creator.
    /// @dev Reverts with `InvalidMetadataURI`, `InvalidManifestHash`, or `InvalidAccessPredicate`. Emits `ToolRegistered`.
    /// @param metadataURI     Where the manifest is: 1 to 2,048 bytes.
    /// @param manifestHash    keccak256 of the manifest's canonical bytes, not zero.
    /// @param accessPredicate The contract that decides who has access, or `address(0)` for everybody.
    /// @return toolId The tool's id. Ids start at 1, follow each other, and are never used again.
    function registerTool(string calldata metadataURI, bytes32 manifestHash, address accessPredicate)
        external
        returns (uint256 toolId);

    /// @notice Removes a tool for good. Creator only. To pause it instead, set a predicate that always denies.
    /// @dev From then on every operation on the tool reverts with `ToolIsDeregistered`. Reverts with `ToolNotFound`,
    ///      `ToolIsDeregistered`, or `NotToolCreator`. Emits `ToolDeregistered`.
    /// @param toolId The tool.
    function deregisterTool(uint256 toolId) external;

    /// @notice Replaces a tool's metadata URI and manifest hash, both in one step. Creator only.
    /// @dev Reverts with `ToolNotFound`, `ToolIsDeregistered`, `NotToolCreator`, `InvalidMetadataURI`, or
    ///      `InvalidManifestHash`. Emits `ToolMetadataUpdated` when either differs from what is stored.
    /// @param toolId  The tool.
    /// @param newURI  Where the manifest is from now on: 1 to 2,048 bytes.
    /// @param newHash keccak256 of the canonical bytes of the manifest there, not zero.
    function updateToolMetadata(uint256 toolId, string calldata newURI, bytes32 newHash) external;

    /// @notice Replaces a tool's access predicate. Creator only.
    /// @dev Reverts with `ToolNotFound`, `ToolIsDeregistered`, `NotToolCreator`, or `InvalidAccessPredicate`. Setting the
    ///      predicate that is set already does nothing. Emits `AccessPredicateUpdated` otherwise.
    /// @param toolId       The tool.
    /// @param newPredicate The contract that decides from now on, or `address(0)` for everybody.
    function setAccessPredicate(uint256 toolId, address newPredicate) external;

    /// @notice What the registry holds about a tool.
    /// @dev Reverts with `ToolNotFound` or `ToolIsDeregistered`.
    /// @param toolId The tool.
    function getToolConfig(uint256 toolId) external view returns (ToolConfig memory);

    /// @notice Whether `account` has access to the tool: true only where `tryHasAccess` answers `(true, true)`.
    /// @dev Reverts with `ToolNotFound` or `ToolIsDeregistered`. A predicate that malfunctions denies. `account` is a claim
    ///      of whoever asks: bind it to the real principal before acting on the answer.
    /// @param toolId  The tool.
    /// @param account The account that asks for access.
    /// @param data    Context for the predicate, passed on as it is. It is public: no secrets.
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool);

    /// @notice Whether `account` has access to the tool, and whether the predicate answered at all.
    /// @dev `(true, true)`: granted. `(true, false)`: denied. `(false, false)`: the predicate reverted, ran out of gas, has
    ///      no code, or answered something that is not a bool. Never `(false, true)`. Reverts with `ToolNotFound` or
    ///      `ToolIsDeregistered`.
    /// @param toolId  The tool.
    /// @param account The account that asks for access.
    /// @param data    Context for the predicate, passed on as it is. It is public: no secrets.
    /// @return ok      Whether the predicate answered as it must.
    /// @return granted Whether access is granted; false unless `ok`.
    function tryHasAccess(uint256 toolId, address account, bytes calldata data)
        external
        view
        returns (bool ok, bool granted);

    /// @notice How many tools were ever registered, which is the highest id; deregistering does not lower it.
    function toolCount() external view returns (uint256);

    /// @notice Which implementation this is, for people and for comparing; never empty.
    function name() external view returns (string memory);

    /// @notice Its version, `MAJOR.MINOR`; never empty.
    function version() external view returns (string memory);
}
