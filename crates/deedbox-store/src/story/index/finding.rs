//! Searches: what is there is found, what is not is not, and pages have everything once.

use std::collections::BTreeSet;

use deedbox_core::ChainAddress;

use super::{
    Teller, at_block,
    chain::{at, moved, said, set, time},
    registry,
};
use crate::index::{AgentEntry, Fact, OfAgents, RegistryId, Search, Standard, Trust};

/// Entries, numbered from 1, and queries with the numbers of those that they should find.
struct Labelled {
    entries: &'static [(&'static str, &'static str)],
    queries: &'static [(&'static str, &'static [u64])],
}

const LABELLED: Labelled = Labelled {
    entries: &[
        (
            "Invoice Translator",
            "Translates invoices between English and Japanese.",
        ),
        (
            "YieldScout",
            "Finds lending rates on Base; not financial advice.",
        ),
        (
            "会議メモ作成エージェント",
            "会議の音声から議事録を作成します",
        ),
        (
            "旅行プランナー",
            "東京都内の観光プランを提案するAIエージェント",
        ),
        ("영수증 번역기", "영수증을 한국어에서 영어로 번역해 줍니다"),
        ("날씨알림봇", "서울 날씨를 매일 아침 알려주는 봇"),
        ("链上数据助手", "查询以太坊上的交易数据并生成报表"),
        ("发票翻译", "把发票翻译成中文和英文"),
        (
            "Comptable Zélé",
            "Vérifie des reçus et prépare la déclaration française",
        ),
        (
            "Übersetzer für Verträge",
            "Prüft, ob Maße und Größen stimmen",
        ),
        ("Trợ lý Đà Nẵng", "Gợi ý quán phở và khách sạn"),
        ("ガード監視ボット", "バスの警備をします"),
        ("מְתַרְגֵּם חשבוניות", "מתרגם חשבוניות לאנגלית"),
        ("الطَّقْسُ اليـــوم", "توقعات الطقس في أحياء القاهرة"),
        ("Sta\u{200b}te\u{ad}ment re\u{2060}ader", "می\u{200c}خواند"),
        ("मौसम सहायक", "मौसम की जान\u{200d}कारी"),
    ],
    queries: &[
        ("invoice", &[1]),
        ("invoices japanese", &[1]),
        ("scout", &[2]),
        ("lending rates", &[2]),
        ("議事録", &[3]),
        ("会議", &[3]),
        ("エージェント", &[3, 4]),
        ("観光プラン", &[4]),
        ("東京", &[4]),
        ("京都", &[4]), // a substring of 東京都, as it is written
        ("번역", &[5]),
        ("영수증", &[5]),
        ("날씨", &[6]),
        ("날씨알림", &[6]),
        ("数据", &[7]),
        ("交易数据", &[7]),
        ("据交", &[]),
        ("翻译", &[8]),
        ("发票", &[8]),
        ("翻訳", &[]), // Japanese for 翻译: other characters
        ("ai エージェント", &[4]),
        ("weather", &[]),
        ("zele", &[9]),
        ("ZÉLÉ", &[9]),
        ("recus declaration", &[9]),
        ("verifie francaise", &[9]),
        ("ubersetzer vertrage", &[10]),
        ("Übersetzer", &[10]),
        ("pruft grossen", &[10]),
        ("masse", &[10]),
        ("da nang", &[11]),
        ("Đà Nẵng", &[11]),
        ("pho khach san", &[11]),
        ("phở", &[11]),
        ("tro ly", &[11]),
        // A mark on a kana makes another letter of it.
        ("カード", &[]),
        ("ガード", &[12]),
        ("ｶﾞｰﾄﾞ", &[12]),
        ("カ\u{3099}ード", &[12]),
        ("ハス", &[]),
        ("バス", &[12]),
        ("パス", &[]),
        // Points, vowel signs and what is not seen, on either side.
        ("מתרגם", &[13]),
        ("מתרגם חֶשְׁבּוֹנִיּוֹת", &[13]),
        ("الطقس", &[14]),
        ("اليوم", &[14]),
        ("الـطَّـقس القاهِرة", &[14]),
        ("احياء", &[14]),
        ("statement reader", &[15]),
        ("\u{feff}state\u{ad}ment\u{200d}", &[15]),
        ("میخواند", &[15]),
        ("मौसम जानकारी", &[16]),
        ("मसम", &[]), // without its vowel signs it is another word
    ],
};

