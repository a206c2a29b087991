//! When a day and a month begin: at midnight in the time zone of the tenant.
//!
//! A day begins when its date first does, so that days follow each other whatever happens to the
//! clocks: where they are set back across midnight, the hour that comes twice belongs to the later
//! day, and a midnight that does not exist is the moment to which the clocks jump.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use parlor_protocol::{Period, Timestamp};

/// A day without changes of clocks.
const DAY_MS: i64 = 86_400_000;

/// The days and months of a time zone.
#[derive(Debug, Clone, PartialEq)]
pub struct Calendar {
    zone: TimeZone,
}

impl Default for Calendar {
    fn default() -> Self {
        Self { zone: TimeZone::UTC }
    }
}

impl Calendar {
    /// That of a time zone, by its name. The names and rules are part of the program.
    pub fn of_zone(name: &str) -> Result<Self, String> {
        match TimeZone::get(name) {
            Ok(_) if name == "UTC" => Ok(Self::default()),
            Ok(zone) => Ok(Self { zone }),
            Err(_) => Err(format!(
                "there is no time zone '{name}'; use a name such as \"Europe/Lisbon\", \
                 \"America/Sao_Paulo\" or \"UTC\""
            )),
        }
    }

    /// The name of the zone.
    pub fn zone(&self) -> &str {
        self.zone.iana_name().unwrap_or("UTC")
    }

    /// The name of the day or the month of a moment: `2026-11-19` or `2026-11`. Names sort as the
    /// periods follow each other.
    pub fn name(&self, period: Period, at: Timestamp) -> String {
        let day = self.day(at);
        match period {
            Period::Day => day.to_string(),
            Period::Month => format!("{:04}-{:02}", day.year(), day.month()),
        }
    }

    /// When the next day or month begins: later than `at`.
    pub fn ends_at(&self, period: Period, at: Timestamp) -> Timestamp {
        let day = self.day(at);
        let next = match period {
            Period::Day => day.tomorrow(),
            Period::Month => day.last_of_month().tomorrow(),
        };
        // The calendar ends with the year 9999.
        let next = next.ok().and_then(|next| self.start(next));
        next.unwrap_or(Timestamp(at.0.saturating_add(DAY_MS)))
    }

    /// A moment of the period that is so many before that of `at`.
    pub fn back(&self, period: Period, at: Timestamp, periods: u32) -> Timestamp {
        // One after the other: there are days that a zone left out.
        (0..periods).fold(at, |at, _| Timestamp(self.began_at(period, at).0 - 1))
    }

    fn began_at(&self, period: Period, at: Timestamp) -> Timestamp {
        let day = self.day(at);
        let first = match period {
            Period::Day => day,
            Period::Month => day.first_of_month(),
        };
        self.start(first).unwrap_or(at)
    }

    /// A moment as people read it there.
    pub fn written(&self, at: Timestamp) -> String {
        let local = timestamp(at).to_zoned(self.zone.clone());
        format!("{} at {:02}:{:02} ({})", local.date(), local.hour(), local.minute(), self.zone())
    }

    fn day(&self, at: Timestamp) -> Date {
        let date = timestamp(at).to_zoned(self.zone.clone()).date();
        let tomorrow = date.tomorrow().ok();
        let has_begun = |day: &Date| self.start(*day).is_some_and(|start| start <= at);
        tomorrow.filter(has_begun).unwrap_or(date)
    }

    /// When a day begins: at the first of two midnights, or after a gap that has it.
    fn start(&self, day: Date) -> Option<Timestamp> {
        let start = day.to_zoned(self.zone.clone()).ok()?;
        Some(Timestamp(start.timestamp().as_millisecond()))
    }
}

