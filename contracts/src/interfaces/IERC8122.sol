// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

/// @title ERC-8122: a registry of agents
/// @dev The standard names no ERC-165 identifier. The XOR of the four selectors is 0x2bb55cdc.
interface IERC8122 {
    /// @notice A piece of metadata.
    /// @param key The key.
    /// @param value The value: UTF-8, where the standard gives the key no other type.
    struct MetadataEntry {
        string key;
        bytes value;
    }

    /// @notice An agent was registered.
    /// @param agentId The agent: its token id.
    /// @param owner Whose it is.
    /// @param service_type The metadata `service_type` at that time; empty when not set.
    /// @param service The metadata `service` at that time; empty when not set.
    /// @param agent_account The metadata `agent_account` at that time; the zero address when not set.
    event Registered(
        uint256 indexed agentId, address indexed owner, string service_type, string service, address agent_account
    );

    /// @notice Registers an agent with one service.
    /// @param owner Whose it will be.
    /// @param service_type The kind of service protocol, like "mcp" or "a2a"; empty for none.
    /// @param service The URI of the service; empty for none.
    /// @param agent_account The account that the agent transacts with; the zero address for none.
    /// @return agentId The agent: its token id.
    function register(address owner, string calldata service_type, string calldata service, address agent_account)
        external
        returns (uint256 agentId);

    /// @notice Registers an agent with any metadata.
    /// @param owner Whose it will be.
    /// @param metadata Its metadata.
    /// @return agentId The agent: its token id.
    function register(address owner, MetadataEntry[] calldata metadata) external returns (uint256 agentId);

    /// @notice Registers agents, each with an owner and metadata of its own.
    /// @param owners Whose they will be.
    /// @param metadata Their metadata, in the order of `owners`.
    /// @return agentIds The agents, in the order of `owners`.
    function registerBatch(address[] calldata owners, MetadataEntry[][] calldata metadata)
        external
        returns (uint256[] memory agentIds);

    /// @notice The owner of an agent. Reverts when there is no such agent.
    /// @param agentId The agent.
    /// @return The owner.
    function ownerOf(uint256 agentId) external view returns (address);
}

/// @title ERC-8122: what a registry with ERC-8049 metadata exposes besides
interface IERC8049SetContractMetadata {
    /// @notice Sets metadata of the registry itself. Who may is the registry's decision.
    /// @param key The key.
    /// @param value The new value.
    function setContractMetadata(string calldata key, bytes calldata value) external;
}
