//! Nothing on a hot path scans a table. Every statement of this crate is explained on a server with default
//! settings, filled and analyzed; a statement that is added later is looked at without being named here.
#![expect(clippy::unwrap_used, reason = "what cannot be set up has failed")]

use std::{fs, path::Path};

use crate::common::Fixture;

/// Those that are for reading everything.
const WHOLE: [&str; 8] = [
    "SELECT * FROM registry_decisions ORDER BY id",
    r#"SELECT count(*) AS "count!" FROM deeds"#,
    "SELECT * FROM actors ORDER BY id",
    "SELECT * FROM keys ORDER BY created_at, id",
    r#"SELECT cursor::text AS "cursor!" FROM index_registries ORDER BY chain_id, address"#,
    r#"SELECT look::text AS "look!" FROM index_registries WHERE look IS NOT NULL ORDER BY chain_id, address"#,
    r#"SELECT survey::text AS "survey!" FROM index_registries WHERE survey IS NOT NULL ORDER BY chain_id, address"#,
    r#"SELECT chain_id, address, (SELECT count(*) FROM index_subjects AS s WHERE s.registry = r.id AND s.key >= '\x01' AND s.key < '\x03') AS "entries!" FROM index_registries AS r"#,
];

/// Tables that never have more than one row.
const ONE_ROW: [&str; 2] = ["Seq Scan on index_edition", "Seq Scan on index_numbering"];

const ROWS: &str = "
    INSERT INTO actors SELECT 'a' || n, 1, '', now(), 'agent', 'A', now()
    FROM generate_series(1, 20000) n;
    INSERT INTO keys SELECT 'k' || n, 1, '', now(), '', CASE WHEN n % 100 > 0 THEN 'a' || n END,
                            '', NULL, now(), NULL, NULL
    FROM generate_series(1, 20000) n;
    INSERT INTO idempotency SELECT 'p' || n % 50, 'k' || n, '', 's', 1, now() - n * interval '1 s'
    FROM generate_series(1, 50000) n;
    INSERT INTO tasks SELECT gen_random_uuid(), 2, '', now(), 'accepted',
                             CASE WHEN n % 4 > 0 THEN 'a' || n % 200 END, 'a' || n % 200,
                             now() - n * interval '1 s', NULL, false, '{}', NULL, '{}', 100
    FROM generate_series(1, 50000) n;
    INSERT INTO deeds SELECT 'task:' || id, v, 'k', '{}', now(), 'p', 'asserted', NULL, NULL,
                             CASE WHEN v > 1 THEN h END, h
    FROM tasks, generate_series(1, 2) v, decode(repeat('00', 32), 'hex') h;
    INSERT INTO evidence SELECT gen_random_uuid(), 1, '', now(), 'tool' || n % 5, n % 7, n % 900,
                                decode(lpad(to_hex(n % 900), 64, '0'), 'hex'), '',
                                CASE WHEN n % 3 > 0 THEN md5((n % 5000)::text)::uuid END,
                                now() - n * interval '1 s'
    FROM generate_series(1, 50000) n;
    INSERT INTO publications SELECT gen_random_uuid(), 1, '', now(), 'agent_register', n % 7,
                                    decode(lpad(to_hex(n), 40, '0'), 'hex'), n, NULL, '',
                                    CASE WHEN n % 50 > 0 THEN 'succeeded' ELSE 'open' END, '1', '1', '[]',
                                    now() - n * interval '1 s'
    FROM generate_series(1, 50000) n;
    INSERT INTO index_registries (chain_id, address, cursor)
    SELECT n % 7, decode(lpad(to_hex(n), 40, '0'), 'hex'), '{}' FROM generate_series(1, 5000) n;
    INSERT INTO index_blocks SELECT n % 50, n, decode(repeat('00', 32), 'hex'), now()
    FROM generate_series(1, 50000) n;
    INSERT INTO index_subjects SELECT n, n % 5000, int8send(n), '{}', CASE WHEN n % 9 = 0 THEN now() END
    FROM generate_series(1, 50000) n;
    INSERT INTO index_facts SELECT n % 50, n, v, n, 'name', decode(repeat('00', 32), 'hex'), '{}'
    FROM generate_series(1, 50000) n, generate_series(1, 2) v;
    INSERT INTO index_documents SELECT n, array_to_tsvector(ARRAY['all', 'b10:' || n / 1024, 'w' || n % 900])
    FROM generate_series(1, 50000) n;
    INSERT INTO index_checks SELECT n, '{}' FROM generate_series(1, 20000) n;
    INSERT INTO index_manifests SELECT sha256(int8send(n)), '' FROM generate_series(1, 20000) n;
    INSERT INTO spaces SELECT 's' || n, 1, '', now(), 'S', 'a' || n, now() FROM generate_series(1, 5000) n;
    INSERT INTO space_members SELECT 's' || n, 'a' || n + v FROM generate_series(1, 5000) n, generate_series(0, 2) v;
    INSERT INTO space_usage SELECT 's' || n, 1, 1 FROM generate_series(1, 20000) n;
    INSERT INTO memories (id, version, head_hash, head_at, space, kind, todo_done, status, created_at, updated_at, first_principal,
                          first_basis, last_principal, last_basis, text_version, bytes, digest)
    SELECT gen_random_uuid(), 1, '', now(), 's' || n % 90, 'note', false, 'live', now() - n * interval '1 s', now(), 'p', 'asserted', 'p',
           'asserted', 1, 1, int8send(n)
    FROM generate_series(1, 50000) n;
    INSERT INTO memory_texts SELECT id, 1, '', '{}' FROM memories;
    INSERT INTO memory_documents
    SELECT row, array_to_tsvector(ARRAY['all', 'b10:' || row / 1024, 'w' || row % 900]) FROM memories;
    INSERT INTO memory_accesses (at, principal, operation, space, memory) SELECT now(), 'p', 'recall', space, id FROM memories;
    INSERT INTO registry_decisions SELECT 'eip155:' || n || ':0x', 1, '', now(), true, 'erc8257', NULL, 'known', n,
                                          '{}', now(), '{}'
    FROM generate_series(1, 20000) n;
    ANALYZE;
