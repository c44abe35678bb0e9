//! Numbers that count nothing: of an item, a note, a row, a date.

use super::{Around, is_sign, is_word};
use crate::conclusion::{
    decimal::Decimal,
    scan::{Is, Token},
};

impl Around<'_> {
    /// From where to where the number of an item, of a note, or in a row is written: `1.` before a line, `[1]`, `#1`, `1st`.
    pub(super) fn label(&self, value: Option<&Decimal>) -> Option<(usize, usize)> {
        let (start, end) = self.token.ends();
        let small = value
            .and_then(Decimal::to_u64)
            .is_some_and(|value| value < 100 && self.token.text.len() <= 2);
        let begins = self.before[0].is_none_or(|token| token.is == Is::Sign('\n'));
        let item = begins
            && is_sign(self.behind[0], ".)")
            && self.behind[1].is_some_and(|token| token.start > self.token.end() + 1);
        let note = is_sign(self.before[0], "[") && is_sign(self.behind[0], "]");
        let few = self.token.text.len() <= 4 && self.token.text.bytes().all(|b| b.is_ascii_digit());
        let numbered = few
            && is_sign(self.before[0], "#")
            && self.before[0].is_some_and(|sign| sign.end() == start)
            && !is_word(self.before[1], &["block", "height"]);
        let ordinal = few
            && self.behind[0].is_some_and(|next| {
                self.is_glued(next) && is_word(Some(next), &["st", "nd", "rd", "th"])
            });
        let before = self.before[0].map_or(start, |token| token.start);
        let behind = self.behind[0].map_or(end, Token::end);
        if small && note {
            Some((before, behind))
        } else if (small && item) || ordinal {
            Some((start, behind))
        } else {
            numbered.then_some((before, end))
        }
    }

    /// The day or the year beside a month's name, or a year as in "in 2026".
    pub(super) fn is_of_a_date(&self, value: Option<&Decimal>, follows_day: bool) -> bool {
        const MONTHS: [&str; 23] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
            "Jan",
            "Feb",
            "Mar",
            "Apr",
            "Jun",
            "Jul",
            "Aug",
            "Sep",
            "Oct",
            "Nov",
            "Dec",
        ];
        let Some(value) = value.and_then(Decimal::to_u64) else {
            return false;
        };
        let month = |token: Option<&Token<'_>>| token.is_some_and(|t| MONTHS.contains(&t.text));
        let plain = self.token.text.bytes().all(|b| b.is_ascii_digit());
        let year = (1900..=2100).contains(&value) && self.token.text.len() == 4;
        // "In 2026 USDC" is an amount after all: what counts tokens is often in capitals.
        let named = is_word(self.before[0], &["in", "since", "during", "year"])
            && !self.behind[0].is_some_and(|next| {
                next.is == Is::Word && next.text.chars().take(2).all(char::is_uppercase)
            });
        let beside = month(self.before[0]) || (month(self.behind[0]) && value <= 31);
        plain
            && ((beside && (year || (1..=31).contains(&value)))
                || (year && (named || (follows_day && is_sign(self.before[0], ",")))))
    }
}
