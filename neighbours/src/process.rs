//! Child processes that do not outlive this one, however it ends.
//!
//! A guard that kills on drop is not enough: a test runner may end a test with SIGKILL. On Linux the kernel
//! itself can deliver the news. It watches the *thread* that made the child, so every child is made by one
//! thread that lives as long as the process.

use std::{
    ffi::OsStr,
    io,
    path::Path,
    process::{Child, Command},
    sync::{OnceLock, mpsc},
    thread,
};

const SETPRIV: &str = "/usr/bin/setpriv";

type Order = (Command, mpsc::Sender<io::Result<Child>>);

/// `program`, arranged so that the kernel kills it when its parent dies (where the system can do that).
/// Its process id is `program`'s own. Start it with [`spawn`].
#[must_use]
pub fn tethered(program: impl AsRef<OsStr>) -> Command {
    if !Path::new(SETPRIV).exists() {
        return Command::new(program);
    }
    let mut command = Command::new(SETPRIV);
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command
}

/// Starts `command` from a thread that lives as long as this process.
///
/// # Errors
/// As [`Command::spawn`].
pub fn spawn(command: Command) -> io::Result<Child> {
    static STARTER: OnceLock<mpsc::Sender<Order>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| {
        let (orders, inbox) = mpsc::channel::<Order>();
        thread::spawn(move || {
            for (mut command, answer) in inbox {
                // Who asked may have given up; then the child is dropped, and dies with us.
                drop(answer.send(command.spawn()));
            }
        });
        orders
    });
    let (answer, answered) = mpsc::channel();
    let gone = || io::Error::other("the thread that starts processes is gone");
    starter.send((command, answer)).map_err(|_| gone())?;
    answered.recv().map_err(|_| gone())?
}

#[cfg(test)]
mod tests {
    use std::{process::Stdio, thread};

    use super::*;

    #[test]
    fn a_child_outlives_the_thread_that_asked_for_it() {
        let mut command = tethered("cat");
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = thread::spawn(|| spawn(command).unwrap()).join().unwrap();
        assert!(child.try_wait().unwrap().is_none());
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
    }

    /// A shell starts a tethered `cat` and is killed; `cat`, whose input stays open, must go too.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_dies_with_its_parent() {
        use std::{
            fs,
            io::{BufRead, BufReader},
            time::{Duration, Instant},
        };

        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                &format!("{SETPRIV} --pdeathsig KILL -- sleep 600 & echo $!; wait"),
            ])
            .stdout(Stdio::piped());
        let mut shell = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(shell.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let state = format!("/proc/{}/stat", line.trim());
        let until = |wanted: fn(&str) -> bool| {
            let end = Instant::now() + Duration::from_secs(10);
            while !wanted(&fs::read_to_string(&state).unwrap_or_default()) {
                assert!(Instant::now() < end, "{state} never changed");
                thread::sleep(Duration::from_millis(5));
            }
        };
        until(|state| state.contains("(sleep) "));
        shell.kill().unwrap();
        shell.wait().unwrap();
        // Dead, whether or not its new parent has noticed (`Z`).
        until(|state| !state.contains("(sleep) ") || state.contains("(sleep) Z"));
    }
}
