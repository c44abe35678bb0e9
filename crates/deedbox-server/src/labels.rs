//! What a request says of whoever sends it. Read once somebody is admitted, and never before: a label attributes, and
//! never authorises.
//!
//! Two spellings of each header are in use. Where both are there, Deedbox's own counts, as among variables. A
//! label that cannot be read is no label, and no error: a header that anybody on the way may add must not decide whether a request is answered.
//! [`get_identity`](crate::Tool::GetIdentity) tells what was not taken, and why.

use deedbox_core::{
    AgentLabel, Attribution, InstanceHash, Principal,
    attribution::{IgnoredLabel, instance_id_hash},
};
use http::HeaderMap;

/// The headers that carry an agent label, strongest first.
pub const AGENT_HEADERS: [&str; 2] = ["x-deedbox-agent-id", "x-memory-os-agent-id"];
/// The headers that carry the label of an installation, strongest first. It goes no further than here: what leaves is its hash.
pub const INSTANCE_HEADERS: [&str; 2] = [
    "x-deedbox-agent-instance-id",
    "x-memory-os-agent-instance-id",
];

/// What a caller says about itself. Attributes, and never authorises.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// What the agent calls itself.
    pub agent: Option<AgentLabel>,
    /// Which installation it says it is.
    pub instance: Option<InstanceHash>,
    /// What was sent as a label, and was not taken.
    pub ignored: Vec<IgnoredLabel>,
}

impl Labels {
    /// Takes the labels out of a request's headers, so that nothing behind has them.
    pub(crate) fn take(headers: &mut HeaderMap) -> Self {
        let mut ignored = Vec::new();
        let labels = Self {
            agent: one(headers, AGENT_HEADERS, AgentLabel::new, &mut ignored),
            instance: one(headers, INSTANCE_HEADERS, instance_id_hash, &mut ignored),
            ignored,
        };
        for name in AGENT_HEADERS.iter().chain(&INSTANCE_HEADERS) {
            headers.remove(*name);
        }
        for IgnoredLabel { carried_in, reason } in &labels.ignored {
            tracing::debug!(label.header = %carried_in, reason, "label ignored");
        }
        labels
    }

    /// Everything about the origin of a request of `principal` with these labels.
    #[must_use]
    pub fn attribute(&self, principal: Principal) -> Attribution {
        Attribution {
            principal,
            agent_label: self.agent.clone(),
            instance: self.instance,
            ignored: self.ignored.clone(),
        }
    }
}

