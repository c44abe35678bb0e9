//! `deedbox tool prove`: an access proof (ERC-8257, *Concrete AccessProof Pattern*), signed here.

use std::{collections::BTreeSet, process::ExitCode};

use alloy_primitives::Address;
use deedbox_core::Timestamp;
use deedbox_id::ToolReference;
use deedbox_publish::{PublishError, Signer as _};
use deedbox_registry::AccessProof;
use deedbox_server::{Extras, Reply, Tool};
use serde_json::{Value, json};

use super::{SAYS_NO, ask::checked, take};
use crate::{
    accounts::Signing,
    cli::{Common, Prove, SignerFlags},
    commands::{Desk, account, publishing},
    duration::Span,
    failure::Failure,
    render::moment,
    settings::{Environment, Flags},
};

/// The longest that nobody has to ask for twice.
const HOUR: u64 = 60 * 60 * 1000;

/// A proof that is to be signed.
pub(in crate::commands) struct Proof {
    tool: ToolReference,
    chain_id: u64,
    expires_in: Span,
    predicate: Option<Address>,
    signer: SignerFlags,
    task: Option<String>,
}

/// Reads the arguments, and takes the flags of settings out of them.
///
/// # Errors
/// [`Failure::Argument`]: which argument is not what it should be; a proof that would count for more than an hour.
pub(in crate::commands) fn prove(prove: Prove, flags: &mut Flags) -> Result<Proof, Failure> {
    const EXPIRES_IN: &str = "--expires-in";
    let tool = publishing::tool_reference(&prove.tool)?;
    let chain_id = tool.chain().to_u64();
    let chain_id = chain_id
        .ok_or_else(|| Failure::argument("TOOL", "has a chain id that no endpoint can serve"))?;
    let span = prove.expires_in.parse::<Span>();
    let expires_in = span.map_err(|error| Failure::argument(EXPIRES_IN, error))?;
    if expires_in.as_millis() < 1000 {
        return Err(Failure::argument(EXPIRES_IN, "must be a second at least"));
    }
    if expires_in.as_millis() > HOUR && !prove.long_lived {
        let reason = "is more than an hour, and until then whoever sees the proof can use it; take less, or add --long-lived";
        return Err(Failure::argument(EXPIRES_IN, reason));
    }
    prove.common.chains.add_to(flags);
    let predicate = prove.predicate.as_deref();
    let predicate = predicate.map(|text| publishing::address("--predicate", text, chain_id));
    Ok(Proof {
        tool,
        chain_id,
        expires_in,
        predicate: predicate.transpose()?,
        signer: prove.signer,
        task: prove.common.task,
    })
}

