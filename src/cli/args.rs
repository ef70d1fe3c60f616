//! The command line, as data: parsing does nothing.

use crate::rules::{BootGoal, LinkGoal, ProbeGoal};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// NVMe on a Raspberry Pi 5: set up, prove, measure, undo.
#[derive(Debug, Clone, Parser)]
#[command(name = "pi5-nvme", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done or already so, 1 the answer is no, 2 wrong use, 3 needs root, \
4 not here, 5 refused for safety, 6 failed and put back, 7 failed and not everything put back, 130 interrupted.")]
pub(super) struct Cli {
    /// What holds for every command.
    #[command(flatten, next_help_heading = "Everywhere")]
    pub(super) global: Global,
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Command,
}

/// What holds for every command.
#[derive(Debug, Clone, Args)]
pub(super) struct Global {
    /// Work on the recorded machine in this folder (also: PI5_NVME_ROOT)
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,
    /// Print exactly one JSON object
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Colour the output (NO_COLOR is respected)
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = ColorChoice::Auto)]
    pub(super) color: ColorChoice,
    /// Print the result line only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Print details too
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorChoice {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Clone, Subcommand)]
pub(super) enum Command {
    /// Show what is there and what stands out
    Status,
    /// Set the PCIe generation and the boot order, after showing the exact change
    Setup(Setup),
    /// Say whether the link runs as asked (after the reboot)
    Verify(Verify),
    /// Measure the drive, and compare with an earlier measurement
    Bench(Bench),
    /// Put the files back byte for byte
    Undo(Undo),
    /// Play the whole journey on a simulated Raspberry Pi 5
    Demo(Demo),
    /// Write the man pages, the shell completions and the reference into a checkout
    #[command(hide = true)]
    Generate {
        /// The folder that holds `assets` and `docs`.
        folder: PathBuf,
    },
}

impl Command {
    /// The name as typed.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Setup(_) => "setup",
            Self::Verify(_) => "verify",
            Self::Bench(_) => "bench",
            Self::Undo(_) => "undo",
            Self::Demo(_) => "demo",
            Self::Generate { .. } => "generate",
        }
    }
}

/// `setup`.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Setup {
    /// PCIe generation to ask for (Gen 3 is not certified by Raspberry Pi)
    #[arg(long, value_enum, value_name = "GEN")]
    pub(super) r#gen: Option<Gen>,
    /// Try NVMe first at boot, or keep the boot order
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) boot: Option<Boot>,
    /// Let the bootloader look for a drive by itself; auto: when it is needed to boot from NVMe
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(super) probe: Option<Probe>,
    /// Measure before the change, to compare with later
    #[arg(long, value_enum, value_name = "HOW")]
    pub(super) bench: Option<Baseline>,
    /// What to do about the reboot
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(super) reboot: Option<Reboot>,
    /// Show the change and do nothing (needs no root)
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Answer yes to the final question
    #[arg(long)]
    pub(super) yes: bool,
}

/// `--gen`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Gen {
    /// 2.5 GT/s
    #[value(name = "1")]
    One,
    /// 5.0 GT/s
    #[value(name = "2")]
    Two,
    /// 8.0 GT/s
    #[value(name = "3")]
    Three,
    /// as it is
    Keep,
}

/// `--boot`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Boot {
    /// NVMe first, everything else after it
    Nvme,
    /// as it is
    Keep,
}

/// `--probe`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Probe {
    /// when booting from NVMe needs it
    Auto,
    /// on
    On,
    /// as it is
    Keep,
}

/// `setup --bench`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Baseline {
    /// about 20 seconds
    Quick,
    /// about a minute
    Standard,
    /// no measurement
    Off,
}

/// `--reboot`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Reboot {
    /// ask when all is done
    Ask,
    /// at once when all is done
    Now,
    /// never; say how
    No,
}

/// `verify`.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Verify {
    /// Look again for up to this many seconds until the answer is yes
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=3600))]
    pub(super) wait: u64,
}

/// `bench`.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Bench {
    /// A folder on the drive's file system (default: found from the drive)
    pub(super) path: Option<String>,
    /// How long to measure (default: standard)
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(super) profile: Option<Profile>,
    /// Measure reads only
    #[arg(long)]
    pub(super) read_only: bool,
    /// Keep the result under this name too
    #[arg(long, value_name = "NAME", value_parser = run_name)]
    pub(super) save: Option<String>,
    /// Compare now with the newest run at another link speed or under another name (or with run A), or run A with run B
    #[arg(long, num_args = 0..=2, value_names = ["A", "B"])]
    pub(super) compare: Option<Vec<String>>,
    /// Write a report too: .html (a page), .svg (the chart), .md (a text) or .json (the data)
    #[arg(long, value_name = "FILE")]
    pub(super) report: Vec<PathBuf>,
    /// Leave in the report what tells whose machine it is (drive's id, folders)
    #[arg(long, requires = "report")]
    pub(super) identify: bool,
    /// List the kept runs
    #[arg(long, conflicts_with_all = ["path", "profile", "read_only", "save", "compare", "report"])]
    pub(super) list: bool,
}

