//! What registries say, for people: each fact with the view that it came from, what is missing, and what to know before it is
//! relied upon.

use deedbox_server::{
    Envelope, Tool,
    finding::PinStands,
    operations::{NotCompared, Provenance, RegistryStanding, TrustLevel},
};
use serde_json::{Map, Value};

use super::{
    compared,
    shown::{Rows, listed, listed_at, origin, untrusted_in},
};
use crate::{
    render::{Output, line},
    settings::Settings,
};

/// Columns that a stranger's text may take here: a URI is shown whole more often.
pub(super) const WIDTH: usize = 160;

type Data = Map<String, Value>;

/// Whether the answer is a no: no such agent or tool, not verified, no access, nothing to choose.
pub(in crate::commands) fn says_no(tool: Tool, envelope: &Envelope) -> bool {
    let Some(data) = &envelope.data else {
        return false;
    };
    !match tool {
        Tool::ResolveAgent => data["owner"]["state"] == "found",
        Tool::VerifyTool => data["verified"] == true,
        Tool::CheckToolAccess => data["access"] == "open" || data["access"] == "granted",
        Tool::CompareTools => !compared::none_to_choose(data),
        _ => true,
    }
}

/// The whole answer.
pub(in crate::commands) fn text(
    tool: Tool,
    envelope: &Envelope,
    settings: &Settings,
    output: &Output,
) -> String {
    let (Some(data), Some(provenance)) = (&envelope.data, &envelope.provenance) else {
        return String::new();
    };
    let shown = Shown {
        data,
        block: provenance.read.block_number,
        output,
    };
    // In line with the rows that follow.
    let column = match tool {
        Tool::ResolveAgent => "registry".len(),
        Tool::VerifyTool => "manifest at".len(),
        _ => 0,
    };
    let mut text = listed_at(column, standing(provenance, output), output);
    text.push_str(&match tool {
        Tool::ResolveAgent => shown.agent(),
        Tool::VerifyTool => shown.tool(),
        Tool::CompareTools => compared::text(data, output),
        _ => shown.access(),
    });
    let beside = beside(provenance, output);
    if !beside.is_empty() {
        text.push_str(&listed(beside, output));
        text.push('\n');
    }
    text.push_str(&listed(origin(provenance, settings), output));
    text
}

/// What was decided here about the registry: the first thing to know of what comes from it.
fn standing(provenance: &Provenance, output: &Output) -> Rows {
    let mut rows = Rows::new();
    for registry in &provenance.beside.registries {
        if provenance.beside.registries.len() > 1 {
            rows.push(("registry", registry.registry.to_string()));
        }
        rows.extend(decided(registry, output));
    }
    rows
}

fn decided(registry: &RegistryStanding, output: &Output) -> Rows {
    let trust = match registry.trust {
        TrustLevel::Trusted => output.paint.good("trusted"),
        TrustLevel::Known => "known".to_owned(),
        TrustLevel::Blocked => output.paint.bad("blocked: do not rely on anything below"),
        TrustLevel::NotFollowed => {
            "not followed: nobody decided anything about this registry here".to_owned()
        }
    };
    let label = registry.label.as_ref();
    let label = label.map_or_else(String::new, |label| format!(" ({})", line(label)));
    let mut rows = vec![("trust", format!("{trust}{label}"))];
    if registry.code_changed == Some(true) {
        let alarm =
            "something else stands at the registry's address than was accepted: registry show";
        rows.push(("alarm", output.paint.bad(alarm)));
    }
    if let Some(why @ NotCompared::OnlyBeforeAccepted) = registry.code_not_compared {
        rows.push(("code", output.paint.alert(why.for_people())));
    }
    rows
}

/// What this program knows beside what was read.
fn beside(provenance: &Provenance, output: &Output) -> Rows {
    let mut rows = Rows::new();
    if let Some(pin) = &provenance.beside.pin {
        let said = match pin.stands {
            Some(PinStands::Same) => {
                "the registered manifest is the one that the tool is pinned to".to_owned()
            }
            Some(PinStands::Differs) => output.paint.bad(&format!(
                "ANOTHER MANIFEST is registered than the one that the tool is pinned to: {}",
                pin.manifest_hash
            )),
            None => format!("the tool is pinned to {}", pin.manifest_hash),
        };
        rows.push(("pin", said));
    }
    if let Some(known) = &provenance.beside.known_spenders
        && !known.asked.is_empty()
    {
        let more = match known.left_out {
            0 => String::new(),
            more => format!(", and {more} more were not asked about"),
        };
        let said = format!(
            "{} accounts were asked about because of events up to block {}{more}",
            known.asked.len(),
            known.as_of_block
        );
        rows.push(("known", said));
    }
    let hints = provenance.beside.hints.iter();
    rows.extend(hints.map(|hint| ("note", output.paint.alert(&hint.message))));
    rows
}

