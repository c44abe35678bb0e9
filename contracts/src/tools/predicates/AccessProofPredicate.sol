// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {ISignedAccessProof} from "../../interfaces/RequirementTypes.sol";
import {StrictCall} from "../StrictCall.sol";
import {IERC1271} from "./External.sol";
import {DataPredicate, IServesOneCaller, Predicate} from "./Predicate.sol";

/// @title AccessProofPredicate
/// @notice Grants access to whoever shows a fresh proof, signed by the account, that the account asks for this tool (ERC-8257,
/// Concrete AccessProof Pattern). It binds `account`, which is a mere claim otherwise, to somebody who can sign for it. It stores
/// nothing.
/// @dev `data = abi.encode(uint64 deadline, bytes signature)`, the signature being of `proofDigest(toolId, account, deadline)`.
/// Anything else is a no, as are a deadline that has passed and a signature of somebody else.
///
/// The signature is 65 bytes `r, s, v` with the lower of the two possible `s`. An account with code may answer for other signatures
/// by ERC-1271; one whose key signs all the same (EIP-7702) may use either.
///
/// A proof can be shown again, by anybody who has seen it, until its deadline: keep deadlines short, in minutes.
///
/// The proof names a tool by its id, which is unique within one registry only. So a predicate serves one caller, the registry or the
/// composite in which it is a term, and reverts for every other one. Where that is a composite, the address at which it is going to
/// be deployed is computed beforehand from the deployer's nonce (with CREATE2, each of the two addresses would depend on the other).
/// Such a composite serves one caller in its turn; one that answered whoever asks would let a proof for a tool count for the tool with
/// the same id of another registry, and whoever runs the one tool might show it to the other.
contract AccessProofPredicate is DataPredicate, IServesOneCaller {
    /// @notice keccak256("AccessProof(uint256 toolId,address account,uint64 deadline)").
    bytes32 public constant PROOF_TYPE_HASH = 0xe8f08e8f7306d04c98c930c7b6c46de720239a6eb1d975d517f79832d0120a03;

    /// @dev Gas for the ERC-1271 question: some times what wallets with several signers need.
    uint256 private constant ERC1271_GAS = 150_000;

    /// @dev Half of the order of secp256k1: of the two valid `s` of a signature, the lower one is not above it.
    uint256 private constant HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    /// @inheritdoc IServesOneCaller
    /// @dev The registry, or the composite in which this is a term.
    address public immutable caller;

    /// @param caller_ Who may ask: the registry, or the composite in which this is going to be a term. It needs no code yet.
    constructor(address caller_) {
        caller = caller_;
    }

    /// @inheritdoc IAccessPredicate
    /// @dev Reverts with `NotTheCaller`, and with `InsufficientGas` where an ERC-1271 account could not be given all its gas.
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        if (msg.sender != caller) revert NotTheCaller(msg.sender);
        (bool wellFormed, uint64 deadline, bytes calldata signature) = decode(data);
        // Whoever makes the block may be off by seconds, which minutes can bear.
        // forge-lint: disable-next-line(block-timestamp)
        if (!wellFormed || block.timestamp > deadline) return false;

        bytes32 digest = proofDigest(toolId, account, deadline);
        if (account != address(0) && recover(digest, signature) == account) return true;
        return account.code.length > 0 && isApproved(account, digest, signature);
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "AccessProofPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256) external view returns (AccessRequirement[] memory, RequirementLogic) {
        return only(type(ISignedAccessProof).interfaceId, abi.encode(this), "Sign an AccessProof for this tool");
    }

    /// @inheritdoc Predicate
    /// @dev `IAnswersFromData` and `IServesOneCaller` too.
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IServesOneCaller).interfaceId || super.supportsInterface(interfaceId);
    }

    /// @notice What an account signs: the EIP-712 digest of an `AccessProof` in the domain of this predicate on this chain.
    /// @param toolId   The tool.
    /// @param account  The account that asks for access.
    /// @param deadline The last second, since 1970, in which the proof counts.
    function proofDigest(uint256 toolId, address account, uint64 deadline) public view returns (bytes32) {
        bytes32 proof = keccak256(abi.encode(PROOF_TYPE_HASH, toolId, account, deadline));
        return keccak256(abi.encodePacked("\x19\x01", domainSeparator(), proof));
    }

    /// @notice The EIP-712 domain: name "ERC8257-AccessProof", version "1", this chain, this predicate.
    /// @dev Made anew each time: after a fork of the chain, proofs for the one branch are none for the other.
    function domainSeparator() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("ERC8257-AccessProof"),
                keccak256("1"),
                block.chainid,
                address(this)
            )
        );
    }

    /// @dev Takes `data` apart, if it is the one encoding that `abi.encode` makes: the deadline, where the signature begins (64), its
    /// length, and the signature, filled up to whole words with zeros.
    function decode(bytes calldata data)
        private
        pure
        returns (bool wellFormed, uint64 deadline, bytes calldata signature)
    {
        signature = data[:0];
        if (data.length < 96) return (false, 0, signature);

        uint256 length = uint256(bytes32(data[64:96]));
        if (uint256(bytes32(data[:32])) > type(uint64).max || length > data.length - 96) return (false, 0, signature);

        deadline = abi.decode(data[:32], (uint64));
        signature = data[96:96 + length];
        wellFormed = keccak256(abi.encode(deadline, signature)) == keccak256(data);
    }

    /// @dev Who signed, or `address(0)` for anything that is no signature of 65 bytes with a low `s`.
    function recover(bytes32 digest, bytes calldata signature) private pure returns (address) {
        if (signature.length != 65) return address(0);
        bytes32 s = bytes32(signature[32:64]);
        if (uint256(s) > HALF_ORDER) return address(0);
        return ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), s);
    }

    /// @dev Whether the account confirms the signature by ERC-1271 with exactly one word, the magic value followed by zeros.
    function isApproved(address account, bytes32 digest, bytes calldata signature) private view returns (bool) {
        bytes memory question = abi.encodeCall(IERC1271.isValidSignature, (digest, signature));
        StrictCall.requireGas(ERC1271_GAS);
        (bool ok, uint256 word) = StrictCall.tryWord(account, ERC1271_GAS, question);
        return ok && bytes32(word) == bytes32(IERC1271.isValidSignature.selector);
    }
}
