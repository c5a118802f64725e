//! Groups of processes that do not outlive the command, whatever ends it.

use std::{
    collections::BTreeSet,
    io,
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus, exit},
    sync::{Mutex, MutexGuard, Once, PoisonError},
};

use nix::{
    sys::{
        signal::{Signal, killpg},
        wait::{Id, WaitPidFlag, WaitStatus, waitid},
    },
    unistd::Pid,
};

/// The groups that run.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// What a shell reports of a process that was interrupted.
const INTERRUPTED: i32 = 130;

fn running() -> MutexGuard<'static, BTreeSet<i32>> {
    // A set of numbers is never left half changed.
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A child in a group of its own; the group is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Group {
    leader: i32,
}

impl Group {
    /// Starts a child in a group of its own.
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
        end_with_the_command();
        // Held while the child starts, so that an interrupt waits until the group is known.
        let mut running = running();
        let child = command.process_group(0).spawn()?;
        // A process number fits a word of 31 bits.
        let leader = i32::try_from(child.id()).unwrap_or(i32::MAX);
        running.insert(leader);
        Ok((child, Self { leader }))
    }

    /// Kills all of the group.
    pub(super) fn kill(&self) {
        // Held until it is killed, so that nobody reaps the leader in between.
        let running = running();
        if running.contains(&self.leader) {
            kill(self.leader);
        }
    }

    /// Waits for the leader to end, and kills what it left behind. It is reaped last, so that nobody else can
    /// have its number until then.
    pub(super) fn finish(&self, child: &mut Child) -> io::Result<ExitStatus> {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        // If it cannot be waited for so, it is below.
        let _ = waitid(Id::Pid(Pid::from_raw(self.leader)), flags);
        self.end();
        child.wait()
    }

    /// Whether the leader has ended; it is not reaped.
    pub(super) fn has_ended(&self) -> bool {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::WNOHANG;
        !matches!(waitid(Id::Pid(Pid::from_raw(self.leader)), flags), Ok(WaitStatus::StillAlive))
    }

    fn end(&self) {
        let mut running = running();
        if running.remove(&self.leader) {
            kill(self.leader);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

/// Invariant: the group is in the list, so that its leader was not reaped.
fn kill(leader: i32) {
    // Nobody left is what is wanted.
    let _ = killpg(Pid::from_raw(leader), Signal::SIGKILL);
}

/// On an interrupt, a hangup or a request to end: kills every group, and ends.
fn end_with_the_command() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without a handler an interrupt ends the command as ever; only the children would go on.
        let _ = ctrlc::set_handler(|| {
            // Held to the end: a command that was killed here must not be taken for one that failed.
            let running = running();
            running.iter().for_each(|leader| kill(*leader));
            exit(INTERRUPTED);
        });
    });
}
