use std::collections::BTreeSet;

use super::*;

fn named(registry_n: u8, n: u64, name: &str, description: &str) -> Entry {
    let facts = [
        said(n, moved(n, 0, 1, 1)),
        said(n, set(n, "name", name.as_bytes())),
        said(n, set(n, "description", description.as_bytes())),
        said(n, set(n, "service_type", b"MCP")),
        said(n, set(n, "service", b"https://a.example")),
    ];
    Entry::fold(None, registry(registry_n), &facts).unwrap()
}

/// What a database has: each entry with its words.
struct Table(Vec<(Entry, BTreeSet<String>)>);

impl Table {
    fn new(entries: impl IntoIterator<Item = Entry>) -> Self {
        let words = |entry: &Entry| entry.document().split(' ').map(str::to_owned).collect();
        let rows = entries.into_iter().map(|entry| (words(&entry), entry));
        Self(rows.map(|(words, entry)| (entry, words)).collect())
    }

    /// What a database does: rows that the query fits, newest first.
    fn rows(&self, query: &Query, newest: i64) -> Vec<(i64, Card)> {
        let fits = |words: &BTreeSet<String>| {
            words.contains(&query.every)
                && query.all.iter().all(|word| words.contains(word))
                && (query.any.iter()).all(|group| group.iter().any(|word| words.contains(word)))
                && !query.none.iter().any(|word| words.contains(word))
        };
        (0..self.0.len())
            .rev()
            .map(|at| (i64::try_from(at).unwrap() + 1, &self.0[at]))
            .filter(|(row, (_, words))| *row <= newest && fits(words))
            .map(|(row, (entry, _))| (row, kept(&entry.card())))
            .take(WINDOW as usize)
            .collect()
    }
}

/// What a database gives back of a card.
fn kept(card: &Card) -> Card {
    let kept = serde_json::from_str(&serde_json::to_string(card).unwrap()).unwrap();
    assert_eq!(*card, kept);
    kept
}

fn run<F: Only>(all: &Table, search: &Search<F>) -> Found<F::Entry> {
    let mut run = SearchRun::new(search);
    let query = run.query();
    while let Some(newest) = run.wants() {
        run.take(&all.rows(&query, newest));
    }
    let entry = |row: &i64| (*row, all.0[usize::try_from(*row).unwrap() - 1].0.clone());
    let shown: Vec<_> = run.shown().iter().map(entry).collect();
    run.found(shown)
}

fn names(all: &Table, search: &Search<OfAgents>) -> Vec<String> {
    let found = run(all, search).entries.into_iter();
    found
        .map(|agent| agent.name().unwrap().lossy().into_owned())
        .collect()
}

fn text(text: &str) -> Search<OfAgents> {
    Search {
        text: text.to_owned(),
        ..Search::default()
    }
}

#[test]
fn better_matches_come_first_and_newer_ones_among_equals() {
    let all = Table::new([
        named(1, 1, "Oracle", ""),
        named(1, 2, "Weather", "asks an oracle"),
        named(1, 3, "Weather oracle", ""),
        named(1, 4, "Oracle of rain", ""),
        named(1, 5, "Oracle of snow", ""),
        named(1, 6, "mcp", "no such word"),
    ]);
    assert_eq!(
        names(&all, &text("oracle")),
        [
            "Oracle",
            "Oracle of snow",
            "Oracle of rain",
            "Weather oracle",
            "Weather"
        ]
    );
    assert_eq!(names(&all, &text("MCP"))[0], "mcp");
    assert_eq!(names(&all, &text("rain oracle")), ["Oracle of rain"]);
    assert_eq!(names(&all, &text(" ")).len(), 6);
    assert_eq!(
        names(&all, &text("!?")).len(),
        0,
        "nothing that could be found"
    );
}

#[test]
fn a_trusted_registry_comes_before_a_better_name_and_a_blocked_one_not_at_all() {
    let all = Table::new([
        named(1, 1, "Swap helper", ""),
        named(2, 2, "Swap", ""),
        named(3, 3, "Swap", "blocked"),
    ]);
    let trust = [(registry(1), Trust::Trusted), (registry(3), Trust::Blocked)];
    let mut search = text("swap");
    search.trust = trust.into();
    assert_eq!(names(&all, &search), ["Swap helper", "Swap"]);
    search.blocked = true;
    assert_eq!(names(&all, &search), ["Swap helper", "Swap", "Swap"]);
}

