//! `deedbox tool prove`: an access proof (ERC-8257, *Concrete AccessProof Pattern*), or a proof for one request at an endpoint, signed
//! here.

use std::{collections::BTreeSet, process::ExitCode};

use alloy_primitives::{Address, B256, Bytes};
use deedbox_core::Timestamp;
use deedbox_id::ToolReference;
use deedbox_publish::{PublishError, Signer as _};
use deedbox_registry::{AccessProof, Credential, EndpointProof};
use deedbox_server::{Extras, Reply, Tool};
use serde_json::{Value, json};

use super::{SAYS_NO, ask::checked, take};
use crate::{
    accounts::{Signing, ask::tell},
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
    audience: Option<String>,
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
    let usual = if prove.audience.is_some() {
        "5m"
    } else {
        "10m"
    };
    let span = prove.expires_in.as_deref().unwrap_or(usual).parse::<Span>();
    let expires_in = span.map_err(|error| Failure::argument(EXPIRES_IN, error))?;
    if expires_in.as_millis() < 1000 {
        return Err(Failure::argument(EXPIRES_IN, "must be a second at least"));
    }
    if expires_in.as_millis() > HOUR && !prove.long_lived {
        let reason = match prove.audience {
            None => {
                "is more than an hour, and until then whoever sees the proof can use it; take less, or add --long-lived"
            }
            Some(_) => "is more than an hour, and no gate takes such a proof",
        };
        return Err(Failure::argument(EXPIRES_IN, reason));
    }
    prove.common.chains.add_to(flags);
    let predicate = prove.predicate.as_deref();
    let predicate = predicate.map(|text| publishing::address("--predicate", text, chain_id));
    Ok(Proof {
        tool,
        chain_id,
        expires_in,
        audience: prove.audience.as_deref().map(origin).transpose()?,
        predicate: predicate.transpose()?,
        signer: prove.signer,
        task: prove.common.task,
    })
}

/// The origin in a URL, as a gate has it: without a path, and without the port that goes without saying.
fn origin(text: &str) -> Result<String, Failure> {
    let url = text.parse::<url::Url>();
    let url = url.map_err(|error| Failure::argument("--for", error))?;
    if !matches!(url.scheme(), "https" | "http") || !matches!(url.path(), "" | "/") {
        let reason = "must be where the tool's endpoint is, without a path: https://HOST or https://HOST:PORT";
        return Err(Failure::argument("--for", reason));
    }
    Ok(url.origin().ascii_serialization())
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
    let ends = ends(desk.world.now(), proof.expires_in)?;
    let predicate = match choose(&takers(&data), proof.predicate) {
        Ok(predicate) => Some(predicate),
        // It is for the endpoint, then, and for nobody else.
        Err(Choice::None) if proof.audience.is_some() => None,
        Err(Choice::None) => return refused(desk, &data),
        Err(Choice::Which(all)) => {
            let all: Vec<_> = all.iter().map(ToString::to_string).collect();
            let reason = format!(
                "must say which of these is meant to take the proof: {}",
                all.join(", ")
            );
            return Err(Failure::argument("--predicate", reason));
        }
    };
    let access_proof = predicate.map(|predicate| AccessProof {
        chain_id: proof.chain_id,
        predicate,
        tool_id: proof.tool.tool_id(),
        account,
        deadline: ends.1,
    });
    let for_predicate = match access_proof {
        Some(access_proof) => {
            let signature = sign(&signer, access_proof.digest()).await?;
            access_proof.data(&signature)
        }
        None => Bytes::new(),
    };
    match (&proof.audience, access_proof) {
        (Some(audience), _) => {
            let proof = endpoint_proof(desk, &proof, account, audience.clone(), ends.1)?;
            let credential = Credential {
                signature: sign(&signer, proof.digest()).await?,
                data: for_predicate,
                proof,
            };
            tell_credential(desk, &credential, ends.0)
        }
        (None, Some(access_proof)) => {
            tell_access_proof(desk, &proof, &access_proof, &for_predicate, &data, ends.0)
        }
        // Unreachable: without an audience there is a predicate, or it was refused.
        (None, None) => refused(desk, &data),
    }
}

