//! Text for a person: wrapped at blanks to the width of the terminal, never
//! cut, with colour only as an addition to words.

use console::{Style, measure_text_width};

/// A blank at which no line is broken.
const TIE: char = '\u{a0}';

/// The text as one piece that stays on one line: a number and its unit.
pub(super) fn tied(text: &str) -> String {
    text.replace(' ', &TIE.to_string())
}

/// Parts that ` · ` separates: the dot stays at the end of a line, and short
/// parts stay whole.
pub(super) fn dotted(text: &str) -> String {
    const SHORT: usize = 26;
    let whole = |part: &str| if measure_text_width(part) <= SHORT { tied(part) } else { part.to_owned() };
    text.split(" · ").map(whole).collect::<Vec<_>>().join(&format!("{TIE}· "))
}

/// A page under construction.
#[derive(Debug, Clone)]
pub(super) struct Page {
    text: String,
    width: usize,
    colour: bool,
}

/// What a word says by its colour, when there is colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// Good.
    Good,
    /// Look at it.
    Warn,
    /// Bad.
    Bad,
    /// Stands out.
    Strong,
    /// Stands back.
    Dim,
}

impl Page {
    /// An empty page of that many columns.
    pub(super) fn new(width: usize, colour: bool) -> Self {
        Self { text: String::new(), width, colour }
    }

    /// `text` in a tone, or as it is without colour.
    pub(super) fn tone(&self, tone: Tone, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let style = Style::new().force_styling(true);
        let style = match tone {
            Tone::Good => style.green(),
            Tone::Warn => style.yellow(),
            Tone::Bad => style.red().bold(),
            Tone::Strong => style.bold(),
            Tone::Dim => style.dim(),
        };
        style.apply_to(text).to_string()
    }

    /// A paragraph; each line of `text` is wrapped by itself.
    pub(super) fn line(&mut self, text: &str) {
        self.hang("", 0, text);
    }

    /// `lead`, then `text` with every further line indented by `indent`
    /// columns; `lead` is padded to that.
    pub(super) fn hang(&mut self, lead: &str, indent: usize, text: &str) {
        let indent = indent.min(self.width / 2);
        let gap = indent.saturating_sub(measure_text_width(lead));
        self.text.push_str(lead);
        if text.is_empty() {
            self.end();
            return;
        }
        self.text.extend(std::iter::repeat_n(' ', gap));
        let mut column = measure_text_width(lead) + gap;
        for (number, line) in text.lines().enumerate() {
            if number > 0 {
                column = self.next_line(indent);
            }
            let mut first = true;
            for word in line.split(' ') {
                let wide = measure_text_width(word);
                let blank = usize::from(!first);
                if !first && column + blank + wide > self.width && column > indent {
                    column = self.next_line(indent);
                } else if !first {
                    self.text.push(' ');
                    column += 1;
                } else if column > indent && column + wide > self.width {
                    // The lead alone filled the line.
                    column = self.next_line(indent);
                }
                self.text.push_str(&word.replace(TIE, " "));
                column += wide;
                first = false;
            }
        }
        self.end();
    }

    /// An empty line; two never follow each other.
    pub(super) fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A line that must stay as it is (a diff, a command to copy).
    pub(super) fn exact(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Another page below this one.
    pub(super) fn append(&mut self, other: &Self) {
        self.text.push_str(&other.text);
    }

    /// How many lines it has.
    pub(super) fn lines(&self) -> usize {
        self.text.lines().count()
    }

    /// The text, without empty lines at its end.
    pub(super) fn into_text(mut self) -> String {
        while self.text.ends_with("\n\n") {
            self.text.pop();
        }
        self.text
    }

    fn next_line(&mut self, indent: usize) -> usize {
        while self.text.ends_with(' ') {
            self.text.pop();
        }
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', indent));
        indent
    }

    fn end(&mut self) {
        while self.text.ends_with(' ') {
            self.text.pop();
        }
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_blanks_and_hangs() {
        let mut page = Page::new(20, false);
        page.hang(" !", 4, "one two three four five six");
        page.hang("", 4, "/a/path/that/is/longer/than/that end");
        assert_eq!(
            page.into_text(),
            " !  one two three\n    four five six\n    /a/path/that/is/longer/than/that\n    end\n"
        );
    }

    #[test]
    fn a_long_lead_keeps_its_text() {
        let mut page = Page::new(20, false);
        page.hang("a lead of some width", 4, "word");
        assert_eq!(page.into_text(), "a lead of some width\n    word\n");
    }

    #[test]
    fn a_tied_piece_stays_whole() {
        let mut page = Page::new(20, false);
        page.line(&format!("one two three {}", tied("42 MB/s")));
        assert_eq!(page.into_text(), "one two three\n42 MB/s\n");
    }

    #[test]
    fn a_dot_ends_a_line_and_never_begins_one() {
        let mut page = Page::new(20, false);
        page.line(&dotted("a drive of 500 GB · 37 °C · a"));
        assert_eq!(page.into_text(), "a drive of 500 GB ·\n37 °C · a\n");
    }

    #[test]
    fn colour_takes_no_room() {
        let mut plain = Page::new(20, false);
        let mut tinted = Page::new(20, true);
        for page in [&mut plain, &mut tinted] {
            let word = page.tone(Tone::Bad, "three");
            page.line(&format!("one two {word} four five"));
        }
        assert_eq!(console::strip_ansi_codes(&tinted.into_text()), plain.into_text());
    }
}
