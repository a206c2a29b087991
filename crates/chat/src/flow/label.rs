//! The label of a result: what its tool says before the call, and what is known once it is there.
//! Pure.

use parlor_agent::ProposedCall;
use parlor_agent::flow::ResultLabel;
use parlor_protocol::Content;
use parlor_storage::{RunLabel, Told, ToolRun};
use serde_json::{Map, Value};

use crate::texts::excerpt;

/// Arguments that say what is read, the most telling first.
const TELLING: &[&str] = &[
    "path", "file_path", "file", "filename", "url", "uri", "query", "q", "search", "pattern",
    "command", "subject", "title", "name", "channel", "user", "recipient", "id",
];

/// What is known of the result of a call before it is made.
pub(crate) fn of_call(call: &ProposedCall) -> Option<RunLabel> {
    let flow = call.tool.as_ref()?.flow;
    Some(RunLabel {
        content: flow.content.is,
        is_private: flow.private.is,
        origin: origin(&call.input),
    })
}

/// What is known of a result. One that reads like orders is of others, whatever is configured.
pub(crate) fn of_result(run: &ToolRun, said: ResultLabel, is_suspicious: bool) -> Told {
    let before = run.label.as_ref();
    let content = said.content.or(before.map(|label| label.content)).unwrap_or(Content::Others);
    let is_private = said.is_private.or(before.map(|label| label.is_private)).unwrap_or(true);
    let content = if is_suspicious { Content::Others } else { content };
    Told { content, is_private, is_suspicious, is_withheld: false }
}

/// What is read, in a word.
fn origin(arguments: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let telling = TELLING.iter().find_map(|name| text(name));
    let telling = telling.or_else(|| arguments.values().find_map(Value::as_str));
    telling.map(excerpt).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use parlor_storage::RunStatus;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn run(content: Option<Content>) -> ToolRun {
        let label = content.map(|content| RunLabel { content, is_private: false, origin: None });
        ToolRun {
            id: Uuid::nil(),
            call_id: "t1".into(),
            server: "s".into(),
            tool: "t".into(),
            status: RunStatus::Started,
            arguments: "{}".into(),
            result: None,
            label,
        }
    }

    /// F-1: what is unknown, an older row and what reads like orders is of others.
    #[test]
    fn in_doubt_words_are_of_others() {
        let of = |content, said, suspicious| of_result(&run(content), said, suspicious);
        let silent = ResultLabel::default();
        assert_eq!(of(None, silent, false).content, Content::Others);
        assert!(of(None, silent, false).is_private);
        assert_eq!(of(Some(Content::Own), silent, false).content, Content::Own);
        assert_eq!(of(Some(Content::Own), silent, true).content, Content::Others);
        let says = |content| ResultLabel { content: Some(content), is_private: None };
        assert_eq!(of(Some(Content::Own), says(Content::Others), false).content, Content::Others);
        assert_eq!(of(Some(Content::Others), says(Content::Own), false).content, Content::Own);
        assert_eq!(of(Some(Content::Others), says(Content::Own), true).content, Content::Others);
    }

    /// F-2: a source is named by what was read.
    #[test]
    fn a_result_is_named_by_what_was_read() {
        let word = |arguments: Value| origin(arguments.as_object().unwrap());
        assert_eq!(word(json!({"n": 1, "path": "a\nb.txt"})).as_deref(), Some("a b.txt"));
        assert_eq!(word(json!({"folder": "inbox"})).as_deref(), Some("inbox"));
        assert_eq!(word(json!({"n": 1})), None);
    }
}
