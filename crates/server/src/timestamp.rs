//! A time as ISO 8601 writes it. Pure.

use parlor_protocol::Timestamp;

const DAY_MS: i64 = 86_400_000;

/// UTC, to the second.
pub(crate) fn iso(at: Timestamp) -> String {
    let (days, rest) = (at.0.div_euclid(DAY_MS), at.0.rem_euclid(DAY_MS) / 1000);
    let (year, month, day) = date(days);
    let (hours, minutes, seconds) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}

/// UTC, to the millisecond.
pub(crate) fn iso_ms(at: Timestamp) -> String {
    let to_second = iso(at);
    format!("{}.{:03}Z", to_second.trim_end_matches('Z'), at.0.rem_euclid(1000))
}

/// The date so many days after 1970-01-01, by the Gregorian calendar. Years are counted from
/// March, so that a leap day is the last of its year.
fn date(days: i64) -> (i64, i64, i64) {
    const DAYS_OF_400_YEARS: i64 = 146_097;
    /// From 0000-03-01 to 1970-01-01.
    const TO_1970: i64 = 719_468;
    let days = days.saturating_add(TO_1970);
    let (era, day) = (days.div_euclid(DAYS_OF_400_YEARS), days.rem_euclid(DAYS_OF_400_YEARS));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next_year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_iso_8601() {
        for (ms, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59Z"),
            (1_794_772_800_800, "2026-11-15T20:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (4_102_444_800_000, "2100-01-01T00:00:00Z"),
        ] {
            assert_eq!(iso(Timestamp(ms)), expected);
        }
        assert_eq!(iso_ms(Timestamp(1_709_251_199_999)), "2024-02-29T23:59:59.999Z");
        // Whatever a server sends, nothing overflows.
        iso(Timestamp(i64::MAX));
        iso(Timestamp(i64::MIN));
    }
}