/// A name for a run: one that can be read and typed again.
fn run_name(name: &str) -> Result<String, &'static str> {
    match name {
        _ if name.trim().is_empty() => Err("a name has at least one letter"),
        _ if name.chars().any(char::is_control) => Err("a name has no control characters"),
        _ if name.chars().count() > 64 => Err("a name has at most 64 characters"),
        _ => Ok(name.to_owned()),
    }
}

/// `bench --profile`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Profile {
    /// about 20 seconds
    Quick,
    /// about a minute
    #[default]
    Standard,
    /// some minutes, enough to fill a drive's cache
    Deep,
}

/// `undo`.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Undo {
    /// The transaction (default: the newest)
    pub(super) id: Option<String>,
    /// List the transactions
    #[arg(long, conflicts_with = "id")]
    pub(super) list: bool,
}

/// `demo`.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Demo {
    /// Ask nothing
    #[arg(long)]
    pub(super) yes: bool,
}

impl From<Gen> for LinkGoal {
    fn from(value: Gen) -> Self {
        match value {
            Gen::One => Self::Gen1,
            Gen::Two => Self::Gen2,
            Gen::Three => Self::Gen3,
            Gen::Keep => Self::Keep,
        }
    }
}

impl From<Boot> for BootGoal {
    fn from(value: Boot) -> Self {
        match value {
            Boot::Nvme => Self::NvmeFirst,
            Boot::Keep => Self::Keep,
        }
    }
}

impl From<Probe> for ProbeGoal {
    fn from(value: Probe) -> Self {
        match value {
            Probe::Auto => Self::Auto,
            Probe::On => Self::On,
            Probe::Keep => Self::Keep,
        }
    }
}

/// The word of a flag's value, as typed.
pub(super) fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    fn parse(line: &str) -> Result<Cli, ErrorKind> {
        Cli::try_parse_from(line.split_whitespace()).map_err(|e| e.kind())
    }

    #[test]
    fn definitions_hold_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_are_taken_before_and_after_the_command() {
        for line in ["pi5-nvme --json --root /m status", "pi5-nvme status --root /m --json"] {
            let cli = parse(line).unwrap();
            assert!(cli.global.json && cli.global.root == Some("/m".into()), "{line}");
            assert_eq!(cli.command.name(), "status");
        }
    }

    #[test]
    fn setup_takes_an_answer_for_every_question() {
        let cli =
            parse("pi5-nvme setup --gen 3 --boot nvme --probe on --bench off --reboot no --dry-run --yes")
                .unwrap();
        let Command::Setup(setup) = cli.command else { panic!("not setup") };
        assert_eq!(setup.r#gen, Some(Gen::Three));
        assert_eq!((setup.boot, setup.probe), (Some(Boot::Nvme), Some(Probe::On)));
        assert_eq!((setup.bench, setup.reboot), (Some(Baseline::Off), Some(Reboot::No)));
        assert!(setup.dry_run && setup.yes);
        assert_eq!(word(Gen::Three), "3");
        assert_eq!(word(Gen::Keep), "keep");
    }

    #[test]
    fn bench_compares_with_none_one_or_two() {
        for (line, names) in [
            ("pi5-nvme bench --compare", &[][..]),
            ("pi5-nvme bench --compare a", &["a"]),
            ("pi5-nvme bench --compare a b", &["a", "b"]),
        ] {
            let Command::Bench(bench) = parse(line).unwrap().command else { panic!("not bench") };
            assert_eq!(bench.compare.unwrap(), names, "{line}");
        }
        let Command::Bench(bench) = parse("pi5-nvme bench /mnt").unwrap().command else {
            panic!("not bench")
        };
        assert_eq!((bench.path.as_deref(), bench.compare), (Some("/mnt"), None));
    }

    #[test]
    fn wrong_use_is_refused() {
        for (line, kind) in [
            ("pi5-nvme", ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand),
            ("pi5-nvme stats", ErrorKind::InvalidSubcommand),
            ("pi5-nvme setup --gen 4", ErrorKind::InvalidValue),
            ("pi5-nvme setup --gen", ErrorKind::InvalidValue),
            ("pi5-nvme status -q -v", ErrorKind::ArgumentConflict),
            ("pi5-nvme verify --wait 9999999", ErrorKind::ValueValidation),
            ("pi5-nvme verify --wait soon", ErrorKind::ValueValidation),
            ("pi5-nvme undo 1 --list", ErrorKind::ArgumentConflict),
            ("pi5-nvme bench --list --compare", ErrorKind::ArgumentConflict),
            ("pi5-nvme bench --list /mnt", ErrorKind::ArgumentConflict),
            ("pi5-nvme bench --list --read-only", ErrorKind::ArgumentConflict),
            ("pi5-nvme bench --list --profile quick", ErrorKind::ArgumentConflict),
            ("pi5-nvme bench --list --save a", ErrorKind::ArgumentConflict),
            ("pi5-nvme bench --list --report a.md", ErrorKind::ArgumentConflict),
            ("pi5-nvme bench --identify", ErrorKind::MissingRequiredArgument),
            ("pi5-nvme bench --save=", ErrorKind::ValueValidation),
            ("pi5-nvme bench --save=a\u{1b}b", ErrorKind::ValueValidation),
            ("pi5-nvme undo --force", ErrorKind::UnknownArgument),
        ] {
            assert_eq!(parse(line).unwrap_err(), kind, "{line}");
        }
    }
}
