//! What a tool's author says about a gate.

use std::time::Duration;

use deedbox_id::ToolReference;

/// The longest that a proof may count.
const HOUR: Duration = Duration::from_secs(60 * 60);
/// The longest that an answer of the registry may be relied upon: the interactive window of ERC-8257 §7.
const FIVE_MINUTES: Duration = Duration::from_secs(5 * 60);

/// Which tool is guarded, and how strictly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The tool whose registry is asked.
    pub tool: ToolReference,
    /// Whom proofs must be made for: the origin at which callers reach the endpoint, like `https://tool.example`. It is compared as a
    /// text, and shown to callers.
    pub audience: String,
    /// How long a proof may count, from its signing to its deadline: a second to an hour. Five minutes otherwise.
    pub longest_proof: Duration,
    /// How long a grant is relied upon before the registry is asked again: at most five minutes, which it is otherwise. Zero asks for
    /// every request.
    pub grant_age: Duration,
    /// The same for every answer that lets nobody in; never longer than for a grant. 15 seconds otherwise.
    pub denial_age: Duration,
    /// How old the chain's newest block may be, by this machine's clock: an endpoint that stopped following its chain still knows who had
    /// access when it stopped. None for any age, as on a chain of tests that makes no blocks by itself. Ten minutes otherwise.
    pub oldest_block: Option<Duration>,
    /// How many answers are kept, at least one; each has some hundred bytes. 10,000 otherwise.
    pub most_answers: usize,
}

/// Why a [`Config`] cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadConfig {
    /// The chain's id is not below 2^64.
    #[error("the tool's chain has an id that no endpoint can be configured for")]
    Chain,
    /// The audience is empty, too long, or holds what a header's quoted text cannot.
    #[error(
        "the audience must be 1 to 256 visible ASCII characters without quotation marks and backslashes"
    )]
    Audience,
    /// The longest proof.
    #[error("longest_proof must be a second at least, and an hour at most")]
    LongestProof,
    /// The age of a grant.
    #[error("grant_age must be five minutes at most")]
    GrantAge,
    /// The age of a denial.
    #[error("denial_age must not be above grant_age")]
    DenialAge,
    /// No room for answers.
    #[error("most_answers must be one at least")]
    MostAnswers,
}

impl Config {
    /// The usual strictness.
    #[must_use]
    pub fn new(tool: ToolReference, audience: impl Into<String>) -> Self {
        Self {
            tool,
            audience: audience.into(),
            longest_proof: FIVE_MINUTES,
            grant_age: FIVE_MINUTES,
            denial_age: Duration::from_secs(15),
            oldest_block: Some(Duration::from_secs(10 * 60)),
            most_answers: 10_000,
        }
    }

    /// Checks the limits.
    ///
    /// # Errors
    /// [`BadConfig`].
    pub fn check(&self) -> Result<(), BadConfig> {
        let quotable = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
        let audience = self.audience.as_bytes();
        let good =
            (1..=256).contains(&audience.len()) && audience.iter().all(|byte| quotable(*byte));
        let rules = [
            (self.tool.chain().to_u64().is_some(), BadConfig::Chain),
            (good, BadConfig::Audience),
            (
                (Duration::from_secs(1)..=HOUR).contains(&self.longest_proof),
                BadConfig::LongestProof,
            ),
            (self.grant_age <= FIVE_MINUTES, BadConfig::GrantAge),
            (self.denial_age <= self.grant_age, BadConfig::DenialAge),
            (self.most_answers > 0, BadConfig::MostAnswers),
        ];
        match rules.into_iter().find(|(kept, _)| !kept) {
            Some((_, broken)) => Err(broken),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_window_is_longer_than_the_standard_has_it() {
        let tool = "eip155:1/erc8257:0x265bb2dbfc0a8165c9a1941eb1372f349bad2cf1/7";
        let good = Config::new(tool.parse().unwrap(), "https://tool.example");
        assert_eq!(good.check(), Ok(()));
        let with = |change: fn(&mut Config)| {
            let mut config = good.clone();
            change(&mut config);
            config.check().unwrap_err()
        };
        assert_eq!(
            with(|config| config.longest_proof = Duration::from_secs(3601)),
            BadConfig::LongestProof
        );
        assert_eq!(
            with(|config| config.longest_proof = Duration::ZERO),
            BadConfig::LongestProof
        );
        assert_eq!(
            with(|config| config.grant_age = Duration::from_secs(301)),
            BadConfig::GrantAge
        );
        assert_eq!(
            with(|config| config.denial_age = Duration::from_secs(301)),
            BadConfig::DenialAge
        );
        assert_eq!(
            with(|config| config.audience = "https://a\"".to_owned()),
            BadConfig::Audience
        );
        assert_eq!(with(|config| config.audience.clear()), BadConfig::Audience);
        assert_eq!(
            with(|config| config.most_answers = 0),
            BadConfig::MostAnswers
        );
    }
}
