//! Reading what is typed without showing it, on a terminal that shows again what is typed whatever becomes of it.

use std::io;
#[cfg(unix)]
use std::{fs::File, io::Read, io::Write as _};

/// Asks on the terminal, and reads a line without echo. Ctrl-C ends the program, as it ends any, and the terminal is then as it
/// was before.
///
/// # Errors
/// There is no terminal, or it cannot be read; it was interrupted, and something in the program heard that instead.
#[cfg(unix)]
pub(super) fn hidden(prompt: &str) -> io::Result<String> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
    let silent = Silent::new(terminal.try_clone()?)?;
    let config = rpassword::ConfigBuilder::new().input_reader(silent).build();
    let read = rpassword::prompt_password_with_config(prompt, config);
    // The line break that was typed was not shown either.
    terminal.write_all(b"\n")?;
    read
}

/// The same, where the system itself restores the terminal.
#[cfg(not(unix))]
pub(super) fn hidden(prompt: &str) -> io::Result<String> {
    rpassword::prompt_password(prompt)
}

/// A terminal that does not show what is typed, until this is dropped, or Ctrl-C is read.
///
/// What reads from it lets the signal of Ctrl-C end the program, and nothing is dropped then. So the terminal is as it was
/// before that letter is handed on.
#[cfg(unix)]
struct Silent {
    terminal: File,
    before: rustix::termios::Termios,
}

/// What a terminal sends for Ctrl-C, when it makes no signal of it.
#[cfg(unix)]
const CTRL_C: u8 = 3;

#[cfg(unix)]
impl Silent {
    fn new(terminal: File) -> io::Result<Self> {
        use rustix::termios::{
            LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr,
        };
        let before = tcgetattr(&terminal)?;
        let mut modes = before.clone();
        modes
            .local_modes
            .remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        // Made before the modes are, so that they are restored from then on.
        let silent = Self { terminal, before };
        tcsetattr(&silent.terminal, OptionalActions::Now, &modes)?;
        Ok(silent)
    }

    fn restore(&self) -> io::Result<()> {
        use rustix::termios::{OptionalActions, tcsetattr};
        Ok(tcsetattr(
            &self.terminal,
            OptionalActions::Now,
            &self.before,
        )?)
    }
}

#[cfg(unix)]
impl Read for Silent {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.terminal.read(buffer)?;
        let typed = buffer.get(..read).unwrap_or_default();
        if typed.contains(&CTRL_C) {
            self.restore()?;
            // The shell's prompt begins its own line.
            self.terminal.write_all(b"\n")?;
        }
        Ok(read)
    }
}

#[cfg(unix)]
impl Drop for Silent {
    fn drop(&mut self) {
        // There is nowhere to complain: the terminal is gone.
        drop(self.restore());
    }
}
