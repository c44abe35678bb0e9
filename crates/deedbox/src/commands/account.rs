//! `deedbox account …`: the keys that sign, in encrypted files.

use std::{fs::File, io, path::Path, process::ExitCode};

use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::{
    accounts::{Folder, Kept, Keystore, Password, PrivateKey, ask, is_like_a_key, taken},
    cli::{AccountCommand, NewAccount},
    failure::Failure,
    render::{Output, line, path, table},
    settings::{Environment, Settings, environment::PRIVATE_KEY_VARIABLE},
    world::SystemWorld,
};

pub(super) fn run(
    command: AccountCommand,
    settings: &Settings,
    environment: &Environment,
    output: &Output,
) -> Result<ExitCode, Failure> {
    let folder = folder(settings)?;
    match command {
        AccountCommand::New(account) => {
            check_name(&folder, &account)?;
            let password = ask::new_password(account.password_file.as_deref(), environment)?;
            let key = PrivateKey::generate(&SystemWorld);
            keep(&folder, &account, &key, &password, output)?;
        }
        AccountCommand::Import { account, key_file } => {
            check_name(&folder, &account)?;
            let key = given_key(key_file.as_deref(), environment)?;
            let password = ask::new_password(account.password_file.as_deref(), environment)?;
            keep(&folder, &account, &key, &password, output)?;
        }
        AccountCommand::List => list(&folder, settings, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Where keystores are kept.
///
/// # Errors
/// [`Failure::NoDataDir`].
pub(super) fn folder(settings: &Settings) -> Result<Folder, Failure> {
    let data_dir = settings.data_dir.value.as_deref();
    data_dir.map(Folder::of).ok_or(Failure::NoDataDir)
}

/// Before anybody types a password: that the name is one, and free.
fn check_name(folder: &Folder, account: &NewAccount) -> Result<(), Failure> {
    let Some(name) = &account.name else {
        return Ok(());
    };
    if is_like_a_key(name) {
        let reason = "looks like a private key: a key is never an argument, because it would stay in the shell's history. \
                      Leave it out, and it is asked for; and since it stands there now, move what it controls to another account";
        return Err(Failure::argument("NAME", reason));
    }
    let path = folder.path("NAME", name)?;
    if path.exists() {
        return Err(taken(path));
    }
    Ok(())
}

/// The key to import: from a file, from the environment, or asked for.
fn given_key(file: Option<&Path>, environment: &Environment) -> Result<PrivateKey, Failure> {
    if let Some(file) = file {
        let text = read(file).map_err(|source| Failure::CannotRead {
            path: file.to_owned(),
            source,
        })?;
        return PrivateKey::parse(&text).map_err(|reason| Failure::argument("--key-file", reason));
    }
    match environment.variable(PRIVATE_KEY_VARIABLE) {
        Some(text) => PrivateKey::parse(text)
            .map_err(|reason| Failure::argument(PRIVATE_KEY_VARIABLE, reason)),
        None => ask::private_key(),
    }
}

/// What a file holds, or standard input.
fn read(file: &Path) -> io::Result<Zeroizing<String>> {
    if file.as_os_str() == "-" {
        ask::secret_text(standard_input()?)
    } else {
        ask::secret_text(File::open(file)?)
    }
}

/// Standard input without the library's buffer, which would keep a copy.
#[cfg(unix)]
fn standard_input() -> io::Result<File> {
    let input = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    Ok(input.into())
}

/// Standard input without the library's buffer, which would keep a copy.
#[cfg(windows)]
fn standard_input() -> io::Result<File> {
    let input = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned()?;
    Ok(input.into())
}

fn keep(
    folder: &Folder,
    account: &NewAccount,
    key: &PrivateKey,
    password: &Password,
    output: &Output,
) -> Result<(), Failure> {
    let address = key.address();
    let name = account.name.clone().unwrap_or_else(|| address.to_string());
    let keystore =
        Keystore::encrypt(key, password, &SystemWorld).map_err(|cause| Failure::Keystore {
            path: folder.path("NAME", &name).unwrap_or_default(),
            cause,
        })?;
    let file = folder.keep("NAME", &name, &keystore)?;
    let value = json!({"name": name, "address": address, "file": file});
    output.print(&value, |output| {
        format!(
            "{}\nkept as {} in {}\n{}",
            output.paint.strong(&format!("{address:#}")),
            line(&name),
            path(&file),
            output.paint.alert(
                "Keep a copy of this file, and the password: without either of them the key is gone."
            ),
        )
    })
}

fn list(folder: &Folder, settings: &Settings, output: &Output) -> Result<(), Failure> {
    let all = folder.list()?;
    let value: Vec<Value> = all.iter().map(shown).collect();
    output.print(&value, |output| {
        if all.is_empty() {
            let new = settings.again("account new NAME");
            return format!("There are no keystores yet. Make one: {new}");
        }
        let rows = all.iter().map(|kept| {
            let account = match &kept.account {
                Ok(Some(address)) => format!("{address:#}"),
                Ok(None) => "(it does not say)".to_owned(),
                Err(unreadable) => output.paint.bad(&line(&unreadable.to_string())),
            };
            vec![line(&kept.name), account, path(&kept.path)]
        });
        table(output, &["NAME", "ACCOUNT", "FILE"], rows.collect())
    })
}

fn shown(kept: &Kept) -> Value {
    json!({
        "name": kept.name,
        "address": kept.account.as_ref().ok().copied().flatten(),
        "file": kept.path,
        "fault": kept.account.as_ref().err().map(ToString::to_string),
    })
}
