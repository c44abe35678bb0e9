//! Teams' spaces: who makes them, and who says who is in them.

use deedbox_core::{Space, SpaceId, TeamSpace, replay};

use super::*;

pub(crate) fn space_id(id: &str) -> SpaceId {
    SpaceId::new(id).unwrap()
}

fn create(id: &str, owner: &str) -> Command {
    Command::CreateSpace {
        id: space_id(id),
        name: Name::new("The team").unwrap(),
        owner: actor(owner),
    }
}

fn add(who: &str) -> Command {
    let (space, actor) = (space_id("team"), actor(who));
    Command::AddMember { space, actor }
}

fn remove(who: &str) -> Command {
    let (space, actor) = (space_id("team"), actor(who));
    Command::RemoveMember { space, actor }
}

fn ask_team(team: Option<&TeamSpace>, command: Command, by: &Attribution) -> Result<Deed, Refusal> {
    let state = State {
        space: team.map(|team| Space::Team(Box::new(team.clone()))),
        ..load(None, &command)
    };
    let mut deeds = decide(&state, command, by, at(5_000))?;
    let deed = deeds.remove(0);
    let before = team.map(|team| Projection::Space(Box::new(team.clone())));
    assert_eq!(replay::justify(before.as_ref(), &deed), Ok(()));
    Ok(deed)
}

/// The space `team` of alice with these other members.
pub(crate) fn team(others: &[&str]) -> TeamSpace {
    let deed = ask_team(None, create("team", "alice"), &operator()).unwrap();
    let mut projection = Projection::apply(None, &deed).unwrap();
    for other in others {
        let Projection::Space(team) = &projection else {
            panic!("it is a space");
        };
        let deed = ask_team(Some(team), add(other), &operator()).unwrap();
        projection = Projection::apply(Some(projection), &deed).unwrap();
    }
    match projection {
        Projection::Space(team) => *team,
        _ => panic!("it is a space"),
    }
}

fn code(answer: Result<Deed, Refusal>) -> &'static str {
    answer.map_or_else(|refusal| refusal.code(), |_| "ok")
}

#[test]
fn only_operators_make_spaces_and_no_team_gets_a_personal_one() {
    let all = key_of("alice", &Scopes::all().to_string());
    assert_eq!(
        code(ask_team(None, create("team", "alice"), &all)),
        "operator_only"
    );
    for (id, owner, expected) in [
        ("team", "alice", "ok"),
        ("team", "nobody", "actor_not_found"),
        ("personal:alice", "alice", "invalid_input"),
        ("personal:", "alice", "invalid_input"),
    ] {
        let answer = ask_team(None, create(id, owner), &operator());
        assert_eq!(code(answer), expected, "{id} of {owner}");
    }
    let again = ask_team(Some(&team(&[])), create("team", "alice"), &operator());
    assert_eq!(code(again), "space_exists");
}

#[test]
fn only_its_owner_and_operators_say_who_is_in_a_space() {
    let team = team(&["bob"]);
    let full = Scopes::of_an_actor().to_string();
    for (who, scopes, command, expected) in [
        ("alice", full.as_str(), add("carol"), "ok"),
        ("alice", &full, remove("bob"), "ok"),
        ("alice", "memory:write@team", add("carol"), "ok"),
        ("alice", "memory:write@other", add("carol"), "missing_scope"),
        ("alice", "memory:read", add("carol"), "missing_scope"),
        ("alice", &full, add("bob"), "already_member"),
        ("alice", &full, add("nobody"), "actor_not_found"),
        ("alice", &full, remove("carol"), "not_a_member"),
        ("alice", &full, remove("alice"), "owner_stays"),
        ("bob", &full, add("carol"), "not_space_owner"),
        ("bob", &full, remove("bob"), "not_space_owner"),
        // To who is not in it, it is not there.
        ("carol", &full, add("carol"), "space_not_found"),
    ] {
        let answer = ask_team(Some(&team), command.clone(), &key_of(who, scopes));
        assert_eq!(code(answer), expected, "{who} with {scopes}: {command:?}");
    }
    assert_eq!(
        code(ask_team(Some(&team), remove("bob"), &operator())),
        "ok"
    );
    assert_eq!(
        code(ask_team(None, add("bob"), &operator())),
        "space_not_found"
    );
}

#[test]
fn a_space_has_at_most_a_thousand_members() {
    let mut full = team(&[]);
    let others = (1..limits::SPACE_MEMBERS).map(|i| actor(&format!("a{i}")));
    full.members.extend(others);
    assert_eq!(full.members.len(), 1_000);
    let answer = ask_team(Some(&full), add("bob"), &operator());
    assert_eq!(answer, Err(Refusal::MembersFull(space_id("team"))));
}
