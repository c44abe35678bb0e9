//! The registries of ERC-8122 and ERC-8257: their contracts, their calls, and what they say.
//!
//! * [`Call`] and [`Deployment`]: every change that a registry or a predicate offers, into bytes and back.
//! * [`Entry`]: one metadata entry, and what is odd about it before it is written.
//! * [`Revert`]: why a contract refused, by the name that its standard gives it.
//! * [`event`]: what a receipt says that happened.
//! * [`inspect`]: what stands at an address, read at one block.
//! * [`resolve_agent`]: which agent that is, who owns it, and what it offers.
//! * [`verify_tool`]: the four checks between a tool's registration and its manifest.
//! * [`check_tool_access`]: whether an account may use a tool; [`AccessProof`], which binds the account to whoever asks, for a predicate; and
//!   [`EndpointProof`], which does it for one request at an endpoint.
//! * [`compare_tools`]: several tools side by side, for choosing one.
//! * [`sync`]: what registries said, read block by block into an index.
//! * [`deployed_at`]: in which block a contract was made.
//! * [`preset`]: public registries, by name.
//! * [`artifact`], [`abi`]: the compiled contracts, which are part of this crate.
//!
//! Nothing here signs or sends, and only [`sync`] and [`compare_tools`] know an index: the four questions, [`inspect`] and [`deployed_at`] ask a chain now, and [`verify_tool`] and [`compare_tools`] the web,
//! too. All that is concluded from what was read is concluded in pure functions.

pub mod abi;
pub mod access;
pub mod artifact;
pub mod birth;
pub mod call;
pub mod compare;
pub mod deployment;
pub mod entry;
pub mod event;
pub mod inspect;
pub mod interface;
pub mod limits;
pub mod preset;
pub mod resolve;
pub mod revert;
pub mod sync;
pub mod tool;
pub mod verify;
pub mod view;
mod words;

pub use access::{
    AccessProof, CheckToolAccess, Credential, EndpointProof, ToolAccess, check_tool_access,
};
pub use artifact::Artifact;
pub use birth::{deployed_at, had_code};
pub use call::{Call, NewAgent, NotACall};
pub use compare::{CompareTools, ToolComparison, compare_tools};
pub use deployment::{Admission, AgentRegistry, Deployment, Logic, Predicate, Term};
pub use entry::Entry;
pub use inspect::{Inspection, inspect, inspect_keys};
pub use preset::{PRESETS, Preset};
pub use resolve::{AgentId, ResolveAgent, ResolvedAgent, resolve_agent};
pub use revert::Revert;
pub use verify::{ToolVerification, VerifyTool, verify_tool};

#[cfg(test)]
mod tests {
    use deedbox_chain::Chains;
    use deedbox_core::World;
    use deedbox_fetch::Fetcher;

    use super::*;

    /// Servers ask from tasks that move between threads: checked when this is compiled.
    const _: fn(
        &Chains,
        &Fetcher,
        &dyn World,
        &ResolveAgent,
        &VerifyTool,
        &CheckToolAccess,
        &CompareTools,
    ) = {
        fn may_move(_: impl Send) {}
        fn each(
            chains: &Chains,
            fetcher: &Fetcher,
            world: &dyn World,
            agent: &ResolveAgent,
            tool: &VerifyTool,
            access: &CheckToolAccess,
            tools: &CompareTools,
        ) {
            may_move(resolve_agent(chains, agent));
            may_move(verify_tool(chains, fetcher, world, tool));
            may_move(check_tool_access(chains, access));
            may_move(compare_tools(chains, fetcher, world, None, tools));
        }
        each
    };
}
