//! Numbers that would not survive being read.
//!
//! A JSON number may have any number of digits; what is read of it is a 64-bit
//! integer or a 64-bit float. One that is neither would be rounded, and a person
//! would approve, and a tool would get, another number than the model wrote. So
//! such arguments are not taken at all.
//!
//! `serde_json` can keep numbers as text (`arbitrary_precision`), but for the whole
//! program: numbers then no longer go through untagged and flattened types, which
//! the MCP library reads its messages with.

/// Whether every number of a JSON text is read as the number that it is.
pub(crate) fn is_exact(json: &str) -> bool {
    let (mut rest, mut in_string) = (json.as_bytes(), false);
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b'\\' if in_string => rest = after.get(1..).unwrap_or_default(),
            b'"' => {
                in_string = !in_string;
                rest = after;
            }
            b'-' | b'0'..=b'9' if !in_string => {
                let length = rest.iter().take_while(|byte| is_of_number(**byte)).count();
                let (number, after) = rest.split_at(length);
                if !survives(number) {
                    return false;
                }
                rest = after;
            }
            _ => rest = after,
        }
    }
    true
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E')
}

/// Whether a number is written again with the same value.
fn survives(number: &[u8]) -> bool {
    let Ok(written) = std::str::from_utf8(number) else { return false };
    let Ok(read) = serde_json::from_str::<serde_json::Number>(written) else { return false };
    Decimal::of(written).is_some_and(|value| Decimal::of(&read.to_string()) == Some(value))
}

/// The value of a decimal number: its digits without zeros at either end, times a
/// power of ten.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    power: i64,
}

impl Decimal {
    /// `None` if the power is beyond all measure.
    fn of(number: &str) -> Option<Self> {
        let (negative, number) = match number.strip_prefix('-') {
            Some(number) => (true, number),
            None => (false, number),
        };
        let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let zeros = i64::try_from(all.len() - digits.len()).ok()?;
        let places = i64::try_from(fraction.len()).ok()?;
        let power = power.parse::<i64>().ok()?.checked_add(zeros)?.checked_sub(places)?;
        let digits = digits.trim_start_matches('0').to_owned();
        let is_zero = digits.is_empty();
        Some(Self {
            negative: negative && !is_zero,
            digits,
            power: if is_zero { 0 } else { power },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S-5: what a person approves is the number that the model wrote.
    #[test]
    fn only_numbers_that_survive_are_exact() {
        for exact in [
            "{}",
            "[0, -0, 1, -1.50, 1e3, 1E+2, 0.1, 12.34e-5]",
            "18446744073709551615",
            "-9223372036854775808",
            "9007199254740993",
            "3.141592653589793",
            "100000000000000000000",
            "1e300",
            r#"{"123456789012345678901": "98765432109876543210 \" 1.00000000000000000001"}"#,
        ] {
            assert!(is_exact(exact), "{exact}");
        }
        for rounded in [
            "123456789012345678901", "-18446744073709551617", "3.14159265358979323846",
            "[1, {\"a\": 0.10000000000000000001}]", "9007199254740993.5", "1e99999999999999999999",
        ] {
            assert!(!is_exact(rounded), "{rounded}");
        }
    }
}
