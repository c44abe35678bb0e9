//! Metadata as people give it: `key=value`, and whole files of agents.

use std::{collections::BTreeSet, fmt, path::Path};

use alloy_primitives::Address;
use deedbox_id::StorageKey;
use deedbox_registry::{Entry, NewAgent};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};
use serde_json::Value;

use super::names;
use crate::{
    accounts::{holds_key, is_like_a_key},
    commands::read_address,
    failure::Failure,
    files,
};

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

/// Entries of something new, which has none that could be removed.
///
/// # Errors
/// As [`entries`]; [`Failure::Argument`] for one without a value.
pub(super) fn of_new(what: &'static str, texts: &[String]) -> Result<Vec<Entry>, Failure> {
    let entries = entries(what, texts)?;
    no_empty(what, &entries)?;
    Ok(entries)
}

/// An empty value removes an entry. Of something new it would only be paid for.
fn no_empty(what: &'static str, entries: &[Entry]) -> Result<(), Failure> {
    match entries.iter().find(|entry| entry.value.is_empty()) {
        Some(entry) => Err(Failure::argument(
            what,
            format!(
                "{} has no value, which removes an entry, and what is new has none to remove: give it a value, or leave it out",
                entry.key
            ),
        )),
        None => Ok(()),
    }
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
    if holds_key(key) || is_like_a_key(value) {
        let reason = "looks like a private key, and everybody would read it on the chain, for ever. If it is a hash, write it into a file, and KEY=@FILE. If \
                      it is a key, move what it controls to another account, because it stands in the shell's history now";
        return Err(Failure::argument(what, reason));
    }
    let key = storage_key(what, key)?;
    match value.strip_prefix('@') {
        // Two of them are one that is meant.
        Some(text) if text.starts_with('@') => of_text(what, key, text),
        Some(file) => from_file(what, key, Path::new(file)),
        None => of_text(what, key, value),
    }
}

/// A key of metadata (ERC-8119).
///
/// # Errors
/// [`Failure::Argument`].
pub(super) fn storage_key(what: &'static str, key: &str) -> Result<StorageKey, Failure> {
    key.parse().map_err(|error: deedbox_id::Error| {
        Failure::argument(what, format!("key {key:?}: {error}"))
    })
}