#[test]
fn every_filter_keeps_what_fits_and_nothing_else() {
    let mut all = vec![named(1, 1, "One", ""), named(2, 50_000, "Two", "")];
    let gone = [said(3, moved(3, 0, 1, 1)), said(4, moved(3, 1, 0, 1))];
    all.extend(folded(&gone));
    let all = Table::new(all);
    let with = |change: fn(&mut Search<OfAgents>)| {
        let mut search = Search::default();
        change(&mut search);
        run(&all, &search).entries.len()
    };
    assert_eq!(with(|_| ()), 2);
    assert_eq!(with(|s| s.gone = true), 3);
    assert_eq!(with(|s| s.registries = vec![registry(2)]), 1);
    assert_eq!(with(|s| s.registries = vec![registry(1), registry(2)]), 2);
    assert_eq!(with(|s| s.chain_id = Some(1)), 2);
    assert_eq!(with(|s| s.chain_id = Some(2)), 0);
    assert_eq!(with(|s| s.owner = Some(account(1))), 2);
    assert_eq!(with(|s| s.owner = Some(account(2))), 0);
    assert_eq!(with(|s| s.only.service_type = Some("mcp".into())), 2);
    assert_eq!(with(|s| s.only.service_type = Some("mc".into())), 0);
    assert_eq!(
        with(|s| s.updated_since = Some(origin(2, 0).block_timestamp)),
        1
    );
    assert_eq!(
        with(|s| s.updated_since = Some(origin(50_000, 0).block_timestamp)),
        1
    );
    assert_eq!(
        with(|s| s.updated_since = Some(origin(50_001, 0).block_timestamp)),
        0
    );
}

#[test]
fn a_day_is_found_by_every_earlier_day_and_by_no_later_one() {
    let at = |day: i64| Timestamp::from_millis(day * 86_400_000).unwrap();
    let changed = |day: i64| {
        let mut fact = said(1, moved(1, 0, 1, 1));
        fact.origin.block_timestamp = at(day);
        folded(&[fact]).unwrap().document()
    };
    let days = [
        -5, 0, 1, 15, 16, 17, 255, 256, 4_095, 4_096, 20_000, 65_534, 65_535, 99_999,
    ];
    for since in days {
        let search = Search::<OfAgents> {
            updated_since: Some(at(since)),
            ..Search::default()
        };
        let group = SearchRun::new(&search).query().any.remove(0);
        assert!(group.len() < 64, "{since}: {}", group.len());
        for day in days {
            let found = changed(day)
                .split(' ')
                .any(|word| group.iter().any(|one| one == word));
            let clamp = |day: i64| day.clamp(0, 65_535);
            assert_eq!(found, clamp(day) >= clamp(since), "{day} since {since}");
        }
    }
}

#[test]
fn pages_show_everything_once() {
    let all: Vec<_> = (1..=600)
        .map(|n| {
            named(
                1,
                n,
                &format!("Agent {n}"),
                if n % 3 == 0 { "rare" } else { "" },
            )
        })
        .collect();
    let all = Table::new(all);
    for (words, count) in [("agent", 600), ("rare", 200), ("agent 77", 1)] {
        for limit in [29, 100] {
            let (mut seen, mut search) = (BTreeSet::new(), text(words));
            search.limit = limit;
            loop {
                let page = run(&all, &search);
                assert!(page.entries.len() <= limit as usize);
                for agent in page.entries {
                    assert!(seen.insert(agent.id), "{words}: {} twice", agent.id);
                }
                match page.next {
                    Some(next) => search.after = Some(next),
                    None => break,
                }
            }
            assert_eq!(seen.len(), count, "{words} {limit}");
        }
    }
}

#[test]
fn a_page_of_nearly_nothing_ends_and_says_where_to_go_on() {
    // The pairs of the word are in every name, the word itself in the oldest only.
    let mut all = vec![named(1, 1, "京東京", "")];
    all.extend((2..=5_000).map(|n| named(1, n, "京東 東京", "")));
    let all = Table::new(all);
    let (mut search, mut pages) = (text("京東京"), 0);
    let found = loop {
        let page = run(&all, &search);
        pages += 1;
        match page.next {
            Some(next) if page.entries.is_empty() => search.after = Some(next),
            _ => break page.entries,
        }
    };
    assert_eq!(found.len(), 1);
    assert_eq!(pages, 2, "16 windows of 256 a page");
}

