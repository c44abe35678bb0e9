//! Asking a person for a secret, without echo; and reading one from where a script puts it.

use std::{
    fs::File,
    io::{self, IsTerminal, Read as _},
    path::Path,
};

use super::key::{Password, PrivateKey};
use crate::{
    failure::Failure,
    settings::{Environment, environment::PASSWORD_VARIABLE},
};

/// The shortest password that a new keystore is encrypted under, in characters.
pub(crate) const SHORTEST: usize = 8;
/// The most of a file that is read as a password.
const MOST: u64 = 4096;

/// Whether there is a person to ask: somebody types into this program, and sees what it says.
pub(crate) fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a secret on the terminal, without echo.
fn secret(prompt: &str, otherwise: &'static str) -> Result<String, Failure> {
    if !is_attended() {
        return Err(Failure::Unattended { otherwise });
    }
    rpassword::prompt_password(prompt).map_err(|source| Failure::io("asking for a secret", source))
}

/// The password of a keystore that is there: from a file, from the environment, or asked for.
///
/// # Errors
/// [`Failure::CannotRead`], [`Failure::Unattended`].
pub(crate) fn password(
    of: &str,
    file: Option<&Path>,
    environment: &Environment,
) -> Result<Password, Failure> {
    if let Some(given) = given_password(file, environment)? {
        return Ok(given);
    }
    let asked = secret(
        &format!("Password of {of}: "),
        "Give it with --password-file FILE, or in DEEDBOX_KEYSTORE_PASSWORD",
    )?;
    Ok(Password::new(asked))
}

/// The password of a keystore that is to be made; asked for twice, as nobody sees what they type.
///
/// # Errors
/// [`Failure::CannotRead`], [`Failure::Unattended`]; [`Failure::Argument`] when it is too short, or the two differ.
pub(crate) fn new_password(
    file: Option<&Path>,
    environment: &Environment,
) -> Result<Password, Failure> {
    let otherwise = "Give a password with --password-file FILE, or in DEEDBOX_KEYSTORE_PASSWORD";
    let password = match given_password(file, environment)? {
        Some(given) => given,
        None => {
            let first = Password::new(secret("New password: ", otherwise)?);
            let second = Password::new(secret("The same again: ", otherwise)?);
            if !first.is(&second) {
                let reason = "the two that were typed are not the same; nothing was written";
                return Err(Failure::argument("password", reason));
            }
            first
        }
    };
    if password.length() < SHORTEST {
        let reason = format!(
            "must have at least {SHORTEST} characters: whoever gets the file can try millions of shorter ones"
        );
        return Err(Failure::argument("password", reason));
    }
    Ok(password)
}

fn given_password(
    file: Option<&Path>,
    environment: &Environment,
) -> Result<Option<Password>, Failure> {
    if let Some(path) = file {
        return first_line(path).map(Some);
    }
    let variable = environment.variable(PASSWORD_VARIABLE);
    Ok(variable.map(|text| Password::new(text.to_owned())))
}

/// A file's first line, as other wallets read passwords too.
fn first_line(path: &Path) -> Result<Password, Failure> {
    let read = || {
        let mut text = String::new();
        File::open(path)?.take(MOST).read_to_string(&mut text)?;
        Ok(text)
    };
    let mut text = read().map_err(|source| Failure::CannotRead {
        path: path.to_owned(),
        source,
    })?;
    let end = text.find(['\r', '\n']).unwrap_or(text.len());
    text.truncate(end);
    Ok(Password::new(text))
}

/// A private key, typed without echo.
///
/// # Errors
/// [`Failure::Unattended`]; [`Failure::Argument`] when it is none.
pub(crate) fn private_key() -> Result<PrivateKey, Failure> {
    let text = secret(
        "Private key (not shown): ",
        "Put the key into DEEDBOX_PRIVATE_KEY, or use a keystore: `deedbox account import`",
    )?;
    let text = zeroize::Zeroizing::new(text);
    PrivateKey::parse(&text).map_err(|reason| Failure::argument("the key that was typed", reason))
}