/// An entry with a text as its value. An account's address, which is stored as bytes, is read as strictly as anywhere else.
fn of_text(what: &'static str, key: StorageKey, text: &str) -> Result<Entry, Failure> {
    if key.as_str() == deedbox_registry::entry::AGENT_ACCOUNT && !text.is_empty() {
        read_address(text).map_err(|error| Failure::argument(what, format!("{key}: {error}")))?;
    }
    Entry::text(key, text).map_err(|error| Failure::argument(what, error))
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

fn read(file: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    files::read(file, most).map_err(|source| Failure::CannotRead {
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
    pub(super) fn read(file: &Path, chain_id: u64) -> Result<Self, Failure> {
        if file
            .file_name()
            .is_some_and(|name| holds_key(&name.to_string_lossy()))
        {
            let reason = "is a file's name, and this looks like a private key, which is never an argument: it stands in the shell's history now, so move \
                          what it controls to another account";
            return Err(Failure::argument(FILE, reason));
        }
        let bytes = read(file, MOST_FILE)?;
        let ending = file.extension().and_then(|ending| ending.to_str());
        let agents = match ending {
            Some("json") => json(&bytes, chain_id)?,
            Some("csv") => csv(&bytes, chain_id)?,
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

fn json(bytes: &[u8], chain_id: u64) -> Result<Vec<Agent>, Failure> {
    let refuse = |error: serde_json::Error| {
        let reason = format!("must be an array of objects with texts as values: {error}");
        Failure::argument(FILE, reason)
    };
    let agents: Vec<Fields> = serde_json::from_slice(bytes).map_err(refuse)?;
    let agent = |(index, Fields(fields)): (usize, Fields)| {
        let texts = fields.into_iter().map(|(key, value)| match value {
            Value::String(text) => Ok((key, text)),
            _ => Err(of_agent(
                index,
                &format!("the value of {key} must be a text in quotes"),
            )),
        });
        one(index, chain_id, texts.collect::<Result<Vec<_>, _>>()?)
    };
    agents.into_iter().enumerate().map(agent).collect()
}

/// An object's members. One that is there twice is refused: a reader that keeps the last hides the first.
struct Fields(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let (mut fields, mut names) = (Vec::new(), BTreeSet::new());
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    if !names.insert(name.clone()) {
                        return Err(de::Error::custom(format_args!("{name:?} is there twice")));
                    }
                    fields.push((name, value));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

fn csv(bytes: &[u8], chain_id: u64) -> Result<Vec<Agent>, Failure> {
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
        one(
            index,
            chain_id,
            texts.filter(|(_, text)| !text.is_empty()).collect(),
        )
    };
    reader.records().enumerate().map(agent).collect()
}

fn one(index: usize, chain_id: u64, texts: Vec<(String, String)>) -> Result<Agent, Failure> {
    let (mut owner, mut entries) = (None, Vec::new());
    for (key, text) in texts {
        let wrong = |reason: &dyn ToString| of_agent(index, &reason.to_string());
        if key == OWNER {
            let address = names::somebody(FILE, &text, chain_id);
            owner = Some(address.map_err(|failure| wrong(&failure))?);
        } else {
            no_slip(&key).map_err(|reason| wrong(&reason))?;
            let key = storage_key(FILE, &key).map_err(|failure| wrong(&failure))?;
            entries.push(of_text(FILE, key, &text).map_err(|failure| wrong(&failure))?);
        }
    }
    let checked = twice(FILE, &entries).and_then(|()| no_empty(FILE, &entries));
    checked.map_err(|failure| of_agent(index, &failure.to_string()))?;
    Ok((owner, entries))
}

/// Refuses a key that is the owner's with a slip in it: it would become metadata, and the agent somebody else's than was meant.
fn no_slip(key: &str) -> Result<(), String> {
    let letters = |text: &str| {
        let letters = text.chars().filter(|letter| letter.is_alphabetic());
        let mut letters: Vec<char> = letters.flat_map(char::to_lowercase).collect();
        letters.sort_unstable();
        letters
    };
    let (given, meant) = (letters(key), letters(OWNER));
    // Capitals, white space, swapped letters; one letter too many or too few.
    let apart = given
        .iter()
        .filter(|letter| !meant.contains(letter))
        .count();
    let missing = meant
        .iter()
        .filter(|letter| !given.contains(letter))
        .count();
    if apart + missing <= 1 && given.len().abs_diff(meant.len()) <= 1 {
        return Err(format!(
            "key {key:?} looks like owner, which says whose the agent becomes; write owner, or choose another key"
        ));
    }
    if key.contains([';', '\t']) {
        return Err(format!(
            "key {key:?}: the columns of CSV are separated by commas here"
        ));
    }
    Ok(())
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
        let handle = entries("KEY=VALUE", &texts(&["name=@@deedbox"])).unwrap();
        assert_eq!(handle[0].value.as_ref(), b"@deedbox");
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
    fn what_may_be_a_private_key_is_never_published_nor_repeated() {
        let key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
        for given in [
            format!("name={key}"),
            format!("{key}=x"),
            format!("name= {} ", &key[2..]),
        ] {
            let error = entries("KEY=VALUE", &[given]).unwrap_err().for_people();
            assert!(error.contains("looks like a private key"), "{error}");
            assert!(!error.contains(&key[2..]), "{error}");
        }
        assert!(!batch(key, "").unwrap_err().contains(&key[2..]));
    }

    #[test]
    fn what_is_no_entry_is_refused_with_what_is_expected() {
        for (given, says) in [
            ("name", "must be KEY=VALUE"),
            ("=x", "key \"\""),
            ("service: 1=x", "key \"service: 1\""),
            ("agent_account=0x12", "agent_account: "),
            // One letter of an address that is written with a checksum.
            (
                "agent_account=0x70997970C51812dc3A010C7d01b50e0d17dc79c8",
                "EIP-55",
            ),
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
        let batch = Batch::read(&path, 1).map_err(|failure| failure.to_string())?;
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
            (
                "a.json",
                "[{\"owner\": \"\", \"owner\": \"\"}]",
                "is there twice",
            ),
            (
                "a.json",
                "[{\"name\": \"A\", \"image\": \"\"}]",
                "agent 1: image has no value",
            ),
            ("a.json", "{}", "must be an array"),
            ("a.json", "[]", "holds no agent"),
            (
                "a.csv",
                "name,service: 1\nA,b\n",
                "agent 1: key \"service: 1\"",
            ),
            ("a.csv", "name,name\nA,b\n", "agent 1: name is given twice"),
            ("a.csv", "name\nA,b\n", "is no CSV"),
            ("a.csv", "name;owner\nA;b\n", "separated by commas"),
            (
                "a.csv",
                "name,Owner\nA,0x\n",
                "agent 1: key \"Owner\" looks like owner",
            ),
            ("a.csv", "name, owner\nA,0x\n", "looks like owner"),
            ("a.json", "[{\"onwer\": \"0x\"}]", "looks like owner"),
            ("a.json", "[{\"owners\": \"0x\"}]", "looks like owner"),
            ("a.txt", "", "must end with .json or .csv"),
        ] {
            let error = batch(name, text).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