/// An agent with a name and a description, made in one block.
fn agent(n: u64, owner: u8, name: &str, description: &str) -> Vec<Fact> {
    vec![
        said(n, 0, moved(n, 0, owner)),
        said(n, 1, set(n, "name", name.as_bytes())),
        said(n, 2, set(n, "description", description.as_bytes())),
        said(n, 3, set(n, "service_type", b"mcp")),
        said(n, 4, set(n, "service", b"https://a.example/{id}")),
    ]
}

fn text(text: &str) -> Search<OfAgents> {
    Search {
        text: text.to_owned(),
        ..Search::default()
    }
}

impl Teller {
    /// All that fits, in the order of pages of so many.
    async fn all(&self, mut search: Search<OfAgents>, limit: u32) -> Vec<AgentEntry> {
        let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
        search.limit = limit;
        loop {
            let page = self.index.search_agents(&search).await.unwrap();
            assert!(page.entries.len() <= limit as usize);
            for agent in page.entries {
                assert!(seen.insert((agent.registry, agent.id)), "twice: {agent:?}");
                all.push(agent);
            }
            match page.next {
                Some(next) => search.after = Some(next),
                None => return all,
            }
        }
    }

    async fn names(&self, search: Search<OfAgents>) -> Vec<String> {
        let agents = self.all(search, 100).await.into_iter();
        let name = |agent: AgentEntry| agent.name().unwrap().lossy().into_owned();
        agents.map(name).collect()
    }

    pub(super) async fn words_of_any_language_are_found(&self) {
        let of = registry(1);
        let texts = [
            ("Weather oracle", "Tells the weather of PaymentBot's city."),
            ("東京タワー案内", "東京の観光案内をするエージェント"),
            ("区块链数据分析助手", "分析以太坊上的数据"),
            ("결제 도우미", "결제를 도와주는 에이전트입니다"),
            ("Café ﬁnder", "ＦＵＬＬ width, rocket 🚀"),
            (
                "o:0x01 v:verified \"quoted\" AND OR NOT * (x)",
                "'; DROP TABLE facts; --",
            ),
        ];
        let facts = (1..)
            .zip(texts)
            .flat_map(|(n, (name, description))| agent(n, 1, name, description));
        self.with(of, Standard::Erc8122, facts.collect()).await;
        for (query, found) in [
            ("weather", &[1][..]),
            ("WEATHER Oracle", &[1]),
            ("payment", &[1]),
            ("タワー", &[2]),
            ("東京", &[2]),
            ("観光案内", &[2]),
            ("京", &[2]),
            ("東案", &[]),
            ("数据分析", &[3]),
            ("数据", &[3]),
            ("据分数", &[]),
            ("도우미", &[4]),
            ("도와주는", &[4]),
            ("결제", &[4]),
            ("우도미", &[]),
            ("cafe\u{301}", &[5]),
            ("cafe", &[5]),
            ("fine", &[]),
            ("finder full", &[5]),
            ("🚀", &[5]),
            ("quoted", &[6]),
            ("drop table", &[6]),
            ("AND OR NOT", &[6]),
            ("weather quoted", &[]),
            ("\" OR \"", &[6]),
            ("mcp", &[6, 5, 4, 3, 2, 1]),
            ("*", &[]),
            ("", &[6, 5, 4, 3, 2, 1]),
        ] {
            let agents = self.all(text(query), 100).await.into_iter();
            let ids: Vec<_> = agents.map(|agent| agent.id).collect();
            let found: Vec<_> = found.iter().map(|n| at_block(*n)).collect();
            assert_eq!(ids, found, "{query:?}");
        }
        self.forget(of).await;
    }

    /// Queries that somebody labelled by hand with the entries that they should find, in eleven languages.
    pub(super) async fn labelled_searches_find_what_they_should(&self) {
        let of = registry(1);
        let facts = (1..).zip(LABELLED.entries).flat_map(|(n, entry)| {
            let (name, description) = entry;
            agent(n, 1, name, description)
        });
        self.with(of, Standard::Erc8122, facts.collect()).await;
        for (query, wanted) in LABELLED.queries {
            let agents = self.all(text(query), 100).await.into_iter();
            let found: BTreeSet<_> = agents.map(|agent| agent.id).collect();
            let wanted: BTreeSet<_> = wanted.iter().map(|n| at_block(*n)).collect();
            assert_eq!(found, wanted, "{query:?}");
        }
        self.forget(of).await;
    }