fn verified(n: u64, predicate: Option<ChainAddress>, manifest: ManifestSummary) -> Entry {
    let Some(Entry::Tool(mut entry)) = folded(&[said(n, tool(n, predicate))]) else {
        panic!()
    };
    entry.check = Some(Box::new(ManifestCheck {
        checked_at: origin(9, 0).block_timestamp,
        metadata_uri: entry.metadata_uri.clone(),
        manifest_hash: entry.manifest_hash,
        outcome: CheckOutcome::Verified,
        served: None,
        manifest: Some(manifest),
        max_age: None,
    }));
    Entry::Tool(entry)
}

#[test]
fn tools_are_found_by_what_their_verified_manifests_say() {
    let usdc = "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
    let price = |amount: u64| Price {
        asset: usdc.to_owned(),
        amount: id(amount),
        protocol: "x402".to_owned(),
        network: None,
    };
    let manifest = |name: &str, tier: &str, prices: Vec<Price>| ManifestSummary {
        name: name.to_owned(),
        tags: vec!["nft-appraisal".to_owned()],
        tier: Some(tier.to_owned()),
        prices,
        ..ManifestSummary::default()
    };
    let all = Table::new([
        verified(1, None, manifest("Cheap", "self-attested", vec![price(5)])),
        verified(
            2,
            Some(account(8)),
            manifest("Dear", "verifiable", vec![price(500)]),
        ),
        verified(3, None, manifest("Silent", "self-attested", vec![])),
        folded(&[said(4, tool(4, None))]).unwrap(),
    ]);
    let with = |change: &dyn Fn(&mut Search<OfTools>)| {
        let mut search = Search::default();
        change(&mut search);
        let found = run(&all, &search).entries.into_iter();
        let mut ids: Vec<_> = found.map(|tool| tool.id.to::<u64>()).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(
        with(&|_| ()),
        [1, 2, 3],
        "what is unverified is no discovered tool"
    );
    assert_eq!(with(&|s| s.only.unverified = true), [1, 2, 3, 4]);
    assert_eq!(with(&|s| s.text = "cheap".into()), [1]);
    assert_eq!(with(&|s| s.text = "appraisal".into()), [1, 2, 3]);
    assert_eq!(with(&|s| s.only.tier = Some("verifiable".into())), [2]);
    assert_eq!(with(&|s| s.only.access = Some(Access::Gated)), [2]);
    assert_eq!(with(&|s| s.only.access = Some(Access::Open)), [1, 3]);
    let asset = Some(usdc.to_uppercase());
    assert_eq!(with(&|s| s.only.asset.clone_from(&asset)), [1, 2]);
    let at_most = |most: u64| {
        with(&|s| {
            s.only.asset.clone_from(&asset);
            s.only.at_most = Some(id(most));
        })
    };
    assert_eq!(
        (at_most(4), at_most(5), at_most(500)),
        (vec![], vec![1], vec![1, 2])
    );
    assert_eq!(with(&|s| s.text = "a.example".into()), [1, 2, 3]);
}

#[test]
fn no_text_of_a_stranger_makes_a_filter_or_breaks_a_word() {
    let facts = [
        said(1, set(1, "name", b"o:0x01 v:verified k:tool \0 a b")),
        said(1, set(1, "service_type", "x \u{1} \" ) y".as_bytes())),
        said(1, set(1, "service", b"https://a.example")),
    ];
    let document = folded(&facts).unwrap().document();
    let words: Vec<_> = document.split(' ').collect();
    assert!(words.iter().all(|word| word.starts_with('a')), "no tool's");
    for word in ["v:verified", "o:0x01"] {
        assert!(!words.contains(&format!("a{word}").as_str()));
    }
    assert!(words.iter().all(|word| {
        !word.is_empty()
            && !word
                .contains(|c: char| c.is_whitespace() || c.is_control() || "\"'()*^+".contains(c))
    }));
}
