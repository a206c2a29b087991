//! The binary as a person uses it in a shell.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Runs `parlor` with an input; returns its output and its exit code.
fn parlor(arguments: &[&str], input: &[u8]) -> (String, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_parlor"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    text.push_str(&String::from_utf8(output.stderr).unwrap());
    (text, output.status.code().unwrap())
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// `parlor guard` answers every line in the documented shape.
#[test]
fn guard_answers_line_by_line() {
    let input = "{\"text\": \"Can you help me understand this code?\"}\n{\"text\": \"act as  if\"}\n{\"text\": \"\"}\n";
    let (output, code) = parlor(&["guard"], input.as_bytes());
    assert_eq!(code, 0, "a blocked message is an answer, not a failure");
    assert_eq!(
        json_lines(&output),
        [
            json!({"valid": true, "error": "", "code": "", "rule": "", "category": "", "view": "", "words": []}),
            json!({"valid": false, "error": "Comando não permitido", "code": "input_blocked",
                   "rule": "roleplay.act_as_if", "category": "roleplay", "view": "plain", "words": []}),
            json!({"valid": false, "error": "The message is empty.", "code": "input_empty",
                   "rule": "", "category": "", "view": "", "words": []}),
        ]
    );
}

/// G-5: the policy is chosen on the command line; rules can be listed and switched off.
#[test]
fn guard_takes_policies_and_lists_rules() {
    let (output, _) =
        parlor(&["guard", "--text", "--policy", "balanced"], b"what does os.system do?\n");
    let answer = &json_lines(&output)[0];
    assert_eq!(
        (&answer["valid"], &answer["rule"]),
        (&json!(true), &json!("code_execution.os_system"))
    );

    let (output, code) = parlor(&["guard", "--rules"], b"");
    assert_eq!(code, 0);
    let rules = json_lines(&output);
    assert!(
        rules.iter().any(|rule| rule["rule"] == "jailbreak.dan_mode" && rule["action"] == "block")
    );

    let (output, code) = parlor(&["guard", "--off", "jailbreak.dan_mod"], b"");
    assert_eq!(code, 1);
    assert!(output.contains("did you mean 'jailbreak.dan_mode'?"), "{output}");
    assert_eq!(parlor(&["guard", "--policy", "lenient"], b"").1, 2);
}

/// C-1: all message types, by their wire names; `info` is the fallback for an agent's output,
/// `text` is output without a class.
#[test]
fn classify_knows_every_type() {
    let plan = json!({"goal": "Soup", "steps": [
        {"step_number": 1, "action": "Boil water", "reason": "It is cold"},
    ]});
    let question = json!({"question": "Soup or cake?", "options": ["soup", "cake"]});
    let cases = [
        ("question", question.clone()),
        ("multi_question", json!({"questions": [question]})),
        ("info", json!({"type": "text", "text": "Done."})),
        ("info", Value::Null),
        ("tool_result", json!({"type": "tool_result", "content": "42"})),
        ("error", json!({"type": "error", "error": {"message": "overloaded"}})),
        ("thinking", json!({"type": "thinking", "thinking": "Let me see"})),
        ("text", json!({"goal": "Soup", "steps": "none"})),
        ("plan", plan),
        (
            "tool_call",
            json!({"type": "control_request", "request_id": "r1", "request": {
                "subtype": "can_use_tool", "tool_name": "Write", "input": {"path": "a"},
            }}),
        ),
    ];
    let input: String = cases.iter().map(|(_, line)| format!("{line}\n")).collect();
    let (output, code) = parlor(&["classify"], input.as_bytes());
    assert_eq!(code, 0, "{output}");
    let expected: Vec<&str> = cases.iter().map(|(name, _)| *name).collect();
    let answers = json_lines(&output);
    let types: Vec<&str> = answers.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(types, expected);
}

/// a line that cannot be parsed gets an error on its own line; the exit code is 1.
#[test]
fn bad_lines_do_not_stop_the_rest() {
    let deep = format!("{}\n", "[".repeat(100_000));
    let input = [
        b"nonsense\n",
        deep.as_bytes(),
        b"\xc3\x28\n",
        b"{\"type\": \"text\", \"text\": \"ok\"}\n",
    ]
    .concat();
    for (command, last) in [("guard", "valid"), ("sanitize", "text"), ("classify", "type")] {
        let (output, code) = parlor(&[command], &input);
        let lines = json_lines(&output);
        assert_eq!((code, lines.len()), (1, 4), "{command}: {output}");
        assert!(lines[..3].iter().all(|line| line["error"].is_string()), "{command}: {output}");
        assert!(!lines[3][last].is_null(), "{command}: {output}");
    }
}

/// each line is answered at once, not at the end of the input.
#[test]
fn answers_are_flushed_as_they_go() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_parlor"))
        .args(["sanitize", "--text"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) =
        (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for _ in 0..3 {
        stdin.write_all(b"made by OpenAI\n").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line, "{\"text\":\"made by [provider]\"}\n");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// S-4, A-2: `--raw` copies a stream and masks it, even if it is not valid text.
#[test]
fn raw_copies_a_stream() {
    let (output, code) = parlor(&["sanitize", "--raw"], b"one Claude Code\ntwo\r\n\nthree GPT-4");
    assert_eq!((output.as_str(), code), ("one [assistant]\ntwo\r\n\nthree [assistant]", 0));

    let mut child = Command::new(env!("CARGO_BIN_EXE_parlor"))
        .args(["sanitize", "--raw"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"\xff\xfe OpenAI \x80").unwrap();
    let mut bytes = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, b"\xff\xfe [provider] \x80");
    child.wait().unwrap();
}

/// S-6: names may stay, secrets are always masked; behind a bridge more is masked; paths are
/// shortened.
#[test]
fn sanitize_takes_a_project_s_settings() {
    let line = b"Claude by Anthropic: sk-ant-api03-abcdefgh12345678 in /srv/demo/src/main.rs\n";
    let text = |arguments: &[&str]| {
        json_lines(&parlor(arguments, line).0)[0]["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        text(&["sanitize", "--text", "--keep-names"]),
        "Claude by Anthropic: [token] in /srv/demo/src/main.rs"
    );
    assert_eq!(
        text(&["sanitize", "--text", "--bridge", "--workspace", "/srv/demo"]),
        "[assistant] by [provider]: [token] in src/main.rs"
    );
}

/// `parlor classify` answers in the documented shape.
#[test]
fn classify_says_what_a_person_would_see() {
    let input = [
        json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "Which option do you prefer?"}]}}),
        json!({"question": "Which?", "options": ["a", {"label": "B", "value": "b", "description": "second"}]}),
        json!({"type": "result", "subtype": "success", "is_error": true, "result": "API Error: Anthropic is overloaded"}),
        json!(null),
    ];
    let lines: String = input.iter().map(|line| format!("{line}\n")).collect();
    let (output, code) = parlor(&["classify"], lines.as_bytes());
    assert_eq!(code, 0);
    assert_eq!(
        json_lines(&output),
        [
            json!({"type": "question", "content": "Which option do you prefer?"}),
            json!({"type": "question", "content": "Which?", "options": [
                {"label": "a", "value": "a"}, {"label": "B", "value": "b", "description": "second"}]}),
            json!({"type": "error", "content": "API Error: [provider] is overloaded"}),
            json!({"type": "info", "content": ""}),
        ]
    );
}

