//! `deedbox publication resume`

use std::process::ExitCode;

use deedbox_core::{PublicationId, Refusal};
use deedbox_publish::Signer;

use super::{How, Outcome, Surroundings, failed, shown, teller::Shown};
use crate::{
    accounts::Signing,
    cli::{Sending, SignerFlags},
    commands::{Desk, account},
    failure::Failure,
    settings::{Environment, Flags},
};

/// A publication that is to be gone on with.
pub(in crate::commands) struct Resume {
    id: PublicationId,
    raise_fee: bool,
    how: How,
}

impl Resume {
    /// Reads the arguments, and takes the flags of settings out of them.
    ///
    /// # Errors
    /// [`Failure::Argument`].
    pub(in crate::commands) fn of(
        id: PublicationId,
        raise_fee: bool,
        signer: SignerFlags,
        sending: Sending,
        flags: &mut Flags,
    ) -> Result<Self, Failure> {
        let signs = [
            ("--keystore", signer.keystore.is_some()),
            ("--password-file", signer.password_file.is_some()),
            ("--prompt-key", signer.prompt_key),
            ("--from", signer.from.is_some()),
        ];
        if let Some((flag, _)) = signs.into_iter().find(|(_, given)| *given)
            && !raise_fee
        {
            let reason =
                "nothing is signed when a publication is resumed; leave it out, or say --raise-fee";
            return Err(Failure::argument(flag, reason));
        }
        let how = How::sending(sending, signer, false, flags)?;
        Ok(Self { id, raise_fee, how })
    }
}

/// Goes on with it.
///
/// # Errors
/// As publishing; there is no such publication.
pub(in crate::commands) async fn resume(
    desk: &Desk<'_>,
    environment: &Environment,
    resume: Resume,
) -> Result<ExitCode, Failure> {
    let Resume { id, raise_fee, how } = resume;
    let publication = desk.ask(desk.store.publication(id)).await?;
    let publication = publication.ok_or(Refusal::PublicationNotFound(id))?;
    let state = &publication.state;
    let (chain_id, to) = (state.signer.chain_id, state.to);
    let mut options = how.options(desk.settings, chain_id)?;
    options.raise_fee = raise_fee;
    let folder = account::folder(desk.settings)?;
    let signing = if raise_fee {
        Some(Signing::of(
            &how.signer,
            false,
            chain_id,
            &folder,
            environment,
        )?)
    } else {
        None
    };
    let surroundings = Surroundings::open(desk, environment)?;
    let mut teller = Shown::new(desk.output, how.yes, false, environment);
    if !raise_fee {
        // Nobody is asked anything any more.
        teller.goes_on_with(id);
    }
    let mut stop = teller.stop();
    let published = tokio::select! {
        stopped = stop.wanted() => Err(stopped),
        published = deedbox_publish::resume(
            surroundings.desk(desk),
            id,
            signing.as_ref().map(|signing| signing as &dyn Signer),
            &options,
            &mut teller,
        ) => published.map_err(|error| failed(desk.settings, error)),
    };
    teller.end();
    let published = match published {
        Err(failure) if raise_fee && is_outrun(&failure) => {
            let now = desk.ask(desk.store.publication(id)).await?;
            let known = publication.state.attempts.len();
            return Err(match now {
                Some(now) if now.state.attempts.len() > known => Failure::AnotherAttempt { id },
                _ => failure,
            });
        }
        published => published?,
    };
    let outcome = Outcome {
        chain_id,
        to: to.and_then(|to| to.to_string().parse().ok()),
        published,
    };
    shown::print(desk, &[outcome], false)
}

/// Whether the ledger refused an attempt for what it offers: then another may have come first.
fn is_outrun(failure: &Failure) -> bool {
    matches!(failure, Failure::Refused(Refusal::InvalidInput { field, .. }) if field.starts_with("attempt."))
}
