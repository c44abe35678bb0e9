//! Following registries and pinning tools: what somebody decides, recorded. Nothing on a chain changes.

mod begin;
mod known;
mod list;
mod pins;
mod show;
mod sight;
mod sync;

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use deedbox_chain::{UntrustedText, text::Flag};
use deedbox_core::{
    ChainAddress, Command as Request, Following, Refusal, RegistryId, RegistryState, Trust,
    text::Name,
};
use deedbox_registry::PRESETS;
use serde_json::{Value, json};

pub(super) use pins::{Prepared as PreparedPin, prepare as prepare_pin, run as run_pin};

use self::{begin::Beginning, sight::Sight};
use super::{
    Desk,
    publishing::{Contract, contract, read_registry},
};
use crate::{
    accounts::ask,
    chains,
    cli::{Add, FollowCommand},
    failure::Failure,
    render::Output,
    settings::{Environment, Flags},
};

/// A command with its arguments read.
pub(super) enum Prepared {
    Add {
        registry: Contract,
        from_block: Option<u64>,
        trust: Trust,
        label: Option<Name>,
        yes: bool,
    },
    List {
        all: bool,
    },
    Show(Contract),
    Sync(sync::Wanted),
    Trust(RegistryId, Trust),
    AcceptCode {
        registry: Contract,
        yes: bool,
    },
    Remove(RegistryId),
    /// Needs no database.
    Presets,
}

impl Contract {
    /// As the ledger calls it.
    pub(super) const fn id(self) -> RegistryId {
        RegistryId {
            chain_id: self.chain_id,
            address: ChainAddress(self.address.0.0),
        }
    }
}

pub(super) fn prepare(command: FollowCommand, flags: &mut Flags) -> Result<Prepared, Failure> {
    Ok(match command {
        FollowCommand::Add(Add {
            registry,
            from_block,
            trust,
            label,
            yes,
            chains,
        }) => {
            chains.add_to(flags);
            Prepared::Add {
                registry: read_registry(&registry)?,
                from_block,
                trust,
                label: label.map(labelled).transpose()?,
                yes,
            }
        }
        FollowCommand::List { all } => Prepared::List { all },
        FollowCommand::Show { registry, chains } => {
            chains.add_to(flags);
            Prepared::Show(read_registry(&registry)?)
        }
        FollowCommand::Sync(sync) => Prepared::Sync(sync::prepare(sync, flags)?),
        FollowCommand::Trust { registry, level } => {
            Prepared::Trust(read_registry(&registry)?.id(), level)
        }
        FollowCommand::AcceptCode {
            registry,
            yes,
            chains,
        } => {
            chains.add_to(flags);
            let registry = read_registry(&registry)?;
            Prepared::AcceptCode { registry, yes }
        }
        FollowCommand::Remove { registry } => Prepared::Remove(read_registry(&registry)?.id()),
        FollowCommand::Presets => Prepared::Presets,
    })
}

pub(super) async fn run(
    desk: &Desk<'_>,
    environment: &Environment,
    command: Prepared,
) -> Result<ExitCode, Failure> {
    match command {
        Prepared::Show(registry) => return show::show(desk, environment, registry).await,
        Prepared::Sync(wanted) => return sync::run(desk, environment, wanted).await,
        Prepared::Add {
            registry,
            from_block,
            trust,
            label,
            yes,
        } => {
            let wish = Wish {
                from_block,
                trust,
                label,
            };
            add(desk, environment, registry, wish, yes).await?;
        }
        Prepared::List { all } => list::list(desk, all).await?,
        Prepared::Trust(id, trust) => {
            desk.execute(Request::SetTrust { id, trust }).await?;
            let value = json!({"registry": id, "trust": trust});
            let said = |_: &Output| format!("{id} is {trust} from now on.");
            desk.output.print(&value, said)?;
        }
        Prepared::AcceptCode { registry, yes } => {
            accept_code(desk, environment, registry, yes).await?;
        }
        Prepared::Remove(id) => remove(desk, id).await?,
        Prepared::Presets => return presets(desk.output),
    }
    Ok(ExitCode::SUCCESS)
}

/// A label, which stands in lists and answers as it is: nothing in it may move what stands around it.
fn labelled(text: String) -> Result<Name, Failure> {
    let odd = UntrustedText::read(text.as_bytes(), false).flags;
    if odd
        .iter()
        .any(|flag| matches!(flag, Flag::Control | Flag::Bidi))
    {
        let reason =
            "must not hold control characters, nor characters that change the direction of writing";
        return Err(Failure::argument("--label", reason));
    }
    Name::new(text).map_err(|error| Failure::argument("--label", error))
}

/// What whoever follows a registry says of it.
struct Wish {
    from_block: Option<u64>,
    trust: Trust,
    label: Option<Name>,
}

