use super::*;
use crate::Principal;
use crate::{ActorKind, text::Name};

fn added(version_of: Option<&Head>, name: &str, millis: i64) -> Deed {
    Deed::seal(
        Stream::Actor(ActorId::new("alice").unwrap()),
        version_of,
        Body::ActorAdded {
            actor_kind: ActorKind::Human,
            name: Name::new(name).unwrap(),
        },
        Authorship::from(&Attribution::of(Principal::local())),
        Timestamp::from_millis(millis).unwrap(),
    )
}

#[test]
fn the_hash_of_a_known_deed_stays_what_it_is() {
    // Computed independently with Python's hashlib over the encoding in this module's text.
    assert_eq!(
        added(None, "Alice", 1_000).hash.to_string(),
        "sha256:6733dfbb4050df0807c9ca54b5c5c9e3b3837a93c6b42858c4f9ef03eedf704c"
    );
}

#[test]
fn every_field_is_under_the_hash() {
    let good = added(None, "Alice", 1_000).to_stored();
    let changes: [fn(&mut StoredDeed); 9] = [
        |d| d.stream.push('x'),
        |d| d.version += 1,
        |d| d.kind.push('x'),
        |d| d.body["name"] = "Mallory".into(),
        |d| d.at = d.at.plus_millis(1),
        |d| d.principal.push('x'),
        |d| d.basis = "authenticated".into(),
        |d| d.agent_label = Some("x".into()),
        |d| d.previous = Some(vec![0; 32]),
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let mut bad = good.clone();
        change(&mut bad);
        assert_eq!(bad.verify(None), Err(BrokenDeed::HashDiffers), "change {i}");
    }
    assert!(good.verify(None).is_ok());
}

#[test]
fn a_label_cannot_move_into_the_next_field() {
    let mut a = added(None, "Alice", 1_000).to_stored();
    let mut b = a.clone();
    (a.principal, a.basis) = ("ab".into(), "c".into());
    (b.principal, b.basis) = ("a".into(), "bc".into());
    assert_ne!(a.compute_hash(), b.compute_hash());
}

#[test]
fn a_missing_row_and_a_foreign_predecessor_are_found() {
    let first = added(None, "Alice", 1_000);
    let second = added(Some(&first.head()), "Alice", 1_000);
    let third = added(Some(&second.head()), "Alice", 1_000);
    assert!(third.to_stored().verify(Some(&second.head())).is_ok());
    assert!(matches!(
        third.to_stored().verify(Some(&first.head())),
        Err(BrokenDeed::ChainBroken(_))
    ));
    let other = Head {
        hash: DeedHash([9; 32]),
        ..second.head()
    };
    assert!(matches!(
        third.to_stored().verify(Some(&other)),
        Err(BrokenDeed::ChainBroken(_))
    ));
}

#[test]
fn time_never_runs_backwards_in_a_stream() {
    let first = added(None, "Alice", 1_000);
    assert_eq!(added(Some(&first.head()), "Alice", 10).at, first.at);
}
