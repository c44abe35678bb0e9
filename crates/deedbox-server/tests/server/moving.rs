//! What an answer says when the ground moved: rows that were thrown away between two pages, registries that nobody follows any more.

use deedbox_core::{Command, Standard, Trust};
use serde_json::{Value, json};

use crate::{
    house::DOORS,
    library::{Library, agent, moved, registry, said, set, tool, tool_of},
};

#[tokio::test]
async fn a_cursor_from_before_rows_were_thrown_away_is_refused_and_says_to_begin_again() {
    let library = Library::open().await;
    let facts = (1..=9).map(|n| said(n, set(n, "name", "same"))).collect();
    let of = registry(1);
    library
        .read(of, Standard::Erc8122, Trust::Known, facts)
        .await;
    let first = library.found("find_agents", json!({"limit": 4})).await;
    let next = json!({"limit": 4, "cursor": first["next_cursor"]});
    let second = library.found("find_agents", next.clone()).await;
    assert_eq!(second["agents"].as_array().unwrap().len(), 4);
    // Any registry: its rows may have numbers that others get.
    library.index.forget(registry(9)).await.unwrap();
    library.found("find_agents", next.clone()).await;
    let lost = registry(2);
    let facts = vec![said(1, set(1, "name", "other"))];
    library
        .read(lost, Standard::Erc8122, Trust::Known, facts)
        .await;
    library.index.forget(lost).await.unwrap();
    for door in DOORS {
        let (status, value, _) = library.ask(door, "find_agents", &next).await;
        let said = value.to_string();
        assert_eq!(status, 400, "{said}");
        assert!(said.contains("begin again without it"), "{said}");
    }
    let again = library.found("find_agents", json!({"limit": 4})).await;
    assert_eq!(again["agents"], first["agents"]);
}

#[tokio::test]
async fn of_a_registry_that_is_not_followed_a_history_says_that_nothing_is_known_and_how_to_begin()
{
    let library = Library::open().await;
    let (agents, tools) = (registry(1), registry(5));
    let made = vec![said(10, moved(1, 0, 9))];
    library
        .read(agents, Standard::Erc8122, Trust::Known, made)
        .await;
    let made = vec![said(10, tool(7, 1))];
    library
        .read(tools, Standard::Erc8257, Trust::Known, made)
        .await;
    for id in [agents, tools] {
        library.decide(Command::UnfollowRegistry { id }).await;
    }
    for (subject, of) in [
        (agent(1, 1), agents),
        (tool_of(7, 5), tools),
        (agent(1, 7), registry(7)),
        (tool_of(1, 8), registry(8)),
    ] {
        let asked = json!({"subject": subject});
        let said = library.found("get_registry_history", asked).await;
        assert_eq!(said["records"], json!([]), "{said}");
        assert_eq!(said["provenance"]["registries"], json!([]), "{said}");
        assert_eq!(said["next_cursor"], Value::Null);
        let [hint] = &said["hints"].as_array().unwrap()[..] else {
            panic!("{said}")
        };
        assert_eq!(hint["code"], "registry_not_read");
        let message = hint["message"].as_str().unwrap();
        assert!(message.contains("is not followed"), "{message}");
        let begin = format!("deedbox registry add {of}");
        assert!(message.contains(&begin), "{message}");
    }
    library
        .follow(registry(3), Standard::Erc8122, Trust::Known)
        .await;
    let asked = json!({"subject": agent(1, 3)});
    let said = library.found("get_registry_history", asked).await;
    assert_eq!(said["hints"][0]["code"], "not_read_yet", "{said}");
}
