//! The program: everything is in the library, so that tests can reach it.

fn main() -> std::process::ExitCode {
    pi5_nvme::cli::main()
}
