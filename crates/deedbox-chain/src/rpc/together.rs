//! Several questions to one endpoint that are pinned to no block, answered together with the one which chain it is on.

use tokio::time::Instant;

use super::{
    endpoint::{Answer, Endpoint},
    line::Turn,
    trouble::Trouble,
    wire::Ask,
};

/// Whether so many questions come in one request, and so from one node.
pub(super) fn fit(endpoint: &Endpoint, count: usize) -> bool {
    endpoint.condition().max_batch(Instant::now()) > count
}

/// How many questions come in one request; also where that is one without the chain's id.
pub(super) fn most(endpoint: &Endpoint) -> usize {
    let most = endpoint.condition().max_batch(Instant::now());
    most.saturating_sub(1).max(1)
}

/// Answers to all of `asks`, in as few requests as the endpoint allows, one after the other.
pub(super) async fn all(
    endpoint: &Endpoint,
    asks: &[Ask],
    turn: Turn,
) -> Result<Vec<Answer>, Trouble> {
    let mut answers = Vec::with_capacity(asks.len());
    while answers.len() < asks.len() {
        let rest = &asks[answers.len()..];
        // One place in each batch is for the chain's id.
        let most = endpoint.condition().max_batch(Instant::now()) - 1;
        if most == 0 {
            answers.extend(apart(endpoint, rest, turn).await?);
            break;
        }
        match batch(endpoint, &rest[..most.min(rest.len())], turn).await {
            Err(Trouble::BatchRefused { .. }) => {}
            batch => answers.extend(batch?),
        }
    }
    Ok(answers)
}

/// Answers to all of `asks`, in one request. That it takes no such batch is remembered.
pub(super) async fn batch(
    endpoint: &Endpoint,
    asks: &[Ask],
    turn: Turn,
) -> Result<Vec<Answer>, Trouble> {
    let sealed: Vec<_> = asks
        .iter()
        .cloned()
        .chain([Endpoint::which_chain()])
        .collect();
    let answers = endpoint.ask(&sealed, turn).await.and_then(|answers| {
        let is_refusal = |answer: &&Answer| matches!(answer, Err(Trouble::BatchRefused { .. }));
        match answers.iter().find(is_refusal) {
            Some(Err(refusal)) => Err(refusal.clone()),
            _ => Ok(answers),
        }
    });
    if let Err(Trouble::BatchRefused { at_most }) = answers {
        let mut condition = endpoint.condition();
        condition.batch_refused(sealed.len(), at_most, Instant::now());
    }
    let mut answers = answers?;
    endpoint.is_on_its_chain(answers.pop().unwrap_or(Err(Trouble::Internal)))?;
    Ok(answers)
}

/// Answers to all of `asks`, each in a request of its own, in their order.
pub(super) async fn apart(
    endpoint: &Endpoint,
    asks: &[Ask],
    turn: Turn,
) -> Result<Vec<Answer>, Trouble> {
    let mut answers = Vec::with_capacity(asks.len());
    for ask in asks {
        answers.push(alone(endpoint, ask, turn).await?);
    }
    let chain = alone(endpoint, &Endpoint::which_chain(), Turn::Next).await?;
    endpoint.is_on_its_chain(chain)?;
    Ok(answers)
}

async fn alone(endpoint: &Endpoint, ask: &Ask, turn: Turn) -> Result<Answer, Trouble> {
    match endpoint.ask(std::slice::from_ref(ask), turn).await {
        // What is wrong with this request need not be wrong with the others.
        Err(
            trouble @ (Trouble::ResponseTooLarge
            | Trouble::TooManyBlocks { .. }
            | Trouble::TooManyLogs { .. }
            | Trouble::BlockUnknown
            | Trouble::BadParams),
        ) => Ok(Err(trouble)),
        // It was no batch, so it was too large by itself (HTTP 413).
        Err(Trouble::BatchRefused { .. }) => Ok(Err(Trouble::BadParams)),
        Err(trouble) => Err(trouble),
        Ok(answers) => Ok(answers.into_iter().next().unwrap_or(Err(Trouble::Internal))),
    }
}
