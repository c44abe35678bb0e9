//! The words by which a statement is recognised, in English.
//!
//! A list here is a judgement: a word that stands in it counts as evidence. Each was put in or left out because of
//! descriptions that people wrote (`tests.rs` holds them); whoever changes a list adds the description that made it necessary.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

/// The largest program that a pattern may compile to, in bytes.
const PROGRAM: usize = 4 << 20;

/// Alternatives that stand between word boundaries.
fn any(words: &[&str]) -> Regex {
    #[expect(
        clippy::expect_used,
        reason = "the patterns are constants, and a test compiles each"
    )]
    RegexBuilder::new(&format!(r"\b(?:{})(?:\b|$)", words.join("|")))
        .case_insensitive(true)
        .size_limit(PROGRAM)
        .build()
        .expect("a constant pattern")
}

macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident: [$($word:literal),* $(,)?];)*) => {
        $(
            $(#[$doc])*
            pub(super) static $name: LazyLock<Regex> = LazyLock::new(|| any(&[$($word),*]));
        )*

        #[cfg(test)]
        fn all() -> Vec<&'static Regex> {
            vec![$(&*$name),*]
        }
    };
}

patterns! {
    /// That none of a server's tools does what this one does not: as good as naming one.
    NO_TOOL: ["no (?:other )?tool (?:here |of this server )?does"];
    /// For what a tool is.
    FOR_WHAT: [
        r"use (?:this|it|the tool)?\s*(?:tool )?(?:when|to|for|if|in|before|after|as|only)",
        r"(?:useful|ideal|intended|meant|perfect|suitable|helpful|good|best) (?:for|when|to|in)",
        r"(?:can|should|may|to) be used (?:to|for|when|in|as|by)", r"used (?:to|for|when)",
        r"call (?:this|it)?\s*(?:tool )?(?:when|to|for|if|before|after)",
        r"in order to", r"so that", r"when (?:you|the user|users|someone|a user)(?: really)? (?:need|want|ask|look|are|is|has|have)\w*",
        r"if you (?:need|want)", r"helps?(?: you)? (?:to )?\w+", r"lets you", r"allows? (?:you )?to", r"enables?",
        r"(?-i:^for) (?:a|an|the|your|one|[a-z]+ing)",
        r"for (?:you to )?(?:understanding|finding|saying|taking|passing|work|debugging|testing|checking|reading|seeing|exploring|discovering|[a-z]{3,}ing (?:a|an|the|out|on|up|how|what|who|which|whether|several|multiple|every|your|its|their|another|files|if|when|of|with|changes|between))",
    ];
    /// What stands for a quantity's unit, or for the form of a time or a text.
    UNIT: [
        "wei", "gwei", "satoshis?", "lamports?", "smallest unit", "base units?", "raw amounts?", "bytes?", "KiB", "MiB", "GiB", "kB", "MB", "GB", "kilobytes", "megabytes",
        "characters long", "code points?", "milliseconds?", "ms", "seconds?", "minutes?", "hours?", "days?", "nanoseconds?", "microseconds?",
        "UTC", r"RFC[ -]?3339", r"ISO[ -]?8601", r"YYYY-MM-DD\w*", "date-time", r"unix (?:time|timestamps?|epoch)", "epoch",
        "percent(?:age)?s?", "per cent", "basis points?", "fractions? of", "degrees?", "celsius", "fahrenheit", "met(?:er|re)s?", "kilomet(?:er|re)s?", "km", "miles?",
        "USD", "EUR", "US dollars?", "dollars?", "cents?", "pixels?", "px", "dpi", "decimal (?:strings?|places?|digits?)", "decimals", "rounded", "precision", "significant digits?",
        "integer number of", "whole numbers?", "base64", r"UTF-?8", "hex(?:adecimal)?", "0x", "plain text", "raw text", "Markdown", "JSON", "HTML", "CSV", "PNG", "JPEG", "unified diff", "format date-time", "format uri",
    ];
    /// What is said of the answer, rather than of an input.
    ANSWER: [
        "returns?", "returned", "returning", "responds?", "outputs?", "results?", "response", "answers?", "gives?", "yields?", "reports?", "produces?", "shows?", "shown as", "displays?", "contains?", "includes?",
        "is in", "are in", "is an?", "are an?", "measured in", "expressed in", "as an?", "times", "amounts?", "sizes?",
    ];
    /// As of which moment an answer is.
    AS_OF: [
        "as of", r"at (?:the )?(?:given |same |that |one |a |specified |this )?block", r"block (?:height|number|hash)", r"(?:time|moment|point in time) of (?:the|its|that|this) (?:record|call|request|query|reading|reply|answer|creation|write)",
        r"at (?:the )?(?:time|moment) (?:of|when|that|it)", "at call time", "that of the call", "real[- ]time", "live (?:data|state|view|prices?|values?|from)", "point[- ]in[- ]time", "snapshots? (?:of|at|as)", "a snapshot", "frozen",
        r"(?:may|can|might) be (?:stale|out of date|outdated|cached|delayed|behind)", "cached", "not cached", r"up to \S+ (?:\w+ )?(?:old|stale|late|behind)", "freshness", "stale",
        r"(?:updated|refreshed|synced|indexed) (?:every|hourly|daily|weekly|once|at|in|continuously)", r"current (?:time|date|state|status|value|values|content|contents|branch|balance|price|weather|moment|position)",
        "currently", "(?:as|how) (?:it|they|things) (?:is|are|was|were|stand|stands|stood) (?:now|then|at)", r"latest (?:available |known )?(?:data|block|version of the data)", "at each call", "at read time",
        r"since the last \w+", r"read (?:anew|afresh|fresh|live)", "no caching", "without caching", "eventually consistent", "reflects? (?:the )?(?:changes|state|current)",
    ];
    /// What a tool does not do.
    NOT: [
        "does not", "doesn't", "do not", "don't", "did not", "cannot", "can not", "can't", "could not", "will not", "won't", "never", "is not", "isn't", "are not", "aren't", "not (?:for|intended|suitable|supported|included|returned|recommended|available|allowed|meant|a|an)",
        "nothing (?:else|more)", "only (?:works?|supports?|returns?|reads?|operates|searches|lists|accepts|within|applies)", "excludes?", "excluding", "limited to", "capped at", "no longer", "unable to", "instead of", "rather than", "changes nothing", "without (?:changing|modifying|writing|reading|returning|deleting|following)",
    ];
    /// What makes a clause a condition, in which a negation says nothing of the tool.
    CONDITION: ["if", "when", "whenever", "unless", "whether", "that", "which", "who", "where", "while", "in case"];
    /// What failure looks like.
    FAILS: [
        r"fails?(?: with| if| when| on| for|,|;|:|\.)?", "failures?", "isError", r"errors? (?:if|when|with|on|for|codes?|messages?|is returned|are returned|results?|occurs?|response)", r"(?:returns?|raises?|throws?|gives?|reports?|with|an?|as) (?:an? |the )?(?:\w+ )?(?:errors?|exceptions?)",
        "is refused", "are refused", "refuses?", "refusals?", "rejects?", "is rejected", "are rejected", r"(?:returns?|is|are|gives?|yields?) (?:null|nil|none|empty|an empty \w+|nothing|false|undefined|not found) (?:if|when|for|on|where)", r"if (?:\w+ ){1,5}(?:does not exist|doesn't exist|is not found|is missing|not found|is invalid|cannot be)\b.{0,40}(?:error|null|empty|fail|refus|return)",
        r"(?:HTTP|status|code) ?[45]\d\d", r"[45]\d\d (?:when|if|for|on|malformed|unknown|not|no|bad|unauthori[sz]ed|forbidden|conflict)", "retryable", r"throttl\w+",
    ];
    /// How long it takes.
    LATENCY: [
        r"takes? (?:about |around |up to |roughly |only |less than |a |an |several |some |many |\d)\w*", "takes (?:milliseconds|seconds|minutes|hours|long|longer|time)", r"(?:in|within|under|about|around|up to|at most|after|less than) (?:a |an |one |\d+ ?)?(?:few )?(?:ms|milliseconds?|seconds?|minutes?|hours?)",
        "latency", "slow(?:er|ly)?", "fast(?:er)?", "quick(?:er|ly)?", "instant(?:ly|aneous)?", "immediately", "long[- ]running", "time[- ]?outs?", "times out", "asynchronous(?:ly)?", "in the background", "blocks until", "may take", "can take", "waits? (?:for|until|up)",
    ];
    /// How often to call.
    FREQUENCY: [
        r"call (?:it |this )?(?:once|again|only|sparingly|when|whenever|at most|every|no more|as often|repeatedly|before|after)", "rate[- ]?limit(?:s|ed|ing)?", "quota", r"(?:not|no) more (?:often )?than", r"at most (?:once|\d+ times|every|\d+ (?:calls|requests))", "how often", r"(?:calls?|requests?|times|queries) (?:per|a|an|each|every) (?:second|minute|hour|day|month|task|session|key)", "poll(?:ing|s)?", "sparingly",
        "idempotent", "no-op", r"retr(?:y|ies)(?: after)?", "expensive", "cheap", "do not call", "only once", "once per", r"safe to (?:call|repeat|retry)", r"(?:call|use|run) (?:this |it )?(?:multiple|many|several) times", "repeated calls?", "calling it again", "again only", "each call", r"before (?:any|every|each) (?:other )?\w+",
    ];
    /// What is said of the default of every input at once.
    NO_DEFAULTS: [r"no (?:input|argument|parameter|field)s? (?:has|have) (?:a |any )?defaults?", r"nothing has a default", r"without (?:a |any )?defaults?", r"all (?:inputs|arguments|parameters) are required", "no defaults?"];
    /// What is said of an input that may be left out.
    DEFAULT: [
        "defaults?", "defaulting", r"(?:if|when) (?:omitted|absent|missing|unset|empty|left out|left empty|null|none|not (?:provided|given|set|specified|supplied|present))", r"otherwise", r"if (?:\w+ ){0,3}(?:is|are) (?:omitted|absent|missing|unset|empty|null|not (?:provided|given|set|specified|supplied))",
        r"(?:omit|leave out|leave empty) (?:\w+ ){0,3}(?:to|for)", "unless (?:given|set|specified|provided|told)", "optional (?:text|string|number) or null", "without it",
    ];
    /// Words that English sentences are held together by.
    ENGLISH: ["the", "a", "an", "of", "to", "and", "is", "in", "for", "with", "from", "by", "or", "returns?", "gets?", "lists?", "creates?", "this", "that", "it", "on", "all"];
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_pattern_compiles_and_none_matches_nothing_at_all() {
        for pattern in super::all() {
            assert!(!pattern.is_match(""), "{pattern}");
            assert!(!pattern.is_match("Zebra"), "{pattern}");
        }
    }
}
