//! C-2, 10 and 11: types that are guessed from the text.

use parlor_guard::classifier::{Classified, classify};
use parlor_protocol::MessageType::{self, Error, Info, Question};
use serde_json::{Value, json};

fn read(line: &Value) -> Classified {
    classify(line, &str::to_owned)
}

fn says(text: &str) -> MessageType {
    read(&json!({"type": "text", "text": text})).message_type
}

/// C-2, 10: in English and in Portuguese.
#[test]
fn text_that_begins_like_an_error_is_one() {
    for text in [
        "Error: no such file", "**Error:** no such file", "ERROR: disk full", "❌ Error: x",
        "Exception: boom", "Failed to open it. Shall I try again?", "Cannot find the file",
        "Cannot read it", "Cannot write there", "cannot access x", "Erro: sem espaço",
        "Exceção: falhou", "Falha ao abrir", "Erro ao salvar",
        "Não foi possível encontrar o arquivo", "Não foi possível ler",
        "Não é possível acessar o disco",
    ] {
        assert_eq!(says(text), Error, "{text}");
    }
    for text in [
        "Errors are normal.", "The error: it was me.", "Cannot complain.", "No error.",
        "Failed tests: none", "Falha? Nenhuma.",
    ] {
        assert_eq!(says(text), Info, "{text}");
    }
}

/// C-2, 11: a guess, without options and without structure.
#[test]
fn text_that_asks_is_a_question() {
    for text in [
        "Which file?", "Which file?\n", "**Which file?**", "(Which file?)", "“Which file?”",
        "Which file? 🙂", "どれですか？", "Go on? (yes/no)", "Go on? [Y/n]",
        "Should I go on?\n\n```sh\nrm -r build\n```", "What would you like me to do",
        "There are two. Which option do you prefer. I like A.",
        "I need to know which option you prefer.", "Done.\n\nWould you like me to add tests",
        "I can do both. Do you want me to start now, or later.",
        "Which one do you want:\n1. A\n2. B", "Which of these:\n\n- A\n- B\n",
        "Qual opção você prefere", "O que você gostaria de fazer",
        "Pronto. Você quer que eu continue", "Por favor, escolha uma.",
    ] {
        let read = read(&json!({"type": "text", "text": text}));
        assert_eq!((&read.message_type, read.content.as_str()), (&Question, text), "{text}");
        assert_eq!((read.options, read.data), (None, None), "{text}");
    }
    for text in [
        "Done.", "Is it? It is.", "Use the operator `?`", "```\nWhy?\n```",
        "Should I fail, retry.\n\nAll is well.", "I asked \"why?\" and left.",
        "Let me know if you need more.", "I did what you wanted.",
    ] {
        assert_eq!(says(text), Info, "{text}");
    }
}

/// C-2: text rules see the sanitized text, the content stays raw.
#[test]
fn words_are_judged_as_a_person_sees_them() {
    let line = json!({"type": "text", "text": "SECRET Error: x"});
    let read = classify(&line, &|text| text.replace("SECRET ", ""));
    assert_eq!((read.message_type, read.content.as_str()), (Error, "SECRET Error: x"));
}

/// C-2: a fragment of a text is not classified.
#[test]
fn pieces_of_text_are_info() {
    for line in [
        json!({"type": "stream_event", "event": {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Error: why?"}}}),
        json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Error: why?"}}),
        json!({"method": "item/agentMessage/delta", "params": {"delta": "Error: why?"}}),
        json!({"method": "session/update", "params": {"update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Error: why?"}}}}),
        json!({"type": "message", "role": "assistant", "content": "Error: why?", "delta": true}),
        json!({"choices": [{"delta": {"content": "Error: why?"}}]}),
    ] {
        let read = read(&line);
        assert_eq!((read.message_type, read.content.as_str()), (Info, "Error: why?"), "{line}");
        assert_eq!(read.metadata["partial"], true);
    }
}