struct Shown<'a> {
    data: &'a Data,
    block: u64,
    output: &'a Output,
}

impl Shown<'_> {
    fn agent(&self) -> String {
        let (agent, owner) = (&self.data["agent"], &self.data["owner"]);
        let mut rows = vec![
            ("agent", word(&agent["identifier"])),
            ("registry", word(&agent["registry"])),
        ];
        if let Some(alias) = agent["asked_as"].as_str() {
            let says = format!(
                "{} (a label of whoever asked; it identifies nothing)",
                line(alias)
            );
            rows.push(("asked as", says));
        }
        let mut text = listed(rows, self.output);
        let source = word(&owner["source"]);
        text.push_str(&format!(
            "\nOwner: read by {source} at block {}\n",
            self.block
        ));
        text.push_str(&format!("  {}\n", self.owner(owner)));
        let spenders = self.data["control"]["spenders"].as_array();
        for spender in spenders.into_iter().flatten() {
            let may = match spender["may_act"].as_bool() {
                Some(true) => self.output.paint.alert("may change it, too"),
                Some(false) => "may not change it".to_owned(),
                None => "may or may not change it: the registry does not answer".to_owned(),
            };
            text.push_str(&format!("  {} {may}\n", word(&spender["address"])));
        }
        text.push_str(&self.services());
        let metadata = self.data["metadata"].as_array();
        let set = metadata.into_iter().flatten();
        let set = set.filter(|one| one["state"] != "unset");
        let set: Vec<String> = set.map(|one| format!("  {}\n", self.entry(one))).collect();
        if !set.is_empty() {
            text.push_str(&format!(
                "\nMetadata: at block {}, as whoever may change it wrote it\n",
                self.block
            ));
            text.extend(set);
        }
        text.push_str(&self.warnings());
        text
    }

    fn owner(&self, owner: &Value) -> String {
        match owner["state"].as_str().unwrap_or_default() {
            "found" => word(&owner["address"]),
            "agent_not_found" => self.bad("none: the registry has no such agent"),
            "refused" => self.bad(&format!(
                "none: the registry refuses, most likely because there is no such agent ({})",
                self.revert(&owner["revert"])
            )),
            "not_asked" => self.bad("none: there is no contract at the registry's address"),
            _ => self.bad(&format!("unknown: {}", self.cause(owner))),
        }
    }

    fn services(&self) -> String {
        let services = &self.data["services"];
        let all = services["listed"].as_array();
        let mut text = format!(
            "\nServices: read from {} at block {}; they say nothing about who owns it\n",
            word(&services["source"]),
            self.block
        );
        for service in all.into_iter().flatten() {
            let missing = service["missing_key"].as_str().map(|key| {
                self.bad(&format!(
                    "BROKEN: {} is missing, and nothing takes its place",
                    line(key)
                ))
            });
            let halves = [&service["service_type"], &service["service"]];
            let halves = halves.into_iter().filter(|half| !half.is_null());
            let halves = halves.map(|half| self.entry(half)).chain(missing);
            text.push_str(&format!("  {}\n", halves.collect::<Vec<_>>().join("  ")));
        }
        if all.is_none_or(Vec::is_empty) {
            text.push_str("  none\n");
        }
        let omitted = services["omitted"].as_u64().unwrap_or(0);
        if omitted > 0 {
            text.push_str(&format!("  and {omitted} more\n"));
        }
        if services["may_go_on"] == true {
            let upto = word(&services["numbers_read"]);
            text.push_str(&format!(
                "  There may be more: numbers were looked for up to {upto}\n"
            ));
        }
        for unread in services["unreadable"].as_array().into_iter().flatten() {
            text.push_str(&format!("  {}\n", self.entry(unread)));
        }
        text
    }

    /// A key and what stands there.
    fn entry(&self, entry: &Value) -> String {
        let key = word(&entry["key"]);
        let value = match entry["state"].as_str().unwrap_or_default() {
            "text" => {
                let mut said = self.foreign(&entry["text"]);
                let uri = &entry["uri"];
                if uri["id_replaced"] == true {
                    said.push_str(&format!(" → {}", self.foreign(&uri["resolved"])));
                }
                if !uri["ipfs"]["gateway_url"].is_null() {
                    said.push_str(&format!(
                        " at {}",
                        self.foreign(&uri["ipfs"]["gateway_url"])
                    ));
                }
                if let Some(fault) = uri["fault"].as_str() {
                    said.push_str(&format!(" {}", self.bad(&plain(fault))));
                }
                said
            }
            "address" => word(&entry["address"]),
            "bytes" => format!("{} ({} bytes)", word(&entry["hex"]), word(&entry["length"])),
            "unset" => "not set".to_owned(),
            _ => self.bad(&format!("could not be read: {}", self.cause(entry))),
        };
        format!("{key}: {value}")
    }

    fn tool(&self) -> String {
        let data = self.data;
        let verdict = if data["verified"] == true {
            self.output
                .paint
                .good("VERIFIED: what is served is what was registered")
        } else {
            let at = data["failed"].as_str().map_or_else(String::new, |check| {
                format!(", at the check \"{}\"", line(check))
            });
            self.bad(&format!("NOT VERIFIED{at}: the tool must not be used"))
        };
        let mut text = format!("{verdict}\n\n");
        let freshness = &data["freshness"];
        let mut rows = vec![("tool", word(&data["tool"]))];
        rows.extend(self.registration());
        rows.push(("verified at", word(&freshness["verified_at"])));
        if !freshness["fresh_until"].is_null() {
            let why = if freshness["shortened_by_max_age"] == true {
                " (the manifest's maxAge)"
            } else {
                ""
            };
            rows.push((
                "counts until",
                format!("{}{why}", word(&freshness["fresh_until"])),
            ));
        }
        text.push_str(&listed(rows, self.output));
        for check in data["checks"].as_array().into_iter().flatten() {
            let outcome = match check["outcome"].as_str().unwrap_or_default() {
                "passed" => self.output.paint.good("passed"),
                "failed" => self.bad("failed"),
                other => plain(other),
            };
            let number = check["number"].as_u64();
            let number = number.map_or_else(|| "-".to_owned(), |number| number.to_string());
            text.push_str(&format!(
                "\n  {number} {:<8} {outcome}",
                word(&check["check"])
            ));
            for reason in check["reasons"].as_array().into_iter().flatten() {
                let message = self.foreign(&reason["message"]);
                text.push_str(&format!("\n      {}: {message}", word(&reason["code"])));
            }
        }
        text.push_str("\n\n");
        if !data["read_again_after"].is_null() {
            text.push_str("The hash did not match at first; the registration was read once more, and this is what came of it.\n\n");
        }
        text.push_str(&self.manifest());
        text.push_str(&self.proxy());
        text
    }

    fn registration(&self) -> Rows {
        let registration = &self.data["registration"];
        match registration["state"].as_str().unwrap_or_default() {
            "registered" => {
                let predicate = &registration["access_predicate"];
                let predicate = if predicate.is_null() {
                    "none: open to everybody".to_owned()
                } else {
                    word(predicate)
                };
                vec![
                    ("creator", word(&registration["creator"])),
                    ("manifest at", self.foreign(&registration["metadata_uri"])),
                    ("hash", word(&registration["manifest_hash"])),
                    ("predicate", predicate),
                ]
            }
            "not_found" => vec![(
                "registration",
                self.bad("no tool was ever registered under this id"),
            )],
            "deregistered" => vec![("registration", self.bad("its creator removed it for ever"))],
            _ => vec![(
                "registration",
                self.bad(&format!(
                    "what stands there does not answer as a registry of tools ({})",
                    self.cause(registration)
                )),
            )],
        }
    }

    fn manifest(&self) -> String {
        let manifest = &self.data["manifest"];
        if manifest.is_null() {
            return String::new();
        }
        let mut rows = vec![
            ("name", self.foreign(&manifest["name"])),
            ("description", self.foreign(&manifest["description"])),
            ("endpoint", self.foreign(&manifest["endpoint"])),
            (
                "tier",
                format!(
                    "{} (for decisions; nothing of it is attested here)",
                    word(&manifest["tier"]["effective"])
                ),
            ),
        ];
        for price in manifest["pricing"].as_array().into_iter().flatten() {
            let asset = self.foreign(&price["asset"]);
            rows.push((
                "price",
                format!("{} of the smallest unit of {asset}", word(&price["amount"])),
            ));
        }
        if !manifest["not_invocable"].is_null() {
            rows.push(("not invocable", self.foreign(&manifest["not_invocable"])));
        }
        for filled in manifest["pre_filled"].as_array().into_iter().flatten() {
            rows.push((
                "filled in",
                format!("{}: confirm it before it is sent", self.foreign(filled)),
            ));
        }
        let heading = if self.data["verified"] == true {
            "The manifest says"
        } else {
            "The manifest that was served says (for repairing it; do not act on it)"
        };
        format!("{heading}\n{}\n", listed(rows, self.output))
    }

    fn access(&self) -> String {
        let data = self.data;
        let account = word(&data["account"]);
        let (says, good) = match data["access"].as_str().unwrap_or_default() {
            "open" => ("OPEN: everybody may use it", true),
            "granted" => ("GRANTED: the predicate says yes", true),
            "denied" => ("DENIED: the predicate says no", false),
            "predicate_broken" => ("NO: the predicate does not answer", false),
            "predicate_has_no_code" => (
                "NO: there is no predicate at its address yet; the tool is not available, and not open",
                false,
            ),
            "registry_broken" => (
                "NO: the registry contradicts itself, or answers in no form of the standard",
                false,
            ),
            "deregistered" => ("NO: the tool's creator removed it for ever", false),
            "not_found" => ("NO: no tool was ever registered under this id", false),
            _ => (
                "NO: what stands there does not answer as a registry of tools",
                false,
            ),
        };
        let says = if good {
            self.output.paint.good(says)
        } else {
            self.bad(says)
        };
        let mut rows = vec![
            ("tool", word(&data["tool"])),
            (
                "account",
                format!("{account} (whose it is was not asked: bind it with an access proof)"),
            ),
        ];
        rows.extend(self.registration());
        let requirements = &data["predicate"]["requirements"];
        let logic = word(&requirements["logic"]);
        for requirement in requirements["requirements"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let label = self.foreign(&requirement["label"]);
            rows.push((
                "it takes",
                format!(
                    "{} {label} ({logic})",
                    plain(requirement["meaning"]["type"].as_str().unwrap_or_default())
                ),
            ));
        }
        let warnings = self.warnings();
        format!(
            "{says}\n\n{}{warnings}{}",
            listed(rows, self.output),
            if warnings.is_empty() { "\n" } else { "" }
        )
    }

    fn warnings(&self) -> String {
        let warnings = self.data["warnings"].as_array();
        let mut text: String = warnings
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(|warning| {
                format!(
                    "\n{}",
                    self.output.paint.alert(&format!("! {}", sentence(warning)))
                )
            })
            .collect();
        text.push_str(if text.is_empty() { "\n" } else { "\n\n" });
        text
    }

    fn proxy(&self) -> String {
        if self.data["registry"]["proxy"].is_null() {
            return String::new();
        }
        format!(
            "{}\n\n",
            self.output
                .paint
                .alert(&format!("! {}", sentence("registry_is_proxy")))
        )
    }

    fn foreign(&self, text: &Value) -> String {
        untrusted_in(text, WIDTH, self.output)
    }

    fn bad(&self, text: &str) -> String {
        self.output.paint.bad(text)
    }

    /// Why a view gave no value.
    fn cause(&self, value: &Value) -> String {
        match value["why"].as_str().unwrap_or_default() {
            "reverted" => format!("it refuses ({})", self.revert(&value["revert"])),
            other => plain(other),
        }
    }

    fn revert(&self, revert: &Value) -> String {
        match revert["kind"].as_str().unwrap_or_default() {
            "custom" => word(&revert["name"]),
            "message" => self.foreign(&revert["text"]),
            other => plain(other),
        }
    }
}

