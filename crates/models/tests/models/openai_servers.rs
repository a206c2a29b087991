//! Streams in the formats of the servers that people run; each has its peculiarities.

use parlor_agent::ModelError;
use parlor_models::ModelEvent;
use parlor_testkit::Script;

use crate::harness::heard;

/// The events of a body, one line for each.
async fn lines(body: &str) -> Vec<String> {
    let script = Script::response(200, "text/event-stream", body);
    heard(script.split(5)).await.iter().map(line).collect()
}

fn line(event: &Result<ModelEvent, ModelError>) -> String {
    match event {
        Ok(ModelEvent::ContentBlock(block)) => {
            format!("block {}", serde_json::to_string(block).unwrap())
        }
        Ok(ModelEvent::Usage(usage)) => {
            format!("usage {} in, {} out", usage.input_tokens, usage.output_tokens)
        }
        Ok(event) => format!("{event:?}"),
        Err(error) => format!("error: {error}"),
    }
}

/// Role and empty content first, `null` usage in every event, calls interleaved.
#[tokio::test]
async fn openai() {
    let body = r#"data: {"id":"chatcmpl-B9","object":"chat.completion.chunk","created":1741569952,"model":"gpt-5.4","service_tier":"default","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x"}

data: {"id":"chatcmpl-B9","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Both."},"logprobs":null,"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-B9","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"look","arguments":""}}]},"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-B9","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"look","arguments":""}},{"index":0,"function":{"arguments":"{\"at\":"}}]},"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-B9","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}},{"index":1,"function":{"arguments":"{\"at\":2}"}}]},"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-B9","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}],"usage":null}

data: {"id":"chatcmpl-B9","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":57,"completion_tokens":17,"total_tokens":74,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0}}}

data: [DONE]

"#;
    assert_eq!(
        lines(body).await,
        [
            r#"Text("Both.")"#,
            "usage 57 in, 17 out",
            "BlockEnd",
            r#"block {"type":"tool_use","id":"call_a","name":"look","input":{"at":1}}"#,
            r#"block {"type":"tool_use","id":"call_b","name":"look","input":{"at":2}}"#,
            "Stop(ToolUse)",
        ]
    );
}

/// Complete calls, in older versions all with index 0 and the stop reason `stop`; reasoning in
/// `reasoning`, beside empty content.
#[tokio::test]
async fn ollama() {
    let body = r#"data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"The user"},"finish_reason":null}]}

data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":" asks."},"finish_reason":null}]}

data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","index":0,"type":"function","function":{"name":"look","arguments":"{\"at\":1}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_2","index":0,"type":"function","function":{"name":"look","arguments":"{\"at\":2}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}

data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[],"usage":{"prompt_tokens":26,"completion_tokens":9,"total_tokens":35}}

data: [DONE]

"#;
    assert_eq!(
        lines(body).await,
        [
            r#"Thinking("The user")"#,
            r#"Thinking(" asks.")"#,
            "usage 26 in, 9 out",
            "BlockEnd",
            r#"block {"type":"vendor","vendor":"openai","block":{"model":"m","reasoning_field":"reasoning"}}"#,
            r#"block {"type":"tool_use","id":"call_1","name":"look","input":{"at":1}}"#,
            r#"block {"type":"tool_use","id":"call_2","name":"look","input":{"at":2}}"#,
            "Stop(ToolUse)",
        ]
    );
}

/// Both fields for reasoning, usage with every event, and in some versions a new id with every
/// piece of a call.
#[tokio::test]
async fn vllm() {
    let body = r#"data: {"id":"chatcmpl-v","object":"chat.completion.chunk","model":"x","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":{"prompt_tokens":9,"total_tokens":9,"completion_tokens":0}}

data: {"id":"chatcmpl-v","object":"chat.completion.chunk","model":"x","choices":[{"index":0,"delta":{"reasoning":"Hm.","reasoning_content":"Hm."},"finish_reason":null}],"usage":{"prompt_tokens":9,"total_tokens":10,"completion_tokens":1}}

data: {"id":"chatcmpl-v","object":"chat.completion.chunk","model":"x","choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-1","type":"function","index":0,"function":{"name":"look"}}]},"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-v","object":"chat.completion.chunk","model":"x","choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-2","index":0,"function":{"arguments":"{\"at\": "}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-v","object":"chat.completion.chunk","model":"x","choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-3","index":0,"function":{"arguments":"1}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-v","object":"chat.completion.chunk","model":"x","choices":[{"index":0,"delta":{"content":""},"logprobs":null,"finish_reason":"tool_calls","stop_reason":null}]}

data: [DONE]

"#;
    assert_eq!(
        lines(body).await,
        [
            "usage 9 in, 0 out",
            r#"Thinking("Hm.")"#,
            "usage 9 in, 1 out",
            "BlockEnd",
            r#"block {"type":"vendor","vendor":"openai","block":{"model":"m","reasoning_field":"reasoning_content"}}"#,
            r#"block {"type":"tool_use","id":"chatcmpl-tool-1","name":"look","input":{"at":1}}"#,
            "Stop(ToolUse)",
        ]
    );
}

/// Comments while the client waits, reasoning twice, and an error together with a stop reason.
#[tokio::test]
async fn openrouter() {
    let body = r#": OPENROUTER PROCESSING

: OPENROUTER PROCESSING

data: {"id":"gen-1","provider":"X","model":"x/y","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Hm.","reasoning_details":[{"type":"reasoning.text","text":"Hm.","format":"f","index":0}]},"finish_reason":null,"native_finish_reason":null}]}

data: {"id":"gen-1","provider":"X","model":"x/y","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"Yes"},"finish_reason":null}]}

: OPENROUTER PROCESSING

data: {"id":"gen-1","object":"chat.completion.chunk","provider":"X","error":{"code":502,"message":"Provider returned error","metadata":{"raw":"upstream went away","provider_name":"X"}},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}

"#;
    assert_eq!(
        lines(body).await,
        [
            r#"Thinking("Hm.")"#,
            "BlockEnd",
            r#"Text("Yes")"#,
            "error: the answer of the model broke off: Provider returned error: upstream went away",
        ]
    );
}

/// A 200 status, and then an event named `error`.
#[tokio::test]
async fn lm_studio() {
    let body = r#"event: error
data: {"error":{"message":"Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough."},"message":"Trying to keep the first 111490 tokens"}

"#;
    let told = lines(body).await;
    assert!(
        told[0].starts_with("error: the request is too long for the model: Trying"),
        "{told:?}"
    );
    let bare = "event: error\ndata: {\"error\":\"The model has crashed\"}\n\n";
    assert_eq!(
        lines(bare).await,
        ["error: the answer of the model broke off: The model has crashed"]
    );
}
