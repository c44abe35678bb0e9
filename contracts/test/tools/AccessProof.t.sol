// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {IAccessPredicate, RequirementLogic} from "../../src/interfaces/IAccessPredicate.sol";
import {StrictCall} from "../../src/tools/StrictCall.sol";
import {ToolRegistry} from "../../src/tools/ToolRegistry.sol";
import {AccessProofPredicate} from "../../src/tools/predicates/AccessProofPredicate.sol";
import {AlwaysDenyPredicate} from "../../src/tools/predicates/AlwaysDenyPredicate.sol";
import {CompositePredicate, Term} from "../../src/tools/predicates/CompositePredicate.sol";
import {IERC1271} from "../../src/tools/predicates/External.sol";
import {IAnswersFromData, IServesOneCaller} from "../../src/tools/predicates/Predicate.sol";
import {Act, Scripted} from "./Hostile.sol";
import {ToolTest} from "./ToolTest.sol";

/// @dev Proofs of who asks, through the registry and directly.
contract AccessProofTest is ToolTest {
    uint256 private constant KEY = 42;
    uint256 private constant OTHER_KEY = 43;
    uint256 private constant ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
    uint64 private constant NOW = 1_767_225_600;
    uint64 private constant DEADLINE = NOW + 300;
    bytes4 private constant MAGIC = 0x1626ba7e;

    AccessProofPredicate private predicate = new AccessProofPredicate(address(registry));
    address private signer = more.addr(KEY);
    uint256 private toolId;

    function setUp() public {
        more.warp(NOW);
        toolId = register(address(predicate));
    }

    function signed(uint256 key, bytes32 digest_) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = more.sign(key, digest_);
        return abi.encodePacked(r, s, v);
    }

    function proof(uint256 key, uint256 tool, address account, uint64 deadline) private view returns (bytes memory) {
        return abi.encode(deadline, signed(key, predicate.proofDigest(tool, account, deadline)));
    }

    /// @dev The proof that is granted.
    function good() private view returns (bytes memory) {
        return proof(KEY, toolId, signer, DEADLINE);
    }

    function assertProof(address account, bytes memory data, bool granted) private view {
        (bool ok, bool was) = registry.tryHasAccess(toolId, account, data);
        vm.assertTrue(ok, "an answer was expected");
        vm.assertEq(was, granted);
    }

    /// @dev The digest of any domain and any type, written out anew.
    function digest(string memory name, string memory version, uint256 chain, address contract_, bytes32 message_)
        private
        pure
        returns (bytes32)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256(bytes(version)),
                chain,
                contract_
            )
        );
        return keccak256(bytes.concat(hex"1901", domain, message_));
    }

    function message() private view returns (bytes32) {
        return keccak256(abi.encode(predicate.PROOF_TYPE_HASH(), toolId, signer, DEADLINE));
    }

    function assertSigned(bytes32 digest_, bool granted) private view {
        assertProof(signer, abi.encode(DEADLINE, signed(KEY, digest_)), granted);
    }

    /// @dev 8257-acct-03, 8257-acct-10
    function test_the_accounts_own_proof_grants_and_nothing_does_without() public view {
        assertProof(signer, good(), true);
        assertProof(signer, "", false);
    }

    /// @dev 8257-acct-10
    function testFuzz_nobody_elses_proof_grants(uint256 key, address account) public view {
        key = bound(key, 1, ORDER - 1);
        vm.assume(more.addr(key) != account && account.code.length == 0);
        assertProof(account, proof(key, toolId, account, DEADLINE), false);
    }

    /// @dev 8257-acct-10
    function testFuzz_every_accounts_own_proof_grants(uint256 key, uint256 later) public view {
        key = bound(key, 1, ORDER - 1);
        uint64 deadline = uint64(bound(later, NOW, type(uint64).max));
        assertProof(more.addr(key), proof(key, toolId, more.addr(key), deadline), true);
    }

    /// @dev 8257-acct-04, 8257-acct-05, 8257-acct-06, 8257-acct-07: digest and signature were made by viem.
    function test_a_proof_made_elsewhere_is_understood() public {
        address account = 0xae3DfFEE97f92db0201d11CB8877C89738353bCE;
        AccessProofPredicate there = AccessProofPredicate(0x5555555555555555555555555555555555555555);
        more.etch(address(there), address(predicate).code);
        more.chainId(8453);
        bytes32 expected = 0xc7a3b92014d1629ebd180163b5ecd64b96bec684b6d2e84e43c05d1364c622ee;
        vm.assertEq(there.proofDigest(7, account, NOW), expected);
        bytes memory data = abi.encode(
            NOW,
            hex"8136befae74c6876b2503574cec78aeb9d884ccec21825c84483fd553614581a53ade4ea9c1434a5e82c6362a11320dddada307e88c6261a4e46f6cba8229b251c"
        );
        vm.prank(address(registry));
        vm.assertEq(there.hasAccess(7, account, data), true);
    }

    /// @dev 8257-acct-06
    function test_the_type_hash_is_the_pinned_one() public view {
        bytes32 typeHash = keccak256("AccessProof(uint256 toolId,address account,uint64 deadline)");
        vm.assertEq(predicate.PROOF_TYPE_HASH(), typeHash);
        vm.assertEq(typeHash, bytes32(0xe8f08e8f7306d04c98c930c7b6c46de720239a6eb1d975d517f79832d0120a03));
    }

    /// @dev 8257-acct-04: what wallets sign as a message has another prefix.
    function test_a_signed_message_is_no_proof() public view {
        bytes32 digest_ = predicate.proofDigest(toolId, signer, DEADLINE);
        assertSigned(digest_, true);
        assertSigned(keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", digest_)), false);
        assertSigned(message(), false);
    }

    /// @dev 8257-acct-05
    function test_each_field_of_the_domain_counts() public view {
        address here = address(predicate);
        assertSigned(digest("ERC8257-AccessProof", "1", block.chainid, here, message()), true);
        assertSigned(digest("ERC8257-Accessproof", "1", block.chainid, here, message()), false);
        assertSigned(digest("ERC8257-AccessProof", "2", block.chainid, here, message()), false);
        assertSigned(digest("ERC8257-AccessProof", "1", block.chainid + 1, here, message()), false);
        assertSigned(digest("ERC8257-AccessProof", "1", block.chainid, address(registry), message()), false);
    }

    /// @dev 8257-acct-05
    function test_the_domain_can_be_read() public view {
        bytes32 message_ = message();
        bytes32 expected = digest("ERC8257-AccessProof", "1", block.chainid, address(predicate), message_);
        vm.assertEq(keccak256(bytes.concat(hex"1901", predicate.domainSeparator(), message_)), expected);
    }

    /// @dev 8257-acct-07
    function test_a_packed_message_is_no_proof() public view {
        bytes32 packed = keccak256(abi.encodePacked(predicate.PROOF_TYPE_HASH(), toolId, signer, DEADLINE));
        assertSigned(digest("ERC8257-AccessProof", "1", block.chainid, address(predicate), packed), false);
    }

    /// @dev 8257-acct-09
    function test_a_proof_counts_through_the_second_of_its_deadline() public {
        bytes memory data = good();
        more.warp(DEADLINE);
        assertProof(signer, data, true);
        more.warp(DEADLINE + 1);
        assertProof(signer, data, false);
    }

    /// @dev 8257-acct-09: the deadline that is shown is the one that was signed.
    function test_a_deadline_cannot_be_put_off() public view {
        bytes memory signature = signed(KEY, predicate.proofDigest(toolId, signer, NOW - 1));
        assertProof(signer, abi.encode(NOW - 1, signature), false);
        assertProof(signer, abi.encode(DEADLINE, signature), false);
    }

    /// @dev 8257-acct-11
    function test_a_proof_for_another_tool_chain_or_predicate_is_none() public {
        bytes memory data = good();
        uint256 other = register(address(predicate));
        vm.assertEq(registry.hasAccess(other, signer, data), false);

        uint256 elsewhere = register(address(new AccessProofPredicate(address(registry))));
        vm.assertEq(registry.hasAccess(elsewhere, signer, proof(KEY, elsewhere, signer, DEADLINE)), false);

        more.chainId(block.chainid + 1);
        assertProof(signer, data, false);
    }

    /// @dev 8257-acct-11: another registry's tool with the same id gets no answer at all.
    function test_a_predicate_serves_one_caller() public {
        ToolRegistry other = new ToolRegistry();
        uint256 same = other.registerTool(URI, HASH, address(predicate));
        vm.assertEq(same, toolId);
        (bool ok, bool granted) = other.tryHasAccess(same, signer, good());
        more.assertFalse(ok || granted);
        bytes memory data = good();
        vm.expectRevert(abi.encodeWithSelector(IServesOneCaller.NotTheCaller.selector, address(this)));
        predicate.hasAccess(toolId, signer, data);
        vm.assertEq(predicate.caller(), address(registry));
    }

    /// @dev The address of the contract that this one creates so many creations from now.
    function future(uint256 later) private view returns (address) {
        return more.computeCreateAddress(address(this), more.getNonce(address(this)) + later);
    }

    function one(IAccessPredicate term) private pure returns (Term[] memory terms) {
        terms = new Term[](1);
        terms[0] = Term(term, false, 60_000);
    }

    /// @dev `data` for a composite of one term.
    function within(bytes memory data) private pure returns (bytes memory) {
        bytes[] memory each = new bytes[](1);
        each[0] = data;
        return abi.encode(each);
    }

    /// @dev In a composite, the composite is the caller, and the proof names the term as the one that verifies it.
    function test_a_proof_may_be_a_term() public {
        address composite = future(1);
        predicate = new AccessProofPredicate(composite);
        vm.assertEq(address(new CompositePredicate(address(registry), RequirementLogic.AND, one(predicate))), composite);
        toolId = register(composite);
        assertProof(signer, within(""), false);
        assertProof(signer, within(good()), true);
    }

    /// @dev 8257-acct-11: whoever runs the tool with the same id in another registry has seen the proof, and shows it here.
    function test_a_proof_is_not_replayed_to_another_registry_through_a_composite() public {
        predicate = new AccessProofPredicate(future(1));
        CompositePredicate composite = new CompositePredicate(address(registry), RequirementLogic.AND, one(predicate));
        toolId = register(address(composite));
        ToolRegistry other = new ToolRegistry();
        uint256 same = 0;
        while (same < toolId) same = other.registerTool(URI, HASH, address(composite));
        bytes memory data = within(good());
        assertProof(signer, data, true);
        (bool ok, bool granted) = other.tryHasAccess(same, signer, data);
        more.assertFalse(ok || granted);
        vm.expectRevert(abi.encodeWithSelector(IServesOneCaller.NotTheCaller.selector, address(this)));
        composite.hasAccess(toolId, signer, data);
    }

    /// @dev 8257-acct-11: a composite that answers anybody would answer the other registry, too.
    function test_a_proof_is_no_term_of_a_composite_that_answers_anybody() public {
        predicate = new AccessProofPredicate(future(1));
        vm.expectRevert(abi.encodeWithSelector(CompositePredicate.TermServesOneCaller.selector, 0));
        new CompositePredicate(address(0), RequirementLogic.AND, one(predicate));

        // Nor at any depth: what is bound to the inner one is reached through an outer one that is not bound.
        predicate = new AccessProofPredicate(future(1));
        IAccessPredicate inner = new CompositePredicate(future(1), RequirementLogic.AND, one(predicate));
        vm.expectRevert(abi.encodeWithSelector(CompositePredicate.TermServesOneCaller.selector, 0));
        new CompositePredicate(address(0), RequirementLogic.AND, one(inner));
    }

    /// @dev Such a term would be broken for ever.
    function test_a_proof_for_another_caller_is_no_term() public {
        Term[] memory terms = new Term[](2);
        terms[0] = one(new AlwaysDenyPredicate())[0];
        terms[1] = one(predicate)[0];
        vm.expectRevert(abi.encodeWithSelector(CompositePredicate.TermServesOneCaller.selector, 1));
        new CompositePredicate(address(registry), RequirementLogic.OR, terms);
        terms[1] = one(new AccessProofPredicate(address(0)))[0];
        vm.expectRevert(abi.encodeWithSelector(CompositePredicate.TermServesOneCaller.selector, 1));
        new CompositePredicate(address(registry), RequirementLogic.OR, terms);
    }

    function test_a_proof_may_be_a_term_of_a_term_of_what_serves_the_registry() public {
        predicate = new AccessProofPredicate(future(1));
        CompositePredicate inner = new CompositePredicate(future(1), RequirementLogic.AND, one(predicate));
        Term[] memory terms = one(inner);
        terms[0].gasLimit = uint64(inner.gasNeeded());
        CompositePredicate outer = new CompositePredicate(address(registry), RequirementLogic.AND, terms);
        vm.assertEq(inner.caller(), address(outer));
        toolId = register(address(outer));
        assertProof(signer, within(within(good())), true);
        assertProof(signer, within(within("")), false);
        more.assertTrue(outer.supportsInterface(type(IAnswersFromData).interfaceId));
    }

    /// @dev By ERC-165, as composites find it out.
    function test_who_serves_one_caller_says_so() public {
        bytes4 serves = type(IServesOneCaller).interfaceId;
        more.assertTrue(serves == 0xfc9c8d39);
        more.assertTrue(predicate.supportsInterface(serves));
        IAccessPredicate deny = new AlwaysDenyPredicate();
        CompositePredicate composite = new CompositePredicate(STRANGER, RequirementLogic.AND, one(deny));
        more.assertTrue(composite.supportsInterface(serves));
        vm.assertEq(composite.caller(), STRANGER);
        composite = new CompositePredicate(address(0), RequirementLogic.AND, one(deny));
        more.assertFalse(composite.supportsInterface(serves));
        vm.assertEq(composite.caller(), address(0));
    }

    /// @dev 8257-acct-14: the second signature that everybody can make of a first one.
    function test_a_signature_with_a_high_s_is_none() public view {
        (uint8 v, bytes32 r, bytes32 s) = more.sign(KEY, predicate.proofDigest(toolId, signer, DEADLINE));
        bytes memory twin = abi.encodePacked(r, bytes32(ORDER - uint256(s)), v == 27 ? uint8(28) : uint8(27));
        assertProof(signer, abi.encode(DEADLINE, twin), false);
    }

    /// @dev 8257-acct-10: recovery that fails gives the zero address, which is nobody's.
    function test_the_zero_address_proves_nothing() public view {
        bytes memory junk = abi.encodePacked(bytes32(0), bytes32(0), uint8(27));
        assertProof(address(0), abi.encode(DEADLINE, junk), false);
        junk = abi.encodePacked(bytes32(uint256(1)), bytes32(uint256(1)), uint8(29));
        assertProof(address(0), abi.encode(DEADLINE, junk), false);
        assertProof(address(0), abi.encode(DEADLINE, bytes("")), false);
    }

    /// @dev 8257-acct-14
    function testFuzz_junk_is_a_no(bytes calldata data) public view {
        assertProof(signer, data, false);
    }

    /// @dev 8257-acct-14
    function testFuzz_a_signature_of_junk_is_a_no(uint64 deadline, bytes calldata signature) public view {
        assertProof(signer, abi.encode(deadline, signature), false);
    }

    /// @dev 8257-acct-14: only the one encoding counts. The signature has 65 bytes, 31 of padding follow.
    function test_a_proof_in_another_encoding_is_a_no() public view {
        bytes memory signature = signed(KEY, predicate.proofDigest(toolId, signer, DEADLINE));
        bytes memory padded = bytes.concat(signature, new bytes(31));
        assertProof(signer, bytes.concat(abi.encode(DEADLINE, 64, 65), padded), true);
        assertProof(signer, bytes.concat(abi.encode(DEADLINE, 96, 65), padded), false);
        assertProof(signer, bytes.concat(abi.encode(DEADLINE, 64, 66), padded), false);
        assertProof(signer, bytes.concat(abi.encode(DEADLINE, 64, 64), padded), false);
        assertProof(signer, bytes.concat(abi.encode(DEADLINE, 64, 97), padded), false);
        assertProof(signer, bytes.concat(abi.encode(DEADLINE, 64, type(uint256).max), padded), false);
        assertProof(signer, bytes.concat(abi.encode(uint256(1) << 64 | DEADLINE, 64, 65), padded), false);
        assertProof(signer, bytes.concat(abi.encode(DEADLINE, 64, 65), signature), false);
        assertProof(signer, bytes.concat(abi.encode(DEADLINE, 64, 65), padded, bytes32(0)), false);
        assertProof(signer, signature, false);
    }

    /// @dev 8257-acct-14: otherwise, whoever sees a proof could make others of it that look unlike it.
    function test_a_proof_with_dirty_padding_does_not_pass_for_another() public view {
        bytes memory data = good();
        for (uint256 i = data.length - 31; i < data.length; ++i) {
            data[i] = 0x01;
            assertProof(signer, data, false);
            data[i] = 0x00;
        }
        assertProof(signer, data, true);
    }

    /// @dev An account that is a contract says by ERC-1271 what its signature is, of any length.
    function test_a_contract_account_approves_its_signatures() public {
        Scripted wallet = new Scripted();
        bytes32 digest_ = predicate.proofDigest(toolId, address(wallet), DEADLINE);
        bytes memory signature = "any bytes at all";
        wallet.onCall(
            abi.encodeCall(IERC1271.isValidSignature, (digest_, signature)), Act.Answer, abi.encode(bytes32(MAGIC))
        );
        assertProof(address(wallet), abi.encode(DEADLINE, signature), true);
        assertProof(address(wallet), abi.encode(DEADLINE, bytes("other bytes")), false);
        assertProof(address(wallet), abi.encode(DEADLINE + 1, signature), false);
        assertProof(signer, abi.encode(DEADLINE, signature), false);
    }

    /// @dev 8257-acct-14: a wallet that fails or says anything but the magic value has not approved.
    function test_a_contract_account_that_misbehaves_approves_nothing() public {
        Scripted wallet = new Scripted();
        bytes memory data = abi.encode(DEADLINE, bytes("signature"));
        assertProof(address(wallet), data, false);
        bytes4 selector = IERC1271.isValidSignature.selector;
        bytes memory magic = abi.encode(bytes32(MAGIC));
        Act[6] memory acts = [Act.Fail, Act.Burn, Act.Invalid, Act.Write, Act.Bomb, Act.FailBomb];
        for (uint256 i = 0; i < acts.length; ++i) {
            wallet.on(selector, acts[i], magic);
            assertProof(address(wallet), data, false);
        }
        bytes[6] memory answers = [
            bytes(""),
            abi.encodePacked(MAGIC),
            bytes.concat(magic, hex"00"),
            abi.encode(1),
            abi.encode(uint256(uint32(MAGIC))),
            abi.encode(bytes32(MAGIC) | bytes32(uint256(1)))
        ];
        for (uint256 i = 0; i < answers.length; ++i) {
            wallet.on(selector, Act.Answer, answers[i]);
            assertProof(address(wallet), data, false);
        }
    }

    /// @dev An account may have both a key and code (EIP-7702); the key is the account's all the same.
    function test_an_account_with_code_and_a_key_signs_with_the_key() public {
        bytes memory data = good();
        more.etch(signer, address(new Scripted()).code);
        assertProof(signer, data, true);
        assertProof(signer, abi.encode(DEADLINE, bytes("signature")), false);
    }

    /// @dev Whoever asks cannot make a wallet's approval fail by sending little gas: that is no answer at all.
    function test_a_lack_of_gas_is_no_answer() public {
        Scripted wallet = new Scripted();
        wallet.on(IERC1271.isValidSignature.selector, Act.Spend, abi.encode(bytes32(MAGIC)));
        bytes memory data = abi.encode(DEADLINE, bytes("signature"));
        uint256 granted = 0;
        for (uint256 gas_ = 10_000; gas_ < 260_000; gas_ += 997) {
            more.cool(address(wallet));
            vm.prank(address(registry));
            try predicate.hasAccess{gas: gas_}(toolId, address(wallet), data) returns (bool answer) {
                more.assertTrue(answer);
                ++granted;
            } catch (bytes memory why) {
                more.assertTrue(why.length == 0 || isError(why, StrictCall.InsufficientGas.selector));
            }
        }
        more.assertGt(granted, 50);
    }
}
