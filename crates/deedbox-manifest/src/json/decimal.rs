//! Decimal numbers of any length, and the IEEE 754 double nearest to each.
//!
//! The standard library parses correctly, but where a number has many digits and lies close to the middle between
//! two doubles it takes time far out of proportion to the text: tens of microseconds for thirty bytes, which a
//! hostile document repeats. So it is asked about up to 19 digits only, where it is always quick; and a
//! longer number that these do not decide is compared with the middle exactly.

use std::cmp::Ordering;

use smallvec::SmallVec;

/// How many digits always fit into 64 bits.
const HEAD: usize = 19;
/// No middle between two doubles has as many significant digits (767 is the most).
const ENOUGH: usize = 800;

/// A number's absolute value in decimal: the digits without zeros at either end, the first of them worth `10^exponent`.
pub(super) struct Decimal<'t> {
    /// The digits, and perhaps a decimal point among them.
    digits: &'t [u8],
    /// How many digits those are.
    pub(super) count: usize,
    exponent: i64,
    layout: Layout,
}

/// How a number is written.
enum Layout {
    /// With digits and perhaps a point, none of them needless.
    Plain,
    /// With one digit before the point, and an exponent with its sign; nothing in it needless.
    Scientific,
    Other,
}

impl<'t> Decimal<'t> {
    /// Of a text that is a number in JSON or in ECMAScript.
    pub(super) fn read(text: &'t str) -> Self {
        let text = text.as_bytes();
        let text = text.strip_prefix(b"-").unwrap_or(text);
        let end = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let (mantissa, power) = text.split_at(end.unwrap_or(text.len()));
        let is_digit = |byte: &u8| matches!(byte, b'1'..=b'9');
        let first = mantissa.iter().position(is_digit);
        let last = mantissa.iter().rposition(is_digit);
        let (Some(first), Some(last)) = (first, last) else {
            return Self {
                digits: &[],
                count: 0,
                exponent: 0,
                layout: Layout::Other,
            };
        };
        let point = mantissa.iter().position(|&byte| byte == b'.');
        let whole = point.unwrap_or(mantissa.len());
        let worth = if first < whole {
            signed(whole - first) - 1
        } else {
            -signed(first - whole)
        };
        let has_needless_zeros = point.is_some() && last + 1 < mantissa.len();
        let layout = match power {
            _ if has_needless_zeros => Layout::Other,
            [] => Layout::Plain,
            [b'e', b'+' | b'-', b'1'..=b'9', ..] if first == 0 && whole == 1 => Layout::Scientific,
            _ => Layout::Other,
        };
        Self {
            digits: &mantissa[first..=last],
            count: last + 1 - first - usize::from((first..last).contains(&whole)),
            exponent: worth.saturating_add(exponent(power)),
            layout,
        }
    }

    /// Whether ECMAScript, printing a number with these digits, prints it as it is written here.
    pub(super) fn is_as_ecmascript_prints(&self) -> bool {
        let wants_exponent = !(-6..21).contains(&self.exponent);
        match self.layout {
            Layout::Plain => !wants_exponent,
            Layout::Scientific => wants_exponent,
            Layout::Other => false,
        }
    }

    pub(super) fn equals(&self, other: &Decimal<'_>) -> bool {
        self.exponent == other.exponent
            && self.count == other.count
            && self.digits().eq(other.digits())
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        let digits = self.digits.iter().filter(|&&byte| byte != b'.');
        digits.map(|byte| byte - b'0')
    }

    /// Whether [`nearest`](Self::nearest) should be asked, and not the standard library.
    pub(super) const fn is_long(&self) -> bool {
        self.count > HEAD
    }

    /// The nearest double, of two that are equally near the even one; infinity where all finite ones are too small.
    pub(super) fn nearest(&self) -> f64 {
        let head = self
            .digits()
            .take(HEAD)
            .fold(0, |n, digit| n * 10 + u64::from(digit));
        let digits = signed(self.count.min(HEAD));
        // Beyond these bounds, which no double comes near, it is infinity and zero anyway.
        let power = (self.exponent - (digits - 1)).clamp(-9999, 9999);
        let scaled = |head: u64| {
            let mut room = [0; HEAD + 7];
            let text = std::str::from_utf8(write_scientific(head, power, &mut room));
            let number = text.ok().and_then(|text| text.parse().ok());
            number.unwrap_or(f64::INFINITY)
        };
        let low: f64 = scaled(head);
        if self.count <= HEAD {
            return low;
        }
        // The number is between these two. They are equal, or neighbours: 19 digits tell more doubles apart than
        // there are.
        let high: f64 = scaled(head + 1);
        if low.to_bits() == high.to_bits() {
            return low;
        }
        match self.compare_with_middle_above(low) {
            Ordering::Less => low,
            Ordering::Equal if low.to_bits() & 1 == 0 => low,
            _ => high,
        }
    }

