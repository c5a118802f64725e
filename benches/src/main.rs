//! Nanoseconds a sample: Certus beside its peers, interleaved round by round in one process.
//!
//! ```text
//! cargo run --release --manifest-path benches/Cargo.toml -- --help
//! ```

mod arguments;
mod group;
mod measure;
mod peers;
mod table;

use std::{
    io::{self, ErrorKind, Write},
    process::ExitCode,
};

use arguments::Command;
use group::Group;
use measure::Plan;
use peers::{BASELINE, PEERS, Peer};
use table::Row;

fn main() -> ExitCode {
    let outcome = arguments::read(std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()))
        .and_then(|command| run(command, &mut io::stdout().lock()));
    match outcome {
        Ok(Ok(())) => ExitCode::SUCCESS,
        // Somebody closed the pipe: they have read enough.
        Ok(Err(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("certus-benches: {error}");
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("certus-benches: {message}");
            ExitCode::from(2)
        }
    }
}

/// Runs a command: a bad argument is a message, a failure to write an error of its own.
fn run(command: Command, out: &mut impl Write) -> Result<io::Result<()>, String> {
    match command {
        Command::Help => Ok(write!(out, "{}", arguments::HELP)),
        Command::List { filter } => select(&filter).map(|selection| list(&selection, out)),
        Command::Measure { quick, json, filter } => {
            let plan = if quick { Plan::QUICK } else { Plan::FULL };
            select(&filter)
                .map(|selection| if json { document(&selection, plan, out) } else { show(&selection, plan, out) })
        }
        Command::Once { sampler, group, samples } => once(&sampler, &group, samples).map(Ok),
    }
}

/// A group and its peers to measure, the baseline among them.
type Selection = Vec<(Group, Vec<&'static Peer>)>;

/// The rows whose "GROUP SAMPLER" contains the filter, and the baseline of each group that has one.
fn select(filter: &str) -> Result<Selection, String> {
    let matches = |group: &Group, peer: &Peer| peer.takes(group) && format!("{group} {}", peer.name).contains(filter);
    let selection: Selection = Group::all()
        .into_iter()
        .filter(|group| PEERS.iter().any(|peer| matches(group, peer)))
        .map(|group| {
            let peers = PEERS.iter().filter(|peer| peer.name == BASELINE || matches(&group, peer)).collect();
            (group, peers)
        })
        .collect();
    if selection.is_empty() { Err(format!("no row contains {filter:?}; see --list")) } else { Ok(selection) }
}

fn list(selection: &Selection, out: &mut impl Write) -> io::Result<()> {
    for (group, peers) in selection {
        for peer in peers {
            writeln!(out, "{}\t{group}", peer.name)?;
        }
    }
    Ok(())
}

fn show(selection: &Selection, plan: Plan, out: &mut impl Write) -> io::Result<()> {
    table::write_head(out)?;
    let mut all = Vec::new();
    for (group, peers) in selection {
        let rows = rows(group, peers, plan);
        table::write_rows(out, &rows)?;
        all.extend(rows);
    }
    table::write_preparations(out, &all)
}

fn document(selection: &Selection, plan: Plan, out: &mut impl Write) -> io::Result<()> {
    let all: Vec<Row> = selection.iter().flat_map(|(group, peers)| rows(group, peers, plan)).collect();
    table::write_json(out, &all)
}

/// Measures the peers of a group.
fn rows(group: &Group, peers: &[&'static Peer], plan: Plan) -> Vec<Row> {
    let mut samplers: Vec<_> = peers.iter().map(|peer| (peer.build)(group)).collect();
    let times = measure::interleaved(&mut samplers, plan);
    Row::of(group, peers, &times, &samplers)
}

/// Draws samples of one sampler and nothing else.
fn once(sampler: &str, group: &str, samples: usize) -> Result<(), String> {
    let peer = PEERS.iter().find(|peer| peer.name == sampler);
    let peer = peer.ok_or_else(|| format!("no sampler is called {sampler:?}; see --list"))?;
    let known = Group::all().into_iter().find(|known| known.to_string() == group);
    let group = known.ok_or_else(|| format!("no group is called {group:?}; see --list"))?;
    if !peer.takes(&group) {
        return Err(format!("{sampler} does not take {group}"));
    }
    measure::draw((peer.build)(&group).as_mut(), samples);
    Ok(())
}
