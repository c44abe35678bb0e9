//! Asking a person for a secret, without echo; and reading one from where a script puts it.

use std::{
    fs::File,
    io::{self, IsTerminal, Read as _, Write as _},
    path::Path,
};

use zeroize::Zeroizing;

use super::{
    key::{Password, PrivateKey},
    terminal::hidden,
};
use crate::{
    failure::Failure,
    render::line,
    settings::{Environment, environment::PASSWORD_VARIABLE},
};

/// The shortest password that a new keystore is encrypted under, in characters.
pub(crate) const SHORTEST: usize = 8;
/// What to do where nobody can be asked for a keystore's password.
pub(super) const GIVE_PASSWORD: &str =
    "Give the keystore's password with --password-file FILE, or in DEEDBOX_KEYSTORE_PASSWORD";
/// What to do where nobody can be asked for a key.
pub(super) const GIVE_KEY: &str =
    "Put the key into DEEDBOX_PRIVATE_KEY, or use a keystore: `deedbox account import`";
/// Bytes that no file with a secret has.
const MOST: usize = 4096;

/// Whether there is a person to ask: somebody types into this program, and sees what it says.
pub(crate) fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for a secret on the terminal, without echo.
fn secret(prompt: &str, otherwise: &'static str) -> Result<String, Failure> {
    if !is_attended() {
        return Err(Failure::Unattended { otherwise });
    }
    hidden(prompt).map_err(|source| Failure::io("asking for a secret", source))
}

/// The password of a keystore that is there, typed by a person.
///
/// # Errors
/// [`Failure::Unattended`].
pub(super) fn password(of: &str) -> Result<Password, Failure> {
    let asked = secret(&format!("Password of {}: ", line(of)), GIVE_PASSWORD)?;
    Ok(Password::new(asked))
}

/// Tells whoever types a secret what was wrong with it. There is nowhere to complain that standard error is gone.
pub(crate) fn tell(text: &str) {
    drop(writeln!(io::stderr(), "{text}"));
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
            long_enough(&first)?;
            let second = Password::new(secret("The same again: ", otherwise)?);
            if !first.is(&second) {
                let reason = "the two that were typed are not the same; nothing was written";
                return Err(Failure::argument("password", reason));
            }
            first
        }
    };
    long_enough(&password)?;
    Ok(password)
}

fn long_enough(password: &Password) -> Result<(), Failure> {
    if password.length() < SHORTEST {
        let reason = format!(
            "must have at least {SHORTEST} characters: whoever gets the file can try millions of shorter ones"
        );
        return Err(Failure::argument("password", reason));
    }
    Ok(())
}

/// The password that was given beforehand: in a file, or in the environment.
///
/// # Errors
/// [`Failure::CannotRead`].
pub(super) fn given_password(
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
    let text = File::open(path).and_then(secret_text);
    let mut text = text.map_err(|source| Failure::CannotRead {
        path: path.to_owned(),
        source,
    })?;
    let end = text.find(['\r', '\n']).unwrap_or(text.len());
    text.truncate(end);
    Ok(Password::of(text))
}

/// A short secret out of a file. It is read into one piece of memory, which does not grow: what grows leaves copies behind,
/// which nobody overwrites.
///
/// # Errors
/// As reading; what is longer than [`MOST`] bytes, or no text, is no secret.
pub(crate) fn secret_text(mut file: File) -> io::Result<Zeroizing<String>> {
    let mut bytes = Zeroizing::new([0; MOST]);
    let mut length = 0;
    loop {
        let free = bytes.get_mut(length..).unwrap_or_default();
        if free.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("it has {MOST} bytes or more, which no secret has"),
            ));
        }
        match file.read(free) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let text = bytes.get(..length).map(str::from_utf8);
    match text {
        Some(Ok(text)) => Ok(Zeroizing::new(text.to_owned())),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "it is no text")),
    }
}

/// A private key, typed without echo.
///
/// # Errors
/// [`Failure::Unattended`]; [`Failure::Argument`] when it is none.
pub(crate) fn private_key() -> Result<PrivateKey, Failure> {
    let text = secret("Private key (not shown): ", GIVE_KEY)?;
    let text = Zeroizing::new(text);
    PrivateKey::parse(&text).map_err(|reason| Failure::argument("the key that was typed", reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_whole_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let read = |text: &[u8]| {
            std::fs::write(&path, text).unwrap();
            secret_text(File::open(&path).unwrap())
                .map(|text| text.to_string())
                .map_err(|error| error.to_string())
        };
        assert_eq!(read("pässword\n".as_bytes()).unwrap(), "pässword\n");
        let longest = "x".repeat(MOST - 1);
        assert_eq!(read(longest.as_bytes()).unwrap(), longest);
        // A password that was cut would open nothing, and would be a weaker one in a new keystore.
        assert!(read(&[b'x'; MOST]).unwrap_err().contains("no secret has"));
        assert!(read(&[0xff]).unwrap_err().contains("no text"));
    }
}