    /// Compares with the middle between `low` and the double above it.
    fn compare_with_middle_above(&self, low: f64) -> Ordering {
        // `low` is `mantissa * 2^binary`, and the middle half a step more.
        let bits = low.to_bits();
        let (fraction, scale) = (bits & ((1 << 52) - 1), signed_bits(bits >> 52));
        let mantissa = if scale == 0 {
            fraction
        } else {
            fraction | 1 << 52
        };
        let binary = scale.max(1) - 1075;
        let mut middle = Big::from(2 * mantissa + 1);
        let binary = binary - 1;

        // The digits, as many as matter, are a whole number times `10^decimal`.
        let count = self.count.min(ENOUGH);
        let mut number = Big::from(0);
        let mut digits = self.digits().take(count);
        let mut left = count;
        while left > 0 {
            let now = left.min(HEAD);
            let chunk = digits
                .by_ref()
                .take(now)
                .fold(0, |n, digit| n * 10 + u64::from(digit));
            number.multiply_and_add(10_u64.pow(u32::try_from(now).unwrap_or(0)), chunk);
            left -= now;
        }
        let decimal = self.exponent - (signed(count) - 1);

        // 10 is 5 * 2: both sides become whole numbers with the fives here and the twos there.
        number.multiply_by_5_to_the(decimal.max(0));
        middle.multiply_by_5_to_the((-decimal).max(0));
        number.multiply_by_2_to_the((decimal - binary).max(0));
        middle.multiply_by_2_to_the((binary - decimal).max(0));
        match number.compare(&middle) {
            // There are more digits, and the last one is not 0.
            Ordering::Equal if count < self.count => Ordering::Greater,
            ordering => ordering,
        }
    }
}

