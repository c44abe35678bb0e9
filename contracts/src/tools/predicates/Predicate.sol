// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {IERC165} from "../../interfaces/IERC165.sol";

/// @title What a predicate advertises when its answer depends on `data`
/// @notice `data` is chosen by whoever asks, who can always choose it so that the answer is no. The opposite of such an answer is
/// worth nothing, so a composite refuses to negate a predicate that supports this interface.
/// @dev A marker: nobody calls the function. ERC-165 interface id: 0x0654c406.
interface IAnswersFromData {
    /// @notice Whether the answer depends on `data`; true.
    function answersFromData() external view returns (bool);
}

/// @title What a predicate advertises that answers one caller only
/// @notice Tool ids are unique within one registry. A predicate to which somebody shows what counts for one tool must know which
/// registry's tool that is, and does when it answers that registry alone, or the composite through which that registry asks. A
/// composite refuses such a predicate as a term, unless it is itself that caller and answers one caller only in its turn.
/// @dev ERC-165 interface id: 0xfc9c8d39.
interface IServesOneCaller {
    /// @notice This predicate serves another caller: it is wired up wrongly.
    error NotTheCaller(address caller);

    /// @notice Who may ask. For every other caller `hasAccess` reverts with `NotTheCaller`.
    function caller() external view returns (address);
}

/// @title What all our predicates share
/// @notice A predicate answers yes or no where it knows, and reverts where it does not. A token contract that reverts, answers
/// something else than it must, has no code, or burns its gas is not a no: another contract may negate a no into a grant. The
/// registry reports the revert as `(false, false)` and denies. `data` that is missing or malformed is a plain no: whoever asks has
/// not shown what it takes. So is `data` that names what does not exist, which `ownerOf` says by reverting: `OwnedPredicate`.
/// @dev `address(0)` holds nothing, and is not asked about.
abstract contract Predicate is IAccessPredicate, IERC165 {
    /// @notice A contract was expected at this address, and there is no code.
    error NotAContract(address account);

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) public view virtual returns (bool) {
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IAccessPredicate).interfaceId;
    }

    /// @dev The address, or a revert with `NotAContract`: for constructors, in which a mistyped address can still be helped.
    function withCode(address account) internal view returns (address) {
        if (account.code.length == 0) revert NotAContract(account);
        return account;
    }

    /// @dev What `getRequirements` returns where one thing is required.
    function only(bytes4 kind, bytes memory data, string memory label)
        internal
        pure
        returns (AccessRequirement[] memory requirements, RequirementLogic logic)
    {
        requirements = new AccessRequirement[](1);
        requirements[0] = AccessRequirement(kind, data, label);
        logic = RequirementLogic.AND;
    }
}

/// @title What our predicates share whose answer depends on `data`
abstract contract DataPredicate is Predicate {
    /// @inheritdoc IERC165
    /// @dev `IAnswersFromData` too.
    function supportsInterface(bytes4 interfaceId) public view virtual override returns (bool) {
        return interfaceId == type(IAnswersFromData).interfaceId || super.supportsInterface(interfaceId);
    }
}