/// A-2, S-5: `parlor classify` masks as behind a bridge, and knows the agent's directories;
/// terminal colours are removed.
#[test]
fn classify_takes_the_agent_s_directories() {
    let output = "\u{1B}[31mno\u{1B}[0m /srv/demo/a.rs in /srv/agent/x, says Opus\u{202E}";
    let line = json!({"type": "tool_result", "content": output}).to_string();
    let flags = ["classify", "--home", "/srv/agent", "--workspace", "/srv/demo"];
    let (output, code) = parlor(&flags, format!("{line}\n").as_bytes());
    assert_eq!(code, 0);
    let expected = "no a.rs in [config], says [assistant]‹U+202E›";
    assert_eq!(json_lines(&output)[0]["content"], expected);
}

/// the help shows every shape and an example, so no other documentation is needed.
#[test]
fn help_shows_shapes_and_examples() {
    for (command, shape) in
        [("guard", "\"valid\""), ("classify", "\"questions\""), ("sanitize", "--raw")]
    {
        let (output, code) = parlor(&[command, "--help"], b"");
        assert_eq!(code, 0);
        assert!(
            output.contains(shape) && output.contains("Examples:") && output.contains("Exit code:"),
            "{output}"
        );
    }
    assert_eq!(parlor(&["dance"], b"").1, 2);
}
