//! What notifications say, in each of their kinds and languages.

use parlor_protocol::CallCaveat;
use serde_json::json;
use uuid::Uuid;

use super::*;

fn approval(input: Value) -> UserPrompt {
    let id = Uuid::now_v7();
    let prompt = json!({
        "type": "userPrompt", "promptType": "confirm", "messageId": id, "conversation_id": id,
        "question": "Allow “Send a message”?", "severity": "major",
        "toolCall": {"name": "chat.send_message", "input": input},
    });
    serde_json::from_value(prompt).unwrap()
}

fn words(prompt: &UserPrompt, content: PushContent) -> Words {
    let about = About::Prompt(Box::new(prompt.clone()));
    let conversation = Some(prompt.conversation_id);
    let language = Language::English;
    Note { about, conversation, title: "Dinner", waiting: 1, language }.words(content)
}

/// U-11: what is said is a setting, and a call can be allowed only where all of it is said.
#[test]
fn content_is_said_as_configured() {
    let prompt = approval(json!({"to": "Ana", "text": "Dinner at 8"}));
    let none = words(&prompt, PushContent::None);
    assert_eq!(
        (none.title.as_str(), none.body.as_str()),
        ("Parlor", "Something waits for your answer.")
    );
    let title = words(&prompt, PushContent::Title);
    assert_eq!(
        (title.title.as_str(), title.body.as_str()),
        ("Dinner", "Something waits for your answer.")
    );
    assert_eq!((none.answer, title.answer), (None, None));
    let full = words(&prompt, PushContent::Full);
    assert_eq!(full.body, "Allow “Send a message”?\nto: Ana\ntext: Dinner at 8");
    assert_eq!(full.answer.unwrap().prompt, prompt.id);
    assert!(full.payload().len() < parlor_web_push::LARGEST_PAYLOAD);
}

/// U-11, F-2: whatever a notification cannot show is answered in the page.
#[test]
fn what_is_not_shown_whole_cannot_be_allowed() {
    let plain = || approval(json!({"to": "Ana"}));
    let influence = json!({"sources": [], "more": 0, "values": []});
    let mut cases = vec![
        approval(json!({"text": "x".repeat(LONGEST_TEXT)})),
        approval(json!({"text": "evil\u{202e}txt.exe"})),
        approval(json!({"text": "zero\u{200b}width"})),
        UserPrompt { severity: Some(Severity::Critical), ..plain() },
        UserPrompt { caveats: vec![CallCaveat::NotProven], ..plain() },
        UserPrompt { caveats: vec![CallCaveat::EditsAreRefusals], ..plain() },
        UserPrompt { preview: Some(Preview::Diff { old: None, new: Some("a".into()) }), ..plain() },
        UserPrompt { preview: Some(Preview::Record { old: None, new: None }), ..plain() },
        UserPrompt {
            preview: Some(Preview::List { items: vec!["a".into()], count: 2 }),
            ..plain()
        },
        UserPrompt { prompt_type: PromptType::Select, ..plain() },
        UserPrompt { tool_call: None, ..plain() },
    ];
    if let Ok(influence) = serde_json::from_value(influence) {
        cases.push(UserPrompt { influence: Some(influence), ..plain() });
    }
    let mut masked = plain();
    masked.tool_call.as_mut().unwrap().masked = Some(vec!["/to".to_owned()]);
    let mut deletes = plain();
    deletes.tool_call.as_mut().unwrap().name = "mcp__vault__delete_recipe".to_owned();
    cases.extend([masked, deletes]);
    for prompt in cases {
        assert_eq!(words(&prompt, PushContent::Full).answer, None, "{prompt:?}");
    }
    let listed = Preview::List { items: vec!["a".into()], count: 1 };
    let whole = UserPrompt { preview: Some(listed), ..plain() };
    assert!(words(&whole, PushContent::Full).answer.is_some());
}

/// U-11: hidden characters are left out of what is said.
#[test]
fn hidden_characters_are_not_said() {
    assert_eq!(shortened("a\u{200b}b\u{202e}c\u{7}", 80), ("abc".to_owned(), false));
    assert_eq!(shortened("two\nlines", 80), ("two\nlines".to_owned(), true));
    let long = shortened(&"é".repeat(90), 80);
    assert_eq!((long.0.chars().count(), long.1), (80, false));
}

/// U-4: everything is said in both languages.
#[test]
fn both_languages_have_their_own_words() {
    let id: PromptId = PromptId::new(Uuid::now_v7());
    let turn = TurnId::new(Uuid::now_v7());
    for about in [
        About::Closed(id, None),
        About::Closed(id, Some(PromptOutcome::Answered)),
        About::Closed(id, Some(PromptOutcome::Expired)),
        About::Ended { turn, failed: true },
        About::Ended { turn, failed: false },
        About::Test,
    ] {
        let said = |language| {
            let note =
                Note { about: about.clone(), conversation: None, title: "", waiting: 0, language };
            note.words(PushContent::Full).body
        };
        assert_ne!(said(Language::English), said(Language::Portuguese));
    }
    assert_eq!(Language::named("pt"), Language::Portuguese);
    assert_eq!(Language::named("de"), Language::English);
}
