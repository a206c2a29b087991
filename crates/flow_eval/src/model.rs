//! The model server of a suite: speaks the Messages API on loopback and plays the obedient model. It
//! writes down the calls that it makes, so that the person knows whose call a question is about.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use parlor_testkit::{Script, ScriptedModel};
use serde_json::Value;

use crate::call::Made;
use crate::control::Task;
use crate::obedient::{Next, next};
use crate::suite::Suite;

/// The model of a suite, and the case that it works on.
pub(crate) struct Model {
    server: ScriptedModel,
    work: Arc<Mutex<Work>>,
}

/// The case that runs.
#[derive(Debug, Default)]
struct Work {
    task: Option<Task>,
    made: Vec<Made>,
}

impl Model {
    /// Starts it, within the current runtime.
    pub(crate) async fn start(suite: Suite) -> io::Result<Self> {
        let work = Arc::new(Mutex::new(Work::default()));
        let shared = Arc::clone(&work);
        let server = ScriptedModel::answering(move |request| {
            let mut work = shared.lock().unwrap_or_else(PoisonError::into_inner);
            work.answer(suite, request)
        });
        Ok(Self { server: server.await?, work })
    }

    pub(crate) fn base_url(&self) -> String {
        self.server.base_url()
    }

    /// Begins a case.
    pub(crate) fn begin(&self, task: Task) {
        *self.work() = Work { task: Some(task), made: Vec::new() };
    }

    /// The calls so far.
    pub(crate) fn made(&self) -> Vec<Made> {
        self.work().made.clone()
    }

    fn work(&self) -> std::sync::MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Work {
    /// The script for a request.
    fn answer(&mut self, suite: Suite, request: &Value) -> Script {
        let Some(task) = &self.task else {
            return Script::failure_saying(400, "invalid_request_error", "no case was begun");
        };
        let told = told(request);
        match next(task, &told) {
            Next::Say(text) => Script::answer().text(&text),
            Next::Call(made) => {
                let name = suite.full_name(&made.call.name);
                let id = format!("call-{}", told.len());
                let script = Script::answer().tool_use(&id, &name, &made.call.arguments);
                // A request that is repeated gets the same call once more.
                self.made.truncate(told.len());
                self.made.push(made);
                script
            }
        }
    }
}

/// The results of all calls so far, one for each call, as texts.
fn told(request: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let blocks = list(&request["messages"]).into_iter().flat_map(|each| list(&each["content"]));
    let results = blocks.filter(|block| block["type"] == "tool_result");
    results.map(|result| text(&result["content"])).collect()
}

/// The text of a content: a text, or blocks of it.
fn text(content: &Value) -> String {
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = blocks.iter().filter_map(|block| block["text"].as_str());
    content.as_str().into_iter().chain(texts).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_are_read_in_both_forms() {
        let result = |content: Value| {
            json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "x", "content": content}]})
        };
        let request = json!({"messages": [
            {"role": "user", "content": [{"type": "text", "text": "hello"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "a"}]},
            result(json!("one")),
            {"role": "assistant", "content": "text"},
            result(json!([{"type": "text", "text": "two"}, {"type": "text", "text": "three"}])),
        ]});
        assert_eq!(told(&request), ["one", "two\nthree"]);
    }
}
