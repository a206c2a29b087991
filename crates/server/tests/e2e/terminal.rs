//! Input at a terminal: a real pseudo-terminal, whose other end the test holds.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

/// `parlor password set` at a terminal.
struct Typing {
    keyboard: File,
    terminal: OwnedFd,
    child: Child,
    shown: ChildStderr,
}

impl Typing {
    fn begin(data_dir: &Path) -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap().into_string().unwrap();
        let terminal: OwnedFd = File::options().read(true).write(true).open(name).unwrap().into();
        let mut child = Command::new(env!("CARGO_BIN_EXE_parlor"))
            .args(["password", "set", "--data-dir"])
            .arg(data_dir)
            .current_dir(data_dir)
            .stdin(Stdio::from(terminal.try_clone().unwrap()))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let shown = child.stderr.take().unwrap();
        Self { keyboard: keyboard.into(), terminal, child, shown }
    }

    /// Waits until it asks with these words.
    fn asked(&mut self, words: &str) {
        let mut shown = String::new();
        while !shown.ends_with(words) {
            let mut byte = [0];
            assert_eq!(self.shown.read(&mut byte).unwrap(), 1, "it ended: {shown}");
            shown.push(char::from(byte[0]));
        }
        assert!(!self.echoes(), "what is typed now is not shown");
    }

    fn types(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn echoes(&self) -> bool {
        tcgetattr(&self.terminal).unwrap().local_modes.contains(LocalModes::ECHO)
    }

    /// Waits for the end; returns the exit status, the output, and what the terminal showed.
    fn ended(mut self) -> (ExitStatus, String, String) {
        let mut said = String::new();
        self.shown.read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        assert!(self.echoes(), "the terminal is left as it was");
        drop(self.terminal);
        let mut seen = Vec::new();
        // After the other end is closed, a terminal returns the remaining bytes, then an error.
        let _gone = self.keyboard.read_to_end(&mut seen);
        (status, said, String::from_utf8(seen).unwrap())
    }
}

/// A typed password is not shown and has to be typed twice, and Ctrl-C leaves the terminal as it
/// was.
#[test]
fn a_typed_password_is_not_shown() {
    let dir = tempfile::tempdir().unwrap();
    let mut typing = Typing::begin(dir.path());
    typing.asked("new password (not shown): ");
    typing.types("open sesame");
    typing.asked("the same again: ");
    typing.types("open sesame");
    let (status, said, seen) = typing.ended();
    assert!(status.success() && said.contains("the password is set"), "{said}");
    assert!(!seen.contains("sesame") && !said.contains("sesame"), "{seen:?} {said:?}");

    let mut typing = Typing::begin(dir.path());
    typing.asked("new password (not shown): ");
    typing.types("open sesame");
    typing.asked("the same again: ");
    typing.types("open sesam");
    let (status, said, _) = typing.ended();
    assert!(!status.success() && said.contains("the two differ"), "{said}");

    let mut typing = Typing::begin(dir.path());
    typing.asked("new password (not shown): ");
    kill_process(Pid::from_child(&typing.child), Signal::INT).unwrap();
    let (status, said, _) = typing.ended();
    assert!(!status.success() && said.contains("nothing was changed"), "{said}");
}
