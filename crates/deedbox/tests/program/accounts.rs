//! `deedbox account`: keys that sign lie encrypted in files, and appear nowhere else.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::json;

use crate::common::{Done, Home};

/// The first account of every development node. Known to everybody.
pub(crate) const KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
pub(crate) const ACCOUNT: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
pub(crate) const PASSWORD: &str = "correct horse battery staple";

/// Whether the key is in a text, in either case.
pub(crate) fn holds_key(text: &str) -> bool {
    text.to_lowercase().contains(&KEY[2..])
}

fn keystore(home: &Home, name: &str) -> PathBuf {
    home.path()
        .join(format!(".local/share/deedbox/keystores/{name}.json"))
}

/// A file in the home.
pub(crate) fn file(home: &Home, name: &str, text: &str) -> String {
    let path = home.path().join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// A home with the well-known key in a keystore called `me`, and its password in a file.
pub(crate) fn with_account() -> (Home, String) {
    let home = Home::new();
    let password = file(&home, "password.txt", &format!("{PASSWORD}\n"));
    let import = ["account", "import", "me", "--password-file", &password];
    home.run_with(&import, &[("DEEDBOX_PRIVATE_KEY", KEY)], "")
        .expect(0);
    (home, password)
}

#[test]
fn a_new_account_lies_encrypted_in_a_file_for_its_owner_alone() {
    let home = Home::new();
    let password = [("DEEDBOX_KEYSTORE_PASSWORD", PASSWORD)];
    let done = home
        .run_with(&["account", "new", "me", "--json"], &password, "")
        .expect(0)
        .json();
    let text = fs::read_to_string(keystore(&home, "me")).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["version"], 3);
    assert_eq!(file["crypto"]["kdf"], "scrypt");
    assert_eq!(
        done["address"],
        json!(format!("0x{}", file["address"].as_str().unwrap()))
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let path = keystore(&home, "me");
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
    }
    let listed = home.json(&["account", "list"]);
    assert_eq!(listed[0]["name"], "me");
    assert_eq!(listed[0]["address"], done["address"]);

    let again = home.run_with(&["account", "new", "me", "--json"], &password, "");
    let again = again.expect(2).error();
    assert_eq!(again["code"], "file_exists");
    // There is no --force: nobody loses a key by a slip.
    assert!(
        again["error"]
            .as_str()
            .unwrap()
            .ends_with("never overwritten"),
        "{again}"
    );
    assert_eq!(fs::read_to_string(keystore(&home, "me")).unwrap(), text);
}

#[test]
fn a_key_is_imported_from_where_no_history_keeps_it_and_shown_nowhere() {
    let home = Home::new();
    let password = file(&home, "password.txt", &format!("{PASSWORD}\nsecond line\n"));
    let key_file = file(&home, "key.txt", &format!("{KEY}\n"));
    let by_file = ["--password-file", &password, "--key-file"];
    let import = |name: &'static str| [&["account", "import", name][..], &by_file].concat();
    let all = [
        home.run(&[&import("one")[..], &[&key_file]].concat()),
        home.run_with(&[&import("two")[..], &["-"]].concat(), &[], KEY),
        home.run_with(
            &["account", "import", "three", "--password-file", &password],
            &[("DEEDBOX_PRIVATE_KEY", KEY)],
            "",
        ),
    ];
    for (done, name) in all.into_iter().zip(["one", "two", "three"]) {
        let done = done.expect(0);
        assert!(done.out.to_lowercase().contains(ACCOUNT), "{}", done.out);
        assert!(!holds_key(&done.out) && !holds_key(&done.err));
        let text = fs::read_to_string(keystore(&home, name)).unwrap();
        assert!(!holds_key(&text) && !text.contains(PASSWORD));
    }
}

#[test]
fn a_password_that_can_be_guessed_and_a_name_that_is_none_are_refused() {
    let home = Home::new();
    let short = [("DEEDBOX_KEYSTORE_PASSWORD", "7 chars")];
    let done = home
        .run_with(&["account", "new", "me"], &short, "")
        .expect(2);
    assert!(done.err.contains("at least 8 characters"), "{}", done.err);
    assert!(!keystore(&home, "me").exists());
    for name in ["../me", ".me", "a/b", "", &"x".repeat(65)] {
        let password = [("DEEDBOX_KEYSTORE_PASSWORD", PASSWORD)];
        let done = home
            .run_with(&["account", "new", name], &password, "")
            .expect(2);
        assert!(done.err.contains("a keystore's name"), "{}", done.err);
    }
}

#[test]
fn without_a_terminal_nobody_is_asked_and_what_to_do_instead_is_said() {
    let home = Home::new();
    let done = home.run(&["account", "new", "me", "--json"]).expect(2);
    assert_eq!(done.error()["code"], "unattended");
    assert!(done.err.contains("--password-file"), "{}", done.err);
    let done = home.run(&["account", "import", "me"]).expect(2);
    assert!(done.err.contains("DEEDBOX_PRIVATE_KEY"), "{}", done.err);
}

