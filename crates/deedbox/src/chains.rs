//! The chains and the policy that are in force, for every command that reads chains.

use std::sync::Arc;

use deedbox_chain::{BadConfig, Chains};
use deedbox_core::World;
use deedbox_server::{Toolset, policy::Policy};

use crate::{
    failure::Failure,
    settings::{Environment, Settings},
};

/// Makes the chains ready to be read, and says what may be read of them. Looks up the variables and files that their
/// settings name; connects to nothing.
///
/// # Errors
/// [`Failure::Setting`] names the chain, the endpoint and the place of what cannot be used, and repeats no secret;
/// [`Failure::CannotRead`] a file of certificates.
pub(crate) fn open(
    settings: &Settings,
    environment: &Environment,
    world: Arc<dyn World>,
) -> Result<(Arc<Chains>, Policy), Failure> {
    let configs = settings
        .chains
        .iter()
        .map(|chain| chain.config(environment))
        .collect::<Result<_, _>>()?;
    let chains = Chains::new(configs, world).map_err(|error| refused(settings, &error))?;
    Ok((Arc::new(chains), settings.policy.value.clone()))
}

/// The same for a server. One that does not offer the tools of chains needs none of their secrets.
///
/// # Errors
/// As [`open`].
pub(crate) fn of_server(
    settings: &Settings,
    environment: &Environment,
    world: Arc<dyn World>,
) -> Result<(Option<Arc<Chains>>, Policy), Failure> {
    if settings.toolsets.value.contains(Toolset::Chain) {
        let (chains, policy) = open(settings, environment, world)?;
        Ok((Some(chains), policy))
    } else {
        Ok((None, settings.policy.value.clone()))
    }
}

fn refused(settings: &Settings, error: &BadConfig) -> Failure {
    let (BadConfig::Chain { chain: id, .. } | BadConfig::Endpoint { chain: id, .. }) = error;
    let chain = settings.chains.iter().find(|chain| chain.id == *id);
    let endpoint = chain.and_then(|chain| match error {
        BadConfig::Endpoint { endpoint, .. } => chain
            .endpoints
            .iter()
            .find(|one| one.limits.id == *endpoint)
            .map(|one| one.source.clone()),
        BadConfig::Chain { .. } => None,
    });
    Failure::Setting {
        name: "chains",
        reason: error.to_string(),
        source_of: endpoint
            .or_else(|| chain.map(|chain| chain.source.clone()))
            .unwrap_or(crate::settings::Source::Default),
    }
}
