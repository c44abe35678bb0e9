// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IAccessPredicate} from "../interfaces/IAccessPredicate.sol";
import {IERC165} from "../interfaces/IERC165.sol";
import {IToolRegistry, ToolConfig} from "../interfaces/IToolRegistry.sol";
import {PackedBytes} from "../storage/PackedBytes.sol";
import {PredicateValidation} from "./PredicateValidation.sol";
import {StrictCall} from "./StrictCall.sol";

/// @title ToolRegistry
/// @notice A registry of tools for AI agents (ERC-8257). Anybody may register; only a tool's creator may change it. It has no owner,
/// takes no fee, and cannot be upgraded.
/// @dev Where several errors apply, the order is: not found, deregistered, not the creator, then the arguments in the order URI,
/// hash, predicate.
///
/// A predicate gets all the gas that the EVM lets go, 63/64 of what is left: a limit here would be too tight after the next
/// repricing. Contracts that build upon `hasAccess` bound its cost themselves (`registry.hasAccess{gas: budget}`), and treat a
/// failure as a denial. Nothing is cached: each question is put to the predicate anew.
contract ToolRegistry is IToolRegistry, IERC165 {
    using PackedBytes for PackedBytes.Value;

    /// @dev What has become of a tool id.
    enum State {
        None,
        Registered,
        Deregistered
    }

    /// @dev A tool in storage. The predicate and the state share the first slot, which is all that asking for access reads; and as
    /// the state is never zero there, setting a predicate later needs no new slot. A deregistered tool keeps nothing but its state.
    struct Tool {
        address accessPredicate;
        State state;
        address creator;
        bytes32 manifestHash;
        PackedBytes.Value metadataURI;
    }

    /// @dev ERC-8257, Metadata URI Length Cap, in bytes.
    uint256 private constant MAX_URI_LENGTH = 2_048;

    /// @inheritdoc IToolRegistry
    uint256 public toolCount;

    mapping(uint256 toolId => Tool) private tools;

    /// @inheritdoc IToolRegistry
    function registerTool(string calldata metadataURI, bytes32 manifestHash, address accessPredicate)
        external
        returns (uint256 toolId)
    {
        checkMetadata(metadataURI, manifestHash);
        PredicateValidation.validate(accessPredicate);

        toolId = ++toolCount;
        Tool storage tool = tools[toolId];
        (tool.accessPredicate, tool.state) = (accessPredicate, State.Registered);
        tool.creator = msg.sender;
        tool.manifestHash = manifestHash;
        tool.metadataURI.write(bytes(metadataURI));

        emit ToolRegistered(toolId, msg.sender, accessPredicate, metadataURI, manifestHash);
    }

    /// @inheritdoc IToolRegistry
    function deregisterTool(uint256 toolId) external {
        Tool storage tool = toolOfCaller(toolId);

        (tool.accessPredicate, tool.state) = (address(0), State.Deregistered);
        delete tool.creator;
        delete tool.manifestHash;
        tool.metadataURI.clear();

        emit ToolDeregistered(toolId);
    }

    /// @inheritdoc IToolRegistry
    function updateToolMetadata(uint256 toolId, string calldata newURI, bytes32 newHash) external {
        Tool storage tool = toolOfCaller(toolId);
        checkMetadata(newURI, newHash);

        bool sameURI = tool.metadataURI.equals(bytes(newURI));
        if (sameURI && tool.manifestHash == newHash) return;
        if (!sameURI) tool.metadataURI.write(bytes(newURI));
        tool.manifestHash = newHash;

        emit ToolMetadataUpdated(toolId, newURI, newHash);
    }

    /// @inheritdoc IToolRegistry
    function setAccessPredicate(uint256 toolId, address newPredicate) external {
        Tool storage tool = toolOfCaller(toolId);
        if (newPredicate == tool.accessPredicate) return;
        PredicateValidation.validate(newPredicate);

        tool.accessPredicate = newPredicate;

        emit AccessPredicateUpdated(toolId, newPredicate);
    }

    /// @inheritdoc IToolRegistry
    function getToolConfig(uint256 toolId) external view returns (ToolConfig memory) {
        Tool storage tool = existing(toolId);
        return ToolConfig({
            creator: tool.creator,
            metadataURI: string(tool.metadataURI.read()),
            manifestHash: tool.manifestHash,
            accessPredicate: tool.accessPredicate
        });
    }

    /// @inheritdoc IToolRegistry
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool granted) {
        (, granted) = ask(toolId, account, data);
    }

    /// @inheritdoc IToolRegistry
    function tryHasAccess(uint256 toolId, address account, bytes calldata data)
        external
        view
        returns (bool ok, bool granted)
    {
        return ask(toolId, account, data);
    }

    /// @inheritdoc IToolRegistry
    function name() external pure returns (string memory) {
        return "DeedboxToolRegistry";
    }

    /// @inheritdoc IToolRegistry
    function version() external pure returns (string memory) {
        return "1.0";
    }

    /// @inheritdoc IERC165
    /// @dev Not `IAccessPredicate`: no registry passes the ladder as a predicate (ERC-8257 §9).
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IToolRegistry).interfaceId;
    }

    /// @dev The two answers of `tryHasAccess`.
    function ask(uint256 toolId, address account, bytes calldata data) private view returns (bool ok, bool granted) {
        address predicate = existing(toolId).accessPredicate;
        if (predicate == address(0)) return (true, true);

        bytes memory question = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, data));
        return StrictCall.tryBool(predicate, gasleft(), question);
    }

    /// @dev The tool, or a revert with `ToolNotFound` or `ToolIsDeregistered`.
    function existing(uint256 toolId) private view returns (Tool storage tool) {
        tool = tools[toolId];
        State state = tool.state;
        if (state == State.None) revert ToolNotFound(toolId);
        if (state == State.Deregistered) revert ToolIsDeregistered(toolId);
    }

    /// @dev The tool, or a revert as `existing` has it, or with `NotToolCreator`.
    function toolOfCaller(uint256 toolId) private view returns (Tool storage tool) {
        tool = existing(toolId);
        if (tool.creator != msg.sender) revert NotToolCreator(toolId, msg.sender);
    }

    /// @dev Reverts with `InvalidMetadataURI` or `InvalidManifestHash`.
    function checkMetadata(string calldata uri, bytes32 manifestHash) private pure {
        uint256 length = bytes(uri).length;
        if (length == 0 || length > MAX_URI_LENGTH) revert InvalidMetadataURI();
        if (manifestHash == 0) revert InvalidManifestHash();
    }
}
