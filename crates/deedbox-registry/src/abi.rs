//! Bindings, made from the compiled contracts in `artifacts/`: what `cargo xtask contracts` wrote is what is called.
//!
//! The three agent registries differ in their constructors only, so calls of any of them are those of [`OpenAgentRegistry`].

#![expect(
    missing_docs,
    reason = "the contracts' documentation stands in their sources; the artifacts hold none"
)]

macro_rules! bindings {
    ($($module:ident: $name:ident, $path:literal;)*) => {$(
        mod $module {
            alloy_sol_types::sol!(#[sol(all_derives)] $name, $path);
        }
        pub use $module::$name;
    )*};
}

bindings! {
    open: OpenAgentRegistry, "artifacts/OpenAgentRegistry.json";
    curated: CuratedAgentRegistry, "artifacts/CuratedAgentRegistry.json";
    fixed_supply: FixedSupplyAgentRegistry, "artifacts/FixedSupplyAgentRegistry.json";
    tools: ToolRegistry, "artifacts/ToolRegistry.json";
    allowlist: AllowlistPredicate, "artifacts/AllowlistPredicate.json";
    merkle: MerkleAllowlistPredicate, "artifacts/MerkleAllowlistPredicate.json";
    erc721: Erc721HolderPredicate, "artifacts/Erc721HolderPredicate.json";
    erc1155: Erc1155HolderPredicate, "artifacts/Erc1155HolderPredicate.json";
    erc20: Erc20BalancePredicate, "artifacts/Erc20BalancePredicate.json";
    subscription: SubscriptionPredicate, "artifacts/SubscriptionPredicate.json";
    agent_owner: AgentOwnerPredicate, "artifacts/AgentOwnerPredicate.json";
    any_agent_owner: AnyAgentOwnerPredicate, "artifacts/AnyAgentOwnerPredicate.json";
    access_proof: AccessProofPredicate, "artifacts/AccessProofPredicate.json";
    composite: CompositePredicate, "artifacts/CompositePredicate.json";
}
pub use open::IERC8122;
pub use tools::ToolRegistry::ToolConfig;
