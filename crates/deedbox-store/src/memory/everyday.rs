//! Words that a question has because it is a question, and not because of what it is about.
//!
//! In a space with few memories each of them is as rare as the word that matters, and three of them outweigh it: "Which database do we use?"
//! must not be answered with what else we do not use.

/// Of English: articles, pronouns, prepositions, conjunctions, auxiliaries and what questions begin with.
const ENGLISH: [&str; 122] = [
    "a",
    "about",
    "after",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "but",
    "by",
    "can",
    "cannot",
    "could",
    "did",
    "do",
    "does",
    "doing",
    "done",
    "every",
    "for",
    "from",
    "get",
    "gets",
    "got",
    "had",
    "has",
    "have",
    "having",
    "he",
    "her",
    "here",
    "him",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "let",
    "may",
    "me",
    "might",
    "must",
    "my",
    "no",
    "not",
    "of",
    "on",
    "or",
    "our",
    "ours",
    "out",
    "own",
    "please",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "something",
    "such",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "to",
    "too",
    "up",
    "us",
    "use",
    "used",
    "uses",
    "using",
    "very",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "would",
    "yes",
    "you",
    "your",
    "yours",
    "say",
    "says",
    "said",
    "tell",
    "know",
];

fn is_everyday(word: &str) -> bool {
    ENGLISH.contains(&word)
}

/// These words without everyday ones; all of them where there are no others.
pub(super) fn without(words: Vec<String>) -> Vec<String> {
    if words.iter().all(|word| is_everyday(word)) {
        return words;
    }
    let mut words = words;
    words.retain(|word| !is_everyday(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_left_with_what_it_is_about() {
        for (question, about) in [
            ("which postgresql do we use", "postgresql"),
            ("what do we do", "what do we do"),
            ("the who", "the who"),
            ("水位 を測 測る", "水位 を測 測る"),
        ] {
            let words = question.split(' ').map(str::to_owned).collect();
            assert_eq!(without(words).join(" "), about);
        }
    }
}