/// What the strongest of these headers that is there says. It may stand there several times, if it says the same each time.
fn one<T: PartialEq, E: ToString>(
    headers: &HeaderMap,
    names: [&'static str; 2],
    read: impl Fn(&str) -> Result<T, E>,
    ignored: &mut Vec<IgnoredLabel>,
) -> Option<T> {
    let [own, other] = names;
    let mut ignore = |carried_in: &'static str, reason: String| {
        ignored.push(IgnoredLabel {
            carried_in: carried_in.into(),
            reason,
        });
    };
    let read_one = |name: &'static str| -> Option<Result<T, String>> {
        let values = headers.get_all(name);
        let mut read = values.iter().map(|value| {
            let text = std::str::from_utf8(value.as_bytes()).map_err(|_| "must be UTF-8")?;
            read(text).map_err(|error| error.to_string())
        });
        let first = read.next()?;
        if first.is_ok() && read.any(|another| another != first) {
            return Some(Err("stands there twice, and differs".to_owned()));
        }
        Some(first)
    };
    let (strong, weak) = (read_one(own), read_one(other));
    let (name, counts) = match (strong, weak) {
        (None, None) => return None,
        (None, Some(weak)) => (other, weak),
        (Some(strong), weak) => {
            if weak.is_some_and(|weak| weak != strong) {
                ignore(other, format!("{own} is there too, and counts"));
            }
            (own, strong)
        }
    };
    counts.map_err(|reason| ignore(name, reason)).ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const HASH: &str = "sha256:09a6b41a2fc6bf4ad940ad9871b2c2e16bb52b651b6906d45906c592e2d23d34";

    fn taken(pairs: &[(&'static str, &str)]) -> (Labels, HeaderMap) {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        (Labels::take(&mut headers), headers)
    }

    fn read(pairs: &[(&'static str, &str)]) -> (Option<String>, Option<String>, Vec<String>) {
        let (labels, _) = taken(pairs);
        let ignored = labels.ignored.iter();
        (
            labels.agent.map(|label| label.as_str().to_owned()),
            labels.instance.map(|hash| hash.to_string()),
            ignored
                .map(|label| format!("{}: {}", label.carried_in, label.reason))
                .collect(),
        )
    }

    #[test]
    fn both_spellings_carry_both_labels() {
        for (agent, instance) in AGENT_HEADERS.into_iter().zip(INSTANCE_HEADERS) {
            let said = read(&[(agent, " codex "), (instance, " codex-local-install ")]);
            let expected = (Some("codex".to_owned()), Some(HASH.to_owned()), vec![]);
            assert_eq!(said, expected, "{agent}");
        }
        assert_eq!(
            read(&[("x-memory-os-agent-id", "エージェント")]).0,
            Some("エージェント".to_owned())
        );
    }

    #[test]
    fn where_both_spellings_are_there_deedboxs_own_counts() {
        let same = [
            ("x-memory-os-agent-id", "codex"),
            ("x-deedbox-agent-id", " codex"),
        ];
        assert_eq!(read(&same), (Some("codex".to_owned()), None, vec![]));
        let told = "x-memory-os-agent-id: x-deedbox-agent-id is there too, and counts";
        let differ = [
            ("x-memory-os-agent-id", "claude"),
            ("x-deedbox-agent-id", "codex"),
        ];
        let expected = (Some("codex".to_owned()), None, vec![told.to_owned()]);
        assert_eq!(read(&differ), expected);
        // Not even when it cannot be read: which of them counts must not depend on what they say.
        let (agent, _, ignored) = read(&[
            ("x-memory-os-agent-id", "claude"),
            ("x-deedbox-agent-id", ""),
        ]);
        assert_eq!((agent, ignored.len()), (None, 2), "{ignored:?}");
        assert!(ignored[1].starts_with("x-deedbox-agent-id: must be 1 to 256 characters"));
    }

    #[test]
    fn a_label_that_cannot_be_read_is_none_and_said_to_be() {
        let most = "é".repeat(256);
        let more = "é".repeat(257);
        for (agent, why) in [
            ("", "must be 1 to 256"),
            (" \t ", "must be 1 to 256"),
            (&more, "must be 1 to 256"),
        ] {
            let (label, _, ignored) = read(&[("x-deedbox-agent-id", agent)]);
            assert_eq!((label, ignored.len()), (None, 1));
            assert!(ignored[0].contains(why), "{ignored:?}");
        }
        for (instance, why) in [
            ("", "must not be empty"),
            ("  ", "must not be empty"),
            (&more, "must be at most 256"),
        ] {
            let (_, hash, ignored) = read(&[("x-deedbox-agent-instance-id", instance)]);
            assert_eq!((hash, ignored.len()), (None, 1));
            assert!(ignored[0].contains(why), "{ignored:?}");
        }
        let (label, hash, ignored) = read(&[
            ("x-deedbox-agent-id", &most),
            ("x-deedbox-agent-instance-id", &most),
        ]);
        assert!(label.is_some() && hash.is_some() && ignored.is_empty());
        let mut headers = HeaderMap::new();
        headers.append(
            "x-deedbox-agent-id",
            HeaderValue::from_bytes(b"\xff").unwrap(),
        );
        let labels = Labels::take(&mut headers);
        assert_eq!((labels.agent, labels.ignored.len()), (None, 1));
        assert_eq!(labels.ignored[0].reason, "must be UTF-8");
    }

    #[test]
    fn one_header_may_stand_there_twice_if_it_says_the_same() {
        let name = "x-deedbox-agent-id";
        assert_eq!(
            read(&[(name, "codex"), (name, "codex ")]).0,
            Some("codex".to_owned())
        );
        for pair in [["codex", "claude"], ["codex", ""], ["", "codex"]] {
            let (label, _, ignored) = read(&[(name, pair[0]), (name, pair[1])]);
            assert_eq!((label, ignored.len()), (None, 1), "{pair:?}");
        }
    }

    #[test]
    fn what_was_sent_is_not_there_any_more_and_shown_nowhere() {
        let all = [
            ("x-deedbox-agent-id", "codex"),
            ("x-memory-os-agent-id", "codex"),
            ("x-deedbox-agent-instance-id", "my-raw-label"),
            ("x-memory-os-agent-instance-id", "my-other-raw-label"),
            ("accept", "application/json"),
        ];
        let (labels, left) = taken(&all);
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(labels.ignored.len(), 1);
        assert!(!format!("{labels:?}").contains("raw-label"), "{labels:?}");
    }
}
