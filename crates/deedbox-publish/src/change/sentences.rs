//! A change in words.

use alloy_primitives::{Address, U256};
use deedbox_registry::{Admission, Call, Deployment, Entry, Logic, NewAgent, Predicate};
use serde_json::Value;

use super::values::of_predicate;

/// A text in quotes. What does not show as itself is escaped; a mark that stands on the letter before it, as in many scripts, shows.
fn quoted(text: &str) -> String {
    let escaped = text.escape_debug().to_string().replace("\\'", "'");
    let mut quoted = String::from('"');
    for c in escaped.chars() {
        // Selectors of variants: nobody sees them, and any number of them may say something.
        match c {
            '\u{34f}'
            | '\u{180b}'..='\u{180f}'
            | '\u{fe00}'..='\u{fe0e}'
            | '\u{e0100}'..='\u{e01ef}' => {
                quoted.extend(c.escape_unicode());
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A value for people: text in quotes, anything else in hex. All of it, because what is signed is all of it.
fn shown(entry: &Entry) -> String {
    if entry.value.is_empty() {
        return format!("{} is removed", entry.key);
    }
    match (entry.as_address(), std::str::from_utf8(&entry.value)) {
        (Some(address), _) if entry.key.as_str() == deedbox_registry::entry::AGENT_ACCOUNT => {
            format!("{} = {address}", entry.key)
        }
        (_, Ok(text)) => format!("{} = {}", entry.key, quoted(text)),
        (_, Err(_)) => format!(
            "{} = {} bytes that are no text: {}",
            entry.key,
            entry.value.len(),
            entry.value
        ),
    }
}

pub(super) fn created(deployment: &Deployment) -> Vec<String> {
    let mut lines = vec![format!("a new {} is created", deployment.name())];
    match deployment {
        Deployment::Tools => lines.push("nobody owns it; its rules cannot be changed".to_owned()),
        Deployment::Predicate(Predicate::Composite {
            caller,
            logic,
            terms,
        }) => {
            lines.push(match logic {
                Logic::All => "it gives access when all of its terms do".to_owned(),
                Logic::Any => "it gives access when any one of its terms does".to_owned(),
            });
            lines.push(if caller.is_zero() {
                "anybody may ask it".to_owned()
            } else {
                format!("only {caller} may ask it")
            });
            lines.extend(terms.iter().enumerate().map(|(index, term)| {
                let (predicate, gas) = (term.predicate, term.gas_limit);
                let must = if term.negated { "denies" } else { "allows" };
                format!(
                    "term {index} does when the predicate {predicate} {must}, asked with {gas} gas"
                )
            }));
        }
        Deployment::Predicate(predicate) => {
            if let Value::Object(map) = of_predicate(predicate) {
                lines.extend(map.iter().map(|(name, value)| match value {
                    Value::String(text) => format!("{name} = {text}"),
                    other => format!("{name} = {other}"),
                }));
            }
        }
        Deployment::Agents(registry) => {
            lines.push(match registry.admission {
                Admission::Open => "anybody may register agents".to_owned(),
                Admission::Curated => "only the registrar registers agents".to_owned(),
                Admission::FixedSupply { max_supply } => {
                    format!("only the registrar registers agents, {max_supply} at most")
                }
            });
            lines.push(match registry.registrar {
                Address::ZERO => "nobody is its registrar, ever: its metadata is final".to_owned(),
                registrar => format!("its registrar is {registrar}"),
            });
            lines.extend(registry.metadata.iter().map(shown));
        }
    }
    lines
}

fn agent_lines(agent: &NewAgent) -> Vec<String> {
    let owner = format!("a new agent is registered for {}", agent.owner);
    std::iter::once(owner)
        .chain(agent.metadata.iter().map(shown))
        .collect()
}

pub(super) fn called(to: Address, call: &Call) -> Vec<String> {
    match call {
        Call::RegisterService {
            owner,
            service_type,
            service,
            agent_account,
        } => {
            let mut lines = vec![format!("a new agent is registered for {owner}")];
            if !service_type.is_empty() {
                lines.push(format!("service_type = {}", quoted(service_type)));
            }
            if !service.is_empty() {
                lines.push(format!("service = {}", quoted(service)));
            }
            if !agent_account.is_zero() {
                lines.push(format!("agent_account = {agent_account}"));
            }
            lines
        }
        Call::Register(agent) => agent_lines(agent),
        Call::RegisterBatch(agents) => {
            if let [one] = agents.as_slice() {
                return agent_lines(one);
            }
            let many = agents.len();
            let mut lines = vec![format!("{many} new agents, all of them or none")];
            lines.extend(agents.iter().enumerate().flat_map(|(index, agent)| {
                // Which of them a line is about, also where it stands far below the first.
                let number = index.saturating_add(1);
                let lines = agent_lines(agent).into_iter();
                lines.map(move |line| format!("{number} of {many}: {line}"))
            }));
            lines
        }
        Call::SetMetadata { agent_id, entry } => {
            vec![format!("agent {agent_id}: {}", shown(entry))]
        }
        Call::SetMetadataBatch { agent_id, entries } => {
            let line = |entry| format!("agent {agent_id}: {}", shown(entry));
            entries.iter().map(line).collect()
        }
        Call::Transfer { receiver, agent_id } => {
            vec![format!(
                "agent {agent_id} belongs to {receiver} from then on"
            )]
        }
        Call::TransferFrom {
            sender,
            receiver,
            agent_id,
        } => vec![format!(
            "agent {agent_id} belongs to {receiver} from then on, and no more to {sender}"
        )],
        Call::Approve {
            spender,
            agent_id,
            amount,
        } => vec![match *amount {
            U256::ZERO => format!("{spender} may not act for agent {agent_id} any more"),
            U256::MAX => format!(
                "{spender} may write the metadata of agent {agent_id} and transfer it, until that is revoked"
            ),
            amount => format!(
                "{spender} may write the metadata of agent {agent_id}, and transfer it {}",
                if amount == U256::ONE {
                    "once".to_owned()
                } else {
                    format!("{amount} times")
                }
            ),
        }],
        Call::SetOperator { operator, approved } => vec![if *approved {
            format!(
                "{operator} may act for every agent that you own in this registry, also those to come"
            )
        } else {
            format!("{operator} may not act for your agents any more")
        }],
        Call::SetContractMetadata(entry) => vec![format!("the registry {to}: {}", shown(entry))],
        Call::NominateRegistrar(nominee) => vec![match *nominee {
            Address::ZERO => "nobody is nominated as registrar any more".to_owned(),
            nominee => format!(
                "{nominee} may become the registrar of {to} by accepting; until then nothing changes"
            ),
        }],
        Call::AcceptRegistrar => vec![format!("you become the registrar of {to}")],
        Call::RenounceRegistrar => vec![format!(
            "nobody is the registrar of {to} any more, for ever: its metadata is final, and where agents are admitted, none will be"
        )],
        _ => of_tool(call),
    }
}

fn of_tool(call: &Call) -> Vec<String> {
    let predicate = |predicate: &Address| match *predicate {
        Address::ZERO => "everybody has access".to_owned(),
        predicate => format!("the contract {predicate} decides who has access"),
    };
    match call {
        Call::RegisterTool {
            metadata_uri,
            manifest_hash,
            access_predicate,
        } => vec![
            "a new tool is registered, and you are its creator for ever".to_owned(),
            format!("its manifest is at {metadata_uri}"),
            format!("its manifest's hash is {manifest_hash}"),
            predicate(access_predicate),
        ],
        Call::UpdateToolMetadata {
            tool_id,
            metadata_uri,
            manifest_hash,
        } => vec![
            format!("tool {tool_id}: its manifest is at {metadata_uri}"),
            format!("tool {tool_id}: its manifest's hash is {manifest_hash}"),
        ],
        Call::SetAccessPredicate {
            tool_id,
            access_predicate,
        } => vec![format!("tool {tool_id}: {}", predicate(access_predicate))],
        Call::DeregisterTool(tool_id) => vec![format!(
            "tool {tool_id} is removed FOR EVER: nobody, you included, can bring it back or use its id again"
        )],
        Call::SetAllowed {
            tool_id,
            accounts,
            allowed,
        } => {
            let word = if *allowed { "has" } else { "has no" };
            let line = |account| format!("tool {tool_id}: {account} {word} access");
            accounts.iter().map(line).collect()
        }
        Call::SetRoot { tool_id, root } => vec![format!(
            "tool {tool_id}: who has access is what the Merkle root {root} says"
        )],
        // Those of agents are told above.
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use deedbox_registry::Term;

    use super::*;

    #[test]
    fn marks_on_letters_show_and_what_nobody_sees_is_escaped() {
        for (text, shown) in [
            ("e\u{301}te\u{301}", "\"e\u{301}te\u{301}\""),
            ("मौसम", "\"मौसम\""),
            ("it's \"it\" \\", "\"it's \\\"it\\\" \\\\\""),
            ("a\u{202e}b\nc\u{200b}", "\"a\\u{202e}b\\nc\\u{200b}\""),
            (
                "a\u{fe01}\u{e0101}\u{34f}",
                "\"a\\u{fe01}\\u{e0101}\\u{34f}\"",
            ),
            // It stands on nothing.
            ("\u{301}a", "\"\\u{301}a\""),
        ] {
            assert_eq!(quoted(text), shown);
        }
    }

    #[test]
    fn what_is_shown_of_a_value_is_all_of_it() {
        let long = format!("{}the end", "x".repeat(5_000));
        let entry = Entry::text("description".parse().unwrap(), &long).unwrap();
        assert_eq!(shown(&entry), format!("description = {long:?}"));
        let bytes = Entry::new("image".parse().unwrap(), vec![0xff_u8, 0x00]).unwrap();
        assert_eq!(shown(&bytes), "image = 2 bytes that are no text: 0xff00");
    }

    #[test]
    fn terms_are_told_in_sentences() {
        let term = |byte, negated| Term {
            predicate: Address::repeat_byte(byte),
            negated,
            gas_limit: 50_000,
        };
        let composite = Predicate::Composite {
            caller: Address::repeat_byte(0x33),
            logic: Logic::All,
            terms: vec![term(0x11, false), term(0x22, true)],
        };
        assert_eq!(
            created(&Deployment::Predicate(composite)),
            [
                "a new CompositePredicate is created",
                "it gives access when all of its terms do",
                "only 0x3333333333333333333333333333333333333333 may ask it",
                "term 0 does when the predicate 0x1111111111111111111111111111111111111111 allows, asked with 50000 gas",
                "term 1 does when the predicate 0x2222222222222222222222222222222222222222 denies, asked with 50000 gas",
            ]
        );
    }
}
