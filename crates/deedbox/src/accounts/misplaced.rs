//! Whether a command line holds what may be a private key, in a place where no hash belongs.
//!
//! Asked of the arguments as they were typed, before anything is made of them: no command can then repeat one, or name a
//! file after it. A hash has the same looks, so the places where one belongs are listed here, and nowhere else.

use deedbox_id::InteropAddress;

use super::looks::{found, is_like_a_key};

/// Flags whose value is a hash, or a text in which somebody may speak of one.
const FLAGS: [&str; 13] = [
    "--data",
    "--hash",
    "--block",
    "--from-block",
    "--to-block",
    "--param",
    "--claim",
    "--source",
    "--note",
    "--reason",
    "--authority-scope",
    // A command line of its own, like one that names an image by its digest.
    "--stdio",
    "--cursor",
];

/// Flags with a value that may stand before the command.
const OF_EVERY_COMMAND: [&str; 5] = [
    "--config",
    "--data-dir",
    "--database-url",
    "--log-format",
    "--log-filter",
];

/// What is typed behind such a command may be a hash, alone: a root, a reading's argument.
const WITH_HASHES: [[&str; 2]; 2] = [["predicate", "set-root"], ["policy", "test"]];

/// What is typed behind such a command may hold one within a longer text: `aptos:1:0x…`, "Look at 0x…". Alone it is none of
/// what they take.
const WITH_TEXTS: [&str; 3] = ["id", "task", "actor"];

/// Whether an argument may be, or hold, a private key, where none of the above explains it. Arguments without the program.
pub(crate) fn holds_misplaced_key(arguments: &[&str]) -> bool {
    let behind = |flag: usize| arguments.get(flag).is_some_and(|one| FLAGS.contains(one));
    arguments.iter().enumerate().any(|(index, argument)| {
        let named = argument.split_once('=').map(|(name, _)| name);
        let explained = index.checked_sub(1).is_some_and(behind)
            || named.is_some_and(|name| FLAGS.contains(&name));
        !explained && found(argument).any(|run| !belongs(arguments, argument, run))
    })
}

/// The first two words that are neither flags nor the values of those that may stand before a command.
fn command<'a>(arguments: &[&'a str]) -> [&'a str; 2] {
    let is_value = |index: usize| {
        let flag = index.checked_sub(1).and_then(|flag| arguments.get(flag));
        flag.is_some_and(|flag| OF_EVERY_COMMAND.contains(flag))
    };
    let words = arguments.iter().enumerate();
    let mut words = words.filter(|(index, word)| !word.starts_with('-') && !is_value(*index));
    [words.next(), words.next()].map(|word| word.map_or("", |(_, word)| *word))
}

fn belongs(arguments: &[&str], argument: &str, (before, run, after): (&str, &str, &str)) -> bool {
    let command = command(arguments);
    let [family, _] = command;
    let is_flag = argument.starts_with('-');
    if !is_flag && WITH_HASHES.contains(&command) {
        return true;
    }
    if WITH_TEXTS.contains(&family) && !is_flag && !is_like_a_key(argument) {
        return true;
    }
    if family == "task" && before.starts_with("--description=") {
        return true;
    }
    is_number(before, run) || is_contract(before, run) || is_named(before, after)
}

/// Decimal digits are the number of a token. Of a key, hardly one in 10¹³ has no letter.
fn is_number(before: &str, run: &str) -> bool {
    let is_decimal = run.bytes().all(|byte| byte.is_ascii_digit());
    is_decimal && !run.starts_with('0') && !before.ends_with(['x', 'X'])
}

/// A contract with its chain (ERC-7930) has this length where the chain's id has six bytes.
fn is_contract(before: &str, run: &str) -> bool {
    before.ends_with("0x") && format!("0x{run}").parse::<InteropAddress>().is_ok()
}

