use super::*;

#[test]
fn keys_of_subjects_read_back_and_are_ordered_as_they_are() {
    let mut subjects = vec![
        Subject::Registry,
        Subject::Agent(U256::ZERO),
        Subject::Agent(id(1)),
        Subject::Agent(id(255)),
        Subject::Agent(id(256)),
        Subject::Agent(U256::MAX),
        Subject::Tool(id(2)),
        Subject::Tool(U256::MAX),
        Subject::Accounts(account(1), account(2)),
        Subject::Accounts(account(2), account(1)),
        Subject::Contract(account(0)),
    ];
    for subject in &subjects {
        let key = subject.to_key();
        assert_eq!(Subject::from_key(&key), Some(*subject), "{key:?}");
    }
    let sorted = subjects.clone();
    subjects.sort_by_key(|subject| subject.to_key());
    assert_eq!(subjects, sorted);
    assert!(sorted.is_sorted());
    for bad in [
        &[][..],
        &[9],
        &[0, 0],
        &[1],
        &[1, 1],
        &[1, 1, 0],
        &[1, 2, 1],
        &[4, 1],
    ] {
        assert_eq!(Subject::from_key(bad), None, "{bad:?}");
    }
}

#[test]
fn every_statement_speaks_of_one_subject_under_one_name() {
    let long = "k".repeat(300);
    for (statement, subject, name) in [
        (moved(1, 0, 1, 1), Subject::Agent(id(1)), "owner"),
        (moved(1, 0, 1, 0), Subject::Agent(id(1)), "odd_transfer"),
        (set(1, "name", b"x"), Subject::Agent(id(1)), "metadata:name"),
        (tool(3, None), Subject::Tool(id(3)), "registered"),
        (
            Statement::ContractMetadataSet {
                key: "name".into(),
                value: "x".into(),
            },
            Subject::Registry,
            "metadata:name",
        ),
        (
            Statement::OperatorSet {
                owner: account(1),
                spender: account(2),
                approved: true,
            },
            Subject::Accounts(account(1), account(2)),
            "operator",
        ),
        (
            Statement::Upgraded {
                contract: account(5),
                implementation: account(6),
            },
            Subject::Contract(account(5)),
            "implementation",
        ),
    ] {
        assert_eq!(statement.subject(), subject);
        assert_eq!(statement.name().to_string(), name);
        let json = serde_json::to_string(&statement).unwrap();
        assert_eq!(serde_json::from_str::<Statement>(&json).unwrap(), statement);
    }
    let name = set(1, &long, b"").name();
    assert!(name.as_bytes().len() < 100, "a long key stands by its hash");
    assert_ne!(name, set(1, &format!("{long}k"), b"").name());
}
