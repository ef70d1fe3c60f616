//! The report as text with tables, for an issue or a forum.

use super::Subject;
use super::tables::{self, Table};

/// In GitHub's Markdown.
pub(super) fn text(subject: &Subject) -> String {
    let mut text =
        format!("## {}\n\n{}\n\n", escape(&tables::headline(subject)), escape(&tables::about(subject)));
    table(&mut text, &tables::results(subject));
    for sentence in tables::sentences(subject) {
        text.push_str(&format!("- {}\n", escape(&sentence)));
    }
    for (title, rows) in [
        ("Latency", tables::latencies(subject)),
        ("Checks", tables::checks(subject)),
        ("Environment", tables::environment(subject)),
    ] {
        text.push_str(&format!("\n<details><summary>{title}</summary>\n\n"));
        table(&mut text, &rows);
        text.push_str("</details>\n");
    }
    text.push_str(&format!(
        "\nMedian of the passes of each job, measured by pi5-nvme {}. MB = 10^6 bytes.\n",
        escape(&subject.run.version)
    ));
    text
}

fn table(text: &mut String, table: &Table) {
    let mut line = |cells: &[String]| {
        let cells: Vec<_> = cells.iter().map(|c| escape(c)).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    };
    line(&table.head);
    line(&vec!["---".to_owned(); table.head.len()]);
    table.rows.iter().for_each(|row| line(row));
    text.push('\n');
}

/// Text that stays text: no mark-up, no end of a cell, one line.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' | '~' => {
                safe.push('\\');
                safe.push(c);
            }
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    #[test]
    fn text_stays_text() {
        assert_eq!(super::escape("a|b\n<i> *c* [d]"), r"a\|b &lt;i&gt; \*c\* \[d\]");
        assert_eq!(super::escape("---"), "---");
    }
}
