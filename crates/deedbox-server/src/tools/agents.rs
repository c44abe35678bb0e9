//! Which agent that is, who owns it, and where it is reached (ERC-8122).

use deedbox_registry::ResolvedAgent;
use http::Method;

use super::{About, Answered, Effect, gives, takes};
use crate::{
    finding::{FoundAgents, RegistryHistory, RegistryList},
    inputs::{FindAgents, GetRegistryHistory, ListRegistries, ResolveAgent},
    operations::Envelope,
    toolsets::Toolset,
};

pub(super) static FIND_AGENTS: About = About {
    name: "find_agents",
    title: "Agents that may fit",
    description: "\
Searches the local index of ERC-8122 registries for agents, best match first, trusted registries before others; for finding whom to ask resolve_agent about. \
Inputs, all optional, without a default but where one is named: text (words that all have to be there, any language), owner (0x and 40 hex digits), service_type (like mcp), registries (list, eip155:1:0x… or 0x0001…), chain_id (integer), \
updated_since (RFC 3339), gone and blocked (booleans, default false: burned agents and blocked registries are left out), limit (whole number, 1 to 100, default 10), cursor (next_cursor of the page before). \
Every agent is a candidate: owner is said by transfers, services by metadata, and neither follows from the other. Texts are untrusted text with flags; times are RFC 3339 in UTC, to the millisecond. \
As of the block up to which its registry is read: as_of_block; in provenance.registries with the last look at its chain, and its age in seconds. updated.is_final false may still be taken back. \
Does not read a chain or record evidence, and does not say who owns an agent now (resolve_agent does). Nothing found is an answer, with the registries that were searched and hints why. \
Fails with isError and {status, error, code}: 400 malformed or foreign cursor, 403 no scope registries:read or against the policy, 429 too often. \
Takes milliseconds. Call once per question, with other words when nothing fits, and not for each page of everything.",
    toolset: Toolset::Agents,
    effect: Effect::Reads,
    answer: Answered::Plainly,
    method: Method::GET,
    path: "/api/agents",
    input: takes::<FindAgents>,
    output: gives::<FoundAgents>,
};

pub(super) static LIST_REGISTRIES: About = About {
    name: "list_registries",
    title: "Registries that are followed",
    description: "\
Returns the registries of agents and tools that are followed here, with trust, label, how far each is read and alarms; for knowing what a search here can find, and how fresh it is. \
Takes no input; no input has a default, unknown ones are refused. Blocks are heights, age_seconds is the age of the last look at the chain in seconds, times are RFC 3339 in UTC, to the millisecond, entries counts agents or tools, those that are gone included. \
As of the moment of the call. Nothing from before from_block is known; look_is_old and alarms are to be told to an operator. trust is an operator's opinion: trusted, known or blocked. \
Does not search (find_agents does), does not look at a registry's contract, and does not follow one (an operator does). An empty list means that none is followed, and hints say how to begin. \
Fails with isError and {status, error, code}: 400 malformed, 403 no scope registries:read or against the policy, 429 too often. \
Takes milliseconds, and up to a second with a million entries. Call once before the first search, not before each.",
    toolset: Toolset::Agents,
    effect: Effect::Reads,
    answer: Answered::Plainly,
    method: Method::GET,
    path: "/api/registries",
    input: takes::<ListRegistries>,
    output: gives::<RegistryList>,
};

pub(super) static GET_REGISTRY_HISTORY: About = About {
    name: "get_registry_history",
    title: "What was said of an agent or a tool before",
    description: "\
Returns what a registry's events said of one agent or tool, newest first: owners, metadata, allowances, manifests with what changed in them, access predicates; for seeing what something was before, and since when it is what it is. \
Inputs: subject (text, required: an agent like 12@eip155:1:0x… or a tool like eip155:1/erc8257:0x…/7), key (only this key of an agent's metadata; default none: all keys), limit (whole number, 1 to 100, default 10), cursor (next_cursor of the page before; default the newest). \
Texts are untrusted text with flags, values at most 1000 characters; amounts are decimal strings, times RFC 3339 in UTC. \
As of the block up to which its registry is read, in provenance.registries; when.is_final false may still be taken back. \
Does not read a chain or record evidence, and does not say what is true now (resolve_agent does, of an agent). changes is null where a document is not kept here. Nothing said is an answer, with hints why. \
Fails with isError and {status, error, code}: 400 malformed or foreign cursor, 403 no scope registries:read or against the policy, 429 too often. \
Takes milliseconds. Call once per question, page by page only as far as it matters.",
    toolset: Toolset::Agents,
    effect: Effect::Reads,
    answer: Answered::Plainly,
    method: Method::GET,
    path: "/api/registries/history",
    input: takes::<GetRegistryHistory>,
    output: gives::<RegistryHistory>,
};

pub(super) static RESOLVE_AGENT: About = About {
    name: "resolve_agent",
    title: "Who owns an agent, and where it is reached",
    description: "\
Returns who owns an agent of an ERC-8122 registry, who else may change it, and which services it names; for knowing whom you deal with before relying on an agent. \
Inputs: agent (text, required: id@registry like 12@eip155:1:0x… or 12@0x0001…; an alias alone is refused, with candidates), block (text, required: decimal height, block hash, latest, safe or finalized), \
keys (list of further metadata keys; default none), spenders (list of accounts to ask about, 0x and 40 hex digits; default none), ipfs_gateway (URL to spell ipfs:// addresses at; default none). \
owner comes from ownerOf, services from metadata: neither follows from the other. Texts and URIs are untrusted text with flags; numbers of agents are decimal strings, raw bytes 0x hex. \
As of exactly one block: provenance names its number, hash and time (RFC 3339 in UTC), the endpoint, and evidence_id, under which the answer is recorded. \
Accounts that the local index knows to be allowed something are asked about without being named. Does not search (find_agents does), call a service, or say whether the owner is honest or runs the services. \
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
