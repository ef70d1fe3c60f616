//! What went on during a run, over its time: throughput and temperature.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Throughput and temperature over the time of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Timeline {
    /// The parts of the run in their order: `fill`, then each job.
    pub phases: Vec<Phase>,
    /// When the drive's temperature was read, in seconds since the run began.
    pub temperature_seconds: Vec<f64>,
    /// What it was then, in degrees Celsius.
    pub temperature_celsius: Vec<f64>,
}

/// The throughput of one part.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Phase {
    /// `fill` or the name of the job.
    pub job: String,
    /// When it began, in seconds since the run began.
    pub began_seconds: f64,
    /// When each interval ended; one begins where the one before ended.
    pub seconds: Vec<f64>,
    /// Bytes a second in each interval.
    pub bytes_per_second: Vec<f64>,
}

impl Timeline {
    /// True when there is nothing to show: an interval or more is needed.
    pub fn is_empty(&self) -> bool {
        self.phases.iter().all(|p| p.seconds.is_empty())
    }

    /// Nothing in it that this program would not have written: the lists belong
    /// together, time goes forward, numbers are numbers.
    pub(super) fn is_sound(&self) -> bool {
        let forward = |times: &[f64]| times.is_sorted() && times.iter().all(|t| t.is_finite() && *t >= 0.0);
        let phase = |p: &Phase| {
            p.seconds.len() == p.bytes_per_second.len()
                && p.began_seconds >= 0.0
                && forward(&p.seconds)
                && p.seconds.first().is_none_or(|first| *first >= p.began_seconds)
                && p.bytes_per_second.iter().all(|r| r.is_finite() && *r >= 0.0)
        };
        self.phases.iter().all(phase)
            && self.temperature_seconds.len() == self.temperature_celsius.len()
            && forward(&self.temperature_seconds)
            && self.temperature_celsius.iter().all(|c| c.is_finite())
    }
}

/// The shortest interval: shorter ones are joined.
const EVERY: Duration = Duration::from_millis(250);

/// Writes one down while the run goes on.
pub(super) struct Recorder {
    began: Instant,
    /// Where the interval at work began, and the bytes of the pass by then.
    mark: (Duration, u64),
    /// The same of the interval before it in this pass.
    last: Option<(Duration, u64)>,
    timeline: Timeline,
}

impl Recorder {
    /// Begins now. What is in flight when a pass begins is counted when it is
    /// done, so a short pass is one interval.
    pub(super) fn new() -> Self {
        let timeline = Timeline::default();
        Self { began: Instant::now(), mark: (Duration::ZERO, 0), last: None, timeline }
    }

    /// A part begins.
    pub(super) fn phase(&mut self, job: &str) {
        let began_seconds = seconds(self.began.elapsed());
        self.timeline.phases.push(Phase { job: job.to_owned(), began_seconds, ..Phase::default() });
    }

    /// A pass begins: its bytes count from 0.
    pub(super) fn pass(&mut self) {
        self.mark = (self.began.elapsed(), 0);
        self.last = None;
    }

    /// So many bytes of the pass are done.
    pub(super) fn tick(&mut self, bytes: u64) {
        self.tick_at(self.began.elapsed(), bytes);
    }

    /// The pass is over, with so many bytes.
    pub(super) fn pass_ends(&mut self, bytes: u64) {
        self.end_at(self.began.elapsed(), bytes);
    }

    fn tick_at(&mut self, now: Duration, bytes: u64) {
        if now.saturating_sub(self.mark.0) >= EVERY {
            self.push(now, bytes);
        }
    }

    fn end_at(&mut self, now: Duration, bytes: u64) {
        if let (Some(last), true) = (self.last, now.saturating_sub(self.mark.0) < EVERY / 2) {
            // The rest is too short to stand alone: it joins the one before.
            self.mark = last;
            if let Some(phase) = self.timeline.phases.last_mut() {
                phase.seconds.pop();
                phase.bytes_per_second.pop();
            }
        }
        self.push(now, bytes);
    }