/// Writes `{head}e{power}` at the end of `room`, which has place for twenty digits, an `e`, a sign and four digits. Much
/// quicker than `format!`, and a hostile document has it done for each number.
fn write_scientific(head: u64, power: i64, room: &mut [u8; HEAD + 7]) -> &[u8] {
    let mut at = room.len();
    let mut put = |byte| {
        at -= 1;
        room[at] = byte;
    };
    let digits = |mut number: u64, put: &mut dyn FnMut(u8)| {
        loop {
            put(b"0123456789"[usize::try_from(number % 10).unwrap_or(0)]);
            number /= 10;
            if number == 0 {
                break;
            }
        }
    };
    digits(power.unsigned_abs(), &mut put);
    if power < 0 {
        put(b'-');
    }
    put(b'e');
    digits(head, &mut put);
    &room[at..]
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn signed_bits(bits: u64) -> i64 {
    i64::try_from(bits).unwrap_or(i64::MAX)
}

/// What `e` and the digits behind it say, or 0 if there is nothing. Far beyond what matters it stops growing.
fn exponent(text: &[u8]) -> i64 {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
    let size = digits.fold(0_i64, |n, digit| {
        (n * 10 + i64::from(digit - b'0')).min(1 << 40)
    });
    if text.get(1) == Some(&b'-') {
        -size
    } else {
        size
    }
}

/// A whole number without a largest one; the lowest 64 bits first, no zeros at the end. Those that numbers of thirty
/// digits need are kept off the heap.
struct Big(SmallVec<[u64; 24]>);

impl Big {
    fn from(number: u64) -> Self {
        Self((number > 0).then_some(number).into_iter().collect())
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the two halves of 128 bits"
    )]
    fn multiply_and_add(&mut self, factor: u64, addend: u64) {
        let mut carry = u128::from(addend);
        for limb in &mut self.0 {
            carry += u128::from(*limb) * u128::from(factor);
            *limb = carry as u64;
            carry >>= 64;
        }
        self.0.extend((carry > 0).then_some(carry as u64));
    }

    fn multiply_by_5_to_the(&mut self, power: i64) {
        /// The most fives whose product fits into 64 bits.
        const MOST: i64 = 27;
        for _ in 0..power / MOST {
            self.multiply_and_add(5_u64.pow(27), 0);
        }
        self.multiply_and_add(5_u64.pow(u32::try_from(power % MOST).unwrap_or(0)), 0);
    }

    fn multiply_by_2_to_the(&mut self, power: i64) {
        self.multiply_and_add(1 << (power % 64), 0);
        let zeros = usize::try_from(power / 64).unwrap_or(0);
        self.0.insert_many(0, std::iter::repeat_n(0, zeros));
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_length = self.0.len().cmp(&other.0.len());
        by_length.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The middle above a double, in all its digits, each side of it by a digit far behind, and shortened.
    fn around_the_middle(low: f64) -> Vec<String> {
        // Twice the middle's mantissa fits into no double, so its digits are those of the sum of two halves; in
        // decimal that is exact: the sum of the two neighbours, halved, is the middle.
        let (a, b) = (digits_of(low), digits_of(low.next_up()));
        let mut sum: Vec<u8> = Vec::new();
        let mut carry = 0;
        for (a, b) in a.iter().zip(&b).rev() {
            let digit = a + b + carry;
            sum.push(digit % 10);
            carry = digit / 10;
        }
        sum.push(carry);
        sum.reverse();
        let mut halved = String::new();
        let mut rest = 0;
        for digit in sum.into_iter().chain([0]) {
            let digit = rest * 10 + digit;
            halved.push(char::from(b'0' + digit / 2));
            rest = digit % 2;
        }
        let point = halved.len() - FRACTION - 1;
        let (whole, fraction) = halved.split_at(point);
        let whole = match whole.trim_start_matches('0') {
            "" => "0",
            whole => whole,
        };
        let exact = format!("{whole}.{fraction}");
        let mut texts = vec![
            exact.clone(),
            format!("{exact}1"),
            format!("{exact}{}1", "0".repeat(900)),
        ];
        // A little less: the last digit that is not 0 becomes one less, with nines behind.
        if let Some(last) = exact.rfind(|c| matches!(c, '1'..='9')) {
            let (start, end) = exact.split_at(last);
            let digit = char::from(end.as_bytes()[0] - 1);
            texts.push(format!("{start}{digit}{}", "9".repeat(40)));
            texts.push(format!("{start}{digit}{}", "9".repeat(900)));
        }
        let first = exact.find(|c| matches!(c, '1'..='9')).unwrap_or(0);
        for len in [18, 19, 20, 21, 25, 40, 300] {
            let cut = (first + len).min(exact.len());
            let cut = if cut <= whole.len() { exact.len() } else { cut };
            texts.push(exact[..cut].to_owned());
        }
        texts
    }

    /// Digits behind the point that are enough for every double.
    const FRACTION: usize = 1080;

    /// All digits of a double, 310 before the point and `FRACTION` behind it.
    fn digits_of(number: f64) -> Vec<u8> {
        let text = format!("{number:.FRACTION$}");
        let digits = text
            .bytes()
            .filter(|&byte| byte != b'.')
            .map(|byte| byte - b'0');
        let digits: Vec<u8> = digits.collect();
        let mut padded = vec![0; 310 + FRACTION - digits.len()];
        padded.extend(digits);
        padded
    }

    fn check(text: &str) {
        let theirs: f64 = text.parse().expect("a number");
        assert_eq!(
            Decimal::read(text).nearest().to_bits(),
            theirs.to_bits(),
            "{text}"
        );
    }

    #[test]
    fn the_nearest_double_is_found_at_the_ends_of_their_range() {
        for low in [
            0.0,
            5e-324,
            f64::MIN_POSITIVE.next_down(),
            f64::MIN_POSITIVE,
            1.0,
            f64::MAX.next_down(),
        ] {
            for text in around_the_middle(low) {
                check(&text);
            }
        }
        let beyond = "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880";
        for text in [
            format!("{beyond}.0000000001"),
            format!("{}.99999999999", &beyond[..beyond.len() - 1]),
            beyond.to_owned(),
            format!("{}1", "0.".to_owned() + &"0".repeat(400)),
            "9".repeat(309),
            format!("1{}", "0".repeat(308)),
            format!("123456789012345678901234567890e-{}", 10_u64.pow(15)),
            format!("0.{}123456789012345678901234567890e1000", "0".repeat(1000)),
        ] {
            check(&text);
        }
    }

    proptest! {
        #[test]
        fn the_nearest_double_is_found_around_every_middle(bits in 0..f64::MAX.to_bits()) {
            for text in around_the_middle(f64::from_bits(bits)) {
                check(&text);
            }
        }

        #[test]
        fn the_nearest_double_to_any_number_is_what_the_standard_library_says(
            text in "[1-9][0-9]{0,60}(\\.[0-9]{1,60})?(e[+-]?[0-9]{1,3})?"
        ) {
            check(&text);
        }
    }
}
