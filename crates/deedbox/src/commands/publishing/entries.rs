//! Metadata as people give it: `key=value`, and whole files of agents.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use alloy_primitives::Address;
use deedbox_id::StorageKey;
use deedbox_registry::{Entry, NewAgent};
use serde_json::{Map, Value};

use super::names;
use crate::failure::Failure;

/// The most that is read of a value's file. A transaction that writes more is above the gas that one may have.
const MOST_VALUE: u64 = 64 << 10;
/// The most that is read of a file of agents.
const MOST_FILE: u64 = 4 << 20;
/// The field of a file of agents that is no metadata.
const OWNER: &str = "owner";

/// Entries as they were given, in their order.
///
/// # Errors
/// [`Failure::Argument`]: no `=`, no key of ERC-8119, the same key twice; [`Failure::CannotRead`] for `@FILE`.
pub(super) fn entries(what: &'static str, texts: &[String]) -> Result<Vec<Entry>, Failure> {
    let entries: Vec<Entry> = texts
        .iter()
        .map(|text| entry(what, text))
        .collect::<Result<_, _>>()?;
    twice(what, &entries)?;
    Ok(entries)
}

/// The contract would keep the last; nobody means that.
fn twice(what: &'static str, entries: &[Entry]) -> Result<(), Failure> {
    let again = |(index, entry): &(usize, &Entry)| {
        entries[..*index].iter().any(|other| other.key == entry.key)
    };
    match entries.iter().enumerate().find(again) {
        Some((_, entry)) => Err(Failure::argument(
            what,
            format!("{} is given twice", entry.key),
        )),
        None => Ok(()),
    }
}

fn entry(what: &'static str, text: &str) -> Result<Entry, Failure> {
    let Some((key, value)) = text.split_once('=') else {
        let reason = "must be KEY=VALUE, like name=Weather; KEY=@FILE reads the value from a file, KEY= removes the entry";
        return Err(Failure::argument(what, reason));
    };
    let key = storage_key(what, key)?;
    match value.strip_prefix('@') {
        Some(file) => from_file(what, key, Path::new(file)),
        None => Entry::text(key, value).map_err(|error| Failure::argument(what, error)),
    }
}

fn storage_key(what: &'static str, key: &str) -> Result<StorageKey, Failure> {
    key.parse().map_err(|error: deedbox_id::Error| {
        Failure::argument(what, format!("key {key:?}: {error}"))
    })
}

/// A file's bytes as they are: a value need not be text.
fn from_file(what: &'static str, key: StorageKey, file: &Path) -> Result<Entry, Failure> {
    let bytes = read(file, MOST_VALUE)?;
    if key.as_str() == deedbox_registry::entry::AGENT_ACCOUNT {
        let reason = "is an address; write it out, like agent_account=0x…";
        return Err(Failure::argument(what, format!("{key} {reason}")));
    }
    Entry::new(key, bytes).map_err(|error| Failure::argument(what, error))
}

/// No more of a file than `most` bytes; a larger one is refused, not cut.
fn read(file: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let all = || {
        let mut bytes = Vec::new();
        File::open(file)?.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            let reason = format!("it has more than {most} bytes, which is the most that is read");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
        }
        Ok(bytes)
    };
    all().map_err(|source| Failure::CannotRead {
        path: file.to_owned(),
        source,
    })
}

/// Agents that are to be registered at once. An owner of `None` is the account that signs.
pub(super) struct Batch(Vec<(Option<Address>, Vec<Entry>)>);

impl Batch {
    /// Reads a file: by the ending of its name an array of objects in JSON, or lines of CSV below a line of keys.
    ///
    /// # Errors
    /// [`Failure::CannotRead`]; [`Failure::Argument`] names the agent, counted from 1, and what is wrong with it.
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let bytes = read(file, MOST_FILE)?;
        let ending = file.extension().and_then(|ending| ending.to_str());
        let agents = match ending {
            Some("json") => json(&bytes)?,
            Some("csv") => csv(&bytes)?,
            _ => {
                let reason = "must end with .json or .csv, which says how it is read";
                return Err(Failure::argument(FILE, reason));
            }
        };
        if agents.is_empty() {
            return Err(Failure::argument(FILE, "holds no agent"));
        }
        Ok(Self(agents))
    }

    /// The agents, once it is known who signs.
    pub(super) fn owned_by(self, signer: Address) -> Vec<NewAgent> {
        let agent = |(owner, metadata): (Option<Address>, Vec<Entry>)| NewAgent {
            owner: owner.unwrap_or(signer),
            metadata,
        };
        self.0.into_iter().map(agent).collect()
    }
}

const FILE: &str = "FILE";

type Agent = (Option<Address>, Vec<Entry>);

fn json(bytes: &[u8]) -> Result<Vec<Agent>, Failure> {
    let refuse = |error: serde_json::Error| {
        let reason = format!("must be an array of objects with texts as values: {error}");
        Failure::argument(FILE, reason)
    };
    let agents: Vec<Map<String, Value>> = serde_json::from_slice(bytes).map_err(refuse)?;
    let agent = |(index, fields): (usize, Map<String, Value>)| {
        let texts = fields.into_iter().map(|(key, value)| match value {
            Value::String(text) => Ok((key, text)),
            _ => Err(of_agent(
                index,
                &format!("the value of {key} must be a text in quotes"),
            )),
        });
        one(index, texts.collect::<Result<Vec<_>, _>>()?)
    };
    agents.into_iter().enumerate().map(agent).collect()
}

