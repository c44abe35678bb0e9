// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {ICompositeTerm} from "../../interfaces/RequirementTypes.sol";
import {PredicateValidation} from "../PredicateValidation.sol";
import {StrictCall} from "../StrictCall.sol";
import {IAnswersFromData, IServesOneCaller, Predicate} from "./Predicate.sol";

/// @notice One predicate in a composite.
/// @param predicate The predicate.
/// @param negated   Whether it is its no that counts as a yes.
/// @param gasLimit  The gas that it gets, no more and no less: what it needs at worst, when nothing it touches was touched before
///                  in the transaction. For a term that is a composite itself: its `gasNeeded()`.
struct Term {
    IAccessPredicate predicate;
    bool negated;
    uint64 gasLimit;
}

/// @title CompositePredicate
/// @notice Grants access where all of its terms do (AND), or any of them (OR); a term may be negated. Terms may be composites. The
/// terms are fixed at deployment; it stores nothing, and as many tools may use it as its terms can serve. It answers whoever asks, or
/// one caller alone.
/// @dev `data = abi.encode(bytes[])`, an element for each term, in their order; or empty, and then each term gets empty `data`. Anything
/// else reverts, for a no could be negated further up. A negated term gets empty `data` whatever its element is.
///
/// A term that reverts, runs out of its gas, has no code, or answers something that is not a bool is broken, and its answer unknown. It
/// can only deny: the composite answers yes or no where the other terms settle that whatever the broken one would have said, and
/// reverts otherwise, which the registry reports as `(false, false)` and which breaks a composite further up in turn.
///
/// Whoever asks cannot break a term by sending little gas: each term gets all of its gas, or the composite reverts. So at any amount of
/// gas the answer is the one answer, or a revert. A term of somebody else's may take a lack of gas for a no: its `gasLimit` must suffice
/// for it when nothing was touched before.
///
/// A term whose answer depends on `data` cannot be negated, for whoever asks can always make it say no. The terms that can be told
/// by ERC-165 (`IAnswersFromData`) are refused; never negate a predicate of somebody else's that reads `data`. One that only passes
/// `data` on could be made to say no by so much of it that what is behind it lacks gas: that is why a negated term gets none.
///
/// A term that answers one caller only (`IServesOneCaller`), as access proofs do, must have this composite for its caller, and the
/// composite must answer one caller only, too: the registry, or a composite of which the same holds. Otherwise any registry could
/// have its questions answered through the composite, and a proof for a tool of the one would count for the tool with the same id of
/// the other. A predicate of somebody else's that knows its caller and does not say so by ERC-165 is not found out.
contract CompositePredicate is Predicate, IServesOneCaller {
    /// @notice A composite has 1 to 8 terms.
    error InvalidTermCount(uint256 count);

    /// @notice The term's answer depends on `data`, and must not be negated.
    error NegatedTermReadsData(uint256 index);

    /// @notice The term answers one caller only, and either that is not this composite, or this composite answers anybody.
    error TermServesOneCaller(uint256 index);

    /// @notice There are elements for more or fewer terms in `data` than the composite has.
    error InvalidData(uint256 elements);

    /// @notice The term is broken, and the others do not settle the answer.
    error TermIsBroken(uint256 index);

    /// @notice The term requires more than can be passed on.
    error TooManyRequirements();

    /// @notice How many terms there may be.
    uint256 public constant MAX_TERMS = 8;

    /// @dev What consumers take from `getRequirements` at most (ERC-8257, Predicate Introspection Hardening): entries, bytes of data and
    /// bytes of label in each; and what is taken from one term in all, in bytes.
    uint256 private constant MAX_REQUIREMENTS = 256;
    uint256 private constant MAX_DATA_LENGTH = 4_096;
    uint256 private constant MAX_LABEL_LENGTH = 256;
    uint256 private constant MAX_TERM_LENGTH = 32_768;

    /// @dev What reading one term's requirements may cost.
    uint256 private constant INTROSPECTION_GAS = 3_000_000;

    /// @dev What `hasAccess` itself costs, over what its terms do: once, and for each of them.
    uint256 private constant OWN_GAS = 10_000;
    uint256 private constant OWN_GAS_PER_TERM = 5_000;

    /// @inheritdoc IServesOneCaller
    /// @dev Zero where anybody may ask; the interface is supported only where it is not.
    address public immutable caller;

    /// @notice Whether all terms must grant, or any one suffices.
    RequirementLogic public immutable logic;

    /// @notice How many terms there are.
    uint256 public immutable termCount;

    /// @dev Whether `IAnswersFromData` is supported, because one of the terms does.
    bool private immutable answersFromData;

    /// @dev The terms, each in one word. There are no immutable arrays, and storage would be neither as cheap nor part of the code.
    uint256 private immutable term0;
    uint256 private immutable term1;
    uint256 private immutable term2;
    uint256 private immutable term3;
    uint256 private immutable term4;
    uint256 private immutable term5;
    uint256 private immutable term6;
    uint256 private immutable term7;

    /// @param caller_ Who may ask: the registry, or the composite in which this is going to be a term, which needs no code yet; zero
    ///                where anybody may, as is right unless a term answers one caller only.
    /// @param logic_  Whether all terms must grant, or any one suffices.
    /// @param terms   The terms, 1 to 8. The cheapest and the most decisive come best first: the first that settles the answer ends
    ///                the asking. Reverts with `InvalidTermCount`; with `NotAContract` for a term without code; with
    ///                `InvalidAccessPredicate` where the registry would; with `NegatedTermReadsData`; with `TermServesOneCaller`.
    constructor(address caller_, RequirementLogic logic_, Term[] memory terms) {
        uint256 count = terms.length;
        if (count == 0 || count > MAX_TERMS) revert InvalidTermCount(count);

        uint256[MAX_TERMS] memory words;
        bool fromData = false;
        for (uint256 i = 0; i < count; ++i) {
            address predicate = withCode(address(terms[i].predicate));
            PredicateValidation.validate(predicate);
            if (PredicateValidation.claims(predicate, type(IAnswersFromData).interfaceId)) {
                if (terms[i].negated) revert NegatedTermReadsData(i);
                fromData = true;
            }
            if (PredicateValidation.claims(predicate, type(IServesOneCaller).interfaceId)) {
                bool served = IServesOneCaller(predicate).caller() == address(this);
                if (!served || caller_ == address(0)) revert TermServesOneCaller(i);
            }
            words[i] = pack(terms[i]);
        }

        caller = caller_;
        logic = logic_;
        termCount = count;
        answersFromData = fromData;
        (term0, term1, term2, term3) = (words[0], words[1], words[2], words[3]);
        (term4, term5, term6, term7) = (words[4], words[5], words[6], words[7]);
    }

    /// @inheritdoc IAccessPredicate
    /// @dev Reverts with `NotTheCaller`, `TermIsBroken`, `InsufficientGas`, or `InvalidData`. Where `data` cannot be decoded as `bytes[]`
    /// at all, it reverts as Solidity does: without an error's name, or with `Panic(0x41)` for a length that no memory has.
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        if (caller != address(0) && msg.sender != caller) revert NotTheCaller(msg.sender);
        bytes[] memory each = split(data);
        // The one answer of a term that settles the composite's: a no of one among all, a yes of any one.
        bool settling = logic == RequirementLogic.OR;
        uint256 broken = termCount;

        for (uint256 i = 0; i < termCount; ++i) {
            Term memory asked = term(i);
            bytes memory given = asked.negated ? bytes("") : each[i];
            bytes memory question = abi.encodeCall(IAccessPredicate.hasAccess, (toolId, account, given));
            StrictCall.requireGas(asked.gasLimit);
            (bool ok, bool answer) = StrictCall.tryBool(address(asked.predicate), asked.gasLimit, question);
            if (!ok) broken = i;
            else if ((answer != asked.negated) == settling) return settling;
        }

        if (broken != termCount) revert TermIsBroken(broken);
        return !settling;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "CompositePredicate";
    }

    /// @inheritdoc IAccessPredicate
    /// @dev What a term requires stands in the list itself, if the term is not negated and either requires one thing or combines
    /// what it requires by the same logic. Any other term is an entry of the kind `ICompositeTerm`. A term whose requirements cannot be
    /// read, break a limit, or would make the list longer than 256 entries is an entry of the kind 0x00000000, labelled "unknown".
    /// Reverts with `InsufficientGas` where a term might be read with more gas; so at any amount of gas the list is the one
    /// list, or there is none, unless a term of somebody else's takes a lack of gas for something else. Anybody may ask.
    function getRequirements(uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic)
    {
        AccessRequirement[][] memory parts = new AccessRequirement[][](termCount);
        uint256 total = 0;
        for (uint256 i = 0; i < termCount; ++i) {
            uint256 termsAfter = termCount - i - 1;
            parts[i] = requirementsOf(term(i), toolId, MAX_REQUIREMENTS - total - termsAfter);
            total += parts[i].length;
        }

        requirements = new AccessRequirement[](total);
        uint256 next = 0;
        for (uint256 i = 0; i < parts.length; ++i) {
            for (uint256 j = 0; j < parts[i].length; ++j) {
                requirements[next++] = parts[i][j];
            }
        }
        return (requirements, logic);
    }

    /// @notice What a predicate requires, or a revert: where it cannot be read, or is more than consumers take.
    /// @dev For the composite itself, which calls it with a limit of gas: Solidity decodes an answer where it arrives, and a malformed
    /// or an endless one must not end `getRequirements`.
    /// @param predicate The predicate.
    /// @param toolId    The tool.
    function readRequirements(IAccessPredicate predicate, uint256 toolId)
        external
        view
        returns (AccessRequirement[] memory requirements, RequirementLogic logic_)
    {
        (requirements, logic_) = predicate.getRequirements(toolId);
        if (requirements.length > MAX_REQUIREMENTS) revert TooManyRequirements();
        uint256 total = 0;
        for (uint256 i = 0; i < requirements.length; ++i) {
            uint256 dataLength = requirements[i].data.length;
            uint256 labelLength = bytes(requirements[i].label).length;
            total += dataLength + labelLength;
            if (dataLength > MAX_DATA_LENGTH || labelLength > MAX_LABEL_LENGTH || total > MAX_TERM_LENGTH) {
                revert TooManyRequirements();
            }
        }
    }

    /// @notice The gas with which `hasAccess` never lacks any, with up to 2,048 bytes of `data`.
    function gasNeeded() external view returns (uint256 needed) {
        needed = OWN_GAS;
        for (uint256 i = 0; i < termCount; ++i) {
            needed += StrictCall.gasFor(term(i).gasLimit) + OWN_GAS_PER_TERM;
        }
    }

    /// @notice The composite's term at `index`; all zero where there is none.
    /// @param index Its place, from 0.
    function term(uint256 index) public view returns (Term memory) {
        uint256[MAX_TERMS] memory words = [term0, term1, term2, term3, term4, term5, term6, term7];
        return unpack(words[index]);
    }

    /// @inheritdoc Predicate
    /// @dev `IAnswersFromData` too, where a term does, and `IServesOneCaller`, where it has a caller.
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        if (interfaceId == type(IAnswersFromData).interfaceId) return answersFromData;
        if (interfaceId == type(IServesOneCaller).interfaceId) return caller != address(0);
        return super.supportsInterface(interfaceId);
    }

    /// @dev The `data` for each term.
    function split(bytes calldata data) private view returns (bytes[] memory each) {
        if (data.length == 0) return new bytes[](termCount);
        each = abi.decode(data, (bytes[]));
        if (each.length != termCount) revert InvalidData(each.length);
    }

    /// @dev A term's part of `getRequirements`, of at most `room` entries, of which there is one at least. A reading that
    /// succeeds is right at any gas; one that fails counts where it got all of its gas. Requiring that ahead of the reading, as
    /// `hasAccess` does, would make every composite that is a term unknown, because it gets no more for all of its terms than it
    /// would require for one. So only one of which a term cannot be read is unknown, as a whole.
    function requirementsOf(Term memory asked, uint256 toolId, uint256 room)
        private
        view
        returns (AccessRequirement[] memory requirements)
    {
        if (asked.negated) return opaque(asked);
        uint256 before = gasleft();
        try this.readRequirements{gas: INTROSPECTION_GAS}(asked.predicate, toolId) returns (
            AccessRequirement[] memory found, RequirementLogic combined
        ) {
            if (found.length == 0 || (found.length > 1 && combined != logic)) return opaque(asked);
            if (found.length <= room) return found;
        } catch {
            uint256 required = StrictCall.gasFor(INTROSPECTION_GAS);
            if (before < required) revert StrictCall.InsufficientGas(required);
        }
        (requirements,) = only(bytes4(0), "", "unknown");
    }

    /// @dev A term as an entry of its own.
    function opaque(Term memory asked) private pure returns (AccessRequirement[] memory requirements) {
        string memory label = asked.negated ? "Be denied by this predicate" : "Be granted access by this predicate";
        (requirements,) = only(type(ICompositeTerm).interfaceId, abi.encode(asked.predicate, asked.negated), label);
    }

    /// @dev From the lowest bit: 160 of the predicate's address, 1 negated, 64 of gas.
    function pack(Term memory term_) private pure returns (uint256) {
        return
            uint256(uint160(address(term_.predicate))) | (term_.negated ? 1 << 160 : 0)
                | (uint256(term_.gasLimit) << 161);
    }

    /// @dev The reverse of `pack`.
    function unpack(uint256 word) private pure returns (Term memory) {
        // What is cut off of the word is the other members.
        // forge-lint: disable-next-line(unsafe-typecast)
        (address predicate, uint64 gasLimit) = (address(uint160(word)), uint64(word >> 161));
        return Term(IAccessPredicate(predicate), word & (1 << 160) != 0, gasLimit);
    }
}