#[test]
fn a_key_on_a_command_line_is_refused_and_not_repeated() {
    let home = Home::new();
    let register = [
        "agent",
        "register",
        "eip155:1:0x5fbdb2315678afecb367f032d93f642f64180aa3",
    ];
    let equals = format!("--private-key={KEY}");
    let nonsense = format!("--nonsense={KEY}");
    let name = format!("name={KEY}");
    let inside = format!("name=my key is {KEY} ok");
    for (arguments, code) in [
        (&["--private-key", KEY][..], "secret_argument"),
        (&[equals.as_str()][..], "secret_argument"),
        (&["--password", PASSWORD], "secret_argument"),
        (&["--keystore", KEY], "secret_argument"),
        (&["--from", KEY, "--dry-run"], "secret_argument"),
        (&["--owner", KEY], "secret_argument"),
        (&["--keystore", &format!("./{KEY}")], "bad_argument"),
        (&["--keystore", &format!("{KEY}.json")], "bad_argument"),
        (
            &["--password-file", KEY, "--keystore", "me"],
            "secret_argument",
        ),
        (&[name.as_str()][..], "secret_argument"),
        (&["--nonsense", KEY], "secret_argument"),
        (&[nonsense.as_str()][..], "secret_argument"),
        (&[inside.as_str()], "secret_argument"),
        (&["--nonsense", &format!("./{KEY}")], "bad_usage"),
    ] {
        let with = [&register[..], arguments].concat();
        let done = home.run(&with).expect(2);
        assert!(
            !holds_key(&done.err) && !holds_key(&done.out),
            "{arguments:?}: {}",
            done.err
        );
        assert!(!done.err.contains(PASSWORD));
        let done = home.run(&[&with[..], &["--json"]].concat()).expect(2);
        assert_eq!(done.error()["code"], code, "{arguments:?}: {}", done.err);
        assert!(!holds_key(&done.err) && !holds_key(&done.out));
    }
    for positional in [
        &["account", "new", KEY][..],
        &["account", "list", KEY],
        &["account", "import", "me", "--key-file", KEY],
        &["agent", "register-batch", register[2], KEY],
        &["tool", "publish", register[2], KEY, "--metadata-uri", KEY],
        &["publication", "show", KEY],
        &["tool", "check", KEY],
        &["tool", "init", KEY, "--name", "x"],
        &["tool", "init", "tool.json", "--creator", KEY],
        &["evidence", "verify", KEY],
        &["lint", "tools", KEY],
        &["id", "parse", KEY],
        &["chain", "dev", "--anvil", KEY],
        &["config", "show", "--data-dir", KEY],
    ] {
        let done = home.run(positional).expect(2);
        assert!(!holds_key(&done.err), "{}", done.err);
        assert!(done.err.contains("another account"), "{}", done.err);
        assert!(!home.path().join(KEY).exists());
    }
}

#[test]
fn a_hash_where_one_belongs_is_taken_and_not_repeated_whole_in_an_error() {
    let home = Home::new();
    let account = format!("aptos:1:{KEY}");
    home.run(&["id", "parse", &account]).expect(0);
    for (arguments, code) in [
        (&["id", "parse", &format!("aptos:!:{KEY}")][..], 1),
        (&["id", "convert", &account, "--to", "tool"], 1),
        (&["tool", "check", &format!("./{KEY}.json")], 2),
        (&["evidence", "verify", &format!("kept/{KEY}")], 2),
        (&["predicate", "set-root", ACCOUNT, KEY, "--nonsense"], 2),
        (&["task", "status", &format!("see {KEY}")], 2),
    ] {
        let done = home.run(arguments).expect(code);
        assert!(!done.err.is_empty() || code == 1, "{arguments:?}");
        assert!(!holds_key(&done.err), "{arguments:?}: {}", done.err);
        let done = home.run(&[arguments, &["--json"]].concat()).expect(code);
        assert!(!holds_key(&done.err), "{arguments:?}: {}", done.err);
    }
}

#[test]
fn a_file_in_the_current_folder_is_not_taken_for_the_keystore_of_its_name() {
    let (home, password) = with_account();
    // A keystore of somebody else, which whoever can write here would like to have used.
    let other = fs::read_to_string(keystore(&home, "me")).unwrap();
    let other = other.replace(&ACCOUNT[2..], &"11".repeat(20));
    file(&home, "me", &other);
    file(&home, "you", &other);
    let deploy = ["registry", "deploy", "tools", "--chain-id", "31337"];
    let chain = ["--chain", "31337=http://127.0.0.1:9", "--dry-run"];
    let signed_by = |keystore: &str| {
        let how = ["--keystore", keystore, "--from", ACCOUNT];
        home.run(&[&deploy[..], &chain, &how, &["--password-file", &password]].concat())
    };
    // The account is the right one, so what fails is that there is no chain.
    signed_by("me").expect(3);
    let done = signed_by("you").expect(2);
    assert!(
        done.err.contains("no keystore called you") && done.err.contains("./you"),
        "{}",
        done.err
    );
    let done = signed_by("./me").expect(2);
    assert!(done.err.contains("0x1111"), "{}", done.err);
}

