//! A streamed answer of OpenAI chat completions.

use parlor_models::fuzz::openai_answer;

use crate::anthropic_answer::assert_one_end;
use crate::cuts::cuts;

/// The same events for every cut; nothing after the end.
pub fn run(data: &[u8]) {
    let whole = openai_answer([data]);
    assert_one_end(&whole);
    for pieces in cuts(data) {
        assert_eq!(openai_answer(pieces), whole);
    }
}
