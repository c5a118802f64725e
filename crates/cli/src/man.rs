//! `certus man`: the manual pages, one a command.

use std::{io::Write, path::Path};

use clap::Command;

use super::{Failure, arguments::Cli, suggest::nearest};
use certus::mechanism::Excerpt;

pub(super) fn run(name: Option<&str>, folder: Option<&Path>, out: &mut dyn Write) -> Result<u8, Failure> {
    let pages = pages();
    if let Some(folder) = folder {
        if !folder.is_dir() {
            return Err(Failure::argument("--folder", "must be a folder that exists"));
        }
        for page in &pages {
            let file = folder.join(format!("{}.1", page.get_name()));
            let failed =
                |error| Failure::argument("--folder", format_args!("{} cannot be written: {error}", file.display()));
            std::fs::write(&file, rendered(page)?).map_err(failed)?;
        }
        writeln!(out, "{} pages in {}", pages.len(), folder.display())?;
        return Ok(0);
    }
    let wanted = name.map_or_else(|| "certus".to_owned(), |name| format!("certus-{}", name.replace(' ', "-")));
    let Some(page) = pages.iter().find(|page| page.get_name() == wanted) else {
        let names: Vec<&str> = pages.iter().filter_map(|page| page.get_name().strip_prefix("certus-")).collect();
        let given = name.unwrap_or_default();
        let meant =
            nearest(given, names.iter().copied()).map_or_else(String::new, |name| format!("; did you mean {name}?"));
        let (names, given) = (names.join(", "), Excerpt::new(given));
        return Err(Failure::argument("COMMAND", format_args!("must be one of {names}, not {given}{meant}")));
    };
    out.write_all(&rendered(page)?)?;
    Ok(0)
}

/// The command itself, and every command of it, each with its whole name.
fn pages() -> Vec<Command> {
    let mut root = Cli::command_for_people();
    root.build();
    let mut pages = Vec::new();
    gather(&root, "certus", &mut pages);
    pages
}

fn gather(command: &Command, name: &str, pages: &mut Vec<Command>) {
    // The name of a page lives as long as the program, and there are few.
    let whole: &'static str = Box::leak(name.to_owned().into_boxed_str());
    pages.push(command.clone().name(whole));
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        gather(inner, &format!("{name}-{}", inner.get_name()), pages);
    }
}

fn rendered(page: &Command) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(page.clone()).render(&mut text)?;
    Ok(text)
}
