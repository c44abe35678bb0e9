//! The operator key of the first run.

use deedbox_core::{ApiKey, Attribution, Command, Principal, Refusal, Scopes, World, text::Name};
use deedbox_store::{Execute, Store};

use crate::{database, failure::Failure, settings::Settings};

/// Makes an operator key when there is none yet: not in the database, and not as an access token. Of several
/// replicas that start at once, one makes it.
///
/// # Errors
/// When the database cannot be asked.
pub(super) async fn issue(
    settings: &Settings,
    store: &dyn Store,
    world: &dyn World,
) -> Result<Option<ApiKey>, Failure> {
    if settings.access_token.value.is_some() {
        return Ok(None);
    }
    let key = ApiKey::generate(world);
    let command = Command::IssueKey {
        id: key.id().clone(),
        secret_hash: key.hash(),
        actor: None,
        scopes: Scopes::all(),
        label: Name::new("first run").ok(),
        agent_label: None,
        expires_at: None,
        only_first_operator: true,
    };
    let execute = Execute {
        command,
        attribution: Attribution::of(Principal::local()),
        idempotency: None,
    };
    match store
        .execute(execute)
        .await
        .map_err(database::failed(settings))?
    {
        Ok(_) => Ok(Some(key)),
        Err(Refusal::OperatorExists) => Ok(None),
        Err(refusal) => Err(refusal.into()),
    }
}
