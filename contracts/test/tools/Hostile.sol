// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

import {AccessRequirement, IAccessPredicate, RequirementLogic} from "../../src/interfaces/IAccessPredicate.sol";
import {IERC165} from "../../src/interfaces/IERC165.sol";
import {IToolRegistry} from "../../src/interfaces/IToolRegistry.sol";

/// @dev What a `Scripted` does when it is called.
enum Act {
    Answer, // returns the bytes given
    Fail, // reverts with the bytes given
    Burn, // uses up all gas
    Invalid, // runs into an invalid opcode
    Write, // changes its state, then returns the bytes given
    Bomb, // returns a megabyte
    FailBomb, // reverts with a megabyte
    Spend // uses 29,000 gas in all, then returns the bytes given
}

/// @dev A contract that does what the test says: a predicate, a token, a wallet, or what answers an ERC-165 probe. What no line of
/// its script is for returns nothing.
contract Scripted {
    struct Line {
        bool written;
        Act act;
        bytes answer;
    }

    uint256 public state;
    mapping(bytes32 call => Line) private script;

    /// @dev For every call of the function.
    function on(bytes4 selector, Act act, bytes memory answer) public returns (Scripted) {
        script[keccak256(abi.encodePacked(selector))] = Line(true, act, answer);
        return this;
    }

    /// @dev For exactly this call, before what is said for the function.
    function onCall(bytes memory call, Act act, bytes memory answer) public returns (Scripted) {
        script[keccak256(call)] = Line(true, act, answer);
        return this;
    }

    fallback() external {
        uint256 start = gasleft();
        Line storage line = script[keccak256(msg.data)];
        if (!line.written) line = script[keccak256(abi.encodePacked(msg.sig))];
        Act act = line.act;
        bytes memory answer = line.answer;

        if (act == Act.Burn) while (true) {}
        if (act == Act.Write) ++state;
        assembly {
            if eq(act, 3) { invalid() } // Invalid
            if eq(act, 5) { return(0, 1000000) } // Bomb
            if eq(act, 6) { revert(0, 1000000) } // FailBomb
            if eq(act, 1) { revert(add(answer, 0x20), mload(answer)) } // Fail
        }
        if (act == Act.Spend) while (start - gasleft() < 28_700) {}
        assembly {
            return(add(answer, 0x20), mload(answer))
        }
    }
}

/// @dev Makes the contracts that the tests need most.
library Scripts {
    /// @dev A predicate without ERC-165 that answers this.
    function predicate(Act act, bytes memory answer) internal returns (Scripted) {
        return new Scripted().on(IAccessPredicate.hasAccess.selector, act, answer);
    }

    /// @dev The call of an ERC-165 probe.
    function probe(bytes4 interfaceId) internal pure returns (bytes memory) {
        return abi.encodeCall(IERC165.supportsInterface, (interfaceId));
    }
}

/// @dev A predicate whose answer the test sets. Implements ERC-165, and requires what the test says.
contract Switch is IAccessPredicate, IERC165 {
    bool public on;
    AccessRequirement[] private required;
    RequirementLogic private logic;

    constructor(bool on_) {
        on = on_;
    }

    function turn(bool on_) external {
        on = on_;
    }

    /// @dev `count` requirements of this kind, with so many bytes of data and of label each.
    function require_(bytes4 kind, uint256 count, uint256 data, uint256 label, RequirementLogic logic_)
        external
        returns (Switch)
    {
        for (uint256 i = 0; i < count; ++i) {
            required.push(AccessRequirement(kind, new bytes(data), string(new bytes(label))));
        }
        logic = logic_;
        return this;
    }

    function hasAccess(uint256, address, bytes calldata) external view returns (bool) {
        return on;
    }

    function name() external pure returns (string memory) {
        return "Switch";
    }

    function getRequirements(uint256) external view returns (AccessRequirement[] memory, RequirementLogic) {
        return (required, logic);
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IAccessPredicate).interfaceId;
    }
}

/// @dev Asks another predicate with a limit of gas, and takes every failure for a no, as published composites do.
contract Swallower {
    address private immutable other;

    constructor(address other_) {
        other = other_;
    }

    function hasAccess(uint256, address, bytes calldata) external view returns (bool) {
        (bool done, bytes memory answer) = other.staticcall{gas: 50_000}(msg.data);
        return done && abi.decode(answer, (bool));
    }
}

/// @dev Passes every question on, and its answer or its failure back, as proxies do.
contract Forwarder {
    address private immutable other;

    constructor(address other_) {
        other = other_;
    }

    fallback() external {
        (bool done, bytes memory answer) = other.staticcall(msg.data);
        assembly {
            if done { return(add(answer, 0x20), mload(answer)) }
            revert(add(answer, 0x20), mload(answer))
        }
    }
}

/// @dev Answers 1 to everything.
contract YesToAll {
    fallback() external {
        assembly {
            mstore(0, 1)
            return(0, 32)
        }
    }
}

/// @dev A predicate that asks the registry again, and tries to change the tool while it is asked.
contract Reentrant {
    uint256 public calls;

    function hasAccess(uint256 toolId, address account, bytes calldata data) external returns (bool) {
        if (data.length == 0) return IToolRegistry(msg.sender).hasAccess(toolId, account, hex"00");
        if (data[0] == 0x00) return true;
        IToolRegistry(msg.sender).deregisterTool(toolId);
        return true;
    }

    function registerTool(IToolRegistry registry) external returns (uint256) {
        return registry.registerTool("https://reentrant.example", bytes32(uint256(1)), address(this));
    }
}

/// @dev A registry that has the selector of a predicate and no ERC-165, and forwards to itself.
contract OldRegistry {
    function hasAccess(uint256 toolId, address account, bytes calldata data) external view returns (bool) {
        return OldRegistry(address(this)).hasAccess(toolId, account, data);
    }
}