/// A part of a URL, and a file that is named after its content.
fn is_named(before: &str, after: &str) -> bool {
    let begins_a_word = before.rsplit([' ', '=', ',']).next().unwrap_or_default();
    let is_file = begins_a_word.contains('/') && !begins_a_word.contains([':', '@']);
    let mut ending = after.chars();
    let has_ending = ending.next() == Some('.') && ending.next().is_some_and(char::is_alphabetic);
    begins_a_word.contains("://") || is_file || has_ending
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

    /// The line, with `KEY` for 64 digits, parted at its blanks; `_` is a blank within an argument.
    fn is_refused(line: &str) -> bool {
        let typed = line.replace('_', " ").replace("KEY", KEY);
        let parts: Vec<String> = line
            .split(' ')
            .map(|part| part.replace('_', " ").replace("KEY", KEY))
            .collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        assert!(typed.contains(KEY) || !line.contains("KEY"));
        holds_misplaced_key(&parts)
    }

    #[test]
    fn a_key_is_refused_wherever_no_hash_belongs() {
        for line in [
            "tool check 0xKEY",
            "tool check KEY",
            "tool check 0XKEY --json",
            "tool init 0xKEY --creator 0x12",
            "tool check x.json --creator 0xKEY",
            "tool check x.json --creator=0xKEY",
            "evidence verify 0xKEY",
            "evidence show KEY",
            "lint tools 0xKEY",
            "id parse 0xKEY",
            "id parse _0xKEY_",
            "id convert 0xKEY --to lower",
            "id format --address 0xKEY --chain 1",
            "chain dev --anvil 0xKEY",
            "chain dev --state-dir=0xKEY",
            "agent register eip155:1:0x12 name=my_key_is_0xKEY_ok",
            "agent register eip155:1:0x12 name=0xKEY,x",
            "agent transfer 12@eip155:1:0xKEY",
            "registry describe eip155:1:0xKEY",
            "--config 0xKEY config show",
            "config show --data-dir=0xKEY",
            "task create 0xKEY --as alice",
            "task status -- 0xKEY",
            "actor add KEY",
            "KEY",
        ] {
            assert!(is_refused(line), "{line}");
        }
    }

    #[test]
    fn a_hash_is_taken_where_one_belongs() {
        for line in [
            "tool check x.json --hash 0xKEY",
            "tool check x.json --hash=0xKEY",
            "predicate set-root eip155:1:0x12 0xKEY --tool-id 1",
            "read transfers --from-block 1 --to-block 0xKEY",
            "read native-balance --block 0xKEY",
            "registry describe eip155:1:0x12 --block=0xKEY",
            "policy test get_native_balance block=0xKEY",
            "policy test get_native_balance {\"block\":\"0xKEY\"}",
            "task complete 12 --claim paid_in_0xKEY --source 0xKEY",
            "task create Look_at_0xKEY --as alice",
            "id parse aptos:1:0xKEY",
            "--config x.toml --json id parse aptos:1:0xKEY",
            "id format --key-label digest --param 0xKEY",
            "lint tools --stdio docker_run_image@sha256:KEY",
            "lint tools https://example.com/KEY",
            "serve --chain 1=https://rpc.example.com/KEY",
            "tool check manifests/KEY.json",
            "tool check KEY.json other.json",
            "tool check ./KEY",
        ] {
            assert!(!is_refused(line), "{line}");
        }
        let number = format!("{}@eip155:1:0x12", "7".repeat(64));
        assert!(!holds_misplaced_key(&["agent", "transfer", &number]));
        let zeros = "0".repeat(63) + "1";
        assert!(holds_misplaced_key(&["agent", "transfer", &zeros]));
        // Chain 0x010203040506, as ERC-7930 writes a contract there: 32 bytes.
        let contract = format!("0x0001000006010203040506{}{}", "14", "ab".repeat(20));
        assert_eq!(contract.len(), 66);
        assert!(!holds_misplaced_key(&["registry", "describe", &contract]));
    }
}
