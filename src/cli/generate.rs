//! Man pages, shell completions and the reference of the command line, from
//! the very definitions that parse.

use super::args::Cli;
use super::exit::{Exit, Failure};
use super::{Answer, Host};
use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};
use serde_json::json;
use std::path::Path;

const SHELLS: [(Shell, &str); 3] =
    [(Shell::Bash, "pi5-nvme.bash"), (Shell::Zsh, "_pi5-nvme"), (Shell::Fish, "pi5-nvme.fish")];

/// Every generated file: its path in the repository, and its text.
pub(super) fn files() -> std::io::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    pages(&mut files)?;
    for (shell, name) in SHELLS {
        let mut text = Vec::new();
        generate(shell, &mut shown(Cli::command()), "pi5-nvme", &mut text);
        files.push((format!("assets/completions/{name}"), String::from_utf8_lossy(&text).into_owned()));
    }
    files.push(("docs/reference/cli.md".into(), reference()));
    Ok(files)
}

/// The help of every command, one below the other.
fn reference() -> String {
    let mut text = "# The command line\n\nGenerated from the definitions in `src/cli/args.rs` by \
                    `cargo run -- generate .`; a test holds it up to date.\n"
        .to_owned();
    let mut root = shown(Cli::command()).term_width(80);
    root.build();
    let mut section = |title: &str, command: &mut Command| {
        let help = command.render_long_help().to_string();
        let lines: Vec<_> = help.lines().map(str::trim_end).collect();
        text.push_str(&format!("\n## {title}\n\n```text\n{}\n```\n", lines.join("\n")));
    };
    section("pi5-nvme", &mut root.clone());
    for sub in root.get_subcommands_mut().filter(|c| c.get_name() != "help") {
        section(&format!("pi5-nvme {}", sub.get_name()), sub);
    }
    text
}

fn pages(files: &mut Vec<(String, String)>) -> std::io::Result<()> {
    let root = shown(Cli::command());
    let mut page = |command: Command| {
        let mut text = Vec::new();
        let name = command.get_name().to_owned();
        clap_mangen::Man::new(command)
            .section("1")
            .manual("pi5-nvme")
            .date("")
            .source("pi5-nvme")
            .render(&mut text)?;
        files.push((format!("assets/man/{name}.1"), String::from_utf8_lossy(&text).into_owned()));
        std::io::Result::Ok(())
    };
    for sub in root.get_subcommands() {
        let name = sub.get_name();
        // A page is read by itself: the flags that hold everywhere belong on it.
        let whole = sub.clone().args(root.get_arguments().filter(|a| a.is_global_set()).cloned());
        page(whole.name(format!("pi5-nvme-{name}")).bin_name(format!("pi5-nvme {name}")))?;
    }
    page(root)
}

/// The command without what is hidden: completions would offer it.
fn shown(command: Command) -> Command {
    let subcommands: Vec<_> = command.get_subcommands().filter(|c| !c.is_hide_set()).cloned().collect();
    let mut kept = Command::new("pi5-nvme")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .args(command.get_arguments().cloned())
        .subcommands(subcommands);
    if let Some(about) = command.get_about() {
        kept = kept.about(about.clone());
    }
    if let Some(after) = command.get_after_help() {
        kept = kept.after_help(after.clone());
    }
    kept
}

/// Writes them below `folder`.
pub(super) fn command(folder: &Path) -> Result<Answer, Failure> {
    let failed = |e: std::io::Error| Failure::new(Exit::PutBack, "failed", format!("the pages: {e}"));
    let files = files().map_err(failed)?;
    let host = Host::open(Some(folder))?;
    for (path, text) in &files {
        let path = format!("/{path}");
        let parent = path.rsplit_once('/').map_or("/", |(parent, _)| parent);
        host.create_dir(parent, 0o755)?;
        host.replace(&path, text.as_bytes())?;
    }
    let headline = format!("wrote {} files below {}", files.len(), folder.display());
    let names: Vec<_> = files.iter().map(|(name, _)| name).collect();
    Ok(Answer {
        json: json!({"schema": "pi5-nvme/generate/1", "files": names}),
        text: format!("{headline}\n"),
        headline,
        exit: Exit::Done,
        after: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::disallowed_methods, reason = "a test reads the repository, not the machine")]
    fn what_is_shipped_is_fresh() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (name, text) in files().unwrap() {
            let stored = std::fs::read_to_string(root.join(&name)).unwrap_or_default();
            assert!(
                stored == text,
                "{name} is out of date: cargo run -- generate . and then look at the difference"
            );
        }
    }
}
