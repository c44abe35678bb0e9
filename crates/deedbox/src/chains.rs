//! The chains and the policy that are in force, for every command that reads chains.

use std::{fs, sync::Arc};

use deedbox_chain::{BadConfig, Chains};
use deedbox_core::World;
use deedbox_fetch::{Fetcher, Rules};
use deedbox_server::{Reader, Toolset, policy::Policy};

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

/// What fetches manifests, by the rules of the settings. Connects to nothing.
///
/// # Errors
/// [`Failure::CannotRead`] a file of certificates, [`Failure::Setting`] when there is none in it.
pub(crate) fn fetcher(settings: &Settings) -> Result<Fetcher, Failure> {
    let publishing = &settings.publishing;
    let mut roots = Vec::new();
    if let Some(path) = &publishing.fetch_ca_file.value {
        roots.push(
            fs::read_to_string(path).map_err(|source| Failure::CannotRead {
                path: path.clone(),
                source,
            })?,
        );
    }
    let rules = Rules {
        allow: publishing.fetch_allow.value.clone(),
        roots,
        ..Rules::default()
    };
    Fetcher::new(rules).map_err(|error| Failure::Setting {
        name: "fetch",
        reason: error.to_string(),
        source_of: publishing.fetch_ca_file.source.clone(),
    })
}

/// What takes readings: of the chains, and for manifests of the web.
///
/// # Errors
/// As [`open`] and [`fetcher`].
pub(crate) fn reader(
    settings: &Settings,
    environment: &Environment,
    world: Arc<dyn World>,
) -> Result<(Reader, Policy), Failure> {
    let (chains, policy) = open(settings, environment, Arc::clone(&world))?;
    let fetcher = Arc::new(fetcher(settings)?);
    Ok((Reader::new(chains, fetcher, world), policy))
}

/// The same for a server. One that offers no tools that read needs no secrets of chains.
///
/// # Errors
/// As [`reader`].
pub(crate) fn of_server(
    settings: &Settings,
    environment: &Environment,
    world: Arc<dyn World>,
) -> Result<(Option<Reader>, Policy), Failure> {
    let reads = [Toolset::Chain, Toolset::Agents, Toolset::Tools];
    if reads
        .iter()
        .any(|toolset| settings.toolsets.value.contains(*toolset))
    {
        let (reader, policy) = reader(settings, environment, world)?;
        Ok((Some(reader), policy))
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
