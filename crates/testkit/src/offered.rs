//! The tools that a request offers the model.

use serde_json::Value;

use crate::deed::OfferedTool;
use crate::format::Format;
use crate::record::RecordedRequest;

impl RecordedRequest {
    /// The names of the tools that the model was given.
    pub fn tools(&self) -> Vec<String> {
        self.offered().into_iter().map(|tool| tool.name).collect()
    }

    /// The tools that the model was given.
    pub(crate) fn offered(&self) -> Vec<OfferedTool> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        match self.format() {
            Format::Gemini => {
                let declared = |tool: &Value| tool["functionDeclarations"].as_array().cloned();
                tools.filter_map(declared).flatten().map(|tool| read(&tool)).collect()
            }
            Format::ChatCompletions => tools.map(|tool| read(&tool["function"])).collect(),
            Format::Messages | Format::Responses => tools.map(read).collect(),
        }
    }
}

fn read(tool: &Value) -> OfferedTool {
    // Some built-in tools have only a type.
    let name = tool["name"].as_str().or(tool["type"].as_str()).unwrap_or_default();
    let schema = ["input_schema", "parameters", "parametersJsonSchema"]
        .iter()
        .find_map(|key| tool.get(key))
        .unwrap_or(&Value::Null);
    OfferedTool {
        name: name.to_owned(),
        properties: schema["properties"].clone(),
        is_free_form: tool["type"] == "custom",
    }
}
