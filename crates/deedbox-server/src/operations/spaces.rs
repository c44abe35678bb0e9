//! Spaces: where memories are, and who is in them.

use deedbox_core::{
    Attribution, Authority, Command, Refusal, Scope, Space, SpaceId, memory::rights,
};
use deedbox_store::Idempotency;

use super::{Answer, Fault, Operations, Reply};
use crate::{
    inputs::ListSpaces,
    memories::{ShownSpace, SpaceList, SpaceReceipt, SpaceRequest, SpaceStatus},
};

impl Operations {
    pub(super) async fn space(
        &self,
        by: &Attribution,
        request: SpaceRequest,
        idempotency: Option<Idempotency>,
    ) -> Result<Answer, Fault> {
        let command = match request {
            SpaceRequest::List(input) => {
                let list = self.list_spaces(by, input).await?;
                return Ok(Reply::Spaces(list).into());
            }
            SpaceRequest::Show(input) => {
                let status = self.space_status(by, &input.space).await?;
                return Ok(Reply::Space(Box::new(status)).into());
            }
            SpaceRequest::Create(input) => Command::CreateSpace {
                id: input.space,
                name: input.name,
                owner: input.owner,
            },
            SpaceRequest::AddMember(input) => Command::AddMember {
                space: input.space,
                actor: input.actor_id,
            },
            SpaceRequest::RemoveMember(input) => Command::RemoveMember {
                space: input.space,
                actor: input.actor_id,
            },
        };
        let kept = self.keep(by, command, idempotency).await?;
        Ok(Answer {
            replayed: kept.replayed,
            ..Answer::from(Reply::SpaceReceipt(SpaceReceipt::new(kept.deed)?))
        })
    }

    /// A space that is there for the credential.
    ///
    /// # Errors
    /// [`Refusal::SpaceNotFound`] when it is not; [`Refusal::MissingScope`] when the key is not for `scope` there.
    pub(super) async fn seen(
        &self,
        by: &Attribution,
        scope: Scope,
        id: &SpaceId,
    ) -> Result<Space, Fault> {
        let space = self.store.space(id).await?;
        let space = space.ok_or_else(|| Refusal::SpaceNotFound(id.clone()))?;
        rights::may(&by.principal, scope, &space)?;
        Ok(space)
    }

    async fn space_status(&self, by: &Attribution, id: &SpaceId) -> Result<SpaceStatus, Fault> {
        let space = self.seen(by, Scope::MemoryRead, id).await?;
        Ok(SpaceStatus {
            space: space.into(),
            usage: self.store.space_usage(id).await?.into(),
        })
    }

    async fn list_spaces(&self, by: &Attribution, input: ListSpaces) -> Result<SpaceList, Fault> {
        let of = match (&by.principal.authority, input.actor_id) {
            (Authority::Actor(own), None) => Some(own.clone()),
            (_, Some(named)) => {
                by.may_act_as(&named)?;
                Some(named)
            }
            (Authority::Operator, None) => None,
        };
        let Some(actor) = of else {
            return self
                .team_spaces(input.cursor, input.limit.unwrap_or_default().get())
                .await;
        };
        if input.cursor.is_some() {
            let reason = "is of the list of all teams' spaces; an actor's has one page";
            return Err(Refusal::invalid("cursor", reason).into());
        }
        if self.store.actor(&actor).await?.is_none() {
            return Err(Refusal::ActorNotFound(actor).into());
        }
        let spaces = self.store.spaces(&actor).await?.into_iter();
        let readable =
            spaces.filter(|space| rights::may(&by.principal, Scope::MemoryRead, space).is_ok());
        Ok(SpaceList {
            spaces: readable.map(ShownSpace::from).collect(),
            next_cursor: None,
        })
    }

    async fn team_spaces(&self, after: Option<SpaceId>, limit: u32) -> Result<SpaceList, Fault> {
        let mut snapshot = self.store.snapshot().await?;
        let mut teams = snapshot
            .spaces(after.as_ref(), limit.saturating_add(1))
            .await?;
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = teams.len() > wanted;
        teams.truncate(wanted);
        Ok(SpaceList {
            next_cursor: teams.last().filter(|_| more).map(|team| team.id.clone()),
            spaces: teams
                .into_iter()
                .map(|team| Space::Team(Box::new(team)).into())
                .collect(),
        })
    }
}
