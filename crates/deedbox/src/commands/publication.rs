//! `deedbox publication …`: what was published, and what has become of it.

use std::process::ExitCode;

use deedbox_core::{
    Attribution, ChainAddress, Deed, Publication, PublicationId, PublicationState, Refusal, limits,
    task::RecordAttribution,
};
use deedbox_store::{PublicationPlace, Publications};
use serde_json::{Value, json};

use super::{
    Desk, Wrong,
    publishing::{self, Resume},
    read_address,
};
use crate::{
    cli::PublicationCommand,
    failure::{Failure, Fault},
    render::{moment, published, table},
    settings::{Environment, Flags},
};

/// A command with its arguments read.
pub(super) enum Prepared {
    List {
        query: Publications,
        after: Option<PublicationId>,
    },
    Show(PublicationId),
    Resume(Box<Resume>),
}

fn id(what: &'static str, text: &str) -> Result<PublicationId, Failure> {
    text.parse().map_err(|error| Failure::argument(what, error))
}

fn account(text: &str) -> Result<ChainAddress, Failure> {
    read_address(text)
        .map(|(address, _)| ChainAddress(address.0))
        .map_err(|error| Failure::Identifier {
            fault: Fault::Part,
            what: "--account".to_owned(),
            text: text.to_owned(),
            wrong: Box::new(Wrong::from(error)),
        })
}

pub(super) fn prepare(command: PublicationCommand, flags: &mut Flags) -> Result<Prepared, Failure> {
    Ok(match command {
        PublicationCommand::List {
            open,
            chain_id,
            account: by,
            limit,
            after,
        } => {
            let limit = limit.unwrap_or(limits::PAGE_DEFAULT);
            if !(1..=limits::PAGE_MAX).contains(&limit) {
                let most = limits::PAGE_MAX;
                let reason = format_args!("must be 1 to {most}");
                return Err(Failure::argument("--limit", reason));
            }
            let query = Publications {
                open,
                chain_id,
                account: by.as_deref().map(account).transpose()?,
                after: None,
                limit,
            };
            let after = after.map(|text| id("--after", &text)).transpose()?;
            Prepared::List { query, after }
        }
        PublicationCommand::Show { publication } => {
            Prepared::Show(id("PUBLICATION", &publication)?)
        }
        PublicationCommand::Resume {
            publication,
            raise_fee,
            signer,
            sending,
        } => {
            let id = id("PUBLICATION", &publication)?;
            Prepared::Resume(Box::new(Resume::of(id, raise_fee, signer, sending, flags)?))
        }
    })
}

pub(super) async fn run(
    desk: &Desk<'_>,
    environment: &Environment,
    command: Prepared,
) -> Result<ExitCode, Failure> {
    match command {
        Prepared::Resume(resume) => return publishing::resume(desk, environment, *resume).await,
        Prepared::List { query, after } => list(desk, query, after).await?,
        Prepared::Show(id) => show(desk, &found(desk, id).await?)?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn found(desk: &Desk<'_>, id: PublicationId) -> Result<Publication, Failure> {
    let publication = desk.ask(desk.store.publication(id)).await?;
    publication.ok_or_else(|| Refusal::PublicationNotFound(id).into())
}

async fn list(
    desk: &Desk<'_>,
    mut query: Publications,
    after: Option<PublicationId>,
) -> Result<(), Failure> {
    if let Some(id) = after {
        let publication = found(desk, id).await?;
        query.after = Some(PublicationPlace::from(&publication.state));
    }
    let page = desk.ask(desk.store.publications(&query)).await?;
    let rest = |last: &PublicationState| {
        let rest = Publications {
            after: Some(PublicationPlace::from(last)),
            limit: 1,
            ..query.clone()
        };
        async move { desk.ask(desk.store.publications(&rest)).await }
    };
    let next = Desk::last_before_more(&page, query.limit, rest).await?;
    let next = next.map(|last| last.id);
    let value = json!({"publications": page, "next": next});
    desk.output.print(&value, |output| {
        if page.is_empty() {
            let Publications {
                open,
                chain_id,
                account,
                ..
            } = query;
            return match (open, chain_id.is_some() || account.is_some()) {
                (true, false) => "Nothing is open: everything that was published is settled.",
                (true, true) => "Nothing of that kind is open.",
                (false, false) => "Nothing was published.",
                (false, true) => "Nothing of that kind was published.",
            }
            .to_owned();
        }
        let rows = page.iter().map(row).collect();
        let header = [
            "PUBLICATION",
            "OPERATION",
            "CHAIN",
            "ACCOUNT",
            "NONCE",
            "STATUS",
            "SIGNED",
        ];
        let shown = table(output, &header, rows);
        match next {
            None => shown,
            Some(next) => {
                let more = format!("publication list{} --after {next}", filters(&query));
                format!("{shown}\n\nMore: {}", desk.settings.again(&more))
            }
        }
    })
}

/// What was asked for, as it is typed.
fn filters(query: &Publications) -> String {
    let mut flags = String::new();
    if query.open {
        flags.push_str(" --open");
    }
    if let Some(chain) = query.chain_id {
        flags.push_str(&format!(" --chain-id {chain}"));
    }
    if let Some(account) = query.account {
        flags.push_str(&format!(" --account {account}"));
    }
    format!("{flags} --limit {}", query.limit)
}

fn row(publication: &PublicationState) -> Vec<String> {
    vec![
        publication.id.to_string(),
        publication.operation.to_string(),
        publication.signer.chain_id.to_string(),
        published::address(publication.signer.account),
        publication.nonce.to_string(),
        publication.status.to_string(),
        moment(publication.signed_at),
    ]
}

fn show(desk: &Desk<'_>, publication: &Publication) -> Result<(), Failure> {
    let failed = |error: serde_json::Error| Failure::io("writing the result", error.into());
    let mut value = serde_json::to_value(&publication.state).map_err(failed)?;
    let caller = desk.settings.attribution();
    value["history"] = publication
        .deeds
        .iter()
        .map(|deed| event(deed, &caller))
        .collect();
    desk.output.print(&value, |output| {
        let shown = published::timeline(publication, &caller, output);
        if !publication.state.is_open() {
            return shown;
        }
        let resume = format!("publication resume {}", publication.state.id);
        let resume = desk.settings.again(&resume);
        format!("{shown}\n\nNot settled. To go on: {resume}")
    })
}

/// A deed for programs: the body is what its hash is made of.
fn event(deed: &Deed, caller: &Attribution) -> Value {
    let stored = deed.to_stored();
    let mut by = RecordAttribution::from(deed);
    by.shown_to(caller);
    json!({
        "kind": stored.kind,
        "at": deed.at,
        "body": stored.body,
        "attribution": by,
    })
}
