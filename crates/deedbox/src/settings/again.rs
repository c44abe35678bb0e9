//! The next command to type, so that it reaches the same database as this one.

use super::{Settings, Source};
use crate::render::line;

impl Settings {
    /// `deedbox` with `command` and the flags that named the database. Variables and files still hold in the
    /// shell in which this is read; flags do not, and without them the command would go to another database.
    pub(crate) fn again(&self, command: &str) -> String {
        let mut text = format!("deedbox {command}");
        let mut add = |flag: &str, value: &str, source: &Source| {
            if matches!(source, Source::Flag(_)) {
                text.push_str(&format!(" {flag} {}", quoted(value)));
            }
        };
        if let Some(file) = &self.config_file {
            add("--config", &file.value.display().to_string(), &file.source);
        }
        if let Some(folder) = &self.data_dir.value {
            add(
                "--data-dir",
                &folder.display().to_string(),
                &self.data_dir.source,
            );
        }
        if let Some(label) = &self.agent_id.value {
            add("--as-agent", &line(label.as_str()), &self.agent_id.source);
        }
        // A password in it is masked: it is not ours to print.
        let url = &self.database_url;
        add("--database-url", &url.value.to_string(), &url.source);
        text
    }
}

/// As a POSIX shell reads it back.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn what_a_shell_would_take_apart_is_quoted() {
        assert_eq!(quoted("/srv/deed-box"), "/srv/deed-box");
        assert_eq!(quoted("/srv/deed box"), "'/srv/deed box'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
