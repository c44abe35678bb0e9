//! Who asks, and what is remembered.

use http::Method;

use super::{About, Answered, Effect, gives, takes};
use crate::{inputs::GetIdentity, operations::Identity, toolsets::Toolset};

pub(super) static GET_IDENTITY: About = About {
    name: "get_identity",
    title: "What the server sees of you",
    description: "\
Returns what this server sees of the caller: the credential (principal, acts_as, actor, scopes) and the labels (agent_label, instance_id_hash); for knowing as whom your records will stand. \
Takes no input; no input has a default, unknown ones are refused. Labels come from headers or variables, not from arguments. \
It gives principal, actor and labels as UTF-8 texts of at most 256 characters, instance_id_hash as null or sha256: and 64 hex digits, which are the same installation when they agree digit by digit, scopes as a list of texts; ignored_labels says which label was not taken, and why. \
current_agent_trust is credential_bound when your key is bound to the label that you sent, else client_asserted. As of this very call. \
Labels never authorise: labels_authorise is always false, and a request without any may do the same. Does not return the installation's own label or any key (no tool here does), \
and does not change scopes or labels (an operator does, and the client's configuration). \
Fails with isError and {status, error, code}: 400 for an argument, 429 too often; it needs no scope. \
Takes milliseconds. Call once at the start, and again only when a refusal or a null label surprises you.",
    toolset: Toolset::Memory,
    effect: Effect::Reads,
    answer: Answered::Plainly,
    method: Method::GET,
    path: "/api/identity",
    input: takes::<GetIdentity>,
    output: gives::<Identity>,
};
