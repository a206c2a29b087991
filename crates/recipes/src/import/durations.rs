//! How long something takes: "PT1H30M" of ISO 8601, and "1 h 30 min" of people.

/// Whole minutes of a duration of ISO 8601; seconds are rounded up.
pub(super) fn iso_minutes(text: &str) -> Option<u32> {
    let text = text.trim().to_ascii_uppercase();
    let (date, time) = text.strip_prefix('P')?.split_once('T').unwrap_or((&text[1..], ""));
    let days = sum(date, &[('D', 24.0 * 60.0), ('W', 7.0 * 24.0 * 60.0), ('M', 0.0), ('Y', 0.0)])?;
    let hours = sum(time, &[('H', 60.0), ('M', 1.0), ('S', 1.0 / 60.0)])?;
    whole(days + hours)
}

/// The sum of numbers, each followed by the letter of its unit.
fn sum(text: &str, units: &[(char, f64)]) -> Option<f64> {
    let mut all = 0.0;
    let mut number = String::new();
    for sign in text.chars() {
        if let Some((_, minutes)) = units.iter().find(|(letter, _)| *letter == sign) {
            all += number.replace(',', ".").parse::<f64>().ok()? * minutes;
            number.clear();
        } else if sign.is_ascii_digit() || sign == '.' || sign == ',' {
            number.push(sign);
        } else {
            return None;
        }
    }
    number.is_empty().then_some(all)
}

/// Whole minutes of a time as people write it: "45 min", "1 h 20", "1h20min", "2 horas".
pub(super) fn minutes(text: &str) -> Option<u32> {
    let mut all = 0.0;
    let mut seen = false;
    let mut last_was_hours = false;
    let mut rest = text.trim_start();
    while let Some(end) = rest
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
        .or(Some(rest.len()))
        .filter(|end| *end > 0)
    {
        let number: f64 = rest[..end].replace(',', ".").trim_end_matches('.').parse().ok()?;
        rest = rest[end..].trim_start();
        let letters = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let factor = match rest[..letters].to_lowercase().as_str() {
            "m" | "min" | "mins" | "minute" | "minutes" | "minuto" | "minutos" => 1.0,
            "h" | "hr" | "hrs" | "hour" | "hours" | "hora" | "horas" => 60.0,
            "d" | "day" | "days" | "dia" | "dias" => 24.0 * 60.0,
            "" if last_was_hours && rest.is_empty() => 1.0,
            _ => return None,
        };
        all += number * factor;
        seen = true;
        last_was_hours = (factor - 60.0_f64).abs() < f64::EPSILON;
        rest = rest[letters..].trim_start_matches(['.', ',']).trim_start();
        for and in ["and ", "e ", "& "] {
            rest = rest.strip_prefix(and).unwrap_or(rest);
        }
        rest = rest.trim_start();
        if !rest.starts_with(|c: char| c.is_ascii_digit()) {
            break;
        }
    }
    if seen && rest.is_empty() { whole(all) } else { None }
}

fn whole(minutes: f64) -> Option<u32> {
    let minutes = minutes.ceil();
    if !(0.0..=f64::from(u32::MAX)).contains(&minutes) {
        return None;
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is in the range"
    )]
    let whole = minutes as u32;
    (whole > 0).then_some(whole)
}