async fn add(
    desk: &Desk<'_>,
    environment: &Environment,
    registry: Contract,
    wish: Wish,
    yes: bool,
) -> Result<(), Failure> {
    let id = registry.id();
    // The rules say so too; nobody should be asked about what they refuse.
    if recorded(desk, id).await?.is_some_and(|one| one.followed) {
        return Err(Refusal::AlreadyFollowed(id).into());
    }
    let (chains, _) = chains::open(desk.settings, environment, desk.world.clone())?;
    let sight = Sight::of(&chains, registry).await?;
    let (standard, seen) = sight.registry()?;
    let begin = begin::beginning(&chains, registry, wish.from_block, seen.block_number).await?;
    let Beginning {
        from_block,
        warning,
    } = begin;
    let warned = warning.as_ref().map(|one| one.text(desk.output));
    let warned = warned.map_or_else(String::new, |text| format!("\n\n{text}"));
    let said = sight.text(desk.output);
    let plan = format!(
        "{said}{warned}\n\nIt would be followed from block {from_block} on, as {}.",
        wish.trust
    );
    confirm(&plan, "Follow it? [y/N]", yes)?;
    let following = Following {
        standard,
        label: wish.label,
        trust: wish.trust,
        from_block,
        seen,
    };
    let following = Box::new(following);
    desk.execute(Request::FollowRegistry { id, following })
        .await?;
    let state = known(desk, id).await?;
    let mut value = shown(&state)?;
    value["judgement"] = sight.judgement().into();
    value["warnings"] = json!(warning.as_slice());
    desk.output.print(&value, |_| {
        format!(
            "Followed: {id} ({}), {}, from block {from_block} on.{warned}",
            state.following.standard, state.following.trust
        )
    })
}

async fn accept_code(
    desk: &Desk<'_>,
    environment: &Environment,
    registry: Contract,
    yes: bool,
) -> Result<(), Failure> {
    let id = registry.id();
    let state = known(desk, id).await?;
    let (chains, _) = chains::open(desk.settings, environment, desk.world.clone())?;
    let sight = Sight::of(&chains, registry).await?;
    let (standard, seen) = sight.registry()?;
    if standard != state.following.standard {
        return Err(Failure::NotARegistry {
            registry: id,
            what: format!(
                "a registry of {standard} now, and was followed as one of {}. To follow it as what it is, remove it and add it again",
                state.following.standard
            ),
        });
    }
    // The same code is refused by the rules; nobody is asked about it.
    if !state.following.seen.same_code(&seen) {
        let changes = sight::changes(&state.following.seen, &seen).join("\n");
        let plan = format!("{}\n\n{changes}", sight.text(desk.output));
        confirm(&plan, "Accept this code? [y/N]", yes)?;
    }
    let seen = Box::new(seen);
    desk.execute(Request::AcceptCode { id, seen }).await?;
    let state = known(desk, id).await?;
    desk.output.print(&shown(&state)?, |_| {
        format!(
            "Accepted: {id} has code {}.",
            state.following.seen.code_hash
        )
    })
}

async fn remove(desk: &Desk<'_>, id: RegistryId) -> Result<(), Failure> {
    desk.execute(Request::UnfollowRegistry { id }).await?;
    let pins = known(desk, id).await?.pins.len();
    let value = json!({"registry": id, "followed": false, "pins": pins});
    desk.output.print(&value, |_| match pins {
        0 => format!("{id} is not followed any more."),
        _ => format!("{id} is not followed any more. Tools that stay pinned in it: {pins}."),
    })
}

/// Public registries that have a name here. Asks nobody.
pub(super) fn presets(output: &Output) -> Result<ExitCode, Failure> {
    output.print(&json!({"presets": PRESETS}), |output| {
        let mut lines = Vec::new();
        for preset in PRESETS {
            let chains: Vec<String> = preset.chains.iter().map(u64::to_string).collect();
            lines.push(format!(
                "{} ({})",
                output.paint.strong(preset.name),
                preset.standard
            ));
            lines.push(format!("address    {}", preset.address));
            lines.push(format!("chains     {}", chains.join(", ")));
            for (index, (what, address)) in preset.predicates.iter().enumerate() {
                let name = if index == 0 { "predicates" } else { "" };
                lines.push(format!("{name:<10} {address} {what}"));
            }
            lines.push(format!(
                "To follow it: deedbox registry add {} --chain-id {}",
                preset.name,
                chains.first().map_or("", String::as_str)
            ));
        }
        lines.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn recorded(desk: &Desk<'_>, id: RegistryId) -> Result<Option<RegistryState>, Failure> {
    desk.ask(desk.store.registry(id)).await
}

/// A registry that somebody decided on.
async fn known(desk: &Desk<'_>, id: RegistryId) -> Result<RegistryState, Failure> {
    let state = recorded(desk, id).await?;
    state.ok_or_else(|| Refusal::RegistryNotFollowed(id).into())
}

/// For programs: what is recorded, and the registry in each notation.
fn shown(state: &RegistryState) -> Result<Value, Failure> {
    let mut value = serde_json::to_value(state)
        .map_err(|error| Failure::io("writing the result", error.into()))?;
    value["names"] = contract(state.id.chain_id, state.id.address.0.into());
    Ok(value)
}

/// Shows people what would be recorded, and asks. All of it goes to standard error, because the answer of a command goes to standard
/// output alone.
fn confirm(plan: &str, question: &str, yes: bool) -> Result<(), Failure> {
    let failed = |source| Failure::io("asking", source);
    let mut err = io::stderr();
    if yes {
        return Ok(());
    }
    writeln!(err, "{plan}\n").map_err(failed)?;
    if !ask::is_attended() {
        let otherwise = "What would be recorded stands above: if it is right, say --yes";
        return Err(Failure::Unattended { otherwise });
    }
    write!(err, "{question} ")
        .and_then(|()| err.flush())
        .map_err(failed)?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(failed)?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::SaidNo),
    }
}
