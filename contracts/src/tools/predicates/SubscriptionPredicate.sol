// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../interfaces/IAccessPredicate.sol";
import {ISubscription} from "../../interfaces/RequirementTypes.sol";
import {ISubscriptions} from "./External.sol";
import {OwnedPredicate} from "./OwnedPredicate.sol";

/// @title SubscriptionPredicate
/// @notice Grants access to accounts that show a subscription of theirs (ERC-5643) that has not expired and is of the required tier
/// or above. What it asks is fixed at deployment; it stores nothing, and any tool may use it.
/// @dev `data = abi.encode(uint256 tokenId)`: ERC-5643 has no way from an account to its subscription. `data` of any other length, a
/// token that does not exist, and somebody else's token are a no.
contract SubscriptionPredicate is OwnedPredicate {
    /// @notice The collection of subscriptions.
    address public immutable collection;

    /// @notice The lowest tier that suffices; 0 means that tiers are not asked for.
    uint8 public immutable minTier;

    /// @param collection_ The collection of subscriptions. Reverts with `NotAContract` when it has no code.
    /// @param minTier_    The lowest tier that suffices, by the collection's `tierOf(uint256)`. ERC-5643 has no tiers; with 0,
    ///                    the collection needs none.
    constructor(address collection_, uint8 minTier_) {
        collection = withCode(collection_);
        minTier = minTier_;
    }

    /// @inheritdoc IAccessPredicate
    /// @dev A subscription has expired at the second that `expiresAt` names. Reverts when the collection does not answer as it must,
    /// with `OwnerUnknown` when asking for the owner used up the gas.
    function hasAccess(uint256, address account, bytes calldata data) external view returns (bool) {
        if (account == address(0) || data.length != 32) return false;
        uint256 tokenId = abi.decode(data, (uint256));
        if (!owns(collection, account, tokenId)) return false;

        ISubscriptions subscriptions = ISubscriptions(collection);
        // Whoever makes the block may be off by seconds, which a subscription can bear.
        // forge-lint: disable-next-line(block-timestamp)
        if (subscriptions.expiresAt(tokenId) <= block.timestamp) return false;
        return minTier == 0 || subscriptions.tierOf(tokenId) >= minTier;
    }

    /// @inheritdoc IAccessPredicate
    function name() external pure returns (string memory) {
        return "SubscriptionPredicate";
    }

    /// @inheritdoc IAccessPredicate
    function getRequirements(uint256) external view returns (AccessRequirement[] memory, RequirementLogic) {
        return only(type(ISubscription).interfaceId, abi.encode(collection, minTier), "Hold an active subscription");
    }
}