    fn push(&mut self, now: Duration, bytes: u64) {
        let (since, moved) = (now.saturating_sub(self.mark.0), bytes.saturating_sub(self.mark.1));
        if let (Some(phase), false) = (self.timeline.phases.last_mut(), since.is_zero()) {
            phase.seconds.push(seconds(now));
            phase.bytes_per_second.push((moved as f64 / since.as_secs_f64()).round());
        }
        self.last = Some(self.mark);
        self.mark = (now, bytes);
    }

    /// The drive's temperature, where there is one to read.
    pub(super) fn temperature(&mut self, celsius: Option<f64>) {
        if let Some(celsius) = celsius {
            self.timeline.temperature_seconds.push(seconds(self.began.elapsed()));
            self.timeline.temperature_celsius.push(celsius);
        }
    }

    /// What was written down.
    pub(super) fn into_timeline(self) -> Timeline {
        self.timeline
    }
}

/// To a millisecond.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_intervals_are_joined() {
        let ms = Duration::from_millis;
        let after = |ends: u64, bytes: u64| {
            let mut recorder = Recorder::new();
            recorder.phase("fill");
            recorder.mark = (ms(1_000), 0);
            for (at, bytes) in [(1_050, 50), (1_100, 100), (1_250, 500), (1_300, 550), (1_500, 1_000)] {
                recorder.tick_at(ms(at), bytes);
            }
            recorder.end_at(ms(ends), bytes);
            recorder.into_timeline()
        };
        // A rest of its own, and one that joins the interval before it.
        let timeline = after(1_700, 1_300);
        assert_eq!(timeline.phases[0].seconds, [1.25, 1.5, 1.7]);
        assert_eq!(timeline.phases[0].bytes_per_second, [2000.0, 2000.0, 1500.0]);
        let timeline = after(1_600, 1_300);
        assert_eq!(timeline.phases[0].seconds, [1.25, 1.6]);
        assert_eq!(timeline.phases[0].bytes_per_second, [2000.0, 2286.0]);
        assert!(timeline.is_sound() && !timeline.is_empty());
    }

    #[test]
    fn a_short_pass_is_one_interval() {
        let ms = Duration::from_millis;
        let mut recorder = Recorder::new();
        recorder.phase("a");
        for start in [100, 200] {
            (recorder.mark, recorder.last) = ((ms(start), 0), None);
            recorder.tick_at(ms(start + 50), 10);
            recorder.end_at(ms(start + 100), 100);
        }
        let timeline = recorder.into_timeline();
        assert_eq!(timeline.phases[0].seconds, [0.2, 0.3]);
        assert_eq!(timeline.phases[0].bytes_per_second, [1000.0, 1000.0]);
    }

    #[test]
    fn what_was_not_written_by_this_program_is_not_sound() {
        let good = Timeline {
            phases: vec![Phase {
                job: "fill".into(),
                began_seconds: 0.5,
                seconds: vec![1.0, 2.0],
                bytes_per_second: vec![5.0, 0.0],
            }],
            temperature_seconds: vec![0.0],
            temperature_celsius: vec![-3.0],
        };
        assert!(good.is_sound() && Timeline::default().is_sound() && Timeline::default().is_empty());
        let with = |change: &dyn Fn(&mut Timeline)| {
            let mut changed = good.clone();
            change(&mut changed);
            changed.is_sound()
        };
        assert!(!with(&|t| t.phases[0].seconds = vec![2.0, 1.0]));
        assert!(!with(&|t| t.phases[0].seconds = vec![0.1, 1.0]));
        assert!(!with(&|t| t.phases[0].bytes_per_second = vec![1.0]));
        assert!(!with(&|t| t.phases[0].bytes_per_second = vec![1.0, f64::NAN]));
        assert!(!with(&|t| t.phases[0].began_seconds = f64::NAN));
        assert!(!with(&|t| t.temperature_celsius = Vec::new()));
        assert!(!with(&|t| t.temperature_celsius = vec![f64::INFINITY]));
    }
}
