//! Which agent that is, who owns it, and where it is reached (ERC-8122).

use deedbox_registry::ResolvedAgent;
use http::Method;

use super::{About, Answered, Effect, gives, takes};
use crate::{inputs::ResolveAgent, operations::Envelope, toolsets::Toolset};

pub(super) static RESOLVE_AGENT: About = About {
    name: "resolve_agent",
    title: "Who owns an agent, and where it is reached",
    description: "\
Returns who owns an agent of an ERC-8122 registry, who else may change it, and which services it names; for knowing whom you deal with before relying on an agent. \
Inputs: agent (text, required: id@registry like 12@eip155:1:0x… or 12@0x0001…; an alias alone is refused), block (text, required: decimal height, block hash, latest, safe or finalized), \
keys (list of further metadata keys; default none), spenders (list of accounts to ask about, 0x and 40 hex digits; default none), ipfs_gateway (URL to spell ipfs:// addresses at; default none). \
owner comes from ownerOf, services from metadata: neither follows from the other. Texts and URIs are untrusted text with flags; numbers of agents are decimal strings, raw bytes 0x hex. \
As of exactly one block: provenance names its number, hash and time (RFC 3339 in UTC), the endpoint, and evidence_id, under which the answer is recorded. \
Does not search (no tool here does), call a service, or say whether the owner is honest or runs the services. \
No such agent, no registry, half a service are answers. Fails with isError and error {code, message, retryable}, like chain_not_configured; data is null then. \
Takes about a second, at most 30 s. Call once per agent and question, and again right before anything depends on it.",
    toolset: Toolset::Agents,
    effect: Effect::ReadsOutside,
    answer: Answered::InEnvelope,
    method: Method::POST,
    path: "/api/agents/resolve",
    input: takes::<ResolveAgent>,
    output: gives::<Envelope<ResolvedAgent>>,
};
