//! The command line.

/// What `--help` prints.
pub const HELP: &str = "\
Nanoseconds a sample, samplers interleaved round by round in one process.

usage: certus-benches [--quick] [--json] [--filter TEXT]
       certus-benches --list [--filter TEXT]
       certus-benches --once SAMPLER GROUP N

  --quick                 fewer and shorter rounds: seconds for minutes, some percent of error
  --json                  a JSON array of rows instead of the table
  --filter TEXT           only rows whose \"GROUP SAMPLER\" contains TEXT, and their group's baseline
  --list                  the rows there are, as SAMPLER, a tab, GROUP; nothing is measured
  --once SAMPLER GROUP N  draw N samples and print nothing: for callgrind, see ./instructions
  --help                  this text
";

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Print the help.
    Help,
    /// Print the names of the rows.
    List { filter: String },
    /// Measure.
    Measure { quick: bool, json: bool, filter: String },
    /// Draw samples for somebody else's measurement.
    Once { sampler: String, group: String, samples: usize },
}

/// Reads the arguments after the program's name.
///
/// # Errors
///
/// One line that says which argument is wrong.
pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Command, String> {
    let mut arguments = arguments.into_iter();
    let (mut quick, mut json, mut list, mut filter) = (false, false, false, String::new());
    while let Some(argument) = arguments.next() {
        let mut value = |name| arguments.next().ok_or_else(|| format!("{argument} needs {name}; see --help"));
        match argument.as_str() {
            "--help" | "-h" => return Ok(Command::Help),
            "--quick" => quick = true,
            "--json" => json = true,
            "--list" => list = true,
            "--filter" => filter = value("TEXT")?,
            "--once" => {
                let (sampler, group, count) =
                    (value("SAMPLER GROUP N")?, value("SAMPLER GROUP N")?, value("SAMPLER GROUP N")?);
                let samples = count.parse().map_err(|_| format!("N must be a number of samples, not {count:?}"))?;
                return match arguments.next() {
                    None => Ok(Command::Once { sampler, group, samples }),
                    Some(extra) => Err(format!("nothing goes after --once SAMPLER GROUP N, but there is {extra:?}")),
                };
            }
            _ => return Err(format!("unknown argument {argument:?}; see --help")),
        }
    }
    match (list, quick || json) {
        (true, true) => Err("--list measures nothing: no --quick, no --json".into()),
        (true, false) => Ok(Command::List { filter }),
        (false, _) => Ok(Command::Measure { quick, json, filter }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Command, String> {
        read(line.split_whitespace().map(String::from))
    }

    #[test]
    fn commands() {
        let all = Command::Measure { quick: false, json: false, filter: String::new() };
        assert_eq!(words(""), Ok(all));
        let some = Command::Measure { quick: true, json: true, filter: "laplace".into() };
        assert_eq!(words("--json --filter laplace --quick"), Ok(some));
        assert_eq!(words("--list"), Ok(Command::List { filter: String::new() }));
        assert_eq!(words("--quick -h"), Ok(Command::Help));
    }

    #[test]
    fn bad_arguments_are_one_line() {
        for line in ["--fast", "laplace", "--filter", "--once prio", "--once a b c", "--once a b 3 d", "--list --json"]
        {
            let error = words(line).expect_err(line);
            assert!(!error.is_empty() && !error.contains('\n'), "{line}: {error}");
        }
    }
}
