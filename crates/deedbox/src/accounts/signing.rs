//! Whoever signs: an account whose key is asked for when something is to be signed, and not before.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use alloy_primitives::{Address, B256, Signature};
use alloy_signer::SignerSync as _;
use async_trait::async_trait;
use deedbox_publish::{CannotSign, Signer};

use super::{
    Folder, Keystore, Password, PrivateKey, Unreadable, ask, folder::is_open_to_others, holds_key,
    key::EXPECTED,
};
use crate::{
    cli::SignerFlags,
    failure::Failure,
    render::foreign,
    settings::{Environment, environment::PRIVATE_KEY_VARIABLE},
};

/// An account and where its key is.
#[derive(Debug)]
pub(crate) struct Signing {
    address: Address,
    key: Source,
}

/// Where a key is.
enum Source {
    /// Here.
    Known(PrivateKey),
    /// In a file that says whose it is. A person is asked for the password, once.
    File {
        keystore: Box<Keystore>,
        path: PathBuf,
        opened: OnceLock<PrivateKey>,
    },
    /// Asked for, once.
    Prompt(OnceLock<PrivateKey>),
    /// Nowhere: nothing will be signed.
    Nowhere,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Known(_) => "Known(…)",
            Self::File { .. } => "File(…)",
            Self::Prompt(_) => "Prompt",
            Self::Nowhere => "Nowhere",
        })
    }
}

const KEYSTORE: &str = "--keystore";
/// How often a person may type a password.
const TRIES: u8 = 3;

impl Signing {
    /// Finds out who signs. Asks for nothing that can wait.
    ///
    /// # Errors
    /// [`Failure::NoSigner`] when nobody is named; what is wrong with who is.
    pub(crate) fn of(
        flags: &SignerFlags,
        dry_run: bool,
        chain_id: u64,
        folder: &Folder,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let from = flags.from.as_deref();
        let from = from
            .map(|text| crate::commands::address("--from", text, chain_id))
            .transpose()?;
        let variable = environment.variable(PRIVATE_KEY_VARIABLE);
        let found = if let Some(text) = &flags.keystore {
            Some(Self::in_a_file(text, flags, dry_run, folder, environment)?)
        } else if flags.prompt_key {
            Some(Self::asked_for(from)?)
        } else if dry_run && from.is_some() {
            None
        } else {
            // A value that is no Unicode is not among the variables, and is no key.
            if variable.is_none() && std::env::var_os(PRIVATE_KEY_VARIABLE).is_some() {
                return Err(Failure::argument(PRIVATE_KEY_VARIABLE, EXPECTED));
            }
            let key = variable.map(PrivateKey::parse).transpose();
            key.map_err(|reason| Failure::argument(PRIVATE_KEY_VARIABLE, reason))?
                .map(Self::with)
        };
        match (found, from) {
            (Some(found), Some(from)) if found.address != from => Err(Failure::argument(
                "--from",
                format!(
                    "is {from}, and the key that would sign is the one of {}",
                    found.address
                ),
            )),
            (Some(found), _) => Ok(found),
            (None, Some(address)) if dry_run => Ok(Self {
                address,
                key: Source::Nowhere,
            }),
            (None, _) => Err(Failure::NoSigner),
        }
    }

    /// A key that is here.
    pub(crate) fn with(key: PrivateKey) -> Self {
        Self {
            address: key.address().0.into(),
            key: Source::Known(key),
        }
    }

