//! Figures as Markdown, ready for `docs/benchmarks.md`, printed as they are measured.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what this is for"
)]

use std::fmt::Write as _;

/// Prints headings, facts and tables.
#[derive(Debug, Default)]
pub struct Report {
    /// Facts wait while a table is open.
    waiting: Vec<String>,
    in_table: bool,
}

impl Report {
    /// Begins a part.
    pub fn heading(&mut self, text: &str) {
        println!("\n## {text}\n");
        self.in_table = false;
    }

    /// One figure that is in no table.
    pub fn fact(&mut self, what: &str, value: &str) {
        let line = format!("* {what}: {value}");
        if self.in_table {
            self.waiting.push(line);
        } else {
            println!("{line}");
        }
    }

    /// For the person who waits; not part of the report.
    pub fn progress(&self, text: &str) {
        eprintln!("  {text}");
    }

    /// Begins a table.
    pub fn table(&mut self, columns: &[&str]) {
        println!(
            "\n| {} |\n|{}",
            columns.join(" | "),
            "---|".repeat(columns.len())
        );
        self.in_table = true;
    }

    /// One row of the table that was begun last.
    pub fn row(&mut self, cells: &[String]) {
        let mut line = String::from("|");
        for cell in cells {
            // Writing to a text cannot fail.
            let _ = write!(line, " {cell} |");
        }
        println!("{line}");
    }

    /// Ends the table, and says what waited for that.
    pub fn end_table(&mut self) {
        println!();
        self.in_table = false;
        for line in self.waiting.drain(..) {
            println!("{line}");
        }
    }
}
