// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.24;

import {PackedBytes} from "../../src/storage/PackedBytes.sol";
import {Test} from "../Test.sol";

/// @dev One packed value in slot 0, beside the same value as Solidity keeps it.
contract Packed {
    using PackedBytes for PackedBytes.Value;

    PackedBytes.Value private packed;
    bytes public model;

    function write(bytes calldata value) external {
        packed.writeCalldata(value);
        model = value;
    }

    /// @dev The first bytes of calldata that go on behind them.
    function writeFirst(bytes calldata longer, uint256 size) external {
        packed.writeCalldata(longer[:size]);
        model = longer[:size];
    }

    /// @dev From memory in which the bytes behind the value are not zero.
    function writeFromDirtyMemory(bytes calldata value) external {
        bytes memory longer =
            bytes.concat(value, hex"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff");
        uint256 size = value.length;
        assembly ("memory-safe") {
            mstore(longer, size)
        }
        packed.write(longer);
        model = value;
    }

    function writeLength(uint256 size) external {
        packed.write(new bytes(size));
    }

    function clear() external {
        packed.clear();
        delete model;
    }

    function read() external view returns (bytes memory) {
        return packed.read();
    }

    /// @dev Reads when memory behind the free pointer is not zero. Tells what came, whether the bytes that fill its last word are
    /// zero, and whether what is allocated next is clear of it.
    function readIntoDirtyMemory() external view returns (bytes memory value, bool padded, bool apart) {
        assembly ("memory-safe") {
            let free := mload(0x40)
            for { let i := 0 } lt(i, 25000) { i := add(i, 32) } { mstore(add(free, i), not(0)) }
        }
        value = packed.read();
        bytes memory next = new bytes(64);
        uint256 size = value.length;
        assembly ("memory-safe") {
            let end := add(add(value, 0x20), size)
            let rounded := and(add(end, 0x1f), not(0x1f))
            padded := iszero(and(mload(sub(rounded, 0x20)), sub(shl(mul(8, sub(rounded, end)), 1), 1)))
            apart := iszero(lt(next, rounded))
        }
    }

    function length() external view returns (uint256) {
        return packed.length();
    }

    function equals(bytes calldata value) external view returns (bool) {
        return packed.equals(value);
    }

    /// @dev Compares with calldata that are said to be so long: a test cannot pay for as many.
    function equalsLength(uint256 size) external view returns (bool) {
        bytes calldata value = msg.data[0:0];
        assembly ("memory-safe") {
            value.length := size
        }
        return packed.equals(value);
    }
}

