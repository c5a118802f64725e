//! The `certus` command; everything it does is in [`certus::cli`].

fn main() -> std::process::ExitCode {
    certus::cli::main().into()
}