/// Signs with a key of this machine, and looks whether it is the account's.
async fn sign(signer: &Signing, digest: B256) -> Result<Bytes, Failure> {
    let failed = |error| Failure::Publish(Box::new(error));
    let account = signer.address();
    let signature = signer.sign(digest).await;
    let signature = signature.map_err(|error| failed(PublishError::from(error)))?;
    if signature.recover_address_from_prehash(&digest).ok() != Some(account) {
        return Err(failed(PublishError::WrongSignature { expected: account }));
    }
    Ok(Bytes::from(signature.as_bytes()))
}

/// A proof for one request.
fn endpoint_proof(
    desk: &Desk<'_>,
    proof: &Proof,
    account: Address,
    audience: String,
    deadline: u64,
) -> Result<EndpointProof, Failure> {
    let issued_at = u64::try_from(desk.world.now().as_millis() / 1000);
    let before_1970 = |_| Failure::argument("--for", "the clock of this machine is before 1970");
    let mut nonce = B256::ZERO;
    desk.world.fill(nonce.as_mut_slice());
    Ok(EndpointProof {
        chain_id: proof.chain_id,
        registry: Address::from(proof.tool.registry().0),
        tool_id: proof.tool.tool_id(),
        account,
        audience,
        // The clock may have gone on since the deadline was settled; the proof is no longer than was asked.
        issued_at: issued_at.map_err(before_1970)?.min(deadline),
        deadline,
        nonce,
    })
}

fn tell_credential(
    desk: &Desk<'_>,
    credential: &Credential,
    ends_at: Timestamp,
) -> Result<ExitCode, Failure> {
    let proof = &credential.proof;
    let value = json!({
        "tool": proof.tool().map(|tool| tool.to_string()),
        "account": proof.account,
        "audience": proof.audience,
        "deadline": proof.deadline,
        "ends_at": ends_at,
        "authorization": credential.authorization(),
        "has_access_proof": !credential.data.is_empty(),
    });
    // By itself, so that a shell can put it into a header; what is to be known stands on standard error.
    desk.output.print(&value, |_| credential.authorization())?;
    tell(
        "! It lets one request in, of whoever sends it first: give it to the tool at that origin, and to nobody else.",
    );
    Ok(ExitCode::SUCCESS)
}

fn tell_access_proof(
    desk: &Desk<'_>,
    proof: &Proof,
    access_proof: &AccessProof,
    for_predicate: &Bytes,
    data: &Value,
    ends_at: Timestamp,
) -> Result<ExitCode, Failure> {
    let predicate = access_proof.predicate;
    let composite = data["registration"]["access_predicate"]
        .as_str()
        .and_then(|text| text.parse::<Address>().ok())
        .is_some_and(|registered| registered != predicate);
    let value = json!({
        "tool": proof.tool.to_string(),
        "account": access_proof.account,
        "predicate": predicate,
        "deadline": access_proof.deadline,
        "ends_at": ends_at,
        "data": for_predicate,
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
            moment(ends_at),
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
    Which(BTreeSet<Address>),
}

/// The predicate that takes the proof: the one that is named, or the only one that says so.
fn choose(found: &BTreeSet<Address>, named: Option<Address>) -> Result<Address, Choice> {
    match (named, found.first(), found.len()) {
        (Some(named), ..) => Ok(named),
        (None, Some(only), 1) => Ok(*only),
        (None, None, _) => Err(Choice::None),
        (None, Some(_), _) => Err(Choice::Which(found.clone())),
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
        let both = of(&[one, two]);
        assert_eq!(choose(&both, None), Err(Choice::Which(both.clone())));
        assert_eq!(choose(&of(&[one, two]), Some(two)), Ok(two));
        assert_eq!(choose(&of(&[]), None), Err(Choice::None));
    }

    #[test]
    fn an_audience_is_an_origin_in_its_one_spelling() {
        let of = |text: &str| origin(text).map_err(|failure| failure.to_string());
        for text in [
            "https://Tool.example",
            "https://tool.example/",
            "https://tool.example:443",
        ] {
            assert_eq!(of(text), Ok("https://tool.example".to_owned()), "{text}");
        }
        assert_eq!(
            of("http://127.0.0.1:8080"),
            Ok("http://127.0.0.1:8080".to_owned())
        );
        for text in ["tool.example", "https://tool.example/shout", "mailto:a@b"] {
            assert!(of(text).unwrap_err().contains("--for"), "{text}");
        }
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