    pub(super) async fn every_filter_keeps_what_fits(&self) {
        let other_chain = RegistryId {
            chain_id: 8453,
            ..registry(2)
        };
        let (a, b) = (registry(1), other_chain);
        let mut facts = [agent(1, 1, "Old", ""), agent(100, 2, "New", "")].concat();
        facts.extend(agent(101, 1, "Burned", ""));
        facts.push(said(102, 0, moved(101, 1, 0)));
        self.with(a, Standard::Erc8122, facts).await;
        self.with(b, Standard::Erc8122, agent(2, 1, "Other", ""))
            .await;
        let with = |change: &dyn Fn(&mut Search<OfAgents>)| {
            let mut search = Search::default();
            change(&mut search);
            self.names(search)
        };
        let account = |n: u8| Some(ChainAddress([n; 20]));
        assert_eq!(with(&|_| ()).await, ["New", "Other", "Old"]);
        assert_eq!(
            with(&|s| s.gone = true).await,
            ["Burned", "New", "Other", "Old"]
        );
        assert_eq!(with(&|s| s.owner = account(1)).await, ["Other", "Old"]);
        assert_eq!(with(&|s| s.owner = account(9)).await, [""; 0]);
        assert_eq!(with(&|s| s.registries = vec![b]).await, ["Other"]);
        assert_eq!(with(&|s| s.registries = vec![a, b]).await.len(), 3);
        assert_eq!(with(&|s| s.chain_id = Some(1)).await, ["New", "Old"]);
        assert_eq!(
            with(&|s| s.only.service_type = Some("MCP".into()))
                .await
                .len(),
            3
        );
        assert_eq!(
            with(&|s| s.only.service_type = Some("a2a".into())).await,
            [""; 0]
        );
        assert_eq!(
            with(&|s| s.updated_since = Some(time(2))).await,
            ["New", "Other"]
        );
        assert_eq!(with(&|s| s.updated_since = Some(time(3))).await, ["New"]);
        assert_eq!(with(&|s| s.updated_since = Some(time(103))).await, [""; 0]);
        let trust =
            |s: &mut Search<OfAgents>| s.trust = [(a, Trust::Blocked), (b, Trust::Trusted)].into();
        assert_eq!(with(&trust).await, ["Other"]);
        let blocked_too = |s: &mut Search<OfAgents>| {
            trust(s);
            s.blocked = true;
        };
        assert_eq!(with(&blocked_too).await, ["Other", "New", "Old"]);
        self.forget(a).await;
        self.forget(b).await;
    }

    pub(super) async fn pages_have_everything_once_in_order(&self) {
        let of = registry(1);
        let name = |n: u64| {
            if n.is_multiple_of(7) {
                "rare agent"
            } else {
                "agent"
            }
        };
        let facts = (1..=600).flat_map(|n| agent(n, 1, name(n), "all of them"));
        self.with(of, Standard::Erc8122, facts.collect()).await;
        for (query, count) in [("agent", 600), ("rare", 85), ("", 600), ("rare nothing", 0)] {
            let whole = self.all(text(query), 100).await;
            assert_eq!(whole.len(), count, "{query}");
            assert_eq!(self.all(text(query), 37).await, whole, "{query}");
        }
        self.forget(of).await;
    }

    pub(super) async fn what_changed_is_found_by_its_new_words_only(&self) {
        let of = registry(1);
        let lease = self
            .with(of, Standard::Erc8122, agent(1, 1, "Caterpillar", ""))
            .await;
        let change = vec![
            said(2, 0, set(1, "name", b"Butterfly")),
            said(2, 1, moved(1, 1, 2)),
            said(2, 2, set(1, "service_type", b"")),
        ];
        self.applied(&lease, super::batch(of, Some(at(1)), 2, change))
            .await;
        assert_eq!(self.names(text("caterpillar")).await, [""; 0]);
        assert_eq!(self.names(text("butterfly")).await, ["Butterfly"]);
        assert_eq!(self.names(text("mcp")).await, [""; 0]);
        let owned = |n: u8| Search {
            owner: Some(ChainAddress([n; 20])),
            ..Search::default()
        };
        assert_eq!(self.names(owned(1)).await, [""; 0]);
        assert_eq!(self.names(owned(2)).await, ["Butterfly"]);
        self.forget(of).await;
    }
}