";

/// Every statement, as the compile-time checks recorded it, with its number of parameters.
fn statements() -> Vec<(String, usize)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(".sqlx");
    let mut statements: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            let json: serde_json::Value = serde_json::from_str(&text).unwrap();
            let parameters = json["describe"]["parameters"]["Left"]
                .as_array()
                .unwrap()
                .len();
            (json["query"].as_str().unwrap().to_owned(), parameters)
        })
        .collect();
    statements.sort();
    assert!(
        statements.len() > 15,
        "the recorded statements were not found"
    );
    statements
}

/// As every connection of the program is set up.
const SESSION: &str = include_str!("../../session.sql");

/// Shows the plan that is kept for a prepared statement, which knows no parameter's value.
fn prepared(statement: &str, parameters: usize) -> String {
    let arguments = match parameters {
        0 => String::new(),
        n => format!("({})", vec!["NULL"; n].join(", ")),
    };
    format!(
        "SET plan_cache_mode = force_generic_plan; PREPARE q AS {statement};
         EXPLAIN (COSTS OFF) EXECUTE q{arguments}"
    )
}

fn plan(fixture: &Fixture, statement: &str, parameters: usize) -> String {
    fixture.psql(&prepared(statement, parameters))
}

#[tokio::test(flavor = "multi_thread")]
async fn no_statement_but_those_that_list_everything_scans_a_table() {
    let fixture = Fixture::new().await;
    fixture.psql(ROWS);
    assert_eq!(fixture.psql("SHOW enable_seqscan"), "on");
    let mut scanning = Vec::new();
    for (statement, parameters) in statements() {
        let plan = plan(&fixture, &statement, parameters);
        println!("{statement}\n\n{plan}\n\n");
        let of_more = ONE_ROW
            .iter()
            .fold(plan.clone(), |plan, one| plan.replace(one, ""));
        let scans = of_more.contains("Seq Scan");
        if scans && !WHOLE.contains(&statement.trim()) {
            scanning.push(format!("{statement}\n\n{plan}"));
        }
    }
    assert!(scanning.is_empty(), "{}", scanning.join("\n\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_joined_is_found_row_by_row() {
    let fixture = Fixture::new().await;
    fixture.psql(ROWS);
    let mut joined = 0;
    for (statement, parameters) in statements() {
        let as_ours = format!("{SESSION}; {}", prepared(&statement, parameters));
        let plan = fixture.psql(&as_ours);
        joined += plan.matches("Nested Loop").count();
        for whole in [
            "Merge Join",
            "Merge Left Join",
            "Hash Join",
            "Hash Left Join",
            "Hash Right Join",
        ] {
            assert!(!plan.contains(whole), "{statement}\n\n{plan}");
        }
    }
    assert!(joined > 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_reads_its_page_from_an_index_in_order() {
    let fixture = Fixture::new().await;
    fixture.psql(ROWS);
    for (by_creator, index) in [
        (true, "tasks_unaccepted_by_creator "),
        (false, "tasks_unaccepted "),
    ] {
        let (statement, parameters) = statements()
            .into_iter()
            .filter(|(text, _)| text.contains("now_status"))
            .find(|(text, _)| text.contains("injected_by = $4") == by_creator)
            .unwrap();
        let plan = plan(&fixture, &statement, parameters);
        assert!(
            plan.contains(&format!("Index Scan using {index}")),
            "{plan}"
        );
        assert_eq!(plan.matches("Sort").count(), 0, "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn readings_are_found_by_the_index_of_their_block() {
    let fixture = Fixture::new().await;
    fixture.psql(ROWS);
    for (filter, index) in [
        ("block_number = $3", "evidence_by_block_number "),
        ("block_hash = $3", "evidence_by_block_hash "),
        ("task = $4", "evidence_by_task "),
        ("WHERE (recorded_at, id) < ", "evidence_by_age "),
    ] {
        let (statement, parameters) = statements()
            .into_iter()
            .find(|(text, _)| text.contains("FROM evidence") && text.contains(filter))
            .unwrap();
        let plan = plan(&fixture, &statement, parameters);
        assert!(plan.contains(&format!("using {index}")), "{plan}");
        assert_eq!(plan.matches("Sort").count(), 0, "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn publications_are_found_by_their_account_and_listed_by_their_age() {
    let fixture = Fixture::new().await;
    fixture.psql(ROWS);
    for (filter, index) in [
        (
            "WHERE chain_id = $1 AND account = $2 AND status = 'open'",
            "publications_open ",
        ),
        (
            "WHERE chain_id = $1 AND account = $2 AND nonce >= $3",
            "publications_nonces ",
        ),
        (
            "WHERE status = 'open' AND (signed_at, id) < ",
            "publications_open_by_age ",
        ),
        ("WHERE (signed_at, id) < ", "publications_by_age "),
    ] {
        let (statement, parameters) = statements()
            .into_iter()
            .find(|(text, _)| text.contains("FROM publications") && text.contains(filter))
            .unwrap();
        let plan = plan(&fixture, &statement, parameters);
        assert!(plan.contains(&format!("using {index}")), "{plan}");
        assert_eq!(plan.matches("Sort").count(), 0, "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_registries_said_is_found_by_words_subjects_and_places() {
    let fixture = Fixture::new().await;
    fixture.psql(ROWS);
    for (part, index, in_order) in [
        (
            "words @@ $1::text::tsquery AND ts_match_vq",
            "Bitmap Index Scan on index_documents_words\n",
            false,
        ),
        ("f.name = $4", "using index_facts_by_subject ", true),
        (
            "AND (f.block, f.log_index) < ($4, $5)",
            "using index_facts_by_subject ",
            true,
        ),
        (
            "AND key > $3",
            "using index_subjects_registry_key_key ",
            true,
        ),
        ("AND s.due < $3", "using index_subjects_due ", true),
        ("name IN ('registered'", "Scan on index_facts_pkey\n", false),
    ] {
        let (statement, parameters) = statements()
            .into_iter()
            .find(|(text, _)| text.contains(part))
            .unwrap();
        let plan = plan(&fixture, &statement, parameters);
        assert!(plan.contains(index), "{plan}");
        assert_eq!(plan.contains("Sort"), !in_order, "{plan}");
    }
    // Of a page of a dump only the page is sorted.
    let (statement, parameters) = statements()
        .into_iter()
        .find(|(text, _)| text.contains("f AS MATERIALIZED"))
        .unwrap();
    let plan = plan(&fixture, &statement, parameters);
    let (page, _) = plan.split_once("CTE Scan on f").unwrap();
    assert!(page.contains("using index_facts_pkey "), "{plan}");
    assert_eq!(page.matches("Sort Key").count(), 1, "{plan}");
}
