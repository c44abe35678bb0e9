//! What the process was given by its surroundings, read once.

use std::{
    collections::BTreeMap,
    env, fmt,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy;

use super::{
    ChainSetting, Raw, Setting, Source,
    definition::{DEFINITIONS, Definition},
    read,
};

/// Where the configuration file is named.
const CONFIG_VARIABLE: &str = "DEEDBOX_CONFIG";
/// Where `deedbox mcp` finds its credential.
pub(crate) const KEY_VARIABLE: &str = "DEEDBOX_KEY";
/// Where `deedbox lint tools` finds a server's credential.
pub(crate) const LINT_VARIABLE: &str = "DEEDBOX_LINT_TOKEN";
/// Where a private key is found that signs transactions.
pub(crate) const PRIVATE_KEY_VARIABLE: &str = "DEEDBOX_PRIVATE_KEY";
/// Where the password of a keystore is found.
pub(crate) const PASSWORD_VARIABLE: &str = "DEEDBOX_KEYSTORE_PASSWORD";
/// Where the program is named that `deedbox chain dev` runs.
pub(crate) const ANVIL_VARIABLE: &str = "DEEDBOX_ANVIL";
/// Variables that are no settings, and that commands look up themselves.
const OTHER_VARIABLES: [&str; 6] = [
    CONFIG_VARIABLE,
    KEY_VARIABLE,
    LINT_VARIABLE,
    PRIVATE_KEY_VARIABLE,
    PASSWORD_VARIABLE,
    ANVIL_VARIABLE,
];
/// What it is called where nobody names it.
const CONFIG_NAME: &str = "deedbox.toml";

/// Variables and folders.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    /// Every variable whose name and value are Unicode.
    pub(crate) variables: BTreeMap<String, String>,
    /// Where the process was started.
    pub(crate) current_dir: PathBuf,
    /// Where programs keep their data: `$XDG_DATA_HOME` or `~/.local/share`.
    pub(crate) data_home: Option<PathBuf>,
    /// Where programs find their settings: `$XDG_CONFIG_HOME` or `~/.config`.
    pub(crate) config_home: Option<PathBuf>,
    /// Where programs keep what is this user's and this machine's: `$XDG_STATE_HOME` or `~/.local/state`; where
    /// there is no such folder, that of their data.
    pub(crate) state_home: Option<PathBuf>,
}

/// Without values: there are keys and passwords among them.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("variables", &self.variables.keys())
            .field("current_dir", &self.current_dir)
            .finish_non_exhaustive()
    }
}

impl Environment {
    /// That of this process.
    pub(crate) fn of_process() -> Self {
        let folders = etcetera::choose_base_strategy().ok();
        Self {
            variables: env::vars_os()
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
            current_dir: env::current_dir().unwrap_or_default(),
            data_home: folders.as_ref().map(BaseStrategy::data_dir),
            config_home: folders.as_ref().map(BaseStrategy::config_dir),
            state_home: folders
                .as_ref()
                .map(|folders| folders.state_dir().unwrap_or_else(|| folders.data_dir())),
        }
    }

    /// A variable's value. Empty counts as not set, which is how a shell or a unit file unsets one.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Variables that look like settings and are none: perhaps misspelled. Those that `chains` name are meant.
    pub(crate) fn unknown_variables(&self, chains: &[ChainSetting]) -> Vec<String> {
        let named = |name: &str| chains.iter().any(|chain| chain.names(name));
        let known = |name: &str| {
            let mut variables = DEFINITIONS.iter().flat_map(|one| one.variables);
            OTHER_VARIABLES.contains(&name) || variables.any(|known| *known == name) || named(name)
        };
        let names = self.variables.keys();
        names
            .filter(|name| name.starts_with("DEEDBOX_") && !known(name))
            .cloned()
            .collect()
    }

    /// What the variables say about a setting.
    pub(crate) fn raw(&self, definition: &Definition) -> Option<Raw> {
        definition.variables.iter().find_map(|name| {
            let value = self.variable(name)?;
            let texts = if definition.list {
                read::split_list(value)
            } else {
                vec![value.to_owned()]
            };
            Some(Raw {
                texts,
                source: Source::Variable(name),
            })
        })
    }

    /// The configuration file: named by flag or variable, or found where it usually is.
    pub(crate) fn config_file(&self, flag: Option<PathBuf>) -> Option<Setting<PathBuf>> {
        let absolute = |path: &Path| self.current_dir.join(path);
        if let Some(path) = flag {
            return Some(Setting {
                value: absolute(&path),
                source: Source::Flag("--config"),
            });
        }
        if let Some(path) = self.variable(CONFIG_VARIABLE) {
            return Some(Setting {
                value: absolute(Path::new(path)),
                source: Source::Variable(CONFIG_VARIABLE),
            });
        }
        let usual = [
            Some(self.current_dir.join(CONFIG_NAME)),
            self.config_home
                .as_ref()
                .map(|home| home.join("deedbox").join(CONFIG_NAME)),
        ];
        usual
            .into_iter()
            .flatten()
            .find(|path| path.exists())
            .map(|value| Setting {
                value,
                source: Source::Default,
            })
    }
}
