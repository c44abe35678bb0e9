// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @title Bytes in as few storage slots as they can lie in
/// @notice A new storage slot costs 22,100 gas, more than everything else that a short text costs. Solidity's own `bytes` leave their
/// first slot to the length alone as soon as there are more than 31 of them; here data fills that slot too:
///
///     length       head, from its highest byte to its lowest        then, at keccak256(slot of the head) onwards
///     0 to 254     31 bytes of data, 1 byte: the length             the other data, 32 bytes a slot
///     255 and more 28 bytes of data, 3 bytes: the length, 1: 255    the other data, 32 bytes a slot
///
/// So a value never takes more slots than Solidity's `bytes`, and one slot fewer for most lengths above 31: a URI of 36 bytes takes
/// two instead of three. Bytes after the last one are zero, in the head and in the last slot, and no slot behind it keeps anything:
/// equal values have equal storage, and what a shorter value leaves behind is zeroed, which refunds gas.
/// @dev All assembly of these contracts is here, but for the one call in `StrictCall`: Solidity names no storage slot and no word of memory by a number.
library PackedBytes {
    /// @notice A byte string in storage. Everything zero is the empty one.
    /// @param head The first bytes and the length, as told above. Not to be touched but by this library.
    struct Value {
        uint256 head;
    }

    /// @notice The value has 2^24 bytes or more, and its length no place in the head.
    /// @param length How many bytes it has.
    error ValueTooLong(uint256 length);

    /// @dev In the lowest byte of the head: the length is in the three bytes above. Otherwise that byte is the length.
    uint256 private constant LONG = 255;

    /// @dev The longest length that three bytes hold.
    uint256 private constant MAX_LENGTH = (1 << 24) - 1;

    /// @notice Replaces the value, and zeroes the slots that the old value took and the new one does not.
    /// @param self Where it is stored.
    /// @param value The new value. Reverts with `ValueTooLong` at 2^24 bytes.
    function writeCalldata(Value storage self, bytes calldata value) internal {
        uint256 head = self.head;
        if (value.length < 32 && head & 0xff < 32) {
            // No value is in more than its head: nothing has to be copied, or zeroed.
            // forge-lint: disable-next-line(unsafe-typecast)
            self.head = uint256(bytes32(value)) | value.length;
        } else {
            replace(self, head, value);
        }
    }

    /// @notice Replaces the value by one in memory; all else is as with one in calldata.
    /// @param self Where it is stored.
    /// @param value The new value. Reverts with `ValueTooLong` at 2^24 bytes.
    function write(Value storage self, bytes memory value) internal {
        replace(self, self.head, value);
    }

    /// @notice Makes the value empty, and frees all its slots.
    /// @param self Where it is stored.
    function clear(Value storage self) internal {
        bytes memory nothing;
        replace(self, self.head, nothing);
    }

    /// @notice The value.
    /// @param self Where it is stored.
    /// @return value A copy in memory that is allocated for it.
    function read(Value storage self) internal view returns (bytes memory value) {
        uint256 head = self.head;
        uint256 size = lengthIn(head);
        uint256 count = tailSlots(size);
        uint256 tail = count == 0 ? 0 : tailOf(self);
        uint256 first = inHead(size);
        assembly ("memory-safe") {
            value := mload(0x40)
            mstore(value, size)
            let data := add(value, 0x20)
            // The head's lowest bytes, which are no data, are written over by the tail, or by the zeros that end the value.
            mstore(data, head)
            let next := add(data, first)
            for { let i := 0 } lt(i, count) { i := add(i, 1) } {
                mstore(add(next, shl(5, i)), sload(add(tail, i)))
            }
            let end := add(data, size)
            mstore(end, 0)
            mstore(0x40, and(add(end, 0x1f), not(0x1f)))
        }
    }

    /// @notice How many bytes the value has. Reads one slot.
    /// @param self Where it is stored.
    /// @return The length in bytes.
    function length(Value storage self) internal view returns (uint256) {
        return lengthIn(self.head);
    }

    /// @notice Whether the stored value is this one. Reads no further than the first slot that differs.
    /// @param self Where it is stored.
    /// @param value What it is compared with.
    /// @return True when both have the same bytes.
    function equals(Value storage self, bytes calldata value) internal view returns (bool) {
        uint256 size = value.length;
        // The first word is what is wanted of it.
        // forge-lint: disable-next-line(unsafe-typecast)
        if (size > MAX_LENGTH || self.head != headOf(uint256(bytes32(value)), size)) return false;

        uint256 count = tailSlots(size);
        if (count == 0) return true;
        uint256 tail = tailOf(self);
        uint256 offset = inHead(size);
        unchecked {
            for (uint256 i = 0; i < count; ++i) {
                // A slice that ends within 32 bytes becomes a word that ends in zeros, as the last slot does.
                if (load(tail + i) != uint256(bytes32(value[offset + 32 * i:]))) return false;
            }
        }
        return true;
    }

    /// @dev Writes a value over the one whose head is `replaced`.
    function replace(Value storage self, uint256 replaced, bytes memory value) private {
        uint256 size = value.length;
        if (size > MAX_LENGTH) revert ValueTooLong(size);
        self.head = headOf(wordAt(value, 0), size);

        uint256 needed = tailSlots(size);
        uint256 taken = tailSlots(lengthIn(replaced));
        if (needed == 0 && taken == 0) return;
        uint256 tail = tailOf(self);
        uint256 offset = inHead(size);
        // Nothing here can overflow but the number of a slot, for which wrapping around is right.
        unchecked {
            for (uint256 i = 0; i < needed; ++i) {
                store(tail + i, wordAt(value, offset + 32 * i));
            }
            for (uint256 i = needed; i < taken; ++i) {
                store(tail + i, 0);
            }
        }
    }

    /// @dev The head of a value of `size` bytes that begins with `word`.
    function headOf(uint256 word, uint256 size) private pure returns (uint256) {
        if (size < LONG) return (word & ~uint256(0xff)) | size;
        return (word & ~uint256(0xffffffff)) | (size << 8) | LONG;
    }

    /// @dev The length that a head tells.
    function lengthIn(uint256 head) private pure returns (uint256) {
        uint256 lowest = head & 0xff;
        return lowest < LONG ? lowest : (head >> 8) & 0xffffff;
    }

    /// @dev How many bytes of data the head of a value of `size` bytes has room for.
    function inHead(uint256 size) private pure returns (uint256) {
        return size < LONG ? 31 : 28;
    }

    /// @dev How many slots a value of `size` bytes takes besides its head.
    function tailSlots(uint256 size) private pure returns (uint256) {
        uint256 first = inHead(size);
        return size <= first ? 0 : (size - first + 31) / 32;
    }

    /// @dev The slot in which the data after the head begins, far from every other variable, as Solidity's own arrays have it.
    function tailOf(Value storage self) private pure returns (uint256 slot) {
        assembly ("memory-safe") {
            mstore(0x00, self.slot)
            slot := keccak256(0x00, 0x20)
        }
    }

    /// @dev The word of `value` that begins at the byte `offset`, which is at most its length. What is behind the end reads as zero,
    /// whatever memory holds there.
    function wordAt(bytes memory value, uint256 offset) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(value, 0x20), offset))
        }
        uint256 left = value.length - offset;
        if (left < 32) word &= type(uint256).max << (256 - 8 * left);
    }

    function load(uint256 slot) private view returns (uint256 word) {
        assembly ("memory-safe") {
            word := sload(slot)
        }
    }

    function store(uint256 slot, uint256 word) private {
        assembly ("memory-safe") {
            sstore(slot, word)
        }
    }
}