    fn in_a_file(
        text: &str,
        flags: &SignerFlags,
        dry_run: bool,
        folder: &Folder,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let name = Path::new(text).file_name().unwrap_or_default();
        if holds_key(&name.to_string_lossy()) {
            let reason = "takes a keystore's name or file, and this looks like a private key. A key is never an argument, because it \
                          stays in the shell's history; move what it controls to another account";
            return Err(Failure::argument(KEYSTORE, reason));
        }
        let (path, keystore) = folder.open(KEYSTORE, text)?;
        if is_open_to_others(&path) {
            ask::tell(&foreign(&format!(
                "! Others on this machine can read the keystore {}. chmod 600 it, and choose a password that nobody guesses",
                path.display()
            )));
        }
        let unreadable = |cause| Failure::Keystore {
            path: path.clone(),
            cause,
        };
        let said = keystore.address().map_err(unreadable)?;
        if let (true, Some(said)) = (dry_run, said) {
            return Ok(Self {
                address: said.0.into(),
                key: Source::Nowhere,
            });
        }
        // A password that is wrong, or that nobody can give, is told before anything is done. A person is asked when there is
        // something to sign, and can try again.
        let given = ask::given_password(flags.password_file.as_deref(), environment)?;
        match (given, said) {
            (Some(password), _) => Ok(Self::with(
                unlocked(&keystore, &path, &password).map_err(unreadable)?,
            )),
            (None, _) if !ask::is_attended() => Err(Failure::Unattended {
                otherwise: ask::GIVE_PASSWORD,
            }),
            (None, Some(said)) => Ok(Self {
                address: said.0.into(),
                key: Source::File {
                    keystore: Box::new(keystore),
                    path,
                    opened: OnceLock::new(),
                },
            }),
            // Only the key itself tells whose it is.
            (None, None) => opened_by_a_person(&keystore, &path).map(Self::with),
        }
    }

    fn asked_for(from: Option<Address>) -> Result<Self, Failure> {
        match from {
            Some(_) if !ask::is_attended() => Err(Failure::Unattended {
                otherwise: ask::GIVE_KEY,
            }),
            Some(address) => Ok(Self {
                address,
                key: Source::Prompt(OnceLock::new()),
            }),
            None => Ok(Self::with(ask::private_key()?)),
        }
    }

    /// The key, asked for if it has to be.
    fn key(&self) -> Result<&PrivateKey, Failure> {
        match &self.key {
            Source::Known(key) => Ok(key),
            Source::File {
                keystore,
                path,
                opened,
            } => {
                if let Some(key) = opened.get() {
                    return Ok(key);
                }
                let key = opened_by_a_person(keystore, path)?;
                Ok(opened.get_or_init(|| key))
            }
            Source::Prompt(asked) => {
                if let Some(key) = asked.get() {
                    return Ok(key);
                }
                let key = ask::private_key()?;
                Ok(asked.get_or_init(|| key))
            }
            Source::Nowhere => Err(Failure::NoSigner),
        }
    }
}

/// Opens a keystore. One that asks for much work says so first, because nothing else is seen of it.
fn unlocked(
    keystore: &Keystore,
    path: &Path,
    password: &Password,
) -> Result<PrivateKey, Unreadable> {
    if keystore.is_slow() {
        ask::tell(&foreign(&format!(
            "… opening the keystore {}, which asks for more work than most: it takes a while",
            path.display()
        )));
    }
    keystore.decrypt(password)
}

/// Opens a keystore with the password that a person types; who mistypes it may type it again.
fn opened_by_a_person(keystore: &Keystore, path: &Path) -> Result<PrivateKey, Failure> {
    let of = path.display().to_string();
    let mut tries = TRIES;
    loop {
        tries -= 1;
        match unlocked(keystore, path, &ask::password(&of)?) {
            Err(Unreadable::WrongPassword) if tries > 0 => {
                ask::tell("The password is wrong. Try again.");
            }
            done => {
                return done.map_err(|cause| Failure::Keystore {
                    path: path.to_owned(),
                    cause,
                });
            }
        }
    }
}

#[async_trait]
impl Signer for Signing {
    fn address(&self) -> Address {
        self.address
    }

    async fn sign(&self, hash: B256) -> Result<Signature, CannotSign> {
        let cannot = |failure: Failure| CannotSign(failure.to_string());
        let key = self.key().map_err(cannot)?;
        let signer = key
            .signer()
            .ok_or_else(|| CannotSign("the key is none".to_owned()))?;
        signer
            .sign_hash_sync(&hash)
            .map_err(|error| CannotSign(error.to_string()))
    }
}