/// Asks what the tool's predicate takes, signs, and prints the proof. The question is a reading as any other.
pub(in crate::commands) async fn run(
    desk: &Desk<'_>,
    environment: &Environment,
    proof: Proof,
) -> Result<ExitCode, Failure> {
    let folder = account::folder(desk.settings)?;
    let signer = Signing::of(&proof.signer, false, proof.chain_id, &folder, environment)?;
    let account = signer.address();
    let data = asked(desk, environment, &proof, account).await?;
    let found = takers(&data);
    let predicate = match choose(&found, proof.predicate) {
        Ok(predicate) => predicate,
        Err(Choice::None) => return refused(desk, &data),
        Err(Choice::Which) => {
            let all: Vec<_> = found.iter().map(ToString::to_string).collect();
            let reason = format!(
                "must say which of these is meant to take the proof: {}",
                all.join(", ")
            );
            return Err(Failure::argument("--predicate", reason));
        }
    };
    let ends = ends(desk.world.now(), proof.expires_in)?;
    let access_proof = AccessProof {
        chain_id: proof.chain_id,
        predicate,
        tool_id: proof.tool.tool_id(),
        account,
        deadline: ends.1,
    };
    let failed = |error| Failure::Publish(Box::new(error));
    let signature = signer.sign(access_proof.digest()).await;
    let signature = signature.map_err(|error| failed(PublishError::from(error)))?;
    let by = signature.recover_address_from_prehash(&access_proof.digest());
    if by.ok() != Some(account) {
        return Err(failed(PublishError::WrongSignature { expected: account }));
    }
    let composite = data["registration"]["access_predicate"]
        .as_str()
        .and_then(|text| text.parse::<Address>().ok())
        .is_some_and(|registered| registered != predicate);
    let value = json!({
        "tool": proof.tool.to_string(),
        "account": account,
        "predicate": predicate,
        "deadline": access_proof.deadline,
        "ends_at": ends.0,
        "data": access_proof.data(&signature.as_bytes()),
        "is_one_term": composite,
    });
    desk.output.print(&value, |output| {
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let one_term = if composite {
            "\nThe tool's predicate combines several: this is the element of its data for that one."
        } else {
            ""
        };
        format!(
            "{}\n\naccount    {}\npredicate  {}\nends       {}{one_term}\n{}",
            text("data"),
            text("account"),
            text("predicate"),
            moment(ends.0),
            output.paint.alert(
                "! Whoever sees it can use it until it ends: give it to the tool, and to nobody else."
            ),
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What is known of the account's access.
async fn asked(
    desk: &Desk<'_>,
    environment: &Environment,
    proof: &Proof,
    account: Address,
) -> Result<Value, Failure> {
    let arguments = json!({
        "tool": proof.tool.to_string(),
        "account": format!("{account:#x}"),
        "block": "latest",
    });
    let common = Common {
        task: proof.task.clone(),
        ..Common::default()
    };
    let prepared = checked(
        Tool::CheckToolAccess,
        arguments,
        common,
        &mut Flags::default(),
    )?;
    let extras: Extras = prepared.extras;
    let (_, answer) = take(desk, environment, prepared.operation, &extras).await?;
    Ok(match answer.reply {
        Reply::Reading(envelope) => envelope.data.map_or(Value::Null, Value::Object),
        _ => Value::Null,
    })
}

/// The tool takes no access proof, as far as its predicate says.
fn refused(desk: &Desk<'_>, data: &Value) -> Result<ExitCode, Failure> {
    let value = json!({"data": null, "access": data["access"]});
    desk.output.print(&value, |output| {
        let access = data["access"].as_str().unwrap_or_default().replace('_', " ");
        let no = output.paint.bad("Nothing was signed:");
        format!("{no} the tool's predicate does not say that it takes an access proof (access: {access}). If you know better, name it with --predicate.")
    })?;
    Ok(ExitCode::from(SAYS_NO))
}

/// Why no predicate is chosen.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    None,
    Which,
}

/// The predicate that takes the proof: the one that is named, or the only one that says so.
fn choose(found: &BTreeSet<Address>, named: Option<Address>) -> Result<Address, Choice> {
    match (named, found.first(), found.len()) {
        (Some(named), ..) => Ok(named),
        (None, Some(only), 1) => Ok(*only),
        (None, None, _) => Err(Choice::None),
        (None, Some(_), _) => Err(Choice::Which),
    }
}

/// Every predicate in what was read that says that it takes an access proof.
fn takers(data: &Value) -> BTreeSet<Address> {
    let mut found = BTreeSet::new();
    let mut left = vec![&data["predicate"]["requirements"]];
    while let Some(value) = left.pop() {
        match value {
            Value::Object(map) if value["type"] == "signed_access_proof" => {
                let contract = map.get("verifying_contract").and_then(Value::as_str);
                found.extend(contract.and_then(|text| text.parse::<Address>().ok()));
            }
            Value::Object(map) => left.extend(map.values()),
            Value::Array(items) => left.extend(items),
            _ => {}
        }
    }
    found
}

/// When a proof of that length ends, and the same in seconds since 1970.
fn ends(now: Timestamp, span: Span) -> Result<(Timestamp, u64), Failure> {
    let seconds = i64::try_from(span.as_millis() / 1000).unwrap_or(i64::MAX);
    let deadline = (now.as_millis() / 1000).saturating_add(seconds);
    let at = deadline
        .checked_mul(1000)
        .and_then(|millis| Timestamp::from_millis(millis).ok());
    match (at, u64::try_from(deadline)) {
        (Some(at), Ok(deadline)) => Ok((at, deadline)),
        _ => Err(Failure::argument(
            "--expires-in",
            "ends after the last time that there is",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_predicate_is_the_only_one_that_takes_a_proof_or_the_one_that_is_named() {
        let (one, two) = (Address::repeat_byte(1), Address::repeat_byte(2));
        let of = |all: &[Address]| all.iter().copied().collect::<BTreeSet<_>>();
        assert_eq!(choose(&of(&[one]), None), Ok(one));
        assert_eq!(choose(&of(&[one, two]), None), Err(Choice::Which));
        assert_eq!(choose(&of(&[one, two]), Some(two)), Ok(two));
        assert_eq!(choose(&of(&[]), None), Err(Choice::None));
    }

    #[test]
    fn takers_are_found_in_terms_of_composites() {
        let proof =
            json!({"type": "signed_access_proof", "verifying_contract": Address::repeat_byte(7)});
        let inner = json!({"requirements": [{"meaning": proof}]});
        let term = json!({"type": "composite_term", "requirements": inner});
        let data = json!({"predicate": {"requirements": {"requirements": [{"meaning": term}]}}});
        assert_eq!(takers(&data), BTreeSet::from([Address::repeat_byte(7)]));
        assert_eq!(takers(&json!({"predicate": null})), BTreeSet::new());
    }
}
