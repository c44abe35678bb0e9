//! Figures beside those that are to be reached.
#![expect(clippy::print_stdout, reason = "printing figures is what this is for")]

/// One table.
#[derive(Debug)]
pub(crate) struct Table {
    title: &'static str,
    /// Whose figures stand beside ours.
    others: &'static [&'static str],
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    what: String,
    gas: u64,
    others: Vec<u64>,
    /// The most that it may cost.
    most: Option<u64>,
}

impl Table {
    pub(crate) fn new(title: &'static str, others: &'static [&'static str]) -> Self {
        Self {
            title,
            others,
            rows: vec![],
        }
    }

    /// An operation that nobody else's figure is known for.
    pub(crate) fn alone(&mut self, what: impl Into<String>, gas: u64) {
        self.push(what.into(), gas, &[], None);
    }

    /// An operation that must cost less than each of `others`.
    pub(crate) fn below(&mut self, what: impl Into<String>, gas: u64, others: &[u64]) {
        let most = others.iter().min().map(|least| least.saturating_sub(1));
        self.push(what.into(), gas, others, most);
    }

    /// An operation that must cost at most `most`.
    pub(crate) fn at_most(&mut self, what: impl Into<String>, gas: u64, others: &[u64], most: u64) {
        self.push(what.into(), gas, others, Some(most));
    }

    fn push(&mut self, what: String, gas: u64, others: &[u64], most: Option<u64>) {
        let others = others.to_vec();
        self.rows.push(Row {
            what,
            gas,
            others,
            most,
        });
    }

    /// Prints it as Markdown, and returns how many operations cost more than they may.
    pub(crate) fn print(&self) -> usize {
        println!("\n### {}\n", self.title);
        let others: String = self
            .others
            .iter()
            .map(|name| format!(" {name} |"))
            .collect();
        println!("| operation | gas |{others} at most | reached |");
        println!("|---|---|{}---|---|", "---|".repeat(self.others.len()));
        for row in &self.rows {
            let cell = |figure: Option<&u64>| figure.map_or("–".to_owned(), u64::to_string);
            let others: String = (0..self.others.len())
                .map(|index| format!(" {} |", cell(row.others.get(index))))
                .collect();
            let reached = match row.most {
                None => "–",
                Some(most) if row.gas <= most => "✓",
                Some(_) => "✗",
            };
            let most = cell(row.most.as_ref());
            println!(
                "| {} | {} |{others} {most} | {reached} |",
                row.what, row.gas
            );
        }
        let above = |row: &&Row| row.most.is_some_and(|most| row.gas > most);
        self.rows.iter().filter(above).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_as_the_cheapest_of_the_others_is_too_much() {
        let mut table = Table::new("Test", &["one", "other"]);
        table.below("less", 9, &[10, 20]);
        table.below("the same", 10, &[10, 20]);
        table.at_most("the same", 10, &[10, 20], 10);
        table.alone("alone", 1_000);
        assert_eq!(table.print(), 1);
    }
}
