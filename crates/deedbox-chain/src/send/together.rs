//! Several questions to one endpoint, answered together with the one which chain it is on.

use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::rpc::{
    endpoint::{Answer, Endpoint, Heard},
    line::Turn,
    trouble::{Fault, Trouble},
    wire::Ask,
};

/// Answers to `asks`, in one request where the endpoint takes batches, with its own words where it refuses one of them.
pub(super) async fn hear<const N: usize>(
    endpoint: &Endpoint,
    asks: [Ask; N],
) -> Result<[Heard; N], Trouble> {
    let heard = loop {
        if endpoint.condition().max_batch(Instant::now()) <= N {
            break one_by_one(endpoint, &asks).await?;
        }
        match batch(endpoint, &asks).await {
            Err(Trouble::BatchRefused { at_most }) => {
                let mut condition = endpoint.condition();
                condition.batch_refused(N + 1, at_most, Instant::now());
            }
            heard => break heard?,
        }
    };
    heard.try_into().map_err(|_| Trouble::Internal)
}

/// As [`hear`], without the words.
pub(super) async fn ask<const N: usize>(
    endpoint: &Endpoint,
    asks: [Ask; N],
) -> Result<[Answer; N], Trouble> {
    Ok(hear(endpoint, asks).await?.map(plain))
}

/// As [`ask`], of which each answer is needed.
pub(super) async fn need<const N: usize>(
    endpoint: &Endpoint,
    asks: [Ask; N],
) -> Result<[Box<RawValue>; N], Trouble> {
    let answers: Result<Vec<_>, _> = ask(endpoint, asks).await?.into_iter().collect();
    answers?.try_into().map_err(|_| Trouble::Internal)
}

fn plain(heard: Heard) -> Answer {
    heard.map_err(|fault| fault.trouble)
}

async fn batch(endpoint: &Endpoint, asks: &[Ask]) -> Result<Vec<Heard>, Trouble> {
    let sealed: Vec<_> = asks
        .iter()
        .cloned()
        .chain([Endpoint::which_chain()])
        .collect();
    let heard = endpoint.hear(&sealed, Turn::First).await;
    let mut heard = heard.map_err(|fault| fault.trouble)?;
    let refusal = heard.iter().find_map(|heard| match heard {
        Err(Fault {
            trouble: refusal @ Trouble::BatchRefused { .. },
            ..
        }) => Some(refusal.clone()),
        _ => None,
    });
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    let chain = heard.pop().map_or(Err(Trouble::Internal), plain);
    endpoint.is_on_its_chain(chain)?;
    Ok(heard)
}

async fn one_by_one(endpoint: &Endpoint, asks: &[Ask]) -> Result<Vec<Heard>, Trouble> {
    let mut heard = Vec::new();
    for ask in asks {
        let answers = endpoint.hear(std::slice::from_ref(ask), Turn::First).await;
        heard.push(match answers {
            Ok(answers) => answers
                .into_iter()
                .next()
                .unwrap_or_else(|| Err(Trouble::Internal.into())),
            // An error that names no request is about the only one.
            Err(fault) if fault.words.is_some() => Err(fault),
            Err(fault) => return Err(fault.trouble),
        });
    }
    let chain = [Endpoint::which_chain()];
    let chain = endpoint.ask(&chain, Turn::Next).await?.into_iter().next();
    endpoint.is_on_its_chain(chain.unwrap_or(Err(Trouble::Internal)))?;
    Ok(heard)
}
