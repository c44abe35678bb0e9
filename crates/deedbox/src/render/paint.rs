//! Colours, for terminals alone.

use anstyle::{AnsiColor, Style};

use crate::settings::Environment;

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Paint(bool);

impl Paint {
    /// On a terminal, unless `NO_COLOR` is set; elsewhere only when `CLICOLOR_FORCE` is.
    pub(crate) fn when(terminal: bool, environment: &Environment) -> Self {
        let set = |name| environment.variable(name).is_some_and(|value| value != "0");
        let dumb = environment.variable("TERM") == Some("dumb");
        // NO_COLOR counts whatever its value is: https://no-color.org.
        let unwanted = environment.variable("NO_COLOR").is_some();
        Self(!unwanted && (set("CLICOLOR_FORCE") || (terminal && !dumb)))
    }

    /// Never.
    pub(crate) const fn off() -> Self {
        Self(false)
    }

    /// Whether it colours.
    pub(crate) const fn on(self) -> bool {
        self.0
    }

    fn with(self, style: Style, text: &str) -> String {
        if self.0 {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// What matters most.
    pub(crate) fn strong(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    /// What matters least.
    pub(crate) fn faint(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    /// What went well.
    pub(crate) fn good(self, text: &str) -> String {
        self.with(AnsiColor::Green.on_default(), text)
    }

    /// What wants attention.
    pub(crate) fn alert(self, text: &str) -> String {
        self.with(AnsiColor::Yellow.on_default(), text)
    }

    /// What is wrong.
    pub(crate) fn bad(self, text: &str) -> String {
        self.with(AnsiColor::Red.on_default().bold(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)]) -> Environment {
        Environment {
            variables: variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            ..Environment::default()
        }
    }

    #[test]
    fn only_a_terminal_that_did_not_decline_is_coloured() {
        for (terminal, variables, on) in [
            (true, &[][..], true),
            (false, &[], false),
            (true, &[("NO_COLOR", "1")], false),
            (true, &[("TERM", "dumb")], false),
            (false, &[("CLICOLOR_FORCE", "1")], true),
            (false, &[("CLICOLOR_FORCE", "0")], false),
            (false, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        ] {
            assert_eq!(
                Paint::when(terminal, &with(variables)).on(),
                on,
                "{variables:?}"
            );
        }
    }
}
