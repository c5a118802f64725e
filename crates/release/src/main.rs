//! The program `certus-release`; everything it does is in [`certus_release::program`].

fn main() -> std::process::ExitCode {
    certus_release::program::main().into()
}