/// @dev Packed bytes against Solidity's own.
contract PackedBytesTest is Test {
    Packed private packed = new Packed();

    function slots(uint256 size) private pure returns (uint256) {
        return size == 0 ? 0 : size <= 31 ? 1 : size < 255 ? 1 + (size - 31 + 31) / 32 : 1 + (size - 28 + 31) / 32;
    }

    /// @dev How many slots Solidity takes.
    function plainSlots(uint256 size) private pure returns (uint256) {
        return size == 0 ? 0 : size <= 31 ? 1 : 1 + (size + 31) / 32;
    }

    /// @dev Bytes none of which is zero, so that one that is lost or left behind shows.
    function sample(uint256 size, uint256 seed) private pure returns (bytes memory value) {
        value = new bytes(size);
        for (uint256 i = 0; i < size; ++i) {
            value[i] = bytes1(uint8(1 + (seed % 251 + 7 * i) % 255));
        }
    }

    /// @dev What the slots hold, one after the other, put together the way that PackedBytes tells.
    function image(bytes memory value) private pure returns (bytes memory) {
        uint256 size = value.length;
        uint256 first = size < 255 ? 31 : 28;
        bytes memory head = new bytes(first);
        bytes memory tail = new bytes(size > first ? size - first : 0);
        for (uint256 i = 0; i < size; ++i) {
            if (i < first) head[i] = value[i];
            else tail[i - first] = value[i];
        }
        bytes memory sizes = abi.encode(size < 255 ? size : (size << 8) | 255);
        bytes memory lowest = new bytes(32 - first);
        for (uint256 i = 0; i < lowest.length; ++i) {
            lowest[i] = sizes[first + i];
        }
        return bytes.concat(head, lowest, tail);
    }

    /// @dev All that must hold after a value was written, in storage too: there up to where a value that was longer lay.
    function check(bytes memory value, uint256 longestBefore) private view {
        vm.assertEq(packed.read(), value);
        vm.assertEq(packed.model(), value);
        vm.assertEq(packed.length(), value.length);
        vm.assertTrue(packed.equals(value), "equals itself");
        (bytes memory again, bool padded, bool apart) = packed.readIntoDirtyMemory();
        vm.assertEq(again, value);
        vm.assertTrue(padded, "the bytes behind the value are zero");
        vm.assertTrue(apart, "what is allocated next begins behind the value");

        bytes memory wanted = image(value);
        uint256 last = slots(longestBefore) + 1;
        if (wanted.length / 32 >= last) last = wanted.length / 32 + 1;
        for (uint256 i = 0; i <= last; ++i) {
            bytes32 slot = i == 0 ? bytes32(0) : bytes32(uint256(keccak256(abi.encode(0))) + i - 1);
            vm.assertEq(vm.load(address(packed), slot), word(wanted, i));
        }
    }

    /// @dev The `i`th word, with zeros for what is missing.
    function word(bytes memory from, uint256 i) private pure returns (bytes32 found) {
        for (uint256 j = 0; j < 32 && 32 * i + j < from.length; ++j) {
            found |= bytes32(from[32 * i + j]) >> (8 * j);
        }
    }

    function interesting() private pure returns (uint256[] memory sizes) {
        sizes = new uint256[](45);
        for (uint256 i = 0; i <= 33; ++i) {
            sizes[i] = i;
        }
        uint16[11] memory more = [61, 62, 63, 64, 94, 95, 96, 254, 255, 256, 2048];
        for (uint256 i = 0; i < 11; ++i) {
            sizes[34 + i] = more[i];
        }
    }

    function test_lengths_at_which_the_layout_changes_read_back_as_written() external {
        uint256[] memory sizes = interesting();
        for (uint256 i = 0; i < sizes.length; ++i) {
            bytes memory value = sample(sizes[i], i);
            packed.clear();
            packed.write(value);
            check(value, i == 0 ? 0 : sizes[i - 1]);
        }
    }

    function test_a_value_of_24000_bytes_reads_back_as_written() external {
        bytes memory value = sample(24000, 1);
        packed.write(value);
        vm.assertEq(packed.read(), value);
        vm.assertEq(packed.length(), 24000);
        packed.clear();
        vm.assertEq(packed.length(), 0);
        uint256 tail = uint256(keccak256(abi.encode(0)));
        for (uint256 i = 0; i < 751; ++i) {
            vm.assertEq(vm.load(address(packed), bytes32(tail + i)), bytes32(0));
        }
    }

    function test_every_interesting_length_over_every_other_leaves_nothing_behind() external {
        uint16[10] memory sizes = [0, 1, 31, 32, 63, 64, 254, 255, 284, 300];
        for (uint256 i = 0; i < sizes.length; ++i) {
            for (uint256 j = 0; j < sizes.length; ++j) {
                packed.write(sample(sizes[i], 1));
                bytes memory value = sample(sizes[j], 2);
                packed.write(value);
                check(value, sizes[i]);
                packed.write(sample(sizes[i], 1));
                packed.writeFromDirtyMemory(value);
                check(value, sizes[i]);
            }
        }
    }

    function test_never_more_slots_than_solidity_takes() external pure {
        uint256 fewer;
        for (uint256 size = 0; size <= 4096; ++size) {
            vm.assertTrue(slots(size) <= plainSlots(size), "never more");
            if (slots(size) < plainSlots(size)) ++fewer;
        }
        vm.assertTrue(slots(36) == 2 && plainSlots(36) == 3, "the usual URI");
        vm.assertTrue(fewer > 3500, "fewer for most lengths");
    }

    function test_a_length_without_place_in_three_bytes_is_refused() external {
        vm.expectRevert(abi.encodeWithSelector(PackedBytes.ValueTooLong.selector, 1 << 24));
        packed.writeLength(1 << 24);
    }

    function test_what_differs_is_not_equal() external {
        uint16[9] memory sizes = [1, 31, 32, 36, 63, 64, 254, 255, 300];
        for (uint256 i = 0; i < sizes.length; ++i) {
            bytes memory value = sample(sizes[i], i);
            packed.write(value);
            vm.assertEq(packed.equals(bytes.concat(value, hex"00")), false);
            for (uint256 j = 0; j < value.length; ++j) {
                value[j] ^= 0x80;
                vm.assertEq(packed.equals(value), false);
                value[j] ^= 0x80;
            }
            vm.assertEq(packed.equals(value), true);
        }
        vm.assertEq(packed.equals(""), false);
        vm.assertEq(packed.equalsLength(1 << 24), false);
    }

    function testFuzz_a_value_over_another_reads_back_and_leaves_nothing_behind(
        bytes calldata older,
        bytes calldata newer
    ) external {
        packed.write(older);
        check(older, 0);
        packed.write(newer);
        check(newer, older.length);
        vm.assertEq(packed.equals(older), keccak256(older) == keccak256(newer));
        packed.clear();
        check("", newer.length);
    }

    function testFuzz_bytes_in_calldata_behind_the_value_are_not_stored(bytes calldata value, uint256 size) external {
        size = bound(size, 0, value.length);
        packed.writeFirst(value, size);
        check(value[:size], 0);
    }

    function testFuzz_bytes_in_memory_behind_the_value_are_not_stored(bytes calldata value) external {
        packed.writeFromDirtyMemory(value);
        check(value, 0);
    }

    function testFuzz_any_length_up_to_two_thousand(uint256 older, uint256 newer, uint256 seed) external {
        older = bound(older, 0, 700);
        newer = bound(newer, 0, 2048);
        packed.write(sample(older, seed));
        bytes memory value = sample(newer, ~seed);
        packed.write(value);
        check(value, older);
    }
}
