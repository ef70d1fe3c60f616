//! The questions of `setup`, on a terminal. Each explains itself in a
//! sentence; Ctrl-C at any of them changes nothing.

use super::args::{Baseline, Boot, Gen};
use super::exit::{Exit, Failure};
use super::page::{Page, Tone};
use super::setup::Choices;
use super::show;
use super::ui::Ui;
use crate::bench::Target;
use crate::facts::Facts;
use crate::host::Host;
use crate::rules::{self, Change, Plan};
use console::Style;
use dialoguer::theme::ColorfulTheme;
use dialoguer::{Confirm, Select};

/// Shows what was found and asks for the generation and the boot order, as far
/// as they are open.
pub(super) fn goal(facts: &Facts, host: &Host, choices: &mut Choices, ui: &Ui) -> Result<(), Failure> {
    let mut page = Page::new(ui.width, ui.colour_err);
    show::human::found(&mut page, facts, host);
    ui.talk(&page.into_text());

    // What is refused whatever is chosen is said before the first question.
    let certified = with(choices, choices.r#gen.unwrap_or(Gen::Two), Boot::Keep);
    if let Some(failure) = super::exit::of_refusals(&rules::plan(facts, &certified.goal()).refusals) {
        return Err(failure);
    }
    if choices.r#gen.is_none() {
        choices.r#gen = Some(generation(facts, choices, ui)?);
    }
    if choices.boot.is_none() {
        choices.boot = Some(boot(facts, choices, ui)?);
    }
    Ok(())
}

fn generation(facts: &Facts, choices: &Choices, ui: &Ui) -> Result<Gen, Failure> {
    let setting = facts.boot.meaning.as_ref().map(|m| &m.generation);
    let now = setting.and_then(|s| s.value.certain().copied());
    if now == Some(3) && setting.is_some_and(|s| !s.lines.is_empty()) {
        explain(ui, "Link speed", "config.txt asks for Gen 3 already.");
        return Ok(Gen::Three);
    }
    let three = rules::plan(facts, &with(choices, Gen::Three, Boot::Keep).goal());
    let mut options = Vec::new();
    let mut text = String::new();
    match three.refusals.first() {
        None => {
            options.push((Gen::Three, "Gen 3 (8.0 GT/s)"));
            text.push_str(
                "Raspberry Pi certifies Gen 2. Gen 3 is not certified; where it works, people measured \
                 large reads 1.75 to 1.94 times as fast. Undo takes it back.",
            );
        }
        Some(refusal) => text.push_str(&format!("{} {}", refusal.why, refusal.do_instead)),
    }
    options.push((Gen::Two, "Gen 2 (5.0 GT/s)"));
    options.push((Gen::Keep, "keep it"));
    let mut default = 0;
    if now == Some(1) && setting.is_some_and(|s| !s.lines.is_empty()) {
        default = options.len() - 1;
        text = format!("config.txt asks for Gen 1 on purpose, so keeping it is the default. {text}");
    }
    explain(ui, "Link speed", &text);
    choose(ui, "Which generation?", &options, default)
}

fn boot(facts: &Facts, choices: &Choices, ui: &Ui) -> Result<Boot, Failure> {
    let generation = choices.r#gen.unwrap_or(Gen::Keep);
    let first = rules::plan(facts, &with(choices, generation, Boot::Nvme).goal());
    if let Some(refusal) = first.refusals.first() {
        explain(ui, "Boot order", &format!("It stays as it is. {} {}", refusal.why, refusal.do_instead));
        return Ok(Boot::Keep);
    }
    let Some(words) = order_words(&first) else {
        explain(ui, "Boot order", "NVMe is tried first already.");
        return Ok(Boot::Nvme);
    };
    let copy = if facts.boot.copies.is_empty() {
        " As long as the drive holds no system, the Pi goes on starting from what comes after it."
    } else {
        ""
    };
    let text =
        format!("The bootloader can try NVMe first; everything else stays in the order after it.{copy}");
    explain(ui, "Boot order", &format!("{text}\n{}", words.join("\n")));
    let options = [(Boot::Nvme, "try NVMe first"), (Boot::Keep, "keep the order")];
    choose(ui, "Boot from NVMe?", &options, 0)
}

