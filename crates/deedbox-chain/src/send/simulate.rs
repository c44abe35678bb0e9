//! Trying a draft on the newest state.

use alloy_primitives::Bytes;
use serde_json::{Value, json};

use super::{Draft, Simulated, Simulation, Tip, together};
use crate::rpc::{
    endpoint::{Endpoint, Heard},
    trouble::{Fault, Trouble},
    value,
    wire::Ask,
};

/// Tries `draft` on the pending state, and on the newest block's where the endpoint does not offer that.
pub(super) async fn ask(endpoint: &Endpoint, draft: &Draft) -> Result<Simulated, Trouble> {
    for on in [Tip::Pending, Tip::Latest] {
        let [called, estimated] = together::hear(endpoint, asks(draft, on)).await?;
        match outcome(called, estimated) {
            Ok(outcome) => return Ok(Simulated { on, outcome }),
            // It does not understand the tag, or has nothing behind it.
            Err(Trouble::BadParams | Trouble::BlockUnknown | Trouble::StateUnavailable)
                if on == Tip::Pending => {}
            Err(trouble) => return Err(trouble),
        }
    }
    Err(Trouble::Internal)
}

/// Tries `draft` on the state after the block at this height, to learn why it was reverted: what it returned, and none where it was not.
pub(super) async fn replay(
    endpoint: &Endpoint,
    draft: &Draft,
    number: u64,
) -> Result<Option<Bytes>, Trouble> {
    let ask = Ask {
        method: "eth_call",
        params: json!([call(draft), value::quantity(number)]),
    };
    let [called] = together::hear(endpoint, [ask]).await?;
    match called {
        Ok(_) => Ok(None),
        Err(fault) => match refused(fault)? {
            Simulation::Reverts { data } => Ok(Some(data)),
            Simulation::Succeeds { .. } | Simulation::CannotPay => Ok(None),
        },
    }
}

fn call(draft: &Draft) -> Value {
    let mut call = json!({"from": format!("{:#x}", draft.from), "data": draft.data.to_string()});
    if let Some(to) = draft.to {
        call["to"] = format!("{to:#x}").into();
    }
    call
}

fn asks(draft: &Draft, on: Tip) -> [Ask; 2] {
    let call = call(draft);
    let (tag, estimate): (_, Value) = match on {
        Tip::Pending => ("pending", json!([call, "pending"])),
        // Where it takes no tag, it takes none here either, and means the newest state.
        Tip::Latest => ("latest", json!([call])),
    };
    [
        Ask {
            method: "eth_call",
            params: json!([call, tag]),
        },
        Ask {
            method: "eth_estimateGas",
            params: estimate,
        },
    ]
}

fn outcome(called: Heard, estimated: Heard) -> Result<Simulation, Trouble> {
    match called {
        Ok(returned) => drop(value::bytes(&returned)?),
        Err(fault) => return refused(fault),
    }
    match estimated {
        Ok(gas) => Ok(Simulation::Succeeds {
            gas: value::number(&gas)?,
        }),
        Err(fault) => refused(fault),
    }
}

fn refused(fault: Fault) -> Result<Simulation, Trouble> {
    let Fault { trouble, words, .. } = fault;
    let unlimited = words.as_ref().is_some_and(|words| {
        // geth, Erigon, reth: more than the endpoint spends on an estimate. No balance limits it, because no price is named.
        words.message.starts_with("gas required exceeds")
    });
    match trouble {
        Trouble::Reverted(_) | Trouble::ExecutionFailed => Ok(Simulation::Reverts {
            data: words.and_then(|words| words.returned).unwrap_or_default(),
        }),
        Trouble::CannotPay => Ok(Simulation::CannotPay),
        _ if unlimited => Ok(Simulation::Reverts { data: Bytes::new() }),
        trouble => Err(trouble),
    }
}