fn csv(bytes: &[u8]) -> Result<Vec<Agent>, Failure> {
    let refuse = |error: csv::Error| Failure::argument(FILE, format!("is no CSV: {error}"));
    // A byte-order mark, which spreadsheets write, would be a part of the first key.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::Reader::from_reader(bytes);
    let keys: Vec<String> = reader
        .headers()
        .map_err(refuse)?
        .iter()
        .map(str::to_owned)
        .collect();
    let agent = |(index, line): (usize, csv::Result<csv::StringRecord>)| {
        let line = line.map_err(refuse)?;
        let texts = keys.iter().cloned().zip(line.iter().map(str::to_owned));
        // An empty cell is what a table has where an agent lacks a key.
        one(index, texts.filter(|(_, text)| !text.is_empty()).collect())
    };
    reader.records().enumerate().map(agent).collect()
}

fn one(index: usize, texts: Vec<(String, String)>) -> Result<Agent, Failure> {
    let (mut owner, mut entries) = (None, Vec::new());
    for (key, text) in texts {
        let wrong = |reason: &dyn ToString| of_agent(index, &reason.to_string());
        if key == OWNER {
            let address = names::somebody(FILE, &text);
            owner = Some(address.map_err(|failure| wrong(&failure))?);
        } else {
            let key = storage_key(FILE, &key).map_err(|failure| wrong(&failure))?;
            entries.push(Entry::text(key, &text).map_err(|error| wrong(&error))?);
        }
    }
    twice(FILE, &entries).map_err(|failure| of_agent(index, &failure.to_string()))?;
    Ok((owner, entries))
}

fn of_agent(index: usize, reason: &str) -> Failure {
    let reason = reason.strip_prefix("FILE: ").unwrap_or(reason);
    Failure::argument(FILE, format!("agent {}: {reason}", index.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ALICE: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn an_entry_is_split_at_its_first_sign_and_an_account_is_stored_as_20_bytes() {
        let account = format!("agent_account={ALICE}");
        let read = entries(
            "KEY=VALUE",
            &texts(&[
                "name=a=b",
                "service/1=https://x.example/?q=1",
                "image=",
                &account,
            ]),
        );
        let read = read.unwrap();
        let shown: Vec<_> = read
            .iter()
            .map(|one| (one.key.as_str(), one.value.len()))
            .collect();
        assert_eq!(
            shown,
            [
                ("name", 3),
                ("service/1", 22),
                ("image", 0),
                ("agent_account", 20)
            ]
        );
    }

    #[test]
    fn what_is_no_entry_is_refused_with_what_is_expected() {
        for (given, says) in [
            ("name", "must be KEY=VALUE"),
            ("=x", "key \"\""),
            ("service: 1=x", "key \"service: 1\""),
            ("agent_account=0x12", "agent_account is an address"),
        ] {
            let error = entries("KEY=VALUE", &texts(&[given]))
                .unwrap_err()
                .to_string();
            assert!(error.contains(says), "{error}");
        }
        let error = entries("KEY=VALUE", &texts(&["name=a", "name=b"])).unwrap_err();
        assert!(error.to_string().contains("name is given twice"));
    }

    #[test]
    fn a_values_file_is_taken_byte_by_byte_and_never_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("value");
        fs::write(&path, b"\xff\x00 \n").unwrap();
        let given = format!("description=@{}", path.display());
        let read = entries("KEY=VALUE", std::slice::from_ref(&given)).unwrap();
        assert_eq!(read[0].value.as_ref(), b"\xff\x00 \n");
        fs::write(&path, vec![b'x'; usize::try_from(MOST_VALUE).unwrap() + 1]).unwrap();
        assert!(matches!(
            entries("KEY=VALUE", &[given]),
            Err(Failure::CannotRead { .. })
        ));
    }

    fn batch(name: &str, text: &str) -> Result<Vec<NewAgent>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let batch = Batch::read(&path).map_err(|failure| failure.to_string())?;
        Ok(batch.owned_by(Address::repeat_byte(7)))
    }

    #[test]
    fn agents_are_the_same_from_json_and_from_csv() {
        let json = format!(
            r#"[{{"owner": "{ALICE}", "name": "イールド, 最適化", "service_type": "mcp"}}, {{"name": "B"}}]"#
        );
        let csv =
            format!("\u{feff}owner,name,service_type\n{ALICE},\"イールド, 最適化\",mcp\n,B,\n");
        let read = batch("agents.json", &json).unwrap();
        assert_eq!(read, batch("agents.csv", &csv).unwrap());
        assert_eq!(format!("{:#x}", read[0].owner), ALICE);
        assert_eq!(
            (read[1].owner, read[1].metadata.len()),
            (Address::repeat_byte(7), 1)
        );
    }

    #[test]
    fn a_wrong_agent_is_named_by_its_place() {
        for (name, text, says) in [
            (
                "a.json",
                "[{\"name\": \"A\"}, {\"name\": 7}]",
                "agent 2: the value of name",
            ),
            ("a.json", "[{\"owner\": \"0x12\"}]", "agent 1: "),
            ("a.json", "{}", "must be an array"),
            ("a.json", "[]", "holds no agent"),
            (
                "a.csv",
                "name,service: 1\nA,b\n",
                "agent 1: key \"service: 1\"",
            ),
            ("a.csv", "name,name\nA,b\n", "agent 1: name is given twice"),
            ("a.csv", "name\nA,b\n", "is no CSV"),
            ("a.txt", "", "must end with .json or .csv"),
        ] {
            let error = batch(name, text).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
