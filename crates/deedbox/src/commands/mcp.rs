//! `deedbox mcp`: one client over standard input and output.

use std::{process::ExitCode, sync::Arc};

use deedbox_core::{World, hash::SecretHash};
use deedbox_server::{App, Options, StdioError, auth::NotAdmitted, serve_stdio};

use crate::{
    chains,
    database::{self, WhenMissing},
    failure::Failure,
    serve::stop::Signals,
    settings::{Environment, Settings, environment::KEY_VARIABLE},
    world::SystemWorld,
};

/// Serves until the input ends or the process is told to stop.
pub(super) async fn serve(
    settings: &Settings,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    let key = environment.variable(KEY_VARIABLE).ok_or(Failure::NoKey)?;
    let mut signals = Signals::new()?;
    let world: Arc<dyn World> = Arc::new(SystemWorld);
    let (reader, policy) = chains::of_server(settings, environment, Arc::clone(&world))?;
    let store = database::open(settings, Arc::clone(&world), WhenMissing::Fail).await?;
    let index = database::index_of_server(settings).await?;
    let token = settings.access_token.value.as_ref();
    let options = Options {
        access_token: token.map(|token| SecretHash::of(token.0.as_bytes())),
        request_timeout: settings.request_timeout.value.to_duration(),
        toolsets: settings.toolsets.value,
        reader,
        policy,
        index: index.clone(),
        ..Options::default()
    };
    let app = App::new(Arc::clone(&store), world, options).map_err(|error| Failure::Setting {
        name: "allowed_hosts",
        reason: error.to_string(),
        source_of: settings.allowed_hosts.source.clone(),
    })?;
    let served = tokio::select! {
        served = serve_stdio(app, key, settings.labels()) => served,
        () = signals.next() => Ok(()),
    };
    if let Some(index) = index {
        index.close().await;
    }
    store.close().await;
    served.map_err(|error| failed(settings, error))?;
    Ok(ExitCode::SUCCESS)
}

fn failed(settings: &Settings, error: StdioError) -> Failure {
    match error {
        StdioError::NotAdmitted(NotAdmitted::Failed(cause)) => database::failed(settings)(cause),
        StdioError::NotAdmitted(_) => Failure::KeyRefused,
        other => Failure::Stdio(Box::new(other)),
    }
}
