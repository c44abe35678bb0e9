//! What contracts are asked, by the interfaces of their standards.

use alloy_primitives::Address;
use alloy_sol_types::{SolCall, sol};

use crate::rpc::pinned::{Call, Expects};

sol! {
    /// EIP-20, its optional functions included.
    interface Erc20 {
        event Transfer(address indexed from, address indexed to, uint256 value);
        function name() external view returns (string);
        function symbol() external view returns (string);
        function decimals() external view returns (uint8);
        function totalSupply() external view returns (uint256);
        function balanceOf(address owner) external view returns (uint256);
    }

    /// EIP-165.
    interface Erc165 {
        function supportsInterface(bytes4 interfaceId) external view returns (bool);
    }

    /// What pools answer, by which their forms are told apart.
    interface Pool {
        function token0() external view returns (address);
        function token1() external view returns (address);
        function factory() external view returns (address);
        // Uniswap V2.
        function getReserves() external view returns (uint112, uint112, uint32);
        // Uniswap V3.
        function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool);
        function liquidity() external view returns (uint128);
        function fee() external view returns (uint24);
        function tickSpacing() external view returns (int24);
        // Solidly and its heirs; Thena; Camelot.
        function stable() external view returns (bool);
        function isStable() external view returns (bool);
        function stableSwap() external view returns (bool);
        function metadata() external view returns (uint256, uint256, uint256, uint256, bool, address, address);
        // Algebra.
        function globalState() external view returns (uint160, int24, uint16, uint8, uint16, bool);
        // Uniswap V4's manager, Curve, Balancer.
        function extsload(bytes32 slot) external view returns (bytes32);
        function coins(uint256 index) external view returns (address);
        function getPoolId() external view returns (bytes32);
    }
}

/// A call of a contract's view.
pub(super) fn call(to: Address, call: &impl SolCall) -> Call {
    Call {
        to,
        data: call.abi_encode().into(),
        expects: Expects::Anything,
    }
}

/// A call of a contract's view that answers yes or no.
pub(super) fn flag(to: Address, call: &impl SolCall) -> Call {
    Call {
        expects: Expects::Flag,
        ..self::call(to, call)
    }
}
