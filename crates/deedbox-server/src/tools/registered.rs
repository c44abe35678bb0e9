//! Whether a tool is what its registration says, and who may use it (ERC-8257).

use deedbox_registry::{ToolAccess, ToolComparison, ToolVerification};
use http::Method;

use super::{About, Answered, Effect, gives, takes};
use crate::{
    finding::FoundTools,
    inputs::{CheckToolAccess, CompareTools, FindTools, VerifyTool},
    operations::Envelope,
    toolsets::Toolset,
};

pub(super) static FIND_TOOLS: About = About {
    name: "find_tools",
    title: "Tools that may fit",
    description: "\
Searches the local index of ERC-8257 registries for tools whose manifest was verified, best match first, trusted registries before others; for finding what to ask verify_tool about. \
Inputs, all optional, without a default but where one is named: text (words that all have to be there, any language), creator (0x and 40 hex digits), tier (effective), access (open or gated), asset (CAIP-19) and at_most (a price in its smallest unit, decimal digits), registries (list, eip155:1:0x… or 0x0001…), chain_id (integer), \
updated_since (RFC 3339), unverified, gone and blocked (booleans, default false: those are left out), limit (whole number, 1 to 100, default 10), cursor (next_cursor of the page before). \
Every tool is a candidate. verified is as of verified_at; no prices means unknown, not free; amounts are decimal strings in the smallest unit. Texts are untrusted text with flags; times are RFC 3339 in UTC. \
As of the block up to which its registry is read (as_of_block; age in seconds in provenance.registries). \
Does not read a chain, fetch a manifest or record evidence, and does not say whether a tool is the registered one now (verify_tool does) or who may use it (check_tool_access does). Nothing found is an answer, with hints. \
Fails with isError and {status, error, code}: 400 malformed or foreign cursor, 403 no scope registries:read or against the policy, 429 too often. \
Takes milliseconds. Call once per question, and not for each page of everything.",
    toolset: Toolset::Tools,
    effect: Effect::Reads,
    answer: Answered::Plainly,
    method: Method::GET,
    path: "/api/tools",
    input: takes::<FindTools>,
    output: gives::<FoundTools>,
};

pub(super) static VERIFY_TOOL: About = About {
    name: "verify_tool",
    title: "Whether a tool is what it says",
    description: "\
Compares what an ERC-8257 registry says of a tool with the manifest that is served now (four checks, and the manifest's own rules); for deciding whether a tool may be shown or used at all. \
Inputs: tool (text, required: eip155:<chain>/erc8257:<registry>/<id>), block (text, required: decimal height, block hash, latest, safe or finalized), purpose (text, required: interactive, invocation or payment), \
window_seconds (integer, how long it is to count; default 300, at most 300 for interactive, 86400 for invocation, 0 for payment, and the manifest's maxAge). \
verified is the answer, failed the first check that did not pass, checks all with reasons. Texts are untrusted text with flags; prices are decimal strings in the smallest unit, hashes 0x hex. \
As of one block (in provenance, with endpoint and evidence_id, under which the answer is recorded) and of freshness.verified_at (RFC 3339 in UTC) for the manifest; call again after fresh_until. \
Does not say who may use it (check_tool_access does), call the tool, or say that it is good or safe: only that it is the registered one. \
Not verified and no such tool are answers. Fails with isError and error {code, message, retryable} when the chain cannot be read; data is null then. \
Takes seconds, at most 30. Call once per tool and window, not in a loop.",
    toolset: Toolset::Tools,
    effect: Effect::ReadsOutside,
    answer: Answered::InEnvelope,
    method: Method::POST,
    path: "/api/tools/verify",
    input: takes::<VerifyTool>,
    output: gives::<Envelope<ToolVerification>>,
};

pub(super) static CHECK_TOOL_ACCESS: About = About {
    name: "check_tool_access",
    title: "Whether an account may use a tool",
    description: "\
Asks an ERC-8257 registry whether an account may use a tool, and what its predicate takes; for knowing before a call whether it would be let in, and what is missing. \
Inputs: tool (text, required: eip155:<chain>/erc8257:<registry>/<id>), account (required: 0x and 40 hex digits; mixed case must be a correct checksum), block (text, required: decimal height, block hash, latest, safe or finalized), \
data (0x hex for the predicate, at most 64 KiB; default 0x, nothing), data_is_public (boolean: send data although it looks like a secret; default false). \
Put no secret into data: it is sent and recorded. access is open, granted, denied or why there is no grant; requirements are the predicate's own words, untrusted text with flags, amounts decimal strings in the smallest unit. \
As of exactly one block: provenance names its number, hash and time (RFC 3339 in UTC), the endpoint, and evidence_id, under which the answer is recorded. \
Does not prove that whoever asks is the account (account_is_a_claim), verify the tool (verify_tool does), or give access. \
Denied, broken and no such tool are answers. Fails with isError and error {code, message, retryable}, like invalid_argument for a secret; data is null then. \
Takes about a second, at most 30 s. Call once per account and tool, and again right before use: access changes.",
    toolset: Toolset::Tools,
    effect: Effect::ReadsOutside,
    answer: Answered::InEnvelope,
    method: Method::POST,
    path: "/api/tools/access",
    input: takes::<CheckToolAccess>,
    output: gives::<Envelope<ToolAccess>>,
};

pub(super) static COMPARE_TOOLS: About = About {
    name: "compare_tools",
    title: "Several tools side by side",
    description: "\
Verifies two to ten ERC-8257 tools now and sets them side by side, with price, tier, access and age; for choosing one. \
Inputs: tools (required: 2 to 10 of eip155:<chain>/erc8257:<registry>/<id>), block (text, required: latest, safe or finalized, of one chain also a decimal height or block hash), blocks (array of {chain_id, block_hash} to use instead; default none), \
account (0x and 40 hex digits; default nobody), asset (CAIP-19 in which prices are ordered; default the one they share), protocols (payment protocols you can pay by; default not said). \
order offers all of them with reasons: verified, usable, cheaper in that asset, higher effective tier, older. Amounts are decimal strings, in the smallest unit and in_units with decimals read on chain. unstated is not free; declared_free is. \
Other assets are not converted (not_compared). Confirm every pre_filled value with the user. Texts are untrusted text with flags. \
As of one block for each chain (chains; the first also in provenance, with evidence_id, under which the answer is recorded) and freshness.verified_at (RFC 3339 in UTC) of each manifest. \
Does not find tools, call or pay one, or say that one is good: verify_tool and check_tool_access say more of each. \
Unverified and denied are answers. Fails with isError and error {code, message, retryable} when a chain cannot be read; data is null then. \
Takes seconds, at most 30. Call once per choice, and verify_tool again before invoking.",
    toolset: Toolset::Tools,
    effect: Effect::ReadsOutside,
    answer: Answered::InEnvelope,
    method: Method::POST,
    path: "/api/tools/compare",
    input: takes::<CompareTools>,
    output: gives::<Envelope<ToolComparison>>,
};