/// A value of ours, as text.
pub(super) fn word(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => line(text),
        other => line(&other.to_string()),
    }
}

/// A name for programs, as words.
pub(super) fn plain(name: &str) -> String {
    line(&name.replace('_', " "))
}

/// What a warning means.
fn sentence(warning: &str) -> String {
    let says = match warning {
        "no_registry" => "There is no code at the registry's address.",
        "registry_is_delegated" => {
            "The registry is somebody's account (EIP-7702): whoever has its key can change what it says."
        }
        "older_draft" => {
            "The registry follows an older draft of ERC-8122; its metadata was read by the older name."
        }
        "not_an_agent_registry" => "The contract does not say that it is a registry of agents.",
        "registry_claims_everything" => {
            "The registry claims every interface there is, so its claims say nothing."
        }
        "registry_is_proxy" => "The registry is a proxy (ERC-1967): what it says can be replaced.",
        "broken_service" => "A service lacks one of its halves. Nothing takes its place.",
        "something_unreadable" => {
            "Some of what was asked for could not be read; it is unknown, and not empty."
        }
        "predicate_is_proxy" => {
            "The predicate is a proxy (ERC-1967): whoever controls it can replace what it decides."
        }
        "predicate_is_delegated" => {
            "The predicate is somebody's account (EIP-7702): whoever has its key can replace what it decides."
        }
        "predicate_claims_everything" => {
            "The predicate claims every interface there is: it may have been made for anything."
        }
        "predicate_does_not_claim_it" => "The predicate does not say that it is one.",
        "requirements_unclear" => {
            "What the predicate says that it takes is incomplete, or cannot be used."
        }
        "data_looks_like_key" => {
            "The data looks like a private key. It was sent, because you said that it is public."
        }
        "data_looks_like_token" => {
            "The data looks like a password or a token. It was sent, because you said that it is public."
        }
        "data_is_bare_signature" => {
            "The data is a signature by itself: whoever saw it can show it again."
        }
        "data_is_long_lived_proof" => {
            "The data is an access proof that counts for more than an hour: whoever saw it can show it again until then."
        }
        other => return plain(other),
    };
    says.to_owned()
}
