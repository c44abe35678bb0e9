//! Moments, to the millisecond.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// A moment in UTC, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Milliseconds because that is what both databases, JSON clients and the reference's
/// timestamps can hold without rounding. On the wire: `2026-11-29T19:28:54.123Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z: what RFC 3339 can write.
const RANGE: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

/// Why a text or a number is not a [`Timestamp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a time: expected RFC 3339 in UTC between the years 0 and 9999, like 2026-11-29T19:28:54.123Z"
)]
pub struct NotATime;

impl Timestamp {
    /// From milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// [`NotATime`] outside the years 0 to 9999.
    pub fn from_millis(millis: i64) -> Result<Self, NotATime> {
        RANGE
            .contains(&millis)
            .then_some(Self(millis))
            .ok_or(NotATime)
    }

    /// Milliseconds since the Unix epoch.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// From a calendar time; what is finer than a millisecond is cut off.
    ///
    /// # Errors
    /// [`NotATime`] outside the years 0 to 9999.
    pub fn from_datetime(datetime: OffsetDateTime) -> Result<Self, NotATime> {
        let millis = datetime.unix_timestamp_nanos().div_euclid(1_000_000);
        i64::try_from(millis)
            .map_err(|_| NotATime)
            .and_then(Self::from_millis)
    }

    /// As a calendar time in UTC.
    #[must_use]
    pub fn to_datetime(self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH) // unreachable: RANGE lies inside what the type holds
    }

    /// Reads RFC 3339; an offset is converted to UTC.
    ///
    /// # Errors
    /// [`NotATime`] when it is anything else.
    pub fn parse(text: &str) -> Result<Self, NotATime> {
        OffsetDateTime::parse(text, &Rfc3339)
            .map_err(|_| NotATime)
            .and_then(Self::from_datetime)
    }

    /// This moment plus `millis`, kept inside the range that can be written.
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Self {
        Self(
            self.0
                .saturating_add(millis)
                .clamp(*RANGE.start(), *RANGE.end()),
        )
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = self.to_datetime();
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            t.year(),
            u8::from(t.month()),
            t.day(),
            t.hour(),
            t.minute(),
            t.second(),
            t.millisecond()
        )
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time", "description": "RFC 3339 in UTC, to the millisecond"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_the_reference_does_and_reads_itself_back() {
        let t = Timestamp::from_millis(1_796_000_000_007).unwrap();
        assert_eq!(t.to_string(), "2026-11-30T00:53:20.007Z");
        assert_eq!(Timestamp::parse(&t.to_string()), Ok(t));
    }

    #[test]
    fn sub_millisecond_digits_are_cut_also_before_the_epoch() {
        assert_eq!(
            Timestamp::parse("1970-01-01T00:00:00.0019Z")
                .unwrap()
                .as_millis(),
            1
        );
        assert_eq!(
            Timestamp::parse("1969-12-31T23:59:59.9999Z")
                .unwrap()
                .as_millis(),
            -1
        );
    }

    #[test]
    fn years_that_cannot_be_written_are_refused() {
        assert_eq!(Timestamp::from_millis(i64::MAX), Err(NotATime));
        assert_eq!(Timestamp::from_millis(253_402_300_800_000), Err(NotATime));
    }
}