fn timestamp(at: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(moment: &str) -> Timestamp {
        Timestamp(moment.parse::<jiff::Timestamp>().unwrap().as_millisecond())
    }

    fn calendar(zone: &str) -> Calendar {
        Calendar::of_zone(zone).unwrap()
    }

    /// Y-3: a day ends at the midnight of the tenant, also if it has 23 or 25 hours.
    #[test]
    fn a_day_ends_at_midnight_where_the_tenant_is() {
        for (zone, moment, name, end) in [
            ("UTC", "2026-11-19T23:59:59Z", "2026-11-19", "2026-11-20T00:00:00Z"),
            ("America/Sao_Paulo", "2026-11-20T02:59:59Z", "2026-11-19", "2026-11-20T03:00:00Z"),
            ("Pacific/Auckland", "2026-11-19T11:00:00Z", "2026-11-20", "2026-11-20T11:00:00Z"),
            // Summer time begins: 23 hours. It ends: 25.
            ("Europe/Lisbon", "2026-03-29T00:00:00Z", "2026-03-29", "2026-03-29T23:00:00Z"),
            ("Europe/Lisbon", "2026-10-24T23:00:00Z", "2026-10-25", "2026-10-26T00:00:00Z"),
            // A midnight that does not exist.
            ("America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-03", "2018-11-04T03:00:00Z"),
            // A day that does not exist.
            ("Pacific/Apia", "2011-12-30T09:59:00Z", "2011-12-29", "2011-12-30T10:00:00Z"),
            // 23:01 to 00:00 comes twice, and so does the beginning of midnight's minute.
            ("America/St_Johns", "2010-11-07T02:29:59Z", "2010-11-06", "2010-11-07T02:30:00Z"),
            ("America/St_Johns", "2010-11-07T02:45:00Z", "2010-11-07", "2010-11-08T03:30:00Z"),
        ] {
            let calendar = calendar(zone);
            let found =
                (calendar.name(Period::Day, at(moment)), calendar.ends_at(Period::Day, at(moment)));
            assert_eq!(found, (name.to_owned(), at(end)), "{zone} {moment}");
        }
        let month = calendar("Europe/Lisbon");
        let moment = at("2026-03-29T00:00:00Z");
        assert_eq!(month.name(Period::Month, moment), "2026-03");
        assert_eq!(month.ends_at(Period::Month, moment), at("2026-03-31T23:00:00Z"));
        assert_eq!(month.written(moment), "2026-03-29 at 00:00 (Europe/Lisbon)");
    }

    #[test]
    fn a_zone_that_is_none_is_an_error() {
        for name in ["", "Lisbon", "+01:00", "../etc/passwd", "Europe/Lisbon "] {
            let why = Calendar::of_zone(name).unwrap_err();
            assert!(why.contains("Europe/Lisbon"), "{name}: {why}");
        }
    }

    fn zones() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "UTC", "Europe/Lisbon", "America/Sao_Paulo", "America/New_York", "Australia/Lord_Howe",
            "Pacific/Apia", "Asia/Kathmandu", "Atlantic/Azores", "America/Havana",
            "America/St_Johns", "Africa/Casablanca", "Asia/Beirut", "America/Scoresbysund",
        ])
    }

    proptest! {
        /// Y-3: whatever the clocks do, periods follow each other without a gap: each moment is in
        /// one, the next one begins when it ends, and names sort as periods do.
        #[test]
        fn periods_follow_each_other(
            zone in zones(),
            // 1985 to 2050.
            ms in 473_385_600_000_i64..2_524_608_000_000,
            day in any::<bool>(),
        ) {
            let (calendar, at) = (calendar(zone), Timestamp(ms));
            let period = if day { Period::Day } else { Period::Month };
            let (name, end) = (calendar.name(period, at), calendar.ends_at(period, at));
            prop_assert!(end > at);
            let longest = if day { 2 * DAY_MS } else { 32 * DAY_MS };
            prop_assert!(end.0 - at.0 <= longest);
            let last = Timestamp(end.0 - 1);
            prop_assert_eq!(calendar.name(period, last), name.clone());
            prop_assert_eq!(calendar.ends_at(period, last), end);
            prop_assert!(calendar.name(period, end) > name);
            let before = calendar.back(period, end, 1);
            prop_assert_eq!(calendar.ends_at(period, before), end);
            prop_assert_eq!(calendar.name(period, calendar.back(period, at, 0)), name);
        }
    }
}
