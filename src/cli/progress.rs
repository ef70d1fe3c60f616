//! The progress bar of a measurement: on a terminal only, and gone when it is
//! over.

use super::show::words::job;
use super::ui::Ui;
use crate::bench::Progress;
use crate::terms::rate;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Steps that a part of a run is drawn in.
const STEPS: f64 = 100.0;

/// A bar on stderr, or nothing where stderr is no terminal.
pub(super) struct Bar {
    bar: ProgressBar,
    title: String,
}

impl Bar {
    pub(super) fn new(ui: &Ui) -> Self {
        let target =
            if ui.json || ui.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(STEPS as u64), target);
        let template = if ui.width < 60 { "{msg}\n[{bar:30}]" } else { "{msg:40} [{bar:30}]" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, title: String::new() }
    }

    pub(super) fn progress(&mut self, progress: Progress) {
        match progress {
            Progress::Phase { job: name, index, of } => {
                self.title = format!("{}/{of} {}", index + 1, job(name));
                self.bar.set_position(0);
                self.bar.set_message(self.title.clone());
            }
            Progress::Tick { done, rate: speed } => {
                // Before the first transfer there is no rate.
                if speed > 0.0 {
                    self.bar.set_message(format!("{} {}", self.title, rate(speed)));
                }
                self.bar.set_position((done * STEPS) as u64);
            }
        }
    }

    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