#[test]
fn files_that_are_no_keystores_are_listed_as_that() {
    let home = Home::new();
    let folder = keystore(&home, "x");
    fs::create_dir_all(folder.parent().unwrap()).unwrap();
    fs::write(keystore(&home, "bad"), "{}").unwrap();
    fs::write(folder.with_file_name("notes.txt"), "no keystore").unwrap();
    let listed = home.json(&["account", "list"]);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert!(
        listed[0]["fault"]
            .as_str()
            .unwrap()
            .contains("is no keystore")
    );
}

/// Runs a command with a terminal of its own, on which a person answers each prompt. What answers a prompt that ends with
/// a secret is typed when the terminal shows nothing any more of what is typed.
#[cfg(target_os = "linux")]
pub(crate) fn on_a_terminal(home: &Home, command: &str, answers: &[(&str, &str)]) -> Done {
    run_on_a_terminal(
        home,
        &format!("exec {} {command}", env!("CARGO_BIN_EXE_deedbox")),
        answers,
    )
}

/// What Ctrl-C types.
#[cfg(target_os = "linux")]
const CTRL_C: &str = "\u{3}";

/// Runs what a shell makes of `script`, as [`on_a_terminal`].
#[cfg(target_os = "linux")]
fn run_on_a_terminal(home: &Home, script: &str, answers: &[(&str, &str)]) -> Done {
    let inner = format!("tty > terminal; {script}");
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", &inner, "/dev/null"])
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut shown, mut seen) = (Vec::new(), 0);
    for (prompt, answer) in answers {
        loop {
            let text = String::from_utf8_lossy(&shown[seen..]).into_owned();
            if let Some(at) = text.find(prompt) {
                seen += at + prompt.len();
                break;
            }
            let mut piece = [0; 1024];
            let read = output.read(&mut piece).unwrap();
            assert!(read > 0, "no {prompt:?} in {text}");
            shown.extend_from_slice(&piece[..read]);
        }
        let is_hidden = !prompt.contains("[y/N]");
        if prompt.contains("assword of") || is_hidden && [PASSWORD, CTRL_C].contains(answer) {
            await_silence(home);
        }
        if !answer.is_empty() {
            writeln!(input, "{answer}").unwrap();
        }
    }
    output.read_to_end(&mut shown).unwrap();
    let status = child.wait().unwrap();
    Done {
        code: status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&shown).into_owned(),
        err: String::new(),
    }
}

/// Waits until the terminal does not echo.
#[cfg(target_os = "linux")]
fn await_silence(home: &Home) {
    let started = std::time::Instant::now();
    let terminal = fs::read_to_string(home.path().join("terminal")).unwrap();
    loop {
        let modes = Command::new("stty")
            .args(["-a", "-F", terminal.trim()])
            .output()
            .unwrap();
        if String::from_utf8_lossy(&modes.stdout).contains(" -echo ") {
            return;
        }
        assert!(started.elapsed() < crate::common::PATIENCE, "it echoes");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_password_is_asked_for_twice_and_not_shown() {
    let home = Home::new();
    let answers = [("New password: ", PASSWORD), ("The same again: ", PASSWORD)];
    let done = on_a_terminal(&home, "account new me", &answers).expect(0);
    assert!(!done.out.contains(PASSWORD), "{}", done.out);
    assert!(keystore(&home, "me").is_file());

    let answers = [
        ("New password: ", PASSWORD),
        ("The same again: ", "another one"),
    ];
    let done = on_a_terminal(&home, "account new you", &answers).expect(2);
    assert!(done.out.contains("are not the same"), "{}", done.out);
    assert!(!keystore(&home, "you").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_at_a_hidden_prompt_ends_the_program_and_leaves_a_terminal_that_echoes() {
    for (command, prompt) in [
        ("account new me", "New password: "),
        ("account import me", "Private key (not shown): "),
    ] {
        let home = Home::new();
        // The shell outlives the program, and says how it ended and what the terminal does then.
        let command = format!("{command}; echo ended with $?; stty -a");
        let done = run_on_a_terminal(
            &home,
            &format!("{} {command}", env!("CARGO_BIN_EXE_deedbox")),
            &[(prompt, CTRL_C)],
        )
        .expect(0);
        assert!(done.out.contains("ended with 130"), "{}", done.out);
        let modes: Vec<&str> = done.out.split_whitespace().collect();
        for mode in ["echo", "icanon", "isig"] {
            assert!(modes.contains(&mode), "no {mode}: {}", done.out);
        }
        assert!(!keystore(&home, "me").exists());
    }
}
