//! `deedbox chain …`: a chain of one's own, with something on it.

mod anvil;
mod samples;
mod setup;
mod summary;

use std::{fs, path::PathBuf, process::ExitCode};

use indicatif::{ProgressBar, ProgressStyle};

use self::{
    anvil::{Anvil, How},
    summary::Summary,
};
use crate::{
    cli::Dev,
    failure::Failure,
    render::Output,
    serve::stop::Signals,
    settings::{Environment, Settings},
};

/// How often the sign of life moves.
const TICK: std::time::Duration = std::time::Duration::from_millis(120);

/// The chain id that everybody knows to be of a development chain.
const DEVELOPMENT: u64 = 31337;

/// A signature names a chain by its id alone, so what is signed here can be sent there. There is nowhere to complain that
/// standard error is gone.
fn warn_of_id(id: u64) {
    drop(std::io::Write::write_fmt(
        &mut std::io::stderr(),
        format_args!(
            "! If there is another chain with the id {id}, whatever is signed for this one is valid there, too: sign with no key of yours\n"
        ),
    ));
}

/// Where a chain is kept: a folder that was named, or one that goes with the process.
enum Place {
    Kept(PathBuf),
    Gone(tempfile::TempDir),
}

impl Place {
    fn of(dev: &Dev) -> Result<Self, Failure> {
        match &dev.state_dir {
            Some(folder) => {
                fs::create_dir_all(folder).map_err(|source| Failure::CannotWrite {
                    path: folder.clone(),
                    source,
                })?;
                Ok(Self::Kept(folder.clone()))
            }
            None => tempfile::Builder::new()
                .prefix("deedbox-chain-")
                .tempdir()
                .map(Self::Gone)
                .map_err(|source| Failure::io("making a folder", source)),
        }
    }

    fn path(&self) -> &std::path::Path {
        match self {
            Self::Kept(folder) => folder,
            Self::Gone(folder) => folder.path(),
        }
    }

    const fn is_kept(&self) -> bool {
        matches!(self, Self::Kept(_))
    }
}

/// Starts the chain, puts something on it, and stays until it is told to stop.
///
/// # Errors
/// [`Failure::NoChain`]; what goes wrong with what is put on it.
pub(super) async fn dev(
    dev: Dev,
    settings: &Settings,
    environment: &Environment,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let mut signals = Signals::new()?;
    if dev.chain_id != DEVELOPMENT {
        warn_of_id(dev.chain_id);
    }
    let data_dir = settings.data_dir.value.as_ref().ok_or(Failure::NoDataDir)?;
    let tools = data_dir.join("tools");
    let place = Place::of(&dev)?;
    let state = place.path().join("state.json");
    let goes_on = place.is_kept() && state.is_file();
    let summary = match goes_on {
        true => Summary::read(place.path(), dev.chain_id)?,
        false => None,
    };
    tokio::select! {
        // Nothing was promised yet, and everything that was started ends with this process.
        () = signals.next() => Ok(ExitCode::SUCCESS),
        started = started(&dev, environment, &tools, &place, &state, summary) => {
            let (mut anvil, summary) = started?;
            summary.print(output)?;
            tokio::select! {
                () = signals.next() => {
                    anvil.stop().await;
                    Ok(ExitCode::SUCCESS)
                }
                ended = anvil.ended() => {
                    // Ctrl-C on a terminal reaches anvil too, and it may be the quicker one; then it ended well.
                    ended.map(|()| ExitCode::SUCCESS)
                }
            }
        }
    }
}

async fn started(
    dev: &Dev,
    environment: &Environment,
    tools: &std::path::Path,
    place: &Place,
    state: &std::path::Path,
    summary: Option<Summary>,
) -> Result<(Anvil, Summary), Failure> {
    let program = match anvil::find(dev.anvil.as_deref(), environment, tools)? {
        Some(program) => program,
        None => {
            let progress = Progress::start("installing anvil with npm (once)");
            let installed = anvil::install(tools).await;
            progress.end();
            installed?
        }
    };
    let how = How {
        port: dev.port,
        chain_id: dev.chain_id,
        state: place.is_kept().then_some(state),
    };
    let anvil = Anvil::start(&program, &how).await?;
    let summary = match summary {
        Some(summary) => summary.at(&anvil.url),
        None if dev.bare => Summary::bare(&anvil.url, dev.chain_id),
        None => {
            let progress = Progress::start("registering sample agents and tools");
            let done = setup::all(&anvil.url, dev.chain_id, place.path()).await;
            progress.end();
            done?
        }
    };
    if place.is_kept() {
        summary.keep(place.path())?;
    }
    Ok((anvil, summary))
}

/// A sign of life on standard error: on a terminal one that moves, elsewhere a line.
struct Progress(ProgressBar);

impl Progress {
    fn start(what: &'static str) -> Self {
        let bar = ProgressBar::new_spinner();
        if bar.is_hidden() {
            drop(std::io::Write::write_fmt(
                &mut std::io::stderr(),
                format_args!("{what} …\n"),
            ));
        }
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        bar.enable_steady_tick(TICK);
        Self(bar)
    }

    fn end(self) {
        self.0.finish_and_clear();
    }
}
