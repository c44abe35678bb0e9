//! Agents that a seed makes up: names and descriptions in several languages, owners who have few or many, and the searches for them.

use deedbox_bench::dice::{Dice, WORDS, word};
use deedbox_core::{BlockHash, ChainAddress, RegistryId, Timestamp, TransactionHash};
use deedbox_id::U256;
use deedbox_store::index::{Fact, OfAgents, Origin, Place, Search, Statement};

/// How many things are said of each agent.
pub(crate) const FACTS: u64 = 5;
const JAPANESE: [&str; 12] = [
    "東京", "案内", "翻訳", "天気", "予報", "株価", "分析", "画像", "生成", "音声", "会議", "旅行",
];
const KOREAN: [&str; 8] = [
    "결제",
    "번역",
    "날씨",
    "분석",
    "도우미",
    "예약",
    "검색",
    "요약",
];
const CHINESE: [&str; 8] = [
    "数据",
    "分析",
    "区块链",
    "助手",
    "翻译",
    "天气",
    "支付",
    "交易",
];
const KINDS: [&str; 4] = ["mcp", "a2a", "web", "rpc"];

/// Kinds of searches, by the names under which they are reported.
pub(crate) const MIX: [&str; 7] = [
    "rare word",
    "common word",
    "substring of Chinese, Japanese, Korean",
    "owner",
    "service type and word",
    "chain and updated since",
    "page 2 of a common word",
];

/// All agents there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    seed: u64,
    agents: u64,
}

impl World {
    pub(crate) const fn new(seed: u64, agents: u64) -> Self {
        Self { seed, agents }
    }

    pub(crate) const fn agents(&self) -> u64 {
        self.agents
    }

    /// Four registries on two chains.
    pub(crate) fn registries(&self) -> Vec<RegistryId> {
        let registry = |n: u8| RegistryId {
            chain_id: if n < 2 { 1 } else { 8453 },
            address: ChainAddress([n + 1; 20]),
        };
        (0..4).map(registry).collect()
    }

    /// Owners have between one and some thousand agents.
    fn owner(dice: &mut Dice) -> ChainAddress {
        let mut bytes = [0x11; 20];
        bytes[12..].copy_from_slice(&dice.zipf(WORDS).to_be_bytes());
        ChainAddress(bytes)
    }

    fn name(dice: &mut Dice) -> String {
        match dice.roll(10) {
            0 => format!(
                "{}{}エージェント",
                dice.pick(&JAPANESE),
                dice.pick(&JAPANESE)
            ),
            1 => format!("{} {}", dice.pick(&KOREAN), dice.pick(&KOREAN)),
            2 => format!("{}{}", dice.pick(&CHINESE), dice.pick(&CHINESE)),
            _ => format!(
                "{} {} agent",
                word(dice.zipf(WORDS)),
                word(dice.zipf(WORDS))
            ),
        }
    }

    fn description(dice: &mut Dice) -> String {
        let words = (0..8 + dice.roll(16)).map(|_| match dice.roll(20) {
            0 => format!("{}の{}", dice.pick(&JAPANESE), dice.pick(&JAPANESE)),
            1 => format!("{}를", dice.pick(&KOREAN)),
            _ => word(dice.zipf(WORDS)),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// What is said of one agent, in a block of its own.
    pub(crate) fn facts(&self, n: u64) -> Vec<Fact> {
        let mut dice = Dice::new(self.seed ^ n.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let agent = U256::from(n);
        let owner = Self::owner(&mut dice);
        let set = |key: &str, value: &str| Statement::MetadataSet {
            agent,
            key: key.into(),
            value: value.into(),
        };
        let statements = [
            Statement::Transferred {
                agent,
                from: ChainAddress([0; 20]),
                to: owner,
                caller: owner,
                amount: U256::ONE,
            },
            set("name", &Self::name(&mut dice)),
            set("description", &Self::description(&mut dice)),
            set("service_type", dice.pick(&KINDS)),
            set(
                "service",
                &format!("https://{}.example/{{id}}", word(dice.zipf(WORDS))),
            ),
        ];
        let said = |(log_index, statement)| Fact {
            origin: Origin {
                place: Place {
                    block: n,
                    log_index,
                },
                block_hash: BlockHash([1; 32]),
                block_timestamp: self.time(n),
                transaction: TransactionHash([2; 32]),
            },
            statement,
        };
        (0..).zip(statements).map(said).collect()
    }

    /// Spread over a year.
    fn time(&self, n: u64) -> Timestamp {
        let year = 365 * 24 * 60 * 60 * 1_000_u64;
        let millis = year / self.agents.max(1) * n;
        let start = 1_760_000_000_000_u64;
        let millis = i64::try_from(start + millis).unwrap_or(0);
        Timestamp::from_millis(millis).unwrap_or_else(|_| unreachable!("within two years of 2025"))
    }

    /// The n-th search of a kind, without its page.
    pub(crate) fn search(&self, kind: usize, n: u64) -> Search<OfAgents> {
        let mut dice = Dice::new(self.seed.wrapping_add(1_000_003 * (1 + n)) ^ kind as u64);
        let mut search: Search<OfAgents> = Search {
            limit: 10,
            ..Search::default()
        };
        match kind {
            0 => search.text = word(2_000 + dice.roll(WORDS - 2_000)),
            1 | 6 => search.text = word(dice.roll(20)),
            2 => {
                search.text = match dice.roll(3) {
                    0 => format!("{}{}", dice.pick(&JAPANESE), dice.pick(&JAPANESE)),
                    1 => dice.pick(&KOREAN).to_owned(),
                    _ => dice.pick(&CHINESE).to_owned(),
                }
            }
            3 => search.owner = Some(Self::owner(&mut dice)),
            4 => {
                search.text = word(dice.roll(500));
                search.only.service_type = Some(dice.pick(&KINDS).to_owned());
            }
            _ => {
                search.chain_id = Some(8453);
                search.updated_since = Some(self.time(dice.roll(self.agents.max(1))));
            }
        }
        search
    }
}
