//! Notes that a seed makes up, in English, Japanese and Korean, and the questions that are asked of them.

use deedbox_bench::dice::{Dice, WORDS, word};
use deedbox_core::MemoryKind;
use serde_json::{Value, json};

/// The space that has nearly all of them.
pub(crate) const LARGE: &str = "atlas";
/// Those that have a hundredth together.
pub(crate) const SMALL: [&str; 3] = ["birch", "cedar", "personal:alice"];

/// How many compounds each of the two alphabets makes.
const COMPOUNDS: u64 = 64 * 64;
const JAPANESE: &str = "東京案内翻訳天気予報株価分析画像生成音声会議旅行設計実装試験障害対応契約請求顧客資料更新検索記録利用者権限通信保存削除監査期限予算担当";
const JAPANESE_JOINTS: [&str; 6] = ["の", "を", "は", "で", "に", "と"];
const KOREAN: &str = "결제번역날씨분석도우미예약검색요약회의설계구현시험장애대응계약청구고객자료갱신기록사용권한통신저장삭제감사기일예산담당업무일정목표변경배포";
const KOREAN_JOINTS: [&str; 6] = ["를", "은", "에서", "에", "와", "의"];

const TOPICS: [&str; 5] = ["design", "operations", "people", "incidents", "api"];

/// Kinds of questions, by the names under which they are reported.
pub(crate) const MIX: [&str; 8] = [
    "rare word",
    "four common words",
    "sentence of eight words",
    "Japanese",
    "Korean",
    "common words, path, kind and tag",
    "common words, in a small space",
    "nothing found",
];

/// One note, as it is remembered.
#[derive(Debug)]
pub(crate) struct Note {
    pub(crate) space: &'static str,
    pub(crate) kind: MemoryKind,
    pub(crate) path: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) content: String,
}

/// All notes there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    seed: u64,
}

/// Two characters of an alphabet.
fn compound(alphabet: &str, number: u64) -> String {
    let of = |at: u64| {
        let at = usize::try_from(at % 64).unwrap_or(0);
        alphabet.chars().cycle().nth(at).unwrap_or(' ')
    };
    [of(number), of(number / 64)].iter().collect()
}

fn english(dice: &mut Dice, words: u64) -> Vec<String> {
    (0..words).map(|_| word(dice.zipf(WORDS))).collect()
}

fn japanese(dice: &mut Dice, compounds: u64) -> String {
    let each = |_| compound(JAPANESE, dice.zipf(COMPOUNDS)) + dice.pick(&JAPANESE_JOINTS);
    (0..compounds).map(each).collect()
}

fn korean(dice: &mut Dice, compounds: u64) -> String {
    let each = |_| compound(KOREAN, dice.zipf(COMPOUNDS)) + dice.pick(&KOREAN_JOINTS);
    let words: Vec<String> = (0..compounds).map(each).collect();
    words.join(" ")
}

fn path(dice: &mut Dice) -> String {
    format!(
        "projects/{}/{}",
        word(100 + dice.zipf(300)),
        dice.pick(&TOPICS)
    )
}

fn tag(dice: &mut Dice) -> String {
    word(500 + dice.zipf(200))
}

fn kind(dice: &mut Dice) -> MemoryKind {
    match dice.roll(10) {
        0..=3 => MemoryKind::Note,
        4..=5 => MemoryKind::Fact,
        6..=7 => MemoryKind::Decision,
        8 => MemoryKind::Todo,
        _ => MemoryKind::Preference,
    }
}

impl World {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The n-th note. Six of ten are English, two Japanese, two Korean; half have a path, and most a tag or two.
    pub(crate) fn note(&self, n: u64) -> Note {
        let mut dice = Dice::new(self.seed ^ n.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let space = match dice.roll(100) {
            0 => dice.pick(&SMALL),
            _ => LARGE,
        };
        let content = match dice.roll(10) {
            0 | 1 => {
                let compounds = 6 + dice.roll(14);
                japanese(&mut dice, compounds) + "。"
            }
            2 | 3 => {
                let compounds = 8 + dice.roll(16);
                korean(&mut dice, compounds)
            }
            _ => {
                let words = 12 + dice.roll(28);
                english(&mut dice, words).join(" ") + "."
            }
        };
        let with_path = dice.roll(2) == 0;
        Note {
            space,
            kind: kind(&mut dice),
            path: with_path.then(|| path(&mut dice)),
            tags: (0..dice.roll(3)).map(|_| tag(&mut dice)).collect(),
            content,
        }
    }

    /// The arguments of the n-th recall of a kind.
    pub(crate) fn question(&self, of: usize, n: u64) -> Value {
        let seed = self.seed.wrapping_add(1_000_003 * (1 + n));
        let mut dice = Dice::new(seed ^ (of as u64) << 40);
        let common = |dice: &mut Dice, count: u64| {
            let words = (0..count).map(|_| word(dice.roll(20)));
            words.collect::<Vec<_>>().join(" ")
        };
        match of {
            0 => json!({"query": word(2_000 + dice.roll(WORDS - 2_000))}),
            1 => json!({"query": common(&mut dice, 4)}),
            2 => json!({"query": english(&mut dice, 8).join(" ") + "?"}),
            3 => json!({"query": japanese(&mut dice, 3) + "どうする?"}),
            4 => json!({"query": korean(&mut dice, 3) + " 어떻게 할까요?"}),
            5 => {
                let (query, tag) = (common(&mut dice, 2), tag(&mut dice));
                let (path, kind) = (path(&mut dice), kind(&mut dice).to_string());
                json!({"query": query, "path": path, "kinds": [kind], "tags": [tag]})
            }
            6 => json!({"query": common(&mut dice, 3), "spaces": [dice.pick(&SMALL)]}),
            // No word of the notes has these letters.
            _ => json!({"query": format!("yby{} rhythm{}", dice.roll(1_000), dice.roll(1_000))}),
        }
    }
}
