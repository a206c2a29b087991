//! What 1 MB made to hurt costs each part: the making of the views, the rules
//! together and one by one, the masks, the segmenter and the classifier.

use std::hint::black_box;
use std::time::Duration;

use parlor_guard::guardrail::{GuardSettings, Guardrail, GuardrailError, Policy, Views};
use parlor_guard::process_output;
use parlor_guard::sanitizer::Sanitizer;
use parlor_guard::segmenter::Segmenter;
use serde_json::json;

use crate::clock::least;
use crate::texts;

/// How many of the slowest rules are measured again, and printed at the end.
const SLOWEST: usize = 10;

/// A rule alone, and the most that any text cost it.
struct Alone {
    id: &'static str,
    rule: Guardrail,
    worst: Duration,
    on: &'static str,
}

/// Prints a line for each text and the slowest rules.
pub(crate) fn figures(named: Option<&str>) -> Result<(), GuardrailError> {
    println!("1 MB of hostile text, in ms of processor time");
    println!(
        "  {:<33} {:>6} {:>6} {:>6} {:>6} {:>6}  slowest rule, on all views",
        "", "mask", "split", "judge", "views", "rules"
    );
    let everything = Guardrail::new(&unlimited(|_| true))?;
    let mut alone = Guardrail::catalogue()
        .map(|rule| {
            let alone = Guardrail::new(&unlimited(|id| id == rule.id))?;
            Ok(Alone { id: rule.id, rule: alone, worst: Duration::ZERO, on: "" })
        })
        .collect::<Result<Vec<_>, GuardrailError>>()?;
    let sanitizer = Sanitizer::default();
    for (name, text) in texts::all().filter(|(name, _)| named.is_none_or(|n| name.contains(n))) {
        let mask = least(3, || drop(black_box(sanitizer.sanitize(&text))));
        let split = least(3, || drop(black_box(Segmenter::split(&text))));
        let message = json!({"type": "text", "text": &text});
        let judge = least(3, || drop(black_box(process_output(&sanitizer, &message))));
        let making = least(3, || drop(black_box(Views::of(&text))));
        let views = Views::of(&text);
        let all = least(3, || drop(black_box(everything.find_in(&views))));
        let (slowest, id) = each_alone(&mut alone, name, &views);
        let [mask, split, judge, making, all, slowest] =
            [mask, split, judge, making, all, slowest].map(ms);
        println!(
            "  {name:<33} {mask:>6.1} {split:>6.1} {judge:>6.1} {making:>6.1} {all:>6.1} {slowest:>6.1} {id}"
        );
    }
    println!("the slowest rules, each alone on all views of 1 MB");
    alone.sort_by_key(|rule| std::cmp::Reverse(rule.worst));
    for Alone { id, worst, on, .. } in alone.iter().take(SLOWEST) {
        println!("  {id:<33} {:>6.1} ms  {on}", ms(*worst));
    }
    Ok(())
}

/// What the slowest rule takes. All are measured roughly, and those that took
/// the most once more and well.
fn each_alone(alone: &mut [Alone], text: &'static str, views: &Views) -> (Duration, &'static str) {
    let cost = |rule: &Guardrail, rounds| least(rounds, || drop(black_box(rule.find_in(views))));
    let mut rough: Vec<_> = alone.iter_mut().map(|of| (cost(&of.rule, 2), of)).collect();
    rough.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    let well = rough.into_iter().take(SLOWEST).map(|(time, of)| {
        let time = time.min(cost(&of.rule, 5));
        if time > of.worst {
            (of.worst, of.on) = (time, text);
        }
        (time, of.id)
    });
    well.max().unwrap_or_default()
}

/// No limit on the length, nothing that blocks and so ends the search early,
/// and of the rules those that are wanted.
fn unlimited(wanted: impl Fn(&str) -> bool) -> GuardSettings {
    let off = Guardrail::catalogue().filter(|rule| !wanted(rule.id));
    GuardSettings {
        policy: Policy::Monitor,
        max_chars: usize::MAX,
        off: off.map(|rule| rule.id.to_owned()).collect(),
        ..GuardSettings::default()
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
