// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IERC165} from "../interfaces/IERC165.sol";
import {IERC6909} from "../interfaces/IERC6909.sol";
import {IERC8048Metadata} from "../interfaces/IERC8048Metadata.sol";
import {IERC8049} from "../interfaces/IERC8049.sol";
import {IERC8122} from "../interfaces/IERC8122.sol";
import {PackedBytes} from "../storage/PackedBytes.sol";
import {AgentOwnership} from "./AgentOwnership.sol";
import {RegistryMetadata} from "./RegistryMetadata.sol";

/// @title A registry of agents (ERC-8122)
/// @notice Each agent is an ERC-6909 token with one owner (`AgentOwnership`) and metadata kept wholly on the chain (ERC-8048). Ids are
/// 1, 2, 3, …. The registry's own metadata are ERC-8049's (`RegistryMetadata`). Who may register is left to the registries that are
/// built on this one. Nobody but its owner, the owner's operators and approved spenders ever changes an agent; the code is final,
/// takes no ether, and calls no other contract.
/// @dev `supportsInterface` does not tell 0xf9cb127d, ERC-8048's metadata authority: that asks for ERC-721's approvals.
/// The bases are in this order for the sake of storage: the number of agents and the registrar share a slot.
abstract contract AgentRegistry is IERC165, IERC8048Metadata, AgentOwnership, RegistryMetadata {
    using PackedBytes for PackedBytes.Value;

    /// @notice `owners` and `metadata` of a batch are of different lengths.
    /// @param owners How many owners there are.
    /// @param metadata How many lists of metadata there are.
    error BatchLengthMismatch(uint256 owners, uint256 metadata);

    /// @notice The metadata `agent_account` is an address, and this is none.
    /// @param value What is neither empty nor the 20 bytes of an address other than zero.
    error InvalidAgentAccount(bytes value);

    mapping(uint256 agentId => mapping(string key => PackedBytes.Value)) private _metadata;

    /// @inheritdoc IERC8122
    /// @dev Each of the three that is not empty is stored as metadata, and logged as `MetadataSet`, under the key of its name.
    /// Reverts with `InvalidOwner` for the zero address, and as the registry decides who may register.
    function register(address owner, string calldata service_type, string calldata service, address agent_account)
        external
        returns (uint256 agentId)
    {
        admit(1);
        agentId = mint(owner);
        if (bytes(service_type).length != 0) setOwnEntry(agentId, "service_type", bytes(service_type));
        if (bytes(service).length != 0) setOwnEntry(agentId, "service", bytes(service));
        if (agent_account != address(0)) setOwnEntry(agentId, "agent_account", abi.encodePacked(agent_account));
        emit Registered(agentId, owner, service_type, service, agent_account);
    }

    /// @inheritdoc IERC8122
    /// @dev Logs one `MetadataSet` for each entry. Of entries with the same key the last one counts, in `Registered` too.
    /// Reverts with `InvalidOwner` for the zero address, `InvalidAgentAccount`, and as the registry decides who may register.
    function register(address owner, MetadataEntry[] calldata entries) external returns (uint256 agentId) {
        admit(1);
        return registerAgent(owner, entries);
    }

    /// @inheritdoc IERC8122
    /// @dev All or nothing; of nothing, nothing. Reverts with `BatchLengthMismatch`, and as `register` does for each.
    function registerBatch(address[] calldata owners, MetadataEntry[][] calldata entries)
        external
        returns (uint256[] memory agentIds)
    {
        if (owners.length != entries.length) revert BatchLengthMismatch(owners.length, entries.length);
        admit(owners.length);
        agentIds = new uint256[](owners.length);
        for (uint256 i = 0; i < owners.length; ++i) {
            agentIds[i] = registerAgent(owners[i], entries[i]);
        }
    }

    /// @notice Sets metadata of an agent. Its owner, an operator for the owner, or a spender with an allowance of 1 or more may, which
    /// uses nothing of the allowance up. An empty value removes the entry and frees its storage. Logs `MetadataSet`, also when the
    /// value is what it was. Reverts with `AgentNotFound`, `InsufficientPermission`, `InvalidAgentAccount`, and with `ValueTooLong`
    /// at 2^24 bytes.
    /// @param agentId The agent.
    /// @param key The key, in which case matters. ERC-8122 lists the usual ones.
    /// @param value The new value: UTF-8 for every key whose type is not given otherwise; 20 bytes for `agent_account`.
    function setMetadata(uint256 agentId, string calldata key, bytes calldata value) external onlyWriter(agentId) {
        setEntry(agentId, key, value);
    }

    /// @notice Sets metadata of an agent, as if by `setMetadata` for one entry after the other, but all or nothing. Not of the standard:
    /// a service and its type can be changed together, so that nobody ever reads one with the other's old value.
    /// @param agentId The agent.
    /// @param entries Keys and new values.
    function setMetadataBatch(uint256 agentId, MetadataEntry[] calldata entries) external onlyWriter(agentId) {
        for (uint256 i = 0; i < entries.length; ++i) {
            setEntry(agentId, entries[i].key, entries[i].value);
        }
    }

    /// @inheritdoc IERC8048Metadata
    /// @dev Empty, and no revert, for an agent that there is not: ERC-8048 has no revert here, what was never set reads as empty, and
    /// asking would cost a second slot with every read. Whether an agent exists is for `ownerOf` to say.
    function metadata(uint256 agentId, string calldata key) external view returns (bytes memory) {
        return _metadata[agentId][key].read();
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IERC6909).interfaceId
            || interfaceId == type(IERC8048Metadata).interfaceId || interfaceId == type(IERC8049).interfaceId
            || interfaceId == type(IERC8122).interfaceId;
    }

    /// @dev Reverts unless the caller may register that many agents now.
    function admit(uint256 count) internal view virtual;

    function registerAgent(address owner, MetadataEntry[] calldata entries) private returns (uint256 agentId) {
        agentId = mint(owner);
        string calldata service_type = string(msg.data[0:0]);
        string calldata service = string(msg.data[0:0]);
        address agent_account;
        for (uint256 i = 0; i < entries.length; ++i) {
            string calldata key = entries[i].key;
            bytes calldata value = entries[i].value;
            setEntry(agentId, key, value);
            if (isKey(key, "service_type", 12)) service_type = string(value);
            else if (isKey(key, "service", 7)) service = string(value);
            else if (isKey(key, "agent_account", 13)) agent_account = accountIn(value);
        }
        emit Registered(agentId, owner, service_type, service, agent_account);
    }

    /// @dev Writes an entry that comes from outside. Whichever function it comes by, nothing is written under `agent_account` that
    /// `accountIn` does not accept: who pays an agent reads it as an address.
    function setEntry(uint256 agentId, string calldata key, bytes calldata value) private {
        if (isKey(key, "agent_account", 13)) accountIn(value);
        _metadata[agentId][key].writeCalldata(value);
        emit MetadataSet(agentId, key, key, value);
    }

    /// @dev Writes a value of the standard's own shape.
    function setOwnEntry(uint256 agentId, string memory key, bytes memory value) private {
        _metadata[agentId][key].write(value);
        emit MetadataSet(agentId, key, key, value);
    }

    /// @dev Whether `key` is `wanted`, which has `length` bytes. Far cheaper than hashes.
    function isKey(string calldata key, bytes32 wanted, uint256 length) private pure returns (bool) {
        // What the cast cuts off, a key of this length does not have.
        // forge-lint: disable-next-line(unsafe-typecast)
        return bytes(key).length == length && bytes32(bytes(key)) == wanted;
    }

    /// @dev The address that a value of `agent_account` is; zero for the empty one. Reverts with `InvalidAgentAccount` for any other
    /// value than 20 bytes, and for 20 that are zero: the standard has the zero address stand for "not set", and here only the empty
    /// value does.
    function accountIn(bytes memory value) private pure returns (address account) {
        if (value.length == 0) return address(0);
        // The length is looked at next.
        // forge-lint: disable-next-line(unsafe-typecast)
        account = address(bytes20(value));
        if (value.length != 20 || account == address(0)) revert InvalidAgentAccount(value);
    }
}
