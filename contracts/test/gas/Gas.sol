// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// @dev The cheat code that writes down what a call cost. `cargo xtask contracts test` runs these tests with `--isolate`, so that each
/// call is a transaction of its own, its fixed cost and its calldata included, and compares what is written with `gas.json`. Views are
/// written down without these. What deploying costs is measured by `cargo xtask bench gas`.
interface GasVm {
    function snapshotGasLastCall(string calldata group, string calldata name) external returns (uint256);
}

/// @dev What the tests of gas share.
abstract contract Gas {
    GasVm private constant vm = GasVm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev A URI of 60 bytes and a service of 36, as the published figures have them (docs/benchmarks.md).
    string internal constant URI = "https://tools.example.com/.well-known/ai-tool/translate.json";
    string internal constant SERVICE = "https://agents.example.com/mcp/agent";

    function measured(string memory group, string memory name) internal {
        vm.snapshotGasLastCall(group, name);
    }
}
