//! The `certus` command; everything it does is in [`certus_cli`].

fn main() -> std::process::ExitCode {
    certus_cli::main().into()
}
