// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @title Asking a contract that nobody vouches for
/// @notice A predicate is a stranger's contract. Its answer counts only as exactly one word, and a bool only as 0 or 1
/// (ERC-8257 §1, `tryHasAccess`). What else it returns is never copied, so that megabytes of it cost the stranger's gas and not
/// the asker's.
/// @dev Solidity's own calls copy everything that is returned or reverted with, revert the caller when it does not decode, and take
/// answers that are too long; that is why the call is spelt out here. All assembly of the tool contracts is in `tryWord`.
library StrictCall {
    /// @notice Less gas is left than a call with a fixed amount of gas needs. Sent again with more gas, the same call works.
    /// @param required How much must be left at this point.
    error InsufficientGas(uint256 required);

    /// @dev What is spent between the check of the gas and the call: today 2,600 to touch an account for the first time in a
    /// transaction, and some dozens around it. The rest is for the day when touching an account costs more.
    uint256 private constant CALL_OVERHEAD = 10_000;

    /// @notice Calls `target` without letting it change anything, and takes one word as the answer.
    /// @param target   The contract to ask; one without code gives no answer.
    /// @param gasLimit The most gas that it gets; the EVM keeps back a 64th of what is left in any case (EIP-150).
    /// @param payload  Selector and arguments.
    /// @return ok   Whether the call succeeded and returned exactly 32 bytes.
    /// @return word These bytes; 0 unless `ok`.
    function tryWord(address target, uint256 gasLimit, bytes memory payload)
        internal
        view
        returns (bool ok, uint256 word)
    {
        assembly ("memory-safe") {
            // The answer goes to the scratch space, of which it can fill no more than the first word.
            ok := staticcall(gasLimit, target, add(payload, 0x20), mload(payload), 0x00, 0x20)
            ok := and(ok, eq(returndatasize(), 0x20))
            if ok { word := mload(0x00) }
        }
    }

    /// @notice Like `tryWord`, for an answer that must be a bool.
    /// @return ok     Whether the call succeeded and returned exactly the word 0 or the word 1.
    /// @return answer Whether it was 1; false unless `ok`.
    function tryBool(address target, uint256 gasLimit, bytes memory payload)
        internal
        view
        returns (bool ok, bool answer)
    {
        uint256 word;
        (ok, word) = tryWord(target, gasLimit, payload);
        ok = ok && word < 2;
        answer = ok && word == 1;
    }

    /// @notice Reverts with `InsufficientGas` unless a call that follows at once can be given all of `gasLimit`.
    /// @dev Without it, whoever sends the transaction could send so little gas that the called contract runs out of it, and so
    /// choose between an answer and a failure.
    function requireGas(uint256 gasLimit) internal view {
        uint256 required = gasFor(gasLimit);
        if (gasleft() < required) revert InsufficientGas(required);
    }

    /// @notice Whether a call that was given all the gas there was, and failed, left so little that it may have failed for lack of it:
    /// less than an eighth. One that runs out of gas leaves the 64th that the EVM kept back (EIP-150), and one more for each call in
    /// a row that ran out further down, of which this sees seven. A revert that was meant gives back what it did not use.
    /// @param before The gas that was left before the call.
    function usedUp(uint256 before) internal view returns (bool) {
        return gasleft() < before / 8;
    }

    /// @notice How much gas must be left for a call to be given all of `gasLimit`.
    function gasFor(uint256 gasLimit) internal pure returns (uint256) {
        return gasLimit + gasLimit / 63 + CALL_OVERHEAD;
    }
}