/// The boot order before and after, where the plan changes it.
fn order_words(plan: &Plan) -> Option<&[String]> {
    let step = plan.steps.iter().find(|s| matches!(s.change, Change::SetBootConfig { .. }))?;
    Some(&step.words)
}

fn with(choices: &Choices, generation: Gen, boot: Boot) -> Choices {
    Choices { r#gen: Some(generation), boot: Some(boot), ..choices.clone() }
}

/// Whether to measure before the change.
pub(super) fn baseline(facts: &Facts, ui: &Ui) -> Result<Baseline, Failure> {
    if Target::first(facts).is_none() {
        explain(ui, "Measurement", "No drive works yet, so there is nothing to measure before the change.");
        return Ok(Baseline::Off);
    }
    explain(
        ui,
        "Measurement",
        "Measured now, the gain can be shown after the reboot. A test file is written to the drive and removed.",
    );
    let options =
        [(Baseline::Quick, "quick (20 s)"), (Baseline::Standard, "standard (1 min)"), (Baseline::Off, "no")];
    choose(ui, "Measure first?", &options, 0)
}

/// The one question for the whole change.
pub(super) fn confirm_change(ui: &Ui) -> Result<(), Failure> {
    if confirm(ui, "Make this change?")? {
        return Ok(());
    }
    Err(Failure::new(Exit::Refused, "declined", "Not confirmed; nothing was changed"))
}

/// Yes or no; neither is the default.
pub(super) fn confirm(ui: &Ui, question: &str) -> Result<bool, Failure> {
    Confirm::with_theme(&theme(ui)).with_prompt(question).interact().map_err(ended)
}

fn choose<T: Copy>(ui: &Ui, question: &str, options: &[(T, &str)], default: usize) -> Result<T, Failure> {
    let names: Vec<_> = options.iter().map(|(_, name)| *name).collect();
    let index = Select::with_theme(&theme(ui))
        .with_prompt(question)
        .items(&names)
        .default(default)
        .interact()
        .map_err(ended)?;
    options.get(index).map(|(value, _)| *value).ok_or_else(stopped)
}

fn explain(ui: &Ui, title: &str, text: &str) {
    let mut page = Page::new(ui.width, ui.colour_err);
    page.blank();
    let title = page.tone(Tone::Strong, title);
    page.line(&title);
    page.line(text);
    ui.talk(&format!("\n{}", page.into_text()));
}

/// The prompt ended without an answer.
fn ended(error: dialoguer::Error) -> Failure {
    // dialoguer hides the cursor while it selects and leaves it so on an error.
    let _ = console::Term::stderr().show_cursor();
    let dialoguer::Error::IO(error) = error;
    if error.kind() == std::io::ErrorKind::Interrupted {
        // The line of the prompt is still open.
        let _ = console::Term::stderr().write_line("");
        return stopped();
    }
    Failure::new(Exit::Usage, "terminal", format!("the terminal: {error}; nothing was changed"))
}

/// Ctrl-C before anything was changed.
pub(super) fn stopped() -> Failure {
    Failure::new(Exit::Interrupted, "interrupted", "Interrupted; nothing was changed")
}

/// Marks that can be told apart without colour.
fn theme(ui: &Ui) -> ColorfulTheme {
    let style =
        |s: Style| if ui.colour_err { s.force_styling(true) } else { Style::new().force_styling(false) };
    let mark = |s: Style, text: &str| style(s).apply_to(text.to_owned()).for_stderr();
    let new = || Style::new().for_stderr();
    ColorfulTheme {
        defaults_style: style(new().cyan()),
        prompt_style: style(new().bold()),
        prompt_prefix: mark(new().yellow(), "?"),
        prompt_suffix: mark(new(), ""),
        success_prefix: mark(new().green(), "?"),
        success_suffix: mark(new(), "->"),
        error_prefix: mark(new().red(), "x"),
        error_style: style(new().red()),
        hint_style: style(new()),
        values_style: style(new().green()),
        active_item_style: style(new().cyan()),
        inactive_item_style: style(new()),
        active_item_prefix: mark(new().cyan(), ">"),
        inactive_item_prefix: mark(new(), " "),
        checked_item_prefix: mark(new().green(), "x"),
        unchecked_item_prefix: mark(new(), " "),
        picked_item_prefix: mark(new(), ">"),
        unpicked_item_prefix: mark(new(), " "),
    }
}
