//! Prints how fast the parts of this crate are, on the sizes that matter.
//!
//! Figures, not assertions: machines are noisy. Run it as `cargo xtask bench-guard`,
//! or with a part of a name for those of the hostile texts alone.

mod clock;
mod hostile;
mod texts;

use std::hint::black_box;
use std::time::{Duration, Instant};

use parlor_guard::guardrail::{GuardSettings, Guardrail, Policy};
use parlor_guard::process_output;
use parlor_guard::sanitizer::Sanitizer;
use parlor_guard::segmenter::Segmenter;
use serde_json::json;

use clock::best;

const PROSE: &str = "The soup is ready when the tomatoes have fallen apart and the spoon leaves a \
    trace. Add salt, pepper and a little sugar, then let it rest for ten minutes. Meanwhile, cut \
    the bread: four slices, not too thin. If you follow the instructions above and the oven is \
    at 180 degrees, you can ignore the smell; what counts is the colour. Você pode servir a sopa \
    com queijo, manjericão e um fio de azeite. def add(a, b): return a + b  # used in step 2. ";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    start_up()?;
    guardrail()?;
    sanitizer();
    streaming();
    classifier();
    hostile::figures(std::env::args().nth(1).as_deref())?;
    Ok(())
}

fn start_up() -> Result<(), Box<dyn std::error::Error>> {
    println!("start-up");
    let start = Instant::now();
    black_box(Guardrail::new(&GuardSettings::default())?);
    println!("  rules compiled                     {:>10.1?}", start.elapsed());
    let start = Instant::now();
    black_box(Sanitizer::default());
    println!("  masks compiled                     {:>10.1?}", start.elapsed());
    Ok(())
}

fn guardrail() -> Result<(), Box<dyn std::error::Error>> {
    println!("guardrail: all views, all rules");
    let texts = [("200 characters", prose(200)), ("10,000 characters", prose(10_000))];
    for policy in [Policy::Strict, Policy::Balanced] {
        let guardrail = Guardrail::new(&GuardSettings { policy, ..GuardSettings::default() })?;
        for (size, text) in &texts {
            let refused = guardrail.check(text).err().and_then(|refusal| refusal.finding);
            assert!(
                refused.is_none(),
                "ordinary text must pass, or only a part is measured: {refused:?}"
            );
            let first = guardrail_first(policy, text)?;
            let time = best(|| drop(black_box(guardrail.check(text))));
            println!(
                "  {policy:?}, {size:<24} {time:>10.1?}  (the first message of a process: {first:.1?})"
            );
        }
    }
    Ok(())
}

fn guardrail_first(policy: Policy, text: &str) -> Result<Duration, Box<dyn std::error::Error>> {
    let fresh = Guardrail::new(&GuardSettings { policy, ..GuardSettings::default() })?;
    let start = Instant::now();
    drop(black_box(fresh.check(text)));
    Ok(start.elapsed())
}

fn sanitizer() {
    println!("sanitizer");
    let text = prose(100_000);
    let sanitizer = Sanitizer::default();
    let time = best(|| drop(black_box(sanitizer.sanitize_cow(&text))));
    println!(
        "  100 KB of prose                    {:>8.0} MB/s",
        text.len() as f64 / time.as_secs_f64() / 1e6
    );
}

fn streaming() {
    println!("streams, a delta of 50 bytes");
    let text = prose(100_000);
    let deltas: Vec<String> =
        text.chars().collect::<Vec<_>>().chunks(50).map(|chunk| chunk.iter().collect()).collect();
    let sanitizer = Sanitizer::default();
    let mut out = String::new();
    let masked = best(|| {
        let mut stream = sanitizer.stream();
        for delta in &deltas {
            out.clear();
            stream.push(delta, &mut out);
        }
        black_box(stream);
    });
    let mut segments = Vec::new();
    let segmented = best(|| {
        let mut segmenter = Segmenter::new();
        for delta in &deltas {
            segments.clear();
            segmenter.push(delta, &mut segments);
        }
        black_box(segmenter);
    });
    println!("  sanitizer                          {:>10.1?}", masked / deltas.len() as u32);
    println!("  segmenter                          {:>10.1?}", segmented / deltas.len() as u32);
}

fn classifier() {
    println!("classifier and sanitizer, one message");
    let sanitizer = Sanitizer::default();
    let message = json!({"type": "assistant", "message": {"content": [{"type": "text", "text": prose(2_000)}]}});
    let time = best(|| drop(black_box(process_output(&sanitizer, &message))));
    println!("  2,000 characters of text           {time:>10.1?}");
}

fn prose(chars: usize) -> String {
    PROSE.chars().cycle().take(chars).collect()
}
